"""How is a published figure written down together with the run it comes from?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, TypeAlias

from hivebot.bench.arms import RoomRun
from hivebot.bench.runs import Run

NOTHING: Final = "-"
"""A cell nothing was published for."""

CORRECT: Final = "correct%"
"""What a column measures that only names an arm."""


class Class(StrEnum):
    """How far a figure can be reproduced."""

    EXACT = "E"
    HISTORICAL = "H"
    AMBIGUOUS = "A"


@dataclass(frozen=True, slots=True)
class Figure:
    """One published figure.

    Attributes:
        arm: Of the run.
        measure: What was measured of it.
        published: As it was printed.
        grade: How far it can be reproduced.
        note: By which switch, or why not.
    """

    arm: str
    measure: str
    published: str
    grade: Class = Class.EXACT
    note: str = ""


@dataclass(frozen=True, slots=True)
class RunCase:
    """One run and everything that was published of it.

    Attributes:
        title: Section of bench-figures.md, and how the run is asked for.
        run: The run.
        figures: In the order of the table.
    """

    title: str
    run: Run
    figures: tuple[Figure, ...]

    def graded(self, grade: Class, note: str) -> RunCase:
        """Give the case with all figures of another class."""
        figures = tuple(replace(figure, grade=grade, note=note) for figure in self.figures)
        return replace(self, figures=figures)


@dataclass(frozen=True, slots=True)
class SweepCase:
    """One sweep over the policies of hive+ and what was published of it.

    Attributes:
        title: Section of bench-figures.md, and how the sweep is asked for.
        base: What all runs of it have in common.
        figures: In the order of the text.
    """

    title: str
    base: RoomRun
    figures: tuple[Figure, ...]


Case: TypeAlias = RunCase | SweepCase


def table(title: str, run: Run, text: str) -> RunCase:
    """Read one table whose rows are arms; its header names the measures.

    The run plays the arms of the table and no other.
    """
    header, *rows = (line.split() for line in text.strip().splitlines())
    figures = tuple(
        Figure(row[0], measure, cell.replace("[", " [").replace(",", ", "))
        for row in rows
        for measure, cell in zip(header[1:], row[1:], strict=True)
        if cell != NOTHING
    )
    return RunCase(title, _narrowed(run, figures), figures)


def grid(title: str, build: Callable[[dict[str, int]], Run], vary: int, text: str) -> list[RunCase]:
    """Read one table whose rows are runs.

    Args:
        title: Of the table; what varies is added.
        build: Makes the run of a row from its first columns.
        vary: How many of the columns make the run.
        text: Header and rows. A column names an arm, or an arm and a measure as `arm:measure`.
    """
    header, *rows = (line.split() for line in text.strip().splitlines())
    cases: list[RunCase] = []
    for row in rows:
        settings = {name: int(cell) for name, cell in zip(header[:vary], row[:vary], strict=True)}
        figures = tuple(
            _column(column, cell)
            for column, cell in zip(header[vary:], row[vary:], strict=True)
            if cell != NOTHING
        )
        shown = ", ".join(f"{name} {value}" for name, value in settings.items())
        run = _narrowed(build(settings), figures)
        cases.append(RunCase(f"{title}, {shown}", run, figures))
    return cases


def _column(column: str, cell: str) -> Figure:
    arm, _, measure = column.partition(":")
    return Figure(arm, measure or CORRECT, cell)


def _narrowed(run: Run, figures: tuple[Figure, ...]) -> Run:
    """Leave only the arms that something was published of; a gain needs the vote as well."""
    arms = dict.fromkeys(figure.arm for figure in figures)
    if any(figure.measure == "gain" for figure in figures):
        arms.setdefault("vote")
    return replace(run, arms=tuple(arms))
