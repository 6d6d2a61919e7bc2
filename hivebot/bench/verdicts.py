"""How are published figures and ours shown beside each other?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final

from rich.table import Table
from rich.text import Text

from hivebot.bench.reproduce import Line, Verdict, failed

_COLOURS: Final = {
    Verdict.EQUAL: "green",
    Verdict.DIFFERS: "bold red",
    Verdict.EXPLAINED: "yellow",
}
_HEADER: Final = ("arm", "measure", "class", "published", "ours", "95% of ours", "verdict")


def verdict_table(title: str, lines: Sequence[Line]) -> Table:
    """Lay out the figures of one run."""
    table = Table(title=title, title_justify="left", caption_justify="left")
    for name in _HEADER:
        table.add_column(name, overflow="fold")
    for line in lines:
        *cells, verdict = _cells(line)
        table.add_row(*cells, Text(verdict, style=_COLOURS[line.verdict]))
    table.caption = "; ".join(_notes(lines)) or None
    return table


def by_run(lines: Sequence[Line]) -> Iterator[tuple[str, list[Line]]]:
    """Group lines by the run they come from, in order."""
    for title, group in groupby(lines, key=attrgetter("title")):
        yield title, list(group)


def summary(lines: Sequence[Line]) -> str:
    """Say in one line how many figures came out."""
    equal = sum(line.verdict is Verdict.EQUAL for line in lines)
    noted = sum(line.verdict is Verdict.EXPLAINED for line in lines)
    return (
        f"{len(lines)} figures: {equal} equal digit for digit, {noted} differ as noted, "
        f"{len(failed(lines))} differ and should not"
    )


def as_markdown(lines: Sequence[Line]) -> str:
    """Write all lines for the documentation: one table for each section, runs named once."""
    parts: list[str] = []
    for section, group in groupby(lines, key=_section):
        in_section = list(group)
        header = ("run", *_HEADER)
        parts += [f"### Section {section}", "", _row(header), _row(["---"] * len(header))]
        for title, of_run in by_run(in_section):
            run = title.removeprefix(f"{section} ")
            for place, line in enumerate(of_run):
                parts.append(_row(["" if place else run, *_cells(line)]))
        parts += ["", *(f"Note: {note}.\n" for note in _notes(in_section))]
    return "\n".join(parts).strip() + "\n"


def _section(line: Line) -> str:
    return line.title.partition(" ")[0]


def _cells(line: Line) -> list[str]:
    figure = line.figure
    return [
        figure.arm,
        figure.measure,
        figure.grade.value,
        figure.published,
        line.ours,
        line.interval,
        line.verdict.value,
    ]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _notes(lines: Sequence[Line]) -> list[str]:
    return list(dict.fromkeys(line.figure.note for line in lines if line.figure.note))
