"""How are many messages stored that come at the same time? Together, in one transaction.

While transactions run, what comes meanwhile waits for the next. Each message is acknowledged only
after the commit that holds it. Source: datapath.md 1 and 2.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Final

from hivebot.services.ports import NewArrival, PortError, UnitOfWork

MOST: Final = 64
"""Messages in one transaction."""

AT_ONCE: Final = 2
"""Transactions: while one is written to disk the next is filled."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    new: NewArrival
    stored: asyncio.Future[bool]


class Gathering:
    """Stores plain messages, few at a time when few come and many when many do."""

    def __init__(self, work: UnitOfWork) -> None:
        self._work = work
        self._waiting: deque[_Waiting] = deque()
        self._running: set[asyncio.Task[None]] = set()

    async def take(self, new: NewArrival) -> bool:
        """Store a message with others; False where it has to be taken by itself.

        That is so where something is known of it already, and where the common transaction failed:
        then nothing of it was written.
        """
        one = _Waiting(new, asyncio.get_running_loop().create_future())
        self._waiting.append(one)
        if len(self._running) < AT_ONCE:
            running = asyncio.create_task(self._run(), name="gathering")
            self._running.add(running)
            running.add_done_callback(self._running.discard)
        return await one.stored

    async def _run(self) -> None:
        while self._waiting:
            count = min(MOST, len(self._waiting))
            await self._together([self._waiting.popleft() for _ in range(count)])

    async def _together(self, batch: list[_Waiting]) -> None:
        stored: tuple[int | None, ...] = ()
        try:
            async with self._work.begin() as tx:
                places = await tx.inbox.take([one.new for one in batch])
                await tx.jobs.route_each(sorted({place for place in places if place is not None}))
            stored = places
        except PortError:
            return  # each tries by itself, and is told what is wrong
        finally:
            for number, one in enumerate(batch):
                if not one.stored.done():
                    one.stored.set_result(bool(stored) and stored[number] is not None)
