"""How is the sandbox served, and who may talk to it?"""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from hivebot.sandbox.__main__ import EX_CONFIG, run, serve_until
from hivebot.sandbox.client import SandboxClient
from hivebot.sandbox.errors import RealTokenError
from hivebot.sandbox.server import load_world, refuse_real_tokens, serve
from hivebot.sandbox.settings import APP_TOKEN, BOT_TOKEN, Settings
from hivebot.sandbox.shapes import as_map
from hivebot.sandbox.world import World, default_world
from tests.unit.sandbox.app_under_test import Clock
from tests.unit.sandbox.builders import workspace
from tests.unit.sandbox.running import Site, site

REAL_TOKEN = "xoxb-" + "1234-abcd"


async def status(here: Site, **headers: str) -> int:
    url = f"{here.running.api_url}api.test"
    async with here.http.post(url, headers=headers) as response:
        return response.status


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8080", "[::1]:80"])
async def test_a_request_to_a_local_name_is_served(host: str) -> None:
    async with site() as here:
        assert await status(here, Host=host) == 200


@pytest.mark.parametrize("host", ["evil.test", "127.0.0.1.evil.test", "localhost@evil.test", "["])
async def test_a_request_under_a_foreign_name_is_refused(host: str) -> None:
    async with site() as here:
        assert await status(here, Host=host) == 403


@pytest.mark.parametrize("origin", ["https://evil.test", "null", "http://127.0.0.1:1"])
async def test_a_request_from_a_web_page_is_refused(origin: str) -> None:
    async with site() as here:
        assert await status(here, Origin=origin) == 403
        assert await status(here, Origin=here.running.base_url) == 200


async def test_the_server_is_bound_to_the_loopback_interface() -> None:
    async with site() as here:
        assert here.running.base_url.startswith("http://127.0.0.1:")


def test_real_tokens_in_the_environment_are_named_and_not_shown() -> None:
    refuse_real_tokens({"A": BOT_TOKEN, "B": APP_TOKEN, "C": "xoxb-sandbox-2", "D": "text"})
    environ = {"HIVEBOT_TOKEN": REAL_TOKEN, "OTHER": "token=" + "xapp-" + "1-A0-1-ff"}
    with pytest.raises(RealTokenError) as refusal:
        refuse_real_tokens(environ)
    assert refusal.value.names == ("HIVEBOT_TOKEN", "OTHER")
    assert "1234" not in str(refusal.value)


async def test_the_world_survives_a_restart(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    clock = Clock()
    async with (
        serve(workspace(clock), state_file=state) as running,
        SandboxClient(running.base_url) as people,
    ):
        first = await people.say("ana", "payments", "hello")
        written = state.read_text(encoding="utf-8")
        await people.describe()
        assert state.read_text(encoding="utf-8") == written
    again = workspace(clock)
    again.world = load_world(state, None) or World()
    async with serve(again, state_file=state) as running, SandboxClient(running.base_url) as people:
        second = await people.say("ana", "payments", "again")
        assert [one["ts"] for one in await people.messages("payments")] == [first, second]
        assert second > first


def test_the_stored_world_goes_before_the_configured_one(tmp_path: Path) -> None:
    state, config = tmp_path / "state.json", tmp_path / "world.json"
    assert load_world(state, config) is None
    assert load_world(None, None) is None
    configured = default_world()
    configured.team.name = "Configured"
    config.write_text(configured.model_dump_json(), encoding="utf-8")
    found = load_world(state, config)
    assert found is not None
    assert found.team.name == "Configured"
    state.write_text(default_world().model_dump_json(), encoding="utf-8")
    found = load_world(state, config)
    assert found is not None
    assert found.team.name == "Hive"


def test_an_unknown_key_in_a_world_file_is_an_error(tmp_path: Path) -> None:
    config = tmp_path / "world.json"
    config.write_text('{"colour": "red"}', encoding="utf-8")
    with pytest.raises(ValidationError, match="colour"):
        load_world(None, config)


async def test_a_process_tells_its_urls_when_it_is_ready(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stop = asyncio.Event()
    stop.set()
    await serve_until(stop, port=0, config=None, state=None, settings=Settings())
    ready = as_map(json.loads(capsys.readouterr().out))
    assert str(ready["api_url"]) == f"{ready['url']}/api/"
    assert (ready["bot_token"], ready["app_token"]) == (BOT_TOKEN, APP_TOKEN)


def test_a_process_with_real_tokens_around_does_not_start(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run([], {"HIVEBOT_TOKEN": REAL_TOKEN}) == EX_CONFIG
    assert "HIVEBOT_TOKEN" in capsys.readouterr().err


class StopWhenReady(io.StringIO):
    """A standard output that stops the process as soon as it is told the URLs."""

    def flush(self) -> None:
        signal.raise_signal(signal.SIGTERM)


def test_a_signal_ends_the_process_in_good_order(monkeypatch: pytest.MonkeyPatch) -> None:
    out = StopWhenReady()
    monkeypatch.setattr(sys, "stdout", out)
    assert run(["--settings", '{"rate_limits": false}'], {}) == 0
    assert as_map(json.loads(out.getvalue()))["bot_token"] == BOT_TOKEN


async def test_a_process_of_its_own_serves_until_it_is_told_to_stop(tmp_path: Path) -> None:
    settings = json.dumps({"delivery": "socket"})
    state = tmp_path / "state.json"
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "hivebot.sandbox", "--settings", settings, "--state", str(state)),
        stdout=asyncio.subprocess.PIPE,
        env={"PATH": os.environ["PATH"]},
    )
    assert process.stdout is not None
    async with asyncio.timeout(20):
        ready = as_map(json.loads(await process.stdout.readline()))
        async with SandboxClient(str(ready["url"])) as people:
            world = await people.describe()
            await people.say("ana", "payments", "hello")
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0
    assert as_map(world["settings"])["delivery"] == "socket"
    assert "hello" in state.read_text(encoding="utf-8")
