"""What do tests on a real database stand on? A still clock, and logging left as it was."""

from __future__ import annotations

import logging
from collections.abc import Generator

import pytest
import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from tests.fakes.clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    """A clock that stands still."""
    return FakeClock()


@pytest.fixture
def work(engine: AsyncEngine, clock: FakeClock) -> PostgresUnitOfWork:
    """The unit of work on the test's own database."""
    return PostgresUnitOfWork(engine, clock)


@pytest.fixture
def logging_as_it_was() -> Generator[None]:
    """The command says where log lines go; other tests have their own mind."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()
