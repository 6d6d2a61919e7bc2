"""Which rows keep a deliberation beside its log?"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, UniqueConstraint
from sqlalchemy import text as sql
from sqlmodel import Field

from hivebot.adapters.db.tables import columns
from hivebot.adapters.db.tables.base import Row


class EpisodeTable(Row, table=True):
    """A deliberation; `state` is in the folds' wire form."""

    __table_args__ = (
        UniqueConstraint("log_id"),
        Index(None, "conversation_id"),
        Index(None, "question_id"),
        Index("ix_episode_open", "deadline_at", postgresql_where=sql("stage <> 'ended'")),
    )

    id: int | None = Field(default=None, sa_column=columns.identity())
    conversation_id: int = Field(sa_column=columns.reference("conversation"))
    log_id: int = Field(sa_column=columns.reference("conversation"))
    desk_id: str = Field(sa_column=columns.text())
    question_id: int = Field(sa_column=columns.reference("message"))
    asker_user_id: str = Field(sa_column=columns.text())
    stage: str = Field(sa_column=columns.text())
    options: list[object] = Field(sa_column=columns.json_list())
    state: dict[str, object] | None = Field(default=None, sa_column=columns.json_or_none())
    extra_turns: int = Field(default=0, sa_column=columns.number())
    asked: int = Field(default=0, sa_column=columns.number())
    failures: list[object] = Field(sa_column=columns.json_list())
    ending: str = Field(default="", sa_column=columns.text())
    topic: str = Field(default="", sa_column=columns.text())
    reason: str = Field(default="", sa_column=columns.text())
    revision: str = Field(sa_column=columns.text())
    progress_id: int | None = Field(sa_column=columns.reference_or_none("outbox"))
    progressed_at: datetime = Field(sa_column=columns.moment())
    wish: str = Field(default="", sa_column=columns.text())
    reserved_tokens: int = Field(default=0, sa_column=columns.number())
    reserved_usd_micros: int = Field(default=0, sa_column=columns.number())
    created_at: datetime = Field(sa_column=columns.moment())
    consult_due_at: datetime = Field(sa_column=columns.moment())
    deadline_at: datetime = Field(sa_column=columns.moment())
    ended_at: datetime | None = Field(default=None, sa_column=columns.moment_or_none())


class PrefetchTable(Row, table=True):
    """A blind turn's reply, kept until the market gives that member its turn."""

    __table_args__ = (UniqueConstraint("episode_id", "agent_id"),)

    id: int | None = Field(default=None, sa_column=columns.identity())
    episode_id: int = Field(sa_column=columns.reference("episode"))
    agent_id: str = Field(sa_column=columns.text())
    digest: str = Field(sa_column=columns.text())
    reply: dict[str, object] = Field(sa_column=columns.json_object())
