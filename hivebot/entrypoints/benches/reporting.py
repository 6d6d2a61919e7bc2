"""How is a result shown? A table for people, JSON for programs, and a bar while it is measured."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from hivebot.entrypoints.benches.timing import Times

PIPED_WIDTH: Final = 160
"""Columns of what is printed to a file; a terminal has its own."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table as data; every row has a cell for each column.

    Attributes:
        notes: Sentences below it.
        words: Columns, from the left, that hold words and not figures.
    """

    title: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    words: int = 1


@dataclass(frozen=True, slots=True)
class Aim:
    """What a figure is meant to be, and whether it is."""

    claim: str
    met: bool
    found: str

    def __str__(self) -> str:
        return f"{'met' if self.met else 'NOT MET'}: {self.claim} ({self.found})"

    def as_json(self) -> dict[str, object]:
        """The same as data."""
        return {"claim": self.claim, "met": self.met, "found": self.found}


def show(
    sheets: Sequence[Sheet],
    data: Mapping[str, object],
    *,
    as_json: bool,
    aims: Sequence[Aim] = (),
    out: TextIO | None = None,
) -> None:
    """Print a result.

    Colours and lines bend to the place it is printed to: a pipe gets plain text.

    Args:
        sheets: For people.
        data: For programs; one object.
        as_json: Which of the two.
        aims: Said below the tables, and added to the data.
        out: None is the standard output.
    """
    target = out or sys.stdout
    if as_json:
        found = {**data, "aims": [aim.as_json() for aim in aims]} if aims else dict(data)
        target.write(json.dumps(found, indent=2, ensure_ascii=False) + "\n")
        return
    console = Console(file=target, highlight=False)
    if not console.is_terminal:
        console.width = PIPED_WIDTH
    for sheet in sheets:
        console.print(Text(sheet.title, style="bold"))
        console.print(_table(sheet))
        for note in sheet.notes:
            console.print(Text(note))
    for aim in aims:
        console.print(Text(str(aim), style="green" if aim.met else "bold red"))


@contextmanager
def bar(what: str, total: int, err: TextIO | None = None) -> Generator[Callable[[int], None]]:
    """Show how far it is, on a terminal only; gives what is told of each step."""
    console = Console(file=err or sys.stderr)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as shown:
        task = shown.add_task(what, total=total)

        def step(done: int) -> None:
            shown.advance(task, done)

        yield step


def milliseconds(times: Times) -> tuple[str, ...]:
    """Cells of a table: median, p95, p99, worst."""
    return tuple(f"{value:.1f}" for value in (times.median, times.p95, times.p99, times.worst))


def _table(sheet: Sheet) -> Table:
    table = Table(box=None, pad_edge=False)
    for place, column in enumerate(sheet.columns):
        figures = place >= sheet.words
        table.add_column(column, justify="right" if figures else "left", overflow="fold")
    for row in sheet.rows:
        table.add_row(*(Text(cell) for cell in row))
    return table
