"""Is every test that docs/memory-musts.md names there, and does it name its section?"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.architecture.test_faults_table import is_there, named_in

TABLE = Path("docs") / "memory-musts.md"
_ROW = re.compile(r"\| (\d+(?:\.\d+)?) \| ")


def rows() -> list[tuple[str, str]]:
    """Section and line of every requirement."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return [(found[1], line) for line in lines if (found := _ROW.match(line)) is not None]


def sections_of(path: str, name: str) -> set[str]:
    """The sections that a test names, itself or by its file."""
    tree = ast.parse((Path("tests") / f"{path}.py").read_text(encoding="utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    (test,) = [
        one for one in tree.body if isinstance(one, functions) and one.name == f"test_{name}"
    ]
    said = f"{ast.get_docstring(tree)} {ast.get_docstring(test)}"
    return set(re.findall(r"\d+(?:\.\d+)?", said)) if "memory.md" in said else set()


def test_there_is_a_row_for_every_requirement() -> None:
    assert len(rows()) >= 25


@pytest.mark.parametrize(("section", "line"), rows())
def test_each_requirement_has_tests_that_name_its_section(section: str, line: str) -> None:
    named = named_in(line)
    assert named
    assert [one for one in named if not is_there(*one)] == []
    either = {section, section.partition(".")[0]}
    assert [one for one in named if not sections_of(*one) & either] == []


def test_a_test_that_names_no_section_would_be_noticed() -> None:
    assert sections_of(
        "architecture/test_memory_musts", "there_is_a_row_for_every_requirement"
    ) == (set())
