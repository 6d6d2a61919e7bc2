"""Accuracy per context (memory.md 5.5)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hivebot.proxy.accuracy import AccuracyRecord, Judged, accuracy_line, count

AT = datetime(2026, 3, 26, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("judged", "counts"),
    [
        (Judged("approve", "approve", "approve"), (1, 1, 1, 1)),
        (Judged("approve", "correct", "approve"), (0, 1, 1, 1)),
        (Judged("approve", "", "correct"), (0, 0, 0, 1)),
        (Judged("approve", "approve", ""), (1, 1, 0, 0)),
        (Judged("approve", "Approve", "approve "), (0, 1, 0, 1)),
    ],
)
def test_each_pass_is_counted_if_it_predicted_and_right_if_it_matched_exactly(
    judged: Judged, counts: tuple[int, int, int, int]
) -> None:
    """Section 5.5."""
    assert count(None, judged, AT) == AccuracyRecord(*counts, last_updated=AT)


def test_counts_add_up_and_the_date_moves() -> None:
    """Section 5.5: `last_updated` is set whenever the row is touched."""
    before = AccuracyRecord(1, 2, 3, 4, datetime(2026, 1, 1, tzinfo=UTC))
    assert count(before, Judged("reject", "reject", "reject"), AT) == AccuracyRecord(2, 3, 4, 5, AT)


@pytest.mark.parametrize("before", [None, AccuracyRecord(1, 1, 1, 1, AT)])
@pytest.mark.parametrize(
    "judged",
    [
        Judged("approve", "", ""),
        Judged("approve", "approve", "approve", by_human=False),
        Judged("approve", "approve", "approve", new=False),
    ],
    ids=["both empty", "not a person's", "a reinforcement"],
)
def test_what_does_not_count_touches_nothing(before: AccuracyRecord | None, judged: Judged) -> None:
    """Section 5.5: hivebot MUST count only outcomes that came from a human."""
    assert count(before, judged, datetime(2027, 1, 1, tzinfo=UTC)) is before


def test_the_accuracy_line_says_both_passes() -> None:
    """Section 5.1."""
    assert accuracy_line(AccuracyRecord(2, 5, 4, 5)) == (
        "Your predictions here so far: 4 of 5 right with the artifact, 2 of 5 without it."
    )
    assert accuracy_line(None) == ""
