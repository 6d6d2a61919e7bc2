"""What does `hivebot demo` do? It plays the main job on real parts and reads it back.

A person asks, the question crosses, one agent answers there, the answer comes home. Everything that
is printed was read from the workspace's channels over HTTP. Source: product.md 1 and 3.
"""

from __future__ import annotations

import asyncio
import sys
import time
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.clock import SystemClock
from hivebot.adapters.db.engine import DatabaseUrl, create_engine
from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from hivebot.adapters.db.waiting import waiting
from hivebot.adapters.slack.api import SlackApi
from hivebot.entrypoints.demo.reading import Said, read_back, reasons
from hivebot.entrypoints.demo.stage import Stage, StageError, stage
from hivebot.entrypoints.demo.story import ANA, PAYMENTS, PLATFORM, QUESTION, faults

QUIET_TIMEOUT_S = 45.0
TEAM = "T0HIVE"
_PACKAGED = Path(__file__).parent / "hivebot.yaml"
_CHECKOUT = Path(__file__).parents[3] / "config" / "hivebot.yaml"
CONFIG = _PACKAGED if _PACKAGED.exists() else _CHECKOUT
_NAMES = {PAYMENTS: "#payments", PLATFORM: "#platform"}


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
            out.print(f"Ready after {time.monotonic() - began:.1f} s. Ana writes in #payments …")
            found = await _played(running, ask or QUESTION)
    except (StageError, TimeoutError) as error:
        out.print(f"The demo could not be played: {error}")
        return 1
    _print(out, found)
    problems = [] if ask else faults(found)
    for problem in problems:
        out.print(Text(f"WRONG  {problem}", style="red"))
    if not problems and not ask:
        out.print("Every line stands once, in its place and in order.")
    out.print(f"Played in {time.monotonic() - began:.1f} s.")
    return 1 if problems else 0


async def _played(running: Stage, question: str) -> dict[str, list[Said]]:
    await running.people.say(ANA, PAYMENTS, question)
    engine = create_engine(DatabaseUrl.of(running.database_url))
    try:
        await _quiet(engine)
        found = await _read(running)
        work = PostgresUnitOfWork(engine, SystemClock())
        return {
            channel: [replace(said, why=await reasons(work, TEAM, said)) for said in rows]
            for channel, rows in found.items()
        }
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


async def _quiet(engine: AsyncEngine) -> None:
    """Wait until something has been done and nothing is left to do."""
    deadline = time.monotonic() + QUIET_TIMEOUT_S
    while True:
        left = await waiting(engine)
        if left.rows and left.nothing:
            return
        if time.monotonic() > deadline:
            raise TimeoutError(f"still waiting after {QUIET_TIMEOUT_S:.0f} s: {left}")
        await asyncio.sleep(0.05)


def _print(out: Console, found: dict[str, list[Said]]) -> None:
    for channel, rows in found.items():
        out.print()
        out.print(Text(_NAMES[channel], style="bold"))
        for said in rows:
            indent = "    " if said.thread_ts else "  "
            name = Text(f"{indent}{said.speaker}", style="cyan" if said.agent else "green")
            out.print(name)
            for line in said.text.splitlines():
                out.print(Text(f"{indent}  {line}"))
            for why in said.why:
                out.print(Text(f"{indent}  why: {why}", style="dim"))
    out.print()
