"""Which rows keep conversations, and who is to say what in them?"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, UniqueConstraint
from sqlalchemy import text as sql
from sqlmodel import Field

from hivebot.adapters.db.tables import columns
from hivebot.adapters.db.tables.base import Row


class ConversationTable(Row, table=True):
    """A channel, a thread, or the log of a thread's n-th episode."""

    __table_args__ = (UniqueConstraint("team_id", "channel_id", "thread_ts", "episode_no"),)

    id: int | None = Field(default=None, sa_column=columns.identity())
    team_id: str = Field(sa_column=columns.text())
    channel_id: str = Field(sa_column=columns.text())
    thread_ts: str = Field(sa_column=columns.text())
    desk_id: str = Field(sa_column=columns.text())
    audience: str = Field(sa_column=columns.text())
    root_seq: int | None = Field(default=None, sa_column=columns.number_or_none())
    last_seq: int = Field(default=0, sa_column=columns.number())
    answered_user_id: str = Field(default="", sa_column=columns.text())
    muted: bool = Field(default=False, sa_column=columns.flag())
    episode_no: int = Field(default=0, sa_column=columns.number())


class MessageTable(Row, table=True):
    """A row of a transcript. `author` and `traces` are the codec's; a deleted row keeps no text."""

    __table_args__ = (
        UniqueConstraint("conversation_id", "seq"),
        Index(None, "ts"),
        Index("ix_message_unjudged", "conversation_id", "seq", postgresql_where=sql("not judged")),
        Index(None, "copy_of", postgresql_where=sql("copy_of is not null")),
        Index(None, "turn_id", postgresql_where=sql("turn_id is not null")),
    )

    id: int | None = Field(default=None, sa_column=columns.identity())
    conversation_id: int = Field(sa_column=columns.reference("conversation"))
    seq: int = Field(sa_column=columns.number())
    role: str = Field(sa_column=columns.text())
    author: dict[str, object] = Field(sa_column=columns.json_object())
    ts: str = Field(sa_column=columns.text())
    user_id: str = Field(sa_column=columns.text())
    user_team_id: str = Field(sa_column=columns.text())
    content: str = Field(sa_column=columns.text())
    shown: str = Field(sa_column=columns.text())
    revision: int = Field(default=1, sa_column=columns.number(1))
    addressed: bool = Field(sa_column=columns.flag())
    wakes: bool = Field(sa_column=columns.flag())
    mentions: list[object] | None = Field(sa_column=columns.json_or_none())
    traces: list[object] = Field(sa_column=columns.json_list())
    turn_id: int | None = Field(sa_column=columns.reference_or_none("turn", cycle=True))
    referral_id: int | None = Field(sa_column=columns.reference_or_none("referral", cycle=True))
    copy_of: int | None = Field(sa_column=columns.reference_or_none("message"))
    judged: bool = Field(sa_column=columns.flag())
    files: list[object] = Field(sa_column=columns.json_list())
    created_at: datetime = Field(sa_column=columns.moment())
    deleted_at: datetime | None = Field(default=None, sa_column=columns.moment_or_none())


class MessageRevisionTable(Row, table=True):
    """A text a message had before it was edited."""

    __table_args__ = (UniqueConstraint("message_id", "revision"),)

    id: int | None = Field(default=None, sa_column=columns.identity())
    message_id: int = Field(sa_column=columns.reference("message"))
    revision: int = Field(sa_column=columns.number())
    content: str = Field(sa_column=columns.text())
    replaced_at: datetime = Field(sa_column=columns.moment())


class DecisionTable(Row, table=True):
    """Why something happened."""

    __table_args__ = (Index(None, "message_id"), Index(None, "conversation_id"))

    id: int | None = Field(default=None, sa_column=columns.identity())
    conversation_id: int = Field(sa_column=columns.reference("conversation"))
    message_id: int = Field(sa_column=columns.reference("message"))
    fold: str = Field(sa_column=columns.text())
    input: dict[str, object] = Field(sa_column=columns.json_object())
    result: dict[str, object] = Field(sa_column=columns.json_object())
    reason: str = Field(sa_column=columns.text())
    revision: str = Field(sa_column=columns.text())
    next_state: dict[str, object] | None = Field(sa_column=columns.json_or_none())
    created_at: datetime = Field(sa_column=columns.moment())


OPEN_TURN = "state in ('authorised', 'running', 'held')"


class TurnTable(Row, table=True):
    """One authorised speech; a conversation has at most one open."""

    __table_args__ = (
        Index("uq_turn_open", "conversation_id", unique=True, postgresql_where=sql(OPEN_TURN)),
        Index("ix_turn_open_touched", "touched_at", postgresql_where=sql(OPEN_TURN)),
        Index(
            "ix_turn_waiting", "conversation_id", "id", postgresql_where=sql("state = 'waiting'")
        ),
        Index(None, "trigger_id"),
        Index(None, "question_id"),
    )

    id: int | None = Field(default=None, sa_column=columns.identity())
    conversation_id: int = Field(sa_column=columns.reference("conversation"))
    decision_id: int | None = Field(sa_column=columns.reference_or_none("decision"))
    kind: str = Field(sa_column=columns.text())
    agent_id: str = Field(sa_column=columns.text())
    state: str = Field(sa_column=columns.text())
    trigger_id: int = Field(sa_column=columns.reference("message"))
    question_id: int = Field(sa_column=columns.reference("message"))
    asker_user_id: str = Field(sa_column=columns.text())
    referral_id: int | None = Field(sa_column=columns.reference_or_none("referral"))
    episode_id: int | None = Field(sa_column=columns.reference_or_none("episode", cycle=True))
    hop: int = Field(sa_column=columns.number())
    revision: str = Field(sa_column=columns.text())
    attempt: int = Field(default=0, sa_column=columns.number())
    notes: list[object] = Field(sa_column=columns.json_list())
    progress_id: int | None = Field(sa_column=columns.reference_or_none("outbox"))
    created_at: datetime = Field(sa_column=columns.moment())
    touched_at: datetime = Field(sa_column=columns.moment())
    reason: str = Field(sa_column=columns.text())
    shape: str = Field(default="", sa_column=columns.text())
    reply: dict[str, object] | None = Field(default=None, sa_column=columns.json_or_none())
    tokens_in: int = Field(default=0, sa_column=columns.number())
    tokens_out: int = Field(default=0, sa_column=columns.number())
    cost_usd_micros: int = Field(default=0, sa_column=columns.number())


class ReferralTable(Row, table=True):
    """One question on its way to another desk and back."""

    __table_args__ = (
        UniqueConstraint("from_conversation_id", "trigger_seq"),
        Index(
            "ix_referral_open",
            "answer_due_at",
            postgresql_where=sql("state in ('waiting', 'asked')"),
        ),
        Index(None, "question_id"),
        Index(None, "from_desk_id", "to_desk_id", "created_at"),
    )

    id: int | None = Field(default=None, sa_column=columns.identity())
    from_conversation_id: int = Field(sa_column=columns.reference("conversation"))
    trigger_seq: int = Field(sa_column=columns.number())
    to_conversation_id: int = Field(sa_column=columns.reference("conversation"))
    from_desk_id: str = Field(sa_column=columns.text())
    to_desk_id: str = Field(sa_column=columns.text())
    asker_id: str = Field(sa_column=columns.text())
    target_id: str = Field(sa_column=columns.text())
    person_user_id: str = Field(sa_column=columns.text())
    question_id: int = Field(sa_column=columns.reference("message"))
    hop: int = Field(sa_column=columns.number())
    visited: list[object] = Field(sa_column=columns.json_list())
    state: str = Field(sa_column=columns.text())
    reason: str = Field(default="", sa_column=columns.text())
    reference: str = Field(sa_column=columns.text())
    revision: str = Field(sa_column=columns.text())
    status_id: int | None = Field(default=None, sa_column=columns.reference_or_none("outbox"))
    post_id: int | None = Field(default=None, sa_column=columns.reference_or_none("outbox"))
    answer_id: int | None = Field(default=None, sa_column=columns.reference_or_none("message"))
    late: bool = Field(default=False, sa_column=columns.flag())
    nudged: bool = Field(default=False, sa_column=columns.flag())
    created_at: datetime = Field(sa_column=columns.moment())
    answer_due_at: datetime = Field(sa_column=columns.moment())
    ends_at: datetime = Field(sa_column=columns.moment())
