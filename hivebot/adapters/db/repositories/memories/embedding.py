"""Which chunks still want vectors of a model, and which texts were embedded before?

Source: memory.md 2 and 4.2 (another model's vectors are unusable).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import cast

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col

from hivebot.adapters.db.repositories.memories.reading import ChunkReading, vector_values
from hivebot.adapters.db.tables import ChunkTable, EmbeddingTable
from hivebot.proxy.vectors import Vector, Vectors, storable
from hivebot.services.records.memories import RememberedChunk


class Embedding(ChunkReading):
    """Vectors of chunks, and of texts."""

    async def unembedded(
        self, model: str, *, memory_id: int | None = None, after: int = 0, limit: int = 64
    ) -> tuple[RememberedChunk, ...]:
        """Live chunks whose vectors are not of this model, in insertion order."""
        wanted = _of_another_model(model, memory_id)
        return await self._chunks(*wanted, col(ChunkTable.id) > after, limit=limit)

    async def count_unembedded(self, model: str, memory_id: int | None = None) -> int:
        """How many there are."""
        counted = await self._session.execute(
            select(func.count()).select_from(ChunkTable).where(*_of_another_model(model, memory_id))
        )
        return counted.scalar_one()

    async def embed(self, sequence: int, vectors: Vectors, model: str) -> None:
        """Replace a chunk's vectors, all of them."""
        await self._session.execute(
            update(ChunkTable)
            .where(col(ChunkTable.id) == sequence)
            .values(**vector_values(vectors), embedding_model=model)
        )

    async def cached(self, memory_id: int, model: str, digests: Sequence[str]) -> dict[str, Vector]:
        """Vectors of texts that were embedded before, by digest."""
        rows = await self._all(
            select(EmbeddingTable).where(
                col(EmbeddingTable.memory_id) == memory_id,
                col(EmbeddingTable.model) == model,
                col(EmbeddingTable.digest).in_(digests),
            )
        )
        return {row.digest: cast("Vector", row.embedding) for row in rows}

    async def cache(self, memory_id: int, model: str, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors of texts, by digest; a zero vector is not worth keeping."""
        kept = {digest: storable(vector) for digest, vector in vectors.items()}
        rows = [
            {
                "memory_id": memory_id,
                "model": model,
                "digest": digest,
                "embedding": vector,
                "stored_at": self._now(),
            }
            for digest, vector in kept.items()
            if vector is not None
        ]
        if rows:
            await self._session.execute(
                insert(EmbeddingTable).values(rows).on_conflict_do_nothing()
            )

    async def purge_cache(self, before: datetime) -> int:
        """Drop the vectors of texts kept before a moment."""
        dropped = await self._session.execute(
            delete(EmbeddingTable)
            .where(col(EmbeddingTable.stored_at) < before)
            .returning(col(EmbeddingTable.digest))
        )
        return len(dropped.all())


def _of_another_model(model: str, memory_id: int | None) -> list[ColumnElement[bool]]:
    wanted = [col(ChunkTable.embedding_model) != model, col(ChunkTable.deleted_at).is_(None)]
    return wanted if memory_id is None else [*wanted, col(ChunkTable.memory_id) == memory_id]
