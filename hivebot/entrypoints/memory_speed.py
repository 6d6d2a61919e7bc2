"""How long does a retrieval take from the database, when most chunks survive and when few do?

Source: memory.md 10.3.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.clock import SystemClock
from hivebot.adapters.db.engine import DatabaseUrl, create_engine
from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from hivebot.bench.proxy.speed import WIDTH
from hivebot.entrypoints.benches.timing import Times, times_of
from hivebot.hive.crossing import Audience
from hivebot.proxy.retrieval import Query, RetrievalPolicy
from hivebot.proxy.vectors import EXPERIENCE, Vectors, vector
from hivebot.services.ports import UnitOfWork
from hivebot.services.records.memories import Place, Recollection

STATE: Final = "answer_review"
CHUNKS: Final = 10_000
MOST: Final = RetrievalPolicy(retrieval_threshold=-2.5)
FEW: Final = RetrievalPolicy(retrieval_threshold=0.75)
"""Thresholds most of the made-up chunks exceed, and few."""

_DESK: Final = Place(Audience.PUBLIC, "C0PAY")
_FILL: Final = """\
insert into chunk (
    memory_id, chunk_key, type, state, task_type, outcome, content, traces, last_trace, n_traces,
    audience, embedding_situation, embedding_artifact, embedding_stimulus, embedding_response,
    embedding_salience
)
select
    :memory_id, 'c' || number, 'gate_outcome', :state, 'payments', 'approve', repeat('word ', 60),
    traces, (select max(trace) from unnest(traces) trace), cardinality(traces), 'public',
    made[1], made[2], made[3], made[4], made[5]
from generate_series(1, :chunks) number
cross join lateral (
    select array(
        select :clock - 1 - (random() * 48)::bigint
        from generate_series(1, 1 + number % 9)
    ) traces
) lived
cross join lateral (
    select array(
        select (
            select array_agg((random() - 0.5)::real)
            from generate_series(1, :width + 0 * (number + dimension))
        )::vector
        from generate_series(1, 5) dimension
    ) made
) embedded
"""


@dataclass(frozen=True, slots=True)
class StoredSpeed:
    """What retrieval from the database took at one size.

    Attributes:
        what: Which chunks survive.
        chunks: Size of the memory.
        survivors: Chunks above the threshold.
        times: From the call to the ranked chunks.
    """

    what: str
    chunks: int
    survivors: int
    times: Times


async def measure(
    place: DatabaseUrl,
    rounds: int,
    chunks: int = CHUNKS,
    width: int = WIDTH,
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[StoredSpeed, ...]:
    """Fill a memory with made-up chunks and retrieve from it, most surviving and few.

    Args:
        place: A migrated database, left with the memory in it.
        rounds: Retrievals of each kind, after one that is not counted.
        chunks: Size of the memory.
        width: Components of each vector.
        progress: Told of each retrieval.
    """
    engine = create_engine(place)
    try:
        work = PostgresUnitOfWork(engine, SystemClock())
        memory_id = await _fill(work, engine, chunks, width)
        query = Query(state=STATE, vectors=_asked(width))
        found: list[StoredSpeed] = []
        for what, policy in (("most survive", MOST), ("few survive", FEW)):
            _, first = await _retrieve(work, memory_id, query, policy)
            times: list[float] = []
            for _ in range(rounds):
                took, _ = await _retrieve(work, memory_id, query, policy)
                times.append(took)
                progress(1)
            found.append(StoredSpeed(what, chunks, first.survivors, times_of(times)))
        return tuple(found)
    finally:
        await engine.dispose()


async def _retrieve(
    work: UnitOfWork, memory_id: int, query: Query, policy: RetrievalPolicy
) -> tuple[float, Recollection]:
    began = time.perf_counter()
    async with work.begin() as tx:
        got = await tx.memories.retrieve(memory_id, query, policy, [_DESK])
    return time.perf_counter() - began, got


async def _fill(work: UnitOfWork, engine: AsyncEngine, chunks: int, width: int) -> int:
    async with work.begin() as tx:
        memory = await tx.memories.ensure("T0HIVE", "payments")
    clock = chunks + 1
    values = {
        "memory_id": memory.id,
        "state": STATE,
        "chunks": chunks,
        "clock": clock,
        "width": width,
    }
    async with engine.begin() as connection:
        await connection.execute(text(_FILL), values)
        await connection.execute(
            text("update memory set clock = :clock where id = :memory_id"),
            {"clock": clock, "memory_id": memory.id},
        )
    async with engine.connect() as connection:
        autocommit = await connection.execution_options(isolation_level="AUTOCOMMIT")
        await autocommit.execute(text("vacuum analyze chunk"))
    return memory.id


def _asked(width: int) -> Vectors:
    chance = np.random.default_rng(1)
    vectors = {
        each.value: vector(chance.standard_normal(width, dtype=np.float32)) for each in EXPERIENCE
    }
    return replace(Vectors(), **vectors)
