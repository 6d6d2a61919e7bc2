"""How sure is a figure, and do two rankings agree?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isqrt, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hivebot.bench.chance import Stream

Z: Final = 1.96
RESAMPLES: Final = 2000

_LOW_PER_MILLE: Final = 25
_HIGH_PER_MILLE: Final = 975


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95% interval, in per cent."""

    low: float
    high: float


def percent(count: int, total: int) -> float:
    """Give a share in per cent; 0 of nothing is 0.

    The order of the two operations decides the last printed digit of some published figures.

    Source: bench.md section 1.
    """
    return (count / total) * 100.0 if total else 0.0


def wilson(count: int, total: int) -> Interval:
    """Give the Wilson score interval of a share, clamped to 0..100; all of it for nothing.

    Source: bench.md section 10.
    """
    if total == 0:
        return Interval(0.0, 100.0)
    share = count / total
    spread = Z * Z / total
    centre = (share + spread / 2) / (1 + spread)
    half = Z * sqrt(share * (1 - share) / total + spread / (4 * total)) / (1 + spread)
    low = 0.0 if count == 0 else max(0.0, centre - half)
    high = 1.0 if count == total else min(1.0, centre + half)
    return Interval(low * 100.0, high * 100.0)


def paired_bootstrap(ours: Sequence[bool], theirs: Sequence[bool], seed: int) -> Interval:
    """Give the interval of the difference in accuracy of two arms over the same rooms.

    Each resample draws rooms with one shared index, so that both arms meet the same ones.

    Source: bench.md section 10.
    """
    count = len(ours)
    if count == 0:
        return Interval(0.0, 0.0)
    gains: NDArray[np.int64] = np.asarray(ours, dtype=np.int64) - np.asarray(theirs, dtype=np.int64)
    stream = Stream(seed)
    sums = sorted(int(gains[stream.many_below(count, count)].sum()) for _ in range(RESAMPLES))
    return Interval(
        percent_point(sums, _LOW_PER_MILLE) / count * 100.0,
        percent_point(sums, _HIGH_PER_MILLE) / count * 100.0,
    )


def percent_point(ranked: Sequence[int], per_mille: int) -> float:
    """Interpolate between the two values around a place of a rising sequence."""
    whole, part = divmod(per_mille * (len(ranked) - 1), 1000)
    above = ranked[min(whole + 1, len(ranked) - 1)]
    return ranked[whole] + (above - ranked[whole]) * (part / 1000)


def spearman_milli(left: Sequence[int], right: Sequence[int]) -> int:
    """Give Spearman's rank correlation in thousandths, -1000..1000; 0 when either never varies.

    Ties get their average rank. Integers throughout: ranks are doubled, so that no half is lost.

    Source: bench.md section 10.
    """
    n = len(left)
    x = [rank - (n + 1) for rank in _doubled_ranks(left)]
    y = [rank - (n + 1) for rank in _doubled_ranks(right)]
    c = sum(a * b for a, b in zip(x, y, strict=True))
    v = sum(a * a for a in x) * sum(b * b for b in y)
    if v == 0:
        return 0
    magnitude = min(1000, (isqrt(4 * (1000 * abs(c)) ** 2 // v) + 1) // 2)
    return magnitude if c >= 0 else -magnitude


def _doubled_ranks(values: Sequence[int]) -> list[int]:
    """Give twice each value's rank, counted from 1; a tie group gets its first plus its last."""
    ranks = [0] * len(values)
    first = 1
    order = sorted(range(len(values)), key=values.__getitem__)
    for _, group in groupby(order, key=values.__getitem__):
        places = list(group)
        for place in places:
            ranks[place] = 2 * first + len(places) - 1
        first += len(places)
    return ranks
