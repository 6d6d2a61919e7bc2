"""May the proxy act on its prediction, or is a person asked?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum

from hivebot.proxy.accuracy import AccuracyRecord
from hivebot.proxy.chunks import Chunk, ChunkType, Outcome

_DECIMALS = 9


class Guard(StrEnum):
    """Which guard capped the confidence. Source: memory.md 6.1."""

    NONE = "none"
    COLD_START = "cold_start"
    GENUINE_TENSION = "genuine_tension"
    STALENESS = "staleness"
    EXPLORATION = "exploration"
    ACCURACY = "accuracy"


class GateMode(StrEnum):
    """When the human is asked. Source: memory.md 6.2."""

    ALWAYS = "always"
    WHEN_UNSURE = "when_unsure"
    NEVER = "never"


class Action(StrEnum):
    """What happens at the gate. Source: memory.md 6.2."""

    ACT = "act"
    ASK_HUMAN = "ask_human"


@dataclass(frozen=True, slots=True)
class CalibrationPolicy:
    """The bounds of the guards.

    Attributes:
        cap: Confidence left when a guard fires; below the act threshold.
        memory_depth_threshold: Contexts the memory must know; 0 switches the guard off.
        staleness_days: Calendar days (UTC) without an outcome that still pass.
        exploration_rate: Share of gates asked anyway; a roll of exactly this passes.
        accuracy_min: Predictions needed before accuracy is judged.
        accuracy_threshold: Accuracy that still passes.
        act_threshold: Confidence that suffices to act.

    Source: memory.md 1.1.
    """

    cap: float = 0.5
    memory_depth_threshold: int = 3
    staleness_days: int = 7
    exploration_rate: float = 0.15
    accuracy_min: int = 10
    accuracy_threshold: float = 0.85
    act_threshold: float = 0.8


@dataclass(frozen=True, slots=True)
class CalibrationInput:
    """What the guards look at.

    Attributes:
        confidence: What the model said, 0..1.
        memory_depth: Distinct contexts of the memory.
        genuine_tension: Any conflict among the retrieved chunks is a genuine tension.
        accuracy: Counts of this context, or None.
        today: Calendar day in UTC.
        roll: Uniform in [0, 1), drawn once per gate and stored with it.

    Source: memory.md 6.1.
    """

    confidence: float
    memory_depth: int
    genuine_tension: bool
    accuracy: AccuracyRecord | None
    today: date
    roll: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """The confidence that counts, and the guard that capped it (recorded with the gate)."""

    confidence: float
    guard: Guard


DEFAULT = CalibrationPolicy()


def calibrate(asked: CalibrationInput, policy: CalibrationPolicy = DEFAULT) -> Calibration:
    """Cap the confidence by the first guard that fires; a guard never raises it.

    1. cold start: too few contexts; 2. genuine tension; 3. staleness; 4. exploration; 5. accuracy.
    Guards 3 and 5 need an accuracy record with a date.

    Source: memory.md 6.1.
    """
    guard = _first_guard(asked, policy)
    if guard is Guard.NONE:
        return Calibration(asked.confidence, guard)
    return Calibration(min(asked.confidence, policy.cap), guard)


def decide(
    mode: GateMode, confidence: float, text: str, *, from_model: bool, threshold: float = 0.8
) -> Action:
    """Choose between acting with the proxy's text and asking a person.

    `always` asks; `when_unsure` acts on a non-empty text of the model at or above the threshold;
    `never` acts on any non-empty text. An empty text always asks.

    Source: memory.md 6.2 and 0 (row 12).
    """
    if mode is GateMode.ALWAYS or not text.strip():
        return Action.ASK_HUMAN
    if mode is GateMode.NEVER:
        return Action.ACT
    sure = round(confidence, _DECIMALS) >= threshold
    return Action.ACT if from_model and sure else Action.ASK_HUMAN


def grounded(cited: Iterable[Chunk], state: str, task_type: str) -> bool:
    """Say whether an answer rests on a live gate outcome of the same state and task type.

    Without one the proxy does not act alone, whatever its confidence.

    Args:
        cited: Chunks that were shown, survived the threshold and were named as used.
        state: Kind of the gate.
        task_type: Desk or category of the gate.

    Source: product.md 7 (reason `no_memory`).
    """
    return any(
        each.live and each.type == ChunkType.GATE_OUTCOME and each.context == (state, task_type)
        for each in cited
    )


def ema(value: float, outcome: str, alpha: float = 0.3, regret_weight: float = 3.0) -> float:
    """Move the running measure of the agents' work; it MUST NOT influence the confidence.

    An approval is one step up, a correction, rejection or withdrawal `regret_weight` steps down,
    anything else leaves it. It starts at 0.5.

    Source: memory.md 6.3.
    """
    if outcome == Outcome.APPROVE:
        return alpha + (1 - alpha) * value
    if outcome in {Outcome.CORRECT, Outcome.REJECT, Outcome.WITHDRAW}:
        return (1 - alpha) ** regret_weight * value
    return value


def laplace_ema(approvals: int, total: int, value: float) -> float:
    """Give the older gate's confidence, `min((approvals + 1) / (total + 2), ema)`; ablation only.

    Source: memory.md 6.3.
    """
    return min((approvals + 1) / (total + 2), value)


def days_since(moment: datetime, today: date) -> int:
    """Count calendar days in UTC; negative for a moment in the future. No zone means UTC.

    Source: memory.md 6.1 and 0 (row 9: timestamps, not bare dates).
    """
    zoned = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return (today - zoned.date()).days


def _first_guard(asked: CalibrationInput, policy: CalibrationPolicy) -> Guard:
    if asked.memory_depth < policy.memory_depth_threshold:
        return Guard.COLD_START
    if asked.genuine_tension:
        return Guard.GENUINE_TENSION
    if _stale(asked, policy):
        return Guard.STALENESS
    if asked.roll < policy.exploration_rate:
        return Guard.EXPLORATION
    if _inaccurate(asked.accuracy, policy):
        return Guard.ACCURACY
    return Guard.NONE


def _stale(asked: CalibrationInput, policy: CalibrationPolicy) -> bool:
    record = asked.accuracy
    if record is None or record.last_updated is None:
        return False
    return days_since(record.last_updated, asked.today) > policy.staleness_days


def _inaccurate(record: AccuracyRecord | None, policy: CalibrationPolicy) -> bool:
    if record is None or record.last_updated is None:
        return False
    if record.posterior_total < max(policy.accuracy_min, 1):
        return False
    share = record.posterior_correct / record.posterior_total
    return round(share, _DECIMALS) < policy.accuracy_threshold
