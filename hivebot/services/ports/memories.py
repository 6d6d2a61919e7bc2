"""What do the use cases need of a proxy's memory? A protocol only; the database fulfils it.

Retrieval never writes. Whatever writes belongs to the transaction it is called in.
Source: memory.md 3, 4, 7 and 8.3, datapath.md 7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from hivebot.proxy.accuracy import AccuracyRecord
from hivebot.proxy.memory import PURGE_WINDOW
from hivebot.proxy.petrov import COMPACT_ABOVE, COMPACT_KEEP
from hivebot.proxy.retrieval import Query, RetrievalPolicy
from hivebot.proxy.vectors import Vector, Vectors
from hivebot.services.records.memories import (
    RECALLS_KEPT,
    MemoryRow,
    NewChunk,
    NewRecall,
    Place,
    RecallRow,
    Recollection,
    Recorded,
    RememberedChunk,
)


class Memories(Protocol):
    """The memories of all proxies, one clock each."""

    async def ensure(self, team_id: str, proxy: str) -> MemoryRow:
        """The memory of this proxy, begun if there is none."""
        ...

    async def find(self, team_id: str, proxy: str) -> MemoryRow | None:
        """The memory of this proxy."""
        ...

    async def get(self, memory_id: int) -> MemoryRow | None:
        """One memory by id."""
        ...

    async def every(self) -> tuple[MemoryRow, ...]:
        """All memories, oldest first."""
        ...

    async def lock(self, memory_id: int) -> MemoryRow:
        """Hold everything else that moves this memory's clock until the transaction ends."""
        ...

    # -- what is remembered --------------------------------------------------------------------

    async def record(self, memory_id: int, new: NewChunk) -> Recorded:
        """Remember an interaction once: clock, trace, chunk and accuracy in one transaction.

        1. The chunk's id is known, softly deleted or not: nothing changes (a redelivered event).
        2. Otherwise the clock moves and the traces are written as the kind of chunk says, and the
           predictions of an outcome that a person decided are counted.

        Raises:
            InvalidVectorError: a vector holds NaN or infinity.

        Source: memory.md 3.1, 3.2, 5.5 and 7 (rules 2 and 4).
        """
        ...

    async def rehearse(self, memory_id: int, chunk_id: str) -> int | None:
        """The same interaction once more: the clock steps, the chunk gains that trace.

        A softly deleted chunk accepts it and stays hidden. None, and nothing changed, for an
        unknown id.

        Source: memory.md 3.1 and 7 (rule 5).
        """
        ...

    async def reinforce(self, memory_id: int, chunk_ids: Sequence[str]) -> tuple[str, ...]:
        """One trace of the current clock to each chunk named, once each; the clock stays.

        Gives the ids that exist, in the order named; the others are skipped.

        Source: memory.md 3.4 and 7 (rules 3 and 5).
        """
        ...

    async def accuracy(self, memory_id: int, state: str, task_type: str) -> AccuracyRecord | None:
        """How often the passes were right in a context."""
        ...

    async def accuracies(self, memory_id: int) -> dict[tuple[str, str], AccuracyRecord]:
        """The same of every context, by (state, task_type)."""
        ...

    async def depth(self, memory_id: int) -> int:
        """Distinct contexts of live gate outcomes. Source: memory.md 6.1."""
        ...

    # -- what comes to mind --------------------------------------------------------------------

    async def retrieve(
        self,
        memory_id: int,
        query: Query,
        policy: RetrievalPolicy,
        places: Sequence[Place] | None,
    ) -> Recollection:
        """The memories above the threshold that may be read in all these places, ranked.

        `places` None reads everything: for people who may. Writes nothing.

        Source: memory.md 4.1 to 4.5, rights.md 3.
        """
        ...

    async def retrieve_salience(
        self,
        memory_id: int,
        salience: Vector | None,
        embedding_model: str,
        policy: RetrievalPolicy,
        places: Sequence[Place] | None,
    ) -> Recollection:
        """What the proxy was surprised by that resembles this. Source: memory.md 4.6."""
        ...

    async def nearest_below(
        self,
        memory_id: int,
        query: Query,
        policy: RetrievalPolicy,
        places: Sequence[Place] | None,
    ) -> RememberedChunk | None:
        """The strongest candidate that the threshold kept out, for people to see.

        Source: product.md 7.
        """
        ...

    async def keep_recall(self, memory_id: int, new: NewRecall, keep: int = RECALLS_KEPT) -> None:
        """Keep what a retrieval found, and no more than the memory's newest `keep`."""
        ...

    async def recalls(
        self, memory_id: int, chunk_id: str | None = None, limit: int = 20
    ) -> tuple[RecallRow, ...]:
        """Kept retrievals, newest first; only those that found a chunk, where one is named."""
        ...

    # -- reading -------------------------------------------------------------------------------

    async def chunk(self, memory_id: int, chunk_id: str) -> RememberedChunk | None:
        """One chunk with its vectors, softly deleted or not."""
        ...

    async def chunks(
        self, memory_id: int, after: int = 0, limit: int | None = None, *, vectors: bool = True
    ) -> tuple[RememberedChunk, ...]:
        """Chunks in insertion order, softly deleted ones too, beyond the sequence `after`."""
        ...

    async def of_gate(self, gate_id: int) -> tuple[RememberedChunk, ...]:
        """What a gate has left, without vectors."""
        ...

    # -- between sessions ----------------------------------------------------------------------

    async def soft_delete(self, memory_id: int, chunk_ids: Sequence[str]) -> tuple[str, ...]:
        """Hide chunks from now on; gives those that were visible. Source: memory.md 8.3."""
        ...

    async def purge(self, memory_id: int, window: int = PURGE_WINDOW) -> tuple[str, ...]:
        """Delete for good what was hidden `window` interactions ago. Source: memory.md 8.3."""
        ...

    async def compact(
        self, memory_id: int, keep: int = COMPACT_KEEP, above: int = COMPACT_ABOVE
    ) -> tuple[str, ...]:
        """Shorten the traces of chunks with more than `above`. Source: memory.md 10.2."""
        ...

    async def consolidated(self, memory_id: int) -> None:
        """Note that the memory was consolidated where its clock stands."""
        ...

    async def due(self, interactions: int) -> tuple[MemoryRow, ...]:
        """Memories whose clock has moved that far since they were consolidated."""
        ...

    # -- erasing -------------------------------------------------------------------------------

    async def forget(self, memory_id: int, chunk_ids: Sequence[str]) -> tuple[str, ...]:
        """Delete chunks for good, whatever the purge window; gives those that existed.

        Source: memory.md 9.2.
        """
        ...

    async def withdraw(self, message_ids: Sequence[int]) -> int:
        """Delete for good every chunk made of these transcript rows; says how many.

        Source: datapath.md 7.
        """
        ...

    async def erase_user(self, user_id: str) -> int:
        """Delete for good every chunk with a person's words or decision; says how many."""
        ...

    async def forget_memory(self, memory_id: int) -> None:
        """Delete a memory with everything in it."""
        ...

    # -- vectors -------------------------------------------------------------------------------

    async def unembedded(
        self, model: str, *, memory_id: int | None = None, after: int = 0, limit: int = 64
    ) -> tuple[RememberedChunk, ...]:
        """Live chunks whose vectors are not of this model, in insertion order, without vectors."""
        ...

    async def count_unembedded(self, model: str, memory_id: int | None = None) -> int:
        """How many there are."""
        ...

    async def embed(self, sequence: int, vectors: Vectors, model: str) -> None:
        """Replace a chunk's vectors, all of them.

        Raises:
            InvalidVectorError: a vector holds NaN or infinity.
        """
        ...

    async def cached(self, memory_id: int, model: str, digests: Sequence[str]) -> dict[str, Vector]:
        """Vectors of texts that were embedded before, by digest."""
        ...

    async def cache(self, memory_id: int, model: str, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors of texts, by digest."""
        ...

    async def purge_cache(self, before: datetime) -> int:
        """Drop the vectors of texts kept before a moment; says how many."""
        ...
