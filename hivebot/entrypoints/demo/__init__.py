"""What does `hivebot demo` do? It plays the main job on real parts and reads it back.

A person asks, the question crosses, one agent answers there, the answer comes home. Then a desk
deliberates a question no member can answer alone. Everything that is printed as said was read from
the workspace's channels over HTTP; why it was said, from the recorded decisions.
Source: product.md 1, 3 and 5.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.clock import SystemClock
from hivebot.adapters.db.engine import DatabaseUrl, create_engine
from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from hivebot.adapters.db.waiting import waiting
from hivebot.adapters.slack.api import SlackApi
from hivebot.entrypoints.demo.reading import Debated, Said, debate, read_back, reasons
from hivebot.entrypoints.demo.stage import Stage, StageError, stage
from hivebot.entrypoints.demo.story import (
    ANA,
    DATA,
    DILEMMA,
    PAYMENTS,
    PLATFORM,
    QUESTION,
    faults,
)

QUIET_TIMEOUT_S = 90.0
TEAM = "T0HIVE"
_PACKAGED = Path(__file__).parent / "hivebot.yaml"
_CHECKOUT = Path(__file__).parents[3] / "config" / "hivebot.yaml"
CONFIG = _PACKAGED if _PACKAGED.exists() else _CHECKOUT
_NAMES = {PAYMENTS: "#payments", PLATFORM: "#platform", DATA: "#data"}


STOPPED = 130
"""Exit status of a demo that was told to stop, by Ctrl-C or SIGTERM."""


def run(ask: str) -> int:
    """Play to the end, or until told to stop; either way nothing of it is left running.

    Args:
        ask: See `play`.
    """

    async def played() -> int:
        playing = asyncio.ensure_future(play(ask))
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, playing.cancel)
        return await playing

    try:
        return asyncio.run(played())
    except (KeyboardInterrupt, asyncio.CancelledError):
        return STOPPED


async def play(ask: str) -> int:
    """Play the story, or another question; the exit status.

    Args:
        ask: What Ana types in #payments; "" for the story, whose every line is checked.
    """
    out = Console(file=sys.stdout, highlight=False, soft_wrap=True)
    began = time.monotonic()
    out.print(
        "Starting an embedded Postgres, a local workspace, and the bot: web, worker and clock, "
        "each a process of its own …"
    )
    try:
        async with stage(CONFIG) as running:
            out.print(f"Ready after {time.monotonic() - began:.1f} s. Ana writes …")
            tale = await _played(running, ask)
    except (StageError, TimeoutError) as error:
        out.print(f"The demo could not be played: {error}")
        return 1
    _print(out, tale)
    status = 0 if ask else verdict(out, faults(tale.found))
    out.print(f"Played in {time.monotonic() - began:.1f} s.")
    return status


def verdict(out: Console, problems: Sequence[str]) -> int:
    """Say what is wrong with the story, or that it is whole; the exit status."""
    for problem in problems:
        out.print(Text(f"WRONG  {problem}", style="red"))
    if not problems:
        out.print("Every line stands once, in its place and in order.")
    return 1 if problems else 0


@dataclass(frozen=True, slots=True)
class _Tale:
    """What was read back.

    Attributes:
        debate: The turns of the deliberation, kept in its own log and folded in the channel.
    """

    found: dict[str, list[Said]]
    debate: tuple[Debated, ...]


async def _played(running: Stage, ask: str) -> _Tale:
    """Ana asks, then everything comes to rest; the story's second question follows the first."""
    engine = create_engine(DatabaseUrl.of(running.database_url))
    try:
        work = PostgresUnitOfWork(engine, SystemClock())
        await running.people.say(ANA, PAYMENTS, ask or QUESTION)
        await quiet(engine, rows=1)
        debated: tuple[Debated, ...] = ()
        if not ask:
            before = (await waiting(engine)).rows
            ts = await running.people.say(ANA, DATA, DILEMMA)
            await quiet(engine, rows=before + 1)
            debated = await debate(work, TEAM, DATA, ts)
        found = await _read(running)
        told = {
            channel: [replace(said, why=await reasons(work, TEAM, said)) for said in rows]
            for channel, rows in found.items()
        }
        return _Tale(told, debated)
    finally:
        await engine.dispose()


async def _read(running: Stage) -> dict[str, list[Said]]:
    async def token(_team_id: str) -> str:
        return running.workspace.bot_token

    slack = SlackApi(token, running.workspace.api_url)
    try:
        return await read_back(slack, tuple(_NAMES), "0")
    finally:
        await slack.aclose()


async def quiet(engine: AsyncEngine, rows: int) -> None:
    """Wait until there are so many transcript rows and nothing is left to do.

    Raises:
        TimeoutError: something was left; the message counts it.
    """
    deadline = time.monotonic() + QUIET_TIMEOUT_S
    while True:
        left = await waiting(engine)
        if left.rows >= rows and left.nothing:
            return
        if time.monotonic() > deadline:
            raise TimeoutError(f"still waiting after {QUIET_TIMEOUT_S:.0f} s: {left}")
        await asyncio.sleep(0.05)


def _print(out: Console, tale: _Tale) -> None:
    for channel, rows in tale.found.items():
        if not rows:
            continue
        out.print()
        out.print(Text(_NAMES[channel], style="bold"))
        for said in rows:
            indent = "    " if said.thread_ts else "  "
            out.print(Text(f"{indent}{said.speaker}", style="cyan" if said.agent else "green"))
            for line in said.text.splitlines():
                out.print(Text(f"{indent}  {line}"))
            for why in said.why:
                out.print(Text(f"{indent}  why: {why}", style="dim"))
    if tale.debate:
        out.print()
        out.print(Text("how #data came to it, turn by turn (folded in the channel)", style="bold"))
        for number, turn in enumerate(tale.debate, 1):
            out.print(Text(f"  {number:>2}. {turn.speaker} ({turn.why})", style="cyan"))
            for line in turn.text.splitlines():
                out.print(Text(f"      {line}"))
    out.print()
