"""Preference notes (memory.md 8.3, last paragraph)."""

from __future__ import annotations

import pytest

from hivebot.proxy.notes import Note, Verdict, jaccard, kept_notes, note_pairs, words

DAILY = Note("a", "Send daily status updates!", "2026-01-01")
WEEKLY = Note("b", "send WEEKLY status updates", "2026-01-02")
OTHER = Note("c", "wants rollback plans", "2026-01-03")


def test_words_are_lower_case_words_and_digits() -> None:
    assert words("Ship by 5_PM, übrigens!") == {"ship", "by", "5", "pm", "übrigens"}


def test_two_empty_notes_have_nothing_in_common() -> None:
    assert jaccard(frozenset(), frozenset()) == 0.0


@pytest.mark.parametrize(
    ("newer", "linked"), [("a b x y z", True), ("a b v x y z", False)], ids=["0.4", "below"]
)
def test_notes_are_linked_from_two_fifths_of_their_words(
    newer: str,
    linked: bool,  # noqa: FBT001  a column
) -> None:
    """Section 8.3 and 13.9: Jaccard 0.4 is inclusive."""
    notes = [Note("old", "a b", "1"), Note("new", newer, "2")]
    assert note_pairs(notes) == ((("old", "new"),) if linked else ())


def test_clusters_are_linked_through_others_and_every_pair_is_asked() -> None:
    """Section 8.3: single linkage; inside each cluster every pair."""
    notes = [Note("x", "p q", "1"), Note("z", "r s", "3"), Note("y", "p q r s", "2")]
    assert note_pairs(notes) == (("x", "y"), ("x", "z"), ("y", "z"))


def test_the_older_comes_first_whatever_the_input_order() -> None:
    """Section 8.3: older first."""
    assert note_pairs([WEEKLY, OTHER, DAILY]) == (("a", "b"),)


@pytest.mark.parametrize(
    ("verdict", "kept"),
    [
        (Verdict.DELETE, ("b", "c")),
        (Verdict.SKIP, ("a", "c")),
        (Verdict.ADD, ("a", "b", "c")),
        (Verdict.UPDATE, ("a", "b", "c")),
        ("nonsense", ("a", "b", "c")),
    ],
)
def test_each_verdict_drops_what_the_text_says(verdict: str, kept: tuple[str, ...]) -> None:
    """Section 8.3."""
    notes = [DAILY, WEEKLY, OTHER]
    assert kept_notes(notes, note_pairs(notes), {("a", "b"): verdict}) == kept


def test_without_a_judge_everything_is_kept() -> None:
    """Section 8.3."""
    notes = [DAILY, WEEKLY]
    assert kept_notes(notes, note_pairs(notes), None) == ("a", "b")


def test_a_pair_the_judge_left_out_is_kept() -> None:
    notes = [DAILY, WEEKLY]
    assert kept_notes(notes, note_pairs(notes), {}) == ("a", "b")
