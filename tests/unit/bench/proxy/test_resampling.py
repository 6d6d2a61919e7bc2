"""Intervals and corrected comparisons (proxy-experiment.md, metrics and size)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.bench.proxy.resampling import (
    Answers,
    balanced_accuracy,
    difference,
    holm,
    interval,
    wilson_upper,
)


def person(
    truth: list[int], left: Sequence[float], right: Sequence[float] | None = None
) -> Answers:
    other = left if right is None else right
    return Answers(np.array(truth, np.int64), np.array(left, float), np.array(other, float))


def test_balanced_accuracy_is_the_mean_recall_of_what_occurs() -> None:
    people = [person([0, 0, 0], [1, 1, 0]), person([0, 2], [1, 0])]
    assert balanced_accuracy(people, 3) == pytest.approx((3 / 4 + 0) / 2)
    assert balanced_accuracy([], 3) == 0.0


def test_always_saying_the_same_is_worth_one_in_three() -> None:
    truth = [0] * 90 + [1] * 6 + [2] * 4
    assert balanced_accuracy([person(truth, [float(t == 0) for t in truth])], 3) == pytest.approx(
        1 / 3
    )


def test_an_interval_holds_its_value_and_is_the_same_every_time() -> None:
    rng = np.random.default_rng(3)
    people = [
        person(rng.integers(0, 3, 50).tolist(), rng.integers(0, 2, 50).tolist()) for _ in range(8)
    ]
    found = interval(people, 3, seed=1)
    assert found.low < found.value < found.high
    assert found == interval(people, 3, seed=1)
    assert found != interval(people, 3, seed=2)


def test_people_who_differ_widen_the_interval() -> None:
    """By decider, then gate."""
    alike = [person([0] * 50, [1.0, 0.0] * 25) for _ in range(8)]
    apart = [person([0] * 50, [float(number % 2)] * 50) for number in range(8)]
    narrow, wide = interval(alike, 1, 1), interval(apart, 1, 1)
    assert narrow.value == wide.value == 0.5
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_a_certain_figure_has_a_point_for_an_interval() -> None:
    found = interval([person([0, 1], [1, 1])], 2, 1)
    assert (found.low, found.value, found.high) == (1.0, 1.0, 1.0)


def test_nobody_has_an_interval_of_nothing() -> None:
    assert interval([], 3, 1).high == 0.0
    assert interval([person([], [])], 3, 1).value == 0.0


def test_a_clear_difference_has_a_small_p_and_an_interval_above_zero() -> None:
    people = [person([0, 1] * 30, [1, 1] * 30, [1, 0] * 30) for _ in range(6)]
    found = difference(people, 2, 1)
    assert found.interval.value == pytest.approx(0.5)
    assert found.interval.low > 0
    assert found.p == pytest.approx(2 / 2001)


def test_no_difference_has_a_p_of_one() -> None:
    people = [person([0, 1] * 5, [1, 0] * 5)]
    found = difference(people, 2, 1)
    assert (found.interval.value, found.p) == (0.0, 1.0)


def test_the_difference_of_the_other_way_round_is_negative() -> None:
    people = [person([0, 1] * 9, [1, 0] * 9, [1, 1] * 9)]
    assert difference(people, 2, 1).interval.high < 0


def test_holm_multiplies_by_what_is_left_and_never_falls() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert holm([0.9, 0.8]) == (1.0, 1.0)
    assert holm([]) == ()


@given(st.lists(st.floats(0, 1), max_size=6))
def test_a_correction_never_lowers_a_p_and_keeps_the_order(values: list[float]) -> None:
    corrected = holm(values)
    assert all(c >= p for c, p in zip(corrected, values, strict=True))
    pairs = sorted(zip(values, corrected, strict=True))
    assert [c for _, c in pairs] == sorted(corrected)


@pytest.mark.parametrize(
    ("hits", "total", "below"), [(0, 74, True), (0, 72, False), (11, 400, True), (12, 400, False)]
)
def test_the_registered_sizes_show_false_approvals_below_five_in_a_hundred(
    hits: int,
    total: int,
    below: bool,  # noqa: FBT001  a column
) -> None:
    """Size: 74 acted with none wrong, or at most 11 wrong in 400."""
    assert (wilson_upper(hits, total) < 0.05) is below


def test_nothing_has_an_upper_bound_of_one() -> None:
    assert wilson_upper(0, 0) == 1.0
