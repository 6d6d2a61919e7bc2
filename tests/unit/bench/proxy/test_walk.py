"""The whole chain on a stream, and the tables of memory.md 11 made of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.bench.proxy.ablations import ablations
from hivebot.bench.proxy.decisions import Decision, DecisionStream
from hivebot.bench.proxy.experiment import SEED
from hivebot.bench.proxy.features import Embeddings, features
from hivebot.bench.proxy.walk import Walked, walk
from hivebot.proxy.calibration import CalibrationPolicy, Guard
from hivebot.proxy.metrics import metrics
from hivebot.proxy.retrieval import RetrievalPolicy
from tests.unit.bench.proxy.populations import embed, small_population, stream

POLICY = RetrievalPolicy(noise_scale=0.0, retrieval_threshold=-2.5)
OPEN = CalibrationPolicy(memory_depth_threshold=0, exploration_rate=0.0, accuracy_min=1000)


def walked(
    decisions: DecisionStream,
    calibration: CalibrationPolicy = OPEN,
    policy: RetrievalPolicy = POLICY,
) -> Walked:
    return walk(decisions, features(decisions, Embeddings(embed)), policy, calibration, SEED)


def test_a_proxy_that_was_right_often_enough_acts_and_is_overruled_when_it_is_wrong() -> None:
    gates = walked(stream(*["approve"] * 12, "reject")).gates
    assert [gate.acted for gate in gates] == [False] * 8 + [True] * 5
    assert [gate.overruled for gate in gates] == [False] * 12 + [True]
    assert [gate.by_human for gate in gates] == [True] * 8 + [False] * 4 + [True]


def test_nothing_is_predicted_before_anything_is_remembered() -> None:
    first = walked(stream("approve", "approve")).gates[0]
    assert (first.prior_prediction, first.posterior_prediction, first.survivors) == ("", "", 0)


def test_each_guard_asks_a_person() -> None:
    sure = stream(*["approve"] * 14)
    cold = walked(sure, replace(OPEN, memory_depth_threshold=3)).gates
    assert {gate.guard for gate in cold} == {Guard.COLD_START}
    exploring = walked(sure, replace(OPEN, exploration_rate=1.0)).gates
    assert {gate.guard for gate in exploring} == {Guard.EXPLORATION}
    assert not any(gate.acted for gate in (*cold, *exploring))


def test_a_proxy_that_is_wrong_in_a_context_is_held_back_by_its_accuracy() -> None:
    changing = stream("approve", "reject", "correct", "reject", "correct")
    gates = walked(changing, replace(OPEN, accuracy_min=3)).gates
    assert [gate.guard for gate in gates] == [Guard.NONE] * 4 + [Guard.ACCURACY]


def test_two_sure_and_recent_memories_that_differ_are_a_tension() -> None:
    changing = stream(*["approve", "reject", "correct"] * 8)
    gates = walked(changing).gates
    assert gates[-1].guard is Guard.GENUINE_TENSION
    assert not gates[-1].acted


def test_the_memories_that_voted_gain_traces_and_a_dialog_is_a_chunk_of_its_own() -> None:
    asked = DecisionStream(
        "p",
        tuple(Decision("may we?", "payments", "approve", "yes", "who asks?") for _ in range(3)),
    )
    found = walked(asked)
    assert [chunk.outcome for chunk in found.chunks] == ["discuss", "approve"] * 3
    assert [len(chunk.traces) for chunk in found.chunks] == [1, 3, 1, 2, 1, 1]
    assert found.chunks[2].posterior_prediction == ""
    assert found.chunks[3].posterior_prediction == "approve"


def test_the_walk_of_a_seed_is_always_the_same() -> None:
    (first, *_) = small_population()
    calibration = CalibrationPolicy()
    one, two = walked(first, calibration), walked(first, calibration)
    assert one.gates == two.gates
    assert metrics(one.gates).escalated.total == len(first.decisions)


@pytest.mark.parametrize("policy", [POLICY, RetrievalPolicy(noise_scale=0.0)])
def test_the_tables_publish_every_measure_of_the_section(policy: RetrievalPolicy) -> None:
    chain, composed, recency = ablations(small_population(), embed, policy)
    names = [row[0] for row in chain.rows]
    assert names[0] == "action match (posterior names the outcome)"
    assert {f"  of all, by guard {guard}" for guard in Guard} <= set(names)
    assert [row[0] for row in composed.rows] == [
        "seed, activation/similarity 0.5/0.5",
        "seed, activation/similarity 1/0",
        "seed, activation/similarity 0/1",
        "scaling minmax",
        "scaling tanh",
    ]
    assert [row[0] for row in recency.rows] == [
        "all",
        "early half",
        "late half",
        "people for whom decay may go",
    ]
    for table in (chain, composed, recency):
        assert {len(row) for row in table.rows} == {len(table.columns)}


def test_nobody_makes_tables_of_nothing() -> None:
    chain, _, recency = ablations((), embed, POLICY)
    assert ("false approvals, of acts", "0 of 0", "-") in chain.rows
    assert recency.rows[-1] == ("people for whom decay may go", "0 of 0", "overlap 1.00", "")
