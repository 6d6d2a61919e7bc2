"""The comparison of arrays with a scan of JSON measures two ways to the same answer."""

from __future__ import annotations

from itertools import count

from hivebot.bench.proxy.speed import ROUNDS, Speed, made_up, measure, scan
from hivebot.proxy.retrieval import RetrievalPolicy, retrieve


def test_both_ways_find_the_same_memories() -> None:
    memory = made_up(400, width=16)
    found = retrieve(memory.matrix, memory.query, memory.clock, RetrievalPolicy())
    assert list(found.ids) == scan(memory.as_json(), memory)
    assert found.survivors.size > 200


def test_a_memory_in_which_nothing_survives_is_scanned_to_nothing() -> None:
    memory = made_up(5, width=4)
    strict = RetrievalPolicy(retrieval_threshold=9.0)
    assert scan(memory.as_json(), memory, strict) == []


def test_times_are_read_from_the_clock_that_was_given() -> None:
    ticks = count()
    small, large = measure([5, 9], [5], lambda: float(next(ticks)), width=4)
    assert small == Speed(5, (1.0,) * ROUNDS, 1.0)
    assert (large, large.gain) == (Speed(9, (1.0,) * ROUNDS, None), None)
    assert small.gain == 1.0


def test_median_and_95th_percentile_are_times_that_were_measured() -> None:
    one = Speed(5, tuple(float(each) for each in range(1, 41)), 42.0)
    assert (one.arrays_s, one.p95_s, one.gain) == (21.0, 38.0, 2.0)
    lone = Speed(5, (3.0,), None)
    assert (lone.arrays_s, lone.p95_s) == (3.0, 3.0)


def test_as_many_retrievals_are_timed_as_are_asked_for() -> None:
    ticks = count()
    (small,) = measure([5], [], lambda: float(next(ticks)), width=4, rounds=3)
    assert len(small.times_s) == 3
