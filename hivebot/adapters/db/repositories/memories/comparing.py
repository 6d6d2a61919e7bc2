"""What does the database decide of a retrieval? Who may be a candidate, and how alike vectors are.

It holds the vectors and gives one cosine each; everything else is the memory's own arithmetic, so
that both ways to retrieve are one.

Source: memory.md 4.2 and 10.3.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Double, and_, case, cast, func, literal, null, or_, true
from sqlmodel import col

from hivebot.adapters.db.repositories.memories.reading import VECTOR_COLUMNS
from hivebot.adapters.db.tables import ChunkTable
from hivebot.adapters.db.tables.vectors import AnyVector
from hivebot.proxy.chunks import AGNOSTIC_TYPES
from hivebot.proxy.retrieval import Query, RetrievalPolicy
from hivebot.proxy.vectors import Dimension, Vector, storable
from hivebot.services.records.memories import Place, Readable

_SLACK = 1e-6
"""The database and numpy may differ in the last bits of a logarithm; numpy decides."""

_DOUBLE = Double[float]()
_OTHER_LENGTH = literal(float("inf"), _DOUBLE)


def comparable(query: Query, policy: RetrievalPolicy) -> dict[Dimension, Vector]:
    """Give the query's vectors that score and can be compared with anything."""
    asked = ((each, query.vectors.get(each)) for each in policy.dimensions)
    return {
        dimension: vector
        for dimension, vector in ((each, storable(values)) for each, values in asked)
        if vector is not None and dimension in VECTOR_COLUMNS
    }


def cosine(dimension: Dimension, asked: Vector, model: str) -> ColumnElement[float | None]:
    """Compare one percept of a row with the query's vector.

    Null where the row has no vector or another model's, infinity where its length differs. A zero
    vector gives NaN, which is null to the reader.
    """
    held = VECTOR_COLUMNS[dimension]
    distance = held.op("<=>", return_type=_DOUBLE)(literal(asked, AnyVector()))
    named = col(ChunkTable.embedding_model)
    same = or_(named == model, named == "") if model else true()
    # only a CASE keeps the comparison from being tried on vectors it would raise for
    return case(
        (or_(held.is_(None), ~same), null()),
        (func.vector_dims(held) != asked.size, _OTHER_LENGTH),
        else_=1 - distance,
    )


def eligible(
    memory_id: int, query: Query, places: Sequence[Place] | None
) -> list[ColumnElement[bool]]:
    """Say which chunks may be candidates: live, readable here, and past the structural filter.

    Source: memory.md 4.1, rights.md 3.
    """
    kind = col(ChunkTable.type)
    agnostic = kind.in_([each.value for each in AGNOSTIC_TYPES])
    conditions = [col(ChunkTable.memory_id) == memory_id, col(ChunkTable.deleted_at).is_(None)]
    if query.state:
        conditions.append(or_(col(ChunkTable.state) == query.state, agnostic))
    if query.task_type:
        conditions.append(or_(col(ChunkTable.task_type) == query.task_type, agnostic))
    if query.type:
        conditions.append(kind == query.type)
    if places is not None:
        conditions.append(_readable(Readable.in_all(places)))
    return conditions


def hopeful(clock: int, policy: RetrievalPolicy) -> list[ColumnElement[bool]]:
    """Say which chunks could exceed the threshold, from count and newest trace alone.

    Written in logarithms: a power raises where it underflows.

    Source: memory.md 10.3 (cheap pre-filter, traps).
    """
    count, newest = col(ChunkTable.n_traces), col(ChunkTable.last_trace)
    ceiling = func.ln(func.greatest(count, 1)) - policy.decay * func.ln(
        func.greatest(clock - newest, 1)
    )
    threshold = literal(policy.retrieval_threshold - _SLACK, _DOUBLE)
    return [count > 0, cast(ceiling, _DOUBLE) > threshold]


def _readable(readable: Readable) -> ColumnElement[bool]:
    audience, channel = col(ChunkTable.audience), col(ChunkTable.channel_id)
    closed = and_(
        channel != "",
        channel == readable.channel_id,
        audience.in_([each.value for each in readable.audiences]),
    )
    return or_(audience == "public", closed) if readable.public else closed
