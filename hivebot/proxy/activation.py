"""How available is a memory, judged by its traces alone?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hivebot.proxy.chunks import Chunk, HiddenTraces
from hivebot.proxy.errors import InvalidBoundError, InvalidTraceError
from hivebot.proxy.petrov import COMPACT_KEEP, SumInterval, compact, with_hidden

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Number = TypeVar("Number", np.int64, np.float64)

DECAY = 0.5
RETRIEVAL_THRESHOLD = -0.5
TOLERANCE = 1e-9
"""Activations this close are equal: two float sums of the same traces differ in the last bit."""

_TRACE_LIMIT = 1 << 62


@dataclass(frozen=True, slots=True, eq=False)
class TraceTable:
    """The traces of many chunks in rows of one flat array (CSR layout).

    Row `i` owns `flat[offsets[i]:offsets[i + 1]]`; order inside a row is irrelevant.

    Attributes:
        flat: Interaction numbers of all rows.
        offsets: Row bounds, one more than there are rows.
        newest: Largest trace of each row; 0 for a row without traces.
        hidden: Number of compacted traces of each row, 0 where all are listed.
        first: Earliest compacted trace of each row; 0 where none is hidden.

    Source: memory.md 3.3, 10.2 and 10.3 (useful columns).
    """

    flat: Ints
    offsets: Ints
    newest: Ints
    hidden: Ints
    first: Ints

    @property
    def rows(self) -> int:
        """Count the rows."""
        return self.offsets.size - 1

    @property
    def listed(self) -> Ints:
        """Count the listed traces of each row."""
        return np.diff(self.offsets)

    @classmethod
    def of(
        cls,
        traces: Iterable[Sequence[int]],
        hidden: Sequence[HiddenTraces | None] | None = None,
    ) -> TraceTable:
        """Lay out one row of traces per chunk.

        Raises:
            InvalidTraceError: A trace does not fit.
        """
        lists = list(traces)
        lengths = [len(each) for each in lists]
        flat = _integers([trace for each in lists for trace in each])
        kept = hidden if hidden is not None else [None] * len(lists)
        return cls.from_arrays(
            flat,
            np.concatenate((np.zeros(1, np.int64), np.cumsum(np.array(lengths, np.int64)))),
            _integers([each.count if each else 0 for each in kept]),
            _integers([each.first if each else 0 for each in kept]),
        )

    @classmethod
    def from_arrays(
        cls, flat: Ints, offsets: Ints, hidden: Ints | None = None, first: Ints | None = None
    ) -> TraceTable:
        """Take arrays that are laid out already; the caller does not change them afterwards.

        Args:
            flat: Interaction numbers, within 62 bits.
            offsets: Row bounds, ascending from 0 to the length of `flat`.
            hidden: Compacted traces per row, none if left out.
            first: Earliest compacted trace per row.
        """
        rows = offsets.size - 1
        nothing = np.zeros(rows, np.int64)
        return cls(
            flat=flat,
            offsets=offsets,
            newest=_reduce_rows(np.maximum, flat, offsets, nothing),
            hidden=nothing if hidden is None else hidden,
            first=nothing if first is None else first,
        )

    def take(self, rows: Ints) -> TraceTable:
        """Give a table of some rows, in the order named."""
        lengths = self.listed[rows]
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
        inside = np.arange(int(offsets[-1]), dtype=np.int64) - np.repeat(offsets[:-1], lengths)
        return TraceTable(
            flat=self.flat[np.repeat(self.offsets[rows], lengths) + inside],
            offsets=offsets,
            newest=self.newest[rows],
            hidden=self.hidden[rows],
            first=self.first[rows],
        )

    def until(self, clock: int) -> TraceTable:
        """Give the table as it was at an interaction: later traces are left out.

        Rows of which traces are hidden keep those.
        """
        kept = self.flat <= clock
        before = np.concatenate((np.zeros(1, np.int64), np.cumsum(kept, dtype=np.int64)))
        return TraceTable.from_arrays(
            self.flat[kept], before[self.offsets], self.hidden, self.first
        )


def trace_sums(table: TraceTable, clock: int, decay: float = DECAY) -> SumInterval:
    """Sum `age ** -decay` over the traces of each row; ages are at least 1.

    Exact for rows of which all traces are listed; hidden ones are estimated and bounded.

    Raises:
        InvalidBoundError: The decay is negative or not finite, or the clock does not fit.

    Source: memory.md 3.3 and 10.2.
    """
    if not (math.isfinite(decay) and decay >= 0):
        raise InvalidBoundError(name="decay", rule="finite and at least 0")
    if abs(clock) >= _TRACE_LIMIT:
        raise InvalidBoundError(name="clock", rule="an interaction number of at most 62 bits")
    ages = _ages(table.flat, clock)
    head = _reduce_rows(np.add, ages**-decay, table.offsets, np.zeros(table.rows))
    if not bool(table.hidden.any()):
        return SumInterval(approximate=head, lowest=head, highest=head)
    oldest_listed = _reduce_rows(np.maximum, ages, table.offsets, np.ones(table.rows))
    oldest = np.maximum(_ages(table.first, clock), oldest_listed)
    return with_hidden(head, table.hidden, oldest_listed, oldest, decay)


def activations(table: TraceTable, clock: int, decay: float = DECAY) -> Floats:
    """Give the base-level activation of each row; minus infinity without traces.

    Source: Anderson & Lebiere 1998, base-level learning; memory.md 3.3.
    """
    return logarithm(trace_sums(table, clock, decay).approximate)


def base_level_activation(traces: Sequence[int], clock: int, decay: float = DECAY) -> float:
    """Give `ln(sum of age ** -decay)` of one chunk, `age = max(clock - trace, 1)`.

    Minus infinity without traces and where the sum underflows to 0. No upper bound.

    Raises:
        InvalidBoundError: The decay is negative or not finite.
        InvalidTraceError: A trace does not fit.

    Source: memory.md 3.3.
    """
    return float(activations(TraceTable.of([traces]), clock, decay)[0])


def hybrid_activation(
    traces: Sequence[int], clock: int, keep: int = COMPACT_KEEP, decay: float = DECAY
) -> float:
    """Give the activation as it would be after compaction to the `keep` newest traces.

    Exact when there are at most `keep`.

    Raises:
        InvalidBoundError: `keep` is below 1, or as `base_level_activation`.

    Source: Petrov 2006; memory.md 10.2.
    """
    short = compact(Chunk(id="", traces=tuple(traces)), keep=keep, above=keep)
    return float(activations(TraceTable.of([short.traces], [short.hidden]), clock, decay)[0])


def logarithm(sums: Floats) -> Floats:
    """Take the natural logarithm; 0 becomes minus infinity without a warning."""
    return np.log(sums, out=np.full(sums.shape, -np.inf), where=sums > 0)


def exceeds(values: Floats, threshold: float) -> NDArray[np.bool_]:
    """Say which activations exceed the threshold strictly; within 1e-9 counts as equal.

    Source: memory.md 4.3 (stage 1).
    """
    return values > threshold + TOLERANCE


def may_survive(table: TraceTable, clock: int, threshold: float, decay: float) -> NDArray[np.bool_]:
    """Say which rows could exceed the threshold, from count and newest trace alone.

    It never drops a survivor: `B <= ln(n) - d ln(smallest age)`.

    Source: memory.md 10.3 (cheap pre-filter).
    """
    count = table.listed + table.hidden
    ceiling = logarithm(count * _ages(table.newest, clock) ** -decay)
    return ceiling > threshold


def last_surviving_age(uses: int, threshold: float, decay: float = DECAY) -> int | None:
    """Give the last age at which a chunk of that many equal traces is still found.

    None where it is never forgotten, 0 where it is never found.

    Raises:
        InvalidBoundError: Fewer than one use.

    Source: memory.md 3.6: `L < (n * exp(-tau)) ** (1 / d)`.
    """
    if uses < 1:
        raise InvalidBoundError(name="uses", rule="at least 1")
    if decay == 0:
        return None if math.log(uses) > threshold + TOLERANCE else 0
    bound = math.exp((math.log(uses) - threshold - TOLERANCE) / decay)
    return max(math.ceil(bound) - 1, 0)


def threshold_for_single(age: float, decay: float = DECAY) -> float:
    """Give the threshold at which a chunk used once is forgotten when it reaches that age.

    Raises:
        InvalidBoundError: The age is below 1.

    Source: memory.md 3.6; product.md 7 (`remember_single_for`).
    """
    if not age >= 1:
        raise InvalidBoundError(name="age", rule="at least 1")
    return -decay * math.log(age)


def _ages(traces: ArrayLike, clock: int) -> Floats:
    return np.maximum(clock - np.asarray(traces, np.int64), 1).astype(np.float64)


def _integers(values: Sequence[int]) -> Ints:
    try:
        array = np.array(values, dtype=np.int64)
    except OverflowError as exc:
        raise InvalidTraceError from exc
    if bool(((array >= _TRACE_LIMIT) | (array <= -_TRACE_LIMIT)).any()):
        raise InvalidTraceError
    return array


def _reduce_rows(
    operation: np.ufunc, values: NDArray[Number], offsets: Ints, empty: NDArray[Number]
) -> NDArray[Number]:
    filled = np.flatnonzero(offsets[:-1] < offsets[1:])
    result = empty.copy()
    if filled.size:  # reduceat gives an element, not nothing, for an empty row
        result[filled] = operation.reduceat(values, offsets[filled])
    return result
