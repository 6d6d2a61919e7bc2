"""Why this speaker? What a person is told who points at a message or at a thread."""

from __future__ import annotations

import pytest

from hivebot.services.explaining import NOBODY, Pointed, why, why_episode, why_turn
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.outgoing import Body
from tests.integration.services.stories import (
    CANARY,
    answers,
    ask,
    begin,
    episode,
    line,
    turns_of,
)
from tests.integration.services.world import DATA, PAYMENTS, PLATFORM, TEAM, World

pytestmark = pytest.mark.integration


async def told(world: World, channel_id: str, ts: str = "", thread_ts: str = "") -> Body:
    return await why(world.work, world.policies, Pointed(TEAM, channel_id, ts, thread_ts))


async def test_an_answer_tells_why_its_agent_gave_it(world: World) -> None:
    asked = await ask(world, "@hive how are refunds doing?")
    (answer,) = await answers(world, PAYMENTS, asked.ts)

    body = await told(world, PAYMENTS, answer.ts[0], asked.ts)
    assert body.heading == "Why this speaker?"
    assert "answered because" in body.text
    assert body == await told(world, PAYMENTS, thread_ts=asked.ts)


async def test_a_turn_that_a_button_names_is_told_alike(world: World) -> None:
    asked = await ask(world, "@hive how are refunds doing?")
    (turn,) = await world.all_turns()

    body = await why_turn(world.work, world.policies, turn.id)
    assert body == await told(world, PAYMENTS, thread_ts=asked.ts)


async def test_an_outcome_tells_how_its_newest_turns_were_given(world: World) -> None:
    await begin(world)
    asked = await ask(world, CANARY, DATA)
    outcome = await line(world, DATA, asked.ts)

    body = await told(world, DATA, outcome.ts[0], asked.ts)
    lines = body.text.splitlines()
    assert len(lines) == 6
    assert lines[-1].startswith("12. ")
    assert all("had the floor because" in one for one in lines)
    assert body.small == "6 turns before these left out; `hivebot replay` shows all"
    assert body == await told(world, DATA, thread_ts=asked.ts)
    found = await episode(world)
    assert body == await why_episode(world.work, world.policies, found.id)


async def test_what_nobody_was_given_the_floor_for_has_no_reason(world: World) -> None:
    asked = await ask(world, "@hive how are refunds doing?")

    for body in (
        await told(world, PAYMENTS, asked.ts),
        await told(world, PAYMENTS, "1.1"),
        await told(world, PAYMENTS, thread_ts="1.1"),
        await told(world, DATA),
        await why_turn(world.work, world.policies, 4711),
        await why_episode(world.work, world.policies, 4711),
    ):
        assert body == Body(text=NOBODY)


async def test_a_far_answer_names_the_desk_that_asked_where_it_is_public(world: World) -> None:
    await ask(world, "@#platform what is known about deploys?")
    (turn,) = await turns_of(world, "referred")
    (answer,) = [one for one in await world.outbox(PLATFORM) if one.turn_id == turn.id]

    body = await told(world, PLATFORM, answer.ts[0])
    assert body.text.startswith("#payments put a question to #platform")


async def test_a_private_desk_keeps_its_name(world: World) -> None:
    await ask(world, "@#platform what is known about deploys?")
    (turn,) = await turns_of(world, "referred")
    (referral,) = await world.all_referrals()
    async with world.work.begin() as tx:
        place = await tx.conversations.get(referral.from_conversation_id)
        assert place is not None
        await tx.conversations.ensure(
            TEAM,
            place.channel_id,
            place.thread_ts,
            desk_id=place.desk_id,
            audience=Audience.PRIVATE,
            root_seq=place.root_seq,
        )

    body = await why_turn(world.work, world.policies, turn.id)
    assert body.text.startswith("A private desk put a question to #platform")
    assert "payments" not in body.text


async def test_a_row_that_was_removed_is_looked_past(world: World) -> None:
    asked = await ask(world, "@hive how are refunds doing?")
    newest = (await world.log(PAYMENTS, asked.ts))[-1]
    async with world.work.begin() as tx:
        await tx.messages.erase(newest.id, world.clock.now())

    assert await told(world, PAYMENTS, thread_ts=asked.ts) == Body(text=NOBODY)
