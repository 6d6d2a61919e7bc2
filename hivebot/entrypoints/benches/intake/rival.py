"""What is measured beside the bot? A plain Bolt app, run as a process of its own.

It stores one row for each event, or nothing, and acknowledges after that. It is written as lean as
such an app can be: no log, no authorization call, a pool of connections, one statement.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal, TypeAlias

from aiohttp import web
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult

from hivebot.adapters.db.engine import POOL_OVERFLOW, POOL_SIZE, libpq_url

TABLE = "bench_event"
PATH = "/slack/events"

Kind = Literal["storing", "bare"]
Pool: TypeAlias = AsyncConnectionPool[AsyncConnection[tuple[object, ...]]]


@dataclass(frozen=True, slots=True)
class RivalSettings:
    """What the app is started with; it comes in environment variables."""

    kind: Kind
    database_url: str
    signing_secret: str


@asynccontextmanager
async def serving(settings: RivalSettings) -> AsyncGenerator[str]:
    """Serve on a free port of this machine; gives the address events are sent to."""
    async with _pool(settings) as pool:
        runner = web.AppRunner(build(settings, pool), access_log=None)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            yield f"http://127.0.0.1:{runner.addresses[0][1]}{PATH}"
        finally:
            await runner.cleanup()


def build(settings: RivalSettings, pool: Pool | None) -> web.Application:
    """The app: Bolt with one listener."""
    quiet = logging.getLogger("hivebot.bench.bolt")
    quiet.setLevel(logging.ERROR)

    async def authorize() -> AuthorizeResult:
        return AuthorizeResult(enterprise_id=None, team_id="T0HIVE", bot_id="B0", bot_user_id="U0")

    bolt = AsyncApp(
        signing_secret=settings.signing_secret,
        authorize=authorize,
        process_before_response=True,
        logger=quiet,
    )

    async def store(body: dict[str, object], event: dict[str, object]) -> None:
        if pool is None:
            return
        async with pool.connection() as connection:
            await connection.execute(
                f"insert into {TABLE} (event_id, channel, ts, text) values (%s, %s, %s, %s)",  # noqa: S608 - the table's name is a constant
                (body["event_id"], event["channel"], event["ts"], event["text"]),
            )

    bolt.event("message")(store)  # pyright: ignore[reportUnknownMemberType] - Bolt's is partial

    async def receive(request: web.Request) -> web.Response:
        return await to_aiohttp_response(await bolt.async_dispatch(await to_bolt_request(request)))

    app = web.Application()
    app.router.add_post(PATH, receive)
    return app


@asynccontextmanager
async def _pool(settings: RivalSettings) -> AsyncGenerator[Pool | None]:
    if settings.kind == "bare":
        yield None
        return
    # as many connections as the bot may have
    pool: Pool = AsyncConnectionPool(
        libpq_url(settings.database_url),
        min_size=POOL_SIZE,
        max_size=POOL_SIZE + POOL_OVERFLOW,
        open=False,
    )
    async with pool:
        async with pool.connection() as connection:
            await connection.execute(
                f"create table if not exists {TABLE} ("
                "id bigint generated always as identity primary key, event_id text unique, "
                "channel text, ts text, text text, created_at timestamptz default now())"
            )
        yield pool


async def _until_told(settings: RivalSettings) -> None:
    stop = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    async with serving(settings) as url:
        sys.stdout.write(f"{url}\n")
        sys.stdout.flush()
        await stop.wait()


def main() -> None:
    """Serve until told to stop; the first line of output is the address."""
    kind: Kind = "bare" if os.environ["BENCH_RIVAL"] == "bare" else "storing"
    settings = RivalSettings(kind, os.environ["DATABASE_URL"], os.environ["BENCH_SECRET"])
    asyncio.run(_until_told(settings))


if __name__ == "__main__":
    main()
