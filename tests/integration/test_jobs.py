"""Do jobs commit with their transaction, keep their order and survive their workers?

Source: datapath.md 3.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import procrastinate
import pytest
from procrastinate.jobs import Job, Status
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from hivebot.adapters.db.engine import DatabaseUrl, direct_connection
from hivebot.adapters.db.jobs import (
    SessionJobs,
    SupervisedWorker,
    build_app,
    open_app,
    remove_finished,
    rescue,
)
from hivebot.adapters.db.jobs.app import BACKOFF_MAX_S, Patience, backoff_s

pytestmark = pytest.mark.integration

WAIT_S = 20.0


async def nothing(*_: object) -> None:
    return


@dataclass
class Spy:
    """Handlers that note what they were called with and then do what the test wants."""

    calls: list[tuple[object, ...]] = field(default_factory=list[tuple[object, ...]])
    on_route: Callable[[int], Awaitable[None]] = nothing
    on_speak: Callable[[int], Awaitable[None]] = nothing
    on_deliver: Callable[[str, str], Awaitable[datetime | None]] = nothing
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def route(self, conversation_id: int) -> None:
        self._note("route", conversation_id)
        await self.on_route(conversation_id)

    async def speak(self, turn_id: int) -> None:
        self._note("speak", turn_id)
        await self.on_speak(turn_id)

    async def open_gate(self, gate_id: int) -> None:
        self._note("open_gate", gate_id)

    async def settle_gate(self, gate_id: int) -> None:
        self._note("settle_gate", gate_id)

    async def deliver(self, team_id: str, channel_id: str) -> datetime | None:
        self._note("deliver", team_id, channel_id)
        return await self.on_deliver(team_id, channel_id)

    def _note(self, *call: object) -> None:
        self.calls.append(call)
        self.changed.set()

    async def called(self, times: int) -> None:
        async with asyncio.timeout(WAIT_S):
            while len(self.calls) < times:
                self.changed.clear()
                await self.changed.wait()


@dataclass
class Queue:
    """A queue with its handlers, on the test's own database."""

    spy: Spy
    app: procrastinate.App
    engine: AsyncEngine
    place: DatabaseUrl

    @asynccontextmanager
    async def session(self) -> AsyncGenerator[SessionJobs]:
        async with AsyncSession(self.engine) as session, session.begin():
            yield SessionJobs(session)

    @asynccontextmanager
    async def worker(self, worker: SupervisedWorker | None = None) -> AsyncGenerator[None]:
        worker = worker or SupervisedWorker(self.app, concurrency=4)
        task = asyncio.create_task(worker.run())
        try:
            yield
        finally:
            worker.stop()
            await asyncio.wait_for(task, WAIT_S)

    async def jobs(self, status: str | None = None) -> list[Job]:
        return list(await self.app.job_manager.list_jobs_async(status=status))

    async def fetch(self) -> Job | None:
        """As a worker does that dies right afterwards."""
        worker_id = await self.app.job_manager.register_worker()
        return await self.app.job_manager.fetch_job(queues=None, worker_id=worker_id)

    async def run(self, statement: str) -> None:
        async with self.engine.begin() as connection:
            await connection.execute(text(statement))


@pytest.fixture
async def queue(engine: AsyncEngine, database_url: str) -> AsyncGenerator[Queue]:
    spy = Spy()
    place = DatabaseUrl.of(database_url)
    async with open_app(build_app(spy, place), place) as app:
        yield Queue(spy, app, engine, place)


async def eventually(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not await condition():  # noqa: ASYNC110 - the database raises no event
            await asyncio.sleep(0.02)


async def test_jobs_commit_with_their_transaction(queue: Queue) -> None:
    async with queue.session() as jobs:
        await jobs.route(1)
        await jobs.speak(7, 1)
        await jobs.deliver("T", "C")
        await jobs.open_gate(3, "payments")
        await jobs.settle_gate(3, "payments")
        assert await queue.jobs() == []
    kept = [
        (job.task_name, job.lock, job.queueing_lock, job.task_kwargs) for job in await queue.jobs()
    ]
    assert kept == [
        ("route", "conversation:1", None, {"conversation_id": 1}),
        ("speak", "conversation:1", None, {"turn_id": 7, "conversation_id": 1}),
        ("deliver", "channel:T:C", "channel:T:C", {"team_id": "T", "channel_id": "C"}),
        ("open_gate", "proxy:payments", None, {"gate_id": 3}),
        ("settle_gate", "proxy:payments", None, {"gate_id": 3}),
    ]


async def test_jobs_roll_back_with_their_transaction(queue: Queue) -> None:
    with suppress(LookupError):
        async with queue.session() as jobs:
            await jobs.route(1)
            await jobs.deliver("T", "C")
            raise LookupError
    assert await queue.jobs() == []


async def test_every_kind_of_job_reaches_its_handler(queue: Queue) -> None:
    async with queue.session() as jobs:
        await jobs.route(1)
        await jobs.speak(7, 2)
        await jobs.deliver("T", "C")
        await jobs.open_gate(3, "payments")
        await jobs.settle_gate(4, "platform")
    async with queue.worker():
        await queue.spy.called(5)
    assert sorted(queue.spy.calls, key=str) == [
        ("deliver", "T", "C"),
        ("open_gate", 3),
        ("route", 1),
        ("settle_gate", 4),
        ("speak", 7),
    ]


async def test_a_hundred_hops_under_one_lock_take_no_half_second_each(queue: Queue) -> None:
    moments: list[float] = []

    async def hop(conversation_id: int) -> None:
        moments.append(time.monotonic())
        async with queue.session() as jobs:
            await jobs.route(conversation_id)

    queue.spy.on_route = hop
    async with queue.session() as jobs:
        await jobs.route(1)
    async with queue.worker():
        async with asyncio.timeout(60):
            await queue.spy.called(101)
    hops = [later - earlier for earlier, later in pairwise(moments[:101])]
    assert len(hops) == 100
    assert max(hops) < 0.5


async def test_a_freed_lock_is_announced(queue: Queue) -> None:
    async with queue.session() as jobs:
        await jobs.route(1)
    async with direct_connection(queue.place) as listener:
        await listener.execute("listen procrastinate_any_queue_v1")
        job = await queue.fetch()
        assert job is not None
        await queue.app.job_manager.finish_job(job, Status.SUCCEEDED, delete_job=False)
        heard = [notice.payload async for notice in listener.notifies(timeout=5, stop_after=1)]
    assert heard == [f'{{"type" : "job_inserted", "job_id" : {job.id}}}']


async def test_jobs_of_one_lock_run_one_after_another(queue: Queue) -> None:
    running, most = 0, 0

    async def count(_: int) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        async with queue.engine.connect() as connection:
            await connection.execute(text("select pg_sleep(0.01)"))
        running -= 1

    queue.spy.on_route = count
    async with queue.session() as jobs:
        for _ in range(10):
            await jobs.route(1)
    async with queue.worker():
        await queue.spy.called(10)
    assert most == 1


async def test_what_is_nearly_done_goes_before_what_is_to_be_begun(queue: Queue) -> None:
    async with queue.session() as jobs:
        await jobs.route(1)
        await jobs.route_each([2, 3])
        await jobs.speak(7, 4)
        await jobs.settle_gate(1, "payments")
        await jobs.open_gate(2, "data")
        await jobs.deliver("T0HIVE", "C0OPS")
    async with queue.worker(SupervisedWorker(queue.app, concurrency=1)):
        await queue.spy.called(7)
    called = [call[0] for call in queue.spy.calls]
    assert called == ["settle_gate", "open_gate", "deliver", "speak", "route", "route", "route"]


async def test_one_delivery_waits_however_often_it_is_asked_for(queue: Queue) -> None:
    async with queue.session() as jobs:
        await jobs.deliver("T", "C")
        await jobs.deliver("T", "C")
        await jobs.deliver("T", "D")
    async with queue.session() as jobs:
        await jobs.deliver("T", "C")
        await jobs.route(1)
    assert [job.lock for job in await queue.jobs()] == [
        "channel:T:C",
        "channel:T:D",
        "conversation:1",
    ]


async def test_a_waiting_delivery_does_not_start_before_who_relies_on_it_has_committed(
    queue: Queue,
) -> None:
    async with queue.session() as jobs:
        await jobs.deliver("T", "C")
    async with queue.session() as jobs:
        await jobs.deliver("T", "C")
        assert await queue.fetch() is None
    job = await queue.fetch()
    assert job is not None
    assert job.task_name == "deliver"


async def test_a_delivery_that_has_started_gets_a_successor(queue: Queue) -> None:
    async with queue.session() as jobs:
        await jobs.deliver("T", "C")
    started = await queue.fetch()
    async with queue.session() as jobs:
        await jobs.deliver("T", "C")
    (waiting,) = await queue.jobs(status="todo")
    assert started is not None
    assert waiting.id != started.id


async def test_a_delivery_that_starts_while_another_is_asked_for_gets_a_successor(
    queue: Queue,
) -> None:
    async with queue.session() as jobs:
        await jobs.deliver("T", "C")
    async with queue.engine.begin() as other:
        await other.execute(text("select id from procrastinate_jobs for update"))
        async with asyncio.TaskGroup() as group:
            group.create_task(deliver_once(queue))
            await eventually(lambda: is_blocked(queue))
            await other.execute(text("update procrastinate_jobs set status = 'doing'"))
            await other.commit()
    assert [job.status for job in await queue.jobs()] == ["doing", "todo"]


async def deliver_once(queue: Queue) -> None:
    async with queue.session() as jobs:
        await jobs.deliver("T", "C")


async def is_blocked(queue: Queue) -> bool:
    async with queue.engine.connect() as connection:
        waiting = await connection.execute(text("select count(*) from pg_locks where not granted"))
        return bool(waiting.scalar_one())


async def test_a_delivery_for_later_is_brought_forward_and_never_put_off(queue: Queue) -> None:
    at = datetime(2030, 1, 1, tzinfo=UTC)
    async with queue.session() as jobs:
        await jobs.deliver("T", "C", at)
        await jobs.deliver("T", "C", at + timedelta(hours=1))
    (job,) = await queue.jobs()
    assert job.scheduled_at == at
    async with queue.session() as jobs:
        await jobs.deliver("T", "C", at - timedelta(hours=1))
    (job,) = await queue.jobs()
    assert job.scheduled_at == at - timedelta(hours=1)
    async with queue.session() as jobs:
        await jobs.deliver("T", "C")
        await jobs.deliver("T", "C", at)
    (job,) = await queue.jobs()
    assert job.scheduled_at is None


async def test_a_delivery_that_must_wait_is_deferred_for_that_moment(queue: Queue) -> None:
    moment = datetime(2030, 1, 1, tzinfo=UTC)

    async def later(_team: str, _channel: str) -> datetime | None:
        return moment

    queue.spy.on_deliver = later
    async with queue.session() as jobs:
        await jobs.deliver("T", "C")
    async with queue.worker():
        await queue.spy.called(1)
        await eventually(lambda: has(queue, succeeded=1, todo=1))
    (waiting,) = await queue.jobs(status="todo")
    assert (waiting.scheduled_at, waiting.lock) == (moment, "channel:T:C")


async def has(queue: Queue, **wanted: int) -> bool:
    found = [job.status for job in await queue.jobs()]
    return all(found.count(status) == count for status, count in wanted.items())


async def test_a_failed_delivery_leaves_a_successor_that_waits_longer_each_time(
    queue: Queue,
) -> None:
    async def fail(_team: str, _channel: str) -> datetime | None:
        raise LookupError("planted")

    queue.spy.on_deliver = fail
    async with queue.session() as jobs:
        await jobs.deliver("T", "C")
    async with queue.worker():
        await queue.spy.called(1)
        await eventually(lambda: has(queue, failed=1, todo=1))
        await queue.run("update procrastinate_jobs set scheduled_at = null where status = 'todo'")
        await queue.spy.called(2)
        await eventually(lambda: has(queue, failed=2, todo=1))
    (waiting,) = await queue.jobs(status="todo")
    assert waiting.task_kwargs["failures"] == 2
    assert waiting.scheduled_at is not None


async def test_a_failed_delivery_leaves_the_work_to_one_that_already_waits(queue: Queue) -> None:
    async def fail_beside_another(_team: str, _channel: str) -> datetime | None:
        if len(queue.spy.calls) == 1:
            async with queue.session() as jobs:
                await jobs.deliver("T", "C")
            raise LookupError("planted")
        return None

    queue.spy.on_deliver = fail_beside_another
    async with queue.session() as jobs:
        await jobs.deliver("T", "C")
    async with queue.worker():
        await queue.spy.called(2)
        await eventually(lambda: has(queue, failed=1, succeeded=1, todo=0))


async def test_a_failed_job_is_tried_again(queue: Queue) -> None:
    async def fail_once(_: int) -> None:
        if len(queue.spy.calls) == 1:
            raise LookupError("planted")

    queue.spy.on_speak = fail_once
    async with queue.session() as jobs:
        await jobs.speak(7, 1)
    async with queue.worker():
        await queue.spy.called(1)
        await eventually(lambda: has(queue, todo=1))
        await queue.run("update procrastinate_jobs set scheduled_at = null")
        await queue.spy.called(2)
        await eventually(lambda: has(queue, succeeded=1))


def test_each_failure_doubles_the_wait_up_to_a_minute() -> None:
    assert [backoff_s(failures) for failures in (0, 1, 2, 5, 6, 7, 1000)] == [
        *(1, 2, 4, 32),
        *(BACKOFF_MAX_S, BACKOFF_MAX_S, BACKOFF_MAX_S),
    ]


def test_a_shutdown_is_no_failure() -> None:
    job = Job(queue="speak", lock=None, queueing_lock=None, task_name="speak", attempts=5)
    now = datetime.now(UTC)
    shutdown = Patience().get_retry_decision(exception=asyncio.CancelledError(), job=job)
    failure = Patience().get_retry_decision(exception=LookupError(), job=job)
    assert shutdown.retry_at is not None
    assert failure.retry_at is not None
    assert shutdown.retry_at - now < timedelta(seconds=5)
    assert failure.retry_at - now > timedelta(seconds=30)


@pytest.mark.parametrize("name", ["speak", "deliver"])
async def test_a_job_running_at_shutdown_is_there_for_the_next_worker(
    queue: Queue, name: str
) -> None:
    async def for_ever(*_: object) -> None:
        await asyncio.Event().wait()

    queue.spy.on_speak = queue.spy.on_deliver = for_ever
    async with queue.session() as jobs:
        if name == "speak":
            await jobs.speak(7, 1)
        else:
            await jobs.deliver("T", "C")
    async with queue.worker(SupervisedWorker(queue.app, grace_s=0.1)):
        await queue.spy.called(1)
    (waiting,) = await queue.jobs(status="todo")
    assert waiting.task_name == name
    assert waiting.scheduled_at is None or waiting.scheduled_at <= datetime.now(UTC)


async def test_a_worker_takes_only_from_the_queues_it_is_given(queue: Queue) -> None:
    async with queue.session() as jobs:
        await jobs.speak(7, 1)
        await jobs.route(2)
    async with queue.worker(SupervisedWorker(queue.app, queues=["route"])):
        await queue.spy.called(1)
    assert queue.spy.calls == [("route", 2)]


async def at_least(count: int, causes: list[BaseException | None]) -> bool:
    return len(causes) >= count


async def test_a_pruned_worker_starts_again(queue: Queue) -> None:
    causes: list[BaseException | None] = []
    worker = SupervisedWorker(queue.app, restarted=causes.append, restart_max_s=0.1)
    async with queue.worker(worker):
        await eventually(lambda: registered(queue))
        await queue.run("delete from procrastinate_workers")
        async with queue.session() as jobs:
            await jobs.route(1)
        await queue.spy.called(1)
        assert worker.ready
    assert len(causes) == 1
    assert not worker.ready


async def registered(queue: Queue) -> bool:
    async with queue.engine.connect() as connection:
        found = await connection.execute(text("select count(*) from procrastinate_workers"))
        return bool(found.scalar_one())


async def test_a_worker_is_not_ready_while_the_database_is_away_and_finds_it_again(
    queue: Queue,
) -> None:
    causes: list[BaseException | None] = []
    worker = SupervisedWorker(queue.app, restarted=causes.append, restart_max_s=0.1)
    await queue.run("alter table procrastinate_workers rename to hidden")
    async with queue.worker(worker):
        await eventually(lambda: at_least(1, causes))
        assert not worker.ready
        await queue.run("alter table hidden rename to procrastinate_workers")
        async with queue.session() as jobs:
            await jobs.route(1)
        await queue.spy.called(1)
        assert worker.ready


async def test_a_worker_that_reaches_no_database_waits_and_stops_when_told() -> None:
    place = DatabaseUrl.of("postgresql://nobody@127.0.0.1:1/none")
    causes: list[BaseException | None] = []
    app = build_app(Spy(), place)
    async with open_app(app, place, timeout_s=0.1) as opened:
        worker = SupervisedWorker(opened, restarted=causes.append, restart_max_s=0.05)
        task = asyncio.create_task(worker.run())
        await eventually(lambda: at_least(2, causes))
        worker.stop()
        await asyncio.wait_for(task, WAIT_S)
    assert not worker.ready
    assert all(cause is not None for cause in causes)


async def test_a_worker_rescues_what_a_dead_one_left(queue: Queue) -> None:
    async with queue.session() as jobs:
        await jobs.route(1)
    assert await queue.fetch() is not None
    await queue.run("delete from procrastinate_workers")
    async with queue.worker():
        await queue.spy.called(1)
    assert queue.spy.calls == [("route", 1)]


async def test_a_rescued_job_keeps_its_place_before_later_ones_of_its_lock(queue: Queue) -> None:
    async with queue.session() as jobs:
        await jobs.route(1)
        await jobs.speak(7, 1)
    first = await queue.fetch()
    await queue.run("update procrastinate_workers set last_heartbeat = now() - interval '1 hour'")
    assert await rescue(queue.app) == 1
    again = await queue.fetch()
    assert first is not None
    assert again is not None
    assert again.id == first.id


async def test_a_job_of_a_living_worker_is_not_rescued(queue: Queue) -> None:
    async with queue.session() as jobs:
        await jobs.route(1)
    await queue.fetch()
    assert await rescue(queue.app) == 0
    assert await has(queue, doing=1)


async def test_two_rescues_at_once_put_a_job_back_once(queue: Queue) -> None:
    async with queue.session() as jobs:
        await jobs.route(1)
    job = await queue.fetch()
    assert job is not None
    await queue.run("delete from procrastinate_workers")
    await asyncio.gather(*(rescue(queue.app) for _ in range(4)))
    (kept,) = await queue.jobs()
    assert (kept.status, kept.attempts) == ("todo", 1)


async def test_a_dead_delivery_is_ended_when_another_waits(queue: Queue) -> None:
    async with queue.session() as jobs:
        await jobs.deliver("T", "C")
    await queue.fetch()
    async with queue.session() as jobs:
        await jobs.deliver("T", "C")
    await queue.run("delete from procrastinate_workers")
    assert await rescue(queue.app) == 1
    assert [job.status for job in await queue.jobs()] == ["aborted", "todo"]


async def test_jobs_that_ended_long_ago_are_removed(queue: Queue) -> None:
    async with queue.session() as jobs:
        await jobs.route(1)
        await jobs.route(2)
    job = await queue.fetch()
    assert job is not None
    await queue.app.job_manager.finish_job(job, Status.FAILED, delete_job=False)
    await remove_finished(queue.app)
    assert len(await queue.jobs()) == 2
    await queue.run("update procrastinate_events set at = at - interval '25 hours'")
    await remove_finished(queue.app)
    (left,) = await queue.jobs()
    assert left.task_kwargs == {"conversation_id": 2}
