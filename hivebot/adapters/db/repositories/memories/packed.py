"""How do thousands of candidates get out of the database without an object for each figure?

As one row of long strings of bytes, one string per column, which numpy takes as they are. Measured
with 10,000 survivors: a third of the time that rows of figures took to be read.

Source: memory.md 10.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, LargeBinary, Select, Text, func, literal, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlmodel import col

from hivebot.adapters.db.tables import ChunkTable
from hivebot.proxy.activation import Floats, Ints, TraceTable
from hivebot.proxy.matrix import ChunkMatrix, Cosines, Labels
from hivebot.proxy.noise import id_hashes
from hivebot.proxy.vectors import Dimension, Vector

_NOTHING = literal(b"", LargeBinary())
_NAN = float("nan")
_EMPTY_ARRAY_BYTES, _ARRAY_BYTES = 12, 20
_ITEM_BYTES, _LENGTH_BYTES = 12, 4

Packed: TypeAlias = Sequence[object]
"""Ids, then bytes: sequences, trace counts, traces, compacted counts, firsts, and each cosine."""


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


def packed(
    conditions: Sequence[ColumnElement[bool]], cosines: Sequence[ColumnElement[float | None]]
) -> Select[Packed]:
    """Ask for all candidates in insertion order, column by column."""
    named: dict[str, Any] = {
        "sequence": col(ChunkTable.id),
        "name": col(ChunkTable.chunk_key),
        "traces": col(ChunkTable.traces),
        "hidden": col(ChunkTable.hidden_count),
        "first": col(ChunkTable.hidden_first),
    }
    places = [f"cosine_{place}" for place in range(len(cosines))]
    named.update(zip(places, cosines, strict=True))
    labels = [column.label(name) for name, column in named.items()]
    # the aggregates below take the rows in this order
    ordered = select(*labels).where(*conditions).order_by(col(ChunkTable.id)).subquery().c
    asked: list[ColumnElement[Any]] = [
        func.array_agg(ordered["name"], type_=ARRAY(Text())),
        _joined(func.int8send(ordered["sequence"])),
        _joined(func.int8send(func.cardinality(ordered["traces"]))),
        _joined(func.array_send(ordered["traces"])),
        _joined(func.int8send(ordered["hidden"])),
        _joined(func.int8send(ordered["first"])),
        *(_joined(func.float8send(func.coalesce(ordered[name], _NAN))) for name in places),
    ]
    return cast("Select[Packed]", select(*asked))


def unpacked(row: Packed, dimensions: Sequence[Dimension]) -> ComparedMatrix:
    """Lay out what the database gave; the structural filter was applied there.

    Args:
        row: The one row `packed` asks for; all null where there is no candidate.
        dimensions: Whose cosines it holds.
    """
    ids = tuple(cast("list[str] | None", row[0]) or ())
    strings = [cast("bytes | None", each) or b"" for each in row[1:]]
    sequence, counts, hidden, first = (_integers(strings[place]) for place in (0, 1, 3, 4))
    same = Labels(np.zeros(len(ids), np.int64), {"": 0})
    return ComparedMatrix(
        ids=ids,
        sequence=sequence,
        id_rank=np.zeros(len(ids), np.int64),  # no two rows share a sequence
        hashes=id_hashes(ids),
        traces=TraceTable.from_arrays(
            _items(strings[2], counts),
            np.concatenate((np.zeros(1, np.int64), np.cumsum(counts))),
            hidden,
            first,
        ),
        live=np.ones(len(ids), np.bool_),
        types=same,
        states=same,
        task_types=same,
        models=same,
        agnostic=np.zeros(len(ids), np.bool_),
        blocks={},
        compared={
            dimension: np.frombuffer(values, ">f8").astype(np.float64)
            for dimension, values in zip(dimensions, strings[5:], strict=True)
        },
    )


def _joined(column: ColumnElement[bytes]) -> ColumnElement[bytes]:
    return func.string_agg(column, _NOTHING, type_=LargeBinary())


def _integers(joined: bytes) -> Ints:
    return np.frombuffer(joined, ">i8").astype(np.int64)


def _items(joined: bytes, counts: Ints) -> Ints:
    """Take the numbers out of Postgres' binary arrays, which follow one another.

    An array has a head of 20 bytes, or 12 if it is empty, and 12 bytes an item: length and value.
    """
    sizes = np.where(counts > 0, _ARRAY_BYTES + _ITEM_BYTES * counts, _EMPTY_ARRAY_BYTES)
    starts = np.cumsum(sizes) - sizes + _ARRAY_BYTES + _LENGTH_BYTES
    before = np.cumsum(counts) - counts
    place = np.arange(int(counts.sum()), dtype=np.int64) - np.repeat(before, counts)
    offsets = np.repeat(starts, counts) + _ITEM_BYTES * place
    raw: NDArray[np.uint8] = np.frombuffer(joined, np.uint8)
    values = raw[offsets[:, None] + np.arange(8)]
    return values.view(">i8").reshape(-1).astype(np.int64)
