"""Does the memory import nothing but numbers, and do nothing but compute?"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import hivebot.proxy
from hivebot.entrypoints.fold import decode_cases, parse_json, run_cases
from tests.architecture.test_hive_runs_without_world import without_world

DATA = Path(__file__).parents[1] / "vectors" / "data" / "memory"
MODULES = sorted(Path(hivebot.proxy.__file__).parent.rglob("*.py"))

LANGUAGE = {
    "__future__",
    "collections",
    "collections.abc",
    "dataclasses",
    "enum",
    "itertools",
    "re",
    "types",
    "typing",
}
"""What every module may use; it reads no world."""

ALLOWED = LANGUAGE | {"datetime", "math", "numpy", "numpy.typing", "hivebot.errors"}
"""`datetime` for its types: a moment is passed in, see below."""

WORLD = {"now", "today", "utcnow", "random", "default_rng", "urandom", "open", "print", "input"}


def nodes(path: Path) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(path.read_text("utf-8")))


def imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [node.module or "."]
    return []


def called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def test_there_are_modules_to_look_at() -> None:
    assert len(MODULES) > 15


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_module_imports_numbers_the_language_and_the_core_only(path: Path) -> None:
    """architecture.md, import rule 3."""
    names = {name for node in nodes(path) for name in imported(node)}
    ours = {name for name in names if name.startswith(("hivebot.proxy.", "hivebot.hive."))}
    assert names - ours <= ALLOWED


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_module_waits_for_nothing_and_asks_the_world_nothing(path: Path) -> None:
    """architecture.md: no clock, chance passed in."""
    waiting = (ast.AsyncFunctionDef, ast.Await, ast.Global, ast.Nonlocal)
    assert not any(isinstance(node, waiting) for node in nodes(path))
    assert {called(node) for node in nodes(path)} & WORLD == set()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_module_holds_no_mutable_value_and_says_its_question_first(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    mutable = (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp)
    values = [node.value for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    assert not any(isinstance(value, mutable) for value in values)
    assert ast.get_docstring(tree)
    assert len(path.read_text("utf-8").splitlines()) <= 400


@pytest.mark.parametrize("path", [pytest.param(p, id=p.stem) for p in sorted(DATA.glob("*.json"))])
def test_the_memory_answers_its_cases_without_the_world(path: Path) -> None:
    cases = decode_cases(parse_json(path.read_bytes()))
    with without_world():
        failures = run_cases(f"memory.{path.stem}", cases)
    assert failures == []
