"""Which conversation is this, and who holds it?"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col

from hivebot.adapters.db.repositories.base import Repository
from hivebot.adapters.db.rows import conversation_of
from hivebot.adapters.db.tables import ConversationTable
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.rows import ConversationRow


class ConversationRepository(Repository):
    """Channels and threads."""

    async def get(self, conversation_id: int) -> ConversationRow | None:
        """One row by id."""
        row = await self._one(
            select(ConversationTable).where(col(ConversationTable.id) == conversation_id)
        )
        return None if row is None else conversation_of(row)

    async def find(self, team_id: str, channel_id: str, thread_ts: str) -> ConversationRow | None:
        """One row by its place."""
        row = await self._one(
            select(ConversationTable).where(
                col(ConversationTable.team_id) == team_id,
                col(ConversationTable.channel_id) == channel_id,
                col(ConversationTable.thread_ts) == thread_ts,
                col(ConversationTable.episode_no) == 0,
            )
        )
        return None if row is None else conversation_of(row)

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
        """The row for this place; desk and audience follow the latest event, the rest is kept."""
        latest = {"desk_id": desk_id, "audience": audience.value}
        row = await self._the(
            insert(ConversationTable)
            .values(
                team_id=team_id,
                channel_id=channel_id,
                thread_ts=thread_ts,
                root_seq=root_seq,
                **latest,
            )
            .on_conflict_do_update(
                index_elements=["team_id", "channel_id", "thread_ts", "episode_no"], set_=latest
            )
            .returning(ConversationTable)
        )
        return conversation_of(row)

    async def open_log(self, thread_id: int) -> ConversationRow:
        """A new conversation beside a thread: the log of its next episode, locked by being new."""
        thread = await self._the(
            select(ConversationTable).where(col(ConversationTable.id) == thread_id)
        )
        place = (
            col(ConversationTable.team_id) == thread.team_id,
            col(ConversationTable.channel_id) == thread.channel_id,
            col(ConversationTable.thread_ts) == thread.thread_ts,
        )
        highest = select(func.max(col(ConversationTable.episode_no))).where(*place)
        number = (await self._session.execute(highest)).scalar_one()
        row = await self._the(
            insert(ConversationTable)
            .values(
                team_id=thread.team_id,
                channel_id=thread.channel_id,
                thread_ts=thread.thread_ts,
                desk_id=thread.desk_id,
                audience=thread.audience,
                root_seq=thread.root_seq,
                episode_no=number + 1,
            )
            .returning(ConversationTable)
        )
        return conversation_of(row)

    async def lock(self, conversation_ids: Sequence[int]) -> tuple[ConversationRow, ...]:
        """Lock rows in id order, whatever order is given."""
        rows = await self._all(
            select(ConversationTable)
            .where(col(ConversationTable.id).in_(set(conversation_ids)))
            .order_by(col(ConversationTable.id))
            .with_for_update()
        )
        return tuple(conversation_of(row) for row in rows)

    async def set_answered(self, conversation_id: int, user_id: str) -> None:
        """Note who was answered last."""
        await self._session.execute(
            update(ConversationTable)
            .where(col(ConversationTable.id) == conversation_id)
            .values(answered_user_id=user_id)
        )

    async def set_muted(self, conversation_id: int, *, muted: bool) -> None:
        """Mute or wake the conversation."""
        await self._session.execute(
            update(ConversationTable)
            .where(col(ConversationTable.id) == conversation_id)
            .values(muted=muted)
        )
