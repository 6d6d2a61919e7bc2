"""Which option does a turn add, and what becomes of a turn whose option cannot be added?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.hive.options import OPTIONS_MAX, Option
from hivebot.services.records.asking import Spent, TurnReply, TurnRequest
from hivebot.services.records.policy import AgentConfig
from hivebot.services.records.replies import (
    NO_ASK,
    Bearing,
    DeliberateTurn,
    Fact,
    OpeningTurn,
    PositionTurn,
    Reply,
    Shape,
    Stance,
)
from hivebot.services.turns.new_options import Settled, settle

LISTED = (Option("ship", "Ship to everybody"), Option("wait", "wait"))
REQUEST = TurnRequest(
    agent=AgentConfig("anna", "Anna", "", "", "briefed"),
    desk_id="ops",
    desk_name="Ops",
    situation="deliberate",
    rows=(),
    question=1,
    options=LISTED,
    options_open=True,
)
ELSEWHERE = Fact("ship", Bearing.AGAINST, 1, "too early", "brief")
FACT = Fact("ask the board", Bearing.FOR, 2, "it meets today", "brief")
BOARD = Option("ask-the-board", "Ask the Board!")
PROPOSAL = DeliberateTurn(
    Stance.PROPOSE, BOARD.text, 0, (2,), "theirs", (FACT, ELSEWHERE), "so", NO_ASK
)
POSITION = PositionTurn("", BOARD.text, (FACT,), "theirs")


def settled(
    reply: Reply, request: TurnRequest = REQUEST, options: tuple[Option, ...] = LISTED
) -> Settled:
    return settle(options, request, TurnReply(reply, Shape.CLEAN, Spent()))


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        (
            PROPOSAL,
            replace(PROPOSAL, option=BOARD.id, facts=(replace(FACT, option=BOARD.id), ELSEWHERE)),
        ),
        (POSITION, replace(POSITION, option=BOARD.id, facts=(replace(FACT, option=BOARD.id),))),
    ],
)
def test_a_new_option_is_minted_and_kept_by_its_id(reply: Reply, kept: Reply) -> None:
    result = settled(reply)

    assert (result.option, result.said) == (BOARD, reply)
    assert result.kept == TurnReply(kept, Shape.CLEAN, Spent())


def test_an_option_another_has_added_meanwhile_is_the_same_one() -> None:
    result = settled(POSITION, options=(*LISTED, replace(BOARD, text="ask the board")))

    assert (result.option, result.said) == (None, POSITION)
    assert result.kept.shape is Shape.CLEAN
    assert isinstance(result.kept.reply, PositionTurn)
    assert result.kept.reply.option == BOARD.id


FULL = tuple(Option(f"o{number}", f"text {number}") for number in range(OPTIONS_MAX))


@pytest.mark.parametrize(
    ("reply", "prose"),
    [
        (
            PROPOSAL,
            replace(
                PROPOSAL,
                stance=Stance.NONE,
                option="",
                cites=(),
                facts=(replace(FACT, option=""), ELSEWHERE),
            ),
        ),
        (POSITION, replace(POSITION, new_option="", facts=(replace(FACT, option=""),))),
    ],
)
def test_a_move_on_an_option_that_is_refused_is_prose(reply: Reply, prose: Reply) -> None:
    assert settled(reply, options=FULL) == Settled(
        TurnReply(prose, Shape.UNCOUNTED, Spent()), prose
    )


@pytest.mark.parametrize(
    "reply",
    [
        replace(PROPOSAL, option="ship"),
        replace(PROPOSAL, stance=Stance.SUPPORT),
        replace(POSITION, option="ship", new_option=""),
        replace(POSITION, new_option=""),
        OpeningTurn((FACT,), ""),
    ],
)
def test_a_reply_that_adds_nothing_stays_as_it_is(reply: Reply) -> None:
    assert settled(reply) == Settled(TurnReply(reply, Shape.CLEAN, Spent()), reply)


def test_where_options_are_not_open_nothing_is_added() -> None:
    result = settled(PROPOSAL, replace(REQUEST, options_open=False))

    assert (result.option, result.kept.reply) == (None, PROPOSAL)
