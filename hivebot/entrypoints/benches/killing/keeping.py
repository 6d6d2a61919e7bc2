"""Who starts again what was killed? One keeper for each process, and one for the database.

Each kills only what it has started itself. Source: datapath.md 3 and 8.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from hivebot.adapters.db import migrate
from hivebot.adapters.db.embedded import EmbeddedPostgres
from hivebot.adapters.db.embedded.processes import servers_of
from hivebot.entrypoints.demo.stage import process

RESTART_S: Final = 0.2
"""How long a supervisor waits before it starts a process again."""


class Kept:
    """One of the bot's commands, started again whenever it ends.

    Attributes:
        killed: Times it was killed.
        silenced: Times it was stopped for a while.
        ended: Times it ended though nobody had killed it.
    """

    def __init__(self, command: str, environment: Mapping[str, str], logs: Path | None) -> None:
        self.killed = 0
        self.silenced = 0
        self.ended = 0
        self._command = command
        self._environment = environment
        self._logs = logs
        self._running: asyncio.subprocess.Process | None = None
        self._up = asyncio.Event()

    @asynccontextmanager
    async def keep(self) -> AsyncGenerator[Kept]:
        """It runs, again and again, until the context ends; then it is told to stop."""
        keeping = asyncio.create_task(self._keep(), name=f"keep {self._command}")
        try:
            yield self
        finally:
            keeping.cancel()
            await asyncio.wait({keeping})

    async def kill(self) -> None:
        """SIGKILL, once it runs."""
        await self._up.wait()
        if self._running is not None and self._running.returncode is None:
            self._running.kill()
            self.killed += 1

    async def silence(self, seconds: float) -> None:
        """SIGSTOP, once it runs, and SIGCONT after a while, unless it was killed meanwhile."""
        await self._up.wait()
        stopped = self._running
        if stopped is None or stopped.returncode is not None:
            return
        stopped.send_signal(signal.SIGSTOP)
        self.silenced += 1
        try:
            await asyncio.sleep(seconds)
        finally:
            if stopped.returncode is None:
                stopped.send_signal(signal.SIGCONT)

    async def _keep(self) -> None:
        while True:
            killed = self.killed
            async with process(self._command, self._environment, self._logs) as running:
                self._running = running
                self._up.set()
                await running.wait()
                self._up.clear()
            if self.killed == killed:
                self.ended += 1
            await asyncio.sleep(RESTART_S)


class KeptDatabase:
    """A Postgres in a directory of its own.

    Attributes:
        killed: Times it was killed.
    """

    def __init__(self, place: Path) -> None:
        self.killed = 0
        self._server = EmbeddedPostgres(place)
        self._cluster = place / "cluster"

    @asynccontextmanager
    async def keep(self) -> AsyncGenerator[str]:
        """It runs, migrated, until the context ends; gives its URL, the same after each start."""
        handle = await asyncio.to_thread(self._server.start)
        try:
            await asyncio.to_thread(migrate.upgrade, handle.uri)
            yield handle.uri
        finally:
            await asyncio.to_thread(self._server.stop)

    async def kill(self, away_s: float = 0.0) -> None:
        """SIGKILL to its first process, then start it again; the others end by themselves."""
        first = int((self._cluster / "postmaster.pid").read_text().split()[0])
        if first in servers_of(self._cluster):  # else it is just ending, and the number stale
            os.kill(first, signal.SIGKILL)
        self.killed += 1
        await asyncio.sleep(away_s)
        await asyncio.to_thread(self._server.start)
