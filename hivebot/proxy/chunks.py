"""What does the memory keep of one interaction?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hivebot.proxy.vectors import NO_VECTORS, Vectors


class ChunkType(StrEnum):
    """What kind of interaction a chunk remembers. Source: memory.md 2."""

    GATE_OUTCOME = "gate_outcome"
    DIALOG_TURN = "dialog_turn"
    DISCOVERY_RESPONSE = "discovery_response"
    STEERING = "steering"
    REVIEW_CORRECTION = "review_correction"
    WITHDRAWAL = "withdrawal"


AGNOSTIC_TYPES = frozenset({ChunkType.STEERING, ChunkType.REVIEW_CORRECTION})
"""Kinds that pass the state and the task-type filter, never the type filter (memory.md 4.1)."""


class Outcome(StrEnum):
    """What a person decided; `NONE` where nothing was decided. Source: memory.md 2 and 9.2."""

    APPROVE = "approve"
    CORRECT = "correct"
    REJECT = "reject"
    WITHDRAW = "withdraw"
    CLARIFY = "clarify"
    PROMOTE = "promote"
    DISMISS = "dismiss"
    DISCUSS = "discuss"
    CORRECTION = "correction"
    NONE = ""


@dataclass(frozen=True, slots=True)
class HiddenTraces:
    """What is left of traces that were compacted away.

    Attributes:
        count: How many traces are no longer listed, at least 1.
        first: The interaction number of the earliest of them.

    Source: memory.md 10.2.
    """

    count: int
    first: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """One remembered interaction.

    Attributes:
        id: Unique within the memory.
        state: Kind of gate, or `DISCOVERY_<lens>`; empty for state-agnostic kinds.
        task_type: Desk or category; `from>to` for a referral; the author of a steering.
        outcome: As written in the row; free text so that older rows stay readable.
        lens: Viewpoint that raised an observation; never filtered on.
        prior_prediction: Categorical prediction without the artifact; empty if none.
        prior_confidence: 0..1.
        posterior_prediction: Categorical prediction with the artifact; empty if none.
        posterior_confidence: 0..1.
        prediction_delta: What in the artifact moved the prediction; empty without surprise.
        salient_percepts: Two to five phrases; empty without surprise.
        human_response: What the person said; empty if nobody answered.
        delta: How the prediction missed; filled for corrections.
        content: The interaction's text.
        traces: Interaction numbers, unordered, duplicates counted.
        hidden: What compaction left of older traces, or None while `traces` is complete.
        vectors: One vector per embedded percept.
        embedding_model: Provider and model of the vectors; empty compares with any.
        deleted_at: Interaction number of the soft delete, or None while live.
        sequence: Insertion order, assigned at creation.

    Source: memory.md 2.
    """

    id: str
    type: str = ChunkType.GATE_OUTCOME
    state: str = ""
    task_type: str = ""
    outcome: str = Outcome.NONE
    lens: str = ""
    prior_prediction: str = ""
    prior_confidence: float = 0.0
    posterior_prediction: str = ""
    posterior_confidence: float = 0.0
    prediction_delta: str = ""
    salient_percepts: tuple[str, ...] = ()
    human_response: str = ""
    delta: str = ""
    content: str = ""
    traces: tuple[int, ...] = ()
    hidden: HiddenTraces | None = None
    vectors: Vectors = NO_VECTORS
    embedding_model: str = ""
    deleted_at: int | None = None
    sequence: int = 0

    @property
    def live(self) -> bool:
        """Say whether the chunk is visible (not softly deleted)."""
        return self.deleted_at is None

    @property
    def newest(self) -> int | None:
        """Give the largest trace, wherever it stands in the list; None without traces.

        Source: memory.md 8.2 and 13 (rule 10).
        """
        return max(self.traces, default=None)

    @property
    def context(self) -> tuple[str, str]:
        """Give the pair that memory depth, accuracy and conflicts are counted by."""
        return self.state, self.task_type
