"""What does `hivebot bench …` play, and how is it shown?"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from hivebot.bench import remarks
from hivebot.bench.arms import ARMS, CEILING_ARMS, COST_ARMS, RoomRun
from hivebot.bench.export import as_csv, as_json
from hivebot.bench.federation.world import ARMS as FEDERATED_ARMS
from hivebot.bench.federation.world import OFF_FLOOR, FederationRun
from hivebot.bench.figures import FAST, FULL, Case
from hivebot.bench.fold_speed import LENGTHS, measure
from hivebot.bench.plot import accuracy_against_turns
from hivebot.bench.policies import Overrides
from hivebot.bench.reproduce import episodes_of, failed, reproduce
from hivebot.bench.rooms import HiddenProfile, Layout, Shape, Specialists, Uniform
from hivebot.bench.runs import Advance, Run, play, play_all
from hivebot.bench.self_test import self_test
from hivebot.bench.sweep import describe, ranked, runs_of
from hivebot.bench.tables import federation_tables, room_tables, show, size_table, speed_table
from hivebot.bench.tally import Results
from hivebot.bench.transcript import of_federation, of_room
from hivebot.bench.verdicts import as_markdown, by_run, summary, verdict_table
from hivebot.entrypoints.bench_options import (
    AsCsv,
    AsJson,
    Budget,
    Chosen,
    Dominance,
    Episodes,
    Jobs,
    NoBlind,
    Noise,
    Plot,
    Quorum,
    Repetition,
    Seed,
    Topics,
    Trace,
    Window,
)

app = typer.Typer(
    name="bench",
    help="Ask whether it pays: play rooms and federations with arithmetic members, no model.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

_USAGE_EXIT: Final = 2
_NOISE: Final = 90
_BIASED_NOISE: Final = 50
_SHOWN_POLICIES: Final = 12
_SIZES: Final = "3,5,8,16,32,64"
_SIZE_ARMS: Final = ("ladder", "vote", "hive+", *CEILING_ARMS)

_JOBS: Final = os.cpu_count() or 1
_TUNED: Final = Overrides()


@app.command()
def rooms(
    *,
    episodes: Episodes = 500,
    agents: Annotated[int, typer.Option(min=2, max=1024, help="Members of a room.")] = 5,
    topics: Topics = 4,
    noise: Noise = None,
    seed: Seed = 1,
    specialists: Annotated[int, typer.Option(min=0, help="Members that know one option.")] = 0,
    hidden_profile: Annotated[
        bool, typer.Option("--hidden-profile", help="All but one overrate the same option.")
    ] = False,
    cost_tiers: Annotated[
        bool, typer.Option("--cost-tiers", help="A turn of a specialist costs ten.")
    ] = False,
    blind_evidence: Annotated[
        bool, typer.Option("--blind-evidence", help="Open with evidence before any proposal.")
    ] = False,
    defer_cap: Annotated[int, typer.Option(min=1, help="Deferrals a member may make.")] = 1,
    history: Annotated[int, typer.Option(min=0, help="Episodes behind ladder+dir.")] = 3,
    budget: Budget = None,
    quorum: Quorum = None,
    window: Window = _TUNED.window,
    dominance: Dominance = _TUNED.dominance,
    repetition: Repetition = _TUNED.repetition,
    no_blind: NoBlind = False,
    arms: Chosen = None,
    trace: Trace = False,
    directory: Annotated[
        bool, typer.Option("--directory", help="With --trace: with a directory.")
    ] = False,
    sweep: Annotated[
        bool, typer.Option("--sweep", help="Rank every policy of hive+ instead.")
    ] = False,
    scale_sweep: Annotated[
        bool, typer.Option("--scale-sweep", help="Go through --sizes instead.")
    ] = False,
    sizes: Annotated[str, typer.Option(help="Members of rooms, with commas.")] = _SIZES,
    stats_check: Annotated[
        bool, typer.Option("--stats-check", help="Test the statistics and nothing else.")
    ] = False,
    jobs: Jobs = _JOBS,
    json: AsJson = False,
    csv: AsCsv = False,
    plot: Plot = None,
) -> None:
    """Play rooms of one desk: every arm, every room from the same seed."""
    if stats_check:
        _check_statistics()
    shape = _shape(specialists, hidden_profile=hidden_profile, priced=cost_tiers)
    known = (*ARMS, *COST_ARMS, *CEILING_ARMS)
    default = (*ARMS, *COST_ARMS) if cost_tiers else ARMS
    run = RoomRun(
        episodes=episodes,
        seed=seed,
        layout=Layout(agents, topics, _noise(noise, biased=hidden_profile), shape),
        evidence_first=blind_evidence,
        defer_cap=defer_cap,
        history=history,
        overrides=Overrides(
            budget=budget,
            quorum=quorum,
            window=window,
            dominance=dominance,
            repetition=repetition,
            blind=not no_blind,
        ),
        arms=_arms(arms, default, known),
    )
    if trace:
        _print_lines(of_room(run, with_directory=directory))
    elif sweep:
        _sweep(run, jobs)
    elif scale_sweep:
        _sizes(run, _numbers(sizes), jobs)
    else:
        results = _played(run, jobs)
        said = list(remarks.on_rooms(results))
        _give(run, results, said, json=json, csv=csv, plot=plot)


@app.command()
def federated(
    *,
    episodes: Episodes = 500,
    desks: Annotated[int, typer.Option(min=2, help="Desks.")] = 3,
    per_desk: Annotated[int, typer.Option(min=2, help="Members of each desk.")] = 4,
    topics: Topics = 4,
    noise: Noise = None,
    bias: Annotated[int, typer.Option(min=0, help="How much a desk overrates its decoy.")] = 110,
    seed: Seed = 1,
    ask_cap: Annotated[int, typer.Option(min=0, help="Questions a desk asks off the floor.")] = 2,
    digest: Annotated[int, typer.Option(min=0, help="Times a desk publishes its readings.")] = 0,
    evidence: Annotated[
        bool, typer.Option("--evidence", help="Desks know each other's decoys to be out.")
    ] = False,
    fact_noise: Annotated[
        int, typer.Option(min=0, max=1000, help="Wrong facts in a thousand.")
    ] = 0,
    window: Window = _TUNED.window,
    dominance: Dominance = _TUNED.dominance,
    repetition: Repetition = _TUNED.repetition,
    no_blind: NoBlind = False,
    arms: Chosen = None,
    trace: Trace = False,
    jobs: Jobs = _JOBS,
    json: AsJson = False,
    csv: AsCsv = False,
    plot: Plot = None,
) -> None:
    """Play federations of desks, each blind to a wrong option of its own."""
    known = (*FEDERATED_ARMS[:2], OFF_FLOOR, *FEDERATED_ARMS[2:])
    run = FederationRun(
        episodes=episodes,
        desks=desks,
        per_desk=per_desk,
        topics=topics,
        noise=_noise(noise, biased=True),
        bias=bias,
        seed=seed,
        ask_cap=ask_cap,
        digest=digest,
        evidence=evidence,
        fact_noise=fact_noise,
        overrides=Overrides(
            window=window, dominance=dominance, repetition=repetition, blind=not no_blind
        ),
        arms=_arms(arms, known, known),
    )
    if trace:
        _print_lines(of_federation(run))
        return
    results = _played(run, jobs)
    said = list(remarks.on_federations(results))
    _give(run, results, said, json=json, csv=csv, plot=plot)


@app.command("reproduce")
def reproduce_(
    *,
    full: Annotated[
        bool, typer.Option("--full/--fast", help="Every figure, or those of every test run.")
    ] = False,
    markdown: Annotated[
        Path | None, typer.Option(help="Write the tables there as well.", show_default=False)
    ] = None,
    jobs: Jobs = _JOBS,
) -> None:
    """Play the published figures again. Exit status 1: one that has to be equal differs."""
    raise typer.Exit(report(FULL if full else FAST, jobs, markdown))


def report(cases: Sequence[Case], jobs: int, markdown: Path | None = None) -> int:
    """Play cases, show every figure beside the published one, and give the exit status."""
    with _progress("figures", episodes_of(cases)) as advance:
        lines = list(reproduce(cases, jobs, advance))
    console = Console()
    show(console, (verdict_table(title, group) for title, group in by_run(lines)))
    console.print(summary(lines))
    if markdown is not None:
        markdown.write_text(as_markdown(lines), encoding="utf-8")
    return 1 if failed(lines) else 0


@app.command()
def folds() -> None:
    """Time every fold on transcripts of 10 to 10,000 messages, on this machine."""
    show(Console(), (speed_table(LENGTHS, measure()),))


def _shape(specialists: int, *, hidden_profile: bool, priced: bool) -> Shape:
    if hidden_profile and specialists:
        _refuse("--specialists and --hidden-profile shape a room differently: give one of them")
    if priced and not specialists:
        _refuse("--cost-tiers needs --specialists: nobody else has a turn that costs more")
    if hidden_profile:
        return HiddenProfile()
    return Specialists(specialists, priced=priced) if specialists else Uniform()


def _noise(given: int | None, *, biased: bool) -> int:
    if given is not None:
        return given
    return _BIASED_NOISE if biased else _NOISE


def _arms(given: str | None, default: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Read a list of arms; they are played and printed in their usual order."""
    if given is None:
        return tuple(default)
    named = {name.strip() for name in given.split(",")}
    unknown = sorted(named.difference(known))
    if unknown:
        _refuse(f"no such arm: {', '.join(unknown)}; there are {', '.join(known)}")
    return tuple(arm for arm in known if arm in named)


def _numbers(given: str) -> list[int]:
    try:
        numbers = [int(number) for number in given.split(",")]
    except ValueError:
        _refuse(f"--sizes takes whole numbers with commas between them, not {given!r}")
    if min(numbers) < 2:
        _refuse("--sizes: a room has at least two members")
    return numbers


def _refuse(problem: str) -> NoReturn:
    typer.echo(f"hivebot bench: {problem}", err=True)
    raise typer.Exit(_USAGE_EXIT)


@contextmanager
def _progress(title: str, episodes: int) -> Generator[Advance]:
    """Show how far it is, on standard error and only on a terminal."""
    console = Console(stderr=True)
    bar = Progress(
        TextColumn(title),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with bar:
        task = bar.add_task(title, total=episodes)
        yield lambda played: bar.advance(task, played)


def _played(run: Run, jobs: int) -> Results:
    with _progress("episodes", run.episodes) as advance:
        return play(run, jobs, advance)


def _give(
    run: Run,
    results: Results,
    said: Sequence[str],
    *,
    json: bool,
    csv: bool,
    plot: Path | None,
) -> None:
    if plot is not None:
        title = f"{run.episodes} episodes, seed {run.seed}"
        plot.write_text(accuracy_against_turns(title, results), encoding="utf-8")
    if json:
        typer.echo(as_json(run, results, said))
    elif csv:
        typer.echo(as_csv(run, results), nl=False)
    else:
        tables = (
            room_tables(run, results)
            if isinstance(run, RoomRun)
            else federation_tables(run, results)
        )
        show(Console(), tables)
        _print_lines(said)


def _sweep(run: RoomRun, jobs: int) -> None:
    swept = runs_of(run)
    with _progress("policies", len(swept) * run.episodes) as advance:
        points = ranked(run, list(play_all(swept, jobs, advance)))
    for place, point in enumerate(points[:_SHOWN_POLICIES], start=1):
        tally = point.tally
        accuracy, turns = tally.correct / tally.episodes, tally.turns / tally.episodes
        typer.echo(f"{place:3} {accuracy:6.1%} {turns:6.2f} turns  {describe(point.policy)}")


def _sizes(run: RoomRun, sizes: Sequence[int], jobs: int) -> None:
    sized = [
        replace(run, layout=replace(run.layout, members=size), arms=_SIZE_ARMS, fixed_router=True)
        for size in sizes
    ]
    with _progress("rooms", len(sized) * run.episodes) as advance:
        results = list(play_all(sized, jobs, advance))
    show(Console(), (size_table(sizes, results),))


def _check_statistics() -> NoReturn:
    outcomes = list(self_test())
    for name, holds in outcomes:
        typer.echo(f"{'ok' if holds else 'FAILED':6} {name}")
    raise typer.Exit(0 if all(holds for _, holds in outcomes) else 1)


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        typer.echo(line)
