"""Base-level activation (memory.md 3.3, 3.6) judged against arithmetic written out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.proxy.activation import (
    TraceTable,
    activations,
    base_level_activation,
    exceeds,
    last_surviving_age,
    may_survive,
    threshold_for_single,
    trace_sums,
)
from hivebot.proxy.chunks import HiddenTraces
from hivebot.proxy.errors import InvalidBoundError, InvalidTraceError, ProxyError

traces_lists = st.lists(st.integers(-50, 500), max_size=12)
decays = st.floats(0, 2)


def by_hand(traces: list[int], clock: int, decay: float) -> float:
    total = math.fsum(max(clock - each, 1) ** -decay for each in traces)
    return math.log(total) if total > 0 else -math.inf


@given(st.lists(traces_lists, max_size=8), st.integers(0, 600), decays)
def test_every_row_has_the_activation_of_its_own_traces(
    rows: list[list[int]], clock: int, decay: float
) -> None:
    """Section 3.3."""
    expected = [by_hand(traces, clock, decay) for traces in rows]
    assert activations(TraceTable.of(rows), clock, decay).tolist() == pytest.approx(
        expected, abs=1e-9
    )


@given(traces_lists, st.integers(0, 600), decays)
def test_the_order_of_traces_is_irrelevant(traces: list[int], clock: int, decay: float) -> None:
    """Section 3.3."""
    forward = base_level_activation(traces, clock, decay)
    assert base_level_activation(traces[::-1], clock, decay) == pytest.approx(forward, abs=1e-9)


@given(traces_lists, st.integers(0, 600), st.integers(0, 600))
def test_one_more_trace_never_weakens_a_chunk(traces: list[int], clock: int, extra: int) -> None:
    weaker = base_level_activation(traces, clock)
    assert base_level_activation([*traces, extra], clock) > weaker


@given(st.lists(st.integers(0, 100), min_size=1, max_size=8), st.integers(0, 50))
def test_waiting_never_strengthens_a_chunk(traces: list[int], wait: int) -> None:
    now = base_level_activation(traces, 100)
    assert base_level_activation(traces, 100 + wait) <= now + 1e-12


def test_a_chunk_without_traces_has_minus_infinity() -> None:
    """Section 3.3."""
    assert base_level_activation([], 5) == -math.inf


def test_an_underflowing_sum_is_minus_infinity() -> None:
    """Section 3.3."""
    assert base_level_activation([0], 10**6, 100.0) == -math.inf


@pytest.mark.parametrize("trace", [9, 10, 11, 10_000])
def test_now_the_future_and_one_ago_all_have_age_one(trace: int) -> None:
    """Section 3.3 and 13.4."""
    assert base_level_activation([trace], 10) == 0.0


def test_zero_and_negative_traces_are_simply_older() -> None:
    """Section 3.3."""
    assert base_level_activation([-6], 10) == pytest.approx(math.log(16**-0.5))
    assert base_level_activation([0], 10) == pytest.approx(math.log(10**-0.5))


def test_without_decay_only_the_number_of_traces_counts() -> None:
    """Section 3.3."""
    assert base_level_activation([1, 5, 5, 900], 10, 0.0) == pytest.approx(math.log(4))


@pytest.mark.parametrize("decay", [-0.1, math.nan, math.inf])
def test_a_decay_outside_its_range_is_refused(decay: float) -> None:
    with pytest.raises(InvalidBoundError, match="decay must be finite and at least 0"):
        base_level_activation([1], 2, decay)


def test_a_clock_beyond_62_bits_is_refused() -> None:
    with pytest.raises(InvalidBoundError, match="clock"):
        base_level_activation([1], 1 << 62)


@pytest.mark.parametrize("trace", [1 << 62, -(1 << 62), 1 << 70])
def test_a_trace_beyond_62_bits_is_refused(trace: int) -> None:
    with pytest.raises(InvalidTraceError) as met:
        TraceTable.of([[1, trace]])
    assert isinstance(met.value, ProxyError)
    assert met.value.code == "invalid_trace"
    assert str(met.value) == "an interaction number does not fit 64 bits"


def test_the_threshold_is_strict_and_blind_to_the_last_bit() -> None:
    """Section 4.3: equality is dropped."""
    strengths = np.array([0.5, 0.5 + 1e-12, 0.5 + 1e-6, -math.inf])
    assert exceeds(strengths, 0.5).tolist() == [False, False, True, False]
    assert not exceeds(strengths, -math.inf)[3]


@given(
    st.lists(traces_lists, min_size=1, max_size=8),
    st.integers(0, 600),
    st.floats(-3, 1),
    decays,
)
def test_the_cheap_filter_never_drops_a_survivor(
    rows: list[list[int]], clock: int, threshold: float, decay: float
) -> None:
    """Section 10.3."""
    table = TraceTable.of(rows)
    alive = exceeds(activations(table, clock, decay), threshold)
    assert not bool((alive & ~may_survive(table, clock, threshold, decay)).any())


def test_taking_rows_keeps_their_traces_in_the_order_named() -> None:
    table = TraceTable.of([[1], [], [7, 8], [3]], [None, None, HiddenTraces(4, 0), None])
    part = table.take(np.array([2, 0, 1]))
    assert part.flat.tolist() == [7, 8, 1]
    assert part.listed.tolist() == [2, 1, 0]
    assert part.newest.tolist() == [8, 1, 0]
    assert part.hidden.tolist() == [4, 0, 0]
    assert part.rows == 3


def test_arrays_that_are_laid_out_already_give_the_same_sums() -> None:
    table = TraceTable.from_arrays(np.array([1, 2, 3]), np.array([0, 2, 2, 3]))
    same = TraceTable.of([[1, 2], [], [3]])
    assert trace_sums(table, 5).approximate.tolist() == trace_sums(same, 5).approximate.tolist()
    assert table.newest.tolist() == [2, 0, 3]


@pytest.mark.parametrize(
    ("threshold", "ages"),
    [
        (-0.5, [2, 10, 24, 67, 271]),
        (-1.0, [7, 29, 66, 184, 738]),
        (-1.5, [20, 80, 180, 502, 2008]),
        (-2.0, [54, 218, 491, 1364, 5459]),
        (-2.5, [148, 593, 1335, 3710, 14841]),
    ],
)
def test_the_last_surviving_age_is_the_published_table(threshold: float, ages: list[int]) -> None:
    """Section 3.6."""
    assert [last_surviving_age(uses, threshold) for uses in (1, 2, 3, 5, 10)] == ages


@given(st.integers(1, 12), st.floats(-3, 0), st.floats(0.2, 1.5))
def test_a_chunk_is_found_at_its_last_surviving_age_and_not_after(
    uses: int, threshold: float, decay: float
) -> None:
    """Section 3.6."""
    age = last_surviving_age(uses, threshold, decay)
    assert age is not None

    def alive(at: int) -> bool:
        return bool(exceeds(activations(TraceTable.of([[0] * uses]), at, decay), threshold)[0])

    assert not alive(age + 1)
    assert age == 0 or alive(age)


def test_without_decay_a_chunk_is_found_for_ever_or_never() -> None:
    assert last_surviving_age(2, 0.5, 0.0) is None
    assert last_surviving_age(1, 0.5, 0.0) == 0


def test_the_uses_of_a_chunk_are_at_least_one() -> None:
    with pytest.raises(InvalidBoundError, match="uses"):
        last_surviving_age(0, -0.5)


@given(st.integers(2, 5000), st.floats(0.1, 1.5))
def test_a_threshold_written_as_an_age_forgets_at_that_age(age: int, decay: float) -> None:
    """Section 3.6 and product.md 7: `remember_single_for`."""
    assert last_surviving_age(1, threshold_for_single(age, decay), decay) == age - 1


@pytest.mark.parametrize("age", [0.5, 0.0, math.nan])
def test_an_age_below_one_has_no_threshold(age: float) -> None:
    with pytest.raises(InvalidBoundError, match="age"):
        threshold_for_single(age)
