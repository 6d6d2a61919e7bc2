"""How is another configuration put in force while all runs? All or nothing, in every process.

The process that is told reads the files; a fault leaves what runs in force and is reported. What is
put in force is stored, and the others take it up from there: the one put in force last holds for
every process. Source: product.md 8, turns.md 6.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from hivebot.errors import HivebotError
from hivebot.services import command_lines
from hivebot.services.ports import Clock, NewOutbox, Policies, UnitOfWork
from hivebot.services.records.arrivals import EventKey
from hivebot.services.records.outgoing import Destination, OutboxKind
from hivebot.services.records.policy import Configuration
from hivebot.services.records.reloads import PROBLEMS_TOLD, KeptOld, Reloaded


class Cause(StrEnum):
    """Who wanted it."""

    FILE = "file"
    SIGNAL = "signal"
    COMMAND = "command"
    OTHER_PROCESS = "other_process"
    INSTALLED = "installed"


@dataclass(frozen=True, slots=True)
class Written:
    """A configuration as the files have it now.

    Attributes:
        canonical: The form it is stored in.
        warnings: What its operator should know, one line each, with file and line.
    """

    configuration: Configuration
    canonical: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Broken:
    """Files that cannot be used. `problems` are one line each: file, line, key, remedy."""

    problems: tuple[str, ...]


class PoliciesToChange(Policies, Protocol):
    """The configuration in force, for the one who may change it."""

    async def adopt(self, configuration: Configuration, canonical: str) -> None:
        """Store a configuration and put it in force."""
        ...

    def take_up(self, configuration: Configuration) -> None:
        """Put in force what another process has stored."""
        ...


@dataclass(frozen=True, slots=True)
class Files:
    """What is known of the configuration's files.

    Attributes:
        read: Reads them; never raises for what they say.
        decode: Reads the stored form.
        difference: What would change from one to the other, one line each.
    """

    read: Callable[[], Awaitable[Written | Broken]]
    decode: Callable[[str], Configuration]
    difference: Callable[[Configuration, Configuration], Sequence[str]]


class Reloading:
    """Changes the configuration in force."""

    def __init__(
        self, work: UnitOfWork, policies: PoliciesToChange, files: Files, clock: Clock
    ) -> None:
        self._work = work
        self._policies = policies
        self._files = files
        self._clock = clock

    async def reload(self) -> Reloaded | KeptOld:
        """Read the files and put in force what they say, or keep what is in force.

        Raises:
            StoreUnavailableError: the old one stays in force.
        """
        before = self._policies.current()
        found = await self._files.read()
        if isinstance(found, Broken):
            return KeptOld(before.revision, found.problems)
        after = found.configuration
        await self._policies.adopt(after, found.canonical)
        changes = tuple(self._files.difference(before, after))
        return Reloaded(after.revision, before.revision, changes, found.warnings)

    async def follow(self) -> Reloaded | KeptOld | None:
        """Take up what another process has put in force; None where that is in force here.

        Raises:
            StoreUnavailableError: the old one stays in force.
        """
        before = self._policies.current()
        async with self._work.begin() as tx:
            newest = await tx.revisions.newest(1)
        if not newest or newest[0].revision == before.revision:
            return None
        try:
            after = self._files.decode(newest[0].source)
        except HivebotError as error:
            return KeptOld(before.revision, (str(error),))
        self._policies.take_up(after)
        changes = tuple(self._files.difference(before, after))
        return Reloaded(after.revision, before.revision, changes)

    async def report(self, team_id: str, mark: str, kept: KeptOld) -> bool:
        """Tell the admin channel of files that cannot be used; False where it was told before.

        Args:
            team_id: The workspace the channel is in.
            mark: What the same files give to every process, so that one of them tells.
            kept: What happened.

        Raises:
            StoreUnavailableError: nobody was told.
        """
        channel_id = self._policies.current().admin_channel
        if not channel_id or channel_id.startswith("#"):
            return False
        key = EventKey(
            team_id, f"config:{kept.revision}:{mark}", int(self._clock.now().timestamp())
        )
        async with self._work.begin() as tx:
            if await tx.inbox.claim_event(key, {}) is None:
                return False
            body = command_lines.config_refused(kept.problems, kept.revision, PROBLEMS_TOLD)
            await tx.outbox.add(NewOutbox(OutboxKind.POST, Destination(team_id, channel_id), body))
            await tx.jobs.deliver(team_id, channel_id)
        return True
