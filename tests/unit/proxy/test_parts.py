"""The parts of a score add up to it (memory.md 4.3), whichever way activation is scaled."""

from __future__ import annotations

import pytest

from hivebot.proxy.chunks import Chunk
from hivebot.proxy.parts import ScoreParts, score_parts
from hivebot.proxy.retrieval import Normalization, Query, RetrievalPolicy, retrieve, seeded
from hivebot.proxy.vectors import EXPERIENCE, Dimension
from tests.unit.proxy.build import four, in_order, vectors

CHUNKS = (
    Chunk("a", traces=(9, 9), vectors=four([1, 0])),
    Chunk("b", traces=(9,), vectors=vectors(artifact=[1, 1])),
    Chunk("c", traces=(8, 9), vectors=vectors(stimulus=[1, 1, 1])),
    Chunk("faded", traces=(1,), vectors=four([1, 0])),
)
QUERY = Query(vectors=four([1, 0]))


def parts(policy: RetrievalPolicy, *, noisy: bool) -> tuple[ScoreParts, ...]:
    matrix = in_order(*CHUNKS)
    chance = seeded(matrix, 7, 10) if noisy else None
    found = retrieve(matrix, QUERY, 10, policy, chance)
    return score_parts(matrix, found, QUERY, policy, chance)


@pytest.mark.parametrize("normalization", list(Normalization))
@pytest.mark.parametrize("noisy", [False, True])
def test_the_weighted_parts_are_the_score(normalization: Normalization, *, noisy: bool) -> None:
    policy = RetrievalPolicy(
        normalization=normalization, activation_weight=0.3, semantic_weight=0.6
    )
    taken_apart = parts(policy, noisy=noisy)
    assert {each.chunk_id for each in taken_apart} == {"a", "b", "c"}
    for each in taken_apart:
        total = 0.3 * each.scaled + 0.6 * each.similarity + each.noise
        assert each.score == pytest.approx(total, abs=1e-9)


def test_parts_stand_in_rank_order() -> None:
    scores = [each.score for each in parts(RetrievalPolicy(), noisy=True)]
    assert scores == sorted(scores, reverse=True)


def test_a_percept_that_cannot_be_compared_has_cosine_zero() -> None:
    by_name = {each.chunk_id: each for each in parts(RetrievalPolicy(), noisy=False)}
    assert dict(by_name["a"].cosines) == dict.fromkeys(EXPERIENCE, 1.0)
    assert dict(by_name["c"].cosines) == dict.fromkeys(EXPERIENCE, 0.0)
    assert dict(by_name["b"].cosines)[Dimension.ARTIFACT] == pytest.approx(0.7071, abs=1e-4)
    assert by_name["b"].similarity == pytest.approx(0.7071 / 4, abs=1e-4)


def test_without_chance_there_is_no_noise() -> None:
    assert {each.noise for each in parts(RetrievalPolicy(), noisy=False)} == {0.0}
    assert 0.0 not in {each.noise for each in parts(RetrievalPolicy(), noisy=True)}


def test_nothing_found_has_no_parts() -> None:
    strict = RetrievalPolicy(retrieval_threshold=9.0)
    assert parts(strict, noisy=True) == ()
