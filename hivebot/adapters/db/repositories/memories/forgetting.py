"""What leaves a memory, when, and how thoroughly?

Softly: hidden, and gone after a window of interactions. For good: at once, with its links and the
kept vectors of its texts.

Source: memory.md 8.3 and 9.2, datapath.md 7.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, delete, func, or_, select, update
from sqlmodel import col

from hivebot.adapters.db.repositories.memories.reading import ChunkReading, memory_of
from hivebot.adapters.db.tables import (
    ChunkMessageTable,
    ChunkTable,
    EmbeddingTable,
    MemoryTable,
)
from hivebot.proxy.memory import PURGE_WINDOW
from hivebot.proxy.percepts import salience_question
from hivebot.proxy.petrov import COMPACT_ABOVE, COMPACT_KEEP, compact
from hivebot.services.records.memories import MemoryRow, RememberedChunk, text_digest


class Forgetting(ChunkReading):
    """Hiding, purging, compacting, erasing."""

    async def soft_delete(self, memory_id: int, chunk_ids: Sequence[str]) -> tuple[str, ...]:
        """Hide chunks from now on; one that is hidden already keeps its first date."""
        hidden = await self._session.execute(
            update(ChunkTable)
            .where(
                col(ChunkTable.memory_id) == memory_id,
                col(ChunkTable.chunk_key).in_(chunk_ids),
                col(ChunkTable.deleted_at).is_(None),
            )
            .values(deleted_at=_clock(memory_id))
            .returning(col(ChunkTable.chunk_key))
        )
        gone = set(hidden.scalars())
        return tuple(each for each in dict.fromkeys(chunk_ids) if each in gone)

    async def purge(self, memory_id: int, window: int = PURGE_WINDOW) -> tuple[str, ...]:
        """Delete for good what was hidden `window` interactions ago."""
        return _names(
            await self._erase(
                col(ChunkTable.memory_id) == memory_id,
                col(ChunkTable.deleted_at) <= _clock(memory_id) - window,
            )
        )

    async def compact(
        self, memory_id: int, keep: int = COMPACT_KEEP, above: int = COMPACT_ABOVE
    ) -> tuple[str, ...]:
        """Shorten the traces of chunks with more than `above`."""
        many = (
            select(col(ChunkTable.id))
            .where(
                col(ChunkTable.memory_id) == memory_id,
                func.cardinality(col(ChunkTable.traces)) > above,
            )
            .with_for_update()
        )
        rows = list((await self._session.execute(many)).scalars())
        found = await self._chunks(col(ChunkTable.id).in_(rows)) if rows else ()
        for each in found:
            short = compact(each.chunk, keep, above)
            assert short.hidden is not None  # noqa: S101 - it had more than `above`
            await self._session.execute(
                update(ChunkTable)
                .where(col(ChunkTable.id) == each.chunk.sequence)
                .values(
                    traces=list(short.traces),
                    hidden_count=short.hidden.count,
                    hidden_first=short.hidden.first,
                )
            )
        return _names(found)

    async def consolidated(self, memory_id: int) -> None:
        """Note that the memory was consolidated where its clock stands."""
        await self._session.execute(
            update(MemoryTable)
            .where(col(MemoryTable.id) == memory_id)
            .values(consolidated_clock=col(MemoryTable.clock))
        )

    async def due(self, interactions: int) -> tuple[MemoryRow, ...]:
        """Memories whose clock has moved that far since."""
        moved = col(MemoryTable.clock) - col(MemoryTable.consolidated_clock)
        rows = await self._all(
            select(MemoryTable).where(moved >= interactions).order_by(col(MemoryTable.id))
        )
        return tuple(memory_of(row) for row in rows)

    async def forget(self, memory_id: int, chunk_ids: Sequence[str]) -> tuple[str, ...]:
        """Delete chunks for good, whatever the purge window."""
        return _names(
            await self._erase(
                col(ChunkTable.memory_id) == memory_id, col(ChunkTable.chunk_key).in_(chunk_ids)
            )
        )

    async def withdraw(self, message_ids: Sequence[int]) -> int:
        """Delete for good every chunk made of these transcript rows."""
        made = select(col(ChunkMessageTable.chunk_id)).where(
            col(ChunkMessageTable.message_id).in_(message_ids)
        )
        return len(await self._erase(col(ChunkTable.id).in_(made)))

    async def erase_user(self, user_id: str) -> int:
        """Delete for good every chunk with a person's words or decision.

        The author of a steering, and of a correction, stands in its task type as well.
        """
        return len(
            await self._erase(
                or_(
                    col(ChunkTable.user_ids).contains([user_id]),
                    col(ChunkTable.task_type).in_([user_id, f"review:{user_id}"]),
                )
            )
        )

    async def forget_memory(self, memory_id: int) -> None:
        """Delete a memory with everything in it."""
        await self._session.execute(delete(MemoryTable).where(col(MemoryTable.id) == memory_id))

    async def _erase(self, *conditions: ColumnElement[bool]) -> tuple[RememberedChunk, ...]:
        found = await self._chunks(*conditions)
        if found:
            rows = [each.chunk.sequence for each in found]
            await self._session.execute(delete(ChunkTable).where(col(ChunkTable.id).in_(rows)))
            digests = {digest for each in found for digest in _digests(each)}
            await self._session.execute(
                delete(EmbeddingTable).where(
                    col(EmbeddingTable.memory_id).in_({each.memory_id for each in found}),
                    col(EmbeddingTable.digest).in_(digests),
                )
            )
        return found


def _clock(memory_id: int) -> ColumnElement[int]:
    return select(col(MemoryTable.clock)).where(col(MemoryTable.id) == memory_id).scalar_subquery()


def _names(found: Sequence[RememberedChunk]) -> tuple[str, ...]:
    return tuple(each.chunk.id for each in found)


def _digests(remembered: RememberedChunk) -> set[str]:
    """Name every text of a chunk that may have been embedded, to store it or to ask about it."""
    chunk = remembered.chunk
    asked = salience_question(chunk.state, chunk.task_type, remembered.texts.artifact)
    return {text_digest(text) for _, text in remembered.percepts.texts()} | {text_digest(asked)}
