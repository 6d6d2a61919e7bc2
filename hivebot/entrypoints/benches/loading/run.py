"""How long do people wait, is anything lost, and does memory grow?

Everything real but the model, a server here that takes as long as it is told. Slack's limits
hold: a post a second in a channel, a burst of five, a 429 that says how long to wait. Source:
slack.md 5, datapath.md 4.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, cast

import psutil
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.db.engine import DatabaseUrl, create_engine
from hivebot.adapters.db.waiting import waiting
from hivebot.entrypoints.benches.loading.plan import ASKERS, MODEL_TAKES_S, Plan, configuration
from hivebot.entrypoints.benches.slow_model import slow_model
from hivebot.entrypoints.benches.timing import Times, times_of
from hivebot.entrypoints.demo.stage import Stage, stage
from hivebot.sandbox.client import SandboxClient
from hivebot.sandbox.errors import WaitError
from hivebot.sandbox.shapes import as_text

SETTLE_TIMEOUT_S: Final = 300.0
LOOK_AGAIN_S: Final = 0.5
SETTLED_SHARE: Final = 0.4
"""How far the run has come when memory is looked at first: minute two of five."""

Progress = Callable[[int], None]

_DISORDER = text(
    """
    select count(*) from (
        select ts[1] as mine, lag(ts[1]) over (partition by channel_id order by id) as before
        from outbox where kind = 'post' and cardinality(ts) > 0
    ) as posts where mine < before
    """
)


class _Child(Protocol):
    def cmdline(self) -> list[str]: ...
    def environ(self) -> dict[str, str]: ...
    def memory_info(self) -> _Memory: ...


class _Memory(Protocol):
    @property
    def rss(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Grown:
    """Resident memory of one process, in MB, early in the run and at its end."""

    early: float
    late: float

    @property
    def percent(self) -> float:
        """By how much it grew."""
        return 100 * (self.late / self.early - 1) if self.early else 0.0


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a run.

    Attributes:
        answered: Questions with exactly one answer.
        waits: From the question to its answer, as Slack has stamped both.
        drained_s: From the last question until nothing was left to do.
        disorder: Answers that stand before one that was to be posted earlier in their channel.
        limited: Posts that Slack told to wait.
        memory: By process.
    """

    plan: Plan
    asked_s: float
    answered: int
    waits: Times
    drained_s: float
    disorder: int
    limited: int
    memory: Mapping[str, Grown]


async def run(plan: Plan, progress: Progress = lambda _done: None) -> Report:
    """Carry a plan out.

    Raises:
        StageError: a process did not get ready.
        TimeoutError: something was still left long after the last question.
    """
    with tempfile.TemporaryDirectory(prefix="hivebot-load-") as folder:
        async with slow_model(MODEL_TAKES_S) as model_url:
            config = Path(folder) / "hivebot.yaml"
            config.write_text(configuration(plan, model_url), encoding="utf-8")
            switches = {"workspace_posts_per_minute": plan.posts_per_minute}
            async with stage(
                config, processes=plan.processes, sandbox_settings=switches
            ) as running:
                engine = create_engine(DatabaseUrl.of(running.database_url))
                try:
                    return await _loaded(plan, running, engine, progress)
                finally:
                    await engine.dispose()


async def _loaded(plan: Plan, running: Stage, engine: AsyncEngine, progress: Progress) -> Report:
    people = running.people
    for place in plan.places:
        await people.create_channel(place, place.lower(), ["U0BOT", *ASKERS])
    began = time.monotonic()
    asked, early = await _ask(plan, running, progress)
    last = time.monotonic()
    await _settle(people, engine)
    drained = time.monotonic()
    late = resident(running)
    waits = [await _waited(people, channel, ts) for channel, ts in asked]
    limited = await people.calls("chat.postMessage", error="ratelimited")
    async with engine.connect() as connection:
        disorder = (await connection.execute(_DISORDER)).scalar_one()
    return Report(
        plan=plan,
        asked_s=last - began,
        answered=sum(one is not None for one in waits),
        waits=times_of([one for one in waits if one is not None]),
        drained_s=drained - last,
        disorder=int(disorder),
        limited=len(limited),
        memory={name: Grown(early[name], late.get(name, 0.0)) for name in early},
    )


async def _ask(
    plan: Plan, running: Stage, progress: Progress
) -> tuple[list[tuple[str, str]], dict[str, float]]:
    """Ask at even distances, whether or not anything is answered; and look at memory once."""
    asked: list[tuple[str, str]] = []
    early: dict[str, float] = {}
    began = time.monotonic()

    async def one(number: int) -> None:
        channel = plan.places[number % plan.channels]
        words = f"<@U0BOT> number {number}: how long does a refund take?"
        asker = ASKERS[number % len(ASKERS)]
        asked.append((channel, await running.people.say(asker, channel, words, raw=True)))
        progress(1)

    async with asyncio.TaskGroup() as group:
        for number in range(plan.questions):
            await asyncio.sleep(max(0.0, began + number * plan.gap_s - time.monotonic()))
            group.create_task(one(number))
            if not early and number >= plan.questions * SETTLED_SHARE:
                early = resident(running)
    return asked, early


async def _settle(people: SandboxClient, engine: AsyncEngine) -> None:
    """Wait until nothing is left to do and no event is on its way."""
    async with asyncio.timeout(SETTLE_TIMEOUT_S):
        while True:
            if (await waiting(engine)).nothing:
                try:
                    await people.wait_for("events", count=0, idle=True, timeout_s=0)
                except WaitError:
                    pass
                else:
                    return
            await asyncio.sleep(LOOK_AGAIN_S)


async def _waited(people: SandboxClient, channel: str, ts: str) -> float | None:
    """Seconds until a question was answered; None for no answer, or more than one."""
    rows = await people.messages(channel, ts)
    own = [as_text(row["ts"]) for row in rows if row["own"]]
    return float(own[0]) - float(ts) if len(own) == 1 else None


def resident(running: Stage) -> dict[str, float]:
    """Resident memory of the bot's processes of one stage, in MB: others may run beside it."""
    found: dict[str, float] = {}
    for child in cast("Sequence[_Child]", psutil.Process().children()):
        command = child.cmdline()
        here = child.environ().get("DATABASE_URL") == running.database_url
        if here and command[-3:-1] == ["-m", "hivebot"]:
            name = command[-1]
            number = sum(one.partition(" ")[0] == name for one in found) + 1
            found[name if number == 1 else f"{name} {number}"] = child.memory_info().rss / 1_000_000
    return found
