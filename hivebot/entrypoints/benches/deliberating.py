"""How much of a deliberation is not the model's time? With models that take as long as told.

Everything real: a Postgres, a local workspace, the bot's web, worker and clock as processes, and a
server that answers as OpenAI's does. Five members open, propose, support and commit, the same each
time. Source: turns.md 2 and 6.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.db.engine import DatabaseUrl, create_engine
from hivebot.entrypoints.benches.slow_model import OPTION, slow_model
from hivebot.entrypoints.benches.timing import Times, times_of
from hivebot.entrypoints.demo.stage import Stage, stage

ASKER: Final = "U0ANA"
CHANNEL: Final = "C0DATA"
MEMBERS: Final = ("anna", "bert", "carl", "dora", "eva")
WARM_UP: Final = 1
TIMEOUT_S: Final = 60.0

SIGN_P95_MAX_MS: Final = 2_000
GAP_MEDIAN_MAX_MS: Final = 50
OPENING_CALLS_MAX: Final = 2.0
"""Five calls, one after the other, would be five; less than two shows that they are not."""

_COMMITTED: Final = text(
    "select created_at from message"
    " where turn_id is not null and conversation_id = (select max(log_id) from episode)"
    " order by seq"
)

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Deliberated:
    """How long what is not the model's took.

    Attributes:
        takes_s: How long each call took, by itself.
        sign: From the question to its progress message.
        opening: From the first call of a member to the first call of somebody who has heard all.
        gap: From a turn's row to the call for the next turn, once members see one another.
        calls: Calls of one deliberation.
    """

    takes_s: float
    sign: Times
    opening: Times
    gap: Times
    calls: int

    @property
    def opening_calls(self) -> float:
        """The median opening, in calls."""
        return self.opening.median / 1000 / self.takes_s


async def measure(
    count: int, takes_s: float, progress: Progress = lambda _done: None
) -> Deliberated:
    """Let a desk of five deliberate one question after the other.

    Args:
        count: Questions.
        takes_s: How long each answer of a model takes, above 0.
        progress: Told of each.

    Raises:
        StageError: a process did not get ready.
        WaitError: a deliberation did not come to its end within a minute.
    """
    came_at: list[float] = []
    signs: list[float] = []
    openings: list[float] = []
    gaps: list[float] = []
    calls = 0
    async with _played(takes_s, came_at) as (running, engine):
        for number in range(-WARM_UP, count):
            came_at.clear()
            sign = await _deliberate(running, number)
            if number >= 0:
                signs.append(sign)
                openings.append(came_at[len(MEMBERS)] - came_at[0])
                gaps += gaps_of(came_at, await _committed(engine))
                calls = len(came_at)
                progress(1)
    return Deliberated(takes_s, times_of(signs), times_of(openings), times_of(gaps), calls)


def gaps_of(came_at: Sequence[float], committed: Sequence[datetime]) -> list[float]:
    """Seconds from each row, from the last opening on, to the call that came next."""
    heard = len(MEMBERS)
    return [
        call - row.timestamp()
        for call, row in zip(came_at[heard:], committed[heard - 1 :], strict=False)
    ]


@asynccontextmanager
async def _played(
    takes_s: float, came_at: list[float]
) -> AsyncGenerator[tuple[Stage, AsyncEngine]]:
    with tempfile.TemporaryDirectory(prefix="hivebot-bench-") as folder:
        async with slow_model(takes_s, came_at) as model_url:
            config = Path(folder) / "hivebot.yaml"
            config.write_text(configuration(model_url), encoding="utf-8")
            async with stage(config, sandbox_settings={"rate_limits": False}) as running:
                engine = create_engine(DatabaseUrl.of(running.database_url))
                try:
                    yield running, engine
                finally:
                    await engine.dispose()


def configuration(model_url: str) -> str:
    """One desk of five whose models take their time."""
    agents = "\n".join(
        f"  - {{id: {member}, name: {member.title()}, model: openai:slow, output: tool,"
        f" base_url: {model_url}, price: {{input_usd: 0, output_usd: 0}}}}"
        for member in MEMBERS
    )
    return f"""\
agents:
{agents}
desks:
  - id: data
    channel: {CHANNEL}
    members: [{", ".join(MEMBERS)}]
    mode: hive
    episode: {{opening: evidence_first}}
    budget: {{turns_per_day: 1000000, tokens_per_day: 1000000000}}
"""


async def _deliberate(running: Stage, number: int) -> float:
    """Ask, and wait for the end; seconds until there was a sign."""
    people = running.people
    began = time.perf_counter()
    ts = await people.say(ASKER, CHANNEL, f"@hive number {number}: #revert or #{OPTION}?")
    await people.wait_for(channel=CHANNEL, thread_ts=ts, own=True, timeout_s=TIMEOUT_S)
    sign = time.perf_counter() - began
    await people.wait_for(
        channel=CHANNEL, thread_ts=ts, own=True, contains="Decided by", timeout_s=TIMEOUT_S
    )
    return sign


async def _committed(engine: AsyncEngine) -> list[datetime]:
    async with engine.connect() as connection:
        return [row.created_at for row in await connection.execute(_COMMITTED)]
