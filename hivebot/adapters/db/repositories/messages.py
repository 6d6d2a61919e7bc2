"""What stands in the transcript, and what has become of it?"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import null, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import aliased
from sqlmodel import col

from hivebot.adapters.db.codec import encode
from hivebot.adapters.db.repositories.base import Repository
from hivebot.adapters.db.rows import message_of
from hivebot.adapters.db.tables import (
    ConversationTable,
    MessageRevisionTable,
    MessageTable,
    TurnTable,
)
from hivebot.services.ports import NewMessage
from hivebot.services.records.rows import MessageRow


class MessageRepository(Repository):
    """Transcript rows."""

    async def append(self, new: NewMessage) -> MessageRow:
        """Append under the conversation's lock; draws the next sequence from its row."""
        drawn = await self._session.execute(
            update(ConversationTable)
            .where(col(ConversationTable.id) == new.conversation_id)
            .values(last_seq=col(ConversationTable.last_seq) + 1)
            .returning(col(ConversationTable.last_seq))
        )
        row = await self._the(
            insert(MessageTable)
            .values(
                conversation_id=new.conversation_id,
                seq=drawn.scalar_one(),
                role=new.role.value,
                author=encode(new.author),
                ts=new.ts,
                user_id=new.user_id,
                user_team_id=new.user_team_id,
                content=new.content,
                shown=new.shown,
                addressed=new.addressed,
                wakes=new.wakes,
                mentions=encode(new.mentions),
                traces=encode(new.traces),
                turn_id=new.turn_id,
                referral_id=new.referral_id,
                copy_of=new.copy_of,
                judged=new.judged,
                files=list(new.files),
                created_at=self._now(),
            )
            .returning(MessageTable)
        )
        return message_of(row)

    async def get(self, message_id: int) -> MessageRow | None:
        """One row by id."""
        row = await self._one(select(MessageTable).where(col(MessageTable.id) == message_id))
        return None if row is None else message_of(row)

    async def find(self, team_id: str, channel_id: str, ts: str) -> tuple[MessageRow, ...]:
        """Rows that show this Slack message, in order of id."""
        rows = await self._all(
            select(MessageTable)
            .join(
                ConversationTable,
                col(ConversationTable.id) == col(MessageTable.conversation_id),
            )
            .where(
                col(ConversationTable.team_id) == team_id,
                col(ConversationTable.channel_id) == channel_id,
                col(MessageTable.ts) == ts,
            )
            .order_by(col(MessageTable.id))
        )
        return tuple(message_of(row) for row in rows)

    async def by_turn(self, turn_id: int) -> MessageRow | None:
        """The committed row of a turn; copies of it elsewhere are later rows."""
        row = await self._one(
            select(MessageTable)
            .where(col(MessageTable.turn_id) == turn_id)
            .order_by(col(MessageTable.id))
            .limit(1)
        )
        return None if row is None else message_of(row)

    async def window(
        self, conversation_id: int, limit: int, before: int | None = None
    ) -> tuple[MessageRow, ...]:
        """The newest `limit` rows below `before`, newest first."""
        statement = select(MessageTable).where(col(MessageTable.conversation_id) == conversation_id)
        if before is not None:
            statement = statement.where(col(MessageTable.seq) < before)
        rows = await self._all(statement.order_by(col(MessageTable.seq).desc()).limit(limit))
        return tuple(message_of(row) for row in rows)

    async def since(self, conversation_id: int, seq: int) -> tuple[MessageRow, ...]:
        """Rows above `seq`, oldest first."""
        rows = await self._all(
            select(MessageTable)
            .where(
                col(MessageTable.conversation_id) == conversation_id,
                col(MessageTable.seq) > seq,
            )
            .order_by(col(MessageTable.seq))
        )
        return tuple(message_of(row) for row in rows)

    async def unjudged(self, conversation_id: int) -> tuple[MessageRow, ...]:
        """Rows `route` has not decided about, oldest first."""
        rows = await self._all(
            select(MessageTable)
            .where(
                col(MessageTable.conversation_id) == conversation_id,
                col(MessageTable.judged).is_(False),
            )
            .order_by(col(MessageTable.seq))
        )
        return tuple(message_of(row) for row in rows)

    async def mark_judged(self, message_id: int, *, judged: bool = True) -> None:
        """`route` has decided about this row, or has to decide again."""
        await self._session.execute(
            update(MessageTable).where(col(MessageTable.id) == message_id).values(judged=judged)
        )

    async def revise(
        self, message_id: int, content: str, *, addressed: bool, at: datetime
    ) -> MessageRow:
        """Keep the old text as a revision and set the new one."""
        return await self._replace(message_id, at, content=content, addressed=addressed)

    async def correct(self, message_id: int, content: str, shown: str, at: datetime) -> MessageRow:
        """Put a person's words in the place of an agent's, which are kept as a revision."""
        return await self._replace(message_id, at, content=content, shown=shown, mentions=[])

    async def _replace(self, message_id: int, at: datetime, **values: object) -> MessageRow:
        old = await self._the(
            select(MessageTable).where(col(MessageTable.id) == message_id).with_for_update()
        )
        await self._session.execute(
            insert(MessageRevisionTable).values(
                message_id=message_id, revision=old.revision, content=old.content, replaced_at=at
            )
        )
        row = await self._the(
            update(MessageTable)
            .where(col(MessageTable.id) == message_id)
            .values(**values, revision=col(MessageTable.revision) + 1)
            .returning(MessageTable)
        )
        return message_of(row)

    async def erase(self, message_id: int, at: datetime) -> None:
        """Blank everything that was written; the number, the author and the place stay.

        The structure an agent's own row was made from goes as well; a copy has none of its own.
        """
        spoken = select(col(MessageTable.turn_id)).where(
            col(MessageTable.id) == message_id, col(MessageTable.copy_of).is_(None)
        )
        await self._session.execute(
            update(TurnTable).where(col(TurnTable.id).in_(spoken)).values(reply=null())
        )
        await self._session.execute(
            update(MessageRevisionTable)
            .where(col(MessageRevisionTable.message_id) == message_id)
            .values(content="")
        )
        await self._session.execute(
            update(MessageTable)
            .where(col(MessageTable.id) == message_id)
            .values(
                content="",
                shown="",
                mentions=null(),
                traces=[],
                files=[],
                wakes=False,
                judged=True,
                deleted_at=at,
            )
        )

    async def at_revision(self, message_id: int, revision: int) -> str | None:
        """The text a row had in one of its revisions; None when that is not kept."""
        row = await self.get(message_id)
        if row is None or row.revision == revision:
            return row.content if row is not None else None
        earlier = await self._session.execute(
            select(col(MessageRevisionTable.content)).where(
                col(MessageRevisionTable.message_id) == message_id,
                col(MessageRevisionTable.revision) == revision,
            )
        )
        return earlier.scalar_one_or_none()

    async def copies(self, message_id: int) -> tuple[MessageRow, ...]:
        """Rows made from this one, transitively, in order of id."""
        direct = select(col(MessageTable.id)).where(col(MessageTable.copy_of) == message_id)
        found = direct.cte("found", recursive=True)
        deeper = aliased(MessageTable)
        found = found.union(select(col(deeper.id)).join(found, col(deeper.copy_of) == found.c.id))
        rows = await self._all(
            select(MessageTable)
            .where(col(MessageTable.id).in_(select(found.c.id)))
            .order_by(col(MessageTable.id))
        )
        return tuple(message_of(row) for row in rows)

    async def fill(self, message_id: int, content: str) -> None:
        """Give a backfilled root's copy the text Slack has for it."""
        await self._session.execute(
            update(MessageTable).where(col(MessageTable.id) == message_id).values(content=content)
        )

    async def adopt(self, message_id: int, new: NewMessage) -> None:
        """Let a message that came late take the row that stood for it."""
        await self._session.execute(
            update(MessageTable)
            .where(col(MessageTable.id) == message_id)
            .values(
                role=new.role.value,
                author=encode(new.author),
                user_id=new.user_id,
                user_team_id=new.user_team_id,
                content=new.content,
                addressed=new.addressed,
                wakes=new.wakes,
                judged=new.judged,
                files=list(new.files),
            )
        )

    async def address(self, message_id: int, *, judged: bool) -> None:
        """The bot was mentioned in it after all."""
        await self._session.execute(
            update(MessageTable)
            .where(col(MessageTable.id) == message_id)
            .values(addressed=True, judged=judged)
        )

    async def set_ts(self, message_id: int, ts: str) -> None:
        """Record the ts of the post that shows the row."""
        await self._session.execute(
            update(MessageTable).where(col(MessageTable.id) == message_id).values(ts=ts)
        )
