"""How does a question to another desk end when no answer came? Source: datapath.md 5."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.hive.crossing import Reach, ReachKind
from hivebot.services import lines
from hivebot.services.endings import end_unanswered
from hivebot.services.records.outgoing import Body
from hivebot.services.records.rows import ReferralRow, ReferralState, TurnKind, TurnState
from tests.integration.services.world import CONFIGURATION, PAYMENTS, TEAM, World, said

pytestmark = pytest.mark.integration


async def crossed(world: World, words: str = "@#platform why?") -> str:
    question = said(words)
    await world.hear(question)
    await world.work_off("route", "deliver")
    await world.rows("delete from procrastinate_jobs returning id")
    return question.ts


async def end(world: World, why: str = "it slept") -> bool:
    (referral,) = await world.all_referrals()
    async with world.work.begin() as tx:
        (asking,) = await tx.conversations.lock([referral.from_conversation_id])
        return await end_unanswered(
            tx, asking=asking, referral=referral, state=ReferralState.FAILED, why=why
        )


async def referral_of(world: World) -> ReferralRow:
    (referral,) = await world.all_referrals()
    return referral


async def line_of(world: World) -> Body:
    referral = await referral_of(world)
    return next(row.body for row in await world.outbox() if row.id == referral.status_id)


async def test_it_ends_in_one_line_and_one_waking(world: World) -> None:
    thread_ts = await crossed(world)

    assert await end(world)

    referral = await referral_of(world)
    assert (referral.state, referral.reason) == (ReferralState.FAILED, "it slept")
    assert await line_of(world) == lines.not_answered("platform", "it slept", referral.reference)
    (_, sponsor) = await world.all_turns()
    place = await world.place(PAYMENTS, thread_ts)
    assert (sponsor.kind, sponsor.state) == (TurnKind.SPONSOR, TurnState.WAITING)
    assert (sponsor.conversation_id, sponsor.agent_id, sponsor.hop) == (place.id, "pia", 2)
    assert sponsor.notes == ("#platform could not answer: it slept.",)
    assert await world.jobs() == [
        ("deliver", {"team_id": TEAM, "channel_id": PAYMENTS}),
        ("route", {"conversation_id": place.id}),
    ]


async def test_it_ends_once(world: World) -> None:
    await crossed(world)
    await end(world)

    assert not await end(world, "again")

    assert (await referral_of(world)).reason == "it slept"
    assert len(await world.all_turns()) == 2


async def test_without_a_line_its_sponsor_is_woken_all_the_same(world: World) -> None:
    thread_ts = await crossed(world)
    await world.rows("update referral set status_id = null returning id")

    assert await end(world)

    place = await world.place(PAYMENTS, thread_ts)
    assert await world.jobs() == [("route", {"conversation_id": place.id})]
    assert len(await world.all_turns()) == 2


async def test_a_deliberation_goes_on_without_a_sponsors_turn(world: World) -> None:
    await crossed(world)
    referral = await referral_of(world)
    async with world.work.begin() as tx:
        await tx.conversations.lock([referral.from_conversation_id])
        log = await tx.conversations.open_log(referral.from_conversation_id)
    await world.rows("update referral set from_conversation_id = :log returning id", log=log.id)

    assert await end(world)

    assert len(await world.all_turns()) == 1
    assert ("route", {"conversation_id": log.id}) in await world.jobs()


async def test_the_offer_to_ask_another_desk_outlives_the_end(world: World) -> None:
    anybody = Reach(ReachKind.ANY)
    desks = tuple(replace(desk, asks=anybody, answers=anybody) for desk in CONFIGURATION.desks)
    world = World(world.engine, world.clock, replace(CONFIGURATION, desks=desks))
    await crossed(world, "@#platform, @#data: why?")
    offered = await line_of(world)

    assert await end(world)

    ended = await line_of(world)
    assert ended.text == "#platform could not answer: it slept"
    assert ended.buttons == offered.buttons != ()
    assert ended.small == offered.small
