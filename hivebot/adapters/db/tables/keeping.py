"""Which rows keep installations, channels, configurations and what desks have spent?"""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from hivebot.adapters.db.tables import columns
from hivebot.adapters.db.tables.base import Row


class WorkspaceTable(Row, table=True):
    """An installation."""

    team_id: str = Field(sa_column=columns.text_key())
    url: str = Field(sa_column=columns.text())
    bot_user_id: str = Field(sa_column=columns.text())
    bot_id: str = Field(sa_column=columns.text())
    app_id: str = Field(sa_column=columns.text())
    state: str = Field(default="active", sa_column=columns.text())
    reason: str = Field(default="", sa_column=columns.text())
    enterprise_id: str = Field(default="", sa_column=columns.text())
    since: datetime = Field(sa_column=columns.moment())


class PauseTable(Row, table=True):
    """A channel that is paused, and why."""

    team_id: str = Field(sa_column=columns.text_key())
    channel_id: str = Field(sa_column=columns.text_key())
    reason: str = Field(sa_column=columns.text())


class RevisionTable(Row, table=True):
    """A revision of the configuration."""

    revision: str = Field(sa_column=columns.text_key())
    source: str = Field(sa_column=columns.text())
    stored_at: datetime = Field(sa_column=columns.moment())


class UsageTable(Row, table=True):
    """What a desk spent on one UTC day."""

    desk_id: str = Field(sa_column=columns.text_key())
    day: str = Field(sa_column=columns.text_key())
    turns: int = Field(default=0, sa_column=columns.number())
    tokens: int = Field(default=0, sa_column=columns.number())
    usd_micros: int = Field(default=0, sa_column=columns.number())
