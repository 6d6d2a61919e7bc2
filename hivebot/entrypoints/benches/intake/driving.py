"""How does an app bear what is sent to it? As fast as it can take it, or at a given rate."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import aiohttp

from hivebot.entrypoints.benches.intake.traffic import Request
from hivebot.entrypoints.benches.timing import Times, times_of

Progress = Callable[[int], None]
"""Told how many more requests are done."""

ANSWER_TIMEOUT_S = 10.0
"""A request that takes longer counts as not acknowledged."""

OPEN_MAX = 256
"""Requests on their way at once when a rate is kept; more would be another machine's limit."""


@dataclass(frozen=True, slots=True)
class Driven:
    """What came of a series of requests.

    Attributes:
        sent: Requests that were sent.
        acknowledged: Those answered with 200.
        elapsed_s: From the first request to the last answer.
        times: Of those acknowledged; where a rate was kept, from the moment each was due.
    """

    sent: int
    acknowledged: int
    elapsed_s: float
    times: Times

    @property
    def rate(self) -> float:
        """Acknowledged requests a second."""
        return self.acknowledged / self.elapsed_s if self.elapsed_s else 0.0

    @property
    def whole(self) -> bool:
        """Whether every request was acknowledged."""
        return self.acknowledged == self.sent


async def flat_out(
    url: str,
    requests: Sequence[Request],
    *,
    concurrency: int,
    limit_s: float,
    progress: Progress = lambda _done: None,
) -> Driven:
    """Send the next request as soon as one is answered, on so many connections.

    Args:
        url: Where to.
        requests: Each is sent at most once.
        concurrency: Connections.
        limit_s: No request is begun after so many seconds.
        progress: Told of each answer.
    """
    waiting = deque(requests)
    took: list[float] = []
    sent = 0
    began = time.perf_counter()

    async def keep_sending(session: aiohttp.ClientSession) -> None:
        nonlocal sent
        while waiting and time.perf_counter() - began < limit_s:
            request = waiting.popleft()
            sent += 1
            at = time.perf_counter()
            if await _acknowledged(session, url, request):
                took.append(time.perf_counter() - at)
            progress(1)

    async with _session(concurrency) as session:
        await asyncio.gather(*(keep_sending(session) for _ in range(concurrency)))
    return Driven(sent, len(took), time.perf_counter() - began, times_of(took))


async def at_rate(
    url: str,
    requests: Sequence[Request],
    *,
    per_second: float,
    progress: Progress = lambda _done: None,
) -> Driven:
    """Send requests at even distances, whether or not the earlier ones are answered.

    Each is timed from the moment it was due, so that an app that stalls is not spared.
    """
    took: list[float] = []
    began = time.perf_counter()

    async def send(session: aiohttp.ClientSession, request: Request, due: float) -> None:
        if await _acknowledged(session, url, request):
            took.append(time.perf_counter() - due)
        progress(1)

    async with _session(OPEN_MAX) as session, asyncio.TaskGroup() as group:
        for number, request in enumerate(requests):
            due = began + number / per_second
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            group.create_task(send(session, request, due))
    return Driven(len(requests), len(took), time.perf_counter() - began, times_of(took))


def _session(connections: int) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        trust_env=False,
        connector=aiohttp.TCPConnector(limit=connections),
        timeout=aiohttp.ClientTimeout(total=ANSWER_TIMEOUT_S),
    )


async def _acknowledged(session: aiohttp.ClientSession, url: str, request: Request) -> bool:
    try:
        async with session.post(url, data=request.body, headers=request.headers) as response:
            await response.read()
            return response.status == 200
    except (aiohttp.ClientError, TimeoutError):
        return False
