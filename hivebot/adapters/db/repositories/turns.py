"""Who may speak, who is speaking, and how did it end?"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.sql.dml import Update
from sqlmodel import col

from hivebot.adapters.db.codec import encode
from hivebot.adapters.db.repositories.base import Repository, Rows
from hivebot.adapters.db.rows import turn_of
from hivebot.adapters.db.tables import TurnTable
from hivebot.services.ports import NewTurn, StoreConflictError
from hivebot.services.records.asking import ReplyFailure, TurnReply
from hivebot.services.records.replies import Reply, Shape
from hivebot.services.records.rows import TurnKind, TurnRow, TurnState

_OPEN = (TurnState.AUTHORISED, TurnState.RUNNING, TurnState.HELD)
_CLAIMABLE = (TurnState.AUTHORISED, TurnState.RUNNING)
_UNCLOSED = (TurnState.WAITING, *_OPEN)


class TurnRepository(Repository):
    """Authorised speeches."""

    async def add(self, new: NewTurn) -> TurnRow:
        """Store a turn.

        Raises:
            StoreConflictError: The conversation has an open turn already.
        """
        now = self._now()
        statement = (
            insert(TurnTable)
            .values(
                conversation_id=new.conversation_id,
                decision_id=new.decision_id,
                kind=new.kind.value,
                agent_id=new.agent_id,
                state=new.state.value,
                trigger_id=new.trigger_id,
                question_id=new.question_id,
                asker_user_id=new.asker_user_id,
                referral_id=new.referral_id,
                episode_id=new.episode_id,
                hop=new.hop,
                revision=new.revision,
                notes=list(new.notes),
                progress_id=new.progress_id,
                reason=new.reason,
                created_at=now,
                touched_at=now,
            )
            .returning(TurnTable)
        )
        return await self._opening(statement)

    async def get(self, turn_id: int) -> TurnRow | None:
        """One row by id."""
        row = await self._one(select(TurnTable).where(col(TurnTable.id) == turn_id))
        return None if row is None else turn_of(row)

    async def open_turn(self, conversation_id: int) -> TurnRow | None:
        """The one open turn of the conversation."""
        row = await self._one(
            select(TurnTable).where(
                col(TurnTable.conversation_id) == conversation_id, _in_state(*_OPEN)
            )
        )
        return None if row is None else turn_of(row)

    async def waiting(self, conversation_id: int) -> tuple[TurnRow, ...]:
        """Waiting turns in order of arrival."""
        rows = await self._all(
            select(TurnTable)
            .where(
                col(TurnTable.conversation_id) == conversation_id,
                _in_state(TurnState.WAITING),
            )
            .order_by(col(TurnTable.id))
        )
        return tuple(turn_of(row) for row in rows)

    async def authorise(self, turn_id: int, decision_id: int | None) -> TurnRow:
        """Open a waiting turn.

        Raises:
            StoreConflictError: It does not wait any more, or another is open.
        """
        statement = (
            update(TurnTable)
            .where(col(TurnTable.id) == turn_id, _in_state(TurnState.WAITING))
            .values(
                state=TurnState.AUTHORISED.value,
                decision_id=decision_id,
                touched_at=self._now(),
            )
            .returning(TurnTable)
        )
        return await self._opening(statement)

    async def claim(self, turn_id: int) -> TurnRow | None:
        """Take an authorised or running turn; None otherwise."""
        row = await self._one(
            update(TurnTable)
            .where(col(TurnTable.id) == turn_id, _in_state(*_CLAIMABLE))
            .values(
                attempt=col(TurnTable.attempt) + 1,
                state=TurnState.RUNNING.value,
                touched_at=self._now(),
            )
            .returning(TurnTable)
        )
        return None if row is None else turn_of(row)

    async def give_back(self, turn_id: int, attempt: int) -> None:
        """Undo a claim that still holds: the turn is authorised again and has cost no attempt."""
        await self._session.execute(
            _mine(turn_id, attempt).values(
                attempt=attempt - 1, state=TurnState.AUTHORISED.value, touched_at=self._now()
            )
        )

    async def choose(self, turn_id: int, attempt: int, agent_id: str, reason: str) -> bool:
        """Set who speaks; False when another attempt runs."""
        return await self._changes(
            _mine(turn_id, attempt).values(agent_id=agent_id, reason=reason, touched_at=self._now())
        )

    async def hold(self, turn_id: int, attempt: int, reply: TurnReply) -> bool:
        """Keep a running turn open with its reply as a draft; False: another attempt runs."""
        return await self._changes(
            _mine(turn_id, attempt).values(
                state=TurnState.HELD.value,
                touched_at=self._now(),
                tokens_in=reply.spent.tokens_in,
                tokens_out=reply.spent.tokens_out,
                cost_usd_micros=reply.spent.cost_usd_micros,
                shape=reply.shape.value,
                reply=encode(reply.reply),
            )
        )

    async def release(self, turn_id: int) -> bool:
        """Close a held turn as committed; False when it is not held."""
        return await self._changes(
            update(TurnTable)
            .where(col(TurnTable.id) == turn_id, _in_state(TurnState.HELD))
            .values(state=TurnState.COMMITTED.value, touched_at=self._now())
            .returning(TurnTable)
        )

    async def commit(
        self, turn_id: int, attempt: int, reply: TurnReply | ReplyFailure, reason: str = ""
    ) -> bool:
        """Close as committed if running under this attempt; False: the loser writes nothing."""
        closed: dict[str, object] = {
            "state": TurnState.COMMITTED.value,
            "touched_at": self._now(),
            "tokens_in": reply.spent.tokens_in,
            "tokens_out": reply.spent.tokens_out,
            "cost_usd_micros": reply.spent.cost_usd_micros,
        }
        if isinstance(reply, TurnReply):
            closed |= {"shape": reply.shape.value, "reply": encode(reply.reply)}
        else:
            closed["shape"] = Shape.FAILED.value
        if reason:
            closed["reason"] = reason
        return await self._changes(_mine(turn_id, attempt).values(closed))

    async def close(self, turn_id: int, state: TurnState, reason: str) -> bool:
        """End as failed or cancelled unless already closed; a draft that was held is gone."""
        return await self._changes(
            update(TurnTable)
            .where(col(TurnTable.id) == turn_id, _in_state(*_UNCLOSED))
            .values(state=state.value, reason=reason, reply=None, touched_at=self._now())
        )

    async def latest(self, conversation_id: int, kind: TurnKind) -> TurnRow | None:
        """The newest turn of a kind in a conversation."""
        row = await self._one(
            select(TurnTable)
            .where(
                col(TurnTable.conversation_id) == conversation_id, col(TurnTable.kind) == kind.value
            )
            .order_by(col(TurnTable.id).desc())
            .limit(1)
        )
        return None if row is None else turn_of(row)

    async def replies(self, conversation_id: int) -> dict[int, Reply | None]:
        """What each committed turn of a conversation consisted of, by turn id."""
        rows = await self._all(
            select(TurnTable)
            .where(
                col(TurnTable.conversation_id) == conversation_id,
                _in_state(TurnState.COMMITTED),
            )
            .order_by(col(TurnTable.id))
        )
        return {turn.id: turn.reply for turn in map(turn_of, rows)}

    async def for_message(self, message_id: int) -> tuple[TurnRow, ...]:
        """Turns triggered by, or serving, this row, in order of arrival."""
        rows = await self._all(
            select(TurnTable)
            .where(
                or_(
                    col(TurnTable.trigger_id) == message_id,
                    col(TurnTable.question_id) == message_id,
                )
            )
            .order_by(col(TurnTable.id))
        )
        return tuple(turn_of(row) for row in rows)

    async def stale(self, before: datetime) -> tuple[TurnRow, ...]:
        """Open turns nobody has touched since `before`, in order of arrival."""
        rows = await self._all(
            select(TurnTable)
            .where(_in_state(*_OPEN), col(TurnTable.touched_at) < before)
            .order_by(col(TurnTable.id))
        )
        return tuple(turn_of(row) for row in rows)

    async def touch(self, turn_id: int) -> None:
        """Somebody sees to it now."""
        await self._session.execute(
            update(TurnTable).where(col(TurnTable.id) == turn_id).values(touched_at=self._now())
        )

    async def _opening(self, statement: Rows[TurnTable]) -> TurnRow:
        try:
            # The savepoint keeps the transaction usable for a caller who expects the conflict.
            async with self._session.begin_nested():
                row = await self._one(statement)
        except IntegrityError as exc:
            if "uq_turn_open" not in str(exc.orig):
                raise
            raise StoreConflictError("the conversation has an open turn") from exc
        if row is None:
            raise StoreConflictError("the turn does not wait any more")
        return turn_of(row)

    async def _changes(self, statement: Update) -> bool:
        changed = await self._session.execute(statement.returning(col(TurnTable.id)))
        return changed.scalar_one_or_none() is not None


def _in_state(*states: TurnState) -> ColumnElement[bool]:
    return col(TurnTable.state).in_([state.value for state in states])


def _mine(turn_id: int, attempt: int) -> Update:
    return update(TurnTable).where(
        col(TurnTable.id) == turn_id,
        col(TurnTable.attempt) == attempt,
        _in_state(TurnState.RUNNING),
    )
