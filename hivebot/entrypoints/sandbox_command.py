"""What does `hivebot sandbox` do? A local workspace in the browser, with the real bot in it.

Postgres, the workspace with its page, the bot's web, worker and clock, and the bot's reasons: all
on the loopback interface, kept in one directory, ended together.
Source: product.md 9 and 11, rights.md 6.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import secrets
import shutil
import signal
import sys
import webbrowser
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer
from pydantic import ValidationError

from hivebot.adapters.clock import SystemClock
from hivebot.adapters.config_files import from_canonical, load
from hivebot.adapters.db import migrate
from hivebot.adapters.db.embedded import EmbeddedPostgres
from hivebot.adapters.db.engine import DatabaseUrl, create_engine
from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from hivebot.entrypoints.demo import CONFIG
from hivebot.entrypoints.demo.stage import PROCESSES, START_TIMEOUT_S, StageError, bot
from hivebot.entrypoints.demo.stage import Workspace as Wired
from hivebot.entrypoints.reading import refusals
from hivebot.entrypoints.why import Accounts, serve_why
from hivebot.sandbox.errors import RealTokenError
from hivebot.sandbox.server import Running, load_world, refuse_real_tokens
from hivebot.sandbox.server import serve as serve_workspace
from hivebot.sandbox.settings import Settings as Switches
from hivebot.sandbox.workspace import Workspace
from hivebot.sandbox.world import Channel, Person, World, default_world
from hivebot.services.policy import RunningPolicy
from hivebot.settings import Settings, SettingsError, load_settings

DEFAULT_PORT = 8765
GATED = Path(__file__).with_name("sandbox_desk.yaml")
"""A desk whose answers wait for a steward, beside those of the example."""

RELEASES = "C0REL"
"""The channel it is bound to."""

Over = Literal["http", "socket"]


@dataclass(frozen=True, slots=True)
class Plan:
    """How a sandbox is to be started.

    Attributes:
        folder: Where everything is kept.
        config: The bot's configuration; None for the example and the desk with a gate.
        port: The page's port, 0 for a free one.
        over: How events reach the bot.
        browse: Open a browser at the page.
    """

    folder: Path
    config: Path | None
    port: int
    over: Over
    browse: bool

    @property
    def state(self) -> Path:
        """The file that keeps the workspace."""
        return self.folder / "workspace.json"

    @property
    def files(self) -> Path:
        """Where the bot reads its configuration."""
        return self.config or self.folder / "config"

    def lay_out(self) -> None:
        """Write down the example anew, as this version has it, unless there is a configuration."""
        if self.config is None:
            self.files.mkdir(exist_ok=True)
            for number, file in enumerate((CONFIG, GATED), 1):
                shutil.copyfile(file, self.files / f"{number}-{file.name}")


def sandbox(
    *,
    config: Annotated[
        Path | None, typer.Option(help="The bot's configuration.", show_default="the example")
    ] = None,
    port: Annotated[int, typer.Option(help="Port of the page; 0 takes a free one.", min=0)] = (
        DEFAULT_PORT
    ),
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in a browser.")
    ] = True,
    over_socket: Annotated[
        bool, typer.Option("--socket", help="Run the bot over Socket Mode, in one process.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Forget what earlier runs have kept.")
    ] = False,
) -> None:
    """Open a local workspace in the browser, with the real bot in it; no Slack is needed.

    What is said there is kept until the next run; --fresh forgets it. Ctrl-C ends everything.
    Exit status 78: it cannot start here, and says why.
    """
    with refusals():
        settings = load_settings()
        _refuse_real_tokens(settings)
        plan = Plan(
            folder=settings.data_directory / "sandbox",
            config=config.absolute() if config else None,
            port=port,
            over="socket" if over_socket else "http",
            browse=open_browser,
        )
        if plan.config is not None:
            load(plan.config)
        with _alone(plan.folder):
            if fresh:
                _forget(plan.folder)
            plan.lay_out()
            asyncio.run(_run(plan))


def _refuse_real_tokens(settings: Settings) -> None:
    """Nothing here talks to Slack, but a real token beside it is a mistake about to happen.

    Raises:
        SettingsError: a variable, or the `.env` file, holds one; it is named and not shown.
    """
    held = {
        "HIVEBOT_SLACK_BOT_TOKEN": settings.slack_bot_token,
        "HIVEBOT_SLACK_APP_TOKEN": settings.slack_app_token,
    }
    given = {name: secret.get_secret_value() for name, secret in held.items() if secret is not None}
    try:
        refuse_real_tokens({**os.environ, **given})
    except RealTokenError as error:
        raise SettingsError(
            f"the sandbox does not start next to real tokens: unset {', '.join(error.names)} "
            "(or take it out of .env); nothing was started"
        ) from None


@contextmanager
def _alone(folder: Path) -> Generator[None]:
    """Keep a second sandbox from writing into the same directory.

    Raises:
        SettingsError: one runs already.
    """
    # Postgres may run under an account of its own, which has to pass the directory
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    with (folder / "sandbox.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SettingsError(
                f"a sandbox already runs in {folder}: open its page, end it with Ctrl-C there, or "
                "give this one another directory with HIVEBOT_DATA_DIR"
            ) from None
        yield


def _forget(folder: Path) -> None:
    (folder / "workspace.json").unlink(missing_ok=True)
    for kept in ("postgres", "logs"):
        shutil.rmtree(folder / kept, ignore_errors=True)


async def _run(plan: Plan) -> None:
    """Start everything, say where the page is, wait for the end, take everything down.

    A Ctrl-C reaches the bot's processes too, so a start that was broken off is no failure.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(name, stop.set)
    typer.echo("Starting Postgres, a local workspace and the bot …")
    try:
        async with running(plan) as page:
            typer.echo(f"The workspace is at {page}")
            typer.echo(f"Everything is kept in {plan.folder}. Ctrl-C ends it.")
            if plan.browse and not stop.is_set() and can_browse(sys.platform, os.environ):
                await asyncio.to_thread(webbrowser.open, page)
            await stop.wait()
            typer.echo("Stopping …")
    except StageError:
        if not stop.is_set():
            raise
    typer.echo("Stopped. What was said is kept; --fresh would forget it.")


def can_browse(platform: str, environ: Mapping[str, str]) -> bool:
    """Whether a browser can show a window here; without one a text browser would take the line."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY")
    return platform in {"darwin", "win32"} or any(environ.get(screen) for screen in screens)


@asynccontextmanager
async def running(plan: Plan) -> AsyncGenerator[str]:
    """Everything the sandbox consists of, started; yields the address of the page.

    Raises:
        SettingsError: the port is taken, or what is kept cannot be read.
        EmbeddedPostgresError: Postgres cannot start.
        StageError: the bot ended or did not get ready.
    """
    logs = plan.folder / "logs"
    logs.mkdir(exist_ok=True)
    async with _workspace(plan) as workspace, _postgres(plan.folder / "postgres") as database_url:
        wired = Wired(
            url=workspace.base_url,
            api_url=workspace.api_url,
            bot_token=workspace.ws.settings.bot_token,
            app_token=workspace.ws.settings.app_token,
            signing_secret=workspace.ws.settings.signing_secret,
        )
        processes = PROCESSES[plan.over]
        async with (
            bot(wired, plan.files, database_url, processes, logs) as (bot_url, _),
            _reasons(plan, database_url, workspace) as why,
        ):
            _change(workspace, **why, **_addresses(bot_url))
            if plan.over == "socket":
                await _connected(workspace)
            yield f"{workspace.base_url}/"


@asynccontextmanager
async def _workspace(plan: Plan) -> AsyncGenerator[Running]:
    try:
        world = with_releases(load_world(plan.state, None) or default_world())
    except ValidationError:
        raise SettingsError(
            f"{plan.state} holds no workspace of this version: --fresh begins anew"
        ) from None
    workspace = Workspace(world, Switches(delivery=plan.over))
    try:
        async with serve_workspace(workspace, port=plan.port, state_file=plan.state) as served:
            yield served
    except OSError as error:
        raise SettingsError(
            f"port {plan.port} cannot be used ({error.strerror}): try --port 0"
        ) from None


def with_releases(world: World) -> World:
    """The workspace with the channel of the desk with a gate, also one kept by an older version."""
    if any(one.id == RELEASES for one in world.channels):
        return world
    staff = [one.id for one in world.people if _works_here(world, one)]
    world.channels.append(Channel(id=RELEASES, name="releases", members=staff))
    return world


def _works_here(world: World, one: Person) -> bool:
    """Whether somebody is a member of the home team, neither guest nor gone, or the bot itself."""
    if one.is_bot:
        return one.id == world.app.bot_user
    away = one.deleted or one.is_restricted or one.is_ultra_restricted
    return one.team_id == world.team.id and not away


@asynccontextmanager
async def _postgres(folder: Path) -> AsyncGenerator[str]:
    server = EmbeddedPostgres(folder)
    handle = await asyncio.to_thread(server.start)
    try:
        await asyncio.to_thread(migrate.upgrade, handle.uri)
        yield handle.uri
    finally:
        await asyncio.to_thread(server.stop)


@asynccontextmanager
async def _reasons(
    plan: Plan, database_url: str, workspace: Running
) -> AsyncGenerator[dict[str, object]]:
    """The bot's stored decisions, served to this workspace alone; yields its switches."""
    token = secrets.token_urlsafe(32)
    engine = create_engine(DatabaseUrl.of(database_url))
    try:
        clock = SystemClock()
        work = PostgresUnitOfWork(engine, clock)
        policies = RunningPolicy(work, clock, load(plan.files).configuration, from_canonical)
        accounts = Accounts(work, policies, workspace.ws.world.team.id)
        async with serve_why(accounts, token) as url:
            yield {"why_url": url, "why_token": token}
    finally:
        await engine.dispose()


def _addresses(bot_url: str) -> dict[str, object]:
    return {
        "event_url": f"{bot_url}/slack/events",
        "interactivity_url": f"{bot_url}/slack/interactive",
        "command_url": f"{bot_url}/slack/commands",
    }


def _change(workspace: Running, **switches: object) -> None:
    workspace.ws.settings = workspace.ws.settings.changed(switches)
    workspace.ws.changed()


async def _connected(workspace: Running) -> None:
    if not await workspace.bench.until(lambda: workspace.bench.sockets.count > 0, START_TIMEOUT_S):
        raise StageError("the bot opened no socket; see its log")
