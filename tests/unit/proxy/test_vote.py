"""The memory vote (proxy-experiment.md, predictor)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.proxy.errors import InvalidBoundError
from hivebot.proxy.vote import ABSTENTION, Ballot, memory_vote


def ballots(*cast: tuple[str, float]) -> list[Ballot]:
    return [Ballot(f"m{place}", outcome, score) for place, (outcome, score) in enumerate(cast)]


def test_without_memories_the_vote_abstains() -> None:
    assert memory_vote([]) == ABSTENTION
    assert memory_vote(ballots(("", 0.9))) == ABSTENTION
    assert memory_vote(ballots(("discuss", 0.9)), allowed=("approve",)) == ABSTENTION


def test_the_largest_sum_of_weights_wins() -> None:
    one_strong = memory_vote(ballots(("approve", 0.9), ("reject", 0.5), ("reject", 0.5)))
    assert one_strong.outcome == "approve"
    two_close = memory_vote(ballots(("approve", 0.52), ("reject", 0.5), ("reject", 0.5)))
    assert two_close.outcome == "reject"
    assert two_close.supporters == ("m1", "m2")


def test_the_confidence_is_the_share_of_the_winner_doubted_by_two() -> None:
    vote = memory_vote(ballots(("approve", 0.9), ("reject", 0.7)))
    share = 1 / (1 + math.exp(-2))
    assert vote.confidence == pytest.approx(share * 2 / 4)
    assert vote.voters == 2


@pytest.mark.parametrize(("count", "confidence"), [(7, 7 / 9), (8, 0.8), (10, 10 / 12)])
def test_below_eight_memories_the_confidence_never_reaches_the_act_threshold(
    count: int, confidence: float
) -> None:
    vote = memory_vote(ballots(*[("approve", 0.1 * place) for place in range(count)]))
    assert vote.confidence == pytest.approx(confidence)
    assert (vote.confidence >= 0.8) is (count >= 8)


def test_equal_sums_go_to_the_best_ranked_memory() -> None:
    assert memory_vote(ballots(("reject", 0.5), ("approve", 0.5))).outcome == "reject"


def test_memories_without_a_vote_do_not_add_confidence() -> None:
    cast = [("approve", 0.5), ("", 0.9), ("discuss", 0.9)]
    vote = memory_vote(ballots(*cast), allowed=("approve", "reject"))
    assert (vote.outcome, vote.voters) == ("approve", 1)


@pytest.mark.parametrize("temperature", [0.0, -1.0, math.nan])
def test_a_temperature_that_is_not_above_zero_is_refused(temperature: float) -> None:
    with pytest.raises(InvalidBoundError, match="temperature"):
        memory_vote([], temperature=temperature)


@given(
    st.lists(
        st.tuples(st.sampled_from(["approve", "correct", "reject"]), st.floats(-1, 2)), max_size=10
    ),
    st.floats(-5, 5),
)
def test_a_vote_depends_on_score_differences_only(
    cast: list[tuple[str, float]], shift: float
) -> None:
    plain = memory_vote(ballots(*cast))
    moved = memory_vote(ballots(*[(outcome, score + shift) for outcome, score in cast]))
    assert moved.confidence == pytest.approx(plain.confidence, abs=1e-6)
    assert 0 <= plain.confidence < 1
