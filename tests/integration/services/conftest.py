"""Which fixtures do tests of the use cases have?"""

from __future__ import annotations

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.fakes.clock import FakeClock
from tests.fakes.models import ScriptedModels
from tests.fakes.outbox_rows import CREATED
from tests.integration.services.world import World


@pytest.fixture
def clock() -> FakeClock:
    """A clock that stands a little before the first ts the fake poster gives."""
    return FakeClock(CREATED)


@pytest.fixture
async def world(engine: AsyncEngine, clock: FakeClock) -> World:
    """The use cases on the test's own database, with one installation."""
    made = World(engine, clock)
    await made.install()
    return made


@pytest.fixture
def models() -> ScriptedModels:
    """Agents that say what the test wants, and else what the rules say."""
    return ScriptedModels()


@pytest.fixture
async def scripted(engine: AsyncEngine, clock: FakeClock, models: ScriptedModels) -> World:
    """The same world with such agents."""
    made = World(engine, clock, models=models)
    await made.install()
    return made
