"""Which rows keep what is to be shown in Slack, and what holds it back?"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, Column, Index, Text
from sqlalchemy import text as sql
from sqlalchemy.dialects.postgresql import ARRAY
from sqlmodel import Field

from hivebot.adapters.db.tables import columns
from hivebot.adapters.db.tables.base import Row

UNSENT = "state in ('queued', 'sending')"


class OutboxTable(Row, table=True):
    """One wanted message, or an edit or deletion of one."""

    __table_args__ = (
        Index("ix_outbox_unsent", "team_id", "channel_id", "id", postgresql_where=sql(UNSENT)),
        Index(None, "ts", postgresql_using="gin"),
        Index(None, "message_id", postgresql_where=sql("message_id is not null")),
        Index(None, "turn_id", postgresql_where=sql("turn_id is not null")),
    )

    id: int | None = Field(default=None, sa_column=columns.identity())
    kind: str = Field(sa_column=columns.text())
    state: str = Field(sa_column=columns.text())
    team_id: str = Field(sa_column=columns.text())
    channel_id: str = Field(sa_column=columns.text())
    thread_ts: str = Field(sa_column=columns.text())
    user_id: str = Field(sa_column=columns.text())
    body: dict[str, object] = Field(sa_column=columns.json_object())
    revision: int = Field(default=1, sa_column=columns.number(1))
    sent_revision: int = Field(default=0, sa_column=columns.number())
    message_id: int | None = Field(sa_column=columns.reference_or_none("message"))
    turn_id: int | None = Field(sa_column=columns.reference_or_none("turn", cycle=True))
    thread_of: int | None = Field(sa_column=columns.reference_or_none("outbox"))
    target_id: int | None = Field(sa_column=columns.reference_or_none("outbox"))
    needs: list[int] = Field(
        sa_column=Column(ARRAY(BigInteger), nullable=False, server_default="{}")
    )
    attempt: int = Field(default=0, sa_column=columns.number())
    lookups: int = Field(default=0, sa_column=columns.number())
    sending_at: datetime | None = Field(default=None, sa_column=columns.moment_or_none())
    not_before: datetime | None = Field(default=None, sa_column=columns.moment_or_none())
    ts: list[str] = Field(sa_column=Column(ARRAY(Text), nullable=False, server_default="{}"))
    seen: list[object] = Field(sa_column=columns.json_list())
    error: str = Field(default="", sa_column=columns.text())
    created_at: datetime = Field(sa_column=columns.moment())


class HoldTable(Row, table=True):
    """A channel (`method` "") or a method of a workspace (`channel_id` "") that Slack holds."""

    team_id: str = Field(sa_column=columns.text_key())
    channel_id: str = Field(sa_column=columns.text_key())
    method: str = Field(sa_column=columns.text_key())
    until: datetime = Field(sa_column=columns.moment())
