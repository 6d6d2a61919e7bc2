"""A desk's own past is replayed as it happened, and advice is given only where there is evidence.

Source: product.md 7, proxy-experiment.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from hivebot.bench.proxy.own_gates import GATES_MIN, Interaction, calibrate, replay, wilson
from hivebot.proxy.chunks import Chunk, ChunkType
from hivebot.proxy.metrics import Ratio
from hivebot.proxy.retrieval import SEED, RetrievalPolicy
from tests.unit.proxy.build import four

QUIET = RetrievalPolicy(noise_scale=0.0)
LONG = RetrievalPolicy(noise_scale=0.0, retrieval_threshold=-2.5)


def gate(outcome: str, *, about: Sequence[float] = (1, 0), context: str = "payments") -> Chunk:
    return Chunk(
        id="",
        type=ChunkType.GATE_OUTCOME,
        state="answer_review",
        task_type=context,
        outcome=outcome,
        vectors=four(about),
    )


def past(*chunks: Chunk) -> list[Interaction]:
    return [Interaction(replace(chunk, id=f"c{place}")) for place, chunk in enumerate(chunks)]


def guesses(interactions: Sequence[Interaction], policy: RetrievalPolicy = QUIET) -> list[str]:
    return [each.guess.outcome for each in replay(interactions, policy)]


def test_each_gate_is_foretold_from_the_ones_before_it_alone() -> None:
    assert guesses(past(gate("approve"), gate("reject"), gate("correct"))) == [
        "",
        "approve",
        "approve",
    ]


def test_a_memory_that_voted_is_reinforced_and_one_that_did_not_is_forgotten() -> None:
    away = gate("reject", context="mobile")
    history = past(gate("approve"), gate("approve"), *[away] * 9, gate("approve"))
    assert guesses(history)[-1] == "approve"
    assert guesses(past(gate("approve"), *[away] * 9, gate("approve")))[-1] == ""
    assert guesses(past(gate("approve"), *[away] * 9, gate("approve")), LONG)[-1] == "approve"


def test_memories_of_another_context_have_no_vote() -> None:
    first, second = replay(past(gate("reject", context="mobile"), gate("approve")), QUIET)
    assert (second.guess.outcome, second.same_context) == ("", False)
    assert (first.guess.candidates, second.guess.candidates) == (0, 0)


def test_what_is_alike_counts_more_than_what_is_new() -> None:
    policy = RetrievalPolicy(noise_scale=0.0, retrieval_threshold=-2.5, activation_weight=0.0)
    history = past(
        gate("reject", about=(0, 1)), gate("approve"), gate("approve"), gate("reject", about=(0, 1))
    )
    assert guesses(history, policy)[-1] == "reject"


def test_a_correction_that_was_taught_counts_five_times_and_is_no_gate() -> None:
    taught = Chunk(id="", type=ChunkType.REVIEW_CORRECTION, outcome="correction")
    away = [gate("reject", context="mobile")] * 9
    found = replay(past(taught, *away, gate("approve")), QUIET)
    assert len(found) == 10
    assert found[-1].guess.survivors == 1
    assert found[-1].guess.outcome == ""


@pytest.mark.parametrize(
    ("chunk", "by_human"),
    [
        (gate("approve"), False),
        (gate("withdraw"), True),
        (Chunk(id="", type=ChunkType.DIALOG_TURN, outcome="discuss"), True),
    ],
    ids=["the proxy's own", "none of the three", "a question"],
)
def test_only_what_a_person_decided_is_foretold(chunk: Chunk, *, by_human: bool) -> None:
    (known,) = past(chunk)
    assert replay([Interaction(known.chunk, by_human)], QUIET) == ()


def test_the_proxys_own_decisions_are_remembered_nevertheless() -> None:
    own, persons = past(gate("approve"), gate("approve"))
    assert guesses([Interaction(own.chunk, by_human=False), persons]) == ["approve"]


def test_what_was_hidden_since_was_known_until_then() -> None:
    first, *rest = past(*[gate("approve")] * 4)
    hidden = Interaction(replace(first.chunk, deleted_at=2))
    found = replay([hidden, *rest], QUIET)
    assert [each.guess.candidates for each in found] == [0, 1, 1, 2]


# -- advice --------------------------------------------------------------------------------------


def forgetful(gates: int = 60) -> list[Interaction]:
    """Five contexts in turn: when one comes again the seed's threshold has forgotten it."""
    outcomes = ["approve", "reject", "correct", "approve", "reject"]
    return past(*(gate(outcomes[place % 5], context=f"desk {place % 5}") for place in range(gates)))


def test_a_threshold_that_would_have_done_better_is_recommended() -> None:
    advice = calibrate(forgetful(), SEED)
    assert advice.recommended is advice.best
    assert advice.best.policy.retrieval_threshold == -1.0
    assert advice.gain is not None
    assert advice.gain.interval.low > 0
    assert advice.best.scores.coverage.share is not None
    assert advice.best.scores.coverage.share > (advice.tried[0].scores.coverage.share or 0)


def test_the_policy_in_force_comes_first_and_each_threshold_once() -> None:
    advice = calibrate(forgetful(6), SEED, taus=(-0.5, -1.0))
    assert [each.policy.retrieval_threshold for each in advice.tried] == [-0.5, -1.0]
    own = calibrate(forgetful(6), RetrievalPolicy(retrieval_threshold=-0.7), taus=(-0.5,))
    assert [each.policy.retrieval_threshold for each in own.tried] == [-0.7, -0.5]
    assert {each.policy.noise_scale for each in own.tried} == {0.0}


def test_with_few_gates_nothing_is_recommended() -> None:
    advice = calibrate(forgetful(GATES_MIN - 1), SEED)
    assert advice.best is not advice.tried[0]
    assert advice.recommended is None


def test_where_the_threshold_in_force_is_best_it_is_kept() -> None:
    advice = calibrate(past(*[gate("approve")] * 30), SEED)
    assert (advice.recommended, advice.gain) == (None, None)
    assert advice.best is advice.tried[0]


def test_an_empty_memory_recommends_nothing() -> None:
    advice = calibrate([], SEED)
    assert advice.recommended is None
    assert advice.best.scores.accuracy == Ratio(0, 0)
    assert (advice.best.accuracy.low, advice.best.accuracy.high) == (0.0, 1.0)
    assert not advice.best.scores.enough_acts


def test_wilsons_interval_is_within_one() -> None:
    found = wilson(Ratio(8, 10))
    assert (found.value, round(found.low, 3), round(found.high, 3)) == (0.8, 0.49, 0.943)
