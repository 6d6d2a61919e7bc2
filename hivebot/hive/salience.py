"""How strongly does a trace pull on a member?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hivebot.hive.errors import ZeroHalfLifeError
from hivebot.hive.scalars import distance, truncating_div
from hivebot.hive.trace import Trace, decay

NEUTRAL_RELEVANCE: Final = 50
"""Relevance, 0..100, of a topic nobody declared an affinity for."""


@dataclass(frozen=True, slots=True)
class SalienceWeights:
    """What makes a trace salient, and how fast it fades.

    Attributes:
        recency: Tenths, u16.
        importance: Tenths, u16.
        relevance: Tenths, u16.
        half_life: Sequences, u32; 0 is refused when a trace is weighed.

    Source: hive.md sections 12 and 20.
    """

    recency: int = 5
    importance: int = 30
    relevance: int = 20
    half_life: int = 20


def base(trace: Trace, at: int, weights: SalienceWeights) -> int:
    """Give the part of the score that is the same for everybody, in ten-thousandths.

    Recency decays, importance does not.

    Raises:
        ZeroHalfLifeError: The weights have no half-life.

    Source: hive.md section 12.
    """
    if weights.half_life == 0:
        raise ZeroHalfLifeError
    freshness = decay(distance(at, trace.sequence), weights.half_life)
    return weights.recency * freshness + weights.importance * trace.kind.importance


def score(base: int, weights: SalienceWeights, relevance: int) -> int:
    """Add one member's relevance, 0..100 (more counts as 100), to a base; in thousandths.

    Source: hive.md section 12.
    """
    return truncating_div(base + weights.relevance * (min(relevance, 100) * 10), 10)


def salience(trace: Trace, at: int, weights: SalienceWeights, relevance: int) -> int:
    """Score one trace for one member, in thousandths.

    Raises:
        ZeroHalfLifeError: The weights have no half-life.

    Source: hive.md section 12.
    """
    return score(base(trace, at, weights), weights, relevance)
