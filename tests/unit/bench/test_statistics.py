"""Do intervals and correlations say what they should?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.bench.chance import Stream
from hivebot.bench.statistics import (
    RESAMPLES,
    Interval,
    paired_bootstrap,
    percent,
    percent_point,
    spearman_milli,
    wilson,
)

RANKED = st.lists(st.integers(-50, 50), min_size=1, max_size=12)


def test_the_interval_of_nothing_right_starts_at_nothing() -> None:
    interval = wilson(0, 10)
    assert interval.low == 0.0
    assert 0.0 < interval.high < 100.0


def test_the_interval_of_everything_right_ends_at_everything() -> None:
    assert wilson(10, 10).high == 100.0


def test_nothing_is_known_of_no_episode() -> None:
    assert wilson(0, 0) == Interval(0.0, 100.0)
    assert percent(0, 0) == 0.0


def test_the_published_interval_comes_out() -> None:
    interval = wilson(4104, 5000)
    assert (round(interval.low, 1), round(interval.high, 1)) == (81.0, 83.1)


def test_the_order_of_dividing_and_multiplying_is_the_published_one() -> None:
    assert f"{percent(1773, 2000):.1f}" == "88.6"
    assert f"{100 * 1773 / 2000:.1f}" == "88.7"


def test_a_sequence_agrees_with_itself_and_disagrees_with_its_reverse() -> None:
    assert spearman_milli([1, 2, 3, 4], [1, 2, 3, 4]) == 1000
    assert spearman_milli([1, 2, 3, 4], [4, 3, 2, 1]) == -1000


def test_ties_do_not_spoil_agreement() -> None:
    assert spearman_milli([1, 1, 2, 5], [1, 1, 2, 5]) == 1000
    assert spearman_milli([1, 1, 2, 5], [5, 5, 2, 1]) == -1000


def test_what_never_varies_correlates_with_nothing() -> None:
    assert spearman_milli([3, 3, 3], [1, 2, 3]) == 0
    assert spearman_milli([], []) == 0


def test_a_partial_agreement_is_rounded_to_thousandths() -> None:
    assert spearman_milli([1, 2, 3, 4], [1, 3, 2, 4]) == 800
    assert spearman_milli([1, 2, 3], [2, 2, 3]) == 866


@given(RANKED)
def test_correlation_is_symmetric_and_bounded(left: list[int]) -> None:
    right = [(value * 7) % 11 for value in left]
    assert spearman_milli(left, right) == spearman_milli(right, left)
    assert -1000 <= spearman_milli(left, right) <= 1000


def test_an_arm_does_not_differ_from_itself() -> None:
    right = [True, False, True, True]
    assert paired_bootstrap(right, right, 1) == Interval(0.0, 0.0)
    assert paired_bootstrap([], [], 1) == Interval(0.0, 0.0)


def test_the_bootstrap_is_the_one_drawn_room_by_room() -> None:
    ours, theirs = [True, True, False, True, False], [False, True, False, False, True]
    stream = Stream(9)
    sums: list[int] = []
    for _ in range(RESAMPLES):
        drawn = [stream.below(5) for _ in range(5)]
        sums.append(sum(ours[i] - theirs[i] for i in drawn))
    sums.sort()
    expected = Interval(percent_point(sums, 25) / 5 * 100, percent_point(sums, 975) / 5 * 100)
    assert paired_bootstrap(ours, theirs, 9) == expected


@pytest.mark.parametrize(
    ("per_mille", "value"), [(0, 0.0), (25, 0.25), (500, 5.0), (975, 9.75), (1000, 10.0)]
)
def test_a_point_between_two_values_is_interpolated(per_mille: int, value: float) -> None:
    assert percent_point(range(11), per_mille) == pytest.approx(value)
