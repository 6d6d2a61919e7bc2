"""Which rows keep what waits for a steward?"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index
from sqlalchemy import text as sql
from sqlmodel import Field

from hivebot.adapters.db.tables import columns
from hivebot.adapters.db.tables.base import Row

OPEN_GATE = "state = 'open'"


class GateTable(Row, table=True):
    """A gate; `draft` and `prediction` are the codec's."""

    __table_args__ = (
        Index(
            "uq_gate_open",
            "message_id",
            "kind",
            "desk_id",
            unique=True,
            postgresql_where=sql(OPEN_GATE),
        ),
        Index(None, "message_id"),
        Index(None, "question_id"),
        Index(None, "post_id", postgresql_where=sql("post_id is not null")),
        Index(None, "episode_id", postgresql_where=sql("episode_id is not null")),
        Index("ix_gate_open", "remind_at", postgresql_where=sql(OPEN_GATE)),
    )

    id: int | None = Field(default=None, sa_column=columns.identity())
    kind: str = Field(sa_column=columns.text())
    state: str = Field(sa_column=columns.text())
    desk_id: str = Field(sa_column=columns.text())
    team_id: str = Field(sa_column=columns.text())
    conversation_id: int = Field(sa_column=columns.reference("conversation"))
    message_id: int = Field(sa_column=columns.reference("message"))
    question_id: int = Field(sa_column=columns.reference("message"))
    turn_id: int | None = Field(sa_column=columns.reference_or_none("turn"))
    episode_id: int | None = Field(sa_column=columns.reference_or_none("episode"))
    task_type: str = Field(sa_column=columns.text())
    question: str = Field(sa_column=columns.text())
    artifact: str = Field(sa_column=columns.text())
    digest: str = Field(sa_column=columns.text())
    draft: dict[str, object] | None = Field(sa_column=columns.json_or_none())
    asker_user_id: str = Field(sa_column=columns.text())
    revision: str = Field(sa_column=columns.text())
    post_id: int | None = Field(default=None, sa_column=columns.reference_or_none("outbox"))
    status_id: int | None = Field(default=None, sa_column=columns.reference_or_none("outbox"))
    created_at: datetime = Field(sa_column=columns.moment())
    remind_at: datetime = Field(sa_column=columns.moment())
    expires_at: datetime = Field(sa_column=columns.moment())
    reminded: bool = Field(default=False, sa_column=columns.flag())
    act: str = Field(default="", sa_column=columns.text())
    actor_user_id: str = Field(default="", sa_column=columns.text())
    words: str = Field(default="", sa_column=columns.text())
    by_proxy: bool = Field(default=False, sa_column=columns.flag())
    decided_at: datetime | None = Field(default=None, sa_column=columns.moment_or_none())
    settled_at: datetime | None = Field(default=None, sa_column=columns.moment_or_none())
    prediction: dict[str, object] | None = Field(default=None, sa_column=columns.json_or_none())
