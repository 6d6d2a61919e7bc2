"""Who may ask for reasons over HTTP? Whoever sits on this machine and has the token.

Source: rights.md 6.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web

from hivebot.entrypoints.why.account import Accounts
from hivebot.errors import HivebotError
from hivebot.settings import is_loopback

LOOPBACK = "127.0.0.1"
_LOCAL_HOST = re.compile(r"(?:127\.0\.0\.1|localhost)(?::\d+)?")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def build_why(accounts: Accounts, token: str) -> web.Application:
    """The application: `GET /why?channel=…&thread_ts=…` (or `ts`), and `GET /desks`.

    Args:
        accounts: Reads what is stored.
        token: Every request carries it; it must not be empty.
    """

    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        here = is_loopback(request.remote or "") and _LOCAL_HOST.fullmatch(request.host)
        if not token or not here or "Origin" in request.headers:
            return web.json_response({"error": "not_from_here"}, status=403)
        if not hmac.compare_digest(given.encode(), token.encode()):
            return web.json_response({"error": "wrong_token"}, status=401)
        try:
            return await handler(request)
        except HivebotError as error:
            return web.json_response({"error": error.code}, status=503)

    async def why(request: web.Request) -> web.Response:
        channel = request.query.get("channel", "")
        ts, thread_ts = request.query.get("ts", ""), request.query.get("thread_ts", "")
        return web.json_response({"questions": await accounts.of(channel, thread_ts, ts)})

    async def desks(_: web.Request) -> web.Response:
        return web.json_response({"desks": accounts.desks()})

    app = web.Application(middlewares=[guarded])
    app.router.add_get("/why", why)
    app.router.add_get("/desks", desks)
    return app


@asynccontextmanager
async def serve_why(accounts: Accounts, token: str) -> AsyncGenerator[str]:
    """Serve reasons on a free port of the loopback interface; yields the address."""
    runner = web.AppRunner(build_why(accounts, token), access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, LOOPBACK, 0).start()
        yield f"http://{LOOPBACK}:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
