"""Which memories come to mind, and what is kept of the answer? Retrieval itself writes nothing.

Source: memory.md 4 and 10.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col

from hivebot.adapters.db.codec import decode, encode
from hivebot.adapters.db.repositories.memories.comparing import (
    comparable,
    cosine,
    eligible,
    hopeful,
)
from hivebot.adapters.db.repositories.memories.packed import ComparedMatrix, packed, unpacked
from hivebot.adapters.db.repositories.memories.reading import VECTOR_COLUMNS, ChunkReading
from hivebot.adapters.db.tables import ChunkTable, MemoryTable, RecallTable
from hivebot.proxy.parts import ScoreParts, score_parts
from hivebot.proxy.retrieval import (
    Query,
    Retrieval,
    RetrievalPolicy,
    nearest_below,
    retrieve,
    retrieve_salience,
    seeded,
)
from hivebot.proxy.vectors import Dimension, Vector, storable
from hivebot.services.records.memories import (
    RECALLS_KEPT,
    NewRecall,
    Place,
    RecallPurpose,
    RecallRow,
    Recollection,
    RememberedChunk,
)


class Recalling(ChunkReading):
    """Retrieval and what is kept of it."""

    async def retrieve(
        self,
        memory_id: int,
        query: Query,
        policy: RetrievalPolicy,
        places: Sequence[Place] | None,
    ) -> Recollection:
        """The memories above the threshold that may be read in all these places, ranked."""
        clock, seed = await self._moment(memory_id)
        conditions = eligible(memory_id, query, places)
        asked = comparable(query, policy)
        matrix = await self._compared(
            [*conditions, *hopeful(clock, policy)], asked, query.embedding_model
        )
        unfiltered = Query(vectors=query.vectors, embedding_model=query.embedding_model)
        chance = seeded(matrix, seed, clock)
        found = retrieve(matrix, unfiltered, clock, policy, chance)
        parts = score_parts(matrix, found, unfiltered, policy, chance)
        return await self._recollection(matrix, found, parts, clock, conditions)

    async def retrieve_salience(
        self,
        memory_id: int,
        salience: Vector | None,
        embedding_model: str,
        policy: RetrievalPolicy,
        places: Sequence[Place] | None,
    ) -> Recollection:
        """What the proxy was surprised by that resembles this; no structural filter."""
        clock, _ = await self._moment(memory_id)
        surprising = VECTOR_COLUMNS[Dimension.SALIENCE].is_not(None)
        conditions = [*eligible(memory_id, Query(), places), surprising]
        vector = storable(salience)
        asked = {} if vector is None else {Dimension.SALIENCE: vector}
        matrix = await self._compared(
            [*conditions, *hopeful(clock, policy)], asked, embedding_model
        )
        found = retrieve_salience(matrix, vector, clock, policy, embedding_model)
        return await self._recollection(matrix, found, (), clock, conditions)

    async def nearest_below(
        self,
        memory_id: int,
        query: Query,
        policy: RetrievalPolicy,
        places: Sequence[Place] | None,
    ) -> RememberedChunk | None:
        """The strongest candidate that the threshold kept out."""
        clock, _ = await self._moment(memory_id)
        matrix = await self._compared(eligible(memory_id, query, places), {}, "")
        name = nearest_below(matrix, Query(), clock, policy)
        if name is None:
            return None
        conditions = col(ChunkTable.memory_id) == memory_id, col(ChunkTable.chunk_key) == name
        (found,) = await self._chunks(*conditions)
        return found

    async def keep_recall(self, memory_id: int, new: NewRecall, keep: int = RECALLS_KEPT) -> None:
        """Keep what a retrieval found, and no more than the newest `keep`."""
        await self._session.execute(
            insert(RecallTable).values(
                memory_id=memory_id,
                gate_id=new.gate_id,
                purpose=new.purpose.value,
                clock=new.clock,
                candidates=new.candidates,
                survivors=new.survivors,
                policy=encode(new.policy),
                hits=encode(new.hits),
                chunk_keys=[hit.chunk_id for hit in new.hits],
                at=self._now(),
            )
        )
        newest = (
            select(col(RecallTable.id))
            .where(col(RecallTable.memory_id) == memory_id)
            .order_by(col(RecallTable.id).desc())
            .offset(keep)
        )
        await self._session.execute(delete(RecallTable).where(col(RecallTable.id).in_(newest)))

    async def recalls(
        self, memory_id: int, chunk_id: str | None = None, limit: int = 20
    ) -> tuple[RecallRow, ...]:
        """Kept retrievals, newest first."""
        statement = select(RecallTable).where(col(RecallTable.memory_id) == memory_id)
        if chunk_id is not None:
            statement = statement.where(col(RecallTable.chunk_keys).contains([chunk_id]))
        rows = await self._all(statement.order_by(col(RecallTable.id).desc()).limit(limit))
        return tuple(_recall_of(row) for row in rows)

    async def chunk(self, memory_id: int, chunk_id: str) -> RememberedChunk | None:
        """One chunk with its vectors, softly deleted or not."""
        conditions = col(ChunkTable.memory_id) == memory_id, col(ChunkTable.chunk_key) == chunk_id
        found = await self._chunks(*conditions, vectors=True)
        return found[0] if found else None

    async def chunks(
        self, memory_id: int, after: int = 0, limit: int | None = None, *, vectors: bool = True
    ) -> tuple[RememberedChunk, ...]:
        """Chunks in insertion order, softly deleted ones too."""
        conditions = col(ChunkTable.memory_id) == memory_id, col(ChunkTable.id) > after
        return await self._chunks(*conditions, limit=limit, vectors=vectors)

    async def of_gate(self, gate_id: int) -> tuple[RememberedChunk, ...]:
        """What a gate has left."""
        return await self._chunks(col(ChunkTable.gate_id) == gate_id)

    async def _moment(self, memory_id: int) -> tuple[int, int]:
        found = await self._session.execute(
            select(col(MemoryTable.clock), col(MemoryTable.seed)).where(
                col(MemoryTable.id) == memory_id
            )
        )
        clock, seed = found.one()
        return clock, seed

    async def _compared(
        self, conditions: Sequence[ColumnElement[bool]], asked: dict[Dimension, Vector], model: str
    ) -> ComparedMatrix:
        compared = [cosine(dimension, vector, model) for dimension, vector in asked.items()]
        row = (await self._session.execute(packed(conditions, compared))).one()
        return unpacked(row, tuple(asked))

    async def _recollection(
        self,
        matrix: ComparedMatrix,
        found: Retrieval,
        parts: tuple[ScoreParts, ...],
        clock: int,
        conditions: Sequence[ColumnElement[bool]],
    ) -> Recollection:
        counted = await self._session.execute(
            select(func.count()).select_from(ChunkTable).where(*conditions)
        )
        rows = cast("list[int]", matrix.sequence[found.rows].tolist())
        chunks = await self._chunks(col(ChunkTable.id).in_(rows)) if rows else ()
        by_sequence = {each.chunk.sequence: each for each in chunks}
        return Recollection(
            chunks=tuple(by_sequence[each] for each in rows),
            parts=parts,
            clock=clock,
            candidates=counted.scalar_one(),
            survivors=int(found.survivors.size),
            other_length=found.other_length,
        )


def _recall_of(row: RecallTable) -> RecallRow:
    kept = NewRecall(
        purpose=RecallPurpose(row.purpose),
        clock=row.clock,
        candidates=row.candidates,
        survivors=row.survivors,
        policy=decode(RetrievalPolicy, row.policy),
        hits=decode(tuple[ScoreParts, ...], row.hits),
        gate_id=row.gate_id,
    )
    return RecallRow(id=row.id or 0, memory_id=row.memory_id, recall=kept, at=row.at)
