"""What of a job that its worker holds and does not run? It is put back. Source: datapath.md 3.

The database goes away while a job is handed out, or while its end is noted: the worker goes on, its
heartbeat too, and the job would be held for ever, with the lock of its conversation or channel.
"""

from __future__ import annotations

import asyncio

import pytest
from procrastinate.jobs import Job

from hivebot.adapters.db.jobs import SupervisedWorker, rescue_own
from tests.integration.test_jobs import WAIT_S, Queue, eventually, queue

__all__ = ["queue"]

pytestmark = pytest.mark.integration

# As when the database goes away at the moment in which an end is noted.
_FUNCTION = (
    "create function refuse() returns trigger language plpgsql as $$ begin"
    " raise exception 'planted' using errcode = '57P01'; end $$"
)
_TRIGGER = (
    "create trigger refuse before update of status on procrastinate_jobs"
    " for each row when (new.status = 'succeeded') execute function refuse()"
)


async def held(queue: Queue) -> Job:
    """A job that a living worker was handed."""
    async with queue.session() as jobs:
        await jobs.route(1)
    job = await queue.fetch()
    assert job is not None
    assert job.id is not None
    return job


async def test_what_is_held_and_not_run_is_put_back_when_it_is_found_twice(queue: Queue) -> None:
    job = await held(queue)
    assert job.id is not None
    assert job.worker_id is not None

    suspected = await rescue_own(queue.app, job.worker_id, (), ())
    assert (suspected, len(await queue.jobs("doing"))) == ({job.id}, 1)
    assert await rescue_own(queue.app, job.worker_id, (), suspected) == frozenset()

    assert [one.id for one in await queue.jobs("todo")] == [job.id]


async def test_what_runs_or_is_anothers_is_left_alone(queue: Queue) -> None:
    job = await held(queue)
    assert job.id is not None
    assert job.worker_id is not None

    suspected = {job.id}
    assert await rescue_own(queue.app, job.worker_id, {job.id}, suspected) == frozenset()
    assert await rescue_own(queue.app, job.worker_id + 1, (), suspected) == frozenset()

    assert len(await queue.jobs("doing")) == 1


async def test_a_job_whose_end_could_not_be_noted_does_not_hold_its_lock_for_ever(
    queue: Queue,
) -> None:
    await queue.run(_FUNCTION)
    await queue.run(_TRIGGER)
    async with queue.session() as jobs:
        await jobs.route(1)
        await jobs.route(2)
    worker = SupervisedWorker(queue.app, concurrency=4, rescue_every_s=0.2)
    async with queue.worker(worker):
        await queue.spy.called(2)
        await queue.run("drop trigger refuse on procrastinate_jobs")

        async def done() -> bool:
            return len(await queue.jobs("succeeded")) == 2

        async with asyncio.timeout(WAIT_S):
            await eventually(done)
    assert sorted(queue.spy.calls[:2]) == [("route", 1), ("route", 2)]
    assert len(queue.spy.calls) >= 3
