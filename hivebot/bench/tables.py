"""How are results shown on a terminal?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from hivebot.bench.arms import COST_ARMS, RoomRun
from hivebot.bench.federation.world import FederationRun
from hivebot.bench.fold_speed import Speed
from hivebot.bench.measures import (
    MEANS,
    SHARES,
    gain,
    mean,
    written_gain,
    written_interval,
)
from hivebot.bench.tally import ArmResult, Results

DASH: Final = "–"
"""A cell the arm cannot have a number for."""

_SILENT: Final = frozenset({"ladder", "vote", "ladder+dir"})
_ROUTED: Final = frozenset({"ladder", "ladder+dir"})
_COST_TABLE: Final = ("vote", "ladder", "ladder+dir", "hive+", *COST_ARMS)
_ENDINGS: Final = ("converged", "deadlocked", "exhausted", "idle")


def room_tables(run: RoomRun, results: Results) -> Iterator[RenderableType]:
    """Lay out a run of rooms: outcomes, what happened inside, differences, endings, cost.

    Source: bench.md section 10.
    """
    shown = {arm: one for arm, one in results.items() if arm not in COST_ARMS}
    yield _outcomes(shown)
    yield _inside(shown)
    yield from _differences(results, run.seed)
    yield _endings(shown)
    if run.priced:
        yield _costs(results)


def federation_tables(run: FederationRun, results: Results) -> Iterator[Table]:
    """Lay out a run of federations: outcomes, and how their desks ended.

    Source: bench.md section 10.
    """
    title = f"{run.episodes} federations of {run.desks} desks, {run.per_desk} members each"
    table = _table(title, ["arm", "correct %", "95%", "decided", *_FEDERATED])
    for arm, result in results.items():
        means = (f"{mean(result.tally, measure):.1f}" for measure in _FEDERATED)
        table.add_row(arm, *_correct(result), str(result.tally.decided), *means)
    yield table
    yield _endings(results)


_FEDERATED: Final = ("turns", "crossings", "stranded", "asks")


def size_table(sizes: Sequence[int], results: Sequence[Results]) -> Table:
    """Lay out accuracy by desk size."""
    table = _table("correct % by members of a room", ["arm", *map(str, sizes)])
    for arm in results[0]:
        shares = (SHARES["correct%"](one[arm].tally) for one in results)
        table.add_row(arm, *(f"{share.percent:.1f}" for share in shares))
    return table


def speed_table(lengths: Sequence[int], speeds: Iterable[Speed]) -> Table:
    """Lay out how long each fold takes, by messages of transcript."""
    header = ["fold", *(f"{length:,}" for length in lengths)]
    table = _table("microseconds a call, by messages of transcript", header)
    for speed in speeds:
        table.add_row(speed.fold, *(f"{micros:,.1f}" for micros in speed.micros))
    return table


def show(console: Console, parts: Iterable[RenderableType]) -> None:
    """Print parts one under the other."""
    for part in parts:
        console.print(part)


def _outcomes(results: Results) -> Table:
    header = ["arm", "turns/ep", "decided %", "correct %", "µs/step", "episodes/s"]
    table = _table("what came of it", header)
    for arm, result in results.items():
        tally = result.tally
        table.add_row(
            arm,
            f"{mean(tally, 'turns'):.2f}",
            f"{SHARES['decided%'](tally).percent:.1f}",
            f"{SHARES['correct%'](tally).percent:.1f}",
            f"{result.elapsed_s / tally.steps * 1e6:.0f}" if tally.steps else DASH,
            f"{tally.episodes / result.elapsed_s:.0f}" if result.elapsed_s else DASH,
        )
    return table


def _inside(results: Results) -> Table:
    header = ["arm", "correct %", "95%", "fact %", "to-fact", "knows %", "defers /ep"]
    table = _table("what happened inside", [*header, "route %", "cost /ep", "rho"])
    for arm, result in results.items():
        tally = result.tally
        speaks = arm not in _SILENT
        found = speaks and tally.with_expert > 0
        table.add_row(
            arm,
            *_correct(result),
            _share(result, "fact%") if found else DASH,
            _mean(result, "to-fact", 1) if found else DASH,
            _share(result, "knows%") if speaks else DASH,
            _mean(result, "defers", 1) if speaks else DASH,
            _share(result, "route%") if arm in _ROUTED and tally.with_expert else DASH,
            _mean(result, "cost", 2),
            _mean(result, "rho", 2) if speaks else DASH,
        )
    return table


def _differences(results: Results, seed: int) -> Iterator[Text]:
    for arm in results:
        difference = gain(results, arm, seed) if arm not in COST_ARMS else None
        if difference is not None:
            yield Text(f"{arm} against vote: {written_gain(*difference)} points")


def _endings(results: Results) -> Table:
    table = _table("endings", ["arm", *_ENDINGS])
    for arm, result in results.items():
        if arm not in _SILENT:
            tally = result.tally
            counts = (tally.converged, tally.deadlocked, tally.exhausted, tally.idle)
            table.add_row(arm, *map(str, counts))
    return table


def _costs(results: Results) -> Table:
    table = _table("cost", ["arm", "correct %", "cost/ep", "correct/kU"])
    for arm in _COST_TABLE:
        if arm in results:
            one = results[arm]
            cost, worth = _mean(one, "cost", 2), _mean(one, "per-kU", 2)
            table.add_row(arm, _share(one, "correct%"), cost, worth)
    return table


def _correct(result: ArmResult) -> tuple[str, str]:
    share = SHARES["correct%"](result.tally)
    return f"{share.percent:.1f}", written_interval(share.interval)


def _share(result: ArmResult, measure: str) -> str:
    return f"{SHARES[measure](result.tally).percent:.1f}"


def _mean(result: ArmResult, measure: str, decimals: int) -> str:
    _, count = MEANS[measure](result.tally)
    return f"{mean(result.tally, measure):.{decimals}f}" if count else DASH


def _table(title: str, header: Sequence[str]) -> Table:
    """Begin a table narrow enough for a terminal of eighty columns."""
    table = Table(title=f"\n{title}", title_justify="left", box=None, pad_edge=False)
    table.padding = (0, 1, 0, 0)
    for number, name in enumerate(header):
        justify = "right" if number else "left"
        table.add_column(name.replace(" ", "\n"), justify=justify, no_wrap=True)
    return table
