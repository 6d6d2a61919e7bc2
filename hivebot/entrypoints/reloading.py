"""When does a process take up another configuration? On SIGHUP, on a touched file, and with others.

Source: product.md 8.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final, Protocol

from hivebot.adapters.config_files import (
    ConfigError,
    canonical,
    diff,
    fingerprint,
    from_canonical,
    load,
)
from hivebot.errors import HivebotError
from hivebot.services.records.policy import Configuration
from hivebot.services.records.reloads import KeptOld, Reloaded
from hivebot.services.reloading import Broken, Cause, Files, Reloading, Written
from hivebot.telemetry import Event, get_logger

logger = get_logger(__name__)

LOOK_EVERY_S: Final = 1.0
"""Seconds between two looks at the files, and at what other processes have put in force."""

Resolve = Callable[[Configuration], Awaitable[Configuration]]
"""Replaces the names of channels by their ids."""

Home = Callable[[], Awaitable[str]]


def files_of(path: Path, resolve: Resolve) -> Files:
    """What the use case needs to know of the files.

    Args:
        path: A YAML file, or a directory of them.
        resolve: Raises `ConfigError` over a name that is no channel's.
    """

    async def read() -> Written | Broken:
        try:
            loaded = await asyncio.to_thread(load, path)
            configuration = await resolve(loaded.configuration)
        except ConfigError as error:
            return Broken(tuple(str(problem) for problem in error.problems))
        warnings = tuple(str(warning) for warning in loaded.warnings)
        return Written(configuration, canonical(configuration), warnings)

    return Files(read, from_canonical, diff)


class Kept(Protocol):
    """What is kept up to date."""

    async def reload(self, cause: Cause) -> object:
        """Read the files now."""
        ...

    async def look(self) -> None:
        """Look whether there is anything new."""
        ...


class Live:
    """Keeps one process's configuration up to date."""

    def __init__(self, reloading: Reloading, path: Path, home: Home, taken: str) -> None:
        """Remember what is in force.

        Args:
            reloading: Changes what is in force.
            path: A YAML file, or a directory of them.
            home: Gives the workspace whose admins hear of files that cannot be used; "" for none.
            taken: Fingerprint of the files before they were read for what is in force.
        """
        self._reloading = reloading
        self._path = path
        self._home = home
        self._taken = self._touched = taken
        self._followed: KeptOld | None = None

    async def reload(self, cause: Cause) -> Reloaded | KeptOld:
        """Read the files now, and say in the log, and to the admins, what came of it.

        Raises:
            StoreUnavailableError: the old one stays in force.
        """
        mark = fingerprint(self._path)
        done = await self._reloading.reload()
        self._taken = self._touched = mark
        _log(done, cause)
        if isinstance(done, KeptOld) and (team_id := await self._home()):
            await self._reloading.report(team_id, mark, done)
        return done

    async def look(self) -> None:
        """Look once at the files and at what others have put in force.

        A file is read once it has been left alone between two looks: an editor may still write.

        Raises:
            StoreUnavailableError: the next look finds the same.
        """
        now = await asyncio.to_thread(fingerprint, self._path)
        settled, self._touched = now == self._touched, now
        if now != self._taken and settled:
            await self.reload(Cause.FILE)
            return
        followed = await self._reloading.follow()
        if isinstance(followed, KeptOld) and followed == self._followed:
            return
        self._followed = followed if isinstance(followed, KeptOld) else None
        if followed is not None:
            _log(followed, Cause.OTHER_PROCESS)


@asynccontextmanager
async def kept_live(live: Kept, every_s: float = LOOK_EVERY_S) -> AsyncGenerator[None]:
    """Take up what changes until the block ends; SIGHUP is a wish to read the files at once.

    A terminal that is closed sends SIGHUP too: then the process ends as by SIGTERM, so that nothing
    is left running behind it.
    """
    loop = asyncio.get_running_loop()
    wished = asyncio.Event()
    had_terminal = _has_terminal()

    def hung_up() -> None:
        if had_terminal and not _has_terminal():
            signal.raise_signal(signal.SIGTERM)
        else:
            wished.set()

    loop.add_signal_handler(signal.SIGHUP, hung_up)
    watching = asyncio.create_task(_watch(live, wished, every_s), name="configuration")
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGHUP)
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching


def _has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


async def _watch(live: Kept, wished: asyncio.Event, every_s: float) -> None:
    told = False
    while True:
        with suppress(TimeoutError):
            await asyncio.wait_for(wished.wait(), every_s)
        told = told or wished.is_set()
        wished.clear()
        try:
            if told:
                await live.reload(Cause.SIGNAL)
                told = False
            else:
                await live.look()
        except HivebotError as error:  # the database is away: the next look finds the same
            logger.debug(Event.JOB_FAILED, task="configuration", code=error.code)


def _log(done: Reloaded | KeptOld, cause: Cause) -> None:
    if isinstance(done, KeptOld):
        for problem in done.problems:
            logger.error(
                Event.CONFIG_REFUSED, cause=cause.value, said=problem, in_force=done.revision
            )
        return
    for warning in done.warnings:
        logger.warning(Event.CONFIG_WARNING, said=warning)
    logger.info(
        Event.CONFIG_LOADED,
        cause=cause.value,
        revision=done.revision,
        before=done.before,
        changes=len(done.changes),
    )
