"""What does the process answer over HTTP? Slack's requests, the console, health and metrics.

Source: product.md 11, rights.md 6.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Awaitable, Callable

from aiohttp import web
from opentelemetry.trace import SpanKind
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.async_app import AsyncApp
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_sdk.signature import SignatureVerifier

from hivebot.console import Console, mount
from hivebot.entrypoints.slack_app import UNREADABLE, read_through
from hivebot.entrypoints.tracing import span
from hivebot.settings import is_loopback
from hivebot.telemetry import Event, Metrics, get_logger

BODY_BYTES_MAX = 1_000_000
"""Slack's largest payloads stay far below this."""

logger = get_logger(__name__)


def build_web(
    slack: AsyncApp | None,
    metrics: Metrics,
    ready: Callable[[], Awaitable[bool]],
    metrics_token: str,
    signing_secret: str = "",
    *,
    refresh: Callable[[], Awaitable[None]] | None = None,
    installing: AsyncOAuthFlow | None = None,
    console: Console | None = None,
) -> web.Application:
    """The web application.

    Args:
        slack: Bolt's app; None where events come over a socket.
        metrics: What `/metrics` shows.
        ready: Whether the process can do its work now.
        metrics_token: Opens `/metrics` from elsewhere; "" leaves it to this machine.
        signing_secret: With which Slack signs; nothing is taken on trust where it is "".
        refresh: Brings the figures up to date before they are shown.
        installing: Lets workspaces install the app; None where the environment holds the token.
        console: What operators look at; None where there is none.
    """
    app = web.Application(client_max_size=BODY_BYTES_MAX, middlewares=[_logged])

    async def healthz(_request: web.Request) -> web.Response:
        return web.Response(text="alive\n")

    async def readyz(_request: web.Request) -> web.Response:
        able = await ready()
        metrics.ready.set(int(able))
        if able:
            return web.Response(text="ready\n")
        return web.Response(status=503, text="not ready\n")

    async def show_metrics(request: web.Request) -> web.Response:
        if not _may_read_metrics(request, metrics_token):
            raise web.HTTPForbidden(text="metrics need the token outside this machine\n")
        metrics.ready.set(int(await ready()))
        if refresh is not None:
            await refresh()
        body, content_type = metrics.render()
        return web.Response(body=body, headers={"Content-Type": content_type})

    app.router.add_get("/healthz", healthz)
    app.router.add_get("/readyz", readyz)
    app.router.add_get("/metrics", show_metrics)
    if slack is not None:
        from_slack = _to_bolt(slack, signing_secret)
        app.router.add_post("/slack/events", from_slack)
        app.router.add_post("/slack/interactive", from_slack)
        app.router.add_post("/slack/commands", from_slack)
    if installing is not None:
        _add_installing(app, installing)
    if console is not None:
        mount(app, console)
    return app


def _add_installing(app: web.Application, flow: AsyncOAuthFlow) -> None:
    async def begin(request: web.Request) -> web.Response:
        asked = await to_bolt_request(request)
        return await to_aiohttp_response(await flow.handle_installation(asked))

    async def end(request: web.Request) -> web.Response:
        asked = await to_bolt_request(request)
        return await to_aiohttp_response(await flow.handle_callback(asked))

    app.router.add_get(flow.install_path, begin)
    app.router.add_get(flow.redirect_uri_path, end)


def _to_bolt(
    slack: AsyncApp, signing_secret: str
) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def from_slack(request: web.Request) -> web.Response:
        try:
            bolt_request = await to_bolt_request(request)
            read_through(bolt_request)
        except UNREADABLE:
            return await _unreadable(request, signing_secret)
        return await to_aiohttp_response(await slack.async_dispatch(bolt_request))

    return from_slack


async def _unreadable(request: web.Request, signing_secret: str) -> web.Response:
    """Acknowledge what Slack signed though Bolt cannot read it: sent again it would be the same."""
    body = await request.text()
    verifier = SignatureVerifier(signing_secret)
    if not signing_secret or not verifier.is_valid_request(body, dict(request.headers)):
        return web.Response(status=401, text="the signature is not Slack's, or too old\n")
    logger.warning(Event.EVENT_IGNORED, reason="unreadable")
    return web.Response(text="")


def _may_read_metrics(request: web.Request, token: str) -> bool:
    if token:
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        return hmac.compare_digest(given.encode(), token.encode())
    return is_loopback(request.remote or "") and "X-Forwarded-For" not in request.headers


def _route(request: web.Request) -> str:
    """The path as it is registered: an address may hold a token, or somebody's name."""
    resource = request.match_info.route.resource
    return resource.canonical if resource is not None else "elsewhere"


@web.middleware
async def _logged(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """One canonical line a request; a failure nobody expected is a plain 500."""
    began = time.monotonic()
    status = 500
    try:
        with span(f"{request.method} {_route(request)}", kind=SpanKind.SERVER) as asked:
            response = await handler(request)
            status = response.status
            asked.set_attribute("http.response.status_code", status)
    except web.HTTPException as refused:
        status = refused.status
        raise
    except Exception:
        logger.exception(Event.REQUEST_FAILED, path=request.path)
        return web.Response(status=500, text="something went wrong; it has been logged\n")
    finally:
        logger.info(
            Event.REQUEST_DONE,
            path=request.path,
            status=status,
            took_ms=round((time.monotonic() - began) * 1000),
        )
    return response
