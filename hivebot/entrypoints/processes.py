"""Which processes are there, and in which order do they start and stop?

`serve` takes events over HTTP, `worker` works on the queue, `clock` looks for what is due; `run` is
all of them over a socket. On SIGTERM the socket closes first, then intake, then the worker.
Source: product.md 11, datapath.md 3.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import cast

import procrastinate
from aiohttp import web
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from procrastinate.exceptions import ConnectorException
from slack_sdk.web.async_client import AsyncWebClient

from hivebot.adapters.db.jobs import SupervisedWorker, build_app, open_app, remove_finished
from hivebot.adapters.db.lease import Lease
from hivebot.console import Console
from hivebot.entrypoints.bootstrap import Parts, assembled
from hivebot.entrypoints.reloading import kept_live
from hivebot.entrypoints.slack_app import SocketHandler, build_slack_app
from hivebot.entrypoints.socket_watch import SocketWatch, watched
from hivebot.entrypoints.web import build_web
from hivebot.errors import HivebotError
from hivebot.settings import Settings
from hivebot.telemetry import Event, get_logger

logger = get_logger(__name__)

LOOK_EVERY_S = 3
"""Seconds between two looks at what is due."""

TIDY_EVERY_S = 60
"""Seconds between two looks for memories that are due to be consolidated."""

SWEEP_EVERY_S = 3600
"""Seconds between two removals of finished jobs."""


async def serve(settings: Settings) -> None:
    """HTTP events and interactivity, health and metrics, until told to stop."""
    settings.require_for("serve")
    given = settings.slack_signing_secret
    secret = given.get_secret_value() if given else ""
    async with assembled(settings) as parts, _signalled() as stop:
        slack = build_slack_app(parts.receiver, secret)
        app = build_web(
            slack,
            parts.metrics,
            parts.reachable,
            _metrics_token(settings),
            secret,
            refresh=parts.figures.refresh,
            installing=parts.installing,
            console=parts.console,
        )
        async with _listening(app, settings), kept_live(parts.live):
            await stop.wait()


async def worker(settings: Settings) -> None:
    """The queue, until told to stop."""
    settings.require_for("worker")
    async with (
        assembled(settings) as parts,
        _signalled() as stop,
        _working(parts) as working,
        kept_live(parts.live),
        _showing(parts, _able(parts, working)),
    ):
        logger.info(Event.PROCESS_STARTED, process="worker")
        await stop.wait()


async def clock(settings: Settings) -> None:
    """What is due, until told to stop."""
    settings.require_for("clock")
    async with (
        assembled(settings) as parts,
        _signalled() as stop,
        _ticking(parts),
        kept_live(parts.live),
        _showing(parts, parts.reachable),
    ):
        logger.info(Event.PROCESS_STARTED, process="clock")
        await stop.wait()


async def run(settings: Settings) -> None:
    """Everything in one process, over Socket Mode."""
    settings.require_for("run")
    token = settings.slack_app_token
    app_token = token.get_secret_value() if token else ""
    async with assembled(settings) as parts, _signalled() as stop, _working(parts) as working:
        # Socket Mode needs no signature; Bolt wants a secret all the same
        slack = build_slack_app(parts.receiver, "unused in socket mode")
        handler = SocketHandler(
            slack, app_token, web_client=AsyncWebClient(base_url=settings.slack_api_url)
        )
        lease = Lease(parts.place, app_token)
        watch = SocketWatch(handler.client, lease, parts.probe)
        listeners = cast("list[object]", vars(handler.client)["message_listeners"])
        listeners.append(watch.hear)
        able = _able(parts, working)

        async def ready() -> bool:
            return await able() and await watch.ready()

        app = _without_slack(parts, ready)
        async with _listening(app, settings), _ticking(parts), kept_live(parts.live):
            await handler.connect_async()
            logger.info(Event.SOCKET_OPEN)
            try:
                async with watched(watch):
                    await stop.wait()
            finally:
                await handler.close_async()
                await lease.release()


@asynccontextmanager
async def _signalled() -> AsyncGenerator[asyncio.Event]:
    """An event that SIGINT or SIGTERM sets."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop.set)
    try:
        yield stop
    finally:
        logger.info(Event.PROCESS_STOPPING)
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(name)


def _able(parts: Parts, working: SupervisedWorker) -> Callable[[], Awaitable[bool]]:
    """Whether the worker runs and the database answers."""

    async def ready() -> bool:
        return working.ready and await parts.reachable()

    return ready


def _without_slack(
    parts: Parts, ready: Callable[[], Awaitable[bool]], console: Console | None = None
) -> web.Application:
    token = _metrics_token(parts.settings)
    return build_web(
        None, parts.metrics, ready, token, refresh=parts.figures.refresh, console=console
    )


@asynccontextmanager
async def _showing(parts: Parts, ready: Callable[[], Awaitable[bool]]) -> AsyncGenerator[None]:
    """Health and metrics of a process that takes no events, where a port is named for them."""
    port = parts.settings.metrics_port
    if port is None:
        yield
        return
    async with _listening(_without_slack(parts, ready), parts.settings, port):
        yield


@asynccontextmanager
async def _listening(
    app: web.Application, settings: Settings, port: int | None = None
) -> AsyncGenerator[None]:
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, settings.host, settings.port if port is None else port)
    await site.start()
    host, number = runner.addresses[0][:2]
    logger.info(Event.PROCESS_STARTED, process="web", address=f"http://{host}:{number}")
    try:
        yield
    finally:
        await runner.cleanup()


@asynccontextmanager
async def _working(parts: Parts) -> AsyncGenerator[SupervisedWorker]:
    queue = build_app(parts.handlers(), parts.place)
    async with open_app(queue, parts.place):
        supervised = SupervisedWorker(queue, restarted=_worker_restarted)
        working = asyncio.create_task(supervised.run(), name="worker")
        sweeping = asyncio.create_task(_sweep(queue), name="sweep")
        try:
            yield supervised
        finally:
            sweeping.cancel()
            supervised.stop()
            await working


async def _sweep(queue: procrastinate.App) -> None:
    """Remove finished jobs once an hour; a database that is away is left alone till the next."""
    while True:
        try:
            await remove_finished(queue)
        except ConnectorException as error:
            logger.warning(Event.DATABASE_AWAY, cause=type(error).__name__)
        await asyncio.sleep(SWEEP_EVERY_S)


def _worker_restarted(cause: BaseException | None) -> None:
    logger.warning(Event.DATABASE_AWAY, cause=type(cause).__name__ if cause else "unknown")


@asynccontextmanager
async def _ticking(parts: Parts) -> AsyncGenerator[None]:
    scheduler = AsyncIOScheduler(timezone="UTC")
    add_job = cast("Callable[..., object]", scheduler.add_job)  # pyright: ignore[reportUnknownMemberType]
    add_job(_look(parts), "interval", seconds=LOOK_EVERY_S, max_instances=1, coalesce=True)
    add_job(_tidy(parts), "interval", seconds=TIDY_EVERY_S, max_instances=1, coalesce=True)
    scheduler.start()
    try:
        yield
    finally:
        scheduler.shutdown(wait=False)


def _look(parts: Parts) -> Callable[[], object]:
    async def look() -> None:
        try:
            swept = await parts.upkeep.run()
            await parts.gates.look()
        except HivebotError as error:
            logger.warning(Event.JOB_FAILED, task="upkeep", code=error.code)
            return
        logger.debug(Event.UPKEEP_DONE, expired=swept.expired, revived=swept.revived)

    return look


def _tidy(parts: Parts) -> Callable[[], object]:
    async def tidy() -> None:
        try:
            kept = await parts.memories.run()
        except HivebotError as error:
            logger.warning(Event.JOB_FAILED, task="memories", code=error.code)
            return
        logger.debug(Event.MEMORIES_KEPT, consolidated=kept.consolidated, hidden=kept.hidden)

    return tidy


def _metrics_token(settings: Settings) -> str:
    token = settings.metrics_token
    return token.get_secret_value() if token is not None else ""
