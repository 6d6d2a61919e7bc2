"""Why did the bot do that? Asked of the bot over HTTP, on behalf of a person who may see it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
from aiohttp import web

from hivebot.sandbox.api import BENCH
from hivebot.sandbox.errors import ControlError
from hivebot.sandbox.shapes import parse_object
from hivebot.sandbox.workspace.seeing import visible

ASK_TIMEOUT_S = 10.0
_SESSION: web.AppKey[aiohttp.ClientSession] = web.AppKey("why")


async def lifespan(app: web.Application) -> AsyncIterator[None]:
    """Hold the connection to the bot for as long as the application runs."""
    timeout = aiohttp.ClientTimeout(total=ASK_TIMEOUT_S)
    async with aiohttp.ClientSession(trust_env=False, timeout=timeout) as session:
        app[_SESSION] = session
        yield


async def ask_why(request: web.Request) -> web.Response:
    """Answer what came of a question and why, if the person asking can see the channel.

    The query holds `user` and `channel`, and `thread_ts` or `ts` for a thread or one message.
    """
    query = request.query
    try:
        visible(request.app[BENCH].ws, query.get("user", ""), query.get("channel", ""))
    except ControlError as exc:
        return _refused(exc.reason, exc.detail, 409)
    asked = {key: query[key] for key in ("channel", "ts", "thread_ts") if key in query}
    return await _asked(request, "why", asked)


async def ask_desks(request: web.Request) -> web.Response:
    """Answer which desks and agents the bot has."""
    return await _asked(request, "desks", {})


async def _asked(request: web.Request, what: str, query: dict[str, str]) -> web.Response:
    settings = request.app[BENCH].ws.settings
    if settings.why_url is None:
        return _refused("no_why_url", "this workspace was started without the bot's reasons", 404)
    headers = {"Authorization": f"Bearer {settings.why_token}"}
    url = f"{settings.why_url}/{what}"
    try:
        async with request.app[_SESSION].get(url, params=query, headers=headers) as response:
            body = parse_object(await response.text())
            if response.status != 200 or body is None:
                return _refused("why_failed", f"the bot answered {response.status}", 502)
    except (aiohttp.ClientError, TimeoutError):
        return _refused("why_away", "the bot does not answer", 502)
    return web.json_response({"ok": True, **body})


def _refused(error: str, detail: str, status: int) -> web.Response:
    return web.json_response({"ok": False, "error": error, "detail": detail}, status=status)
