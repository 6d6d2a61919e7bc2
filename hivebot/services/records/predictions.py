"""What is a proxy asked at a gate, and what is kept of what it said?

Source: memory.md 5 and 6.
"""

from __future__ import annotations

from dataclasses import dataclass

from hivebot.proxy.calibration import Guard
from hivebot.proxy.prediction import Part, PassReply
from hivebot.proxy.vote import Ballot
from hivebot.services.records.asking import Spent
from hivebot.services.records.policy import AgentConfig


@dataclass(frozen=True, slots=True)
class PredictionRequest:
    """One pass.

    Attributes:
        agent: Whose model predicts; None for the memories' own vote, or a rule-based one.
        state: Kind of gate.
        parts: The prompt; texts in it are data.
        ballots: What was remembered, in rank order, for the vote.
        handles: (handle, id) of each memory that the prompt shows.
    """

    agent: AgentConfig | None
    state: str
    parts: tuple[tuple[Part, str], ...]
    ballots: tuple[Ballot, ...]
    handles: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Predicted:
    """What one pass said; None for a model that failed."""

    reply: PassReply | None
    spent: Spent


@dataclass(frozen=True, slots=True)
class GatePrediction:
    """What a proxy would have decided at a gate, in numbers and names; no sentence of a model.

    Attributes:
        prior, posterior: Categorical, without the artifact and with it; "" for none.
        prior_confidence, posterior_confidence: 0..1.
        used: Ids of the memories it rested on: those are reinforced by the outcome.
        confidence: After the guard, 0..1.
        guard: Which guard capped it.
        roll: Of the exploration guard, uniform in [0, 1).
        grounded: It rests on an outcome of this very context.
        clock: Where the memory's clock stood.
        candidates, survivors: Memories of this kind, and those above the threshold.
        delta: What in the artifact moved it; "" without surprise.
        percepts: Up to five phrases of the same.
    """

    prior: str
    prior_confidence: float
    posterior: str
    posterior_confidence: float
    used: tuple[str, ...]
    confidence: float
    guard: Guard
    roll: float
    grounded: bool
    clock: int
    candidates: int
    survivors: int
    delta: str = ""
    percepts: tuple[str, ...] = ()

    @property
    def decision(self) -> str:
        """What it comes to: the second pass, else the first."""
        return self.posterior or self.prior
