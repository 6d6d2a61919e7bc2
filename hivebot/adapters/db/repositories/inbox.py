"""Has this event, or this message, been taken before? Source: datapath.md 1."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from datetime import datetime
from typing import cast

from sqlalchemy import cast as sql_cast
from sqlalchemy import delete, func, null, select, update
from sqlalchemy.dialects.postgresql import JSONB, JSONPATH, insert
from sqlmodel import col

from hivebot.adapters.db.repositories.base import Repository
from hivebot.adapters.db.repositories.taking import message_lock, take
from hivebot.adapters.db.tables import (
    InboxEventTable,
    InboxMessageTable,
    PendingRevisionTable,
    TombstoneTable,
)
from hivebot.adapters.db.tables.columns import storable
from hivebot.services.ports import NewArrival
from hivebot.services.records.arrivals import EventKey

_TS_FIELDS = frozenset({"ts", "deleted_ts"})


class InboxRepository(Repository):
    """Events, messages taken, and news of messages that have not come yet."""

    async def claim_event(self, key: EventKey, payload: dict[str, object]) -> int | None:
        """Store the event; None when (team, event id) was seen before."""
        statement = (
            insert(InboxEventTable)
            .values(
                team_id=key.team_id,
                event_id=key.event_id,
                enterprise_id=key.enterprise_id,
                event_time=key.event_time,
                about=_about(payload),
                payload=payload,
                received_at=self._now(),
            )
            .on_conflict_do_nothing()
            .returning(col(InboxEventTable.id))
        )
        return (await self._session.execute(statement)).scalar_one_or_none()

    async def has_event(self, key: EventKey) -> bool:
        """Whether (team, event id) was seen before."""
        statement = select(col(InboxEventTable.id)).where(
            col(InboxEventTable.team_id) == key.team_id,
            col(InboxEventTable.event_id) == key.event_id,
        )
        return (await self._session.execute(statement)).scalar_one_or_none() is not None

    async def take(self, arrivals: Sequence[NewArrival]) -> tuple[int | None, ...]:
        """Store events and messages at once, where nothing else is known of the message."""
        about = [_about(one.payload) for one in arrivals]
        return await take(self._session, arrivals, about, self._now())

    async def lock_message(self, team_id: str, channel_id: str, ts: str) -> None:
        """Keep all other news of this message waiting until the transaction ends."""
        name = message_lock(team_id, channel_id, ts)
        await self._session.execute(
            select(func.pg_advisory_xact_lock(func.hashtextextended(name, 0)))
        )

    async def claim_message(self, team_id: str, channel_id: str, ts: str) -> bool:
        """Take the second key; False when this message was taken before."""
        statement = (
            insert(InboxMessageTable)
            .values(team_id=team_id, channel_id=channel_id, ts=ts, taken_at=self._now())
            .on_conflict_do_nothing()
            .returning(col(InboxMessageTable.ts))
        )
        return (await self._session.execute(statement)).scalar_one_or_none() is not None

    async def tombstone(self, team_id: str, channel_id: str, ts: str, at: datetime) -> None:
        """Remember that a message was deleted; a pending edit of it is forgotten."""
        await self._session.execute(
            insert(TombstoneTable)
            .values(team_id=team_id, channel_id=channel_id, ts=ts, deleted_at=at)
            .on_conflict_do_nothing()
        )
        await self._forget_revision(team_id, channel_id, ts)

    async def is_tombstoned(self, team_id: str, channel_id: str, ts: str) -> bool:
        """Whether the message was deleted."""
        statement = select(TombstoneTable).where(
            col(TombstoneTable.team_id) == team_id,
            col(TombstoneTable.channel_id) == channel_id,
            col(TombstoneTable.ts) == ts,
        )
        return await self._one(statement) is not None

    async def pend_revision(
        self, team_id: str, channel_id: str, ts: str, text: str, *, addressed: bool
    ) -> None:
        """Remember an edit of a message we never saw; a later one replaces it."""
        new = {"content": text, "addressed": addressed, "revised_at": self._now()}
        await self._session.execute(
            insert(PendingRevisionTable)
            .values(team_id=team_id, channel_id=channel_id, ts=ts, **new)
            .on_conflict_do_update(index_elements=["team_id", "channel_id", "ts"], set_=new)
        )

    async def pending_revision(
        self, team_id: str, channel_id: str, ts: str
    ) -> tuple[str, bool] | None:
        """Text and flag of an edit that came before the message."""
        row = await self._one(
            select(PendingRevisionTable).where(
                col(PendingRevisionTable.team_id) == team_id,
                col(PendingRevisionTable.channel_id) == channel_id,
                col(PendingRevisionTable.ts) == ts,
            )
        )
        return None if row is None else (row.content, row.addressed)

    async def erase_payloads(self, team_id: str, channel_id: str, ts: str) -> None:
        """Blank the stored payloads of every event about this message, or quoting it."""
        mentions_channel = func.jsonb_path_exists(
            col(InboxEventTable.payload),
            sql_cast("$.** ? (@ == $channel)", JSONPATH),
            sql_cast({"channel": storable(channel_id)}, JSONB),
        )
        await self._session.execute(
            update(InboxEventTable)
            .where(
                col(InboxEventTable.team_id) == team_id,
                col(InboxEventTable.about).contains([ts]),
                mentions_channel,
            )
            .values(payload=null())
        )
        await self._forget_revision(team_id, channel_id, ts)

    async def purge(self, before: datetime) -> int:
        """Blank payloads older than `before`; the keys stay. Returns the number of rows."""
        await self._session.execute(
            delete(PendingRevisionTable).where(col(PendingRevisionTable.revised_at) < before)
        )
        purged = await self._session.execute(
            update(InboxEventTable)
            .where(
                col(InboxEventTable.received_at) < before,
                col(InboxEventTable.payload).is_not(None),
            )
            .values(payload=null())
            .returning(col(InboxEventTable.id))
        )
        return len(purged.all())

    async def _forget_revision(self, team_id: str, channel_id: str, ts: str) -> None:
        await self._session.execute(
            delete(PendingRevisionTable).where(
                col(PendingRevisionTable.team_id) == team_id,
                col(PendingRevisionTable.channel_id) == channel_id,
                col(PendingRevisionTable.ts) == ts,
            )
        )


def _about(payload: dict[str, object]) -> list[str]:
    return sorted({storable(ts) for ts in _stamps(payload)})


def _stamps(value: object) -> Generator[str]:
    """Every ts of a message that a payload is about or holds a copy of."""
    waiting = [value]
    while waiting:
        current = waiting.pop()
        if isinstance(current, list):
            waiting.extend(cast("list[object]", current))
        elif isinstance(current, dict):
            for name, item in cast("dict[str, object]", current).items():
                if name in _TS_FIELDS and isinstance(item, str):
                    yield item
                waiting.append(item)
