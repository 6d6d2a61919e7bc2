"""Does `hivebot who-knows` say what a person and a program can use?"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from hivebot.entrypoints.knowing_command import who_knows
from hivebot.hive.directory import DirectoryPolicy
from tests.integration.services.rooms import decide, enter, room
from tests.integration.services.world import World
from tests.scenarios import ROLLOUT

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("logging_as_it_was")]

EXAMPLE = Path("config") / "hivebot.yaml"


async def run(url: str, *arguments: object, **variables: str) -> Result:
    app = typer.Typer()
    app.command()(who_knows)
    environment = {"DATABASE_URL": url, "HIVEBOT_CONFIG": str(EXAMPLE), "COLUMNS": "120"}
    given = [str(argument) for argument in arguments]
    return await asyncio.to_thread(CliRunner().invoke, app, given, env=environment | variables)


async def test_a_table_is_printed_with_the_record_below_it(world: World, database_url: str) -> None:
    await enter(world, room())
    episode = await decide(world)

    result = await run(database_url, episode.id)

    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.rstrip("\n").split("\n")
    assert lines[:2] == [
        f"Episode {episode.id} of #room (converged on canary): 9 turns, folded at row 10",
        "The desk has no directory of its own: folded under the default policy",
    ]
    heads = [cell.strip() for cell in lines[3].split("┃")[1:-1]]
    assert heads == [
        "Topic",
        "Agent",
        "Weight",
        "Deposited",
        "Credited",
        "Configured",
        "Knows",
        "Speech",
    ]
    first = [cell.strip() for cell in lines[5].split("│")[1:-1]]
    assert first[0] == "#canary"
    assert first[1].endswith(" (rule-based)")
    assert first[5:7] == ["0", "yes"]
    assert lines[-5:] == [
        "The desk's last 1 episode, 0 with a directory:",
        lines[-4],
        lines[-3],
        "  turns won by knows: 0 of 9",
        "  decision gates approved: no decision gates yet",
    ]
    assert lines[-4].startswith("  weight against speech share: rho ")
    assert lines[-4].endswith(" (-1.00 to 1.00, n = 1)")
    assert lines[-3].startswith("  credit that is mutual: ")


async def test_one_topic_may_be_asked_for_and_an_unknown_one_is_refused_with_the_nearest(
    world: World, database_url: str
) -> None:
    await enter(world, room())
    episode = await decide(world)

    result = await run(database_url, episode.id, "#revert")
    assert "#revert" in result.stdout
    assert "#canary" not in result.stdout.replace("on canary", "")

    result = await run(database_url, episode.id, "canari")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "hivebot: nobody has shown to know anything on #canari — did you mean `canary`?\n"
    )
    result = await run(database_url, episode.id, "weather")
    assert result.stderr == "hivebot: nobody has shown to know anything on #weather\n"


async def test_programs_get_json_with_the_parts_apart(world: World, database_url: str) -> None:
    affine = replace(ROLLOUT.members[4], affinity=(("canary", 80),))
    scenario = replace(ROLLOUT, members=(*ROLLOUT.members[:4], affine))
    await enter(world, room(scenario, directory=DirectoryPolicy(window=100)))
    episode = await decide(world)

    told = json.loads((await run(database_url, episode.id, "canary", "--json")).stdout)

    assert (told["episode"], told["desk"], told["at"]) == (episode.id, "room", 10)
    assert (told["policy_of"], told["policy"]["window"]) == ("desk", 100)
    (topic,) = told["topics"]
    eva = next(one for one in topic["holdings"] if one["agent_id"] == "eva")
    assert eva["configured"] == 800
    assert all(
        one["weight"] == one["deposited"] + one["credited"] + one["configured"]
        for one in topic["holdings"]
    )
    assert [one["agent_id"] for one in told["speakers"]] == ["anna", "bert", "carl", "dora", "eva"]
    assert told["record"]["rho"]["n"] == 1
    assert (told["record"]["gates_approved"], told["verdicts"]) == (None, [])


async def test_colours_are_off_when_piped_and_on_where_they_are_forced(
    world: World, database_url: str
) -> None:
    await enter(world, room())
    episode = await decide(world)

    assert "\x1b[" not in (await run(database_url, episode.id)).stdout
    forced = await run(database_url, episode.id, FORCE_COLOR="1", TERM="xterm")
    assert "\x1b[35m" in forced.stdout


async def test_an_episode_that_is_not_there_is_refused(world: World, database_url: str) -> None:
    await enter(world, room())
    await decide(world, "@hive what is the plan for today?")

    for number in (1, 7):
        result = await run(database_url, number)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == (
            f"hivebot: there is no episode {number}, or it was never deliberated\n"
        )


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"DATABASE_URL": "mysql://x"}, "DATABASE_URL must begin with postgresql://"),
        ({"HIVEBOT_CONFIG": "nowhere.yaml"}, "nowhere.yaml"),
        (
            {"DATABASE_URL": "postgresql://me:planted@127.0.0.1:1/x"},
            "the database cannot be reached",
        ),
    ],
)
async def test_what_cannot_be_used_is_said_and_ends_with_78(
    database_url: str, variables: dict[str, str], said: str
) -> None:
    result = await run(database_url, 1, **variables)

    assert (result.exit_code, result.stdout) == (78, "")
    assert said in result.stderr
    assert "planted" not in result.stderr


async def test_a_database_without_the_schema_is_said(empty_database_url: str) -> None:
    result = await run(empty_database_url, 1)

    assert result.exit_code == 78
    assert "run `hivebot db upgrade` first" in result.stderr
