"""What does the second version keep? Deliberations, each with a log of its own."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def key(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=False)


def text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), server_default="", nullable=False)


def number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), server_default="0", nullable=False)


def moment(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False)


def json_list(name: str) -> sa.Column[object]:
    return sa.Column(name, postgresql.JSONB(), server_default="[]", nullable=False)


def refers(table: str, column: str, to: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{to}.id"], name=f"fk_{table}_{column}")


def upgrade() -> None:
    op.add_column("conversation", number("episode_no"))
    op.create_unique_constraint(
        "uq_conversation_team_id_channel_id_thread_ts_episode_no",
        "conversation",
        ["team_id", "channel_id", "thread_ts", "episode_no"],
    )
    op.drop_constraint("uq_conversation_team_id_channel_id_thread_ts", "conversation")
    op.create_table(
        "episode",
        sa.Column("id", sa.BigInteger(), autoincrement=True, nullable=False),
        key("conversation_id"),
        key("log_id"),
        text("desk_id"),
        key("question_id"),
        text("asker_user_id"),
        text("stage"),
        json_list("options"),
        sa.Column("state", postgresql.JSONB(), nullable=True),
        number("extra_turns"),
        number("asked"),
        json_list("failures"),
        text("ending"),
        text("topic"),
        text("reason"),
        text("revision"),
        sa.Column("progress_id", sa.BigInteger(), nullable=True),
        moment("progressed_at"),
        text("wish"),
        number("reserved_tokens"),
        number("reserved_usd_micros"),
        moment("created_at"),
        moment("consult_due_at"),
        moment("deadline_at"),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        refers("episode", "conversation_id", "conversation"),
        refers("episode", "log_id", "conversation"),
        refers("episode", "question_id", "message"),
        refers("episode", "progress_id", "outbox"),
        sa.PrimaryKeyConstraint("id", name="pk_episode"),
        sa.UniqueConstraint("log_id", name="uq_episode_log_id"),
    )
    op.create_index("ix_episode_conversation_id", "episode", ["conversation_id"])
    op.create_index("ix_episode_question_id", "episode", ["question_id"])
    op.create_index(
        "ix_episode_open", "episode", ["deadline_at"], postgresql_where=sa.text("stage <> 'ended'")
    )
    op.create_table(
        "prefetch",
        sa.Column("id", sa.BigInteger(), autoincrement=True, nullable=False),
        key("episode_id"),
        text("agent_id"),
        text("digest"),
        sa.Column("reply", postgresql.JSONB(), nullable=False),
        refers("prefetch", "episode_id", "episode"),
        sa.PrimaryKeyConstraint("id", name="pk_prefetch"),
        sa.UniqueConstraint("episode_id", "agent_id", name="uq_prefetch_episode_id_agent_id"),
    )
    op.create_foreign_key("fk_turn_episode_id", "turn", "episode", ["episode_id"], ["id"])


def downgrade() -> None:
    op.drop_constraint("fk_turn_episode_id", "turn", type_="foreignkey")
    op.drop_table("prefetch")
    op.drop_table("episode")
    op.create_unique_constraint(
        "uq_conversation_team_id_channel_id_thread_ts",
        "conversation",
        ["team_id", "channel_id", "thread_ts"],
    )
    op.drop_constraint("uq_conversation_team_id_channel_id_thread_ts_episode_no", "conversation")
    op.drop_column("conversation", "episode_no")
