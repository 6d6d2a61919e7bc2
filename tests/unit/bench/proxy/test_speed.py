"""The comparison of arrays with a scan of JSON measures two ways to the same answer."""

from __future__ import annotations

from itertools import count

from hivebot.bench.proxy.speed import Speed, made_up, measure, scan
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
    assert small == Speed(5, 1.0, 1.0)
    assert (large, large.gain) == (Speed(9, 1.0, None), None)
    assert small.gain == 1.0
