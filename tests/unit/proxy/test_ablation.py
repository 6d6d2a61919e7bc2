"""The ablations a memory can run on its own past (memory.md 11)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hivebot.proxy.ablation import (
    WEIGHTINGS,
    decay_or_recency,
    minmax_or_tanh,
    most_recent,
    score_composition,
)
from hivebot.proxy.activation import TraceTable
from hivebot.proxy.chunks import Chunk
from hivebot.proxy.metrics import Ratio
from hivebot.proxy.retrieval import Query, RetrievalPolicy
from tests.unit.proxy.build import in_order, vectors

WIDE = RetrievalPolicy(retrieval_threshold=-5.0)
NORTH, EAST = [1, 0], [0, 1]


def chunk(name: str, outcome: str, *traces: int, about: list[int] | None = None) -> Chunk:
    held = vectors(stimulus=about or NORTH)
    return Chunk(name, state="s", task_type="t", outcome=outcome, traces=traces, vectors=held)


def test_the_table_as_it_was_knows_no_later_trace() -> None:
    table = TraceTable.of([[1, 5], [7], [], [3, 3]]).until(4)
    assert table.flat.tolist() == [1, 3, 3]
    assert table.listed.tolist() == [1, 0, 0, 2]
    assert table.newest.tolist() == [1, 0, 0, 3]


def test_each_chunk_is_predicted_from_earlier_ones_only() -> None:
    """Section 11 (score composition, MUST): leave-one-out in time order."""
    chunks = [
        chunk("c", "reject", 3),
        chunk("a", "approve", 1),
        chunk("b", "approve", 2),
    ]
    found = score_composition(chunks, {"arm": WIDE}, checkpoints=(1, 2, 9))["arm"]
    assert found.matched == Ratio(1, 3)
    assert found.covered == Ratio(2, 3)
    assert found.checkpoints == (Ratio(0, 1), Ratio(1, 2), Ratio(1, 3))


def test_later_reinforcement_does_not_help_an_earlier_prediction() -> None:
    """Section 11: as it stood just before the chunk was created."""
    chunks = [chunk("a", "approve", 1, 90), chunk("b", "approve", 80)]
    assert score_composition(chunks, {"arm": RetrievalPolicy()})["arm"].covered == Ratio(0, 2)


def test_similarity_and_activation_can_disagree() -> None:
    """Section 11: weights 0.5/0.5, 1/0, 0/1."""
    chunks = [
        chunk("a", "approve", 1, about=EAST),
        chunk("b", "reject", 5, about=NORTH),
        chunk("c", "approve", 7, about=EAST),
    ]
    arms = {
        name: replace(policy, retrieval_threshold=-5.0, top_k=1)
        for name, policy in WEIGHTINGS.items()
    }
    found = score_composition(chunks, arms)
    assert found["1/0"].matched == Ratio(0, 3)
    assert found["0/1"].matched == Ratio(1, 3)
    assert set(score_composition(chunks)) == {"0.5/0.5", "1/0", "0/1"}


def test_what_a_gate_cannot_know_is_not_asked() -> None:
    """Section 9.1: the response is not known yet."""
    words = replace(chunk("a", "approve", 1), vectors=vectors(response=NORTH))
    others = [replace(words, id="b", traces=(2,), outcome="reject"), replace(words, id="c")]
    last = replace(others[1], traces=(3,))
    first = replace(words, vectors=vectors(response=EAST))
    arm = {"x": replace(WIDE, activation_weight=0.0, semantic_weight=1.0, top_k=1)}
    assert score_composition([first, others[0], last], arm)["x"].matched == Ratio(1, 3)


def test_chunks_without_outcome_trace_or_life_are_not_held_out() -> None:
    chunks = [chunk("a", "", 1), chunk("b", "approve"), replace(chunk("c", "x", 2), deleted_at=3)]
    assert score_composition(chunks, {"arm": WIDE})["arm"].matched == Ratio(0, 0)


def test_minmax_and_tanh_are_compared_by_name() -> None:
    """Section 11 (MUST)."""
    chunks = [chunk("a", "approve", 1), chunk("b", "approve", 2)]
    found = minmax_or_tanh(chunks, WIDE)
    assert {name: each.matched for name, each in found.items()} == {
        "minmax": Ratio(1, 2),
        "tanh": Ratio(1, 2),
    }


def test_recency_takes_as_many_as_activation_let_survive() -> None:
    """Section 11 (decay or recency, MUST)."""
    chunks = [
        chunk("a", "approve", 1, 2, 3, 4, 5, 6),
        chunk("b", "reject", 5),
        chunk("c", "reject", 8),
        chunk("d", "approve", 11),
    ]
    policy = RetrievalPolicy(retrieval_threshold=-0.3, activation_weight=1.0, semantic_weight=0.0)
    found = decay_or_recency(chunks, policy)
    assert found.activation == Ratio(1, 4)
    assert found.recency == Ratio(0, 4)
    assert found.early == (Ratio(0, 2), Ratio(0, 2))
    assert found.late == (Ratio(1, 2), Ratio(0, 2))
    assert 0 < found.jaccard <= 1
    assert not found.single_trace


def test_the_most_recent_are_ranked_by_similarity_alone() -> None:
    """Section 11: re-ranked by similarity alone."""
    chunks = [
        chunk("old", "x", 1, about=NORTH),
        chunk("near", "x", 7, about=NORTH),
        chunk("away", "x", 9, about=EAST),
        chunk("tie", "x", 7, about=EAST),
    ]
    matrix = in_order(*chunks)
    query = Query(vectors=vectors(stimulus=NORTH))
    assert matrix.ids_of(most_recent(matrix, query, 10, WIDE, 3)) == ("near", "away", "tie")
    assert matrix.ids_of(most_recent(matrix, query, 10, WIDE, 2)) == ("away", "tie")
    assert most_recent(matrix, query, 10, WIDE, 0).tolist() == []
    assert most_recent(matrix, query, 10, replace(WIDE, top_k=1), 3).tolist() == [1]


@pytest.mark.parametrize("count", [0, 1])
def test_recency_says_nothing_where_every_chunk_has_one_trace(count: int) -> None:
    """Section 11."""
    found = decay_or_recency([chunk("a", "approve", 1)][:count])
    assert found.single_trace
    assert found.drop_decay is None
    assert found.jaccard == 1.0


def test_decay_is_dropped_where_recency_does_as_well() -> None:
    """Section 11: match rate at least 0.95 of activation's."""
    chunks = [chunk("a", "approve", 1, 2), chunk("b", "approve", 2), chunk("c", "approve", 3)]
    assert decay_or_recency(chunks).drop_decay is True
    worse = replace(decay_or_recency(chunks), recency=Ratio(0, 3))
    assert worse.drop_decay is False


def test_two_empty_retrievals_overlap_wholly() -> None:
    chunks = [chunk("a", "approve", 1, 1), chunk("b", "approve", 60)]
    assert decay_or_recency(chunks).jaccard == 1.0
    assert np.isfinite(decay_or_recency(chunks).jaccard)
