"""How is said what came of the events?"""

from __future__ import annotations

from typing import Final

from hivebot.entrypoints.benches.intake.driving import Driven
from hivebot.entrypoints.benches.intake.run import OURS, PACE, STORING, Report
from hivebot.entrypoints.benches.reporting import Aim, Sheet, milliseconds

P99_MAX_MS: Final = 500
SHARE_MIN: Final = 0.5


def sheet(report: Report) -> Sheet:
    """The apps at full speed, and the bot at two rates."""
    rows = [_row(f"{name}, full speed", driven) for name, driven in report.fastest.items()]
    half = f"{OURS}, at {report.half_rate:.0f}/s, half of “{STORING}”"
    rows.append(_row(half, report.half))
    rows.append(_row(f"{OURS}, at {PACE:.0f}/s", report.paced))
    return Sheet(
        title="Signed events over HTTP",
        columns=("app", "sent", "acknowledged", "a second", "median ms", "p95", "p99", "worst"),
        rows=rows,
        notes=[f"{report.acknowledged} acknowledged by the bot, {report.stored} rows stored"],
    )


def aims(report: Report) -> tuple[Aim, ...]:
    """What intake is meant to bear."""
    return (
        Aim(
            f"at least {SHARE_MIN:.0%} of the rate of an app that commits one row for each event",
            report.share >= SHARE_MIN and _steady(report.half),
            f"{report.share:.0%}; at that rate p99 {report.half.times.p99:.0f} ms",
        ),
        Aim(
            f"p99 under {P99_MAX_MS} ms at {PACE:.0f} a second",
            _steady(report.paced),
            f"{report.paced.times.p99:.0f} ms, {report.paced.acknowledged} of {report.paced.sent}",
        ),
        Aim(
            "every acknowledged event is stored, once",
            report.stored == report.acknowledged,
            f"{report.stored} of {report.acknowledged}",
        ),
    )


def as_json(report: Report) -> dict[str, object]:
    """The same as data."""
    return {
        "full_speed": {name: _driven(driven) for name, driven in report.fastest.items()},
        "half": {"per_second": round(report.half_rate, 1), **_driven(report.half)},
        "paced": {"per_second": PACE, **_driven(report.paced)},
        "acknowledged": report.acknowledged,
        "stored": report.stored,
        "share_pct": round(report.share * 100, 1),
    }


def _steady(driven: Driven) -> bool:
    return driven.whole and driven.times.p99 < P99_MAX_MS


def _row(name: str, driven: Driven) -> tuple[str, ...]:
    counts = str(driven.sent), str(driven.acknowledged), f"{driven.rate:.0f}"
    return (name, *counts, *milliseconds(driven.times))


def _driven(driven: Driven) -> dict[str, object]:
    return {
        "sent": driven.sent,
        "acknowledged": driven.acknowledged,
        "rate": round(driven.rate, 1),
        **driven.times.as_json(),
    }
