"""Which figures of the experiment were published, and do they come out again digit for digit?

Class E: deterministic, offline, no model of a language. Made-up people show where each predictor
breaks; their figures are never quoted as accuracy.

Source: proxy-experiment.md (data, pass, fail).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, cast

from hivebot.bench.proxy.ablations import ablations
from hivebot.bench.proxy.decisions import DecisionStream, halves
from hivebot.bench.proxy.experiment import SEED, run
from hivebot.bench.proxy.features import Embed
from hivebot.bench.proxy.generator import GeneratorPolicy, generate
from hivebot.bench.proxy.tables import Table, tables, verdict

FILE: Final = Path(__file__).with_name("published.json")
EXAMPLE: Final = Path(__file__).with_name("synthetic-example.jsonl")
"""A small file of made-up decisions, to show the format: no figure of it means anything."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What the experiment found on some streams.

    Attributes:
        tables: Its tables, then the ablations at the chosen policy on the test half.
        verdict: What the evidence carries.
    """

    tables: tuple[Table, ...]
    verdict: str

    def as_data(self) -> dict[str, object]:
        """The same as JSON has it."""
        return {"tables": [_plain(asdict(each)) for each in self.tables], "verdict": self.verdict}


@dataclass(frozen=True, slots=True)
class Difference:
    """A published cell, or row, that came out differently."""

    place: str
    published: str
    found: str


def examine(streams: Sequence[DecisionStream], embed: Embed, seed: int = SEED) -> Findings:
    """Run the experiment on some streams, and ablate the memories of the test half."""
    report = run(streams, embed, seed)
    _, testing = halves(streams, seed)
    return Findings((*tables(report), *ablations(testing, embed, report.chosen)), verdict(report))


def examine_made_up(policy: GeneratorPolicy, embed: Embed) -> dict[str, object]:
    """Run it on made-up people, and say of whom it is."""
    return {"people": asdict(policy), **examine(generate(policy), embed).as_data()}


def published(path: Path = FILE) -> list[dict[str, object]]:
    """Read the published findings, one of each population."""
    return cast("list[dict[str, object]]", json.loads(path.read_text("utf-8"))["populations"])


def people_of(finding: Mapping[str, object]) -> GeneratorPolicy:
    """Say which people a published finding is of."""
    return GeneratorPolicy(**cast("dict[str, int]", finding["people"]))


def differences(before: Mapping[str, object], now: Mapping[str, object]) -> tuple[Difference, ...]:
    """Compare two findings cell by cell; a row or table that is missing counts as one."""
    left, right = _cells(before), _cells(now)
    return tuple(
        Difference(place, left.get(place, "(nothing)"), right.get(place, "(nothing)"))
        for place in dict.fromkeys((*left, *right))
        if left.get(place) != right.get(place)
    )


def _cells(finding: Mapping[str, object]) -> dict[str, str]:
    cells = {"verdict": str(finding["verdict"])}
    for table in cast("list[dict[str, object]]", finding["tables"]):
        cells.update(_table_cells(table))
    return cells


def _table_cells(table: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    columns = cast("list[str]", table["columns"])
    for number, row in enumerate(cast("list[list[str]]", table["rows"])):
        for column, cell in zip(columns, row, strict=True):
            yield f"{table['title']}, row {number + 1} ({row[0]}), {column or 'last'}", cell


def _plain(value: object) -> object:
    """Lists for tuples, as they are read back."""
    return json.loads(json.dumps(value))
