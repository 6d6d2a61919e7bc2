"""How long did things take? Percentiles of moments that were measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Times:
    """How long things of one kind took, in milliseconds.

    Attributes:
        count: How many there were; with 0 every figure is 0.
        median, p95, p99: Nearest-rank percentiles: each is a time that was measured.
        worst: The longest.
    """

    count: int
    median: float
    p95: float
    p99: float
    worst: float

    def as_json(self) -> dict[str, float]:
        """The figures by name, in whole microseconds' precision."""
        return {
            f"{name}_ms" if name != "count" else name: round(value, 3)
            for name, value in asdict(self).items()
        }


def times_of(seconds: Sequence[float]) -> Times:
    """Sum up times given in seconds."""
    ranked = sorted(seconds)
    return Times(
        count=len(ranked),
        median=percentile(ranked, 50) * 1000,
        p95=percentile(ranked, 95) * 1000,
        p99=percentile(ranked, 99) * 1000,
        worst=(ranked[-1] if ranked else 0.0) * 1000,
    )


def percentile(ranked: Sequence[float], percent: int) -> float:
    """Give the nearest-rank percentile of a rising sequence; 0 of nothing."""
    if not ranked:
        return 0.0
    return ranked[max(0, math.ceil(percent * len(ranked) / 100) - 1)]
