"""What is counted of settled gates and chunks (memory.md 11)."""

from __future__ import annotations

from dataclasses import replace

from hivebot.proxy.calibration import Guard
from hivebot.proxy.chunks import Chunk, HiddenTraces
from hivebot.proxy.metrics import (
    GateRecord,
    Ratio,
    metrics,
    surprise_calibration,
    trace_distribution,
)

RIGHT = GateRecord(
    outcome="approve",
    by_human=True,
    prior_prediction="approve",
    posterior_prediction="approve",
    surprised=False,
    guard=Guard.NONE,
    acted=False,
    overruled=False,
    candidates=10,
    survivors=2,
)


def test_a_ratio_of_nothing_has_no_share() -> None:
    assert Ratio(0, 0).share is None
    assert Ratio(1, 4).share == 0.25


def test_only_what_a_person_answered_counts_as_right_or_wrong() -> None:
    """Section 11: action match rate, prior and posterior accuracy (hivebot MUST)."""
    gates = [
        RIGHT,
        replace(RIGHT, prior_prediction="reject"),
        replace(RIGHT, posterior_prediction="", prior_prediction=""),
        replace(RIGHT, by_human=False, posterior_prediction="reject", acted=True),
    ]
    found = metrics(gates)
    assert found.action_match == Ratio(2, 3)
    assert found.posterior_accuracy == Ratio(2, 2)
    assert found.prior_accuracy == Ratio(1, 2)


def test_escalations_are_counted_by_guard() -> None:
    """Section 11: escalation rate by guard (hivebot MUST)."""
    gates = [
        replace(RIGHT, guard=Guard.COLD_START),
        replace(RIGHT, guard=Guard.EXPLORATION),
        RIGHT,
        replace(RIGHT, acted=True),
    ]
    found = metrics(gates)
    assert found.escalated == Ratio(3, 4)
    assert found.escalated_by[Guard.COLD_START] == Ratio(1, 4)
    assert found.escalated_by[Guard.NONE] == Ratio(1, 4)
    assert found.escalated_by[Guard.ACCURACY] == Ratio(0, 4)


def test_false_approvals_are_acts_that_were_overruled() -> None:
    """Section 11 (hivebot MUST)."""
    gates = [replace(RIGHT, acted=True, overruled=over) for over in (True, False, False)]
    assert metrics([*gates, RIGHT]).false_approvals == Ratio(1, 3)


def test_surprises_and_survivors_are_shares_of_all() -> None:
    """Section 11: surprise rate, survivors per candidates (hivebot MUST)."""
    found = metrics([RIGHT, replace(RIGHT, surprised=True, candidates=5, survivors=5)])
    assert found.surprises == Ratio(1, 2)
    assert found.survivors == Ratio(7, 15)


def test_without_gates_nothing_has_a_share() -> None:
    found = metrics([])
    assert found.escalated.share is None
    assert found.survivors == Ratio(0, 0)


def test_surprise_calibration_asks_whether_a_person_answered() -> None:
    """Section 11."""
    shifted = Chunk("a", prior_confidence=0.2, posterior_confidence=0.9, human_response="no")
    chunks = [
        shifted,
        replace(shifted, human_response=""),
        Chunk("c", posterior_confidence=0.2, prediction_delta="price", human_response="x"),
        Chunk("d", posterior_confidence=0.2, salient_percepts=("p",)),
        Chunk("e", prediction_delta="without any confidence", human_response="x"),
        Chunk("f", posterior_confidence=0.2, human_response="x"),
    ]
    assert surprise_calibration(chunks) == Ratio(2, 4)


def test_the_trace_distribution_counts_live_chunks_and_hidden_traces() -> None:
    """Section 11."""
    chunks = [
        Chunk("a", traces=(1,)),
        Chunk("b", traces=(1, 2), hidden=HiddenTraces(5, 0)),
        Chunk("c"),
        Chunk("d", traces=(1,), deleted_at=2),
    ]
    found = trace_distribution(chunks)
    assert (found.single, found.multiple) == (Ratio(1, 2), Ratio(1, 2))
    assert (found.mean, found.most) == (4.0, 7)
    assert trace_distribution([]).mean == 0.0
