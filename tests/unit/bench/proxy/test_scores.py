"""What is always shown beside the balanced accuracy (proxy-experiment.md, metrics)."""

from __future__ import annotations

import pytest

from hivebot.bench.proxy.minds import CountingMind, Guess, majority
from hivebot.bench.proxy.scores import (
    Bin,
    ScoredGate,
    answers,
    prequential,
    scored,
    scores,
    warm_up,
)
from hivebot.proxy.metrics import Ratio
from tests.unit.bench.proxy.populations import stream


def gate(
    truth: str,
    guess: str,
    confidence: float = 0.5,
    *,
    place: int = 30,
    roll: int = 0,
    survivors: int = 2,
    known: bool = True,
) -> ScoredGate:
    said = Guess(guess, confidence, survivors, 10)
    return ScoredGate("p", place, truth, said, known, roll)


def test_the_first_twenty_gates_are_reported_apart() -> None:
    thirty = stream(*["approve"] * 30)
    gates = prequential(thirty, CountingMind(thirty, majority))
    assert [each.place for each in warm_up(gates)] == list(range(20))
    assert [each.place for each in scored(gates)] == list(range(20, 30))


def test_an_abstention_is_wrong_and_never_an_act() -> None:
    found = scores([gate("approve", "", 0.0), gate("approve", "approve", 0.9)])
    assert found.accuracy == Ratio(1, 2)
    assert found.acted == Ratio(1, 2)


@pytest.mark.parametrize(
    ("confidence", "acted"), [(0.8, True), (0.79999, False), (0.8 - 1e-12, True)]
)
def test_the_act_threshold_is_inclusive(
    confidence: float,
    acted: bool,  # noqa: FBT001  a column
) -> None:
    assert gate("approve", "approve", confidence).acted is acted


def test_false_approvals_are_the_wrong_acts_and_cost_three_questions() -> None:
    gates = [
        gate("reject", "approve", 0.9),
        gate("approve", "approve", 0.9),
        gate("approve", "approve", 0.5),
        gate("reject", "approve", 0.5),
    ]
    found = scores(gates)
    assert found.false_approvals == Ratio(1, 2)
    assert found.cost == (3 + 0 + 1 + 1) / 4


def test_coverage_context_and_survivors_are_counted() -> None:
    gates = [
        gate("approve", "approve", survivors=0, known=False),
        gate("approve", "reject", survivors=4),
    ]
    found = scores(gates)
    assert found.coverage == Ratio(1, 2)
    assert found.known_context == Ratio(0, 1)
    assert found.survivors == Ratio(4, 20)


def test_calibration_looks_at_guesses_only() -> None:
    gates = [gate("approve", "approve", 0.9), gate("reject", "approve", 0.4), gate("reject", "", 0)]
    found = scores(gates)
    assert found.brier == pytest.approx((0.1**2 + 0.4**2) / 2)
    assert found.reliability[9] == Bin(1, 0.9, 1.0)
    assert found.reliability[4] == Bin(1, 0.4, 0.0)
    assert found.reliability[0] == Bin(0, 0.0, 0.0)
    assert scores([gate("approve", "approve", 1.0)]).reliability[9].count == 1


def test_nothing_is_scored_without_gates() -> None:
    found = scores([])
    assert (found.brier, found.cost, found.runs) == (0.0, 0.0, 1)
    assert not found.enough_acts


def test_runs_of_the_same_gates_are_no_further_evidence() -> None:
    gates = [
        gate("approve", "approve", 0.9, place=place, roll=roll)
        for place in range(40)
        for roll in range(20)
    ]
    found = scores(gates)
    assert found.runs == 20
    assert found.acts == 40
    assert not found.enough_acts


def test_answers_average_the_runs_of_a_gate_and_pair_both_sides() -> None:
    left = [gate("reject", "reject", roll=0), gate("reject", "approve", roll=1)]
    (found,) = answers(left, [gate("reject", "reject")])
    assert found.truth.tolist() == [2]
    assert found.left.tolist() == [0.5]
    assert found.right.tolist() == [1.0]
    assert answers(left)[0].right.tolist() == [0.5]
