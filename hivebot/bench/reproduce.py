"""Does every published figure come out again?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from hivebot.bench.figures import Case, Class, Figure, SweepCase
from hivebot.bench.measures import (
    BASELINE,
    COUNTS,
    MEANS,
    SHARES,
    gain,
    mean,
    written_gain,
    written_interval,
)
from hivebot.bench.runs import Advance, Run, play_all
from hivebot.bench.sweep import Point, ranked, runs_of
from hivebot.bench.tally import ArmResult, Results

_BEST: Final = "best"

BEST_POLICIES: Final = 12
"""How many of the best policies are looked at for refutation and evidential grounding."""


class Verdict(StrEnum):
    """How our figure compares with the published one."""

    EQUAL = "equal"
    DIFFERS = "DIFFERS"
    EXPLAINED = "differs, as noted"


@dataclass(frozen=True, slots=True)
class Line:
    """One published figure beside ours.

    Attributes:
        title: Of its run.
        figure: As published.
        ours: In the same form.
        interval: 95% interval of ours, where it is a share.
    """

    title: str
    figure: Figure
    ours: str
    interval: str

    @property
    def verdict(self) -> Verdict:
        """Digit for digit, or not; only a figure of class E has to be."""
        if self.ours == self.figure.published:
            return Verdict.EQUAL
        if self.figure.grade is Class.EXACT:
            return Verdict.DIFFERS
        return Verdict.EXPLAINED


def episodes_of(cases: Sequence[Case]) -> int:
    """Count the episodes all cases take."""
    return sum(run.episodes for run in _plan(cases))


def reproduce(
    cases: Sequence[Case], jobs: int = 1, advance: Advance | None = None
) -> Iterator[Line]:
    """Play every case and put its figures beside the published ones, in order.

    A run that several cases ask for is played once, with the arms of all of them.
    """
    plan = _plan(cases)
    runs = [replace(run, arms=arms) for run, arms in plan.items()]
    played = zip(plan, play_all(runs, jobs, advance), strict=True)
    results: dict[Run, Results] = {}
    for case in cases:
        wanted = [_armless(run) for run in _runs(case)]
        while not results.keys() >= set(wanted):
            results.update([next(played)])
        yield from _lines(case, [results[run] for run in wanted])


def failed(lines: Sequence[Line]) -> list[Line]:
    """Give the lines that had to be equal and are not."""
    return [line for line in lines if line.verdict is Verdict.DIFFERS]


def _plan(cases: Sequence[Case]) -> dict[Run, tuple[str, ...]]:
    """Collect the arms of each run, in the order the runs are needed."""
    plan: dict[Run, dict[str, None]] = {}
    for case in cases:
        for run in _runs(case):
            plan.setdefault(_armless(run), {}).update(dict.fromkeys(run.arms))
    return {run: tuple(arms) for run, arms in plan.items()}


def _armless(run: Run) -> Run:
    return replace(run, arms=())


def _runs(case: Case) -> tuple[Run, ...]:
    if isinstance(case, SweepCase):
        return (*runs_of(case.base), replace(case.base, arms=(BASELINE,)))
    return (case.run,)


def _lines(case: Case, results: Sequence[Results]) -> Iterator[Line]:
    if isinstance(case, SweepCase):
        yield from _of_sweep(case, results)
        return
    for figure in case.figures:
        yield Line(case.title, figure, *_measured(figure, results[0], case.run.seed))


def _of_sweep(case: SweepCase, results: Sequence[Results]) -> Iterator[Line]:
    *swept, voted = results
    points = ranked(case.base, swept)
    best = {_BEST: ArmResult(points[0].tally), **voted}
    for figure in case.figures:
        ours = _policies(figure.measure, points)
        if ours is None:
            yield Line(case.title, figure, *_measured(figure, best, case.base.seed))
        else:
            yield Line(case.title, figure, ours, "")


def _policies(measure: str, points: Sequence[Point]) -> str | None:
    """Say what was published of the policies themselves; none for a measure of an arm."""
    policy = points[0].policy
    refuting = [
        point
        for point in points[:BEST_POLICIES]
        if point.policy.evidential or point.policy.refutation_cap is not None
    ]
    blind = "blind" if policy.blind else "open"
    return {
        "policies": str(len(points)),
        "policy": f"budget {policy.budget}, quorum {policy.quorum}, {blind}, "
        f"dominance {policy.dominance}",
        "with refutation or evidential": str(len(refuting)),
    }.get(measure)


def _measured(figure: Figure, results: Results, seed: int) -> tuple[str, str]:
    """Measure an arm, written with as many decimals as were published, and its interval."""
    tally, measure = results[figure.arm].tally, figure.measure
    decimals = len(figure.published.partition(".")[2])
    if measure in SHARES:
        share = SHARES[measure](tally)
        return f"{share.percent:.{decimals}f}", written_interval(share.interval)
    if measure in MEANS:
        return f"{mean(tally, measure):.{decimals}f}", ""
    if measure in COUNTS:
        return str(COUNTS[measure](tally)), ""
    if measure == "ci":
        return written_interval(SHARES["correct%"](tally).interval), ""
    difference = gain(results, figure.arm, seed)
    return "" if difference is None else written_gain(*difference), ""
