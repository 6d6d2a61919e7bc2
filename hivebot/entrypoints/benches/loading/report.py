"""How is said whether it kept up?"""

from __future__ import annotations

from typing import Final

from hivebot.entrypoints.benches.loading.run import Report
from hivebot.entrypoints.benches.reporting import Aim, Sheet

GROWTH_MAX_PCT: Final = 10.0
BURST: Final = 5
"""Posts Slack takes in a channel before it wants a second for each."""


def sheet(report: Report) -> Sheet:
    """What was asked, and how long people waited."""
    waits = report.waits
    plan = report.plan
    return Sheet(
        title=f"{plan.name.capitalize()} load within Slack's limits",
        columns=("what", "found"),
        words=2,
        rows=[
            ("asked", f"{plan.questions} in {plan.channels} channels, {report.asked_s:.0f} s"),
            ("answered once", str(report.answered)),
            (
                "waited, s: median, p95, worst",
                ", ".join(f"{ms / 1000:.1f}" for ms in (waits.median, waits.p95, waits.worst)),
            ),
            ("drained after", f"{report.drained_s:.0f} s"),
            ("posts told to wait", str(report.limited)),
            *(
                (f"memory of {name}, MB", f"{one.early:.0f}, then {one.late:.0f}")
                for name, one in sorted(report.memory.items())
            ),
        ],
    )


def aims(report: Report) -> list[Aim]:
    """What must hold."""
    plan = report.plan
    growth = max((one.percent for one in report.memory.values()), default=0.0)
    worst_s = report.waits.worst / 1000
    made = [
        Aim(
            "every question has exactly one answer",
            report.answered == plan.questions,
            f"{report.answered} of {plan.questions}",
        ),
        Aim("every channel's posts stand in order", report.disorder == 0, f"{report.disorder} not"),
    ]
    if plan.backlog_max_s:
        made.append(
            Aim(
                f"nobody waits longer than {plan.backlog_max_s:.0f} s",
                worst_s <= plan.backlog_max_s,
                f"{worst_s:.1f} s",
            )
        )
        made.append(
            Aim(
                f"no process grows by more than {GROWTH_MAX_PCT:.0f} %",
                growth <= GROWTH_MAX_PCT,
                f"{growth:.1f} %",
            )
        )
    else:
        permitted = max(0.0, plan.questions / plan.channels - BURST) + plan.seconds
        made.append(
            Aim(
                "it is drained at the rate Slack permits, or twice as slowly at worst",
                report.asked_s + report.drained_s <= 2 * permitted + BURST,
                f"{report.asked_s + report.drained_s:.0f} s, permitted {permitted:.0f} s",
            )
        )
    return made


def as_json(report: Report) -> dict[str, object]:
    """The same as data."""
    return {
        "load": report.plan.name,
        "questions": report.plan.questions,
        "answered": report.answered,
        "waits": report.waits.as_json(),
        "asked_s": round(report.asked_s, 1),
        "drained_s": round(report.drained_s, 1),
        "disorder": report.disorder,
        "limited": report.limited,
        "memory_mb": {
            name: [round(one.early, 1), round(one.late, 1)] for name, one in report.memory.items()
        },
    }
