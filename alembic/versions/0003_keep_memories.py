"""What does the third version keep? What the proxies remember, and how often they were right."""

from __future__ import annotations

import sqlalchemy as sa
from pgvector.sqlalchemy import VECTOR
from sqlalchemy.dialects import postgresql

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

DIMENSIONS = ("situation", "artifact", "stimulus", "response", "salience")


def identity() -> sa.Column[int]:
    return sa.Column("id", sa.BigInteger(), autoincrement=True, nullable=False)


def reference(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=False)


def text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), server_default="", nullable=False)


def key(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), server_default="0", nullable=False)


def number_or_none(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=True)


def share(name: str) -> sa.Column[float]:
    return sa.Column(name, sa.Double(), server_default="0", nullable=False)


def flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(), server_default=sa.false(), nullable=False)


def moment(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False)


def json_list(name: str) -> sa.Column[object]:
    return sa.Column(name, postgresql.JSONB(), server_default="[]", nullable=False)


def array(name: str, item: sa.Text | sa.BigInteger) -> sa.Column[object]:
    return sa.Column(name, postgresql.ARRAY(item), server_default="{}", nullable=False)


def owned(table: str, column: str, by: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [column], [f"{by}.id"], name=f"fk_{table}_{column}", ondelete="cascade"
    )


def upgrade() -> None:
    _memory()
    _chunk()
    _accuracy()
    _recall()
    _embedding()


def _memory() -> None:
    op.create_table(
        "memory",
        identity(),
        text("team_id"),
        text("proxy"),
        number("clock"),
        number("seed"),
        number("consolidated_clock"),
        moment("created_at"),
        sa.PrimaryKeyConstraint("id", name="pk_memory"),
        sa.UniqueConstraint("team_id", "proxy", name="uq_memory_team_id_proxy"),
    )


def _chunk() -> None:
    op.create_table(
        "chunk",
        identity(),
        reference("memory_id"),
        text("chunk_key"),
        text("type"),
        text("state"),
        text("task_type"),
        text("outcome"),
        text("lens"),
        text("prior_prediction"),
        share("prior_confidence"),
        text("posterior_prediction"),
        share("posterior_confidence"),
        text("prediction_delta"),
        json_list("salient_percepts"),
        text("human_response"),
        text("delta"),
        text("content"),
        text("situation"),
        text("artifact"),
        text("stimulus"),
        array("traces", sa.BigInteger()),
        number("hidden_count"),
        number("hidden_first"),
        number("last_trace"),
        number("n_traces"),
        text("embedding_model"),
        *(sa.Column(f"embedding_{each}", VECTOR(), nullable=True) for each in DIMENSIONS),
        number_or_none("deleted_at"),
        flag("by_human"),
        text("audience"),
        text("channel_id"),
        number_or_none("gate_id"),
        array("user_ids", sa.Text()),
        moment("created_at"),
        owned("chunk", "memory_id", "memory"),
        sa.PrimaryKeyConstraint("id", name="pk_chunk"),
        sa.UniqueConstraint("memory_id", "chunk_key", name="uq_chunk_memory_id_chunk_key"),
    )
    for each in DIMENSIONS:
        # inside the row while it fits: a retrieval compares four of each of thousands of rows
        op.execute(f"alter table chunk alter column embedding_{each} set storage main")
    live = sa.text("deleted_at is null")
    op.create_index(
        "ix_chunk_live", "chunk", ["memory_id", "state", "task_type"], postgresql_where=live
    )
    gone = sa.text("deleted_at is not null")
    op.create_index("ix_chunk_deleted", "chunk", ["memory_id", "deleted_at"], postgresql_where=gone)
    gated = sa.text("gate_id is not null")
    op.create_index("ix_chunk_gate_id", "chunk", ["gate_id"], postgresql_where=gated)
    op.create_index("ix_chunk_user_ids", "chunk", ["user_ids"], postgresql_using="gin")
    op.create_table(
        "chunk_message",
        reference("chunk_id"),
        reference("message_id"),
        owned("chunk_message", "chunk_id", "chunk"),
        sa.ForeignKeyConstraint(["message_id"], ["message.id"], name="fk_chunk_message_message_id"),
        sa.PrimaryKeyConstraint("chunk_id", "message_id", name="pk_chunk_message"),
    )
    op.create_index("ix_chunk_message_message_id", "chunk_message", ["message_id"])


def _accuracy() -> None:
    op.create_table(
        "accuracy",
        reference("memory_id"),
        key("state"),
        key("task_type"),
        number("prior_correct"),
        number("prior_total"),
        number("posterior_correct"),
        number("posterior_total"),
        sa.Column("last_updated", sa.DateTime(timezone=True), nullable=True),
        owned("accuracy", "memory_id", "memory"),
        sa.PrimaryKeyConstraint("memory_id", "state", "task_type", name="pk_accuracy"),
    )


def _recall() -> None:
    op.create_table(
        "recall",
        identity(),
        reference("memory_id"),
        number_or_none("gate_id"),
        text("purpose"),
        number("clock"),
        number("candidates"),
        number("survivors"),
        sa.Column("policy", postgresql.JSONB(), nullable=False),
        json_list("hits"),
        array("chunk_keys", sa.Text()),
        moment("at"),
        owned("recall", "memory_id", "memory"),
        sa.PrimaryKeyConstraint("id", name="pk_recall"),
    )
    op.create_index("ix_recall_memory_id_id", "recall", ["memory_id", "id"])
    op.create_index("ix_recall_chunk_keys", "recall", ["chunk_keys"], postgresql_using="gin")


def _embedding() -> None:
    op.create_table(
        "embedding",
        reference("memory_id"),
        key("model"),
        key("digest"),
        sa.Column("embedding", VECTOR(), nullable=False),
        moment("stored_at"),
        owned("embedding", "memory_id", "memory"),
        sa.PrimaryKeyConstraint("memory_id", "model", "digest", name="pk_embedding"),
    )


def downgrade() -> None:
    for table in ("embedding", "recall", "accuracy", "chunk_message", "chunk", "memory"):
        op.drop_table(table)
