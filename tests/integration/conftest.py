"""What do tests of the repositories stand on? A unit of work with a clock that stands still."""

from __future__ import annotations

import pytest
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
