"""Is what is due found, once, however late somebody looks? Source: datapath.md 3 to 5."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from hivebot.services.ports import NewOutbox, Transaction, UnitOfWork
from hivebot.services.records.outgoing import Body, Destination, OutboxKind, OutboxState
from hivebot.services.records.rows import (
    OutboxRow,
    ReferralRow,
    ReferralState,
    TurnKind,
    TurnState,
)
from hivebot.services.upkeep import Swept, Upkeep
from tests.integration.services.world import (
    CONFIGURATION,
    DATA,
    PAYMENTS,
    PLATFORM,
    TEAM,
    World,
    said,
)

pytestmark = pytest.mark.integration

NOTHING = Swept(expired=0, episodes=0, nudged=0, revived=0, queues=0, purged=0)


async def crossed(world: World) -> str:
    """A question on its way to the platform desk, where nobody answers; the thread's ts."""
    question = said("@#platform why do calls to charge time out?")
    await world.hear(question)
    await world.work_off("route", "deliver")
    return question.ts


async def referral(world: World) -> ReferralRow:
    (found,) = await world.all_referrals()
    return found


async def status(world: World) -> OutboxRow:
    wanted = (await referral(world)).status_id
    return next(row for row in await world.outbox() if row.id == wanted)


async def test_where_nothing_is_due_nothing_is_done(world: World) -> None:
    await crossed(world)

    assert await world.upkeep.run() == NOTHING


async def test_after_two_minutes_the_thread_says_once_that_no_answer_has_come(
    world: World,
) -> None:
    thread_ts = await crossed(world)
    world.clock.advance(119)
    assert (await world.upkeep.run()).nudged == 0
    world.clock.advance(1)

    assert (await world.upkeep.run()).nudged == 1
    assert (await world.upkeep.run()).nudged == 0
    await world.work_off("deliver")

    (line,) = world.poster.texts(PAYMENTS, thread_ts)
    assert line.startswith("Asked #platform · no answer after 120 s; it is still waited for")
    assert (await referral(world)).state is ReferralState.ASKED


async def test_two_clocks_say_it_once(world: World) -> None:
    await crossed(world)
    world.clock.advance(120)

    swept = await asyncio.gather(*(world.upkeep.run() for _ in range(3)))

    assert sum(one.nudged for one in swept) == 1
    assert (await status(world)).revision == 2


class Overtaken:
    """A unit of work in which something else happens before the n-th transaction begins."""

    def __init__(self, work: UnitOfWork, number: int, event: Callable[[], Awaitable[None]]) -> None:
        self._work = work
        self._before = number
        self._event = event

    @asynccontextmanager
    async def begin(self) -> AsyncGenerator[Transaction]:
        self._before -= 1
        if self._before == 0:
            await self._event()
        async with self._work.begin() as tx:
            yield tx


async def test_an_answer_that_comes_while_the_clock_looks_is_not_talked_over(
    world: World,
) -> None:
    await crossed(world)
    world.clock.advance(120)
    overtaken = Overtaken(world.work, 2, world.work_off)

    swept = await Upkeep(overtaken, world.policies, world.clock).run()

    assert swept.nudged == 0
    assert (await referral(world)).state is ReferralState.ANSWERED
    assert (await status(world)).body.text == "#platform has answered"


async def test_a_question_without_a_line_is_nudged_quietly(world: World) -> None:
    await crossed(world)
    await world.rows("update referral set status_id = null returning id")
    world.clock.advance(120)

    assert (await world.upkeep.run()).nudged == 0

    assert (await referral(world)).nudged


async def test_after_ten_minutes_the_question_has_expired_and_its_sponsor_says_so(
    world: World,
) -> None:
    thread_ts = await crossed(world)
    world.clock.advance(600)

    swept = await world.upkeep.run()
    assert (swept.expired, (await world.upkeep.run()).expired) == (1, 0)
    assert (await referral(world)).state is ReferralState.EXPIRED
    (far, sponsor) = await world.all_turns()
    assert (far.kind, sponsor.kind) == (TurnKind.REFERRED, TurnKind.SPONSOR)
    assert sponsor.notes == ("#platform could not answer: no answer within 600 s.",)
    await world.work_off("route", "deliver")

    (line,) = world.poster.texts(PAYMENTS, thread_ts)
    assert line.startswith("#platform could not answer: no answer within 600 s")


async def test_two_clocks_expire_it_once(world: World) -> None:
    await crossed(world)
    world.clock.advance(600)

    swept = await asyncio.gather(*(world.upkeep.run() for _ in range(3)))

    assert sum(one.expired for one in swept) == 1
    assert len(await world.all_turns()) == 2


async def test_an_open_turn_nobody_has_touched_gets_one_new_job_at_a_time(world: World) -> None:
    await crossed(world)
    await world.rows("delete from procrastinate_jobs returning id")
    world.clock.advance(299)
    assert (await world.upkeep.run()).revived == 0
    world.clock.advance(2)

    assert (await world.upkeep.run()).revived == 1
    assert (await world.upkeep.run()).revived == 0
    assert [name for name, _ in await world.jobs() if name == "speak"] == ["speak"]
    await world.work_off("speak")

    (turn,) = [one for one in await world.all_turns() if one.kind is TurnKind.REFERRED]
    assert turn.state is TurnState.COMMITTED


async def test_a_turn_that_waits_for_a_steward_is_left_alone(world: World) -> None:
    await crossed(world)
    await world.rows("update turn set state = 'held' returning id")
    world.clock.advance(301)

    assert (await world.upkeep.run()).revived == 0


async def test_a_deliberation_past_its_deadline_takes_its_next_step(world: World) -> None:
    question = said("@hive the ingest is ready: #canary, #revert or #ship?", DATA, addressed=True)
    await world.hear(question)
    await world.work_off("route")
    world.clock.advance(180)

    assert (await world.upkeep.run()).episodes == 1

    log = max(row for (row,) in await world.rows("select log_id from episode"))
    assert ("route", {"conversation_id": log}) in await world.jobs()


async def test_a_queue_whose_job_was_lost_runs_again(world: World) -> None:
    async with world.work.begin() as tx:
        for channel_id in (PAYMENTS, PLATFORM):
            place = Destination(TEAM, channel_id)
            await tx.outbox.add(NewOutbox(OutboxKind.POST, place, Body(text="hi")))

    assert (await world.upkeep.run()).queues == 2
    await world.work_off()

    assert (world.poster.texts(PAYMENTS), world.poster.texts(PLATFORM)) == (["hi"], ["hi"])
    assert (await world.upkeep.run()).queues == 0


async def test_events_are_blanked_after_a_week_and_posts_after_the_time_configured(
    world: World,
) -> None:
    kept = replace(CONFIGURATION, retention=replace(CONFIGURATION.retention, outbox_days=30))
    world = World(world.engine, world.clock, kept)
    await world.hear(said("hello"))
    async with world.work.begin() as tx:
        place = Destination(TEAM, PAYMENTS)
        sent = await tx.outbox.add(NewOutbox(OutboxKind.POST, place, Body(text="hi")))
        await tx.outbox.settle(sent.id, 0, OutboxState.CANCELLED, "")
        waits = await tx.outbox.add(NewOutbox(OutboxKind.POST, place, Body(text="ho")))
    day = 86_400

    world.clock.advance(7 * day)
    assert (await world.upkeep.run()).purged == 0
    world.clock.advance(1)
    assert (await world.upkeep.run()).purged == 1
    world.clock.advance(23 * day)
    assert (await world.upkeep.run()).purged == 1
    assert (await world.upkeep.run()).purged == 0

    assert await world.rows("select payload from inbox_event") == [(None,)]
    bodies = {row.id: row.body.text for row in await world.outbox()}
    assert bodies == {sent.id: "", waits.id: "ho"}
