"""What does the fourth version keep? What waits for a steward, and what was decided."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def key(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable)


def text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), server_default="", nullable=False)


def flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(), server_default=sa.false(), nullable=False)


def moment(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False)


def moment_or_none(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=True)


def refers(column: str, to: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{to}.id"], name=f"fk_gate_{column}")


def upgrade() -> None:
    op.create_table(
        "gate",
        sa.Column("id", sa.BigInteger(), autoincrement=True, nullable=False),
        text("kind"),
        text("state"),
        text("desk_id"),
        text("team_id"),
        key("conversation_id"),
        key("message_id"),
        key("question_id"),
        key("turn_id", nullable=True),
        key("episode_id", nullable=True),
        text("task_type"),
        text("question"),
        text("artifact"),
        text("digest"),
        sa.Column("draft", postgresql.JSONB(), nullable=True),
        text("asker_user_id"),
        text("revision"),
        key("post_id", nullable=True),
        key("status_id", nullable=True),
        moment("created_at"),
        moment("remind_at"),
        moment("expires_at"),
        flag("reminded"),
        text("act"),
        text("actor_user_id"),
        text("words"),
        flag("by_proxy"),
        moment_or_none("decided_at"),
        moment_or_none("settled_at"),
        refers("conversation_id", "conversation"),
        refers("message_id", "message"),
        refers("question_id", "message"),
        refers("turn_id", "turn"),
        refers("episode_id", "episode"),
        refers("post_id", "outbox"),
        refers("status_id", "outbox"),
        sa.PrimaryKeyConstraint("id", name="pk_gate"),
    )
    op.create_index(
        "uq_gate_open",
        "gate",
        ["message_id", "kind", "desk_id"],
        unique=True,
        postgresql_where=sa.text("state = 'open'"),
    )
    op.create_index("ix_gate_message_id", "gate", ["message_id"])
    op.create_index("ix_gate_question_id", "gate", ["question_id"])
    op.create_index(
        "ix_gate_post_id", "gate", ["post_id"], postgresql_where=sa.text("post_id is not null")
    )
    op.create_index(
        "ix_gate_episode_id",
        "gate",
        ["episode_id"],
        postgresql_where=sa.text("episode_id is not null"),
    )
    op.create_index(
        "ix_gate_open", "gate", ["remind_at"], postgresql_where=sa.text("state = 'open'")
    )


def downgrade() -> None:
    op.drop_table("gate")
