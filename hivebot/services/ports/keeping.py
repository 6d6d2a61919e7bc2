"""What do the use cases need of workspaces, configurations and what was spent?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from hivebot.services.records.rows import (
    WorkspaceRow,
)

BY_OPERATOR = "paused by an operator"
"""Why a place is paused that an operator has paused."""


class Workspaces(Protocol):
    """Installations and channel facts."""

    async def get(self, team_id: str) -> WorkspaceRow | None:
        """One installation."""
        ...

    async def put(self, row: WorkspaceRow) -> None:
        """Store or replace an installation."""
        ...

    async def first(self) -> WorkspaceRow | None:
        """The installation that is active and has been there longest."""
        ...

    async def stop(self, team_id: str, reason: str) -> None:
        """Hold everything of this workspace, with the reason for the console."""
        ...

    async def pause_channel(
        self, team_id: str, channel_id: str, reason: str, *, operator: bool = False
    ) -> None:
        """Pause the desk bound to a channel ("" resumes it).

        What an operator has paused stays so, with that reason, till an operator resumes it:
        nothing that Slack tells of the channel changes it.
        """
        ...

    async def paused(self, team_id: str, channel_id: str) -> str:
        """Why the channel is paused, or ""."""
        ...

    async def move_channel(self, team_id: str, old_id: str, new_id: str) -> None:
        """A channel id has changed; bindings and queues follow."""
        ...


@dataclass(frozen=True, slots=True)
class StoredRevision:
    """A configuration as it is kept. `in_force_at` is when it was last put in force."""

    revision: str
    source: str
    in_force_at: datetime


class Revisions(Protocol):
    """Configuration revisions, so that running work ends under the one it began with."""

    async def put(self, revision: str, source: str, at: datetime) -> None:
        """Store a revision's canonical source once, and make it the newest, if it is not."""
        ...

    async def newest(self, limit: int) -> tuple[StoredRevision, ...]:
        """The revisions put in force last, the newest first; it holds for every process."""
        ...

    async def get(self, revision: str) -> str | None:
        """A revision's canonical source."""
        ...


class Usage(Protocol):
    """What desks have spent, per UTC day."""

    async def add(self, desk_id: str, day: str, turns: int, tokens: int, usd_micros: int) -> None:
        """Add to the day's sums. `day` is `YYYY-MM-DD`."""
        ...

    async def spent(self, desk_id: str, day: str) -> tuple[int, int, int]:
        """(turns, tokens, usd_micros) of the day."""
        ...
