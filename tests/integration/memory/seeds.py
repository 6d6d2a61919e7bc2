"""Which memories does a test begin with?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.hive.crossing import Audience
from hivebot.proxy.chunks import Chunk, ChunkType
from hivebot.proxy.vectors import Dimension, Vector, Vectors, vector
from hivebot.services.ports import Transaction
from hivebot.services.records.memories import (
    MemoryRow,
    NewChunk,
    PerceptTexts,
    Place,
    Scope,
    Sources,
)

GATE = "answer_review"
DESK = "payments"
PUBLIC = Place(Audience.PUBLIC, "C1")
PRIVATE = Place(Audience.PRIVATE, "G1")
SHARED = Place(Audience.SHARED, "S1")


def single(*values: float) -> Vector:
    return vector(np.array(values, np.float32))


def vectors(**percepts: Sequence[float]) -> Vectors:
    return Vectors(**{name: single(*values) for name, values in percepts.items()})


def everywhere(*values: float) -> Vectors:
    """The same vector in all five dimensions."""
    return Vectors(
        **{each.value: single(*values) for each in Dimension if each is not Dimension.BLENDED}
    )


def gate_outcome(name: str, outcome: str = "approve", **rest: object) -> Chunk:
    base = Chunk(
        id=name,
        type=ChunkType.GATE_OUTCOME,
        state=GATE,
        task_type=DESK,
        outcome=outcome,
        human_response="fine",
        content="the draft",
    )
    return replace(base, **rest)  # pyright: ignore[reportArgumentType]


def new(
    chunk: Chunk | str,
    *,
    places: Sequence[Place] = (PUBLIC,),
    sources: Sources | None = None,
    texts: PerceptTexts | None = None,
    by_human: bool = True,
) -> NewChunk:
    return NewChunk(
        chunk=gate_outcome(chunk) if isinstance(chunk, str) else chunk,
        scope=Scope.of(places),
        sources=sources or Sources(user_ids=("U1",)),
        texts=texts or PerceptTexts("may it be sent?", "the draft"),
        by_human=by_human,
    )


async def memory(tx: Transaction, proxy: str = DESK) -> MemoryRow:
    return await tx.memories.ensure("T1", proxy)


async def remembered(tx: Transaction, *chunks: Chunk | str, proxy: str = DESK) -> MemoryRow:
    """A memory that has recorded these, in order."""
    row = await memory(tx, proxy)
    for each in chunks:
        await tx.memories.record(row.id, new(each))
    found = await tx.memories.get(row.id)
    assert found is not None
    return found


async def everything(engine: AsyncEngine) -> str:
    """Every row of every table as text: what a grep would see."""
    written: list[str] = []
    async with engine.connect() as connection:
        names = await connection.scalars(
            text("select tablename from pg_tables where schemaname = 'public'")
        )
        for name in list(names):
            rows = await connection.scalars(text(f'select t::text from "{name}" t'))  # noqa: S608
            written.extend(rows)
    return "\n".join(written)
