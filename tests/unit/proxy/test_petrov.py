"""The hybrid for long-lived memories (memory.md 10.2)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hivebot.proxy.activation import (
    TraceTable,
    activations,
    base_level_activation,
    hybrid_activation,
    trace_sums,
)
from hivebot.proxy.chunks import Chunk, HiddenTraces
from hivebot.proxy.errors import InvalidBoundError
from hivebot.proxy.matrix import ChunkMatrix
from hivebot.proxy.petrov import COMPACT_KEEP, compact, tail
from hivebot.proxy.retrieval import Query, RetrievalPolicy, retrieve

histories = st.lists(st.integers(0, 900), min_size=1, max_size=60)
decays = st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0, 1.0 + 1e-7, 1.5])


@given(histories, st.integers(1, 12), decays)
def test_the_exact_sum_lies_in_the_computed_interval(
    traces: list[int], keep: int, decay: float
) -> None:
    """Section 10.2 (error)."""
    short = compact(Chunk("c", traces=tuple(traces)), keep=keep, above=keep)
    interval = trace_sums(TraceTable.of([short.traces], [short.hidden]), 901, decay)
    exact = math.exp(base_level_activation(traces, 901, decay))
    assert interval.lowest[0] <= exact * (1 + 1e-9)
    assert interval.highest[0] >= exact * (1 - 1e-9)
    assert interval.lowest[0] <= interval.approximate[0] * (1 + 1e-9)


@given(histories, st.integers(1, 12), decays)
def test_the_error_of_the_hybrid_is_within_its_bound(
    traces: list[int], keep: int, decay: float
) -> None:
    """Section 10.2: `max(ln(hi/A), ln(A/lo))`."""
    short = compact(Chunk("c", traces=tuple(traces)), keep=keep, above=keep)
    interval = trace_sums(TraceTable.of([short.traces], [short.hidden]), 901, decay)
    value, low, high = interval.approximate[0], interval.lowest[0], interval.highest[0]
    bound = max(math.log(high / value), math.log(value / low))
    error = hybrid_activation(traces, 901, keep, decay) - base_level_activation(traces, 901, decay)
    assert abs(error) <= bound + 1e-9


@given(st.lists(st.integers(0, 900), max_size=9), decays)
def test_few_traces_are_exact(traces: list[int], decay: float) -> None:
    """Section 10.2: `n <= k`."""
    assert hybrid_activation(traces, 901, 9, decay) == base_level_activation(traces, 901, decay)


@pytest.mark.parametrize("decay", [0.5, 1.0, 1.5])
def test_equal_ages_take_the_limit(decay: float) -> None:
    """Section 10.2: well-defined when `t_n = t_k`."""
    assert hybrid_activation([5] * 7, 10, 2, decay) == pytest.approx(
        base_level_activation([5] * 7, 10, decay)
    )


def test_half_decay_has_the_closed_tail() -> None:
    """Section 10.2: `2 (n - k) / (sqrt(t_n) + sqrt(t_k))`."""
    value = tail(np.array([6]), np.array([4.0]), np.array([81.0]), 0.5)
    assert value[0] == pytest.approx(2 * 6 / (9 + 2))


def test_a_decay_of_one_has_the_logarithmic_tail() -> None:
    """Section 10.2."""
    value = tail(np.array([6]), np.array([4.0]), np.array([81.0]), 1.0)
    assert value[0] == pytest.approx(6 * (math.log(81) - math.log(4)) / 77)


@given(st.floats(1.0, 100.0), st.floats(0.0, 900.0))
def test_the_tail_is_continuous_at_a_decay_of_one(youngest: float, spread: float) -> None:
    args = np.array([3]), np.array([youngest]), np.array([youngest + spread])
    assume(spread == 0 or spread > 1e-3)
    assert tail(*args, 1.0)[0] == pytest.approx(tail(*args, 1.0 + 1e-6)[0], rel=1e-4)


def test_a_chunk_with_few_traces_is_not_compacted() -> None:
    chunk = Chunk("c", traces=tuple(range(256)))
    assert compact(chunk) is chunk


def test_a_chunk_beyond_the_limit_keeps_its_newest_count_and_first() -> None:
    """Section 10.2: above 256 traces, k = 32."""
    short = compact(Chunk("c", traces=tuple(range(300, 43, -1))))
    assert short.traces == tuple(range(269, 301))
    assert len(short.traces) == COMPACT_KEEP
    assert short.hidden == HiddenTraces(count=225, first=44)


def test_compacting_again_adds_to_what_is_hidden() -> None:
    once = compact(Chunk("c", traces=(1, 2, 3, 4)), keep=2, above=2)
    again = compact(Chunk("c", traces=(*once.traces, 9), hidden=once.hidden), keep=2, above=2)
    assert again.traces == (4, 9)
    assert again.hidden == HiddenTraces(count=3, first=1)


@pytest.mark.parametrize(("keep", "above"), [(0, 5), (5, 4)])
def test_a_compaction_without_sense_is_refused(keep: int, above: int) -> None:
    with pytest.raises(InvalidBoundError, match="keep"):
        compact(Chunk("c", traces=(1, 2, 3)), keep=keep, above=above)


def test_a_chunk_whose_interval_straddles_the_threshold_survives() -> None:
    """Section 10.2 (rule)."""
    chunk = Chunk("c", traces=(60,), hidden=HiddenTraces(count=3, first=0))
    sums = trace_sums(TraceTable.of([chunk.traces], [chunk.hidden]), 100)
    approximate, highest = math.log(sums.approximate[0]), math.log(sums.highest[0])
    between = RetrievalPolicy(retrieval_threshold=(approximate + highest) / 2)
    assert retrieve(ChunkMatrix.of([chunk]), Query(), 100, between).ids == ("c",)
    beyond = RetrievalPolicy(retrieval_threshold=highest + 0.01)
    assert retrieve(ChunkMatrix.of([chunk]), Query(), 100, beyond).ids == ()


def test_rows_without_hidden_traces_stay_exact_beside_compacted_ones() -> None:
    table = TraceTable.of([[90, 95], [97]], [HiddenTraces(5, 1), None])
    assert activations(table, 100)[1] == base_level_activation([97], 100)
    assert trace_sums(table, 100).highest[1] == trace_sums(table, 100).approximate[1]
