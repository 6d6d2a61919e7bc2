"""What do many decisions come to, arm by arm?"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TypeAlias

from hivebot.bench.statistics import percent, wilson
from hivebot.entrypoints.benches.deciding.arms import Outcome
from hivebot.entrypoints.benches.deciding.voices import Meter
from hivebot.entrypoints.benches.reporting import Sheet

Run: TypeAlias = Callable[[], Awaitable[Outcome]]
Progress: TypeAlias = Callable[[int], None]


@dataclass(slots=True)
class Tally:
    """Counts and sums over the decisions of one arm; integers, so that they add up.

    Attributes:
        decided: With a decision at all.
        endings, decisions: How often each came out.
    """

    runs: int = 0
    correct: int = 0
    decided: int = 0
    turns: int = 0
    asks: int = 0
    spent: Meter = field(default_factory=Meter)
    endings: Counter[str] = field(default_factory=Counter[str])
    decisions: Counter[str] = field(default_factory=Counter[str])

    def add(self, outcome: Outcome, right: str) -> None:
        """Count one decision."""
        self.runs += 1
        self.correct += outcome.decided == right
        self.decided += bool(outcome.decided)
        self.turns += outcome.turns
        self.asks += outcome.asks
        self.spent.add(outcome.meter)
        self.endings[outcome.ending] += 1
        self.decisions[outcome.decided or "none"] += 1

    def as_json(self, arm: str) -> dict[str, object]:
        """Counts and sums, and percentages beside them under names of their own."""
        interval = wilson(self.correct, self.runs)
        return {
            "arm": arm,
            "runs": self.runs,
            "correct": self.correct,
            "decided": self.decided,
            "turns": self.turns,
            "asks": self.asks,
            **asdict(self.spent),
            "endings": dict(sorted(self.endings.items())),
            "decisions": dict(sorted(self.decisions.items())),
            "correct_pct": round(percent(self.correct, self.runs), 1),
            "correct_low_pct": round(interval.low, 1),
            "correct_high_pct": round(interval.high, 1),
        }


async def run_all(
    arms: Mapping[str, Sequence[Run]],
    right: str,
    *,
    jobs: int,
    progress: Progress = lambda _done: None,
) -> dict[str, Tally]:
    """Take every decision of every arm, so many at the same time.

    Args:
        arms: Decisions by the name of their arm.
        right: The right option.
        jobs: Decisions at the same time; changes no figure of a rule-based desk.
        progress: Told of each decision.
    """
    room = asyncio.Semaphore(jobs)

    async def take(run: Run) -> Outcome:
        async with room:
            outcome = await run()
        progress(1)
        return outcome

    tallies: dict[str, Tally] = {}
    for arm, runs in arms.items():
        tally = tallies[arm] = Tally()
        for outcome in await asyncio.gather(*(take(run) for run in runs)):
            tally.add(outcome, right)
    return tallies


def sheet_of(title: str, tallies: Mapping[str, Tally], notes: Sequence[str]) -> Sheet:
    """The arms side by side; costs are those of one decision."""
    return Sheet(
        title=title,
        columns=(
            "arm",
            "right",
            "95% interval",
            "decided",
            "turns",
            "asks",
            "calls",
            "tokens in",
            "tokens out",
            "US$",
            "failed",
        ),
        rows=[_row(arm, tally) for arm, tally in tallies.items()],
        notes=[*(_came_out(arm, tally) for arm, tally in tallies.items()), *notes],
    )


def _row(arm: str, tally: Tally) -> tuple[str, ...]:
    interval, spent, runs = wilson(tally.correct, tally.runs), tally.spent, max(1, tally.runs)
    return (
        arm,
        f"{tally.correct}/{tally.runs}",
        f"{interval.low:.1f} to {interval.high:.1f}%",
        str(tally.decided),
        f"{tally.turns / runs:.1f}",
        f"{tally.asks / runs:.1f}",
        f"{spent.requests / runs:.1f}",
        f"{spent.tokens_in / runs:.0f}",
        f"{spent.tokens_out / runs:.0f}",
        f"{spent.cost_usd_micros / runs / 1_000_000:.4f}",
        str(spent.failed),
    )


def _came_out(arm: str, tally: Tally) -> str:
    decisions = ", ".join(f"{option} {count}" for option, count in tally.decisions.most_common())
    endings = ", ".join(f"{ending} {count}" for ending, count in tally.endings.most_common())
    return f"{arm}: {decisions} ({endings})"
