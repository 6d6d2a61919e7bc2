"""Which policy of hive+ does best?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from hivebot.bench.arms import RoomRun
from hivebot.bench.policies import TURNS_PER_MEMBER, Overrides
from hivebot.bench.tally import Results, Tally

SWEPT: Final = "hive+"
"""The arm that is swept."""


@dataclass(frozen=True, slots=True)
class Point:
    """One policy and what it came to."""

    policy: Overrides
    tally: Tally


def policies(members: int) -> tuple[Overrides, ...]:
    """Give every policy of the grid, in its order; 864 for five members.

    Source: bench.md section 11.
    """
    budgets = [max(6, turns * members) for turns in range(2, TURNS_PER_MEMBER + 2)]
    thresholds = sorted({2, members // 2 + 1, members})
    grid = product(
        budgets, thresholds, (True, False), (2, 3), (40, 60), (30, 100), (None, 2, 3), (False, True)
    )
    return tuple(
        Overrides(
            budget=budget,
            quorum=threshold,
            blind=blind,
            repetition=repetition,
            dominance=dominance,
            window=window,
            refutation_cap=cap,
            evidential=evidential,
        )
        for budget, threshold, blind, repetition, dominance, window, cap, evidential in grid
    )


def runs_of(base: RoomRun) -> tuple[RoomRun, ...]:
    """Give one run of the swept arm for each policy, over the same rooms."""
    return tuple(
        replace(base, arms=(SWEPT,), overrides=policy) for policy in policies(base.layout.members)
    )


def ranked(base: RoomRun, played: Sequence[Results]) -> tuple[Point, ...]:
    """Rank the policies: by accuracy, then by convergence, then by fewer turns; ties in order.

    Source: bench.md section 11.
    """
    points = [
        Point(policy, results[SWEPT].tally)
        for policy, results in zip(policies(base.layout.members), played, strict=True)
    ]
    return tuple(sorted(points, key=_rank, reverse=True))


def describe(policy: Overrides) -> str:
    """Write a policy of the grid on one line."""
    return (
        f"budget {policy.budget}, quorum {policy.quorum}, "
        f"{'blind' if policy.blind else 'open'}, repetition {policy.repetition}, "
        f"dominance {policy.dominance}, window {policy.window}, "
        f"refutation cap {policy.refutation_cap or 'none'}, "
        f"evidential {'yes' if policy.evidential else 'no'}"
    )


def _rank(point: Point) -> tuple[int, int, int]:
    tally = point.tally
    episodes = tally.episodes
    return (
        tally.correct * 10000 // episodes,
        tally.converged * 10000 // episodes,
        -(tally.turns * 100 // episodes),
    )
