"""What is measured of an arm, and how is it written?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hivebot.bench.arms import ARMS
from hivebot.bench.chance import mix
from hivebot.bench.statistics import Interval, paired_bootstrap, percent, wilson
from hivebot.bench.tally import Results, Tally

BASELINE: Final = "vote"
"""The arm every other one is compared with."""

_BOOTSTRAP: Final = 0xB00757AA


@dataclass(frozen=True, slots=True)
class Share:
    """A count and what it is a share of."""

    count: int
    total: int

    @property
    def percent(self) -> float:
        """The share in per cent."""
        return percent(self.count, self.total)

    @property
    def interval(self) -> Interval:
        """Its 95% interval, in per cent."""
        return wilson(self.count, self.total)


SHARES: Final[dict[str, Callable[[Tally], Share]]] = {
    "correct%": lambda t: Share(t.correct, t.episodes),
    "decided%": lambda t: Share(t.decided, t.episodes),
    "knows%": lambda t: Share(t.knows, t.episodes),
    "fact%": lambda t: Share(t.facts, t.with_expert),
    "route%": lambda t: Share(t.routed_right, t.with_expert),
    "expert%": lambda t: Share(t.expert_spoke, t.with_expert),
}
"""Measures that are shares."""

MEANS: Final[dict[str, Callable[[Tally], tuple[int, int]]]] = {
    "turns": lambda t: (t.turns, t.episodes),
    "defers": lambda t: (t.defers, t.episodes),
    "cost": lambda t: (t.cost, t.episodes),
    "per-kU": lambda t: (t.correct * 1000, t.cost),
    "to-fact": lambda t: (t.fact_wait, t.facts),
    "to-expert": lambda t: (t.expert_wait, t.expert_spoke),
    "rho": lambda t: (t.rho_milli, 1000 * t.episodes),
    "crossings": lambda t: (t.crossings, t.episodes),
    "stranded": lambda t: (t.stranded, t.episodes),
    "asks": lambda t: (t.asks, t.episodes),
    "digests": lambda t: (t.digests, t.episodes),
}
"""Measures that are one sum over another."""

COUNTS: Final[dict[str, Callable[[Tally], int]]] = {
    "correct": lambda t: t.correct,
    "decided": lambda t: t.decided,
    "converged": lambda t: t.converged,
    "deadlocked": lambda t: t.deadlocked,
    "exhausted": lambda t: t.exhausted,
    "idle": lambda t: t.idle,
    "deliberations": lambda t: t.deliberations,
}
"""Measures that are counts."""


def mean(tally: Tally, measure: str) -> float:
    """Give one of the means; 0 of nothing is 0."""
    total, count = MEANS[measure](tally)
    return total / count if count else 0.0


def gain(results: Results, arm: str, run_seed: int) -> tuple[float, Interval] | None:
    """Give how much more often than the vote an arm is right, in per cent, with its interval.

    None for the vote itself, and in a run without it. Where a stream of chance is given a place by
    the arm's place among all, that place is the one in the list of every run.

    Source: bench.md sections 2 and 10.
    """
    others = [one for one in ARMS if one != BASELINE]
    if arm == BASELINE or BASELINE not in results:
        return None
    ours, theirs = results[arm], results[BASELINE]
    place = others.index(arm) if arm in others else len(others)
    interval = paired_bootstrap(ours.outcomes, theirs.outcomes, mix(run_seed, _BOOTSTRAP + place))
    ours_pct, theirs_pct = (SHARES["correct%"](one.tally).percent for one in (ours, theirs))
    return ours_pct - theirs_pct, interval


def written_gain(value: float, interval: Interval) -> str:
    """Write a difference with its interval."""
    return f"{value:+.1f} [{interval.low:+.1f}, {interval.high:+.1f}]"


def written_interval(interval: Interval) -> str:
    """Write a 95% interval."""
    return f"{interval.low:.1f}-{interval.high:.1f}"
