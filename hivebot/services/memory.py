"""What keeps a memory in order between sessions? Consolidation, purge, compaction, new vectors.

Source: memory.md 4.2, 8.3 and 10.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from hivebot.proxy.consolidation import SEMANTIC_GATE, consolidate
from hivebot.proxy.vectors import Vectors
from hivebot.services.ports import Clock, Transaction, UnitOfWork
from hivebot.services.ports.embedding import Embedder, EmbedderError
from hivebot.services.recall import vectors_of
from hivebot.services.records.memories import MemoryRow, RememberedChunk
from hivebot.services.retrying import transact

INTERACTIONS = 25
"""Interactions after which a memory is consolidated."""

CACHE_DAYS = 7
"""Days for which the vectors of texts are kept: as long as the raw events they came in with."""

PAGE = 64
"""Chunks that are embedded, and committed, together."""

Advance = Callable[[int, int], None]
"""Told how many of how many are done."""


@dataclass(frozen=True, slots=True)
class Consolidated:
    """What a run left out of one memory; ids, for the log line."""

    memory_id: int
    purged: tuple[str, ...]
    hidden: tuple[str, ...]
    compacted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """What one look found: counts, for the log line."""

    consolidated: int
    purged: int
    hidden: int
    compacted: int
    cached: int


@dataclass(frozen=True, slots=True)
class Reembedded:
    """What came of giving chunks the vectors of a model.

    Attributes:
        embedded: Chunks that have them now.
        skipped: Chunks whose texts the embedder would not take.
    """

    embedded: int
    skipped: int


class MemoryKeeping:
    """Keeps memories in order. Retrieval does not wait for it, and it adds no trace."""

    def __init__(self, work: UnitOfWork, clock: Clock) -> None:
        self._work = work
        self._clock = clock

    async def run(self, semantic_gate: float | None = SEMANTIC_GATE) -> Kept:
        """Consolidate what is due, and drop what the cache has kept long enough.

        Raises:
            StoreUnavailableError: the next look finds the same rows.
        """
        due = await transact(self._work, _due)
        done = [await self.consolidate(row.id, semantic_gate) for row in due]
        return Kept(
            consolidated=len(done),
            purged=sum(len(each.purged) for each in done),
            hidden=sum(len(each.hidden) for each in done),
            compacted=sum(len(each.compacted) for each in done),
            cached=await transact(self._work, self._purge_cache),
        )

    async def consolidate(
        self, memory_id: int, semantic_gate: float | None = SEMANTIC_GATE
    ) -> Consolidated:
        """Consolidate one memory, whether due or not.

        Source: memory.md 8.3: purge; mark the older of each drifted pair; hide the marked.
        """

        async def use(tx: Transaction) -> Consolidated:
            memory = await tx.memories.lock(memory_id)
            purged = await tx.memories.purge(memory_id)
            chunks = [each.chunk for each in await tx.memories.chunks(memory_id)]
            decided = consolidate(chunks, memory.clock, semantic_gate=semantic_gate)
            hidden = await tx.memories.soft_delete(memory_id, decided.soft_delete)
            compacted = await tx.memories.compact(memory_id)
            await tx.memories.consolidated(memory_id)
            return Consolidated(memory_id, purged, hidden, compacted)

        return await transact(self._work, use)

    async def reembed(
        self, embedder: Embedder, memory_id: int | None = None, advance: Advance | None = None
    ) -> Reembedded:
        """Give every live chunk vectors of this model; those that have them are left alone.

        Each page is committed by itself, so that an interrupted run goes on where it stopped. A
        chunk whose texts the embedder will not take is passed over.

        Raises:
            EmbedderError: It took none of a page; what was done before is kept.
        """

        async def count(tx: Transaction) -> int:
            return await tx.memories.count_unembedded(embedder.model, memory_id)

        async def read(tx: Transaction) -> tuple[RememberedChunk, ...]:
            return await tx.memories.unembedded(
                embedder.model, memory_id=memory_id, after=after, limit=PAGE
            )

        total = await transact(self._work, count)
        embedded = skipped = after = 0
        while page := await transact(self._work, read):
            found = await _page_vectors(embedder, page)
            await self._store(found, embedder.model)
            embedded += len(found)
            skipped += len(page) - len(found)
            after = page[-1].chunk.sequence
            if advance is not None:
                advance(embedded + skipped, max(total, embedded + skipped))
        return Reembedded(embedded, skipped)

    async def _store(self, found: Sequence[tuple[int, Vectors]], model: str) -> None:
        async def write(tx: Transaction) -> None:
            for sequence, vectors in found:
                await tx.memories.embed(sequence, vectors, model)

        await transact(self._work, write)

    async def _purge_cache(self, tx: Transaction) -> int:
        return await tx.memories.purge_cache(self._clock.now() - timedelta(days=CACHE_DAYS))


async def _due(tx: Transaction) -> tuple[MemoryRow, ...]:
    return await tx.memories.due(INTERACTIONS)


async def _page_vectors(
    embedder: Embedder, page: Sequence[RememberedChunk]
) -> list[tuple[int, Vectors]]:
    try:
        made = await vectors_of(embedder, [each.percepts for each in page])
    except EmbedderError as error:
        found = await _one_by_one(embedder, page)
        if not found:
            raise error from None
        return found
    return [(each.chunk.sequence, vectors) for each, vectors in zip(page, made, strict=True)]


async def _one_by_one(
    embedder: Embedder, page: Sequence[RememberedChunk]
) -> list[tuple[int, Vectors]]:
    found: list[tuple[int, Vectors]] = []
    for each in page:
        try:
            (vectors,) = await vectors_of(embedder, [each.percepts])
        except EmbedderError:
            continue
        found.append((each.chunk.sequence, vectors))
    return found
