"""What waits for a steward, and what was decided?"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import and_, null, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col

from hivebot.adapters.db.codec import encode
from hivebot.adapters.db.repositories.base import Repository
from hivebot.adapters.db.rows import gate_of
from hivebot.adapters.db.tables import GateTable, OutboxTable
from hivebot.adapters.db.tables.gating import OPEN_GATE
from hivebot.hive.gate import GateAct, GateState
from hivebot.services.records.gates import GateRow, NewGate
from hivebot.services.records.predictions import GatePrediction

_OPEN = GateState.OPEN.value


class GateRepository(Repository):
    """Gates."""

    async def add(self, new: NewGate) -> GateRow | None:
        """Open one; None when one of this kind and desk is open about this row already."""
        row = await self._one(
            insert(GateTable)
            .values(
                kind=new.kind.value,
                state=_OPEN,
                desk_id=new.desk_id,
                team_id=new.team_id,
                conversation_id=new.conversation_id,
                message_id=new.message_id,
                question_id=new.question_id,
                turn_id=new.turn_id,
                episode_id=new.episode_id,
                task_type=new.task_type,
                question=new.question,
                artifact=new.artifact,
                digest=new.digest,
                draft=encode(new.draft) if new.draft is not None else None,
                asker_user_id=new.asker_user_id,
                revision=new.revision,
                created_at=new.created_at,
                remind_at=new.remind_at,
                expires_at=new.expires_at,
            )
            .on_conflict_do_nothing(
                index_elements=["message_id", "kind", "desk_id"], index_where=text(OPEN_GATE)
            )
            .returning(GateTable)
        )
        return None if row is None else gate_of(row)

    async def get(self, gate_id: int) -> GateRow | None:
        """One row by id."""
        row = await self._one(select(GateTable).where(col(GateTable.id) == gate_id))
        return None if row is None else gate_of(row)

    async def lock(self, gate_id: int) -> GateRow | None:
        """Lock and read one row."""
        row = await self._one(
            select(GateTable).where(col(GateTable.id) == gate_id).with_for_update()
        )
        return None if row is None else gate_of(row)

    async def for_message(self, message_id: int) -> tuple[GateRow, ...]:
        """Every gate about a row, oldest first."""
        rows = await self._all(
            select(GateTable)
            .where(col(GateTable.message_id) == message_id)
            .order_by(col(GateTable.id))
        )
        return tuple(gate_of(row) for row in rows)

    async def serving(self, message_id: int) -> tuple[GateRow, ...]:
        """Every gate about a row, or about what is done for the question in it, oldest first."""
        rows = await self._all(
            select(GateTable)
            .where(
                or_(
                    col(GateTable.message_id) == message_id,
                    col(GateTable.question_id) == message_id,
                )
            )
            .order_by(col(GateTable.id))
        )
        return tuple(gate_of(row) for row in rows)

    async def by_post(self, outbox_id: int) -> GateRow | None:
        """The gate a posted message belongs to."""
        row = await self._one(select(GateTable).where(col(GateTable.post_id) == outbox_id))
        return None if row is None else gate_of(row)

    async def for_episode(self, episode_id: int) -> tuple[GateRow, ...]:
        """Every gate that has held an episode's outcome, oldest first."""
        rows = await self._all(
            select(GateTable)
            .where(col(GateTable.episode_id) == episode_id)
            .order_by(col(GateTable.id))
        )
        return tuple(gate_of(row) for row in rows)

    async def open_of(self, team_id: str, desk_id: str) -> tuple[GateRow, ...]:
        """Open gates of a desk, oldest first."""
        rows = await self._all(
            select(GateTable)
            .where(
                col(GateTable.state) == _OPEN,
                col(GateTable.team_id) == team_id,
                col(GateTable.desk_id) == desk_id,
            )
            .order_by(col(GateTable.id))
        )
        return tuple(gate_of(row) for row in rows)

    async def decided_by(self, user_id: str) -> tuple[GateRow, ...]:
        """Every gate a person has decided, oldest first."""
        rows = await self._all(
            select(GateTable)
            .where(col(GateTable.actor_user_id) == user_id)
            .order_by(col(GateTable.id))
        )
        return tuple(gate_of(row) for row in rows)

    async def open_at(self, team_id: str, channel_id: str, thread_ts: str) -> tuple[GateRow, ...]:
        """Open gates whose message heads this thread or stands in it, oldest first."""
        rows = await self._all(
            select(GateTable)
            .join(OutboxTable, col(OutboxTable.id) == col(GateTable.post_id))
            .where(
                col(GateTable.state) == _OPEN,
                col(OutboxTable.team_id) == team_id,
                col(OutboxTable.channel_id) == channel_id,
                or_(
                    col(OutboxTable.thread_ts) == thread_ts,
                    col(OutboxTable.ts).contains([thread_ts]),
                ),
            )
            .order_by(col(GateTable.id))
        )
        return tuple(gate_of(row) for row in rows)

    async def link(
        self, gate_id: int, *, post_id: int | None = None, status_id: int | None = None
    ) -> None:
        """Record the outbox rows of its message and of the line that says it waits."""
        known = {"post_id": post_id, "status_id": status_id}
        await self._set(
            gate_id, {name: value for name, value in known.items() if value is not None}
        )

    async def end(
        self,
        gate_id: int,
        state: GateState,
        at: datetime,
        *,
        act: GateAct | None = None,
        actor_user_id: str = "",
        words: str = "",
    ) -> bool:
        """Move an open gate to its end; False when it has ended before."""
        row = await self._one(
            update(GateTable)
            .where(col(GateTable.id) == gate_id, col(GateTable.state) == _OPEN)
            .values(
                state=state.value,
                decided_at=at,
                act=act.value if act is not None else "",
                actor_user_id=actor_user_id,
                words=words,
            )
            .returning(GateTable)
        )
        return row is not None

    async def predicted(self, gate_id: int, prediction: GatePrediction) -> None:
        """Keep what the proxy said of a gate."""
        await self._set(gate_id, {"prediction": encode(prediction)})

    async def settled(self, gate_id: int, at: datetime) -> bool:
        """What it held has been dealt with; False when it was before."""
        row = await self._one(
            update(GateTable)
            .where(col(GateTable.id) == gate_id, col(GateTable.settled_at).is_(None))
            .values(settled_at=at)
            .returning(GateTable)
        )
        return row is not None

    async def remind(self, gate_id: int) -> bool:
        """Note that its stewards are reminded; False when they were, or it has ended."""
        row = await self._one(
            update(GateTable)
            .where(
                col(GateTable.id) == gate_id,
                col(GateTable.state) == _OPEN,
                col(GateTable.reminded).is_(False),
            )
            .values(reminded=True)
            .returning(GateTable)
        )
        return row is not None

    async def due(self, now: datetime) -> tuple[GateRow, ...]:
        """Open gates past their end, or past their reminder and not reminded."""
        rows = await self._all(
            select(GateTable)
            .where(
                col(GateTable.state) == _OPEN,
                or_(
                    col(GateTable.expires_at) <= now,
                    and_(col(GateTable.remind_at) <= now, col(GateTable.reminded).is_(False)),
                ),
            )
            .order_by(col(GateTable.id))
        )
        return tuple(gate_of(row) for row in rows)

    async def blank(self, gate_id: int) -> None:
        """Erase what it shows and holds: its source was removed."""
        await self._set(
            gate_id, {"question": "", "artifact": "", "draft": None, "words": "", "digest": ""}
        )
        await self._session.execute(
            update(GateTable).where(col(GateTable.id) == gate_id).values(prediction=null())
        )

    async def _set(self, gate_id: int, values: Mapping[str, object]) -> None:
        if values:
            await self._session.execute(
                update(GateTable).where(col(GateTable.id) == gate_id).values(dict(values))
            )
