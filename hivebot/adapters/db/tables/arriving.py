"""Which rows keep what came in: events, their two keys, and news of messages not seen yet?"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Column, Index, Text, UniqueConstraint
from sqlalchemy import text as sql
from sqlalchemy.dialects.postgresql import ARRAY
from sqlmodel import Field

from hivebot.adapters.db.tables import columns
from hivebot.adapters.db.tables.base import Row


class InboxEventTable(Row, table=True):
    """One event as it arrived; `payload` is null once it is purged or erased.

    `about` holds each ts of a message the payload is about or quotes, so that erasing finds it.
    """

    __table_args__ = (
        UniqueConstraint("team_id", "event_id"),
        Index(None, "about", postgresql_using="gin"),
        Index("ix_inbox_event_kept", "received_at", postgresql_where=sql("payload is not null")),
    )

    id: int | None = Field(default=None, sa_column=columns.identity())
    team_id: str = Field(sa_column=columns.text())
    event_id: str = Field(sa_column=columns.text())
    enterprise_id: str = Field(sa_column=columns.text())
    event_time: int = Field(sa_column=columns.number())
    about: list[str] = Field(sa_column=Column(ARRAY(Text), nullable=False, server_default="{}"))
    payload: dict[str, object] | None = Field(sa_column=columns.json_or_none())
    received_at: datetime = Field(sa_column=columns.moment())


class InboxMessageTable(Row, table=True):
    """The second key: this message was taken."""

    team_id: str = Field(sa_column=columns.text_key())
    channel_id: str = Field(sa_column=columns.text_key())
    ts: str = Field(sa_column=columns.text_key())
    taken_at: datetime = Field(sa_column=columns.moment())


class TombstoneTable(Row, table=True):
    """A message that was deleted, perhaps before it arrived."""

    team_id: str = Field(sa_column=columns.text_key())
    channel_id: str = Field(sa_column=columns.text_key())
    ts: str = Field(sa_column=columns.text_key())
    deleted_at: datetime = Field(sa_column=columns.moment())


class PendingRevisionTable(Row, table=True):
    """A message that was edited before it arrived."""

    team_id: str = Field(sa_column=columns.text_key())
    channel_id: str = Field(sa_column=columns.text_key())
    ts: str = Field(sa_column=columns.text_key())
    content: str = Field(sa_column=columns.text())
    addressed: bool = Field(sa_column=columns.flag())
    revised_at: datetime = Field(sa_column=columns.moment())
