"""How may one desk decide? By deliberating, or by a poll of members that do not hear one another.

Source: bench.md 6 and 7, turns.md 5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from hivebot.adapters.llm.briefed.rehearsal import Played, Room, question_row, rounds
from hivebot.entrypoints.benches.deciding.voices import Meter, Voices
from hivebot.services.ports import Models
from hivebot.services.records.asking import SeenRow
from hivebot.services.records.policy import Opening
from hivebot.services.records.replies import PositionTurn

MEMBERS_MIN: Final = 2
FAILED: Final = "failed"
POLLED: Final = "polled"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one decision came to.

    Attributes:
        decided: The option, "" for none.
        ending: How it ended, in the fold's word; `failed` where fewer than two members answered.
        turns: Turns of the floor, or answers of a poll.
        asks: Questions that went to other desks.
        meter: What it cost.
    """

    decided: str
    ending: str
    turns: int
    meter: Meter
    asks: int = 0


async def deliberation(models: Models, room: Room, question: str) -> Outcome:
    """Let a desk deliberate."""
    voices = Voices(models)
    played = await hosted(voices, room, [question_row(question)])
    return outcome_of(played, voices.meter)


async def poll(models: Models, room: Room, question: str) -> Outcome:
    """Ask members in turn, each unheard by the others, as often as a deliberation may take turns.

    The option named most often is decided; at a tie none is.
    """
    voices = Voices(models)
    rows = [question_row(question)]
    votes: list[str] = []
    for turn in range(room.policy.turn_budget):
        member = room.members[turn % len(room.members)]
        if not voices.answering(member.id):
            continue
        request = replace(
            room.asking(member, "position", rows),
            options=room.options,
            watermark=1,
            opening=Opening.POSITIONS,
        )
        reply = await voices.reply(request)
        if isinstance(reply, PositionTurn) and reply.option:
            votes.append(reply.option)
    return Outcome(sole_winner(votes), POLLED, voices.meter.replies, voices.meter)


async def hosted(voices: Voices, room: Room, rows: Sequence[SeenRow]) -> Played | None:
    """Let the market and the members play to the end; None where fewer than two could answer."""
    game = rounds(room, rows)
    asked = next(game)
    while True:
        if sum(voices.answering(member.id) for member in room.members) < MEMBERS_MIN:
            return None
        try:
            asked = game.send(await voices.said(asked.request, asked.sequence))
        except StopIteration as ended:
            return ended.value


def outcome_of(played: Played | None, meter: Meter, asks: int = 0) -> Outcome:
    """Name what a deliberation came to."""
    if played is None:
        return Outcome("", FAILED, meter.replies, meter, asks)
    return Outcome(played.decided, type(played.ending).__name__.lower(), played.turns, meter, asks)


def sole_winner(votes: Sequence[str]) -> str:
    """Give the option named most often; "" on a tie at the top and without votes."""
    ranked = Counter(votes).most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return ""
    return ranked[0][0]
