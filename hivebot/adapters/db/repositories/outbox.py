"""What is to be shown in Slack next, and what has become of it? Source: datapath.md 4."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, and_, any_, case, exists, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import aliased
from sqlalchemy.sql.dml import Update
from sqlmodel import col

from hivebot.adapters.db.codec import encode
from hivebot.adapters.db.repositories.base import Repository
from hivebot.adapters.db.rows import outbox_of
from hivebot.adapters.db.tables import (
    HoldTable,
    MessageTable,
    OutboxTable,
    PauseTable,
    WorkspaceTable,
)
from hivebot.services.ports import NewOutbox
from hivebot.services.records.outgoing import Body, OutboxKind, OutboxState
from hivebot.services.records.rows import OutboxRow

_UNSENT = (OutboxState.QUEUED.value, OutboxState.SENDING.value)
_ENDED_WITHOUT_TS = (
    OutboxState.FAILED.value,
    OutboxState.UNKNOWN.value,
    OutboxState.CANCELLED.value,
)


def method_of(kind: OutboxKind, *, posted: bool) -> str:
    """The Web API method that sends a row next; `hold` names it where Slack limits a method."""
    if kind is OutboxKind.DELETE:
        return "chat.delete"
    if kind is OutboxKind.EPHEMERAL:
        return "chat.postEphemeral"
    return "chat.update" if posted else "chat.postMessage"


class OutboxRepository(Repository):
    """Wanted messages."""

    async def add(self, new: NewOutbox) -> OutboxRow:
        """Queue one."""
        row = await self._the(
            insert(OutboxTable)
            .values(
                kind=new.kind.value,
                state=OutboxState.QUEUED.value,
                team_id=new.destination.team_id,
                channel_id=new.destination.channel_id,
                thread_ts=new.destination.thread_ts,
                user_id=new.destination.user_id,
                body=encode(new.body),
                message_id=new.message_id,
                turn_id=new.turn_id,
                thread_of=new.thread_of,
                target_id=new.target_id,
                needs=list(new.needs),
                created_at=self._now(),
            )
            .returning(OutboxTable)
        )
        return outbox_of(row)

    async def get(self, outbox_id: int) -> OutboxRow | None:
        """One row by id."""
        row = await self._one(select(OutboxTable).where(col(OutboxTable.id) == outbox_id))
        return None if row is None else outbox_of(row)

    async def revise(
        self, outbox_id: int, body: Body, *, not_before: datetime | None = None
    ) -> OutboxRow:
        """Set the newest wanted text and queue it; a row on its way is queued when it arrives."""
        under_way = col(OutboxTable.state) == OutboxState.SENDING.value
        row = await self._the(
            update(OutboxTable)
            .where(col(OutboxTable.id) == outbox_id)
            .values(
                body=encode(body),
                revision=col(OutboxTable.revision) + 1,
                not_before=case((under_way, col(OutboxTable.not_before)), else_=not_before),
                state=case((under_way, OutboxState.SENDING.value), else_=OutboxState.QUEUED.value),
            )
            .returning(OutboxTable)
        )
        return outbox_of(row)

    async def next_due(self, team_id: str, channel_id: str, now: datetime) -> OutboxRow | None:
        """Head of the channel's queue that may go now; None: nothing to do."""
        head = await self._head(team_id, channel_id)
        if head is None:
            return None
        moment = await self._moment(head)
        return outbox_of(head) if moment is None or moment <= now else None

    async def next_moment(self, team_id: str, channel_id: str) -> datetime | None:
        """When the channel's head may go, if only a moment keeps it."""
        head = await self._head(team_id, channel_id)
        return None if head is None else await self._moment(head)

    async def claim(self, outbox_id: int, now: datetime, look_at: datetime) -> OutboxRow | None:
        """Queued -> sending, attempt + 1; from `look_at` on it is a head again."""
        row = await self._one(
            update(OutboxTable)
            .where(
                col(OutboxTable.id) == outbox_id,
                col(OutboxTable.state) == OutboxState.QUEUED.value,
            )
            .values(
                state=OutboxState.SENDING.value,
                attempt=col(OutboxTable.attempt) + 1,
                sending_at=now,
                not_before=look_at,
            )
            .returning(OutboxTable)
        )
        return None if row is None else outbox_of(row)

    async def sent(self, outbox_id: int, attempt: int, revision: int, ts: tuple[str, ...]) -> bool:
        """Record the ts; False: another attempt has it."""
        grown = col(OutboxTable.revision) > revision
        row = await self._one(
            _mine(outbox_id, attempt, OutboxState.SENDING)
            .values(
                ts=list(ts),
                sent_revision=revision,
                state=case((grown, OutboxState.QUEUED.value), else_=OutboxState.SENT.value),
                lookups=0,
                not_before=None,
                error="",
            )
            .returning(OutboxTable)
        )
        if row is None:
            return False
        if row.message_id is not None and ts and OutboxKind(row.kind) in _SHOWING:
            await self._session.execute(
                update(MessageTable).where(col(MessageTable.id) == row.message_id).values(ts=ts[0])
            )
        return True

    async def waiters(self, outbox_id: int) -> tuple[tuple[str, str], ...]:
        """(team, channel) of queued rows that wait for this one, sorted."""
        places = await self._session.execute(
            select(col(OutboxTable.team_id), col(OutboxTable.channel_id))
            .where(
                col(OutboxTable.state).in_(_UNSENT),
                or_(
                    col(OutboxTable.thread_of) == outbox_id,
                    col(OutboxTable.needs).contains([outbox_id]),
                ),
            )
            .distinct()
            .order_by(col(OutboxTable.team_id), col(OutboxTable.channel_id))
        )
        return tuple((team_id, channel_id) for team_id, channel_id in places)

    async def settle(
        self,
        outbox_id: int,
        attempt: int,
        state: OutboxState,
        error: str,
        not_before: datetime | None = None,
    ) -> bool:
        """Record any other end of a try, or of a row that was never tried."""
        row = await self._one(
            _mine(outbox_id, attempt, OutboxState.QUEUED, OutboxState.SENDING)
            .values(state=state.value, error=error, not_before=not_before)
            .returning(OutboxTable)
        )
        return row is not None

    async def seen(self, outbox_id: int, part: int, ts: str) -> None:
        """Our own post came back as an event: remember its ts for the lookup."""
        row = await self._one(
            select(OutboxTable).where(col(OutboxTable.id) == outbox_id).with_for_update()
        )
        if row is not None and [part, ts] not in row.seen:
            await self._session.execute(
                update(OutboxTable)
                .where(col(OutboxTable.id) == outbox_id)
                .values(seen=[*row.seen, [part, ts]])
            )

    async def looked(self, outbox_id: int, not_before: datetime) -> None:
        """A lookup missed; look again then."""
        await self._session.execute(
            update(OutboxTable)
            .where(col(OutboxTable.id) == outbox_id)
            .values(lookups=col(OutboxTable.lookups) + 1, not_before=not_before)
        )

    async def forget_ts(self, outbox_id: int) -> None:
        """What was posted is gone: queue the row to be posted anew."""
        await self._session.execute(
            update(OutboxTable)
            .where(col(OutboxTable.id) == outbox_id)
            .values(state=OutboxState.QUEUED.value, ts=[], seen=[], sent_revision=0, lookups=0)
        )

    async def by_ts(self, team_id: str, channel_id: str, ts: str) -> OutboxRow | None:
        """The row one of whose parts has this ts; the newest, should several claim it."""
        row = await self._one(
            select(OutboxTable)
            .where(
                col(OutboxTable.team_id) == team_id,
                col(OutboxTable.channel_id) == channel_id,
                col(OutboxTable.ts).contains([ts]),
            )
            .order_by(col(OutboxTable.id).desc())
            .limit(1)
        )
        return None if row is None else outbox_of(row)

    async def for_message(self, message_id: int) -> tuple[OutboxRow, ...]:
        """Rows that show this transcript row, in order of id."""
        return await self._where(
            col(OutboxTable.message_id) == message_id,
            col(OutboxTable.kind) != OutboxKind.EPHEMERAL.value,
        )

    async def private_about(self, message_id: int) -> tuple[OutboxRow, ...]:
        """Private lines that answer this transcript row, in order of id."""
        return await self._where(
            col(OutboxTable.message_id) == message_id,
            col(OutboxTable.kind) == OutboxKind.EPHEMERAL.value,
        )

    async def for_turn(self, turn_id: int) -> tuple[OutboxRow, ...]:
        """Rows a turn has asked for, in order of id."""
        return await self._where(col(OutboxTable.turn_id) == turn_id)

    async def hold(self, team_id: str, channel_id: str, method: str, until: datetime) -> None:
        """Hold a channel's queue, or a method in the workspace; a longer hold stays."""
        statement = insert(HoldTable).values(
            team_id=team_id, channel_id=channel_id, method=method, until=until
        )
        await self._session.execute(
            statement.on_conflict_do_update(
                index_elements=["team_id", "channel_id", "method"],
                set_={"until": func.greatest(col(HoldTable.until), until)},
            )
        )

    async def channels_waiting(self, now: datetime) -> tuple[tuple[str, str], ...]:
        """(team, channel) of every queue with something that may go now, sorted."""
        places = await self._session.execute(
            select(col(OutboxTable.team_id), col(OutboxTable.channel_id))
            .where(col(OutboxTable.state).in_(_UNSENT))
            .distinct()
            .order_by(col(OutboxTable.team_id), col(OutboxTable.channel_id))
        )
        return tuple(
            [
                (team_id, channel_id)
                for team_id, channel_id in places.all()
                if await self.next_due(team_id, channel_id, now) is not None
            ]
        )

    async def blank(self, outbox_id: int) -> None:
        """Erase the body of a row whose source was erased."""
        await self._session.execute(
            update(OutboxTable)
            .where(col(OutboxTable.id) == outbox_id)
            .values(body=encode(Body(text="")))
        )

    async def purge(self, before: datetime) -> int:
        """Blank the bodies of rows made before then whose sending has ended; how many."""
        blank = encode(Body(text=""))
        purged = await self._session.execute(
            update(OutboxTable)
            .where(
                col(OutboxTable.created_at) < before,
                col(OutboxTable.state).not_in(_UNSENT),
                col(OutboxTable.body) != blank,
            )
            .values(body=blank)
            .returning(col(OutboxTable.id))
        )
        return len(purged.all())

    async def _where(self, *conditions: ColumnElement[bool]) -> tuple[OutboxRow, ...]:
        rows = await self._all(select(OutboxTable).where(*conditions).order_by(col(OutboxTable.id)))
        return tuple(outbox_of(row) for row in rows)

    async def _head(self, team_id: str, channel_id: str) -> OutboxTable | None:
        """First row whose needs are met; none while workspace or channel is stopped or paused.

        A row that waits for another's ts is passed over: the ts may come from another channel. An
        edit that is wanted at a moment goes last: nothing behind it has to wait for that moment.
        """
        other = aliased(OutboxTable)
        waits = exists().where(
            or_(
                col(other.id) == col(OutboxTable.thread_of),
                col(other.id) == any_(col(OutboxTable.needs)),
            ),
            func.cardinality(col(other.ts)) == 0,
            col(other.state).not_in(_ENDED_WITHOUT_TS),
        )
        stopped = exists().where(
            col(WorkspaceTable.team_id) == team_id, col(WorkspaceTable.state) != "active"
        )
        paused = exists().where(
            # a pause of no channel holds all of them
            col(PauseTable.team_id) == team_id,
            col(PauseTable.channel_id).in_(("", channel_id)),
        )
        timed_edit = and_(
            col(OutboxTable.state) == OutboxState.QUEUED.value,
            func.cardinality(col(OutboxTable.ts)) > 0,
            col(OutboxTable.not_before).is_not(None),
        )
        return await self._one(
            select(OutboxTable)
            .where(
                col(OutboxTable.team_id) == team_id,
                col(OutboxTable.channel_id) == channel_id,
                col(OutboxTable.state).in_(_UNSENT),
                ~waits,
                ~stopped,
                ~paused,
            )
            .order_by(
                case((timed_edit, col(OutboxTable.not_before))).nulls_first(), col(OutboxTable.id)
            )
            .limit(1)
        )

    async def _moment(self, head: OutboxTable) -> datetime | None:
        method = method_of(OutboxKind(head.kind), posted=bool(head.ts))
        held = await self._session.execute(
            select(func.max(col(HoldTable.until))).where(
                col(HoldTable.team_id) == head.team_id,
                or_(
                    and_(
                        col(HoldTable.channel_id) == head.channel_id,
                        col(HoldTable.method) == "",
                    ),
                    and_(col(HoldTable.channel_id) == "", col(HoldTable.method) == method),
                ),
            )
        )
        moments = [moment for moment in (held.scalar_one(), head.not_before) if moment is not None]
        return max(moments, default=None)


_SHOWING = (OutboxKind.POST, OutboxKind.LINE)


def _mine(outbox_id: int, attempt: int, *states: OutboxState) -> Update:
    return update(OutboxTable).where(
        col(OutboxTable.id) == outbox_id,
        col(OutboxTable.attempt) == attempt,
        col(OutboxTable.state).in_([state.value for state in states]),
    )
