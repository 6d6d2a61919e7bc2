"""Which jobs exist, under which locks do they run, and when are they tried again?

`route`    lock `conversation:<id>`          decides
`speak`    lock `conversation:<id>`          runs one turn's model call
`deliver`  lock `channel:<team>:<channel>`   sends a channel's queue; at most one waits
`open_gate`, `settle_gate`  lock `proxy:<desk>`  show a gate, carry out what was decided

Source: datapath.md, "Jobs and workers".
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import procrastinate
from procrastinate.exceptions import AlreadyEnqueued, JobAborted
from procrastinate.jobs import Job
from procrastinate.retry import BaseRetryStrategy, RetryDecision
from procrastinate.tasks import configure_task
from psycopg_pool import AsyncConnectionPool

from hivebot.adapters.db.engine import CONNECT_TIMEOUT_S, DatabaseUrl, libpq_url

ROUTE = "route"
SPEAK = "speak"
DELIVER = "deliver"
OPEN_GATE = "open_gate"
SETTLE_GATE = "settle_gate"
FIRST: Mapping[str, int] = {DELIVER: 2, OPEN_GATE: 2, SETTLE_GATE: 2, SPEAK: 1}
"""What is nearly done goes first, so that answers come in order of their questions when many wait.

Whatever is not named here is begun when nothing else waits; no more of it than was asked follows.
"""

BACKOFF_MAX_S = 64
POOL_MAX = 8
POOL_TIMEOUT_S = 10.0
# What the queue notes for itself (taken, ended) may be lost with the machine: then the job is there
# again, as after a rescue, and the row it is about says what was done. A crash loses the newest
# commits only, never one that something kept was built on. Use cases write on connections of their
# own, which do wait.
_NOT_WAITING_FOR_THE_DISK = "-c synchronous_commit=off"


class Handlers(Protocol):
    """What the jobs do. One use case each; they count their attempts on their own rows."""

    async def route(self, conversation_id: int) -> None:
        """Decide in this conversation."""
        ...

    async def speak(self, turn_id: int) -> None:
        """Run a turn's model call."""
        ...

    async def deliver(self, team_id: str, channel_id: str) -> datetime | None:
        """Send the channel's queue; when to look again, None when nothing waits for a moment."""
        ...

    async def open_gate(self, gate_id: int) -> None:
        """Show a gate to its stewards."""
        ...

    async def settle_gate(self, gate_id: int) -> None:
        """Carry out what was decided at a gate."""
        ...


def proxy_lock(desk_id: str) -> str:
    """Lock of everything that happens at one desk's gates."""
    return f"proxy:{desk_id}"


def conversation_lock(conversation_id: int) -> str:
    """Lock of everything that decides or speaks in one conversation."""
    return f"conversation:{conversation_id}"


def channel_lock(team_id: str, channel_id: str) -> str:
    """Lock, and queueing lock, of everything that posts into one channel."""
    return f"channel:{team_id}:{channel_id}"


def backoff_s(failures: int) -> int:
    """Seconds until the next try after this many failures: 1, 2, 4 … 64."""
    return min(2 ** min(failures, 16), BACKOFF_MAX_S)


class Patience(BaseRetryStrategy):
    """Try again for ever, ever more slowly; the job's own row says when it is enough.

    A shutdown is no failure: the job is put back at once.
    """

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision:
        """When to try again."""
        if isinstance(exception, asyncio.CancelledError | JobAborted):
            return RetryDecision(retry_in={"seconds": 0})
        return RetryDecision(retry_in={"seconds": backoff_s(job.attempts)})


def build_app(handlers: Handlers, place: DatabaseUrl) -> procrastinate.App:
    """The queue with its tasks; `open_app` opens it."""
    app = procrastinate.App(
        connector=procrastinate.PsycopgConnector(conninfo=libpq_url(place.direct_url))
    )

    async def route(conversation_id: int) -> None:
        await handlers.route(conversation_id)

    async def speak(turn_id: int, conversation_id: int) -> None:
        del conversation_id  # part of the lock, and of what an operator reads in the queue
        await handlers.speak(turn_id)

    async def deliver(team_id: str, channel_id: str, failures: int = 0) -> None:
        # A task with a queueing lock must not be retried: putting it back breaks the lock when
        # another waits. So it defers its own successor, whatever became of this run.
        again = _Again(failures=failures + 1, wait_s=backoff_s(failures))
        try:
            moment = await handlers.deliver(team_id, channel_id)
            again = _Again(at=moment) if moment else None
        except asyncio.CancelledError:
            again = _Again()
            raise
        finally:
            if again is not None:
                await _defer_once(app, again, team_id, channel_id)

    async def open_gate(gate_id: int) -> None:
        await handlers.open_gate(gate_id)

    async def settle_gate(gate_id: int) -> None:
        await handlers.settle_gate(gate_id)

    app.task(name=OPEN_GATE, queue=OPEN_GATE, retry=Patience())(open_gate)
    app.task(name=SETTLE_GATE, queue=SETTLE_GATE, retry=Patience())(settle_gate)
    app.task(name=ROUTE, queue=ROUTE, retry=Patience())(route)
    app.task(name=SPEAK, queue=SPEAK, retry=Patience())(speak)
    app.task(name=DELIVER, queue=DELIVER)(deliver)
    return app


@dataclass(frozen=True, slots=True)
class _Again:
    """When a channel's queue is looked at again; now, unless it says otherwise."""

    at: datetime | None = None
    wait_s: int = 0
    failures: int = 0


async def _defer_once(app: procrastinate.App, again: _Again, team_id: str, channel_id: str) -> None:
    lock = channel_lock(team_id, channel_id)
    successor = configure_task(
        name=DELIVER,
        job_manager=app.job_manager,
        queue=DELIVER,
        lock=lock,
        queueing_lock=lock,
        priority=FIRST[DELIVER],
        schedule_at=again.at,
        schedule_in=None if again.at else {"seconds": again.wait_s},
    )
    try:
        await successor.defer_async(team_id=team_id, channel_id=channel_id, failures=again.failures)
    except AlreadyEnqueued:
        return  # the one that waits will see the same rows


@asynccontextmanager
async def open_app(
    app: procrastinate.App, place: DatabaseUrl, *, timeout_s: float = POOL_TIMEOUT_S
) -> AsyncGenerator[procrastinate.App]:
    """The queue with a pool that need not reach the database yet and finds it again by itself."""
    pool = AsyncConnectionPool(
        libpq_url(place.direct_url),
        min_size=1,
        max_size=POOL_MAX,
        timeout=timeout_s,
        kwargs={
            "application_name": "hivebot queue",
            "connect_timeout": CONNECT_TIMEOUT_S,
            "options": _NOT_WAITING_FOR_THE_DISK,
        },
        check=AsyncConnectionPool.check_connection,
        open=False,
    )
    await pool.open(wait=False)
    try:
        await app.open_async(pool)
        yield app
    finally:
        await pool.close()
