"""How long does work wait for its turn under one lock? Hop after hop, each deferred by the last.

The bot's own queue and worker, without what its jobs do. Source: datapath.md 3.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Final

from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from hivebot.adapters.db.engine import DatabaseUrl, create_engine
from hivebot.adapters.db.jobs import SessionJobs, SupervisedWorker, build_app, open_app
from hivebot.entrypoints.benches.timing import Times, times_of

CONVERSATION: Final = 1
TIMEOUT_S: Final = 120.0
MEDIAN_MAX_MS: Final = 10
WORST_MAX_MS: Final = 500


@dataclass
class Relay:
    """Handlers of which only `route` does anything: it notes the moment and defers the next.

    Attributes:
        engine: Where the next job is deferred, in a transaction of its own.
        hops: Hops until it is over.
        progress: Told of each.
    """

    engine: AsyncEngine
    hops: int
    progress: Callable[[int], None]
    moments: list[float] = field(default_factory=list[float])
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def route(self, conversation_id: int) -> None:
        """One hop."""
        self.moments.append(time.perf_counter())
        self.progress(1)
        if len(self.moments) > self.hops:
            self.over.set()
            return
        await self.begin(conversation_id)

    async def begin(self, conversation_id: int) -> None:
        """Defer a hop."""
        async with AsyncSession(self.engine) as session, session.begin():
            await SessionJobs(session).route(conversation_id)

    async def speak(self, turn_id: int) -> None:
        """Nothing is deferred for it."""
        raise AssertionError(turn_id)

    async def deliver(self, team_id: str, channel_id: str) -> datetime | None:
        """Nothing is deferred for it."""
        raise AssertionError(team_id, channel_id)

    async def open_gate(self, gate_id: int) -> None:
        """Nothing is deferred for it."""
        raise AssertionError(gate_id)

    async def settle_gate(self, gate_id: int) -> None:
        """Nothing is deferred for it."""
        raise AssertionError(gate_id)


async def measure(
    place: DatabaseUrl,
    hops: int,
    *,
    concurrency: int = 4,
    progress: Callable[[int], None] = lambda _done: None,
) -> Times:
    """Time hops under one lock, each from the one before it.

    Args:
        place: A migrated database.
        hops: How many; at most 100,000.
        concurrency: Jobs the worker may run at once.
        progress: Told of each hop.

    Raises:
        TimeoutError: They did not end within two minutes.
    """
    engine = create_engine(place)
    relay = Relay(engine, hops, progress)
    app = build_app(relay, place)
    try:
        async with open_app(app, place):
            worker = SupervisedWorker(app, concurrency=concurrency)
            task = asyncio.create_task(worker.run(), name="worker")
            try:
                await relay.begin(CONVERSATION)
                async with asyncio.timeout(TIMEOUT_S):
                    await relay.over.wait()
            finally:
                worker.stop()
                await task
    finally:
        await engine.dispose()
    return times_of([after - before for before, after in pairwise(relay.moments)])
