"""What do tests with a database stand on? One server per run, one migrated template, a clone each.

Under pytest-xdist each worker process has a server of its own, in a directory of its own.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncGenerator, Generator
from itertools import count
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.db import migrate
from hivebot.adapters.db.embedded import EmbeddedPostgres, Handle
from hivebot.adapters.db.engine import DatabaseUrl, create_engine

# Nothing in a test database has to survive the machine.
_FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
_TEMPLATE = "hivebot_template"
# Files are copied as they are: less than half the time of writing each page to the log first.
CLONE: LiteralString = "create database {} template {} strategy file_copy"
_numbers = count(1)


@pytest.fixture
def data_dir() -> Generator[Path]:
    """A short path that does not exist yet, below a directory that any account may pass."""
    above = Path(tempfile.mkdtemp(prefix="hb-")).resolve()
    above.chmod(0o711)
    yield above / "data"
    shutil.rmtree(above)


@pytest.fixture(scope="session")
def postgres() -> Generator[Handle]:
    """A server for the whole run."""
    above = Path(tempfile.mkdtemp(prefix="hb-")).resolve()
    above.chmod(0o711)
    with EmbeddedPostgres(above / "data", settings=_FAST) as handle:
        yield handle
    shutil.rmtree(above)


@pytest.fixture(scope="session")
def template(postgres: Handle) -> str:
    """Name of a database at the newest revision; nobody is connected to it."""
    administer(postgres, "create database {}", _TEMPLATE)
    migrate.upgrade(url_of(postgres, _TEMPLATE))
    return _TEMPLATE


@pytest.fixture
def empty_database_url(postgres: Handle) -> Generator[str]:
    """URL of a database without any table."""
    yield from _database(postgres, "create database {}")


@pytest.fixture
def database_url(postgres: Handle, template: str) -> Generator[str]:
    """URL of a migrated database of the test's own."""
    yield from _database(postgres, CLONE, template)


@pytest.fixture
async def engine(database_url: str) -> AsyncGenerator[AsyncEngine]:
    """An engine on the test's own database."""
    made = create_engine(DatabaseUrl.of(database_url))
    yield made
    await made.dispose()


def _database(handle: Handle, create: LiteralString, *names: str) -> Generator[str]:
    name = f"test_{next(_numbers)}"
    administer(handle, create, name, *names)
    yield url_of(handle, name)
    administer(handle, "drop database {} with (force)", name)


def administer(handle: Handle, statement: LiteralString, *names: str) -> None:
    """Run one statement on the server."""
    with psycopg.connect(url_of(handle, "postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL(statement).format(*(sql.Identifier(name) for name in names)))


def url_of(handle: Handle, database: str) -> str:
    """URL of another database of the same server."""
    return handle.uri.replace("/hivebot?", f"/{database}?")
