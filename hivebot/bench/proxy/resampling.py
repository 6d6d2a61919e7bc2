"""How sure is a figure? Intervals by decider and gate, and corrected comparisons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hivebot.bench.chance import Stream, mix

RESAMPLES: Final = 2_000
_TAIL: Final = 0.025
_Z: Final = 1.959963984540054
_DECIDERS, _GATES = 0xDEC1DE, 0x6A7E


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure with its 95% interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What one person's gates were, and which of them two predictors got right.

    Attributes:
        truth: Number of the outcome of each gate.
        left: Share right of the first predictor at each gate, 0..1.
        right: The same of the second; zeros where there is only one.
    """

    truth: NDArray[np.int64]
    left: NDArray[np.float64]
    right: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better the first of two predictors is.

    Attributes:
        interval: Difference of balanced accuracy with its interval.
        p: Two-sided, from the share of resamples on either side of 0.
    """

    interval: Interval
    p: float


def balanced_accuracy(people: Sequence[Answers], classes: int) -> float:
    """Give the mean share right over the outcomes that occur, all people pooled; 0 of none.

    Source: proxy-experiment.md (metrics, first).
    """
    totals, hits = _counts(people, classes, [each.left for each in people])
    return float(_balanced(totals[None], hits[None])[0])


def interval(people: Sequence[Answers], classes: int, seed: int) -> Interval:
    """Give the balanced accuracy of the first predictor with its bootstrap interval.

    Source: proxy-experiment.md (intervals: by decider, then gate).
    """
    totals, left, _ = _resampled(people, classes, seed)
    return _percentiles(balanced_accuracy(people, classes), _balanced(totals, left))


def difference(people: Sequence[Answers], classes: int, seed: int) -> Difference:
    """Compare two predictors on the same gates, resampled together.

    Source: proxy-experiment.md (comparisons paired).
    """
    totals, hits = _counts(people, classes, [each.right for each in people])
    other = float(_balanced(totals[None], hits[None])[0])
    drawn, left, right = _resampled(people, classes, seed)
    gaps = _balanced(drawn, left) - _balanced(drawn, right)
    below, above = int(np.count_nonzero(gaps <= 0)), int(np.count_nonzero(gaps >= 0))
    p = min(1.0, 2 * (min(below, above) + 1) / (RESAMPLES + 1))
    return Difference(_percentiles(balanced_accuracy(people, classes) - other, gaps), p)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Correct p-values for having looked several times, in the order given.

    Source: Holm 1979; proxy-experiment.md (Holm over the four stated ones).
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = highest
    return tuple(corrected)


def wilson_upper(hits: float, total: float) -> float:
    """Give the upper end of Wilson's 95% interval of a share; 1 of nothing.

    Both may be means over several runs of the same gates.
    """
    if not total:
        return 1.0
    share, z2 = hits / total, _Z**2
    centre = share + z2 / (2 * total)
    spread = _Z * math.sqrt(share * (1 - share) / total + z2 / (4 * total**2))
    return (centre + spread) / (1 + z2 / total)


def _counts(
    people: Sequence[Answers], classes: int, rights: Sequence[NDArray[np.float64]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    totals, hits = np.zeros(classes), np.zeros(classes)
    for each, right in zip(people, rights, strict=True):
        totals += np.bincount(each.truth, minlength=classes)
        hits += np.bincount(each.truth, weights=right, minlength=classes)
    return totals, hits


def _resampled(
    people: Sequence[Answers], classes: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Draw people with replacement, then as many gates of each as that person has."""
    shape = (RESAMPLES, classes)
    totals, left, right = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    if not people:
        return totals, left, right
    who = Stream(mix(seed, _DECIDERS)).many_below(len(people), RESAMPLES * len(people))
    slots = who.reshape(RESAMPLES, len(people))
    gates = Stream(mix(seed, _GATES))
    for number, each in enumerate(people):
        times = np.count_nonzero(slots == number, axis=1)
        rows = np.repeat(np.arange(RESAMPLES), times)
        size = each.truth.size
        drawn = gates.many_below(size, rows.size * size) if size else np.zeros(0, np.int64)
        cells = np.repeat(rows, size) * classes + each.truth[drawn]
        totals += _tallied(cells, np.ones(drawn.size), classes)
        left += _tallied(cells, each.left[drawn], classes)
        right += _tallied(cells, each.right[drawn], classes)
    return totals, left, right


def _tallied(
    cells: NDArray[np.int64], weights: NDArray[np.float64], classes: int
) -> NDArray[np.float64]:
    tally = np.bincount(cells, weights=weights, minlength=RESAMPLES * classes)
    return tally.reshape(RESAMPLES, classes).astype(np.float64)


def _balanced(totals: NDArray[np.float64], hits: NDArray[np.float64]) -> NDArray[np.float64]:
    occurs = totals > 0
    recall = np.divide(hits, totals, out=np.zeros_like(totals), where=occurs)
    return recall.sum(axis=1) / np.maximum(np.count_nonzero(occurs, axis=1), 1)


def _percentiles(value: float, resamples: NDArray[np.float64]) -> Interval:
    ordered = np.sort(resamples)
    cut = int(_TAIL * RESAMPLES)
    return Interval(value, float(ordered[cut]), float(ordered[RESAMPLES - 1 - cut]))
