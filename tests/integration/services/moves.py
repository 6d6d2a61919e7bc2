"""What may a member say in a test? Structures of turns, written short."""

from __future__ import annotations

from hivebot.services.records.replies import (
    NO_ASK,
    Ask,
    Bearing,
    CommitTurn,
    DeliberateTurn,
    Fact,
    OpeningTurn,
    PositionTurn,
    Stance,
)


def fact(option: str, text: str, bearing: Bearing = Bearing.FOR, strength: int = 2) -> Fact:
    return Fact(option, bearing, strength, text, "brief")


def opens(*facts: Fact, remark: str = "") -> OpeningTurn:
    return OpeningTurn(facts, remark)


def holds(option: str, reason: str = "I hold so.") -> PositionTurn:
    return PositionTurn(option, "", (), reason)


def nothing(remark: str = "Nothing to add.") -> DeliberateTurn:
    return DeliberateTurn(Stance.NONE, "", 0, (), "", (), remark, NO_ASK)


def move(
    stance: Stance,
    option: str,
    *cites: int,
    target: int = 0,
    reason: str = "",
    asks: Ask = NO_ASK,
    facts: tuple[Fact, ...] = (),
) -> DeliberateTurn:
    return DeliberateTurn(stance, option, target, cites, reason, facts, "", asks)


def agrees(answer: str = "", *cites: int, open_points: str = "") -> CommitTurn:
    return CommitTurn(True, cites, (), answer, open_points, "")


def refuses(reason: str, *cites: int) -> CommitTurn:
    return CommitTurn(False, cites, (), "", "", reason)
