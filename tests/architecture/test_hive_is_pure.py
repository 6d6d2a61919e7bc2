"""May a file of the functional core say this? It may not reach the world, wait, or keep state."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import hivebot.hive

HIVE = Path(hivebot.hive.__file__).parent

ALLOWED_IMPORTS = frozenset(
    {
        "__future__",
        "bisect",
        "collections",
        "collections.abc",
        "dataclasses",
        "enum",
        "functools",
        "itertools",
        "operator",
        "re",
        "types",
        "typing",
        "unicodedata",
    }
)
OWN_PACKAGES = ("hivebot.errors", "hivebot.hive")
FORBIDDEN_CALLS = frozenset(
    {
        "__import__",
        "breakpoint",
        "cache",
        "delattr",
        "eval",
        "exec",
        "float",
        "globals",
        "input",
        "lru_cache",
        "open",
        "print",
    }
)
MUTABLE_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
MUTABLE_TYPES = frozenset(
    {"bytearray", "Counter", "defaultdict", "deque", "dict", "list", "OrderedDict", "set"}
)


def offences(source: str) -> list[str]:
    tree = ast.parse(source)
    found = [offence for node in ast.walk(tree) for offence in _offences_of(node)]
    return found + list(_kept_state(tree.body))


def _offences_of(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from _imports(*(alias.name for alias in names))
        case ast.ImportFrom(module=module, level=level):
            yield from ["relative import"] if level else _imports(module or "")
        case ast.AsyncFunctionDef() | ast.AsyncFor() | ast.AsyncWith() | ast.Await():
            yield "async"
        case ast.comprehension(is_async=1):
            yield "async"
        case ast.Global():
            yield "global"
        case ast.Constant(value=float() | complex()):
            yield "float"
        case ast.Div():
            yield "float division"
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in FORBIDDEN_CALLS:
            yield f"use of {name}"
        case _:
            pass


def _imports(*names: str) -> Iterator[str]:
    for name in names:
        own = any(name == own or name.startswith(f"{own}.") for own in OWN_PACKAGES)
        if not own and name not in ALLOWED_IMPORTS:
            yield f"import of {name}"


def _kept_state(body: list[ast.stmt]) -> Iterator[str]:
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                pass
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                if _is_mutable(value):
                    yield "module-level mutable"
            case ast.ClassDef(body=inner):
                yield from _kept_state(inner)
            case _:
                pass


def _is_mutable(value: ast.expr) -> bool:
    if isinstance(value, ast.Tuple):
        return any(_is_mutable(element) for element in value.elts)
    if isinstance(value, ast.Call):
        name = value.func
        return isinstance(name, ast.Name) and name.id in MUTABLE_TYPES
    return isinstance(value, MUTABLE_DISPLAYS)


def files() -> list[Path]:
    return sorted(HIVE.rglob("*.py"))


@pytest.mark.parametrize("path", [pytest.param(p, id=str(p.relative_to(HIVE))) for p in files()])
def test_a_file_of_the_hive_is_pure(path: Path) -> None:
    assert offences(path.read_text()) == []


@pytest.mark.parametrize("path", [pytest.param(p, id=str(p.relative_to(HIVE))) for p in files()])
def test_a_file_of_the_hive_opens_with_the_question_it_answers(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text())) or ""
    assert "?" in docstring.split("\n")[0] or path == HIVE / "__init__.py"


def test_the_walk_meets_every_module() -> None:
    names = {path.stem for path in files()}
    assert {"errors", "mention", "episode", "codec", "routing"} <= names | {
        path.parent.name for path in files()
    }


@pytest.mark.parametrize(
    ("source", "offence"),
    [
        ("import time", "import of time"),
        ("import os.path", "import of os.path"),
        ("from random import choice", "import of random"),
        ("from hivebot.services import ports", "import of hivebot.services"),
        ("from hivebot.hivemind import x", "import of hivebot.hivemind"),
        ("from . import errors", "relative import"),
        ("def f():\n    import socket", "import of socket"),
        ("async def f(): ...", "async"),
        ("def f():\n    global x", "global"),
        ("x = 0.5", "float"),
        ("def f(a): return a / 2", "float division"),
        ("def f(a): a /= 2", "float division"),
        ("x = float(1)", "use of float"),
        ("@functools.cache\ndef f(): ...", "use of cache"),
        ("def f(): print('x')", "use of print"),
        ("seen = []", "module-level mutable"),
        ("seen: dict[str, int] = {}", "module-level mutable"),
        ("seen = set()", "module-level mutable"),
        ("seen = ((1, [2]),)", "module-level mutable"),
        ("seen = {n for n in range(3)}", "module-level mutable"),
        ("class A:\n    seen = []", "module-level mutable"),
    ],
)
def test_what_a_file_of_the_hive_may_not_say_is_found(source: str, offence: str) -> None:
    assert offence in offences(source)


@pytest.mark.parametrize(
    "source",
    [
        "from __future__ import annotations\nimport re",
        "from hivebot.hive.errors import HiveError\nfrom hivebot.errors import HivebotError",
        "__all__ = ['a']",
        "WORDS = MappingProxyType({'a': 1})\nPAIRS = tuple(x for x in 'ab')\nN: int",
        "def f():\n    seen = []\n    return len(seen) // 2",
    ],
)
def test_what_a_file_of_the_hive_may_say_is_left_alone(source: str) -> None:
    assert offences(source) == []
