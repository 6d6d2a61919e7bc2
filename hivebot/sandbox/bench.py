"""Which parts does a running sandbox hold together?"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from hivebot.sandbox.delivery import HttpDelivery
from hivebot.sandbox.dispatch import Dispatcher
from hivebot.sandbox.faults import FaultBook
from hivebot.sandbox.sockets import SocketHub
from hivebot.sandbox.workspace import Workspace


@dataclass(slots=True)
class Bench:
    """The workspace with everything that moves around it.

    Attributes:
        state_file: Where the world is written after each change, or None to forget it at the end.
        changes: Counts the changes since the start.
    """

    ws: Workspace
    faults: FaultBook
    sockets: SocketHub
    dispatcher: Dispatcher
    http: HttpDelivery
    state_file: Path | None = None
    changes: int = 0
    _dirty: bool = False
    _change: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.ws.watch(self._wake)

    def _wake(self) -> None:
        self._dirty = True
        self.changes += 1
        change, self._change = self._change, asyncio.Event()
        change.set()

    async def until(self, holds: Callable[[], bool], timeout_s: float) -> bool:
        """Return whether ``holds`` came true in time, asking again after each change."""
        try:
            async with asyncio.timeout(timeout_s):
                while not holds():
                    await self._change.wait()
        except TimeoutError:
            return holds()
        return True

    def save(self) -> None:
        """Write the world, if it has changed, where the next start of the sandbox finds it."""
        if self.state_file is None or not self._dirty:
            return
        self._dirty = False
        fresh = self.state_file.with_suffix(self.state_file.suffix + ".new")
        fresh.write_text(self.ws.world.model_dump_json(), encoding="utf-8")
        fresh.replace(self.state_file)
