"""Guards, decision and the monitoring average (memory.md 6)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.proxy.accuracy import AccuracyRecord
from hivebot.proxy.calibration import (
    Action,
    Calibration,
    CalibrationInput,
    CalibrationPolicy,
    GateMode,
    Guard,
    calibrate,
    days_since,
    decide,
    ema,
    grounded,
    laplace_ema,
)
from hivebot.proxy.chunks import Chunk

TODAY = date(2026, 3, 26)
GOOD = AccuracyRecord(0, 0, 19, 20, datetime(2026, 3, 25, 23, 30, tzinfo=UTC))
CLEAR = CalibrationInput(0.95, 5, genuine_tension=False, accuracy=GOOD, today=TODAY, roll=0.99)


def passed(asked: CalibrationInput, policy: CalibrationPolicy | None = None) -> None:
    result = calibrate(asked, policy or CalibrationPolicy())
    assert result == Calibration(asked.confidence, Guard.NONE)


def capped(asked: CalibrationInput, guard: Guard) -> None:
    assert calibrate(asked) == Calibration(0.5, guard)


def test_nothing_fires_on_a_clear_gate() -> None:
    """Section 6.1."""
    passed(CLEAR)


@pytest.mark.parametrize(
    ("change", "guard"),
    [
        ({"memory_depth": 2}, Guard.COLD_START),
        ({"genuine_tension": True}, Guard.GENUINE_TENSION),
        (
            {"accuracy": replace(GOOD, last_updated=datetime(2026, 3, 18, tzinfo=UTC))},
            Guard.STALENESS,
        ),
        ({"roll": 0.1499}, Guard.EXPLORATION),
        ({"accuracy": replace(GOOD, posterior_correct=16)}, Guard.ACCURACY),
    ],
)
def test_each_guard_fires_alone(change: dict[str, object], guard: Guard) -> None:
    """Section 6.1: hivebot MUST record which guard fired."""
    capped(replace(CLEAR, **change), guard)  # pyright: ignore[reportArgumentType]


def test_the_first_guard_that_fires_is_the_one_reported() -> None:
    """Section 6.1 and 13.8: in order."""
    bad = replace(GOOD, posterior_correct=1, last_updated=datetime(2026, 1, 1, tzinfo=UTC))
    asked = CalibrationInput(0.95, 0, genuine_tension=True, accuracy=bad, today=TODAY, roll=0.0)
    order: list[Guard] = []
    for mend in (
        {},
        {"memory_depth": 3},
        {"genuine_tension": False},
        {"accuracy": replace(bad, last_updated=GOOD.last_updated)},
        {"roll": 0.5},
        {"accuracy": GOOD},
    ):
        asked = replace(asked, **mend)  # pyright: ignore[reportArgumentType]
        order.append(calibrate(asked).guard)
    assert order == [
        Guard.COLD_START,
        Guard.GENUINE_TENSION,
        Guard.STALENESS,
        Guard.EXPLORATION,
        Guard.ACCURACY,
        Guard.NONE,
    ]


def test_the_bounds_that_still_pass() -> None:
    """Section 1.1 and 13.9: depth 3, 7 days, roll 0.15, 0.85 itself, nine predictions."""
    passed(replace(CLEAR, memory_depth=3))
    passed(replace(CLEAR, accuracy=replace(GOOD, last_updated=datetime(2026, 3, 19, tzinfo=UTC))))
    passed(replace(CLEAR, roll=0.15))
    passed(replace(CLEAR, accuracy=replace(GOOD, posterior_correct=17)))
    passed(replace(CLEAR, accuracy=replace(GOOD, posterior_correct=0, posterior_total=9)))


def test_a_depth_threshold_of_zero_switches_the_guard_off() -> None:
    """Section 1.1."""
    passed(replace(CLEAR, memory_depth=0), CalibrationPolicy(memory_depth_threshold=0))


@pytest.mark.parametrize(
    "accuracy", [None, AccuracyRecord(0, 0, 0, 50, last_updated=None)], ids=["none", "undated"]
)
def test_without_a_dated_record_staleness_and_accuracy_are_skipped(
    accuracy: AccuracyRecord | None,
) -> None:
    """Section 6.1."""
    passed(replace(CLEAR, accuracy=accuracy))


def test_a_date_in_the_future_passes() -> None:
    """Section 6.1."""
    passed(replace(CLEAR, accuracy=replace(GOOD, last_updated=datetime(2027, 1, 1, tzinfo=UTC))))


def test_staleness_needs_no_minimum_count() -> None:
    """Section 6.1."""
    old = AccuracyRecord(0, 1, 0, 0, datetime(2026, 1, 1, tzinfo=UTC))
    capped(replace(CLEAR, accuracy=old), Guard.STALENESS)


def test_no_predictions_are_never_inaccurate_whatever_the_minimum() -> None:
    record = replace(GOOD, posterior_correct=0, posterior_total=0)
    passed(replace(CLEAR, accuracy=record), CalibrationPolicy(accuracy_min=0))


@pytest.mark.parametrize(
    ("moment", "days"),
    [
        (datetime(2026, 3, 18, 0, 30, tzinfo=timezone(timedelta(hours=2))), 9),
        (datetime(2026, 3, 18, 23, 59, 59, tzinfo=UTC), 8),
        (datetime(2026, 3, 18, 23, 59, 59), 8),  # noqa: DTZ001  no zone means UTC
        (datetime(2026, 3, 27, tzinfo=UTC), -1),
    ],
)
def test_staleness_counts_calendar_days_in_utc_from_timestamps(moment: datetime, days: int) -> None:
    """Section 0 row 9: must work with timestamps."""
    assert days_since(moment, TODAY) == days


@given(st.floats(0, 1), st.integers(0, 6), st.booleans(), st.floats(0, 0.999))
def test_a_guard_never_raises_confidence_and_never_lets_the_proxy_act(
    confidence: float,
    depth: int,
    tension: bool,  # noqa: FBT001  drawn by name
    roll: float,
) -> None:
    """Section 6.1: each guard means "ask"."""
    asked = CalibrationInput(confidence, depth, tension, None, TODAY, roll)
    result = calibrate(asked)
    assert result.confidence <= confidence
    if result.guard is not Guard.NONE:
        action = decide(GateMode.WHEN_UNSURE, result.confidence, "ok", from_model=True)
        assert action is Action.ASK_HUMAN


@pytest.mark.parametrize(
    ("mode", "confidence", "text", "from_model", "action"),
    [
        (GateMode.ALWAYS, 1.0, "ok", True, Action.ASK_HUMAN),
        (GateMode.WHEN_UNSURE, 0.8, "ok", True, Action.ACT),
        (GateMode.WHEN_UNSURE, 0.7999, "ok", True, Action.ASK_HUMAN),
        (GateMode.WHEN_UNSURE, 0.9, "ok", False, Action.ASK_HUMAN),
        (GateMode.WHEN_UNSURE, 0.9, "  \n", True, Action.ASK_HUMAN),
        (GateMode.NEVER, 0.0, "ok", True, Action.ACT),
        (GateMode.NEVER, 1.0, "", True, Action.ASK_HUMAN),
    ],
)
def test_each_mode_decides_as_the_table_says(
    mode: GateMode,
    confidence: float,
    text: str,
    from_model: bool,  # noqa: FBT001  a column of the table
    action: Action,
) -> None:
    """Section 6.2 and 0 row 12."""
    assert decide(mode, confidence, text, from_model=from_model) is action


@pytest.mark.parametrize(
    ("cited", "rests"),
    [
        ((Chunk("a", state="s", task_type="t"),), True),
        ((Chunk("a", state="s", task_type="other"), Chunk("b", state="s", task_type="t")), True),
        ((Chunk("a", state="s", task_type="other"),), False),
        ((Chunk("a", type="steering", state="s", task_type="t"),), False),
        ((Chunk("a", state="s", task_type="t", deleted_at=3),), False),
        ((), False),
    ],
)
def test_acting_alone_rests_on_a_gate_of_the_same_context(
    cited: tuple[Chunk, ...],
    rests: bool,  # noqa: FBT001  a column
) -> None:
    """product.md 7: else it asks, reason `no_memory`."""
    assert grounded(cited, "s", "t") is rests


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        ("approve", 0.65),
        ("correct", 0.1715),
        ("reject", 0.1715),
        ("withdraw", 0.1715),
        ("clarify", 0.5),
        ("discuss", 0.5),
    ],
)
def test_a_wrong_step_costs_three_right_ones(outcome: str, expected: float) -> None:
    """Section 6.3."""
    assert ema(0.5, outcome) == pytest.approx(expected)


def test_the_average_cannot_reach_the_confidence() -> None:
    """Section 6.3: it MUST NOT influence the confidence: the guards have no place for it."""
    assert not any("ema" in name for name in CalibrationInput.__dataclass_fields__)


def test_the_older_gate_takes_the_smaller_of_both() -> None:
    """Section 6.3: kept for the ablation."""
    assert laplace_ema(8, 8, 0.95) == pytest.approx(0.9)
    assert laplace_ema(8, 8, 0.4) == 0.4
