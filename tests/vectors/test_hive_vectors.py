"""Does every fold answer the project's worked cases?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hivebot.entrypoints.fold import Case, decode_cases, parse_json, run_cases
from hivebot.entrypoints.folds import FOLDS

DATA = Path(__file__).parent / "data"


def _files() -> dict[str, Path]:
    return {path.stem: path for path in sorted(DATA.glob("*.json"))}


def _cases() -> list[tuple[str, Case]]:
    return [
        (name, case)
        for name, path in _files().items()
        for case in decode_cases(parse_json(path.read_bytes()))
    ]


@pytest.mark.parametrize(
    ("name", "case"),
    [pytest.param(name, case, id=f"{name}: {case.name}") for name, case in _cases()],
)
def test_a_worked_case_is_answered_as_written(name: str, case: Case) -> None:
    assert run_cases(name, [case]) == []


def test_every_file_of_cases_has_a_fold_and_every_fold_has_a_file() -> None:
    assert {name for name in FOLDS if not name.startswith("memory.")} == set(_files())


@pytest.mark.parametrize(("name", "path"), _files().items())
def test_the_names_within_one_file_are_unique(name: str, path: Path) -> None:
    names = [case.name for case in decode_cases(parse_json(path.read_bytes()))]
    assert len(set(names)) == len(names)


def test_the_hive_has_as_many_cases_as_were_counted() -> None:
    counted = sum(
        len(decode_cases(parse_json(path.read_bytes()))) for path in sorted(DATA.glob("*.json"))
    )
    assert counted == 345
