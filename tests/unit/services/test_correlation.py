"""Do two measures put the same people first, and how sure is that?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.bench.statistics import spearman_milli
from hivebot.services.correlation import MEANS_MAX, Mean, mean_of, spearman

PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=12)


def test_a_sequence_agrees_with_itself_and_disagrees_with_its_reverse() -> None:
    tied = (1, 2, 2, 5)
    assert spearman(tied, tied) == pytest.approx(1)
    assert spearman(tied, (5, 2, 2, 1)) == pytest.approx(-1)
    assert spearman((1, 2, 3, 4, 5), (2, 1, 4, 3, 5)) == pytest.approx(0.8)


def test_what_never_varies_agrees_with_nothing() -> None:
    assert spearman((3, 3, 3), (1, 2, 3)) == 0
    assert spearman((1, 2, 3), (0, 0, 0)) == 0
    assert spearman((), ()) == 0


@given(PAIRS)
def test_it_is_the_measure_of_the_benchmark(pairs: list[tuple[int, int]]) -> None:
    left, right = [one for one, _ in pairs], [two for _, two in pairs]
    assert spearman(left, right) == pytest.approx(spearman_milli(left, right) / 1000, abs=0.00051)


def test_a_mean_has_students_interval() -> None:
    # by hand: mean 0.5, deviation 0.2, t(2) = 4.303
    found = mean_of((0.3, 0.5, 0.7))
    assert found is not None
    assert (found.value, found.n) == (pytest.approx(0.5), 3)
    assert found.low == pytest.approx(0.5 - 4.303 * 0.2 / 3**0.5)
    assert found.high == pytest.approx(0.5 + 4.303 * 0.2 / 3**0.5)


def test_an_interval_stays_among_correlations_and_one_value_tells_nothing() -> None:
    assert mean_of((1.0, -1.0)) == Mean(0, -1, 1, 2)
    assert mean_of((0.4,)) == Mean(0.4, -1, 1, 1)
    assert mean_of(()) is None


def test_the_interval_narrows_with_every_room_there_may_be() -> None:
    reaches: list[float] = []
    for n in range(3, MEANS_MAX + 1):
        found = mean_of([0.1, 0.2, *[0.15] * (n - 2)])
        assert found is not None
        reaches.append(found.high - found.value)
    assert reaches == sorted(reaches, reverse=True)
