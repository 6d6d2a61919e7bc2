"""What does the first version keep? What arrives, what is said, and what is to be shown."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def identity() -> sa.Column[int]:
    return sa.Column("id", sa.BigInteger(), autoincrement=True, nullable=False)


def key(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), server_default="", nullable=False)


def number(name: str, default: int = 0) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), server_default=str(default), nullable=False)


def number_or_none(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=True)


def flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(), server_default=sa.false(), nullable=False)


def moment(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False)


def moment_or_none(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=True)


def json_object(name: str) -> sa.Column[object]:
    return sa.Column(name, postgresql.JSONB(), nullable=False)


def json_or_none(name: str) -> sa.Column[object]:
    return sa.Column(name, postgresql.JSONB(), nullable=True)


def json_list(name: str) -> sa.Column[object]:
    return sa.Column(name, postgresql.JSONB(), server_default="[]", nullable=False)


def array(name: str, item: sa.Text | sa.BigInteger) -> sa.Column[object]:
    return sa.Column(name, postgresql.ARRAY(item), server_default="{}", nullable=False)


def reference(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=False)


def refers(table: str, column: str, to: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{to}.id"], name=f"fk_{table}_{column}")


def upgrade() -> None:
    op.execute("create extension if not exists vector")
    op.create_table(
        "conversation",
        identity(),
        text("team_id"),
        text("channel_id"),
        text("thread_ts"),
        text("desk_id"),
        text("audience"),
        number_or_none("root_seq"),
        number("last_seq"),
        text("answered_user_id"),
        flag("muted"),
        sa.PrimaryKeyConstraint("id", name="pk_conversation"),
        sa.UniqueConstraint(
            "team_id",
            "channel_id",
            "thread_ts",
            name="uq_conversation_team_id_channel_id_thread_ts",
        ),
    )
    op.create_table(
        "hold",
        key("team_id"),
        key("channel_id"),
        key("method"),
        moment("until"),
        sa.PrimaryKeyConstraint("team_id", "channel_id", "method", name="pk_hold"),
    )
    op.create_table(
        "inbox_event",
        identity(),
        text("team_id"),
        text("event_id"),
        text("enterprise_id"),
        number("event_time"),
        array("about", sa.Text()),
        json_or_none("payload"),
        moment("received_at"),
        sa.PrimaryKeyConstraint("id", name="pk_inbox_event"),
        sa.UniqueConstraint("team_id", "event_id", name="uq_inbox_event_team_id_event_id"),
    )
    op.create_index("ix_inbox_event_about", "inbox_event", ["about"], postgresql_using="gin")
    op.create_index(
        "ix_inbox_event_kept",
        "inbox_event",
        ["received_at"],
        postgresql_where=sa.text("payload is not null"),
    )
    op.create_table(
        "inbox_message",
        key("team_id"),
        key("channel_id"),
        key("ts"),
        moment("taken_at"),
        sa.PrimaryKeyConstraint("team_id", "channel_id", "ts", name="pk_inbox_message"),
    )
    op.create_table(
        "pause",
        key("team_id"),
        key("channel_id"),
        text("reason"),
        sa.PrimaryKeyConstraint("team_id", "channel_id", name="pk_pause"),
    )
    op.create_table(
        "pending_revision",
        key("team_id"),
        key("channel_id"),
        key("ts"),
        text("content"),
        flag("addressed"),
        moment("revised_at"),
        sa.PrimaryKeyConstraint("team_id", "channel_id", "ts", name="pk_pending_revision"),
    )
    op.create_table(
        "revision",
        key("revision"),
        text("source"),
        moment("stored_at"),
        sa.PrimaryKeyConstraint("revision", name="pk_revision"),
    )
    op.create_table(
        "tombstone",
        key("team_id"),
        key("channel_id"),
        key("ts"),
        moment("deleted_at"),
        sa.PrimaryKeyConstraint("team_id", "channel_id", "ts", name="pk_tombstone"),
    )
    op.create_table(
        "usage",
        key("desk_id"),
        key("day"),
        number("turns"),
        number("tokens"),
        number("usd_micros"),
        sa.PrimaryKeyConstraint("desk_id", "day", name="pk_usage"),
    )
    op.create_table(
        "workspace",
        key("team_id"),
        text("url"),
        text("bot_user_id"),
        text("bot_id"),
        text("app_id"),
        text("state"),
        text("reason"),
        sa.PrimaryKeyConstraint("team_id", name="pk_workspace"),
    )
    op.create_table(
        "message",
        identity(),
        reference("conversation_id"),
        number("seq"),
        text("role"),
        json_object("author"),
        text("ts"),
        text("user_id"),
        text("user_team_id"),
        text("content"),
        text("shown"),
        number("revision", 1),
        flag("addressed"),
        flag("wakes"),
        json_or_none("mentions"),
        json_list("traces"),
        number_or_none("turn_id"),
        number_or_none("referral_id"),
        number_or_none("copy_of"),
        flag("judged"),
        json_list("files"),
        moment("created_at"),
        moment_or_none("deleted_at"),
        refers("message", "conversation_id", "conversation"),
        refers("message", "copy_of", "message"),
        sa.PrimaryKeyConstraint("id", name="pk_message"),
        sa.UniqueConstraint("conversation_id", "seq", name="uq_message_conversation_id_seq"),
    )
    op.create_index(
        "ix_message_copy_of",
        "message",
        ["copy_of"],
        postgresql_where=sa.text("copy_of is not null"),
    )
    op.create_index("ix_message_ts", "message", ["ts"])
    op.create_index(
        "ix_message_turn_id",
        "message",
        ["turn_id"],
        postgresql_where=sa.text("turn_id is not null"),
    )
    op.create_index(
        "ix_message_unjudged",
        "message",
        ["conversation_id", "seq"],
        postgresql_where=sa.text("not judged"),
    )
    op.create_table(
        "decision",
        identity(),
        reference("conversation_id"),
        reference("message_id"),
        text("fold"),
        json_object("input"),
        json_object("result"),
        text("reason"),
        text("revision"),
        json_or_none("next_state"),
        moment("created_at"),
        refers("decision", "conversation_id", "conversation"),
        refers("decision", "message_id", "message"),
        sa.PrimaryKeyConstraint("id", name="pk_decision"),
    )
    op.create_index("ix_decision_conversation_id", "decision", ["conversation_id"])
    op.create_index("ix_decision_message_id", "decision", ["message_id"])
    op.create_table(
        "message_revision",
        identity(),
        reference("message_id"),
        number("revision"),
        text("content"),
        moment("replaced_at"),
        refers("message_revision", "message_id", "message"),
        sa.PrimaryKeyConstraint("id", name="pk_message_revision"),
        sa.UniqueConstraint(
            "message_id", "revision", name="uq_message_revision_message_id_revision"
        ),
    )
    op.create_table(
        "outbox",
        identity(),
        text("kind"),
        text("state"),
        text("team_id"),
        text("channel_id"),
        text("thread_ts"),
        text("user_id"),
        json_object("body"),
        number("revision", 1),
        number("sent_revision"),
        number_or_none("message_id"),
        number_or_none("turn_id"),
        number_or_none("thread_of"),
        number_or_none("target_id"),
        array("needs", sa.BigInteger()),
        number("attempt"),
        number("lookups"),
        moment_or_none("sending_at"),
        moment_or_none("not_before"),
        array("ts", sa.Text()),
        json_list("seen"),
        text("error"),
        moment("created_at"),
        refers("outbox", "message_id", "message"),
        refers("outbox", "target_id", "outbox"),
        refers("outbox", "thread_of", "outbox"),
        sa.PrimaryKeyConstraint("id", name="pk_outbox"),
    )
    op.create_index(
        "ix_outbox_message_id",
        "outbox",
        ["message_id"],
        postgresql_where=sa.text("message_id is not null"),
    )
    op.create_index("ix_outbox_ts", "outbox", ["ts"], postgresql_using="gin")
    op.create_index(
        "ix_outbox_turn_id", "outbox", ["turn_id"], postgresql_where=sa.text("turn_id is not null")
    )
    op.create_index(
        "ix_outbox_unsent",
        "outbox",
        ["team_id", "channel_id", "id"],
        postgresql_where=sa.text("state in ('queued', 'sending')"),
    )
    op.create_table(
        "referral",
        identity(),
        reference("from_conversation_id"),
        number("trigger_seq"),
        reference("to_conversation_id"),
        text("from_desk_id"),
        text("to_desk_id"),
        text("asker_id"),
        text("target_id"),
        text("person_user_id"),
        reference("question_id"),
        number("hop"),
        json_list("visited"),
        text("state"),
        text("reason"),
        text("reference"),
        text("revision"),
        number_or_none("status_id"),
        number_or_none("post_id"),
        number_or_none("answer_id"),
        flag("late"),
        flag("nudged"),
        moment("created_at"),
        moment("answer_due_at"),
        moment("ends_at"),
        refers("referral", "answer_id", "message"),
        refers("referral", "from_conversation_id", "conversation"),
        refers("referral", "post_id", "outbox"),
        refers("referral", "question_id", "message"),
        refers("referral", "status_id", "outbox"),
        refers("referral", "to_conversation_id", "conversation"),
        sa.PrimaryKeyConstraint("id", name="pk_referral"),
        sa.UniqueConstraint(
            "from_conversation_id",
            "trigger_seq",
            name="uq_referral_from_conversation_id_trigger_seq",
        ),
    )
    op.create_index(
        "ix_referral_from_desk_id_to_desk_id_created_at",
        "referral",
        ["from_desk_id", "to_desk_id", "created_at"],
    )
    op.create_index(
        "ix_referral_open",
        "referral",
        ["answer_due_at"],
        postgresql_where=sa.text("state in ('waiting', 'asked')"),
    )
    op.create_index("ix_referral_question_id", "referral", ["question_id"])
    op.create_table(
        "turn",
        identity(),
        reference("conversation_id"),
        number_or_none("decision_id"),
        text("kind"),
        text("agent_id"),
        text("state"),
        reference("trigger_id"),
        reference("question_id"),
        text("asker_user_id"),
        number_or_none("referral_id"),
        number_or_none("episode_id"),
        number("hop"),
        text("revision"),
        number("attempt"),
        json_list("notes"),
        number_or_none("progress_id"),
        moment("created_at"),
        moment("touched_at"),
        text("reason"),
        text("shape"),
        json_or_none("reply"),
        number("tokens_in"),
        number("tokens_out"),
        number("cost_usd_micros"),
        refers("turn", "conversation_id", "conversation"),
        refers("turn", "decision_id", "decision"),
        refers("turn", "progress_id", "outbox"),
        refers("turn", "question_id", "message"),
        refers("turn", "referral_id", "referral"),
        refers("turn", "trigger_id", "message"),
        sa.PrimaryKeyConstraint("id", name="pk_turn"),
    )
    op.create_index(
        "ix_turn_open_touched",
        "turn",
        ["touched_at"],
        postgresql_where=sa.text("state in ('authorised', 'running', 'held')"),
    )
    op.create_index("ix_turn_question_id", "turn", ["question_id"])
    op.create_index("ix_turn_trigger_id", "turn", ["trigger_id"])
    op.create_index(
        "ix_turn_waiting",
        "turn",
        ["conversation_id", "id"],
        postgresql_where=sa.text("state = 'waiting'"),
    )
    op.create_index(
        "uq_turn_open",
        "turn",
        ["conversation_id"],
        unique=True,
        postgresql_where=sa.text("state in ('authorised', 'running', 'held')"),
    )
    # The tables refer to each other.
    op.create_foreign_key("fk_message_turn_id", "message", "turn", ["turn_id"], ["id"])
    op.create_foreign_key("fk_message_referral_id", "message", "referral", ["referral_id"], ["id"])
    op.create_foreign_key("fk_outbox_turn_id", "outbox", "turn", ["turn_id"], ["id"])


def downgrade() -> None:
    op.drop_constraint("fk_message_referral_id", "message", type_="foreignkey")
    op.drop_constraint("fk_message_turn_id", "message", type_="foreignkey")
    op.drop_constraint("fk_outbox_turn_id", "outbox", type_="foreignkey")
    op.drop_table("turn")
    op.drop_table("referral")
    op.drop_table("outbox")
    op.drop_table("message_revision")
    op.drop_table("decision")
    op.drop_table("message")
    op.drop_table("workspace")
    op.drop_table("usage")
    op.drop_table("tombstone")
    op.drop_table("revision")
    op.drop_table("pending_revision")
    op.drop_table("pause")
    op.drop_table("inbox_message")
    op.drop_table("inbox_event")
    op.drop_table("hold")
    op.drop_table("conversation")
