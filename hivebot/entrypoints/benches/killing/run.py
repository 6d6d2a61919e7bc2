"""How is a system that works killed again and again, and what is left of its work?

The bot's real web, worker and clock, each a process of its own, on a Postgres of their own and the
local workspace. People ask at an even pace; the plan says when what is killed. A supervisor starts
everything again at once, as the operator's would. Source: datapath.md 3.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.clock import SystemClock
from hivebot.adapters.config_files import from_canonical, load
from hivebot.adapters.db.engine import DatabaseUrl, create_engine
from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from hivebot.adapters.db.waiting import waiting
from hivebot.entrypoints.benches.killing.keeping import Kept, KeptDatabase
from hivebot.entrypoints.benches.killing.looking import Found, look
from hivebot.entrypoints.benches.killing.plan import Kill, Plan, Question, Victim
from hivebot.entrypoints.benches.slow_model import slow_model
from hivebot.entrypoints.demo.stage import (
    START_TIMEOUT_S,
    environment_of,
    free_port,
    local_workspace,
    until_ready,
)
from hivebot.sandbox.client import SandboxClient
from hivebot.sandbox.errors import WaitError
from hivebot.services.audit import Audit
from hivebot.services.policy import RunningPolicy

MODEL_TAKES_S: Final = 0.3
POSTS_TIMEOUT_S: Final = 240.0
SETTLE_TIMEOUT_S: Final = 240.0
LOOK_AGAIN_S: Final = 0.25

Over = Literal["http", "socket"]

_PROCESSES: Final[Mapping[Over, Mapping[str, str]]] = {
    "http": {"web": "serve", "worker": "worker", "second worker": "worker", "clock": "clock"},
    "socket": {"run": "run"},
}
"""Commands by the names of their processes, by how events arrive."""

Progress = Callable[[int], None]

_CONFIG: Final = """\
agents:
  - id: pia
    name: Pia
    model: openai:slow
    base_url: {model_url}
    price: {{input_usd: 0, output_usd: 0}}
  - id: lasse
    name: Lasse
    model: briefed
    rules:
      holds:
        - {{text: The gateway retries a 503 twice and then hands it on., about: [gateway]}}
  - id: anna
    name: Anna
    model: briefed
    rules:
      shared: &shared
        - {{text: All tests pass., about: [test], option: ship, bearing: for, strength: 2}}
      holds:
        - {{text: It was announced., about: [word], option: ship, bearing: for, strength: 1}}
  - {{id: bert, name: Bert, model: briefed, rules: {{shared: *shared}}}}
desks:
  - id: payments
    channel: C0PAY
    members: [pia]
    asks: [platform]
    referral: &crossing
      {{enabled: yes, max_hops: 2, reach: desks, returns: yes, referrals_per_hour: 1000}}
    budget: &plenty {{turns_per_day: 1000000, tokens_per_day: 1000000000}}
  - id: platform
    channel: C0PLAT
    members: [lasse]
    answers: [payments]
    referral: *crossing
    budget: *plenty
  - id: data
    channel: C0DATA
    members: [anna, bert]
    mode: hive
    budget: *plenty
"""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast everything goes.

    Attributes:
        gap_s: Between two questions.
        hurry: The heartbeats of a killed or silent worker grow old at once, instead of in half a
            minute; so do those of the other worker, whose work is then done twice.
        away_s: How long the database stays away after it was killed.
        over: How events arrive; over a socket one process is all of them.
    """

    gap_s: float = 0.5
    hurry: bool = False
    away_s: float = 0.0
    over: Over = "http"

    @property
    def retry_scale(self) -> float:
        """Slack's retries after 0, 12 and 60 s, in a hurry after 0, 6 and 30: each a restart."""
        return 0.1 if self.hurry else 0.2

    @property
    def silent_s(self) -> float:
        """How long a worker is silent: long enough to be taken for dead."""
        return 13.0 if self.hurry else 45.0


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a run.

    Attributes:
        killed: How often each was killed.
        ended: Processes that ended though nobody had killed them, by name.
        asked_s: From the first question to the last.
        settled_s: From the last question until nothing was left to do, or until it was given up.
    """

    plan: Plan
    found: Found
    killed: Mapping[Victim, int]
    ended: Mapping[str, int]
    asked_s: float
    settled_s: float


@dataclass(frozen=True, slots=True)
class _Scene:
    plan: Plan
    people: SandboxClient
    engine: AsyncEngine
    kept: Mapping[str, Kept]
    database: KeptDatabase
    pace: Pace

    @property
    def web(self) -> Kept:
        """What takes events."""
        return self.kept["web" if self.pace.over == "http" else "run"]

    @property
    def worker(self) -> Kept:
        """What works on the queue."""
        return self.kept["worker" if self.pace.over == "http" else "run"]

    async def posted(self, count: int) -> None:
        """Return once the bot has posted so many messages."""
        await self.people.wait_for(
            "calls",
            method="chat.postMessage",
            error="ok",
            count=count,
            timeout_s=POSTS_TIMEOUT_S,
        )

    async def kill(self, kill: Kill) -> None:
        """Wait for its moment, then kill; whoever is just being started is waited for."""
        await self.posted(kill.after_posts)
        await asyncio.sleep(kill.pause_ms / 1000)
        match kill.victim:
            case Victim.DATABASE:
                await self.database.kill(self.pace.away_s)
            case Victim.WEB:
                await self.web.kill()
            case Victim.WORKER:
                await self.worker.kill()
                await self._bury()
            case Victim.SILENCE:
                silent = asyncio.create_task(self.worker.silence(self.pace.silent_s))
                await self._bury()
                await silent

    async def _bury(self) -> None:
        """In a hurry, let the last heartbeats grow old at once; whoever lives makes a new one."""
        if not self.pace.hurry:
            return
        aged = text(
            "update procrastinate_workers set last_heartbeat = now() - interval '1 hour'"
            " where last_heartbeat < now()"
        )
        try:
            async with self.engine.begin() as connection:
                await connection.execute(aged)
        except DBAPIError:
            return  # the database has been killed as well; then they grow old by themselves

    async def settle(self) -> None:
        """Return once nothing is left to do and no event is on its way, or time is up."""
        deadline = time.monotonic() + SETTLE_TIMEOUT_S
        while time.monotonic() < deadline:
            if await self._done():
                return
            await asyncio.sleep(LOOK_AGAIN_S)

    async def _done(self) -> bool:
        try:
            await self.people.wait_for("events", count=0, idle=True, timeout_s=0)
            return (await waiting(self.engine)).nothing
        except (WaitError, DBAPIError):
            return False


async def run(
    plan: Plan,
    *,
    pace: Pace,
    logs: Path | None = None,
    progress: Progress = lambda _done: None,
) -> Report:
    """Carry out a plan.

    Args:
        plan: What is asked and killed.
        pace: How fast.
        logs: Folder for the processes' logs; None throws them away.
        progress: Told of each question.

    Raises:
        StageError: something did not start.
    """
    async with _scene(plan, logs, pace) as (scene, audit):
        began = time.monotonic()
        async with asyncio.TaskGroup() as group:
            group.create_task(_kill_all(scene))
            group.create_task(_lose_all(scene))
            asking = group.create_task(_ask_all(scene, progress))
        asked, last = asking.result()
        await scene.settle()
        settled = time.monotonic()
        found = await look(scene.people, scene.engine, audit, asked)
    killed = {
        # over a socket they are one process, which is counted once
        Victim.WORKER: scene.worker.killed if scene.worker is not scene.web else 0,
        Victim.WEB: scene.web.killed,
        Victim.DATABASE: scene.database.killed,
        Victim.SILENCE: scene.worker.silenced,
    }
    ended = {name: one.ended for name, one in scene.kept.items() if one.ended}
    return Report(plan, found, killed, ended, last - began, settled - last)


async def _kill_all(scene: _Scene) -> None:
    """Until a moment never comes: then something is stuck, which the checks will say."""
    with suppress(WaitError):
        for kill in scene.plan.kills:
            await scene.kill(kill)


async def _lose_all(scene: _Scene) -> None:
    with suppress(WaitError):
        for loss in scene.plan.losses:
            await scene.posted(loss.after_posts)
            await scene.people.fault("chat.postMessage", "drop", applied=loss.applied)


async def _ask_all(scene: _Scene, progress: Progress) -> tuple[list[tuple[Question, str]], float]:
    asked: list[tuple[Question, str]] = []
    for question in scene.plan.questions:
        ts = await scene.people.say(question.asker, question.channel, question.words)
        asked.append((question, ts))
        progress(1)
        await asyncio.sleep(scene.pace.gap_s)
    return asked, time.monotonic()


@contextmanager
def _folder() -> Generator[Path]:
    """A folder that the account Postgres runs as can pass, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="hivebot-chaos-") as folder:
        place = Path(folder)
        place.chmod(0o755)
        yield place


@asynccontextmanager
async def _scene(plan: Plan, logs: Path | None, pace: Pace) -> AsyncGenerator[tuple[_Scene, Audit]]:
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(_folder())
        model_url = await stack.enter_async_context(slow_model(MODEL_TAKES_S))
        config = folder / "hivebot.yaml"
        config.write_text(_CONFIG.format(model_url=model_url), encoding="utf-8")
        configuration = load(config).configuration
        database = KeptDatabase(folder / "data")
        url = await stack.enter_async_context(database.keep())
        switches = {"delivery": pace.over, "rate_limits": False, "retry_scale": pace.retry_scale}
        workspace = await local_workspace(stack, switches, logs)
        people = await stack.enter_async_context(SandboxClient(workspace.url))
        port = free_port()
        environment = environment_of(workspace, config, url, port)
        kept = {
            name: await stack.enter_async_context(Kept(command, environment, logs).keep())
            for name, command in _PROCESSES[pace.over].items()
        }
        bot_url = f"http://127.0.0.1:{port}"
        await until_ready(bot_url)
        if pace.over == "http":
            await people.settings(event_url=f"{bot_url}/slack/events")
        else:
            await people.wait_for("sockets", timeout_s=START_TIMEOUT_S)
        engine = create_engine(DatabaseUrl.of(url))
        stack.push_async_callback(engine.dispose)
        clock = SystemClock()
        work = PostgresUnitOfWork(engine, clock)
        policies = RunningPolicy(work, clock, configuration, from_canonical)
        yield _Scene(plan, people, engine, kept, database, pace), Audit(work, policies)
