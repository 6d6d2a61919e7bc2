"""Which fixtures does every test have?"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.database import (
    data_dir,
    database_url,
    empty_database_url,
    engine,
    postgres,
    template,
)

BROWSER = Path(__file__).parent / "browser"

__all__ = ["data_dir", "database_url", "empty_database_url", "engine", "postgres", "template"]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave tests/browser to who asks for it by name: it needs a browser, and fails without one."""
    asked = any("browser" in Path(one.partition("::")[0]).parts for one in config.args)
    return True if collection_path == BROWSER and not asked else None


@pytest.fixture(scope="session", autouse=True)
def no_mind_of_its_own() -> Generator[None]:
    """What a command prints is asked for by the test, never by the shell that runs it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS"):
            patch.delenv(name, raising=False)
        yield
