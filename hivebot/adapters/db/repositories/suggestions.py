"""Which corrections wait for a steward?"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col

from hivebot.adapters.db.repositories.base import Repository
from hivebot.adapters.db.tables import SuggestionTable
from hivebot.adapters.db.tables.suggesting import OPEN_SUGGESTION
from hivebot.services.records.suggestions import NewSuggestion, SuggestionRow, SuggestionState

_OPEN = SuggestionState.OPEN.value


class SuggestionRepository(Repository):
    """Suggested corrections."""

    async def add(self, new: NewSuggestion) -> SuggestionRow | None:
        """Keep one; None when this person has one open about this answer."""
        row = await self._one(
            insert(SuggestionTable)
            .values(
                state=_OPEN,
                team_id=new.team_id,
                desk_id=new.desk_id,
                message_id=new.message_id,
                revision=new.revision,
                user_id=new.user_id,
                words=new.words,
                created_at=self._now(),
            )
            .on_conflict_do_nothing(
                index_elements=["message_id", "user_id"], index_where=text(OPEN_SUGGESTION)
            )
            .returning(SuggestionTable)
        )
        return None if row is None else _record(row)

    async def lock(self, suggestion_id: int) -> SuggestionRow | None:
        """Lock and read one row."""
        row = await self._one(
            select(SuggestionTable)
            .where(col(SuggestionTable.id) == suggestion_id)
            .with_for_update()
        )
        return None if row is None else _record(row)

    async def of_answer(self, message_id: int) -> tuple[SuggestionRow, ...]:
        """Every one about an answer, oldest first."""
        rows = await self._all(
            select(SuggestionTable)
            .where(col(SuggestionTable.message_id) == message_id)
            .order_by(col(SuggestionTable.id))
        )
        return tuple(_record(row) for row in rows)

    async def by_user(self, user_id: str) -> tuple[SuggestionRow, ...]:
        """Every one of a person, oldest first."""
        rows = await self._all(
            select(SuggestionTable)
            .where(col(SuggestionTable.user_id) == user_id)
            .order_by(col(SuggestionTable.id))
        )
        return tuple(_record(row) for row in rows)

    async def link(self, suggestion_id: int, post_id: int) -> None:
        """Record the outbox row of the line that shows it."""
        await self._session.execute(
            update(SuggestionTable)
            .where(col(SuggestionTable.id) == suggestion_id)
            .values(post_id=post_id)
        )

    async def end(
        self, suggestion_id: int, state: SuggestionState, at: datetime, actor_user_id: str = ""
    ) -> bool:
        """Move an open one to its end; False when it has ended before."""
        row = await self._one(
            update(SuggestionTable)
            .where(col(SuggestionTable.id) == suggestion_id, col(SuggestionTable.state) == _OPEN)
            .values(state=state.value, ended_at=at, actor_user_id=actor_user_id)
            .returning(SuggestionTable)
        )
        return row is not None

    async def blank(self, suggestion_id: int) -> None:
        """Erase its words and whose they were."""
        await self._session.execute(
            update(SuggestionTable)
            .where(col(SuggestionTable.id) == suggestion_id)
            .values(words="", user_id="")
        )


def _record(row: SuggestionTable) -> SuggestionRow:
    return SuggestionRow(
        id=row.id or 0,
        state=SuggestionState(row.state),
        new=NewSuggestion(
            team_id=row.team_id,
            desk_id=row.desk_id,
            message_id=row.message_id,
            revision=row.revision,
            user_id=row.user_id,
            words=row.words,
        ),
        post_id=row.post_id,
        actor_user_id=row.actor_user_id,
        created_at=row.created_at,
        ended_at=row.ended_at,
    )
