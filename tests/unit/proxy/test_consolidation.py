"""What is dropped between sessions (memory.md 8.3, 8.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.proxy.chunks import Chunk
from hivebot.proxy.conflict import Cause, classify, conflict_pairs
from hivebot.proxy.consolidation import Consolidation, Evidence, consolidate, revise
from hivebot.proxy.errors import InvalidBoundError
from hivebot.proxy.vectors import NO_VECTORS, Vectors
from tests.unit.proxy.build import vectors

ALIKE = vectors(artifact=[1, 0])


def chunk(name: str, outcome: str, *traces: int, held: Vectors = ALIKE, **rest: str) -> Chunk:
    made = Chunk(name, state="s", task_type="t", outcome=outcome, traces=traces, vectors=held)
    return replace(made, **rest)


def dropped(chunks: Sequence[Chunk], semantic_gate: float | None = 0.6) -> tuple[str, ...]:
    return consolidate(chunks, 60, semantic_gate=semantic_gate).soft_delete


def test_the_older_of_a_drift_is_marked_and_the_rest_keep_their_order() -> None:
    """Section 8.3 (steps 3 and 4)."""
    chunks = [chunk("c", "correct", 20), chunk("a", "approve", 1), chunk("b", "correct", 19)]
    result = consolidate(chunks, 60)
    assert result == Consolidation(purge=(), soft_delete=("a",), keep=("c", "b"))


def test_pairs_are_judged_on_the_unmodified_list() -> None:
    """Section 8.3: a chunk can be marked by one that is itself marked."""
    chain = [chunk("a", "approve", 1), chunk("b", "correct", 10), chunk("c", "approve", 19)]
    assert dropped(chain) == ("a", "b")


def test_the_clock_plays_no_part_in_drift() -> None:
    """Section 8.3."""
    pair = [chunk("a", "approve", 1), chunk("b", "correct", 9)]
    early, late = consolidate(pair, 9), consolidate(pair, 9000)
    assert early.soft_delete == late.soft_delete == ("a",)


def test_softly_deleted_chunks_are_purged_after_the_window_and_never_compared() -> None:
    """Section 8.3 (step 1) and the invisibility of soft-deleted chunks."""
    gone = replace(chunk("new", "correct", 30), deleted_at=10)
    result = consolidate([chunk("a", "approve", 1), gone], 60)
    assert result == Consolidation(purge=("new",), soft_delete=(), keep=("a",))
    assert consolidate([gone], 59).purge == ()
    assert consolidate([gone], 20, window=10).purge == ("new",)


def test_fewer_than_two_live_chunks_stop_the_run() -> None:
    """Section 8.3 (step 2)."""
    assert consolidate([], 60) == Consolidation((), (), ())
    assert consolidate([chunk("a", "approve", 1)], 60).keep == ("a",)


def test_chunks_without_traces_are_kept() -> None:
    """Section 8.2 (rule 1) and 8.3: noise keeps both."""
    assert dropped([chunk("a", "approve"), chunk("b", "correct", 30)]) == ()


@pytest.mark.parametrize(
    ("older", "newer", "marked"),
    [
        (vectors(artifact=[1, 0]), vectors(artifact=[0.6, 0.8]), ("a",)),
        (vectors(artifact=[1, 0]), vectors(artifact=[0.59, 0.81]), ()),
        (vectors(stimulus=[1, 0]), vectors(stimulus=[1, 0]), ("a",)),
        (vectors(situation=[1, 0]), vectors(situation=[1, 0]), ()),
        (vectors(artifact=[1, 0]), vectors(stimulus=[1, 0]), ()),
        (vectors(artifact=[1, 0]), vectors(artifact=[1, 0, 0]), ()),
        (NO_VECTORS, NO_VECTORS, ()),
    ],
    ids=[
        "exactly the gate",
        "just below",
        "stimulus",
        "situation does not count",
        "different percepts",
        "different lengths",
        "none",
    ],
)
def test_the_semantic_gate_asks_for_a_like_artifact_or_stimulus(
    older: Vectors, newer: Vectors, marked: tuple[str, ...]
) -> None:
    """Section 8.3: hivebot MUST support a semantic gate for consolidation."""
    pair = [chunk("a", "approve", 1, held=older), chunk("b", "correct", 20, held=newer)]
    assert dropped(pair) == marked
    assert dropped(pair, semantic_gate=None) == ("a",)


@pytest.mark.parametrize(("left", "right", "marked"), [("m", "n", ()), ("m", "", ("a",))])
def test_the_semantic_gate_does_not_compare_different_models(
    left: str, right: str, marked: tuple[str, ...]
) -> None:
    """Section 4.2 (hivebot only) applied to 8.3."""
    pair = [
        chunk("a", "approve", 1, embedding_model=left),
        chunk("b", "correct", 20, embedding_model=right),
    ]
    assert dropped(pair) == marked


@pytest.mark.parametrize("gate", [0.0, -0.5, 1.1])
def test_a_semantic_gate_that_is_no_cosine_above_zero_is_refused(gate: float) -> None:
    with pytest.raises(InvalidBoundError, match="semantic gate"):
        consolidate([], 1, semantic_gate=gate)


@st.composite
def stores(draw: st.DrawFn) -> list[Chunk]:
    return [
        Chunk(
            f"c{number}",
            task_type=draw(st.sampled_from("tu")),
            outcome=draw(st.sampled_from(["approve", "correct", "reject"])),
            traces=tuple(draw(st.lists(st.integers(0, 40), max_size=2))),
            deleted_at=draw(st.sampled_from([None, None, 5])),
        )
        for number in range(draw(st.integers(0, 8)))
    ]


@given(stores())
def test_the_table_of_pairs_agrees_with_the_rules_pair_by_pair(chunks: list[Chunk]) -> None:
    """Section 8.3 (step 3) against 8.1 and 8.2."""
    live = [each for each in chunks if each.live]
    marked: set[str] = set()
    for first, second in conflict_pairs(live):
        found = classify(first, second, 60)
        if found.cause is Cause.PREFERENCE_DRIFT:
            marked |= {first.id, second.id} - {found.newer_id}
    result = consolidate(chunks, 60, semantic_gate=None)
    assert result.soft_delete == tuple(each.id for each in live if each.id in marked)
    assert set(result.keep) == {each.id for each in live} - marked


def test_large_contexts_are_compared_in_blocks() -> None:
    old = [chunk(f"o{number}", "approve", 1) for number in range(600)]
    new = [chunk(f"n{number}", "correct", 50) for number in range(600)]
    assert dropped([*old, *new]) == tuple(each.id for each in old)


@pytest.mark.parametrize(
    ("evidence", "before", "after"),
    [
        (Evidence.SUPPORTING, 0.98, 1.0),
        (Evidence.WEAKENING, 0.5, 0.45),
        (Evidence.CONTRADICTING, 0.08, 0.0),
        ("unheard of", 0.5, 0.5),
    ],
)
def test_a_contradiction_costs_double_and_confidence_stays_a_share(
    evidence: str, before: float, after: float
) -> None:
    """Section 8.4."""
    assert revise(before, evidence) == pytest.approx(after)
