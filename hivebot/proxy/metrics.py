"""How good has the proxy been, counted from its settled gates and its chunks?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hivebot.proxy.calibration import Guard
from hivebot.proxy.chunks import Chunk
from hivebot.proxy.prediction import SURPRISE_THRESHOLD, surprise


@dataclass(frozen=True, slots=True)
class Ratio:
    """Some of many.

    Attributes:
        hits: How many.
        total: Of how many.
    """

    hits: int
    total: int

    @property
    def share(self) -> float | None:
        """Give the share, or None of nothing."""
        return self.hits / self.total if self.total else None


def ratio(flags: Iterable[bool]) -> Ratio:
    """Count how many of some flags are set."""
    counted = Counter(flags)
    return Ratio(counted[True], counted.total())


@dataclass(frozen=True, slots=True)
class GateRecord:
    """What is kept of one settled gate for counting.

    Attributes:
        outcome: What was decided in the end.
        by_human: A person decided or overruled.
        prior_prediction: First pass; empty if none.
        posterior_prediction: Second pass; empty if none.
        surprised: The artifact moved the confidence.
        guard: Guard that capped the confidence.
        acted: The proxy acted alone.
        overruled: A person reversed what it did.
        candidates: Memories that passed the structural filter.
        survivors: Memories above the threshold.
    """

    outcome: str
    by_human: bool
    prior_prediction: str
    posterior_prediction: str
    surprised: bool
    guard: Guard
    acted: bool
    overruled: bool
    candidates: int
    survivors: int


@dataclass(frozen=True, slots=True)
class Metrics:
    """Counts over settled gates.

    Attributes:
        action_match: Second pass named the outcome, of gates a person answered.
        prior_accuracy: First pass named the outcome, of those that named one.
        posterior_accuracy: Second pass named the outcome, of those that named one.
        escalated: Gates on which a person was asked, of all.
        escalated_by: The same by guard; `none` is the model's own doubt.
        false_approvals: Acts that were overruled, of all acts.
        surprises: Gates on which the artifact moved the confidence, of all.
        survivors: Memories above the threshold, of all candidates.

    Source: memory.md 11 (hivebot MUST implement).
    """

    action_match: Ratio
    prior_accuracy: Ratio
    posterior_accuracy: Ratio
    escalated: Ratio
    escalated_by: Mapping[Guard, Ratio]
    false_approvals: Ratio
    surprises: Ratio
    survivors: Ratio


@dataclass(frozen=True, slots=True)
class TraceDistribution:
    """How many traces live chunks have.

    Attributes:
        single: Chunks with exactly one, of all with any.
        multiple: Chunks with more, of the same.
        mean: Traces per such chunk, 0 of none.
        most: Most traces of one chunk.

    Source: memory.md 11.
    """

    single: Ratio
    multiple: Ratio
    mean: float
    most: int


def metrics(gates: Sequence[GateRecord]) -> Metrics:
    """Count what the proxy did right and wrong. Source: memory.md 11."""
    answered = [gate for gate in gates if gate.by_human]
    asked = Counter(gate.guard for gate in gates if not gate.acted)
    return Metrics(
        action_match=ratio(gate.posterior_prediction == gate.outcome for gate in answered),
        prior_accuracy=ratio(
            gate.prior_prediction == gate.outcome for gate in answered if gate.prior_prediction
        ),
        posterior_accuracy=ratio(
            gate.posterior_prediction == gate.outcome
            for gate in answered
            if gate.posterior_prediction
        ),
        escalated=Ratio(asked.total(), len(gates)),
        escalated_by={guard: Ratio(asked[guard], len(gates)) for guard in Guard},
        false_approvals=ratio(gate.overruled for gate in gates if gate.acted),
        surprises=ratio(gate.surprised for gate in gates),
        survivors=Ratio(
            sum(gate.survivors for gate in gates), sum(gate.candidates for gate in gates)
        ),
    )


def surprise_calibration(chunks: Iterable[Chunk]) -> Ratio:
    """Count how many surprising chunks a person answered.

    Surprising: of those with a confidence above 0, a shift above 0.3, a delta text or percepts.

    Source: memory.md 11.
    """
    return ratio(bool(chunk.human_response) for chunk in chunks if _surprising(chunk))


def trace_distribution(chunks: Iterable[Chunk]) -> TraceDistribution:
    """Count traces per live chunk; hidden ones count. Source: memory.md 11."""
    counts = [_traces(chunk) for chunk in chunks if chunk.live and chunk.traces]
    return TraceDistribution(
        single=ratio(count == 1 for count in counts),
        multiple=ratio(count > 1 for count in counts),
        mean=sum(counts) / len(counts) if counts else 0.0,
        most=max(counts, default=0),
    )


def _surprising(chunk: Chunk) -> bool:
    if max(chunk.prior_confidence, chunk.posterior_confidence) <= 0:
        return False
    moved = surprise(
        chunk.prior_confidence, chunk.posterior_confidence, threshold=SURPRISE_THRESHOLD
    )
    return moved.surprised or bool(chunk.prediction_delta or chunk.salient_percepts)


def _traces(chunk: Chunk) -> int:
    return len(chunk.traces) + (chunk.hidden.count if chunk.hidden else 0)
