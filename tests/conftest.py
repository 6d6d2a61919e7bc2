"""Which fixtures does every test have?"""

from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.database import (
    data_dir,
    database_url,
    empty_database_url,
    engine,
    postgres,
    template,
)

__all__ = ["data_dir", "database_url", "empty_database_url", "engine", "postgres", "template"]


@pytest.fixture(scope="session", autouse=True)
def no_mind_of_its_own() -> Generator[None]:
    """What a command prints is asked for by the test, never by the shell that runs it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS"):
            patch.delenv(name, raising=False)
        yield
