"""How often were the proxy's two passes right, in each context?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class AccuracyRecord:
    """Counts of one `(state, task_type)`.

    Attributes:
        prior_correct: First passes that named the outcome.
        prior_total: First passes that named anything.
        posterior_correct: Second passes that named the outcome.
        posterior_total: Second passes that named anything.
        last_updated: When the counts were last touched; without a zone it is UTC.

    Source: memory.md 5.5.
    """

    prior_correct: int = 0
    prior_total: int = 0
    posterior_correct: int = 0
    posterior_total: int = 0
    last_updated: datetime | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """One settled gate, as far as accuracy is concerned.

    Attributes:
        outcome: What was decided.
        prior: Prediction of the first pass; empty if it made none.
        posterior: Prediction of the second pass; empty if it made none.
        by_human: The outcome came from a person, not from the proxy itself.
        new: The gate became a new chunk; a reinforcement is not counted.
    """

    outcome: str
    prior: str
    posterior: str
    by_human: bool = True
    new: bool = True


def count(
    record: AccuracyRecord | None, judged: Judged, at: datetime | None
) -> AccuracyRecord | None:
    """Add one settled gate to the counts of its context.

    Nothing is created or touched, not even the date, when no pass predicted anything, when the
    outcome is not a person's (the proxy would confirm itself), or when no new chunk was stored.

    Source: memory.md 5.5.
    """
    silent = not judged.prior and not judged.posterior
    if silent or not judged.by_human or not judged.new:
        return record
    before = record or AccuracyRecord()
    return AccuracyRecord(
        prior_correct=before.prior_correct + _right(judged.prior, judged.outcome),
        prior_total=before.prior_total + bool(judged.prior),
        posterior_correct=before.posterior_correct + _right(judged.posterior, judged.outcome),
        posterior_total=before.posterior_total + bool(judged.posterior),
        last_updated=at,
    )


def accuracy_line(record: AccuracyRecord | None) -> str:
    """Say in one line of a prompt how the proxy fared in this context; empty without a record.

    Source: memory.md 5.1.
    """
    if record is None:
        return ""
    return (
        f"Your predictions here so far: {record.posterior_correct} of {record.posterior_total} "
        f"right with the artifact, {record.prior_correct} of {record.prior_total} without it."
    )


def _right(prediction: str, outcome: str) -> int:
    return int(bool(prediction) and prediction == outcome)
