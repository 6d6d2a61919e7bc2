"""What do the use cases need of what has arrived?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from hivebot.services.ports.transcript import NewMessage
from hivebot.services.records.arrivals import Audience, EventKey


@dataclass(frozen=True, slots=True)
class NewArrival:
    """A message at a channel's top level as it comes in, with the event that brought it.

    Attributes:
        payload: The event as it is kept.
        team_id: The installation's team.
        desk_id, audience: Of the channel, which follows the latest event.
        message: Its row; the conversation is the channel's, whatever it says.
    """

    key: EventKey
    payload: dict[str, object]
    team_id: str
    channel_id: str
    desk_id: str
    audience: Audience
    message: NewMessage


class Inbox(Protocol):
    """The two de-duplication keys and the raw payloads."""

    async def claim_event(self, key: EventKey, payload: dict[str, object]) -> int | None:
        """Store the event; None when (team, event id) was seen before."""
        ...

    async def has_event(self, key: EventKey) -> bool:
        """Whether (team, event id) was seen before."""
        ...

    async def take(self, arrivals: Sequence[NewArrival]) -> tuple[int | None, ...]:
        """Store events and messages at once, where nothing else is known of the message.

        Every message is locked as by `lock_message` and every channel as by `lock`. Of an event
        that was seen before, and of a message that was taken, deleted or edited before or that a
        row stands for, nothing is written; nor of the second of two that are the same message.

        Returns:
            For each, the id of its channel's conversation; None where nothing of it was written.

        Raises:
            StoreConflictError: one of them is being taken elsewhere at this moment.
        """
        ...

    async def lock_message(self, team_id: str, channel_id: str, ts: str) -> None:
        """Keep all other news of this message waiting until the transaction ends.

        Comes before any look at its rows: its arrival, edits and deletion may come at once.
        """
        ...

    async def claim_message(self, team_id: str, channel_id: str, ts: str) -> bool:
        """Take the second key; False when this message was taken before."""
        ...

    async def tombstone(self, team_id: str, channel_id: str, ts: str, at: datetime) -> None:
        """Remember that a message was deleted, whether we saw it or not."""
        ...

    async def is_tombstoned(self, team_id: str, channel_id: str, ts: str) -> bool:
        """Whether the message was deleted."""
        ...

    async def pend_revision(
        self, team_id: str, channel_id: str, ts: str, text: str, *, addressed: bool
    ) -> None:
        """Remember an edit of a message we never saw."""
        ...

    async def pending_revision(
        self, team_id: str, channel_id: str, ts: str
    ) -> tuple[str, bool] | None:
        """Text and flag of an edit that came before the message."""
        ...

    async def erase_payloads(self, team_id: str, channel_id: str, ts: str) -> None:
        """Blank the stored payloads of every event about this message."""
        ...

    async def purge(self, before: datetime) -> int:
        """Blank payloads older than `before`; the keys stay. Returns the number of rows."""
        ...
