"""What is written when something is remembered? One clock step, one chunk, its traces, its count.

Source: memory.md 3.1, 3.2, 3.4, 5.5 and 7.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import BigInteger, ColumnElement, Select, func, literal, select, update
from sqlalchemy.dialects.postgresql import array, insert
from sqlmodel import col

from hivebot.adapters.db.repositories.memories.reading import (
    ChunkReading,
    memory_of,
    vector_values,
)
from hivebot.adapters.db.tables import (
    AccuracyTable,
    ChunkMessageTable,
    ChunkTable,
    MemoryTable,
)
from hivebot.proxy.accuracy import AccuracyRecord, Judged, count
from hivebot.proxy.chunks import ChunkType
from hivebot.proxy.memory import event_of, stamp
from hivebot.proxy.noise import id_hashes
from hivebot.services.records.memories import MemoryRow, NewChunk, Recorded, RememberedChunk

_SEED_BITS = (1 << 63) - 1


class Recording(ChunkReading):
    """Memories and what is added to them."""

    async def ensure(self, team_id: str, proxy: str) -> MemoryRow:
        """The memory of this proxy, begun if there is none; its noise is seeded by its name."""
        seed = int(id_hashes((f"{team_id}\x1f{proxy}",))[0]) & _SEED_BITS
        await self._session.execute(
            insert(MemoryTable)
            .values(team_id=team_id, proxy=proxy, seed=seed, created_at=self._now())
            .on_conflict_do_nothing()
        )
        return memory_of(await self._the(_named(team_id, proxy)))

    async def find(self, team_id: str, proxy: str) -> MemoryRow | None:
        """The memory of this proxy."""
        row = await self._one(_named(team_id, proxy))
        return None if row is None else memory_of(row)

    async def get(self, memory_id: int) -> MemoryRow | None:
        """One memory by id."""
        row = await self._one(select(MemoryTable).where(col(MemoryTable.id) == memory_id))
        return None if row is None else memory_of(row)

    async def every(self) -> tuple[MemoryRow, ...]:
        """All memories, oldest first."""
        rows = await self._all(select(MemoryTable).order_by(col(MemoryTable.id)))
        return tuple(memory_of(row) for row in rows)

    async def lock(self, memory_id: int) -> MemoryRow:
        """Hold everything else that moves this memory's clock until the transaction ends."""
        locked = select(MemoryTable).where(col(MemoryTable.id) == memory_id).with_for_update()
        return memory_of(await self._the(locked))

    async def record(self, memory_id: int, new: NewChunk) -> Recorded:
        """Remember an interaction once; a known id changes nothing."""
        vectors = vector_values(new.chunk.vectors)
        memory = await self.lock(memory_id)
        known = await self._named(memory_id, new.chunk.id)
        if known is not None:
            return Recorded(known.chunk, memory.clock, new=False)
        after = stamp(event_of(new.chunk.type), memory.clock)
        await self._set_clock(memory_id, after.clock)
        inserted = await self._session.execute(
            insert(ChunkTable)
            .values(
                **_values(memory_id, new),
                **vectors,
                traces=list(after.traces),
                last_trace=after.clock,
                n_traces=len(after.traces),
                created_at=self._now(),
            )
            .returning(col(ChunkTable.id))
        )
        await self._link(inserted.scalar_one() or 0, new.sources.message_ids)
        await self._count(memory_id, new)
        (stored,) = await self._chunks(*_key(memory_id, new.chunk.id), vectors=True)
        return Recorded(stored.chunk, after.clock, new=True)

    async def rehearse(self, memory_id: int, chunk_id: str) -> int | None:
        """The same interaction once more: clock + 1, and a trace of it, even on a hidden chunk."""
        memory = await self.lock(memory_id)
        if not await self._add_traces(memory_id, [chunk_id], literal(memory.clock + 1, BigInteger)):
            return None
        await self._set_clock(memory_id, memory.clock + 1)
        return memory.clock + 1

    async def reinforce(self, memory_id: int, chunk_ids: Sequence[str]) -> tuple[str, ...]:
        """One trace of the current clock to each chunk named; the clock stays."""
        clock = select(col(MemoryTable.clock)).where(col(MemoryTable.id) == memory_id)
        named = list(dict.fromkeys(chunk_ids))
        found = await self._add_traces(memory_id, named, clock.scalar_subquery())
        return tuple(each for each in named if each in found)

    async def accuracy(self, memory_id: int, state: str, task_type: str) -> AccuracyRecord | None:
        """How often the passes were right in a context."""
        row = await self._one(
            select(AccuracyTable).where(
                col(AccuracyTable.memory_id) == memory_id,
                col(AccuracyTable.state) == state,
                col(AccuracyTable.task_type) == task_type,
            )
        )
        return None if row is None else _accuracy_of(row)

    async def accuracies(self, memory_id: int) -> dict[tuple[str, str], AccuracyRecord]:
        """The same of every context."""
        rows = await self._all(
            select(AccuracyTable)
            .where(col(AccuracyTable.memory_id) == memory_id)
            .order_by(col(AccuracyTable.state), col(AccuracyTable.task_type))
        )
        return {(row.state, row.task_type): _accuracy_of(row) for row in rows}

    async def depth(self, memory_id: int) -> int:
        """Distinct contexts of live gate outcomes."""
        contexts = (
            select(col(ChunkTable.state), col(ChunkTable.task_type))
            .where(
                col(ChunkTable.memory_id) == memory_id,
                col(ChunkTable.type) == ChunkType.GATE_OUTCOME.value,
                col(ChunkTable.deleted_at).is_(None),
            )
            .distinct()
            .subquery()
        )
        counted = await self._session.execute(select(func.count()).select_from(contexts))
        return counted.scalar_one()

    async def _named(self, memory_id: int, chunk_id: str) -> RememberedChunk | None:
        found = await self._chunks(*_key(memory_id, chunk_id), vectors=True)
        return found[0] if found else None

    async def _set_clock(self, memory_id: int, clock: int) -> None:
        await self._session.execute(
            update(MemoryTable).where(col(MemoryTable.id) == memory_id).values(clock=clock)
        )

    async def _add_traces(
        self, memory_id: int, chunk_ids: Sequence[str], trace: ColumnElement[int]
    ) -> set[str]:
        added = await self._session.execute(
            update(ChunkTable)
            .where(col(ChunkTable.memory_id) == memory_id, col(ChunkTable.chunk_key).in_(chunk_ids))
            .values(
                traces=col(ChunkTable.traces).op("||")(array([trace])),
                last_trace=func.greatest(col(ChunkTable.last_trace), trace),
                n_traces=col(ChunkTable.n_traces) + 1,
            )
            .returning(col(ChunkTable.chunk_key))
        )
        return set(added.scalars())

    async def _link(self, chunk_id: int, message_ids: Sequence[int]) -> None:
        once = dict.fromkeys(message_ids)
        if once:
            rows = [{"chunk_id": chunk_id, "message_id": each} for each in once]
            await self._session.execute(insert(ChunkMessageTable).values(rows))

    async def _count(self, memory_id: int, new: NewChunk) -> None:
        """Count a person's outcome; the memory is locked, so nobody else counts meanwhile."""
        chunk = new.chunk
        before = await self.accuracy(memory_id, chunk.state, chunk.task_type)
        judged = Judged(
            outcome=chunk.outcome,
            prior=chunk.prior_prediction,
            posterior=chunk.posterior_prediction,
            by_human=new.by_human,
            # a question at a gate decides nothing, so nothing was predicted right or wrong
            new=chunk.type != ChunkType.DIALOG_TURN,
        )
        after = count(before, judged, self._now())
        if after is None or after == before:
            return
        counts = {
            "prior_correct": after.prior_correct,
            "prior_total": after.prior_total,
            "posterior_correct": after.posterior_correct,
            "posterior_total": after.posterior_total,
            "last_updated": after.last_updated,
        }
        await self._session.execute(
            insert(AccuracyTable)
            .values(memory_id=memory_id, state=chunk.state, task_type=chunk.task_type, **counts)
            .on_conflict_do_update(index_elements=["memory_id", "state", "task_type"], set_=counts)
        )


def _named(team_id: str, proxy: str) -> Select[MemoryTable]:
    return select(MemoryTable).where(
        col(MemoryTable.team_id) == team_id, col(MemoryTable.proxy) == proxy
    )


def _key(memory_id: int, chunk_id: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return col(ChunkTable.memory_id) == memory_id, col(ChunkTable.chunk_key) == chunk_id


def _values(memory_id: int, new: NewChunk) -> dict[str, object]:
    chunk, texts, sources = new.chunk, new.texts, new.sources
    return {
        "memory_id": memory_id,
        "chunk_key": chunk.id,
        "type": str(chunk.type),
        "state": chunk.state,
        "task_type": chunk.task_type,
        "outcome": str(chunk.outcome),
        "lens": chunk.lens,
        "prior_prediction": str(chunk.prior_prediction),
        "prior_confidence": chunk.prior_confidence,
        "posterior_prediction": str(chunk.posterior_prediction),
        "posterior_confidence": chunk.posterior_confidence,
        "prediction_delta": chunk.prediction_delta,
        "salient_percepts": list(chunk.salient_percepts),
        "human_response": chunk.human_response,
        "delta": chunk.delta,
        "content": chunk.content,
        "situation": texts.situation,
        "artifact": texts.artifact,
        "stimulus": texts.question,
        "embedding_model": chunk.embedding_model,
        "by_human": new.by_human,
        "audience": new.scope.audience.value,
        "channel_id": new.scope.channel_id,
        "gate_id": sources.gate_id,
        "user_ids": sorted(set(sources.user_ids)),
    }


def _accuracy_of(row: AccuracyTable) -> AccuracyRecord:
    return AccuracyRecord(
        prior_correct=row.prior_correct,
        prior_total=row.prior_total,
        posterior_correct=row.posterior_correct,
        posterior_total=row.posterior_total,
        last_updated=row.last_updated,
    )
