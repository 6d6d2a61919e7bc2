"""How does a test watch a story? A running stage, and waiting until nothing is left to do."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sqlalchemy import func, select, text
from sqlalchemy import table as sql_table
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.db.engine import DatabaseUrl, create_engine
from hivebot.adapters.db.waiting import Waiting, waiting
from hivebot.entrypoints.demo.stage import Stage, stage
from hivebot.sandbox.client import SandboxClient
from hivebot.sandbox.errors import WaitError
from hivebot.sandbox.shapes import Json

Over = Literal["http", "socket"]
Switches = Mapping[str, object]

CONFIG = Path("config/hivebot.yaml")
SETTLE_TIMEOUT_S = 40.0
LOOK_AGAIN_S = 0.05
RETRY_SCALE = 0.01
"""Slack's second and third retry after 0.6 s and 3 s, instead of one and five minutes."""

ANA, BEN, STEW = "U0ANA", "U0BEN", "U0STEW"
PAYMENTS, PLATFORM, DATA, OPS = "C0PAY", "C0PLAT", "C0DATA", "C0OPS"


@dataclass(frozen=True, slots=True)
class Play:
    """A stage somebody plays on.

    Attributes:
        logs: Folder of the logs of its processes.
    """

    stage: Stage
    engine: AsyncEngine
    logs: Path

    @property
    def people(self) -> SandboxClient:
        """Acts as the people of the workspace."""
        return self.stage.people

    async def settled(self, timeout_s: float = SETTLE_TIMEOUT_S) -> None:
        """Return once no event is on its way and nothing is left to do.

        Raises:
            TimeoutError: something was left; the message counts it.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            # an event that arrives between two looks leaves work behind: it is looked for after it
            arrived = await self._idle()
            left = await self._left()
            if arrived and left is not None and left.nothing and await self._idle():
                return
            if time.monotonic() > deadline:
                raise TimeoutError(f"still waiting after {timeout_s:.0f} s: {left}")
            await self.moment()

    async def thread(self, channel: str, ts: str) -> list[Json]:
        """The thread under a message, with its head, once everything is settled."""
        await self.settled()
        return await self.people.messages(channel, ts)

    async def after(self, channel: str, ts: str) -> list[Json]:
        """What stands in a channel itself below a message, once everything is settled."""
        await self.settled()
        return await self.people.messages(channel, after=ts)

    async def count(self, table: str) -> int:
        """How many rows a table has."""
        async with self.engine.connect() as connection:
            counted = await connection.execute(select(func.count()).select_from(sql_table(table)))
            return counted.scalar_one()

    async def turns(self, thread_ts: str) -> int:
        """How many turns were opened in a thread, spoken or not."""
        query = text(
            "select count(*) from turn join conversation on conversation.id = conversation_id "
            "where thread_ts = :thread_ts"
        )
        async with self.engine.connect() as connection:
            counted = await connection.execute(query, {"thread_ts": thread_ts})
            return int(counted.scalar_one())

    async def _left(self) -> Waiting | None:
        """What waits; None while the database is away."""
        try:
            return await waiting(self.engine)
        except OperationalError:
            return None

    async def _idle(self) -> bool:
        try:
            await self.people.wait_for("events", count=0, idle=True, timeout_s=0)
        except WaitError:
            return False
        return True

    async def moment(self) -> None:
        """Let the workspace pass a moment; it ends at once where more is said meanwhile."""
        try:
            await self.people.wait_for("events", count=1_000_000, timeout_s=LOOK_AGAIN_S)
        except WaitError:
            return


@asynccontextmanager
async def playing(
    folder: Path,
    database_url: str,
    *,
    over: Over = "http",
    processes: Sequence[str] = (),
    changes: Switches | None = None,
    switches: Switches | None = None,
) -> AsyncGenerator[Play]:
    """Everything runs; see `stage`.

    Args:
        folder: For the logs, and for the configuration where it is changed.
        database_url: A migrated database.
        over: See `stage`.
        processes: See `stage`.
        changes: Other values for keys of the example configuration, wherever they stand.
        switches: Switches of the local workspace.
    """
    async with stage(
        _configuration(folder, changes) if changes else CONFIG,
        over=over,
        processes=processes,
        logs=folder,
        database_url=database_url,
        sandbox_settings={"retry_scale": RETRY_SCALE, **(switches or {})},
    ) as running:
        engine = create_engine(DatabaseUrl.of(database_url))
        try:
            yield Play(running, engine, folder)
        finally:
            await engine.dispose()


def _configuration(folder: Path, changes: Switches) -> Path:
    written = CONFIG.read_text(encoding="utf-8")
    for key, value in changes.items():
        # the outermost of that name: a desk's own key, and not one of what is nested in it
        indent = min(re.findall(rf"^( +){key}: ", written, flags=re.MULTILINE), key=len)
        written = re.sub(rf"^({indent}{key}): \S+", rf"\1: {value}", written, flags=re.MULTILINE)
    place = folder / "hivebot.yaml"
    place.write_text(written, encoding="utf-8")
    return place


def said_by(rows: Sequence[Json], author: str) -> list[str]:
    """The texts under one name, in order, without the stars that make them bold."""
    return [str(row["plain"]).replace("*", "") for row in rows if author in str(row["author"])]
