"""How are results written for other programs?"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from typing import Final, TypeAlias

from hivebot.bench.arms import RoomRun
from hivebot.bench.measures import SHARES, gain, mean
from hivebot.bench.runs import Run
from hivebot.bench.tally import Results, Tally

Record: TypeAlias = dict[str, str | int | float]
"""One arm: counts and sums under their own names as integers, what follows from them beside."""

_ROOM_COUNTS: Final = (
    "episodes",
    "correct",
    "decided",
    "turns",
    "steps",
    "cost",
    "converged",
    "deadlocked",
    "exhausted",
    "idle",
    "with_expert",
    "routed_right",
    "expert_spoke",
    "expert_wait",
    "expert_led",
    "facts",
    "fact_wait",
    "knows",
    "defers",
    "rho_milli",
)
_FEDERATION_COUNTS: Final = (
    "episodes",
    "correct",
    "decided",
    "turns",
    "crossings",
    "stranded",
    "asks",
    "digests",
    "deliberations",
    "converged",
    "deadlocked",
    "exhausted",
    "idle",
)
_ROOM_SHARES: Final = ("correct%", "decided%", "knows%", "fact%", "route%", "expert%")
_ROOM_MEANS: Final = {
    "turns": "turns_per_episode",
    "cost": "cost_per_episode",
    "per-kU": "correct_per_kilounit",
    "to-fact": "turns_to_fact",
    "to-expert": "turns_to_expert",
    "rho": "rho",
}
_FEDERATION_SHARES: Final = ("correct%", "decided%")
_FEDERATION_MEANS: Final = {
    "turns": "turns_per_episode",
    "crossings": "crossings_per_episode",
    "stranded": "stranded_per_episode",
    "asks": "asks_per_episode",
}


def records(run: Run, results: Results) -> list[Record]:
    """Give one record for each arm, in the order of the run."""
    rooms = isinstance(run, RoomRun)
    counts = _ROOM_COUNTS if rooms else _FEDERATION_COUNTS
    shares = _ROOM_SHARES if rooms else _FEDERATION_SHARES
    means = _ROOM_MEANS if rooms else _FEDERATION_MEANS
    written: list[Record] = []
    for arm, result in results.items():
        record: Record = {"arm": arm}
        record.update({name: _count(result.tally, name) for name in counts})
        record.update(_shares(result.tally, shares))
        record.update({name: round(mean(result.tally, one), 4) for one, name in means.items()})
        record.update(_difference(run, results, arm))
        written.append(record)
    return written


def as_json(run: Run, results: Results, remarks: Iterable[str]) -> str:
    """Write results as one JSON object; the same for the same seed on every machine."""
    document = {
        "seed": run.seed,
        "episodes": run.episodes,
        "arms": records(run, results),
        "remarks": list(remarks),
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


def as_csv(run: Run, results: Results) -> str:
    """Write results as one line for each arm, under a header."""
    written = records(run, results)
    names = dict.fromkeys(name for record in written for name in record)
    sheet = io.StringIO()
    writer = csv.DictWriter(sheet, list(names), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(written)
    return sheet.getvalue()


def _count(tally: Tally, name: str) -> int:
    value: int = getattr(tally, name)
    return value


def _shares(tally: Tally, shares: Iterable[str]) -> Record:
    record: Record = {}
    for measure in shares:
        record[measure.replace("%", "_pct")] = round(SHARES[measure](tally).percent, 4)
    interval = SHARES["correct%"](tally).interval
    record["correct_low_pct"] = round(interval.low, 4)
    record["correct_high_pct"] = round(interval.high, 4)
    return record


def _difference(run: Run, results: Results, arm: str) -> Record:
    difference = gain(results, arm, run.seed) if isinstance(run, RoomRun) else None
    if difference is None:
        return {}
    value, interval = difference
    return {
        "vote_difference_pct": round(value, 4),
        "vote_difference_low_pct": round(interval.low, 4),
        "vote_difference_high_pct": round(interval.high, 4),
    }
