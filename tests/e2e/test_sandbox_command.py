"""Does `hivebot sandbox` start everything, keep what was said, and leave nothing running?"""

from __future__ import annotations

import asyncio
import socket
import sys
from pathlib import Path
from typing import cast

import aiohttp
import pytest
import typer
from typer.testing import CliRunner, Result

from hivebot.entrypoints.sandbox_command import can_browse, sandbox, with_releases
from hivebot.sandbox.client import SandboxClient
from hivebot.sandbox.shapes import as_maps
from hivebot.sandbox.world import default_world
from tests.e2e.sandboxes import environment, started

pytestmark = pytest.mark.e2e

EXIT_CONFIG = 78
REAL_TOKEN = "xoxb-" + "1234-abcd"


async def answered(url: str, people: SandboxClient) -> str:
    """Let Ana ask in #payments; the ts of her question once it is answered."""
    ts = await people.say("ana", "payments", "@hive when does a refund reach the customer?")
    await people.wait_for(
        "messages", channel="payments", thread_ts=ts, contains="five working days", own=True
    )
    query = {"user": "ana", "channel": "C0PAY", "thread_ts": ts}
    async with (
        aiohttp.ClientSession(trust_env=False) as http,
        http.get(f"{url}/page/why", params=query) as response,
    ):
        body = cast("dict[str, object]", await response.json())
    (question,) = as_maps(body["questions"])
    (turn,) = as_maps(question["turns"])
    assert "Pia leads the desk" in str(turn["why"])
    return ts


async def test_it_answers_tells_why_keeps_what_was_said_and_leaves_nothing_running(
    data_dir: Path,
) -> None:
    async with started(data_dir) as (url, process), SandboxClient(url) as people:
        ts = await answered(url, people)
        family = process.children(recursive=True)
        assert len(family) >= 3
    assert [one.pid for one in family if one.is_running()] == []
    assert not (data_dir / "sandbox" / "postgres" / "cluster" / "postmaster.pid").exists()

    async with started(data_dir, "--socket") as (url, _), SandboxClient(url) as people:
        kept = await people.messages("payments", ts)
        assert len(kept) == 2
        again = await people.say("ana", "payments", "@hive and until when?", ts)
        await people.wait_for(
            "messages", channel="payments", thread_ts=ts, own=True, after=again, timeout_s=20
        )

    async with started(data_dir, "--fresh") as (url, _), SandboxClient(url) as people:
        assert await people.messages("payments") == []
        second = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "hivebot", "sandbox", "--no-open", "--port", "0"),
            env=environment(data_dir),
            stderr=asyncio.subprocess.PIPE,
        )
        _, refusal = await second.communicate()
        assert second.returncode == EXIT_CONFIG
        assert "a sandbox already runs in" in refusal.decode()


def test_the_channel_of_the_desk_with_a_gate_is_there_once_with_the_staff_and_the_bot() -> None:
    world = with_releases(with_releases(default_world()))
    (channel,) = (one for one in world.channels if one.id == "C0REL")
    assert set(channel.members) == {"U0ANA", "U0BEN", "U0STEW", "U0BOT"}


# What it does not start with.


def refused(*options: str) -> Result:
    app = typer.Typer()
    app.command()(sandbox)
    result = CliRunner().invoke(app, ["--no-open", *options])
    assert result.exit_code == EXIT_CONFIG, result.output
    return result


@pytest.fixture
def elsewhere(data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory and a data directory of the test's own; the folder it would keep."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HIVEBOT_DATA_DIR", str(data_dir))
    return data_dir / "sandbox"


@pytest.mark.parametrize("name", ["HIVEBOT_SLACK_BOT_TOKEN", "SLACK_BOT_TOKEN"])
def test_it_does_not_start_next_to_a_real_token(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, REAL_TOKEN)
    said = refused().output
    assert name in said
    assert REAL_TOKEN not in said
    assert not elsewhere.exists()


def test_it_does_not_start_next_to_a_real_token_in_the_env_file(elsewhere: Path) -> None:
    Path(".env").write_text(f"HIVEBOT_SLACK_BOT_TOKEN={REAL_TOKEN}\n", encoding="utf-8")
    assert "HIVEBOT_SLACK_BOT_TOKEN" in refused().output
    assert not elsewhere.exists()


def test_it_does_not_start_with_a_configuration_it_cannot_read(elsewhere: Path) -> None:
    Path("broken.yaml").write_text("colour: red\n", encoding="utf-8")
    assert "colour" in refused("--config", "broken.yaml").output
    assert not elsewhere.exists()


def test_it_says_that_its_port_is_taken(elsewhere: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"port {port} cannot be used" in refused("--port", str(port)).output


def test_it_says_that_a_kept_workspace_cannot_be_read(elsewhere: Path) -> None:
    elsewhere.mkdir(parents=True)
    (elsewhere / "workspace.json").write_text('{"colour": "red"}', encoding="utf-8")
    assert "--fresh begins anew" in refused("--port", "0").output


@pytest.mark.parametrize(
    ("platform", "environ", "can"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("darwin", {}, True),
    ],
)
def test_a_browser_is_opened_only_where_it_can_show_itself(
    platform: str, environ: dict[str, str], *, can: bool
) -> None:
    assert can_browse(platform, environ) is can
