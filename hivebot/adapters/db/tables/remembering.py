"""Which rows keep what a proxy remembers, and how often it was right?"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, Column, Double, ForeignKey, Index, Text, UniqueConstraint
from sqlalchemy import text as sql
from sqlalchemy.dialects.postgresql import ARRAY
from sqlmodel import Field

from hivebot.adapters.db.tables import columns
from hivebot.adapters.db.tables.base import Row
from hivebot.adapters.db.tables.vectors import AnyVector, vector_or_none


def _share() -> Column[float]:
    return Column(Double, nullable=False, server_default="0")


def _numbers() -> Column[list[int]]:
    return Column(ARRAY(BigInteger), nullable=False, server_default="{}")


def _texts() -> Column[list[str]]:
    return Column(ARRAY(Text), nullable=False, server_default="{}")


def _owned(table: str, *, key: bool = False) -> Column[int]:
    """A row of another table, which takes this one with it when it goes."""
    return Column(
        BigInteger, ForeignKey(f"{table}.id", ondelete="cascade"), nullable=False, primary_key=key
    )


class MemoryTable(Row, table=True):
    """One proxy's memory and its interaction clock, which is only ever counted up here."""

    __table_args__ = (UniqueConstraint("team_id", "proxy"),)

    id: int | None = Field(default=None, sa_column=columns.identity())
    team_id: str = Field(sa_column=columns.text())
    proxy: str = Field(sa_column=columns.text())
    clock: int = Field(default=0, sa_column=columns.number())
    seed: int = Field(default=0, sa_column=columns.number())
    consolidated_clock: int = Field(default=0, sa_column=columns.number())
    created_at: datetime = Field(sa_column=columns.moment())


LIVE = "deleted_at is null"


class ChunkTable(Row, table=True):
    """One remembered interaction.

    `id` is the order of insertion, `chunk_key` the id it goes by. `last_trace` and `n_traces` say
    of `traces` and what was compacted what retrieval asks first; every change of one changes both.
    `situation`, `artifact` and `stimulus` are the texts its vectors are made of.
    """

    __table_args__ = (
        UniqueConstraint("memory_id", "chunk_key"),
        Index("ix_chunk_live", "memory_id", "state", "task_type", postgresql_where=sql(LIVE)),
        Index(
            "ix_chunk_deleted",
            "memory_id",
            "deleted_at",
            postgresql_where=sql("deleted_at is not null"),
        ),
        Index(None, "gate_id", postgresql_where=sql("gate_id is not null")),
        Index(None, "user_ids", postgresql_using="gin"),
    )

    id: int | None = Field(default=None, sa_column=columns.identity())
    memory_id: int = Field(sa_column=_owned("memory"))
    chunk_key: str = Field(sa_column=columns.text())
    type: str = Field(sa_column=columns.text())
    state: str = Field(sa_column=columns.text())
    task_type: str = Field(sa_column=columns.text())
    outcome: str = Field(sa_column=columns.text())
    lens: str = Field(sa_column=columns.text())
    prior_prediction: str = Field(sa_column=columns.text())
    prior_confidence: float = Field(default=0.0, sa_column=_share())
    posterior_prediction: str = Field(sa_column=columns.text())
    posterior_confidence: float = Field(default=0.0, sa_column=_share())
    prediction_delta: str = Field(sa_column=columns.text())
    salient_percepts: list[object] = Field(sa_column=columns.json_list())
    human_response: str = Field(sa_column=columns.text())
    delta: str = Field(sa_column=columns.text())
    content: str = Field(sa_column=columns.text())
    situation: str = Field(sa_column=columns.text())
    artifact: str = Field(sa_column=columns.text())
    stimulus: str = Field(sa_column=columns.text())
    traces: list[int] = Field(sa_column=_numbers())
    hidden_count: int = Field(default=0, sa_column=columns.number())
    hidden_first: int = Field(default=0, sa_column=columns.number())
    last_trace: int = Field(default=0, sa_column=columns.number())
    n_traces: int = Field(default=0, sa_column=columns.number())
    embedding_model: str = Field(sa_column=columns.text())
    embedding_situation: object = Field(default=None, sa_column=vector_or_none())
    embedding_artifact: object = Field(default=None, sa_column=vector_or_none())
    embedding_stimulus: object = Field(default=None, sa_column=vector_or_none())
    embedding_response: object = Field(default=None, sa_column=vector_or_none())
    embedding_salience: object = Field(default=None, sa_column=vector_or_none())
    deleted_at: int | None = Field(default=None, sa_column=columns.number_or_none())
    by_human: bool = Field(sa_column=columns.flag())
    audience: str = Field(sa_column=columns.text())
    channel_id: str = Field(sa_column=columns.text())
    gate_id: int | None = Field(default=None, sa_column=columns.number_or_none())
    user_ids: list[str] = Field(sa_column=_texts())
    created_at: datetime = Field(sa_column=columns.moment())


class ChunkMessageTable(Row, table=True):
    """A transcript row that went into a chunk: when it is erased, the chunk is."""

    __table_args__ = (Index(None, "message_id"),)

    chunk_id: int = Field(sa_column=_owned("chunk", key=True))
    message_id: int = Field(
        sa_column=Column(BigInteger, ForeignKey("message.id"), primary_key=True)
    )


class AccuracyTable(Row, table=True):
    """How often the two passes were right in one context."""

    memory_id: int = Field(sa_column=_owned("memory", key=True))
    state: str = Field(sa_column=columns.text_key())
    task_type: str = Field(sa_column=columns.text_key())
    prior_correct: int = Field(default=0, sa_column=columns.number())
    prior_total: int = Field(default=0, sa_column=columns.number())
    posterior_correct: int = Field(default=0, sa_column=columns.number())
    posterior_total: int = Field(default=0, sa_column=columns.number())
    last_updated: datetime | None = Field(default=None, sa_column=columns.moment_or_none())


class RecallTable(Row, table=True):
    """What one retrieval found, in numbers and ids alone, so that it can be shown and replayed."""

    __table_args__ = (
        Index(None, "memory_id", "id"),
        Index(None, "chunk_keys", postgresql_using="gin"),
    )

    id: int | None = Field(default=None, sa_column=columns.identity())
    memory_id: int = Field(sa_column=_owned("memory"))
    gate_id: int | None = Field(default=None, sa_column=columns.number_or_none())
    purpose: str = Field(sa_column=columns.text())
    clock: int = Field(default=0, sa_column=columns.number())
    candidates: int = Field(default=0, sa_column=columns.number())
    survivors: int = Field(default=0, sa_column=columns.number())
    policy: dict[str, object] = Field(sa_column=columns.json_object())
    hits: list[object] = Field(sa_column=columns.json_list())
    chunk_keys: list[str] = Field(sa_column=_texts())
    at: datetime = Field(sa_column=columns.moment())


class EmbeddingTable(Row, table=True):
    """A text's vector, kept under the text's digest so that a provider is asked once."""

    memory_id: int = Field(sa_column=_owned("memory", key=True))
    model: str = Field(sa_column=columns.text_key())
    digest: str = Field(sa_column=columns.text_key())
    embedding: object = Field(sa_column=Column(AnyVector, nullable=False))
    stored_at: datetime = Field(sa_column=columns.moment())
