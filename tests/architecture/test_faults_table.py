"""Is every test that docs/faults.md names there?"""

from __future__ import annotations

import ast
import re
from pathlib import Path

TABLE = Path("docs") / "faults.md"
_NAMED = re.compile(r"`([\w/]+)::(\w+)`")


def named_in(table: str) -> list[tuple[str, str]]:
    """Path below `tests/` and name of every test, as they stand."""
    return _NAMED.findall(table)


def is_there(path: str, name: str) -> bool:
    """Whether the file has such a test."""
    file = Path("tests") / f"{path}.py"
    if not file.exists():
        return False
    tree = ast.parse(file.read_text(encoding="utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return any(isinstance(node, functions) and node.name == f"test_{name}" for node in tree.body)


def test_every_test_that_the_table_names_is_there() -> None:
    named = named_in(TABLE.read_text(encoding="utf-8"))
    assert len(named) > 50
    assert [f"{path}::{name}" for path, name in named if not is_there(path, name)] == []


def test_a_name_that_is_not_there_would_be_noticed() -> None:
    named = named_in("| a | b | `architecture/test_faults_table::no_such`<br>`no/such::test` |")
    assert [is_there(*one) for one in named] == [False, False]


def test_every_row_has_a_test_or_says_that_it_is_missing() -> None:
    rows = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line[:2] == "| "]
    told = [line for line in rows if line != "| fault | right | tests |"]
    assert [line for line in told if not (named_in(line) or "**missing**" in line)] == []
