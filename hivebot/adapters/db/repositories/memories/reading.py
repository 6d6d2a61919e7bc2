"""How is a chunk read from its row, with or without its vectors?"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final, cast

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import InstrumentedAttribute, defer
from sqlmodel import col

from hivebot.adapters.db.repositories.base import Repository
from hivebot.adapters.db.tables import ChunkMessageTable, ChunkTable, MemoryTable
from hivebot.adapters.db.tables.vectors import Vector
from hivebot.hive.crossing import Audience
from hivebot.proxy.chunks import Chunk, HiddenTraces
from hivebot.proxy.vectors import NO_VECTORS, Dimension, Vectors, storable
from hivebot.services.records.memories import (
    MemoryRow,
    PerceptTexts,
    RememberedChunk,
    Scope,
    Sources,
)

VECTOR_COLUMNS: Final = MappingProxyType[Dimension, InstrumentedAttribute[object]](
    {
        dimension: cast(
            "InstrumentedAttribute[object]", getattr(ChunkTable, f"embedding_{dimension.value}")
        )
        for dimension in Dimension
        if dimension is not Dimension.BLENDED
    }
)
"""Where each percept's vector stands; the one-vector ablation's is not stored."""

_WITHOUT_VECTORS: Final = tuple(defer(each, raiseload=True) for each in VECTOR_COLUMNS.values())


class ChunkReading(Repository):
    """Chunks as they are stored."""

    async def _chunks(
        self,
        *conditions: ColumnElement[bool],
        limit: int | None = None,
        vectors: bool = False,
    ) -> tuple[RememberedChunk, ...]:
        """Chunks in insertion order."""
        statement = select(ChunkTable).where(*conditions).order_by(col(ChunkTable.id)).limit(limit)
        if not vectors:
            statement = statement.options(*_WITHOUT_VECTORS)
        rows = await self._all(statement)
        sources = await self._messages([row.id or 0 for row in rows])
        return tuple(
            remembered_of(row, tuple(sources.get(row.id or 0, ())), vectors=vectors) for row in rows
        )

    async def _messages(self, chunk_ids: Sequence[int]) -> dict[int, list[int]]:
        if not chunk_ids:
            return {}
        found = await self._session.execute(
            select(col(ChunkMessageTable.chunk_id), col(ChunkMessageTable.message_id))
            .where(col(ChunkMessageTable.chunk_id).in_(chunk_ids))
            .order_by(col(ChunkMessageTable.message_id))
        )
        sources: dict[int, list[int]] = {}
        for chunk_id, message_id in found:
            sources.setdefault(chunk_id, []).append(message_id)
        return sources


def memory_of(row: MemoryTable) -> MemoryRow:
    """A memory."""
    return MemoryRow(
        id=row.id or 0,
        team_id=row.team_id,
        proxy=row.proxy,
        clock=row.clock,
        seed=row.seed,
        consolidated_clock=row.consolidated_clock,
        created_at=row.created_at,
    )


def remembered_of(
    row: ChunkTable, message_ids: tuple[int, ...], *, vectors: bool
) -> RememberedChunk:
    """A chunk with what is stored beside it."""
    return RememberedChunk(
        memory_id=row.memory_id,
        chunk=chunk_of(row, vectors=vectors),
        scope=Scope(Audience(row.audience), row.channel_id),
        sources=Sources(row.gate_id, message_ids, tuple(row.user_ids)),
        texts=PerceptTexts(row.stimulus, row.artifact, row.situation),
        by_human=row.by_human,
        created_at=row.created_at,
    )


def chunk_of(row: ChunkTable, *, vectors: bool) -> Chunk:
    """A chunk; `vectors` says whether they were read."""
    hidden = HiddenTraces(row.hidden_count, row.hidden_first) if row.hidden_count else None
    return Chunk(
        id=row.chunk_key,
        type=row.type,
        state=row.state,
        task_type=row.task_type,
        outcome=row.outcome,
        lens=row.lens,
        prior_prediction=row.prior_prediction,
        prior_confidence=row.prior_confidence,
        posterior_prediction=row.posterior_prediction,
        posterior_confidence=row.posterior_confidence,
        prediction_delta=row.prediction_delta,
        salient_percepts=tuple(cast("list[str]", row.salient_percepts)),
        human_response=row.human_response,
        delta=row.delta,
        content=row.content,
        traces=tuple(row.traces),
        hidden=hidden,
        vectors=_vectors_of(row) if vectors else NO_VECTORS,
        embedding_model=row.embedding_model,
        deleted_at=row.deleted_at,
        sequence=row.id or 0,
    )


def vector_values(vectors: Vectors) -> dict[str, object]:
    """Every vector column's value; an all-zero or empty vector is absent.

    Raises:
        InvalidVectorError: A vector holds NaN or infinity.

    Source: memory.md 2 and 10.3.
    """
    return {
        f"embedding_{dimension.value}": storable(vectors.get(dimension))
        for dimension in VECTOR_COLUMNS
    }


def _vectors_of(row: ChunkTable) -> Vectors:
    return Vectors(
        situation=cast("Vector | None", row.embedding_situation),
        artifact=cast("Vector | None", row.embedding_artifact),
        stimulus=cast("Vector | None", row.embedding_stimulus),
        response=cast("Vector | None", row.embedding_response),
        salience=cast("Vector | None", row.embedding_salience),
    )
