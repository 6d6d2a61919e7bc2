"""What do `hivebot config diff` and `config history` say about what is in force?"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from hivebot.adapters.config_files.canonical import with_revision
from hivebot.entrypoints.config_command import app, with_ids_of
from tests.configurations import desk_of, with_desk
from tests.integration.services.stories import begin, reload
from tests.integration.services.world import CONFIGURATION, World

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("logging_as_it_was")]

EXAMPLE = Path("config") / "hivebot.yaml"


async def run(url: str, *arguments: object) -> Result:
    environment = {"DATABASE_URL": url, "HIVEBOT_CONFIG": str(EXAMPLE), "COLUMNS": "120"}
    given = [str(argument) for argument in arguments]
    return await asyncio.to_thread(CliRunner().invoke, app, given, env=environment)


async def test_a_file_is_compared_with_what_is_in_force(world: World, database_url: str) -> None:
    await reload(world, with_desk("data", name="Numbers"))

    result = await run(database_url, "diff", EXAMPLE)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "~ desk data: name: Numbers -> Data\n"


async def test_before_anything_was_in_force_there_is_nothing_to_compare_with(
    world: World, database_url: str
) -> None:
    result = await run(database_url, "diff", EXAMPLE)
    assert result.exit_code == 78
    assert "nothing is in force yet" in result.stderr


async def test_the_history_says_when_what_changed(world: World, database_url: str) -> None:
    await begin(world)
    second = with_desk("data", name="Numbers")
    await reload(world, second)
    async with world.work.begin() as tx:
        await tx.revisions.put("older", '{"desks": "three"}', world.clock.now())
    await reload(world, CONFIGURATION)

    result = await run(database_url, "history")
    lines = result.stdout.splitlines()
    assert [line.split("UTC")[-1].strip() for line in lines] == [
        f"{CONFIGURATION.revision}  in force",
        "stored by a version whose form this one does not read",
        "older",
        "stored by a version whose form this one does not read",
        second.revision,
    ]
    assert (await run(database_url, "history", "--limit", 1)).stdout.count("UTC") == 1


def test_a_channel_by_name_counts_as_the_one_that_is_bound() -> None:
    named = with_revision(
        replace(
            CONFIGURATION,
            admin_channel="#ops",
            desks=tuple(replace(desk, channel=f"#{desk.id}") for desk in CONFIGURATION.desks),
        )
    )
    filled = with_ids_of(CONFIGURATION, named)
    assert filled.admin_channel == CONFIGURATION.admin_channel
    assert desk_of(filled, "data").channel == desk_of(CONFIGURATION, "data").channel
    assert with_ids_of(named, CONFIGURATION) == CONFIGURATION
