"""What does `hivebot memory …` show of a proxy's memory, and what does it change?

Only `forget` and `reembed` write. Source: product.md 7, memory.md 2 and 9.2.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Annotated, NoReturn, TypeVar

import typer

from hivebot.adapters.clock import SystemClock
from hivebot.adapters.config_files import load
from hivebot.entrypoints.embedding import named_embedder
from hivebot.entrypoints.reading import quiet, refusals, stored
from hivebot.entrypoints.terminal import printable
from hivebot.proxy.activation import threshold_for_single
from hivebot.proxy.errors import InvalidBoundError
from hivebot.proxy.retrieval import SEED, Normalization, RetrievalPolicy
from hivebot.services.memory import MemoryKeeping, Reembedded
from hivebot.services.ports import Transaction, UnitOfWork
from hivebot.services.ports.embedding import Embedder
from hivebot.services.records.memories import MemoryRow, RememberedChunk
from hivebot.services.records.policy import Configuration, EmbedderConfig
from hivebot.settings import Settings, load_settings

T = TypeVar("T")

app = typer.Typer(
    name="memory",
    help="Look into what the proxies remember, take it along, calibrate it, forget it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

_USAGE_EXIT = 2
_INTERRUPTED_EXIT = 130
_PAGE = 500
_SCORES = 5

Proxy = Annotated[str, typer.Argument(help="Whose memory: the desk's id.", show_default=False)]
Team = Annotated[str, typer.Option("--team", help="Of this workspace, where several have it.")]
Tau = Annotated[
    float | None,
    typer.Option("--tau", help="Activation threshold. Default: the desk's.", show_default=False),
]
RememberSingleFor = Annotated[
    int | None,
    typer.Option(
        "--remember-single-for",
        min=1,
        help="The same, written as the interactions for which something used once is remembered.",
        show_default=False,
    ),
]
Scaling = Annotated[
    Normalization | None,
    typer.Option(
        "--normalization", help="How activation counts. Default: the desk's.", show_default=False
    ),
]


class Unknown(Exception):  # noqa: N818 - it is said, not raised further
    """There is no such memory or chunk."""


@app.command("list")
def list_memories(
    proxy: Annotated[
        str, typer.Argument(help="List its chunks. Default: every memory.", show_default=False)
    ] = "",
    team: Team = "",
) -> None:
    """List the memories, or the chunks of one with their activation now."""
    from hivebot.entrypoints import memory_views as views
    from hivebot.entrypoints.benches.reporting import Sheet, show

    async def every(tx: Transaction) -> list[tuple[str, ...]]:
        memories = await tx.memories.every()
        return views.memory_rows(
            [
                (
                    each,
                    await tx.memories.chunks(each.id, vectors=False),
                    await tx.memories.depth(each.id),
                )
                for each in memories
            ]
        )

    async def one(tx: Transaction) -> list[Sheet]:
        memory = await _memory(tx, proxy, team)
        chunks = await tx.memories.chunks(memory.id, vectors=False)
        accuracies = await tx.memories.accuracies(memory.id)
        sheets = [views.chunk_sheet(memory, chunks)]
        return [*sheets, views.accuracy_sheet(accuracies)] if accuracies else sheets

    if proxy:
        sheets = _read(one)
    else:
        columns = ("proxy", "workspace", "clock", "chunks", "hidden", "contexts", "no vectors")
        sheets = [Sheet("Memories", columns, _read(every), words=2)]
    show(sheets, {}, as_json=False)


@app.command("show")
def show_chunk(
    proxy: Proxy,
    chunk: Annotated[str, typer.Argument(help="Id of the chunk, as listed.")],
    team: Team = "",
    tau: Tau = None,
    remember_single_for: RememberSingleFor = None,
) -> None:
    """Show one chunk: its texts, its activation over interactions, its last scores in parts."""
    from hivebot.entrypoints import memory_views as views
    from hivebot.entrypoints.benches.reporting import Sheet, show

    policy = _policy(proxy, tau, remember_single_for)

    async def read(tx: Transaction) -> tuple[list[str], Sheet | None]:
        memory = await _memory(tx, proxy, team)
        found = await tx.memories.chunk(memory.id, chunk)
        if found is None:
            raise Unknown(f"the memory of {proxy} holds no chunk {chunk}")
        kept = [
            (row, parts)
            for row in await tx.memories.recalls(memory.id, chunk, limit=_SCORES)
            for parts in row.recall.hits
            if parts.chunk_id == chunk
        ]
        lines = views.chunk_lines(found, memory.clock, policy)
        return lines, views.parts_sheet(kept) if kept else None

    lines, sheet = _read(read)
    for line in lines:
        typer.echo(line)
    if sheet is not None:
        typer.echo()
        show([sheet], {}, as_json=False)


@app.command("export")
def export_chunks(
    proxy: Proxy,
    out: Annotated[
        Path | None, typer.Option("--out", help="A file. Default: standard output.")
    ] = None,
    team: Team = "",
    vectors: Annotated[bool, typer.Option("--vectors", help="With the vectors.")] = False,
) -> None:
    """Write every chunk as one line of JSON, hidden ones too, in the order they were remembered."""
    from hivebot.entrypoints import memory_views as views

    async def run(work: UnitOfWork) -> int:
        async with work.begin() as tx:
            memory = await _memory(tx, proxy, team)
        after = count = 0
        with out.open("w", encoding="utf-8") if out else nullcontext(sys.stdout) as target:
            while True:
                async with work.begin() as tx:
                    page = await tx.memories.chunks(memory.id, after, _PAGE, vectors=vectors)
                for each in page:
                    target.write(views.exported(each, vectors=vectors) + "\n")
                if not page:
                    return count
                after, count = page[-1].chunk.sequence, count + len(page)

    count = _run(run)
    if out is not None:
        typer.echo(f"{_counted(count)} written to {out}")


@app.command()
def forget(
    proxy: Annotated[
        str, typer.Argument(help="Whose memory: the desk's id.", show_default=False)
    ] = "",
    chunks: Annotated[
        list[str] | None, typer.Argument(help="Ids of chunks.", show_default=False)
    ] = None,
    user: Annotated[
        str, typer.Option("--user", help="Instead: all a person said or decided, in any memory.")
    ] = "",
    everything: Annotated[
        bool, typer.Option("--all", help="Instead: the whole memory with its clock.")
    ] = False,
    team: Team = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete for good, at once: chunks by id, all of one person's, or a whole memory."""
    named = chunks or []
    if sum((bool(named), bool(user), everything)) != 1 or bool(user) == bool(proxy):
        _refuse("name chunks of one memory, or --user U…, or one memory and --all")
    what = f"all of {user}" if user else f"{', '.join(named) or 'everything'} of {proxy}"
    if not yes:
        typer.confirm(f"Forget {printable(what)} for good?", abort=True)

    async def erase(tx: Transaction) -> str:
        if user:
            return _counted(await tx.memories.erase_user(user))
        memory = await _memory(tx, proxy, team)
        if everything:
            held = await tx.memories.chunks(memory.id, vectors=False)
            await tx.memories.forget_memory(memory.id)
            return _counted(len(held))
        gone = await tx.memories.forget(memory.id, named)
        unknown = [each for each in named if each not in gone]
        return _counted(len(gone)) + (f"; unknown: {', '.join(unknown)}" if unknown else "")

    typer.echo(f"forgotten: {printable(_read(erase))}")


@app.command()
def calibrate(
    proxy: Proxy,
    team: Team = "",
    tau: Tau = None,
    remember_single_for: RememberSingleFor = None,
    normalization: Scaling = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Replay the desk's own gates over thresholds, and recommend; nothing is changed.

    Each gate a person decided is foretold from what was remembered before it, by the vote of the
    memories above the threshold.
    """
    from hivebot.bench.proxy.own_gates import Interaction
    from hivebot.bench.proxy.own_gates import calibrate as replay
    from hivebot.entrypoints import memory_views as views
    from hivebot.entrypoints.benches.reporting import show

    policy = _policy(proxy, tau, remember_single_for)
    if normalization is not None:
        policy = replace(policy, normalization=normalization)

    async def read(tx: Transaction) -> tuple[RememberedChunk, ...]:
        return await tx.memories.chunks((await _memory(tx, proxy, team)).id)

    past = [Interaction(each.chunk, each.by_human) for each in _read(read)]
    advice = replay(past, policy)
    show([views.advice_sheet(advice)], views.advice_data(advice), as_json=as_json)


@app.command()
def reembed(
    proxy: Annotated[
        str, typer.Argument(help="Only its chunks. Default: all.", show_default=False)
    ] = "",
    model: Annotated[
        str,
        typer.Option(
            "--embedder",
            help="wordllama, or provider and model: openai:… Default: the configuration's.",
        ),
    ] = "",
    base_url: Annotated[
        str, typer.Option("--base-url", help="A server that speaks the provider's protocol.")
    ] = "",
    team: Team = "",
) -> None:
    """Give every chunk the vectors of a model; may be interrupted, and goes on where it stopped.

    What an embedder that failed has left without vectors is embedded as well.
    """
    from hivebot.entrypoints.benches.reporting import bar

    async def run(work: UnitOfWork, chosen: Embedder) -> Reembedded:
        memory_id = None
        async with work.begin() as tx:
            if proxy:
                memory_id = (await _memory(tx, proxy, team)).id
            total = await tx.memories.count_unembedded(chosen.model, memory_id)
        done = 0
        with bar("embedding", total) as step:

            def advance(now: int, _total: int) -> None:
                nonlocal done
                step(now - done)
                done = now

            return await MemoryKeeping(work, SystemClock()).reembed(chosen, memory_id, advance)

    try:
        chosen = _configuration().embedder if not model else EmbedderConfig(model, base_url)
        found = _run(lambda work: run(work, _embedder(chosen)))
    except KeyboardInterrupt:
        typer.echo("interrupted: what was done is kept; run it again to go on", err=True)
        raise typer.Exit(_INTERRUPTED_EXIT) from None
    skipped = f", {_counted(found.skipped)} passed over" if found.skipped else ""
    typer.echo(f"{_counted(found.embedded)} embedded by {printable(chosen.model)}{skipped}")


async def _memory(tx: Transaction, proxy: str, team: str) -> MemoryRow:
    """The one memory meant.

    Raises:
        Unknown: there is none, or several workspaces have one.
    """
    every = await tx.memories.every()
    found = [each for each in every if each.proxy == proxy and team in {"", each.team_id}]
    if len(found) == 1:
        return found[0]
    if found:
        teams = ", ".join(each.team_id for each in found)
        raise Unknown(f"several workspaces have a memory of {proxy}: name one by --team ({teams})")
    known = ", ".join(dict.fromkeys(each.proxy for each in every)) or "none yet"
    raise Unknown(f"there is no memory of {proxy}; there are: {known}")


def _read(use: Callable[[Transaction], Awaitable[T]]) -> T:
    """Do something in one transaction."""

    async def run(work: UnitOfWork) -> T:
        async with work.begin() as tx:
            return await use(tx)

    return _run(run)


def _run(body: Callable[[UnitOfWork], Awaitable[T]]) -> T:
    """Do something with the configured database; what cannot be done is said."""
    with refusals():
        return asyncio.run(_opened(_settings(), body))
    raise AssertionError  # pragma: no cover - refusals ends the process


async def _opened(settings: Settings, body: Callable[[UnitOfWork], Awaitable[T]]) -> T:
    async with stored(settings) as store:
        try:
            return await body(store.work)
        except Unknown as problem:
            _refuse(str(problem))


def _settings() -> Settings:
    settings = load_settings()
    quiet(settings)
    return settings


def _configuration() -> Configuration:
    with refusals():
        return load(load_settings().config).configuration
    raise AssertionError  # pragma: no cover - refusals ends the process


def _embedder(chosen: EmbedderConfig) -> Embedder:
    return named_embedder(chosen, load_settings().model_environment())


def _policy(proxy: str, tau: float | None, remember_single_for: int | None) -> RetrievalPolicy:
    """The desk's own bounds, or the seed's for one that is not configured any more."""
    if tau is not None and remember_single_for is not None:
        _refuse("--tau and --remember-single-for are two ways to write one number: give one")
    try:
        if remember_single_for is not None:
            tau = threshold_for_single(remember_single_for)
        desk = _configuration().desk(proxy)
        bounds = desk.memory if desk is not None else SEED
        return bounds if tau is None else replace(bounds, retrieval_threshold=tau)
    except InvalidBoundError as problem:
        _refuse(str(problem))


def _counted(count: int) -> str:
    return f"{count} chunk" if count == 1 else f"{count} chunks"


def _refuse(problem: str) -> NoReturn:
    typer.echo(f"hivebot memory: {printable(problem)}", err=True)
    raise typer.Exit(_USAGE_EXIT)
