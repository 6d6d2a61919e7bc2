"""The predictors (proxy-experiment.md, predictor and baselines)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hivebot.bench.proxy.decisions import OUTCOMES, Decision, DecisionStream
from hivebot.bench.proxy.features import Embeddings, features
from hivebot.bench.proxy.minds import (
    EVERYTHING,
    NEAREST,
    CountingMind,
    Guess,
    MemoryMind,
    Recall,
    Rule,
    context_majority,
    last_in_context,
    majority,
    older_gate,
)
from hivebot.bench.proxy.scores import ScoredGate, prequential
from hivebot.proxy.retrieval import RetrievalPolicy
from hivebot.proxy.vectors import EXPERIENCE, Dimension
from tests.unit.bench.proxy.populations import embed, small_population, stream

QUIET = RetrievalPolicy(noise_scale=0.0)
FIVE = replace(QUIET, dimensions=(*EXPERIENCE, Dimension.SALIENCE))


def remembered(
    decisions: DecisionStream, recall: Recall | None = None, **rest: object
) -> tuple[ScoredGate, ...]:
    embeddings = Embeddings(embed)
    mind = MemoryMind(
        decisions,
        features(decisions, embeddings),
        recall or Recall(QUIET),
        embeddings,
        **rest,  # pyright: ignore[reportArgumentType]
    )
    return prequential(decisions, mind)


def guesses(gates: tuple[ScoredGate, ...]) -> list[str]:
    return [gate.guess.outcome for gate in gates]


# -- counting -----------------------------------------------------------------------------------


def counted(rule: Rule, *seen: tuple[str, str], context: str = "a") -> Guess:
    return rule([Decision("r", where, outcome) for where, outcome in seen], context)


def test_the_majority_so_far_ignores_contexts() -> None:
    found = counted(majority, ("b", "reject"), ("b", "reject"), ("a", "approve"))
    assert (found.outcome, found.survivors, found.candidates) == ("reject", 3, 3)
    assert found.confidence == pytest.approx(2 / 3 * 3 / 5)


def test_the_majority_in_context_falls_back_to_all() -> None:
    seen = ("b", "reject"), ("b", "reject"), ("a", "approve")
    assert counted(context_majority, *seen).outcome == "approve"
    assert counted(context_majority, *seen, context="new").outcome == "reject"


def test_the_last_in_context_falls_back_to_the_majority() -> None:
    seen = ("a", "reject"), ("a", "correct"), ("b", "reject")
    assert counted(last_in_context, *seen).outcome == "correct"
    assert counted(last_in_context, *seen, context="new").outcome == "reject"


def test_equal_counts_go_to_the_earlier_outcome() -> None:
    assert counted(majority, ("a", "reject"), ("a", "correct")).outcome == "correct"


@pytest.mark.parametrize("rule", [majority, context_majority, last_in_context])
def test_without_a_past_counting_abstains(rule: Rule) -> None:
    assert counted(rule) == Guess("", 0.0, 0, 0)


def test_the_older_gate_approves_after_approvals_and_stops_after_a_correction() -> None:
    """memory.md 6.3."""
    assert counted(older_gate) == Guess("approve", 0.5, 0, 0)
    assert counted(older_gate, *[("a", "approve")] * 5).outcome == "approve"
    after = counted(older_gate, *[("a", "approve")] * 5, ("a", "reject"))
    assert after.outcome == "reject"
    assert 0.5 < after.confidence <= 1


# -- memory -------------------------------------------------------------------------------------


def test_an_empty_memory_abstains_and_then_follows_the_past() -> None:
    gates = remembered(stream("reject", "reject", "reject"))
    assert guesses(gates) == ["", "reject", "reject"]
    assert gates[0].guess.candidates == 0
    assert gates[2].guess.candidates == 2


def test_the_seed_forgets_without_reinforcement_and_keeps_with_it() -> None:
    long = stream(*["approve"] * 12)
    kept = remembered(long)
    lost = remembered(long, Recall(QUIET, reinforce=False))
    assert kept[-1].guess.survivors > lost[-1].guess.survivors == 3


def test_below_eight_memories_nobody_acts() -> None:
    gates = remembered(stream(*["approve"] * 12), Recall(replace(EVERYTHING, noise_scale=0.0)))
    assert [gate.acted for gate in gates] == [False] * 8 + [True] * 4


def test_similar_requests_decide_where_activation_does_not_count() -> None:
    alternating = stream(*["approve", "reject", "correct"] * 5)
    gates = remembered(alternating, Recall(replace(NEAREST, top_k=3), reinforce=False))
    assert all(gate.right for gate in gates[6:])


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.sampled_from(OUTCOMES), min_size=2, max_size=12),
    st.integers(1, 11),
    st.sampled_from([QUIET, EVERYTHING, FIVE]),
)
def test_a_guess_does_not_depend_on_what_comes_later(
    outcomes: list[str], cut: int, policy: RetrievalPolicy
) -> None:
    """Prequential: predict, see, store."""
    whole = remembered(stream(*outcomes), Recall(policy))
    part = remembered(stream(*outcomes[:cut]), Recall(policy))
    assert guesses(whole)[: len(part)] == guesses(part)


def test_a_guess_does_not_depend_on_the_outcome_guessed() -> None:
    one = remembered(stream("approve", "reject", "approve"))
    other = remembered(stream("approve", "reject", "correct"))
    assert [gate.guess for gate in one] == [gate.guess for gate in other]


def test_dialogs_take_the_clock_but_have_no_vote() -> None:
    base = stream(*["approve"] * 6)
    talked = replace(base, decisions=tuple(replace(each, dialog="why?") for each in base.decisions))
    plain = remembered(base, Recall(QUIET, reinforce=False))
    dialogs = remembered(talked, Recall(QUIET, reinforce=False))
    assert dialogs[-1].guess.candidates == 2 * plain[-1].guess.candidates
    assert guesses(dialogs)[1:] == ["approve"] * 5
    assert dialogs[-1].guess.confidence < plain[-1].guess.confidence


def test_stored_outcomes_can_be_others_than_the_true_ones() -> None:
    gates = remembered(stream(*["approve"] * 4), outcomes=["reject"] * 4)
    assert guesses(gates) == ["", "reject", "reject", "reject"]


def test_memories_of_another_person_can_be_fewer() -> None:
    embeddings = Embeddings(embed)
    mine, other = stream(*["approve"] * 4), stream("reject", "reject", decider="q")
    mind = MemoryMind(
        mine,
        features(mine, embeddings),
        Recall(replace(EVERYTHING, noise_scale=0.0)),
        embeddings,
        stored=features(other, embeddings),
    )
    gates = prequential(mine, mind)
    assert guesses(gates) == ["", "reject", "reject", "reject"]
    assert [gate.guess.candidates for gate in gates] == [0, 1, 2, 2]


def test_noise_moves_scores_and_is_the_same_for_the_same_seed() -> None:
    decisions = stream(*["approve", "reject", "correct"] * 6)
    loud = Recall(replace(EVERYTHING, noise_scale=0.5))
    assert remembered(decisions, loud, seed=1) == remembered(decisions, loud, seed=1)
    assert remembered(decisions, loud, seed=1) != remembered(decisions, loud, seed=2)


def test_the_most_recent_are_as_many_as_survive() -> None:
    decisions = stream("reject", "approve", "approve", "approve", "approve")
    recent = Recall(replace(QUIET, top_k=10), reinforce=False, recent=True)
    gates = remembered(decisions, recent)
    assert guesses(gates)[1:] == ["reject", "reject", "reject", "approve"]
    assert gates[4].guess.survivors == 3


def test_surprises_are_stored_and_scored_as_a_fifth_dimension() -> None:
    (person, *_rest) = small_population()
    recall = Recall(replace(EVERYTHING, noise_scale=0.0))
    five = replace(recall, policy=replace(recall.policy, dimensions=FIVE.dimensions))
    plain, salient = remembered(person, recall), remembered(person, five)
    assert [gate.guess.confidence for gate in plain] != [gate.guess.confidence for gate in salient]


def test_an_artifact_that_changes_the_vote_is_remembered_as_a_surprise() -> None:
    """memory.md 5.3: the sentence of a surprise is embedded; 4.6: asked about on its own."""
    texts: list[str] = []

    def listening(asked: Sequence[str]) -> list[list[float]]:
        texts.extend(asked)
        return embed(asked)

    embeddings = Embeddings(listening)
    bodies = ("alpha beta gamma delta", "zeta eta theta iota")
    person = DecisionStream(
        "p",
        tuple(
            Decision(f"a request\n{bodies[place % 2]}", "c", ("approve", "reject")[place % 2])
            for place in range(20)
        ),
    )
    sharp = replace(FIVE, retrieval_threshold=-9.0, activation_weight=0.0, semantic_weight=9.0)
    mind = MemoryMind(person, features(person, embeddings), Recall(sharp), embeddings)
    prequential(person, mind)
    assert any(text.startswith("approve became reject: a request") for text in texts)
    assert not any(text.startswith("nothing became") for text in texts)


def test_counting_minds_see_only_what_they_learnt() -> None:
    decisions = stream("reject", "approve")
    mind = CountingMind(decisions, majority)
    assert mind.predict(0).outcome == ""
    mind.learn(0)
    assert mind.predict(1).outcome == "reject"
