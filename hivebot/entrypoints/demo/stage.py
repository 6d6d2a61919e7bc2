"""On which parts does the demo play? A Postgres, a local workspace and the bot's real processes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, cast

import aiohttp

from hivebot.adapters.db import migrate
from hivebot.adapters.db.embedded import EmbeddedPostgres
from hivebot.errors import HivebotError
from hivebot.sandbox.client import SandboxClient

START_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 30.0
PROCESSES: Mapping[str, Sequence[str]] = {
    "http": ("serve", "worker", "clock"),
    "socket": ("run",),
}
"""The bot's processes by how events arrive, the one that listens first."""


class StageError(HivebotError):
    """A part of the stage did not come up; the message names it and quotes its last lines."""

    code: ClassVar[str] = "stage"


@dataclass(frozen=True, slots=True)
class Workspace:
    """The running local workspace."""

    url: str
    api_url: str
    bot_token: str
    app_token: str
    signing_secret: str


@dataclass(frozen=True, slots=True)
class Stage:
    """Everything that runs.

    Attributes:
        people: Acts as the people of the workspace.
        bot_url: Where the bot's web process listens, "" over a socket.
        database_url: Its Postgres.
        environment: What the bot's processes were started with.
    """

    workspace: Workspace
    people: SandboxClient
    bot_url: str
    database_url: str
    environment: Mapping[str, str]


@asynccontextmanager
async def stage(
    config: Path,
    *,
    over: Literal["http", "socket"] = "http",
    processes: Sequence[str] = (),
    logs: Path | None = None,
    database_url: str = "",
    sandbox_settings: Mapping[str, object] | None = None,
) -> AsyncGenerator[Stage]:
    """Start everything, and stop it again in the right order.

    Args:
        config: Configuration of the bot.
        over: How events arrive: "http" (web, worker and clock apart) or "socket" (one process).
        processes: The bot's processes, the one that listens first; () for all that `over` needs.
        logs: Folder for the processes' logs; None throws them away.
        database_url: A migrated database; "" makes an embedded one that is thrown away.
        sandbox_settings: Switches of the local workspace.

    Raises:
        StageError: a process ended or did not get ready.
    """
    async with AsyncExitStack() as stack:
        if not database_url:
            database_url = await _thrown_away(stack)
        switches = {"delivery": over, **(sandbox_settings or {})}
        workspace = await local_workspace(stack, switches, logs)
        people = await stack.enter_async_context(SandboxClient(workspace.url))
        bot_url, environment = await stack.enter_async_context(
            bot(workspace, config, database_url, processes or PROCESSES[over], logs)
        )
        if over == "http":
            await people.settings(
                event_url=f"{bot_url}/slack/events",
                interactivity_url=f"{bot_url}/slack/interactive",
                command_url=f"{bot_url}/slack/commands",
            )
        else:
            await people.wait_for("sockets", timeout_s=START_TIMEOUT_S)
        yield Stage(workspace, people, bot_url, database_url, environment)


@asynccontextmanager
async def bot(
    workspace: Workspace,
    config: Path,
    database_url: str,
    processes: Sequence[str],
    logs: Path | None,
) -> AsyncGenerator[tuple[str, Mapping[str, str]]]:
    """Start the bot's processes in a workspace, the one that listens first.

    Yields where it listens, and the environment of its processes.

    Raises:
        StageError: the one that listens ended or did not get ready.
    """
    port = free_port()
    environment = environment_of(workspace, config, database_url, port)
    url = f"http://127.0.0.1:{port}"
    async with AsyncExitStack() as stack:
        started = [
            await stack.enter_async_context(process(name, environment, logs)) for name in processes
        ]
        await until_ready(url, started[0])
        yield url, environment


async def _thrown_away(stack: AsyncExitStack) -> str:
    server = EmbeddedPostgres(stack.enter_context(_folder()) / "data")
    handle = await asyncio.to_thread(server.start)
    stack.push_async_callback(asyncio.to_thread, server.stop)
    await asyncio.to_thread(migrate.upgrade, handle.uri)
    return handle.uri


@contextmanager
def _folder() -> Generator[Path]:
    """A folder that the account Postgres runs as can pass, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="hivebot-") as folder:
        place = Path(folder)
        place.chmod(0o755)
        yield place


async def local_workspace(
    stack: AsyncExitStack, switches: Mapping[str, object], logs: Path | None
) -> Workspace:
    """Start the local workspace, which ends with the stack.

    Raises:
        StageError: it did not start.
    """
    command = ["-m", "hivebot.sandbox", "--settings", json.dumps(switches)]
    running = await stack.enter_async_context(_child("sandbox", command, os.environ, logs))
    if running.stdout is None:  # pragma: no cover - a pipe was asked for
        raise StageError("the local workspace has no output")
    line = await asyncio.wait_for(running.stdout.readline(), START_TIMEOUT_S)
    if not line:
        raise StageError("the local workspace did not start")
    said = cast("dict[str, str]", json.loads(line))
    return Workspace(
        url=said["url"],
        api_url=said["api_url"],
        bot_token=said["bot_token"],
        app_token=said["app_token"],
        signing_secret=said["signing_secret"],
    )


def environment_of(
    workspace: Workspace, config: Path, database_url: str, port: int
) -> dict[str, str]:
    """The bot's environment: nothing of the caller's settings or tokens gets in."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("HIVEBOT_", "SLACK_", "DATABASE_"))
        # a proxy would be sent the requests for this machine too
        and not name.lower().endswith("_proxy")
    }
    return {
        **kept,
        "HIVEBOT_ENV": "production",
        "HIVEBOT_SLACK_API_URL": workspace.api_url,
        "HIVEBOT_SLACK_BOT_TOKEN": workspace.bot_token,
        "HIVEBOT_SLACK_APP_TOKEN": workspace.app_token,
        "HIVEBOT_SLACK_SIGNING_SECRET": workspace.signing_secret,
        "HIVEBOT_CONFIG": str(config),
        "HIVEBOT_PORT": str(port),
        "HIVEBOT_LOG_FORMAT": "json",
        "DATABASE_URL": database_url,
    }


@asynccontextmanager
async def process(
    name: str, environment: Mapping[str, str], logs: Path | None
) -> AsyncGenerator[asyncio.subprocess.Process]:
    """One of the bot's processes."""
    async with _child(name, ["-m", "hivebot", name], environment, logs) as running:
        yield running


@asynccontextmanager
async def _child(
    name: str, command: Sequence[str], environment: Mapping[str, str], logs: Path | None
) -> AsyncGenerator[asyncio.subprocess.Process]:
    target = Path(os.devnull) if logs is None else logs / f"{name}.log"
    with target.open("ab") as log:
        running = await asyncio.create_subprocess_exec(
            sys.executable,
            *command,
            env=dict(environment),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE if name == "sandbox" else log,
            stderr=log,
        )
    try:
        yield running
    finally:
        if running.returncode is None:
            running.send_signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(running.wait(), STOP_TIMEOUT_S)
        except TimeoutError:
            running.kill()
            await running.wait()


async def until_ready(url: str, listening: asyncio.subprocess.Process | None = None) -> None:
    """Return once the bot that listens there is ready.

    Raises:
        StageError: it ended, where its process is given, or did not get ready.
    """
    deadline = asyncio.get_running_loop().time() + START_TIMEOUT_S
    async with aiohttp.ClientSession(trust_env=False) as session:
        while True:
            try:
                async with session.get(f"{url}/readyz") as response:
                    if response.status == 200:
                        return
            except aiohttp.ClientConnectionError:
                pass
            if listening is not None and listening.returncode is not None:
                raise StageError(f"the bot ended with {listening.returncode}; see its log")
            if asyncio.get_running_loop().time() > deadline:
                raise StageError("the bot did not get ready; see its log")
            await asyncio.sleep(0.05)


def free_port() -> int:
    """A port of this machine that nobody listens at now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
