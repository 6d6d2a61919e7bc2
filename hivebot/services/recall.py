"""Which vectors stand for what is asked of a memory, or stored in it?

Texts are embedded before a transaction begins, since a slow embedder must not hold locks, and a
failing one loses nothing: what belongs to the texts is stored without vectors and embedded later.

Source: memory.md 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hivebot.proxy.percepts import Percepts
from hivebot.proxy.vectors import NO_VECTORS, Vector, Vectors, storable
from hivebot.services.ports import Transaction, UnitOfWork
from hivebot.services.ports.embedding import Embedder, EmbedderError
from hivebot.services.records.memories import RememberedChunk, text_digest
from hivebot.services.retrying import transact


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vectors of some percepts.

    Attributes:
        vectors: One per percept with a text; none at all where the embedder failed.
        model: Whose they are; "" where there are none for that reason, so that they are made later.
        failure: Why the embedder failed, for the log; "" when it did not.
    """

    vectors: Vectors
    model: str
    failure: str = ""


async def vectors_of(embedder: Embedder, percepts: Sequence[Percepts]) -> tuple[Vectors, ...]:
    """Give the vectors of many percepts, each text embedded once in one call.

    Raises:
        EmbedderError: None of them has vectors.
    """
    texts = dict.fromkeys(text for each in percepts for _, text in each.texts())
    found = dict(zip(texts, await embedder.embed(tuple(texts)), strict=True))
    return tuple(laid_out(each, found) for each in percepts)


def laid_out(percepts: Percepts, found: Mapping[str, Vector]) -> Vectors:
    """Put the vectors of texts in their places; an all-zero one is absent. Source: memory.md 2."""
    return Vectors(
        **{dimension.value: storable(found[text]) for dimension, text in percepts.texts()}
    )


class MemoryEmbedding:
    """Embeds for one memory, and asks the embedder about no text twice."""

    def __init__(self, work: UnitOfWork, embedder: Embedder) -> None:
        self._work = work
        self._embedder = embedder

    @property
    def model(self) -> str:
        """Provider and model, as it is stored with every vector."""
        return self._embedder.model

    async def vectors(self, memory_id: int, percepts: Percepts) -> Embedded:
        """The vectors of some percepts. Call it outside any transaction.

        Raises:
            StoreUnavailableError: the database is away.
        """
        digests = {text: text_digest(text) for _, text in percepts.texts()}
        if not digests:
            return Embedded(NO_VECTORS, self.model)
        kept = await self._kept(memory_id, list(digests.values()))
        missing = tuple(text for text, digest in digests.items() if digest not in kept)
        try:
            made = dict(zip(missing, await self._embedder.embed(missing), strict=True))
        except EmbedderError as error:
            return Embedded(NO_VECTORS, "", failure=error.reason)
        if made:
            await self._keep(memory_id, {digests[text]: vector for text, vector in made.items()})
        found = {
            text: made[text] if text in made else kept[digest] for text, digest in digests.items()
        }
        return Embedded(laid_out(percepts, found), self.model)

    async def embed_waiting(self, memory_id: int) -> None:
        """Give vectors to what was remembered without: a decision, or where the embedder failed.

        Those of another model are left to `hivebot memory reembed`. Call it outside any
        transaction.

        Raises:
            StoreUnavailableError: the database is away.
        """

        async def waiting(tx: Transaction) -> tuple[RememberedChunk, ...]:
            return await tx.memories.unembedded(self.model, memory_id=memory_id)

        async def write(tx: Transaction) -> None:
            for sequence, embedded in made:
                await tx.memories.embed(sequence, embedded.vectors, embedded.model)

        bare = [one for one in await transact(self._work, waiting) if not one.chunk.embedding_model]
        found = [(one.chunk.sequence, await self.vectors(memory_id, one.percepts)) for one in bare]
        made = [one for one in found if not one[1].failure]
        if made:
            await transact(self._work, write)

    async def _kept(self, memory_id: int, digests: Sequence[str]) -> dict[str, Vector]:
        async def read(tx: Transaction) -> dict[str, Vector]:
            return await tx.memories.cached(memory_id, self.model, digests)

        return await transact(self._work, read)

    async def _keep(self, memory_id: int, vectors: Mapping[str, Vector]) -> None:
        async def write(tx: Transaction) -> None:
            await tx.memories.cache(memory_id, self.model, vectors)

        await transact(self._work, write)
