"""What is known of decisions, installations, configurations and spending?"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete, func, select, true, tuple_, update
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col

from hivebot.adapters.db.repositories.base import Repository
from hivebot.adapters.db.rows import decision_of, workspace_of
from hivebot.adapters.db.tables import (
    ConversationTable,
    DecisionTable,
    HoldTable,
    OutboxTable,
    PauseTable,
    RevisionTable,
    UsageTable,
    WorkspaceTable,
)
from hivebot.services.ports import NewDecision, StoredRevision
from hivebot.services.ports.keeping import BY_OPERATOR
from hivebot.services.records.rows import DecisionRow, WorkspaceRow


class DecisionRepository(Repository):
    """Recorded decisions."""

    async def add(self, new: NewDecision) -> DecisionRow:
        """Store one."""
        row = await self._the(
            insert(DecisionTable)
            .values(
                conversation_id=new.conversation_id,
                message_id=new.message_id,
                fold=new.fold,
                input=new.input,
                result=new.result,
                reason=new.reason,
                revision=new.revision,
                next_state=new.next_state,
                created_at=self._now(),
            )
            .returning(DecisionTable)
        )
        return decision_of(row)

    async def get(self, decision_id: int) -> DecisionRow | None:
        """One row by id."""
        row = await self._one(select(DecisionTable).where(col(DecisionTable.id) == decision_id))
        return None if row is None else decision_of(row)

    async def for_message(self, message_id: int) -> tuple[DecisionRow, ...]:
        """Decisions about a row, oldest first."""
        rows = await self._all(
            select(DecisionTable)
            .where(col(DecisionTable.message_id) == message_id)
            .order_by(col(DecisionTable.id))
        )
        return tuple(decision_of(row) for row in rows)

    async def of(self, conversation_id: int, fold: str) -> tuple[DecisionRow, ...]:
        """Decisions of one fold in a conversation, oldest first."""
        rows = await self._all(
            select(DecisionTable)
            .where(
                col(DecisionTable.conversation_id) == conversation_id,
                col(DecisionTable.fold) == fold,
            )
            .order_by(col(DecisionTable.id))
        )
        return tuple(decision_of(row) for row in rows)

    async def reasons(self, conversation_id: int, fold: str) -> dict[str, int]:
        """How often a fold gave each of its reasons in a conversation."""
        counted = await self._session.execute(
            select(col(DecisionTable.reason), func.count())
            .where(
                col(DecisionTable.conversation_id) == conversation_id,
                col(DecisionTable.fold) == fold,
            )
            .group_by(col(DecisionTable.reason))
        )
        return {row[0]: row[1] for row in counted}


class WorkspaceRepository(Repository):
    """Installations and channel facts."""

    async def get(self, team_id: str) -> WorkspaceRow | None:
        """One installation."""
        row = await self._one(select(WorkspaceTable).where(col(WorkspaceTable.team_id) == team_id))
        return None if row is None else workspace_of(row)

    async def put(self, row: WorkspaceRow) -> None:
        """Store or replace an installation."""
        values = {
            "url": row.url,
            "bot_user_id": row.bot_user_id,
            "bot_id": row.bot_id,
            "app_id": row.app_id,
            "state": row.state,
            "reason": row.reason,
            "enterprise_id": row.enterprise_id,
        }
        await self._session.execute(
            insert(WorkspaceTable)
            .values(team_id=row.team_id, since=self._now(), **values)
            .on_conflict_do_update(index_elements=["team_id"], set_=values)
        )

    async def first(self) -> WorkspaceRow | None:
        """The installation that is active and has been there longest."""
        row = await self._one(
            select(WorkspaceTable)
            .where(col(WorkspaceTable.state) == "active")
            .order_by(col(WorkspaceTable.since), col(WorkspaceTable.team_id))
            .limit(1)
        )
        return None if row is None else workspace_of(row)

    async def stop(self, team_id: str, reason: str) -> None:
        """Hold everything of this workspace."""
        await self._session.execute(
            update(WorkspaceTable)
            .where(col(WorkspaceTable.team_id) == team_id)
            .values(state="stopped", reason=reason)
        )

    async def pause_channel(
        self, team_id: str, channel_id: str, reason: str, *, operator: bool = False
    ) -> None:
        """Pause the desk bound to a channel ("" resumes it), unless an operator has paused it."""
        theirs = true() if operator else col(PauseTable.reason) != BY_OPERATOR
        if reason:
            await self._session.execute(
                insert(PauseTable)
                .values(team_id=team_id, channel_id=channel_id, reason=reason)
                .on_conflict_do_update(
                    index_elements=["team_id", "channel_id"],
                    set_={"reason": reason},
                    where=theirs,
                )
            )
            return
        await self._session.execute(
            delete(PauseTable).where(
                col(PauseTable.team_id) == team_id, col(PauseTable.channel_id) == channel_id, theirs
            )
        )

    async def paused(self, team_id: str, channel_id: str) -> str:
        """Why the channel is paused, or ""."""
        row = await self._one(
            select(PauseTable).where(
                col(PauseTable.team_id) == team_id, col(PauseTable.channel_id) == channel_id
            )
        )
        return "" if row is None else row.reason

    async def move_channel(self, team_id: str, old_id: str, new_id: str) -> None:
        """A channel id has changed; what new events have made under the new one stays."""
        taken = select(col(ConversationTable.thread_ts)).where(
            col(ConversationTable.team_id) == team_id,
            col(ConversationTable.channel_id) == new_id,
        )
        await self._session.execute(
            update(ConversationTable)
            .where(
                col(ConversationTable.team_id) == team_id,
                col(ConversationTable.channel_id) == old_id,
                col(ConversationTable.thread_ts).not_in(taken),
            )
            .values(channel_id=new_id)
        )
        await self._session.execute(
            update(OutboxTable)
            .where(col(OutboxTable.team_id) == team_id, col(OutboxTable.channel_id) == old_id)
            .values(channel_id=new_id)
        )
        await self._move_marks(team_id, old_id, new_id)

    async def _move_marks(self, team_id: str, old_id: str, new_id: str) -> None:
        reason = await self.paused(team_id, old_id)
        if reason:
            await self.pause_channel(team_id, old_id, "", operator=True)
            await self.pause_channel(team_id, new_id, reason)
        await self._session.execute(
            delete(HoldTable).where(
                tuple_(col(HoldTable.team_id), col(HoldTable.channel_id)) == (team_id, old_id)
            )
        )


class RevisionRepository(Repository):
    """Configuration revisions."""

    async def put(self, revision: str, source: str, at: datetime) -> None:
        """Store a revision's canonical source once, and make it the newest, if it is not.

        Whatever clocks say, it is later than the one that was the newest.
        """
        newest = await self.newest(1)
        if newest:
            if newest[0].revision == revision:
                return
            at = max(at, newest[0].in_force_at + timedelta(microseconds=1))
        await self._session.execute(
            insert(RevisionTable)
            .values(revision=revision, source=source, stored_at=at)
            .on_conflict_do_update(index_elements=["revision"], set_={"stored_at": at})
        )

    async def newest(self, limit: int) -> tuple[StoredRevision, ...]:
        """The revisions put in force last, the newest first."""
        latest = select(RevisionTable).order_by(col(RevisionTable.stored_at).desc()).limit(limit)
        rows = (await self._session.execute(latest)).scalars().all()
        return tuple(StoredRevision(row.revision, row.source, row.stored_at) for row in rows)

    async def get(self, revision: str) -> str | None:
        """A revision's canonical source."""
        row = await self._one(select(RevisionTable).where(col(RevisionTable.revision) == revision))
        return None if row is None else row.source


class UsageRepository(Repository):
    """What desks have spent, per UTC day."""

    async def add(self, desk_id: str, day: str, turns: int, tokens: int, usd_micros: int) -> None:
        """Add to the day's sums."""
        await self._session.execute(
            insert(UsageTable)
            .values(desk_id=desk_id, day=day, turns=turns, tokens=tokens, usd_micros=usd_micros)
            .on_conflict_do_update(
                index_elements=["desk_id", "day"],
                set_={
                    "turns": col(UsageTable.turns) + turns,
                    "tokens": col(UsageTable.tokens) + tokens,
                    "usd_micros": col(UsageTable.usd_micros) + usd_micros,
                },
            )
        )

    async def spent(self, desk_id: str, day: str) -> tuple[int, int, int]:
        """(turns, tokens, usd_micros) of the day."""
        row = await self._one(
            select(UsageTable).where(col(UsageTable.desk_id) == desk_id, col(UsageTable.day) == day)
        )
        return (0, 0, 0) if row is None else (row.turns, row.tokens, row.usd_micros)
