"""Does the wheel carry all that the installed program reads?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]

SHIPPED_FROM = {
    "alembic/versions": "hivebot/adapters/db/alembic/versions",
    "config/scenarios": "hivebot/entrypoints/benches/scenarios",
}
"""Folders outside the package, and where the program looks for them when it is installed."""

GENERATED = ("__pycache__", ".pyc")


@pytest.fixture(scope="module")
def shipped() -> dict[str, Path]:
    """Each file of the wheel by its path in it, with the file it is made from."""
    files = WheelBuilder(str(ROOT)).recurse_included_files()
    return {file.distribution_path: Path(file.path) for file in files}


def files_in(folder: Path) -> list[Path]:
    found = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return [path for path in found if not any(mark in str(path) for mark in GENERATED)]


def test_every_file_of_the_package_is_in_it(shipped: dict[str, Path]) -> None:
    inside = files_in(ROOT / "hivebot")
    assert len(inside) > 400
    assert [path for path in inside if str(path.relative_to(ROOT)) not in shipped] == []


@pytest.mark.parametrize(("folder", "place"), SHIPPED_FROM.items())
def test_what_stands_beside_the_package_is_in_it_too(
    folder: str, place: str, shipped: dict[str, Path]
) -> None:
    beside = files_in(ROOT / folder)
    assert beside
    for path in beside:
        assert shipped[f"{place}/{path.relative_to(ROOT / folder)}"] == path


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("hivebot/entrypoints/demo/hivebot.yaml", "config/hivebot.yaml"),
        ("hivebot/adapters/db/alembic/env.py", "alembic/env.py"),
        ("hivebot/sandbox/page/assets/index.html", "hivebot/sandbox/page/assets/index.html"),
    ],
)
def test_a_file_the_program_opens_is_where_it_looks(
    path: str, source: str, shipped: dict[str, Path]
) -> None:
    assert shipped[path] == ROOT / source


def test_nothing_of_the_tests_or_the_machine_is_in_it(shipped: dict[str, Path]) -> None:
    assert [path for path in shipped if not path.startswith("hivebot/")] == []
    assert [path for path in shipped if any(mark in path for mark in GENERATED)] == []
