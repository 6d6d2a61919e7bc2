"""How does the database compare vectors, and how does a retrieval read what it found?

The database holds the vectors and gives one cosine each; everything else is the memory's own
arithmetic, so that both ways to retrieve are one.

Source: memory.md 4.2 and 10.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

import numpy as np
from sqlalchemy import ColumnElement, Double, and_, case, cast, func, literal, null, or_, true
from sqlmodel import col

from hivebot.adapters.db.repositories.memories.reading import VECTOR_COLUMNS
from hivebot.adapters.db.tables import ChunkTable
from hivebot.adapters.db.tables.vectors import AnyVector
from hivebot.proxy.activation import Floats, Ints, TraceTable
from hivebot.proxy.chunks import AGNOSTIC_TYPES, HiddenTraces
from hivebot.proxy.matrix import ChunkMatrix, Cosines
from hivebot.proxy.retrieval import Query, RetrievalPolicy
from hivebot.proxy.vectors import Dimension, Vector, storable
from hivebot.services.records.memories import Place, Readable

_SLACK = 1e-6
"""The database and numpy may differ in the last bits of a logarithm; numpy decides."""

_DOUBLE = Double[float]()
_OTHER_LENGTH = literal(float("inf"), _DOUBLE)


@dataclass(frozen=True, slots=True, eq=False)
class ComparedMatrix(ChunkMatrix):
    """Chunks whose vectors stayed in the database, compared there with one query.

    Attributes:
        compared: Cosine of each row by percept; NaN where there was nothing to compare, infinity
            where the lengths differ.
    """

    compared: Mapping[Dimension, Floats] = field(default_factory=dict[Dimension, Floats])

    def cosines(
        self, dimension: Dimension, query: Vector | None, model: str, rows: Ints
    ) -> Cosines:
        """Give what the database found; the query is the one it was asked with."""
        found = self.compared.get(dimension)
        if found is None:
            return ChunkMatrix.cosines(self, dimension, query, model, rows)
        values = found[rows]
        other_length = int(np.count_nonzero(np.isinf(values)))
        comparable = np.isfinite(values)
        values = np.where(comparable, values, 0.0)
        return Cosines(values, comparable, other_length, single=bool(comparable.any()))


Candidate = tuple[int, str, list[int], int, int]
"""Sequence, id, traces, number of compacted traces and the first of them; cosines follow."""


def compared_matrix(
    rows: Sequence[Sequence[object]], dimensions: Sequence[Dimension]
) -> ComparedMatrix:
    """Lay out what the database gave: a `Candidate` and one cosine for each of the dimensions.

    The structural filter was applied there, so all rows are of one kind.
    """
    sequence, ids, traces, hidden, first, *cosines = (
        zip(*rows, strict=True) if rows else ((),) * (5 + len(dimensions))
    )
    same = [""] * len(ids)
    laid_out = ChunkMatrix.from_arrays(
        ids=tuple(map(str, ids)),
        sequence=np.array(sequence, np.int64),
        traces=TraceTable.of(
            traces,
            [
                HiddenTraces(count, start) if count else None
                for count, start in zip(hidden, first, strict=True)
            ],
        ),
        live=np.ones(len(ids), np.bool_),
        types=same,
        states=same,
        task_types=same,
        models=same,
        blocks={},
    )
    compared = {
        dimension: np.array(values, np.float64)
        for dimension, values in zip(dimensions, cosines, strict=True)
    }
    every = {each.name: getattr(laid_out, each.name) for each in fields(laid_out)}
    return ComparedMatrix(**every, compared=compared)


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
