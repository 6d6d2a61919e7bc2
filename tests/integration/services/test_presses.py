"""What does a press of "Ask … too" do? Source: datapath.md 1, product.md 3, rights.md 1."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from hivebot.hive.crossing import Reach, ReachKind
from hivebot.services import lines
from hivebot.services.inert import WORD_JOINER
from hivebot.services.presses import Press, Pressed
from hivebot.services.records.outgoing import OutboxKind
from hivebot.services.records.rows import MessageRow
from tests.integration.services.world import (
    ANA,
    BEN,
    CONFIGURATION,
    DATA,
    PAYMENTS,
    PLATFORM,
    TEAM,
    World,
    deleted,
    said,
)

pytestmark = pytest.mark.integration

QUESTION = "@#platform, @#data: what is the limit?"


@pytest.fixture
async def world(world: World) -> World:
    """A world in which payments may ask both other desks."""
    anybody = Reach(ReachKind.ANY)
    desks = tuple(
        replace(desk, asks=anybody, answers=anybody, mode=CONFIGURATION.desks[0].mode)
        for desk in CONFIGURATION.desks
    )
    return World(world.engine, world.clock, replace(CONFIGURATION, desks=desks))


async def asked(world: World, words: str = QUESTION) -> MessageRow:
    """Ana's question as its thread holds it, put to the first desk."""
    question = said(words)
    await world.hear(question)
    await world.work_off()
    return (await world.log(PAYMENTS, question.ts))[0]


def press(row: MessageRow, desk_id: str = "data", *, by: str = ANA, value: str = "") -> Press:
    return Press(TEAM, PAYMENTS, row.ts, by, value or f"{row.id}:{desk_id}")


async def told(world: World, user_id: str = ANA) -> list[str]:
    """What one person was told privately, once it has been sent."""
    await world.work_off("deliver")
    return world.poster.private_texts(PAYMENTS, user_id)


async def test_the_button_carries_the_question_and_the_desk_that_was_not_asked(
    world: World,
) -> None:
    row = await asked(world)

    status = next(one for one in await world.outbox(PAYMENTS) if one.kind is OutboxKind.LINE)

    assert [(one.action, one.value) for one in status.body.buttons] == [
        (lines.ASK_TOO, f"{row.id}:data")
    ]


async def test_a_press_puts_the_question_to_that_desk_too(world: World) -> None:
    row = await asked(world)

    assert await world.presses.ask_too(press(row)) is Pressed.ASKED
    await world.work_off()

    assert [one.to_desk_id for one in await world.all_referrals()] == ["platform", "data"]
    assert (await world.texts(DATA))[0] == (await world.texts(PLATFORM))[0] == "what is the limit?"
    thread = await world.texts(PAYMENTS, row.ts)
    assert "@#data what is the limit?" in thread
    assert await told(world) == []


async def test_the_new_question_names_that_desk_alone(world: World) -> None:
    row = await asked(world, "@#platform: do you or @#data or @anna know a@b.c?")

    await world.presses.ask_too(press(row))
    await world.work_off()

    names = f"do you or @{WORD_JOINER}#data or @{WORD_JOINER}anna know a@b.c?"
    assert f"@#data {names}" in await world.texts(PAYMENTS, row.ts)
    statuses = [one for one in await world.outbox(PAYMENTS) if one.kind is OutboxKind.LINE]
    assert len(statuses) == 2
    assert statuses[1].body.buttons == ()


async def test_a_second_press_changes_nothing(world: World) -> None:
    row = await asked(world)
    await world.presses.ask_too(press(row))

    assert await world.presses.ask_too(press(row)) is Pressed.SPENT
    await world.work_off()
    assert await world.presses.ask_too(press(row)) is Pressed.SPENT
    assert await world.presses.ask_too(press(row, "platform")) is Pressed.SPENT

    assert len(await world.all_referrals()) == 2
    assert await told(world) == [
        "#data has been asked already. Nothing has changed.",
        "#data has been asked already. Nothing has changed.",
        "#platform has been asked already. Nothing has changed.",
    ]


async def test_two_presses_at_once_ask_once(world: World) -> None:
    row = await asked(world)

    pressed = await asyncio.gather(*(world.presses.ask_too(press(row)) for _ in range(4)))

    assert sorted(pressed) == [Pressed.ASKED, *[Pressed.SPENT] * 3]


@pytest.mark.parametrize("user_id", [BEN, ""])
async def test_somebody_elses_finger_changes_nothing(world: World, user_id: str) -> None:
    row = await asked(world)

    assert await world.presses.ask_too(press(row, by=user_id)) is Pressed.REFUSED

    assert len(await world.all_referrals()) == 1
    refused = (await world.outbox(PAYMENTS))[-1]
    assert refused.destination.user_id == user_id
    assert refused.body == lines.press_refused()


async def test_a_question_that_is_gone_is_asked_nobody(world: World) -> None:
    question = said(QUESTION)
    await world.hear(question)
    await world.work_off()
    (row, *_) = await world.log(PAYMENTS, question.ts)
    await world.hear(deleted(question))

    assert await world.presses.ask_too(press(row)) is Pressed.GONE

    assert await told(world) == ["That question, or that desk, is gone. Nothing has changed."]


@pytest.mark.parametrize(
    "value", ["", "x:data", "١:data", "99999:data", f"{10**19}:data", "-1:data"]
)
async def test_a_value_that_names_no_question_is_answered_all_the_same(
    world: World, value: str
) -> None:
    row = await asked(world)

    assert await world.presses.ask_too(press(row, value=value or ":")) is Pressed.GONE

    assert len(await told(world)) == 1


async def test_a_desk_that_is_gone_and_another_workspace_are_answered_all_the_same(
    world: World,
) -> None:
    row = await asked(world)

    assert await world.presses.ask_too(press(row, "legal")) is Pressed.GONE
    assert await world.presses.ask_too(replace(press(row), team_id="T0OTHER")) is Pressed.GONE

    assert len(await world.all_referrals()) == 1
