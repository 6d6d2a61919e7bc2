"""Does an adapter know anything of the use cases but their ports and records?"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import hivebot.adapters

ADAPTERS = Path(hivebot.adapters.__file__).parent
SERVICES = "hivebot.services"
ALLOWED = ("hivebot.services.ports", "hivebot.services.records")


def use_cases_in(source: str) -> list[str]:
    """The services modules a file imports that are neither ports nor records."""
    named: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            named += [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == SERVICES:
            named += [f"{SERVICES}.{one.name}" for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            named.append(node.module or "")
    within = [name for name in named if f"{name}.".startswith(f"{SERVICES}.")]
    return [name for name in within if not f"{name}.".startswith(tuple(f"{a}." for a in ALLOWED))]


@pytest.mark.parametrize(
    "path", sorted(ADAPTERS.rglob("*.py")), ids=lambda path: str(path.relative_to(ADAPTERS))
)
def test_an_adapter_imports_ports_and_records_only(path: Path) -> None:
    assert use_cases_in(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "line",
    [
        "from hivebot.services import lines",
        "from hivebot.services.menus import menu",
        "import hivebot.services.turns",
        "from hivebot.services.portsmouth import harbour",
    ],
)
def test_any_other_is_found(line: str) -> None:
    assert len(use_cases_in(line)) == 1


def test_ports_and_records_are_none_of_them() -> None:
    assert not use_cases_in("from hivebot.services.ports.asking import Doors")
    assert not use_cases_in("from hivebot.services import records")
