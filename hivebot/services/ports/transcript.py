"""What do the use cases need of conversations and their messages?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from hivebot.hive.conversation import TranscriptAuthor
from hivebot.hive.mention import Mention
from hivebot.hive.trace import Trace
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.rows import (
    ConversationRow,
    MessageRole,
    MessageRow,
)


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A row to append; the repository draws its sequence."""

    conversation_id: int
    role: MessageRole
    author: TranscriptAuthor
    content: str
    ts: str = ""
    user_id: str = ""
    user_team_id: str = ""
    shown: str = ""
    addressed: bool = False
    wakes: bool = False
    mentions: tuple[Mention, ...] | None = None
    traces: tuple[Trace, ...] = ()
    turn_id: int | None = None
    referral_id: int | None = None
    copy_of: int | None = None
    judged: bool = False
    files: tuple[str, ...] = ()


class Conversations(Protocol):
    """Channels and threads."""

    async def get(self, conversation_id: int) -> ConversationRow | None:
        """One row by id."""
        ...

    async def find(self, team_id: str, channel_id: str, thread_ts: str) -> ConversationRow | None:
        """One row by its place; `thread_ts` "" is the channel itself."""
        ...

    async def ensure(
        self,
        team_id: str,
        channel_id: str,
        thread_ts: str,
        *,
        desk_id: str,
        audience: Audience,
        root_seq: int | None,
    ) -> ConversationRow:
        """The row for this place, made if absent; an existing row keeps its root and numbers."""
        ...

    async def open_log(self, thread_id: int) -> ConversationRow:
        """A new conversation beside a thread: the log of its next episode, locked.

        The thread must be locked.
        """
        ...

    async def lock(self, conversation_ids: Sequence[int]) -> tuple[ConversationRow, ...]:
        """Lock rows in id order, whatever order is given; returns them in id order."""
        ...

    async def set_answered(self, conversation_id: int, user_id: str) -> None:
        """Note who was answered last."""
        ...

    async def set_muted(self, conversation_id: int, *, muted: bool) -> None:
        """Mute or wake the conversation."""
        ...


class Messages(Protocol):
    """Transcript rows."""

    async def append(self, new: NewMessage) -> MessageRow:
        """Append under the conversation's lock; draws the next sequence."""
        ...

    async def get(self, message_id: int) -> MessageRow | None:
        """One row by id."""
        ...

    async def find(self, team_id: str, channel_id: str, ts: str) -> tuple[MessageRow, ...]:
        """Rows (channel row and thread copies) that show this Slack message."""
        ...

    async def by_turn(self, turn_id: int) -> MessageRow | None:
        """The committed row of a turn."""
        ...

    async def window(
        self, conversation_id: int, limit: int, before: int | None = None
    ) -> tuple[MessageRow, ...]:
        """The newest `limit` rows below `before`, newest first; deleted and backfilled included."""
        ...

    async def since(self, conversation_id: int, seq: int) -> tuple[MessageRow, ...]:
        """Rows above `seq`, oldest first."""
        ...

    async def unjudged(self, conversation_id: int) -> tuple[MessageRow, ...]:
        """Rows `route` has not decided about, oldest first."""
        ...

    async def mark_judged(self, message_id: int, *, judged: bool = True) -> None:
        """`route` has decided about this row, or has to decide again."""
        ...

    async def revise(
        self, message_id: int, content: str, *, addressed: bool, at: datetime
    ) -> MessageRow:
        """Keep the old text as a revision and set the new one."""
        ...

    async def correct(self, message_id: int, content: str, shown: str, at: datetime) -> MessageRow:
        """Put a person's words in the place of an agent's, which are kept as a revision.

        What the agent's words called on is called no more: the row has no mentions then.
        """
        ...

    async def erase(self, message_id: int, at: datetime) -> None:
        """Tombstone: blank the text, its revisions, mentions and traces; the number stays."""
        ...

    async def at_revision(self, message_id: int, revision: int) -> str | None:
        """The text a row had in one of its revisions; None when that is not kept."""
        ...

    async def copies(self, message_id: int) -> tuple[MessageRow, ...]:
        """Rows made from this one, transitively."""
        ...

    async def fill(self, message_id: int, content: str) -> None:
        """Give a backfilled root's copy the text Slack has for it; no new revision."""
        ...

    async def adopt(self, message_id: int, new: NewMessage) -> None:
        """Let a message that came late take the row that stood for it; the number stays."""
        ...

    async def address(self, message_id: int, *, judged: bool) -> None:
        """The bot was mentioned in it after all; not `judged`, `route` decides anew."""
        ...

    async def set_ts(self, message_id: int, ts: str) -> None:
        """Record the ts of the post that shows the row."""
        ...
