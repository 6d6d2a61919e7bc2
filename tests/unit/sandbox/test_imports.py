"""Does the sandbox stand on its own?"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import hivebot.sandbox

ROOT = Path(hivebot.sandbox.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))
FOREIGN = {"aiohttp", "pydantic"}


def imported(module: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or ".")
    return names


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_the_sandbox_the_standard_library_aiohttp_and_pydantic(
    module: Path,
) -> None:
    for name in imported(module):
        top = name.partition(".")[0]
        assert (
            name.startswith("hivebot.sandbox") or top in FOREIGN or top in sys.stdlib_module_names
        ), name


def test_there_are_modules_to_look_at() -> None:
    assert len(MODULES) > 20
