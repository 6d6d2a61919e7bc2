"""Is the picture of a replay in the documentation what the command prints today?"""

from __future__ import annotations

import io
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.entrypoints.replay_command import report
from hivebot.services.audit import Audit
from tests.configurations import with_desk
from tests.fakes.clock import FakeClock
from tests.integration.services.stories import CANARY, ask, begin, episode
from tests.integration.services.world import DATA, World

pytestmark = pytest.mark.integration

IMAGE = Path("docs") / "images" / "replay.svg"
REFRESH = "HIVEBOT_REFRESH_IMAGES"
COMMAND = f"{REFRESH}=1 .venv/bin/pytest tests/integration/services/test_replay_image.py"
_FETCHED_FONTS = re.compile(r"\s*@font-face \{[^}]*\}")


async def pictured(world: World) -> str:
    """The replay of a small deliberation, as a drawing that fetches nothing."""
    await begin(world)
    await ask(world, CANARY, DATA)
    found = await Audit(world.work, world.policies).replay((await episode(world)).id)
    assert found is not None
    console = Console(file=io.StringIO(), record=True, width=100, highlight=False)
    # the revision is a digest of the whole example, which changes for other reasons
    report(console, replace(found, episode=replace(found.episode, revision="4f1c9a2e7b60d358")))
    drawn = console.export_svg(title="hivebot replay 1", unique_id="replay")
    return _FETCHED_FONTS.sub("", drawn)


async def test_the_picture_in_the_documentation_is_what_replay_prints(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    three = with_desk("data", members=("anna", "carl", "dora"))
    world = World(engine, clock, three)
    await world.install()
    drawn = await pictured(world)
    if os.environ.get(REFRESH):
        IMAGE.write_text(drawn, encoding="utf-8")

    assert IMAGE.read_text(encoding="utf-8") == drawn, f"it is stale; refresh it: {COMMAND}"


def test_the_picture_fetches_nothing() -> None:
    drawn = IMAGE.read_text(encoding="utf-8")
    without_names = re.sub(r'xmlns(:\w+)?="[^"]*"', "", drawn)

    assert re.findall(r"url\((?!#)[^)]*\)|href=|@import|<image|<script", without_names) == []
