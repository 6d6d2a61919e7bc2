"""In which workspaces are we, who are we there, and with which token do we speak?

One whose token the environment holds, and any number that have installed the app.
Source: product.md 9, datapath.md 1 and 9.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, Protocol

from slack_sdk.oauth.installation_store import Installation

from hivebot.adapters.db.installations import Installations
from hivebot.adapters.slack.api import Answer, SlackApi
from hivebot.adapters.slack.installing import InstalledTokens, row_of
from hivebot.adapters.slack.shapes import as_text
from hivebot.services.ports import Clock, UnitOfWork
from hivebot.services.records.rows import WorkspaceRow
from hivebot.telemetry import Event, get_logger

logger = get_logger(__name__)

BELIEVED: Final = timedelta(seconds=30)
"""For how long a workspace's row is believed without asking the database."""

NOBODY: Final = WorkspaceRow("", "", "", "", "", state="stopped", reason="not installed")
"""Who we are where we are not."""


class Workspaces(Protocol):
    """The workspaces we are in."""

    async def at(self, team_id: str, enterprise_id: str = "") -> WorkspaceRow:
        """Who we are in a workspace; `NOBODY` where we are not."""
        ...

    async def token(self, team_id: str) -> str:
        """The bot token of a workspace; "" where there is none."""
        ...

    async def home(self) -> str:
        """Where names of channels are looked up and admins are told; "" where we are nowhere."""
        ...

    async def gone(self, team_id: str) -> None:
        """Its tokens are dead: keep them no longer."""
        ...


class OneWorkspace:
    """The workspace of the environment's token."""

    def __init__(self, row: WorkspaceRow, token: str) -> None:
        self.row = row
        self._token = token

    async def at(self, team_id: str, enterprise_id: str = "") -> WorkspaceRow:
        """Who we are there, which is everywhere: a token sees the events of its workspace only."""
        del team_id, enterprise_id
        return self.row

    async def token(self, team_id: str) -> str:
        """The token."""
        del team_id
        return self._token

    async def home(self) -> str:
        """The one."""
        return self.row.team_id

    async def gone(self, team_id: str) -> None:
        """Leave it: the environment's token is not ours to delete."""


class InstalledWorkspaces:
    """The workspaces that have installed the app, and the environment's where it has a token."""

    def __init__(
        self,
        work: UnitOfWork,
        clock: Clock,
        installations: Installations,
        tokens: InstalledTokens,
        own: OneWorkspace | None = None,
    ) -> None:
        """Remember where they are kept.

        Args:
            work: Rows of workspaces.
            clock: Tells when a row is too old to be believed.
            installations: Tokens, sealed.
            tokens: Tokens, open and fresh.
            own: The environment's workspace; None where it has no token.
        """
        self._work = work
        self._clock = clock
        self.installations = installations
        self._tokens = tokens
        self._own = own
        self._believed: dict[str, tuple[datetime, WorkspaceRow]] = {}

    async def at(self, team_id: str, enterprise_id: str = "") -> WorkspaceRow:
        """Who we are in a workspace.

        A workspace of an organisation that has installed the app for all its workspaces has no row
        until something comes from it: then it gets one.

        Raises:
            StoreUnavailableError: the database is away.
        """
        if self._own is not None and team_id in ("", await self._own.home()):
            return await self._own.at(team_id)
        now = self._clock.now()
        believed = self._believed.get(team_id)
        if believed is not None and now < believed[0] + BELIEVED:
            return believed[1]
        row = await self._found(team_id, enterprise_id)
        if row is not NOBODY:
            self._believed[team_id] = (now, row)
        return row

    async def _found(self, team_id: str, enterprise_id: str) -> WorkspaceRow:
        async with self._work.begin() as tx:
            row = await tx.workspaces.get(team_id)
            if row is not None:
                return row
            parent = await tx.workspaces.get(enterprise_id) if enterprise_id else None
            if parent is None or parent.state != "active":
                return NOBODY
            made = replace(parent, team_id=team_id, enterprise_id=enterprise_id, url="")
            await tx.workspaces.put(made)
        return made

    async def token(self, team_id: str) -> str:
        """The bot token of a workspace, as its installation's row has it now.

        Raises:
            PortError: the row could not be read, or the token not be refreshed.
        """
        if self._own is not None and team_id in ("", await self._own.home()):
            return await self._own.token(team_id)
        row = await self.at(team_id)
        return await self._tokens.token(team_id, row.enterprise_id)

    async def home(self) -> str:
        """The environment's workspace, else the one that installed the app first."""
        if self._own is not None:
            return await self._own.home()
        async with self._work.begin() as tx:
            first = await tx.workspaces.first()
        return "" if first is None else first.team_id

    async def gone(self, team_id: str) -> None:
        """Delete its tokens."""
        self._believed.pop(team_id, None)
        logger.info(Event.UNINSTALLED, team_id=team_id)
        await self.installations.forget(team_id)

    async def installed(self, api: SlackApi, installation: Installation) -> WorkspaceRow:
        """Take a workspace in, or take it in again.

        Raises:
            StoreUnavailableError: the database is away; installing again takes it in.
        """
        row = row_of(installation)
        await self._keep(row)
        said = await api.call(row.team_id, "auth.test", {})
        if isinstance(said, Answer):
            row = replace(row, url=as_text(said.data.get("url")))
            await self._keep(row)
        logger.info(Event.INSTALLED, team_id=row.team_id)
        return row

    async def _keep(self, row: WorkspaceRow) -> None:
        async with self._work.begin() as tx:
            await tx.workspaces.put(row)
        self._believed.pop(row.team_id, None)
