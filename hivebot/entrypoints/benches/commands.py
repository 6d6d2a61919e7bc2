"""What does `hivebot bench` say about the running system? Events, round trips, hops, the store.

Everything runs on this machine, without any model, and is thrown away afterwards. The libraries are
imported when a command runs: the command line starts faster.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from hivebot.entrypoints.benches.refusing import refuse

if TYPE_CHECKING:
    from hivebot.entrypoints.benches.reporting import Aim, Sheet

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]
Config = Annotated[Path, typer.Option(help="A YAML file, or a directory of them.")]

_CONFIG = Path("config/hivebot.yaml")

Measured = TypeVar("Measured")


def events(
    config: Config = _CONFIG,
    count: Annotated[int, typer.Option(min=1, max=20_000, help="Events in each series.")] = 2000,
    rounds: Annotated[int, typer.Option(min=1, max=20, help="Series at full speed.")] = 3,
    concurrency: Annotated[int, typer.Option(min=1, max=128, help="Connections.")] = 64,
    channels: Annotated[int, typer.Option(min=1, max=500, help="Channels they go to.")] = 24,
    seconds: Annotated[float, typer.Option(min=1, max=120, help="Longest series.")] = 20.0,
    as_json: Json = False,
) -> None:
    """Drive signed events at the web process, beside a Bolt app that commits one row for each."""
    from hivebot.entrypoints.benches.intake import report, run

    plan = run.Plan(count, rounds, concurrency, channels, seconds)
    found = _measured(
        "sending",
        plan.steps,
        lambda progress: asyncio.run(run.measure(config, plan, progress)),
    )
    _show([report.sheet(found)], report.as_json(found), report.aims(found), as_json=as_json)


def roundtrip(
    count: Annotated[int, typer.Option(min=1, max=500, help="Questions of each kind.")] = 30,
    as_json: Json = False,
) -> None:
    """Time a question to another desk and back, and a question to its progress message."""
    from hivebot.entrypoints.benches import asking as way
    from hivebot.entrypoints.benches.reporting import Aim, Sheet, milliseconds

    found = _measured(
        "asking", 2 * count, lambda progress: asyncio.run(way.measure(count, progress))
    )
    kinds = {"answer": found.answer, "progress message": found.progress}
    sheet = Sheet(
        title="From a person's message, with agents that take no time",
        columns=("to its", "questions", "median ms", "p95", "p99", "worst"),
        rows=[(name, str(times.count), *milliseconds(times)) for name, times in kinds.items()],
    )
    aims = [
        Aim(
            f"p95 to the {name} under {way.P95_MAX_MS} ms",
            times.p95 < way.P95_MAX_MS,
            f"{times.p95:.0f} ms",
        )
        for name, times in kinds.items()
    ]
    data = {"answer": found.answer.as_json(), "progress": found.progress.as_json()}
    _show([sheet], data, aims, as_json=as_json)


def deliberation(
    count: Annotated[int, typer.Option(min=1, max=500, help="Questions.")] = 20,
    takes: Annotated[
        float, typer.Option(min=0.05, max=10, help="Seconds that each call of a model takes.")
    ] = 1.0,
    as_json: Json = False,
) -> None:
    """Time what is not the model's in deliberations of five members with slow models."""
    from hivebot.entrypoints.benches import deliberating as way
    from hivebot.entrypoints.benches.reporting import Aim, Sheet, milliseconds

    found = _measured(
        "deliberating", count, lambda progress: asyncio.run(way.measure(count, takes, progress))
    )
    kinds = {
        "question to its progress message": found.sign,
        "opening of five members": found.opening,
        "committed turn to the next call": found.gap,
    }
    sheet = Sheet(
        title=f"Deliberations of {found.calls} calls, each of {takes:g} s",
        columns=("from", "times", "median ms", "p95", "p99", "worst"),
        rows=[(name, str(times.count), *milliseconds(times)) for name, times in kinds.items()],
    )
    aims = [
        Aim(
            f"p95 to the progress message under {way.SIGN_P95_MAX_MS} ms",
            found.sign.p95 < way.SIGN_P95_MAX_MS,
            f"{found.sign.p95:.0f} ms",
        ),
        Aim(
            f"an opening under {way.OPENING_CALLS_MAX:g} calls' time",
            found.opening_calls < way.OPENING_CALLS_MAX,
            f"{found.opening_calls:.2f} calls",
        ),
        Aim(
            f"median to the next call under {way.GAP_MEDIAN_MAX_MS} ms",
            found.gap.median < way.GAP_MEDIAN_MAX_MS,
            f"{found.gap.median:.0f} ms",
        ),
    ]
    data = {
        "calls": found.calls,
        "sign": found.sign.as_json(),
        "opening": found.opening.as_json(),
        "gap": found.gap.as_json(),
    }
    _show([sheet], data, aims, as_json=as_json)


def hops(
    count: Annotated[int, typer.Option(min=1, max=100_000, help="Hops under one lock.")] = 300,
    concurrency: Annotated[int, typer.Option(min=1, max=64, help="Jobs at the same time.")] = 4,
    as_json: Json = False,
) -> None:
    """Time hop after hop under one lock, each deferred by the one before it."""
    from hivebot.entrypoints.benches import relaying as relay
    from hivebot.entrypoints.benches.database import thrown_away
    from hivebot.entrypoints.benches.reporting import Aim, Sheet, milliseconds

    with thrown_away() as place:
        times = _measured(
            "hopping",
            count,
            lambda progress: asyncio.run(
                relay.measure(place, count, concurrency=concurrency, progress=progress)
            ),
        )
    sheet = Sheet(
        title=f"Hops under one lock, {concurrency} jobs at once",
        columns=("hops", "median ms", "p95", "p99", "worst"),
        rows=[(str(times.count), *milliseconds(times))],
    )
    aims = [
        Aim(
            f"median under {relay.MEDIAN_MAX_MS} ms",
            times.median < relay.MEDIAN_MAX_MS,
            f"{times.median:.1f} ms",
        ),
        Aim(
            f"worst under {relay.WORST_MAX_MS} ms",
            times.worst < relay.WORST_MAX_MS,
            f"{times.worst:.0f} ms",
        ),
    ]
    _show([sheet], times.as_json(), aims, as_json=as_json)


def store(
    config: Config = _CONFIG,
    rows: Annotated[
        list[int] | None, typer.Option(help="Rows of a transcript; may be repeated.")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, max=1000, help="Questions in each.")] = 40,
    as_json: Json = False,
) -> None:
    """Time a decision through the store path, in transcripts of several lengths."""
    from hivebot.entrypoints.benches import transcripts as path
    from hivebot.entrypoints.benches.database import thrown_away
    from hivebot.entrypoints.benches.reporting import Aim, Sheet

    lengths = sorted(set(rows or path.LENGTHS))
    if lengths[0] < 1 or lengths[-1] > path.ROWS_MAX:
        refuse(f"a transcript has 1 to {path.ROWS_MAX:,} rows")
    with thrown_away() as place:
        costs = _measured(
            "asking",
            len(lengths) * (rounds + 1),
            lambda progress: asyncio.run(
                path.measure(place, config, lengths, rounds=rounds, progress=progress)
            ),
        )
    sheet = Sheet(
        title="One question through the store, medians",
        columns=("rows", "read ms", "route", "speak", "route + speak"),
        rows=[
            (
                f"{cost.rows:,}",
                *(f"{times.median:.1f}" for times in (cost.read, cost.route, cost.speak)),
                f"{cost.decision_ms:.1f}",
            )
            for cost in costs
        ],
    )
    ratio = path.ratio(costs)
    aim = Aim(
        f"the longest costs at most {path.RATIO_MAX} times the shortest of 100 rows or more",
        ratio <= path.RATIO_MAX,
        f"{ratio:.2f}",
    )
    data = {"ratio": round(ratio, 3), "transcripts": [cost.as_json() for cost in costs]}
    _show([sheet], data, [aim], as_json=as_json)


def chaos(
    questions: Annotated[int, typer.Option(min=1, max=5000, help="Questions people ask.")] = 200,
    kills: Annotated[int, typer.Option(min=0, max=200, help="Times something is killed.")] = 12,
    losses: Annotated[int, typer.Option(min=0, max=200, help="Answers of Slack's lost.")] = 8,
    seed: Annotated[int, typer.Option(min=0, help="What is killed and lost when.")] = 1,
    gap: Annotated[float, typer.Option(min=0.01, max=10, help="Seconds between questions.")] = 0.5,
    away: Annotated[
        float, typer.Option(min=0, max=600, help="Seconds for which a killed database is away.")
    ] = 0.0,
    socket: Annotated[
        bool, typer.Option("--socket", help="One `hivebot run` over Socket Mode.")
    ] = False,
    hurry: Annotated[
        bool, typer.Option("--hurry", help="Let a killed worker count as dead at once.")
    ] = False,
    short: Annotated[
        bool,
        typer.Option("--short", help="40 questions, 4 kills, 2 losses, hurried: a minute."),
    ] = False,
    logs: Annotated[
        Path | None, typer.Option(help="Folder for the processes' logs.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Kill web, worker and database while people ask, and look whether anything went wrong.

    Exit status 0: nothing was lost, doubled or left undone. 1: something was.
    """
    from hivebot.entrypoints.benches.killing import report, run
    from hivebot.entrypoints.benches.killing.plan import planned

    pace = run.Pace(0.25 if short else gap, hurry or short, away, "socket" if socket else "http")
    plan = planned(40, 4, seed, 2) if short else planned(questions, kills, seed, losses)
    found = _measured(
        "asking",
        len(plan.questions),
        lambda progress: asyncio.run(run.run(plan, pace=pace, logs=logs, progress=progress)),
    )
    aims = report.aims(found)
    _show([report.sheet(found)], report.as_json(found), aims, as_json=as_json)
    raise typer.Exit(0 if all(aim.met for aim in aims) else 1)


def load(
    seconds: Annotated[float, typer.Option(min=1, max=3600, help="Of the steady load.")] = 300.0,
    rate: Annotated[float, typer.Option(min=0.1, max=200, help="Questions a second.")] = 20.0,
    burst: Annotated[int, typer.Option(min=0, max=5000, help="Questions of the burst.")] = 300,
    workers: Annotated[int, typer.Option(min=1, max=32, help="Worker processes.")] = 1,
    as_json: Json = False,
) -> None:
    """Ask in a hundred channels for five minutes, then three hundred at once in ten.

    Slack's limits hold, and each answer of a model takes 0.3 s. `--burst 0` leaves the burst out.
    Exit status 1: something was lost, late, out of order, or a process grew.
    """
    from hivebot.entrypoints.benches.loading import plan as loads
    from hivebot.entrypoints.benches.loading import report, run

    plans = [loads.steady(seconds, rate, workers)]
    if burst:
        plans.append(loads.burst(burst, workers))
    found = [
        _measured(
            plan.name,
            plan.questions,
            lambda progress, plan=plan: asyncio.run(run.run(plan, progress)),
        )
        for plan in plans
    ]
    aims = [aim for one in found for aim in report.aims(one)]
    data = {one.plan.name: report.as_json(one) for one in found}
    _show([report.sheet(one) for one in found], data, aims, as_json=as_json)
    raise typer.Exit(0 if all(aim.met for aim in aims) else 1)


def _measured(
    what: str, total: int, measure: Callable[[Callable[[int], None]], Measured]
) -> Measured:
    """Measure behind a progress bar; what keeps it from being measured is said."""
    from hivebot.adapters.config_files import ConfigError
    from hivebot.entrypoints.benches.reporting import bar
    from hivebot.errors import HivebotError
    from hivebot.sandbox.errors import WaitError

    try:
        with bar(what, total) as progress:
            return measure(progress)
    except ConfigError as error:
        refuse(*(str(problem) for problem in error.problems))
    except (HivebotError, TimeoutError, WaitError) as error:
        refuse(str(error) or type(error).__name__)


def _show(
    sheets: Sequence[Sheet], data: Mapping[str, object], aims: Sequence[Aim], *, as_json: bool
) -> None:
    """Print what was measured, and on what."""
    from hivebot.adapters.clock import SystemClock
    from hivebot.entrypoints.benches.machine import describe
    from hivebot.entrypoints.benches.reporting import show

    machine = describe(SystemClock().now())
    noted = [replace(one, notes=(*one.notes, str(machine))) for one in sheets]
    show(noted, {"machine": machine.as_json(), **data}, as_json=as_json, aims=aims)
