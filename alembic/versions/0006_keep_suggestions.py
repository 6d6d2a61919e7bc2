"""What does the sixth version keep? Corrections that were suggested and wait for a steward."""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), server_default="", nullable=False)


def number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=False)


def refers(column: str, table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{table}.id"], name=f"fk_suggestion_{column}")


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "suggestion",
        sa.Column("id", sa.BigInteger(), autoincrement=True, nullable=False),
        *(text(name) for name in ("state", "team_id", "desk_id")),
        number("message_id"),
        sa.Column("revision", sa.BigInteger(), server_default="0", nullable=False),
        *(text(name) for name in ("user_id", "words")),
        sa.Column("post_id", sa.BigInteger(), nullable=True),
        text("actor_user_id"),
        sa.Column("created_at", moment, server_default=sa.func.now(), nullable=False),
        sa.Column("ended_at", moment, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_suggestion"),
        refers("message_id", "message"),
        refers("post_id", "outbox"),
    )
    for column in ("message_id", "user_id"):
        op.create_index(f"ix_suggestion_{column}", "suggestion", [column])
    op.create_index(
        "uq_suggestion_open",
        "suggestion",
        ["message_id", "user_id"],
        unique=True,
        postgresql_where=sa.text("state = 'open'"),
    )


def downgrade() -> None:
    op.drop_table("suggestion")
