"""Do two measures put the same people first, and how sure is that after so many rooms?

Pure. Source: product.md 5, bench.md 10 (the same measure in simulated rooms).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import sqrt
from statistics import fmean, stdev
from typing import Final

MEANS_MAX: Final = 50
"""Values a mean may be of: as many as there are quantiles here."""

_T_975: Final = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
    *(2.040, 2.037, 2.035, 2.032, 2.030, 2.028, 2.026, 2.024, 2.023, 2.021),
    *(2.020, 2.018, 2.017, 2.015, 2.014, 2.013, 2.012, 2.011, 2.010),
)
"""Student's t below which 97.5 % lie, by degrees of freedom from 1 on."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean of correlations with its 95 % interval.

    Attributes:
        value, low, high: -1..1.
        n: Values it is the mean of, 1..`MEANS_MAX`; one value tells nothing: -1..1.
    """

    value: float
    low: float
    high: float
    n: int


def spearman(left: Sequence[float], right: Sequence[float]) -> float:
    """Give Spearman's rank correlation, -1..1; ties get their average rank.

    0 when either never varies: what never varies agrees with nothing.

    Both have one length.

    Source: C. Spearman (1904); bench.md 10.
    """
    x, y = _centred_ranks(left), _centred_ranks(right)
    spread = sum(a * a for a in x) * sum(b * b for b in y)
    if not spread:
        return 0.0
    together = sum(a * b for a, b in zip(x, y, strict=True))
    return max(-1.0, min(together / sqrt(spread), 1.0))


def mean_of(values: Sequence[float]) -> Mean | None:
    """Give the mean of correlations, each of one room, with Student's interval; None of nothing.

    Args:
        values: -1..1 each, at most `MEANS_MAX`.
    """
    if not values:
        return None
    n, value = len(values), fmean(values)
    if n == 1:
        return Mean(value, -1.0, 1.0, n)
    reach = _T_975[n - 2] * stdev(values) / sqrt(n)
    return Mean(value, max(-1.0, value - reach), min(value + reach, 1.0), n)


def _centred_ranks(values: Sequence[float]) -> list[float]:
    middle = (len(values) + 1) / 2
    ranks = [0.0] * len(values)
    first = 1
    for _, group in groupby(sorted(range(len(values)), key=values.__getitem__), values.__getitem__):
        places = list(group)
        for place in places:
            ranks[place] = first + (len(places) - 1) / 2 - middle
        first += len(places)
    return ranks
