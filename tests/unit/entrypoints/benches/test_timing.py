"""Are times summed up as they were measured?"""

from __future__ import annotations

import pytest

from hivebot.entrypoints.benches.timing import percentile, times_of


def test_percentiles_are_times_that_were_measured() -> None:
    ranked = [float(number) for number in range(1, 101)]
    assert [percentile(ranked, wanted) for wanted in (0, 50, 95, 99, 100)] == [1, 50, 95, 99, 100]
    assert percentile([7.0], 99) == 7.0


def test_times_are_told_in_milliseconds_whatever_their_order() -> None:
    times = times_of([0.004, 0.001, 0.002, 0.003])
    assert (times.count, times.median, times.worst) == (4, pytest.approx(2), pytest.approx(4))
    assert times.as_json() == {
        "count": 4,
        "median_ms": 2.0,
        "p95_ms": 4.0,
        "p99_ms": 4.0,
        "worst_ms": 4.0,
    }


def test_nothing_measured_is_zero() -> None:
    assert times_of([]).as_json()["worst_ms"] == 0
