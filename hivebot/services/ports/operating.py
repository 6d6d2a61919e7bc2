"""What does an operator need to know, and to do, about what waits? A protocol and its values.

Source: product.md 9, datapath.md 3 and 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

WaitingKind = Literal["posts", "turn", "gate", "referral", "deliberation", "jobs"]


@dataclass(frozen=True, slots=True)
class WaitingItem:
    """Something that waits.

    Attributes:
        where: Channel or desk, without names of people.
        count: How many, in that place.
        since: The oldest of them.
        behind: What it waits for, in words; "" when only nobody has come to it yet.
    """

    kind: WaitingKind
    where: str
    count: int
    since: datetime
    behind: str


@dataclass(frozen=True, slots=True)
class Held:
    """A place whose posts are held. `channel_id` "" is the whole workspace."""

    team_id: str
    channel_id: str
    why: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Unposted:
    """A post that Slack refused, or of which nobody knows whether it stands there."""

    outbox_id: int
    state: Literal["failed", "unknown"]
    channel_id: str
    error: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything that waits, is held or has failed."""

    waiting: tuple[WaitingItem, ...]
    held: tuple[Held, ...]
    unposted: tuple[Unposted, ...]


@dataclass(frozen=True, slots=True)
class ReferralCount:
    """Questions from one desk to another in the last 30 days.

    Attributes:
        failed: Those of them that were refused, failed or expired.
    """

    from_desk: str
    to_desk: str
    asked: int
    failed: int


class Operating(Protocol):
    """Looks at all queues, and lets single posts go on."""

    async def overview(self, now: datetime) -> Overview:
        """Everything there is, the oldest of each kind first."""
        ...

    async def referrals(self) -> tuple[ReferralCount, ...]:
        """How many questions went between each two desks in the last 30 days, by their ids."""
        ...

    async def teams(self) -> tuple[str, ...]:
        """Workspaces the app is installed in."""
        ...

    async def queues(self) -> tuple[tuple[str, str], ...]:
        """(team, channel) of everything that is not sent yet, held or not."""
        ...

    async def retry(self, outbox_id: int) -> tuple[str, str] | None:
        """Send a failed post again; look for an unknown one first. Its (team, channel).

        None: it is neither, or nothing of what it said is kept.
        """
        ...

    async def drop(self, outbox_id: int) -> tuple[str, str] | None:
        """Give a post up that waits and was never posted; its (team, channel), None for others."""
        ...
