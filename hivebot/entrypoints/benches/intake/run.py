"""How many events does the bot take in, beside apps that do less? All in one run, on one database.

The bot's web process is the real one; so are Postgres and the local workspace it asks who it is.
Beside it run a plain Bolt app that commits one row for each event, and one that stores nothing.
They are driven one at a time. Source: datapath.md 1.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hivebot.adapters.config_files import load
from hivebot.adapters.db.engine import DatabaseUrl, create_engine
from hivebot.adapters.db.waiting import waiting
from hivebot.entrypoints.benches.intake import rival
from hivebot.entrypoints.benches.intake.driving import Driven, at_rate, flat_out
from hivebot.entrypoints.benches.intake.traffic import Request, requests
from hivebot.entrypoints.demo.stage import Stage, StageError, stage

OURS: Final = "hivebot"
STORING: Final = "one row each"
BARE: Final = "nothing stored"
WARM_UP: Final = 100
USER: Final = "U0ANA"
PACE: Final = 100.0
"""Events a second at which the bot must not be slow, whatever else is fast."""

START_TIMEOUT_S: Final = 20.0
_BESIDE: Final[tuple[tuple[str, rival.Kind], ...]] = ((STORING, "storing"), (BARE, "bare"))

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is sent.

    Attributes:
        events: In each series.
        rounds: Series at full speed to each app, in turn; the fastest counts.
        channels: Channels the events are spread over; the desks' own come first.
        concurrency: Connections at full speed.
        limit_s: After this a series at full speed begins no more requests.
    """

    events: int = 2000
    rounds: int = 3
    concurrency: int = 64
    channels: int = 24
    limit_s: float = 20.0

    @property
    def steps(self) -> int:
        """Requests there will be at most."""
        return 3 * (min(WARM_UP, self.events) + self.rounds * self.events) + 2 * self.events


@dataclass(frozen=True, slots=True)
class Report:
    """What came of it.

    Attributes:
        fastest: The fastest series of each app at full speed.
        half: The bot at half of the highest rate of the app that commits one row for each event.
        paced: The bot at a hundred events a second.
        stored: Transcript rows there are for what the bot acknowledged.
    """

    fastest: Mapping[str, Driven]
    half: Driven
    half_rate: float
    paced: Driven
    acknowledged: int
    stored: int

    @property
    def share(self) -> float:
        """The bot's highest rate as a share of the storing app's."""
        theirs = self.fastest[STORING].rate
        return self.fastest[OURS].rate / theirs if theirs else 0.0


async def measure(config: Path, plan: Plan, progress: Progress = lambda _done: None) -> Report:
    """Drive all three, and the bot at two given rates.

    Args:
        config: Configuration of the bot.
        plan: How much.
        progress: Told of each answer.

    Raises:
        ConfigError: the configuration cannot be used.
        StageError: a process did not get ready.
    """
    desks = [desk.channel for desk in load(config).configuration.desks]
    channels = [*desks, *(f"C0BENCH{number:03}" for number in range(plan.channels))]
    async with stage(config, processes=("serve",)) as running, AsyncExitStack() as stack:
        urls = {OURS: f"{running.bot_url}/slack/events"}
        for name, kind in _BESIDE:
            urls[name] = await stack.enter_async_context(_rival(kind, running))
        run = _Run(urls, plan, running, channels[: plan.channels], progress)
        await run.warm_up()
        fastest = await run.race()
        half_rate = max(1.0, fastest[STORING].rate / 2)
        half = await run.keep_up(half_rate)
        paced = await run.keep_up(PACE)
        return Report(fastest, half, half_rate, paced, run.acknowledged, await _rows(running))


@dataclass
class _Run:
    urls: Mapping[str, str]
    plan: Plan
    running: Stage
    channels: list[str]
    progress: Progress
    acknowledged: int = 0
    series: int = field(default=0)

    async def warm_up(self) -> None:
        for name in self.urls:
            await self._flat_out(name, min(WARM_UP, self.plan.events))

    async def race(self) -> dict[str, Driven]:
        """The fastest of several series of each app, taken in turn."""
        found: dict[str, Driven] = {}
        for _ in range(self.plan.rounds):
            for name in self.urls:
                driven = await self._flat_out(name, self.plan.events)
                if name not in found or driven.rate > found[name].rate:
                    found[name] = driven
        return found

    async def keep_up(self, per_second: float) -> Driven:
        """Send to the bot at a rate."""
        count = min(self.plan.events, max(1, int(per_second * self.plan.limit_s)))
        driven = await at_rate(
            self.urls[OURS], self._requests(count), per_second=per_second, progress=self.progress
        )
        self.acknowledged += driven.acknowledged
        return driven

    async def _flat_out(self, name: str, count: int) -> Driven:
        driven = await flat_out(
            self.urls[name],
            self._requests(count),
            concurrency=self.plan.concurrency,
            limit_s=self.plan.limit_s,
            progress=self.progress,
        )
        self.acknowledged += driven.acknowledged if name == OURS else 0
        return driven

    def _requests(self, count: int) -> list[Request]:
        self.series += 1
        return requests(
            count,
            secret=self.running.workspace.signing_secret,
            now=time.time(),
            series=f"S{self.series}n",
            channels=self.channels,
            user=USER,
        )


@asynccontextmanager
async def _rival(kind: rival.Kind, running: Stage) -> AsyncGenerator[str]:
    """One of the other apps as a process; gives where events are sent to."""
    environment = {
        **os.environ,
        "BENCH_RIVAL": kind,
        "BENCH_SECRET": running.workspace.signing_secret,
        "DATABASE_URL": running.database_url,
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        rival.__name__,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        if process.stdout is None:  # pragma: no cover - a pipe was asked for
            raise StageError("the app beside has no output")
        line = await asyncio.wait_for(process.stdout.readline(), START_TIMEOUT_S)
        if not line:
            raise StageError("the app beside did not start")
        yield line.decode().strip()
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _rows(running: Stage) -> int:
    engine = create_engine(DatabaseUrl.of(running.database_url))
    try:
        return (await waiting(engine)).rows
    finally:
        await engine.dispose()
