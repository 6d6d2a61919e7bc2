"""What does an operator see and do about what waits? `hivebot queue`, `pause` and `resume`.

Source: product.md 9, datapath.md 4.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Annotated, Final, NoReturn, TypeVar

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hivebot.entrypoints.reading import quiet, refusals, stored
from hivebot.entrypoints.terminal import printable
from hivebot.services.alarms import Limits
from hivebot.services.operations import Done, Operations
from hivebot.services.ports.operating import Overview
from hivebot.settings import Settings, load_settings

T = TypeVar("T")

USAGE_EXIT: Final = 2
ALARM_EXIT: Final = 1
_PIPED_WIDTH: Final = 140
_ID: Final = re.compile(r"P?([0-9]{1,18})")

app = typer.Typer(
    name="queue",
    help="Say what waits, since when and behind what; try failed posts again.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
)

Place = Annotated[
    str,
    typer.Argument(help="A desk's id or a channel's; without it: everything.", show_default=False),
]


@app.callback()
def queue(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say what waits, since when and behind what; what is held, and what could not be posted."""
    if context.invoked_subcommand is not None:
        return
    found, now = _run(_look)
    if as_json:
        import json

        from pydantic_core import to_jsonable_python

        sys.stdout.write(json.dumps(to_jsonable_python(found), indent=2) + "\n")
        return
    _show(_console(), found, now)


@app.command()
def retry(
    posts: Annotated[
        list[str] | None, typer.Argument(help="References of posts, as P12.", show_default=False)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every post that is listed.")] = False,
) -> None:
    """Send posts again that Slack refused; look first for those that may stand there already."""
    wanted = [_number(one) for one in posts or []]
    if bool(wanted) is every:
        _refuse("name the posts to try again, or give --all")

    async def use(operations: Operations) -> tuple[list[int], tuple[int, ...]]:
        ids = wanted
        if every:
            ids = [one.outbox_id for one in (await operations.look()).unposted]
        return ids, await operations.retry(ids)

    ids, done = _run(use)
    typer.echo(f"{_listed(done)} queued again." if done else "Nothing is tried again.")
    left = [one for one in ids if one not in done]
    if left:
        typer.echo(f"{_listed(left)} left: neither failed nor unknown, or its text is not kept.")


@app.command()
def drop(post: Annotated[str, typer.Argument(help="Reference of a post, as P12.")]) -> None:
    """Give a post up that waits and was never posted."""
    number = _number(post)
    if not _run(lambda operations: operations.drop(number)):
        _refuse(f"P{number} does not wait, or stands in Slack already")
    typer.echo(f"P{number} will not be posted.")


@app.command()
def check(
    turn_s: Annotated[int, typer.Option(min=1, help="Oldest open turn, in seconds.")] = 300,
    post_s: Annotated[int, typer.Option(min=1, help="Oldest post that nothing holds.")] = 300,
    unposted: Annotated[int, typer.Option(min=0, help="Posts refused or unknown.")] = 0,
    spent_pct: Annotated[int, typer.Option(min=1, max=100, help="Of a desk's day.")] = 90,
) -> None:
    """Say what an operator should look at; for a monitor that runs it every minute.

    Exit status 0: all is well. 1: each line is something. 78: the database cannot be asked.
    """
    limits = Limits(turn_s, post_s, unposted, spent_pct)
    found = _run(lambda operations: operations.alarms(limits))
    for line in found:
        typer.echo(printable(line))
    raise typer.Exit(ALARM_EXIT if found else 0)


def pause(place: Place = "") -> None:
    """Hold every post at once, of a desk or of everything; nothing is lost."""
    _set(place, lambda operations: operations.pause(place), "held")


def resume(place: Place = "") -> None:
    """Let posts go on, in order, of a desk or of everything, whoever has paused them."""
    _set(place, lambda operations: operations.resume(place), "not held any more")


def _set(place: str, use: Callable[[Operations], Awaitable[Done]], now: str) -> None:
    done = _run(use)
    if done is Done.UNKNOWN_PLACE:
        _refuse(f"there is no desk and no channel {place!r}")
    if done is Done.NO_WORKSPACE:
        _refuse("no workspace is known yet: start a process once")
    typer.echo(f"Posts of {place or 'every channel'} are {now}.")


async def _look(operations: Operations) -> tuple[Overview, datetime]:
    return await operations.look(), operations.now()


def _run(use: Callable[[Operations], Awaitable[T]]) -> T:
    with refusals():
        settings = load_settings()
        quiet(settings)
        return asyncio.run(_opened(settings, use))
    raise AssertionError  # pragma: no cover - refusals ends the process


async def _opened(settings: Settings, use: Callable[[Operations], Awaitable[T]]) -> T:
    async with stored(settings) as store:
        return await use(Operations(store.work, store.policies, store.clock))


def _console() -> Console:
    """As wide as the terminal; wide enough for every column where there is none."""
    width = None if sys.stdout.isatty() else _PIPED_WIDTH
    return Console(file=sys.stdout, highlight=False, width=width)


def _show(console: Console, found: Overview, now: datetime) -> None:
    if not (found.waiting or found.held or found.unposted):
        console.print("Nothing waits, nothing is held, nothing has failed.")
        return
    if found.waiting:
        rows = [
            (one.kind, one.where, str(one.count), _ago(now, one.since), one.behind or "its turn")
            for one in found.waiting
        ]
        console.print(_table(("waits", "where", "how many", "since", "behind"), rows))
    for held in found.held:
        place = held.channel_id or "everything"
        until = f", until {held.until:%H:%M:%S} UTC" if held.until else ""
        console.print(Text(f"held: {place} of {held.team_id}: {printable(held.why)}{until}"))
    if found.unposted:
        rows = [
            (f"P{one.outbox_id}", one.channel_id, one.state, _ago(now, one.created_at), one.error)
            for one in found.unposted
        ]
        console.print(_table(("not posted", "where", "state", "since", "Slack said"), rows))
        console.print("Try again: hivebot queue retry P…")


def _table(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    return table


def _ago(now: datetime, then: datetime) -> str:
    seconds = max(0, int((now - then).total_seconds()))
    if seconds < 120:
        return f"{seconds} s"
    return f"{seconds // 60} min" if seconds < 7200 else f"{seconds // 3600} h"


def _listed(numbers: tuple[int, ...] | list[int]) -> str:
    return ", ".join(f"P{one}" for one in numbers)


def _number(reference: str) -> int:
    found = _ID.fullmatch(reference)
    if found is None:
        _refuse(f"{reference!r} is no reference of a post, such as P12")
    return int(found[1])


def _refuse(problem: str) -> NoReturn:
    typer.echo(f"hivebot queue: {printable(problem)}", err=True)
    raise typer.Exit(USAGE_EXIT)
