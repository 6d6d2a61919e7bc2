"""Contradictions (memory.md 8.1 and 8.2)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.proxy.chunks import Chunk
from hivebot.proxy.conflict import (
    Cause,
    Conflict,
    classify,
    conflict_pairs,
    conflicts,
    distinct,
    excerpts,
    has_tension,
    judgeable,
    judged,
    parse_cause,
)


def chunk(name: str, outcome: str, *traces: int, confidence: float = 0.9) -> Chunk:
    return Chunk(
        name,
        state="s",
        task_type="t",
        outcome=outcome,
        traces=traces,
        posterior_confidence=confidence,
        content=f"about {name}",
    )


def cause(first: Chunk, second: Chunk, clock: int = 30) -> Cause:
    return classify(first, second, clock).cause


def test_only_state_task_type_and_outcome_are_compared() -> None:
    """Section 8.1: not the type, not the text, not the vectors."""
    a = chunk("a", "approve", 1)
    b = replace(chunk("b", "correct", 2), type="dialog_turn", content="")
    assert conflict_pairs([a, b]) == ((a, b),)
    assert conflict_pairs([a, replace(b, task_type="other")]) == ()
    assert conflict_pairs([a, replace(b, state="other")]) == ()
    assert conflict_pairs([a, replace(b, outcome="approve")]) == ()


def test_every_pair_is_listed_in_order() -> None:
    """Section 8.1: i < j, nothing is reordered."""
    three = [chunk("c", "approve"), chunk("a", "correct"), chunk("b", "reject")]
    assert [(x.id, y.id) for x, y in conflict_pairs(three)] == [
        ("c", "a"),
        ("c", "b"),
        ("a", "b"),
    ]


def test_a_chunk_found_twice_is_compared_once() -> None:
    """Section 8.1: hivebot MUST de-duplicate by id first."""
    a, b = chunk("a", "approve", 29), chunk("b", "correct", 30)
    assert [each.id for each in distinct([a, b, a])] == ["a", "b"]
    assert len(conflicts([a, b, a, b], 30)) == 1


def test_without_traces_it_is_noise() -> None:
    """Section 8.2 (rule 1): first matching rule wins."""
    assert cause(chunk("a", "approve"), chunk("b", "correct", 30)) is Cause.RETRIEVAL_NOISE
    assert cause(chunk("a", "approve", 30), chunk("b", "correct")) is Cause.RETRIEVAL_NOISE


@pytest.mark.parametrize(("gap", "expected"), [(8, True), (7, False)])
def test_a_gap_of_eight_is_drift(gap: int, expected: bool) -> None:  # noqa: FBT001  a column
    """Section 8.2 (rule 2) and 13.9: inclusive."""
    found = classify(chunk("a", "approve", 30 - gap), chunk("b", "correct", 30), 30)
    assert (found.cause is Cause.PREFERENCE_DRIFT) is expected
    assert found.newer_id == ("b" if expected else "")


def test_the_largest_trace_counts_not_the_last_listed_nor_the_number() -> None:
    """Section 8.2 and 13.10."""
    found = classify(chunk("a", "approve", 30, 1), chunk("b", "correct", *[22] * 9), 30)
    assert (found.cause, found.newer_id) == (Cause.PREFERENCE_DRIFT, "a")


def test_drift_is_tested_before_tension() -> None:
    """Section 8.2."""
    assert cause(chunk("a", "approve", 22), chunk("b", "reject", 30)) is Cause.PREFERENCE_DRIFT


@pytest.mark.parametrize(
    ("clock", "confidence", "expected"),
    [
        (37, 0.75, Cause.GENUINE_TENSION),
        (38, 0.75, Cause.CONTEXT_SENSITIVITY),
        (37, 0.74, Cause.CONTEXT_SENSITIVITY),
    ],
)
def test_tension_needs_both_recent_and_both_confident(
    clock: int, confidence: float, expected: Cause
) -> None:
    """Section 8.2 (rule 3) and 13.9: window 10 and confidence 0.75 are inclusive."""
    first = chunk("a", "approve", 27, confidence=confidence)
    assert cause(first, chunk("b", "reject", 30), clock) is expected


@given(st.lists(st.integers(0, 40), max_size=3), st.lists(st.integers(0, 40), max_size=3))
def test_the_cause_does_not_depend_on_the_order_of_the_pair(
    left: list[int], right: list[int]
) -> None:
    a, b = chunk("a", "approve", *left), chunk("b", "correct", *right)
    there, back = classify(a, b, 40), classify(b, a, 40)
    assert (there.cause, there.newer_id) == (back.cause, back.newer_id)


def test_tension_among_the_retrieved_fires_the_guard() -> None:
    """Section 6.1 (guard 2) and 8.2."""
    a, b = chunk("a", "approve", 29), chunk("b", "correct", 30)
    assert has_tension(conflicts([a, b], 30))
    assert not has_tension(conflicts([a, b], 90))


# -- second tier --------------------------------------------------------------------------------


def context_pair() -> Conflict:
    return classify(chunk("a", "approve", 1), chunk("b", "correct", 4), 60)


def test_only_context_pairs_with_content_go_to_a_model() -> None:
    """Section 8.2 (second tier)."""
    found = context_pair()
    assert judgeable(found)
    assert not judgeable(replace(found, first=replace(found.first, content="")))
    assert not judgeable(replace(found, cause=Cause.GENUINE_TENSION))


def test_a_model_is_shown_five_hundred_characters_of_each() -> None:
    """Section 8.2."""
    found = context_pair()
    long = replace(found, first=replace(found.first, content="x" * 900))
    assert excerpts(long) == ("x" * 500, "about b")


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("genuine_tension", Cause.GENUINE_TENSION),
        ("I think so.\n **Preference_Drift**. \n", Cause.PREFERENCE_DRIFT),
        ("It might be preference_drift here.", None),
        ("genuine_tension\npreference_drift", None),
        ("", None),
    ],
)
def test_a_reply_names_exactly_one_cause_or_none(reply: str, expected: Cause | None) -> None:
    """Section 8.2: no valid line keeps the rule's cause."""
    assert parse_cause(reply) is expected


@pytest.mark.parametrize(
    ("reply", "expected", "newer", "by_rule"),
    [
        ("genuine_tension", Cause.GENUINE_TENSION, "", False),
        ("preference_drift", Cause.PREFERENCE_DRIFT, "b", False),
        ("no idea", Cause.CONTEXT_SENSITIVITY, "", True),
        (None, Cause.CONTEXT_SENSITIVITY, "", True),
    ],
)
def test_a_failed_judge_keeps_the_rule_and_shows(
    reply: str | None,
    expected: Cause,
    newer: str,
    by_rule: bool,  # noqa: FBT001  a column
) -> None:
    """Section 8.2 (#238): silent fallback hid outages."""
    (after,) = judged([context_pair()], {("a", "b"): reply})
    assert (after.cause, after.newer_id, after.by_rule) == (expected, newer, by_rule)


def test_what_was_not_asked_or_not_askable_stays() -> None:
    """Section 8.2."""
    found = context_pair()
    sharp = replace(found, cause=Cause.GENUINE_TENSION)
    assert judged([found], {}) == (found,)
    assert judged([sharp], {("a", "b"): "retrieval_noise"}) == (sharp,)
