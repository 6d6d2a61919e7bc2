"""What would the memories decide if each retrieved one had a vote?"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from hivebot.proxy.chunks import Outcome
from hivebot.proxy.errors import InvalidBoundError

TEMPERATURE = 0.1
DOUBT = 2

_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class Ballot:
    """One retrieved memory with a vote.

    Attributes:
        chunk_id: The memory.
        outcome: What was decided then.
        score: Its score in the retrieval, as it was compared.
    """

    chunk_id: str
    outcome: str
    score: float


@dataclass(frozen=True, slots=True)
class Vote:
    """What the memories would decide.

    Attributes:
        outcome: The winner, or "" for an abstention, which counts as asking.
        confidence: Share of the winner times `k / (k + 2)`; 0 for an abstention.
        supporters: Ids that voted for the winner, in rank order: what is reinforced.
        voters: Number of votes, k.
    """

    outcome: str
    confidence: float
    supporters: tuple[str, ...]
    voters: int


ABSTENTION = Vote(Outcome.NONE, 0.0, (), 0)


def memory_vote(
    ballots: Sequence[Ballot],
    allowed: Collection[str] | None = None,
    temperature: float = TEMPERATURE,
) -> Vote:
    """Let retrieved memories vote, each with weight `exp(score / temperature)`.

    Memories without an outcome, or with one that is not allowed, have no vote. Sums that agree to
    9 decimals of the whole are equal; then the outcome of the best-ranked memory wins. With fewer
    than eight votes the confidence stays below 0.8.

    Args:
        ballots: Retrieved memories in rank order, at most ten by default.
        allowed: The gate's vocabulary, or None for any outcome.
        temperature: Above 0.

    Raises:
        InvalidBoundError: The temperature is not above 0.

    Source: proxy-experiment.md (predictor).
    """
    if not temperature > 0:
        raise InvalidBoundError(name="temperature", rule="above 0")
    cast = [b for b in ballots if b.outcome and (allowed is None or b.outcome in allowed)]
    if not cast:
        return ABSTENTION
    highest = max(ballot.score for ballot in cast)
    weights: dict[str, list[float]] = {}
    for ballot in cast:
        weight = math.exp((ballot.score - highest) / temperature)
        weights.setdefault(ballot.outcome, []).append(weight)
    sums = {outcome: math.fsum(parts) for outcome, parts in weights.items()}
    total = math.fsum(sums.values())
    shares = {outcome: round(part / total, _DECIMALS) for outcome, part in sums.items()}
    winner = max(shares, key=shares.__getitem__)
    return Vote(
        outcome=winner,
        confidence=shares[winner] * len(cast) / (len(cast) + DOUBT),
        supporters=tuple(ballot.chunk_id for ballot in cast if ballot.outcome == winner),
        voters=len(cast),
    )
