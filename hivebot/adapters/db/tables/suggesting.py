"""Which rows keep suggested corrections?"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index
from sqlalchemy import text as sql
from sqlmodel import Field

from hivebot.adapters.db.tables import columns
from hivebot.adapters.db.tables.base import Row

OPEN_SUGGESTION = "state = 'open'"


class SuggestionTable(Row, table=True):
    """A correction that waits for a steward, or waited."""

    __table_args__ = (
        Index(
            "uq_suggestion_open",
            "message_id",
            "user_id",
            unique=True,
            postgresql_where=sql(OPEN_SUGGESTION),
        ),
        Index(None, "message_id"),
        Index(None, "user_id"),
    )

    id: int | None = Field(default=None, sa_column=columns.identity())
    state: str = Field(sa_column=columns.text())
    team_id: str = Field(sa_column=columns.text())
    desk_id: str = Field(sa_column=columns.text())
    message_id: int = Field(sa_column=columns.reference("message"))
    revision: int = Field(default=0, sa_column=columns.number())
    user_id: str = Field(sa_column=columns.text())
    words: str = Field(sa_column=columns.text())
    post_id: int | None = Field(default=None, sa_column=columns.reference_or_none("outbox"))
    actor_user_id: str = Field(default="", sa_column=columns.text())
    created_at: datetime = Field(sa_column=columns.moment())
    ended_at: datetime | None = Field(default=None, sa_column=columns.moment_or_none())
