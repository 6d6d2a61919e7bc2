"""What do `hivebot bench proxy` and `hivebot bench memory` measure, and how is it shown?

Source: proxy-experiment.md, memory.md 10 and 11.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

import typer

from hivebot.entrypoints.benches.refusing import refuse

if TYPE_CHECKING:
    from hivebot.bench.proxy.features import Embed
    from hivebot.bench.proxy.generator import GeneratorPolicy
    from hivebot.bench.proxy.speed import Speed
    from hivebot.entrypoints.benches.reporting import Aim, Sheet
    from hivebot.entrypoints.memory_speed import StoredSpeed

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]

_CORES: Final = os.cpu_count() or 1
_SIZES: Final = (1_000, 10_000, 100_000)
_GAIN_MIN: Final = 100
_GROWTH_MAX: Final = 10
_PEOPLE_MIN, _DECISIONS_MIN = 12, 120
_MADE_UP: Final = "Made-up people: shows where each predictor breaks, never quoted as accuracy."
_CLASS_E: Final = "Class E: deterministic, offline, no model of a language"


def proxy(
    data: Annotated[
        Path | None,
        typer.Option(help="Real decisions, one JSON object a line.", show_default=False),
    ] = None,
    example: Annotated[
        bool, typer.Option("--example", help="The made-up file that shows the format.")
    ] = False,
    published: Annotated[
        bool, typer.Option("--published", help="Run again what was published, and compare.")
    ] = False,
    population: Annotated[
        list[int] | None,
        typer.Option(min=1, max=6, help="Only this of the six populations; may be repeated."),
    ] = None,
    figures: Annotated[
        Path | None, typer.Option(help="Other published figures.", hidden=True)
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes; they change no digit.")] = _CORES,
    as_json: Json = False,
) -> None:
    """Ask how accurate the proxy is: the registered experiment, ablations, losses included.

    Without an option on people made up by a seeded generator; with --data on real ones. Exit status
    1 with --published: a digit differs.
    """
    from hivebot.bench.proxy.generator import SETTINGS

    if sum((data is not None, example, published)) > 1:
        refuse("--data, --example and --published are three things: ask for one")
    if published:
        _published(figures, population, jobs)
    elif data is not None or example:
        _real(data, as_json=as_json)
    else:
        _made_up([SETTINGS[number - 1] for number in population or range(1, 7)], jobs, as_json)


def memory(
    sizes: Annotated[str, typer.Option(help="Numbers of chunks, with commas.")] = ",".join(
        map(str, _SIZES)
    ),
    rounds: Annotated[int, typer.Option(min=1, max=1000, help="Retrievals at each size.")] = 21,
    scan_up_to: Annotated[
        int, typer.Option(help="Largest size at which JSON is scanned as well; it is slow.")
    ] = 10_000,
    stored: Annotated[
        int, typer.Option(min=0, help="Chunks in a database to retrieve from as well; 0: none.")
    ] = 10_000,
    as_json: Json = False,
) -> None:
    """Time retrieval of the top 10: five vectors of 256 numbers a chunk, most chunks surviving.

    Over arrays, beside a scan of vectors stored as JSON, and from a database that is thrown away.
    Then what keeping only some traces costs in accuracy (Petrov's hybrid).
    """
    from hivebot.bench.proxy.hybrid import hybrid_errors
    from hivebot.bench.proxy.speed import measure

    counts = _sizes(sizes)
    speeds = measure(
        counts, [each for each in counts if each <= scan_up_to], time.perf_counter, rounds=rounds
    )
    kept = _stored(stored, rounds) if stored else ()
    errors = hybrid_errors()
    sheets = [_speed_sheet(speeds, kept), _error_sheet(errors)]
    found = {
        "arrays": [_speed_data(each) for each in speeds],
        "database": [
            {"chunks": each.chunks, "survivors": each.survivors, **each.times.as_json()}
            for each in kept
        ],
        "hybrid": [
            {"history": each.history, "keep": each.keep, "mean": each.mean, "worst": each.worst}
            for each in errors
        ],
    }
    _show(sheets, found, as_json=as_json, aims=aims_of(speeds))


# --- the experiment -----------------------------------------------------------------------------


def examined(policy: GeneratorPolicy) -> dict[str, object]:
    """Run the experiment on one population, in whichever process this is."""
    from hivebot.bench.proxy.published import examine_made_up

    return examine_made_up(policy, _embed())


def _made_up(policies: Sequence[GeneratorPolicy], jobs: int, as_json: bool) -> None:  # noqa: FBT001 - passed on
    findings = list(_examined(policies, jobs))
    sheets = [
        sheet
        for policy, finding in zip(policies, findings, strict=True)
        for sheet in _sheets(finding, f"{policy.name}: ", [_MADE_UP])
    ]
    _show(sheets, {"grade": "E", "populations": findings}, as_json=as_json)


def _real(path: Path | None, *, as_json: bool) -> None:
    from hivebot.bench.proxy.decisions import DecisionError, read_streams
    from hivebot.bench.proxy.published import EXAMPLE, examine

    place = path or EXAMPLE
    try:
        source = place.read_bytes()
        streams = read_streams(source.decode("utf-8").splitlines())
    except OSError as error:
        refuse(f"cannot read {place}: {error.strerror}")
    except UnicodeDecodeError:
        refuse(f"cannot read {place}: it is not UTF-8")
    except DecisionError as error:
        refuse(f"{place}: {error}")
    if len(streams) < 2:
        refuse(f"{place}: one half of the people is chosen on, so there have to be two at least")
    decisions = [len(each.decisions) for each in streams]
    digest = hashlib.sha256(source).hexdigest()
    notes = [f"{len(streams)} people, {sum(decisions)} decisions, SHA-256 {digest}"]
    if path is None:
        notes.append("A made-up example of the format: no figure of it means anything.")
    elif len(streams) < _PEOPLE_MIN or min(decisions) < _DECISIONS_MIN:
        notes.append(
            f"Fewer than the {_PEOPLE_MIN} people with {_DECISIONS_MIN} decisions each that the "
            "experiment was registered for."
        )
    finding = examine(streams, _embed()).as_data()
    sheets = _sheets(finding, "", notes)
    _show(sheets, {"grade": "E", "notes": notes, **finding}, as_json=as_json)


def _published(path: Path | None, population: Sequence[int] | None, jobs: int) -> None:
    from hivebot.bench.proxy.published import FILE, differences, people_of
    from hivebot.bench.proxy.published import published as read

    every = read(path or FILE)
    before = [every[number - 1] for number in population] if population else every
    policies = [people_of(each) for each in before]
    wrong = 0
    for policy, old, now in zip(policies, before, _examined(policies, jobs), strict=True):
        _show(_sheets(now, f"{policy.name}: ", [_MADE_UP]), {}, as_json=False)
        found = differences(old, now)
        for each in found:
            typer.echo(f"DIFFERS: {each.place}: published {each.published}, now {each.found}")
        wrong += len(found)
    typer.echo(f"{wrong} cells differ" if wrong else "Every published figure came out again.")
    raise typer.Exit(1 if wrong else 0)


def _examined(policies: Sequence[GeneratorPolicy], jobs: int) -> Iterator[dict[str, object]]:
    from hivebot.entrypoints.benches.reporting import bar

    with bar("populations", len(policies)) as step:
        if jobs == 1 or len(policies) == 1:
            for policy in policies:
                yield examined(policy)
                step(1)
            return
        # a fresh interpreter each: the tokenizer's threads do not survive a fork
        with ProcessPoolExecutor(min(jobs, len(policies)), get_context("spawn")) as pool:
            for finding in pool.map(examined, policies):
                yield finding
                step(1)


def _embed() -> Embed:
    from hivebot.adapters.embeddings.wordllama import WordLlamaEmbedder

    return cast("Embed", WordLlamaEmbedder().embed_now)


def _sheets(finding: Mapping[str, Any], prefix: str, notes: Sequence[str]) -> list[Sheet]:
    from hivebot.entrypoints.benches.reporting import Sheet

    sheets = [
        Sheet(f"{prefix}{table['title']}", tuple(table["columns"]), table["rows"])
        for table in finding["tables"]
    ]
    said = (f"{_CLASS_E}. {finding['verdict']}", *notes)
    return [*sheets[:-1], replace(sheets[-1], notes=said)]


# --- speed --------------------------------------------------------------------------------------


def _sizes(written: str) -> list[int]:
    try:
        counts = [int(each) for each in written.split(",")]
    except ValueError:
        counts = []
    if not counts or min(counts) < 1:
        refuse("--sizes are numbers of chunks, with commas")
    return counts


def _stored(chunks: int, rounds: int) -> tuple[StoredSpeed, ...]:
    from hivebot.adapters.db.embedded import EmbeddedPostgresError
    from hivebot.entrypoints import memory_speed
    from hivebot.entrypoints.benches.database import thrown_away
    from hivebot.entrypoints.benches.reporting import bar

    try:
        with thrown_away() as place, bar("retrieving", 2 * rounds) as step:
            return asyncio.run(memory_speed.measure(place, rounds, chunks, progress=step))
    except EmbeddedPostgresError as error:
        refuse(str(error))


def _speed_sheet(speeds: Sequence[Speed], stored: Sequence[StoredSpeed]) -> Sheet:
    from hivebot.entrypoints.benches.reporting import Sheet

    rows = [
        (
            "arrays",
            f"{each.chunks:,}",
            "most",
            _ms(each.arrays_s),
            _ms(each.p95_s),
            "-" if each.scan_s is None else _ms(each.scan_s),
            "-" if each.gain is None else f"{each.gain:.0f}x",
        )
        for each in speeds
    ]
    scans = {each.chunks: each.scan_s for each in speeds}
    for each in stored:
        scan = scans.get(each.chunks)
        median = each.times.median / 1000
        rows.append(
            (
                f"database, {each.what}",
                f"{each.chunks:,}",
                f"{each.survivors:,}",
                _ms(median),
                _ms(each.times.p95 / 1000),
                "-" if scan is None else _ms(scan),
                "-" if scan is None else f"{scan / median:.0f}x",
            )
        )
    columns = ("retrieval", "chunks", "survivors", "median ms", "p95", "JSON scan ms", "gain")
    return Sheet("Top 10 of chunks with five vectors of 256 numbers", columns, rows)


def _error_sheet(errors: Sequence[Any]) -> Sheet:
    from hivebot.entrypoints.benches.reporting import Sheet

    return Sheet(
        title="Activation after compaction to the newest k traces (Petrov's hybrid), error",
        columns=("uses", "k", "mean", "p95", "worst", "beyond its bound"),
        rows=[
            (
                each.history,
                str(each.keep),
                f"{each.mean:.3f}",
                f"{each.p95:.3f}",
                f"{each.worst:.3f}",
                str(each.beyond_bound),
            )
            for each in errors
        ],
        notes=["Exact activation over all traces is the default; above 256 traces 32 are kept."],
    )


def aims_of(speeds: Sequence[Speed]) -> list[Aim]:
    """Say what the speed is meant to be, of the sizes that were measured."""
    from hivebot.entrypoints.benches.reporting import Aim

    by_size = {each.chunks: each for each in speeds}
    aims: list[Aim] = []
    middle, large = by_size.get(10_000), by_size.get(100_000)
    if middle is not None and middle.gain is not None:
        claim = f"at 10,000 chunks at least {_GAIN_MIN} times faster than a scan of JSON"
        aims.append(Aim(claim, middle.gain >= _GAIN_MIN, f"{middle.gain:.0f}"))
    if middle is not None and large is not None:
        ratio = large.arrays_s / middle.arrays_s
        claim = f"at 100,000 chunks under {_GROWTH_MAX} times the time at 10,000"
        aims.append(Aim(claim, ratio < _GROWTH_MAX, f"{ratio:.1f}"))
    return aims


def _speed_data(each: Speed) -> dict[str, object]:
    return {
        "chunks": each.chunks,
        "median_ms": round(each.arrays_s * 1000, 3),
        "p95_ms": round(each.p95_s * 1000, 3),
        "json_scan_ms": None if each.scan_s is None else round(each.scan_s * 1000, 1),
        "gain": None if each.gain is None else round(each.gain, 1),
    }


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f}"


def _show(
    sheets: Sequence[Sheet],
    data: Mapping[str, object],
    *,
    as_json: bool,
    aims: Sequence[Aim] = (),
) -> None:
    """Print what was found; figures of time say on what they were measured."""
    from hivebot.adapters.clock import SystemClock
    from hivebot.entrypoints.benches.machine import describe
    from hivebot.entrypoints.benches.reporting import show

    if not aims and "arrays" not in data:
        show(sheets, data, as_json=as_json)
        return
    machine = describe(SystemClock().now())
    noted = [replace(sheets[0], notes=(*sheets[0].notes, str(machine))), *sheets[1:]]
    show(noted, {"machine": machine.as_json(), **data}, as_json=as_json, aims=aims)
