"""What does a process say that cannot start? All that is wrong, at once, with status 78."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hivebot.entrypoints.cli import app
from tests.e2e.play import CONFIG, Play

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

TOKENS = {
    "HIVEBOT_SLACK_BOT_TOKEN": "xoxb-planted-0001",
    "HIVEBOT_SLACK_APP_TOKEN": "xapp-planted-0001",
    "HIVEBOT_SLACK_SIGNING_SECRET": "planted-signing-secret",
}
NOWHERE = "postgresql://hivebot:planted-password@127.0.0.1:9/hivebot"


@dataclass(frozen=True, slots=True)
class Ended:
    status: int
    out: str
    err: str


async def hivebot(*arguments: str, **variables: str) -> Ended:
    """Run the command in a process of its own, its output piped."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("HIVEBOT_", "SLACK_", "DATABASE_"))
    }
    running = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "hivebot", *arguments),
        env={**kept, "HIVEBOT_ENV": "production", **variables},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(running.communicate(), 90)
    return Ended(running.returncode or 0, out.decode(), err.decode())


def refused(ended: Ended, *said: str) -> None:
    """It ended with 78 and said all of this, a line for each, no traceback and no secret."""
    assert ended.status == 78
    lines = [line for line in ended.err.splitlines() if line.startswith("hivebot: ")]
    assert all(any(part in line for line in lines) for part in said)
    assert "Traceback" not in ended.err
    assert "planted" not in ended.out + ended.err
    assert "\x1b[" not in ended.out + ended.err


def refused_slack(play: Play) -> Mapping[str, str]:
    """The environment of a bot whose tokens the local workspace does not know."""
    return {**TOKENS, "HIVEBOT_SLACK_API_URL": play.stage.workspace.api_url}


async def refusals(play: Play) -> int:
    """How often somebody came with tokens that are not known."""
    return sum(call["error"] == "invalid_auth" for call in await play.people.calls())


async def test_a_broken_configuration_names_every_problem_and_nothing_is_started(
    http: Play, tmp_path: Path
) -> None:
    written = CONFIG.read_text(encoding="utf-8")
    broken = tmp_path / "hivebot.yaml"
    broken.write_text(written.replace("mode: lead ", "mode: laed ").replace("listen:", "lisen:"))
    before = await refusals(http)
    place = {"HIVEBOT_CONFIG": str(broken), "DATABASE_URL": NOWHERE, **refused_slack(http)}
    for ended in await asyncio.gather(hivebot("serve", **place), hivebot("run", **place)):
        refused(ended, "desks[payments].mode", "desks[payments].lisen", "desks[data].lisen")
    assert await refusals(http) == before


async def test_a_token_that_slack_refuses_is_said_without_the_token(http: Play) -> None:
    place = {**refused_slack(http), "DATABASE_URL": NOWHERE}
    refused(await hivebot("run", **place), "Slack refuses HIVEBOT_SLACK_BOT_TOKEN: invalid_auth")


async def test_a_token_never_goes_to_an_address_in_the_clear() -> None:
    place = {**TOKENS, "HIVEBOT_SLACK_API_URL": "http://slack.invalid/api/"}
    said = "HIVEBOT_SLACK_API_URL must be https, or http on this machine"
    refused(await hivebot("run", **place), said)


async def test_what_is_missing_is_all_named_at_once() -> None:
    served, ran = await asyncio.gather(hivebot("serve"), hivebot("run"))
    refused(served, "DATABASE_URL", "HIVEBOT_SLACK_BOT_TOKEN", "HIVEBOT_SLACK_SIGNING_SECRET")
    refused(ran, "HIVEBOT_SLACK_BOT_TOKEN", "HIVEBOT_SLACK_APP_TOKEN")


async def test_a_server_without_a_database_of_its_own_does_not_start() -> None:
    served, ticked = await asyncio.gather(hivebot("serve", **TOKENS), hivebot("clock", **TOKENS))
    refused(served, "`hivebot serve` needs DATABASE_URL")
    refused(ticked, "`hivebot clock` needs DATABASE_URL")


async def test_a_database_that_is_away_is_one_plain_line(http: Play) -> None:
    place = {**http.stage.environment, "DATABASE_URL": NOWHERE}
    worked, upgraded = await asyncio.gather(
        hivebot("worker", **place), hivebot("db", "upgrade", **place)
    )
    refused(worked, "the database cannot be reached")
    refused(upgraded, "the database cannot be reached")


COMMANDS = (
    (),
    ("run",),
    ("serve",),
    ("worker",),
    ("clock",),
    ("demo",),
    ("manifest",),
    ("doctor",),
    ("config", "history"),
    ("fold",),
    ("config",),
    ("config", "check"),
    ("config", "diff"),
    ("config", "schema"),
    ("db",),
    ("db", "upgrade"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command) or "hivebot")
async def test_every_command_helps(command: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, [*command, "--help"], prog_name="hivebot")
    assert result.exit_code == 0
    assert f"Usage: hivebot {' '.join(command)}".strip() in result.stdout


async def test_piped_output_has_no_colour_and_the_manifest_is_json() -> None:
    helped, made, unknown = await asyncio.gather(
        hivebot("--help"), hivebot("manifest", "--url", "https://bot.example.com"), hivebot("rnu")
    )
    assert helped.status == 0
    assert "\x1b[" not in helped.out + unknown.err
    written = json.loads(made.out)
    urls = written["settings"]["event_subscriptions"]["request_url"]
    assert urls == "https://bot.example.com/slack/events"
    assert unknown.status == 2
