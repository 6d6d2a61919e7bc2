"""How is the sandbox served, and who may talk to it?"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
from aiohttp import web

from hivebot.sandbox import api, control, page
from hivebot.sandbox.bench import Bench
from hivebot.sandbox.delivery import HttpDelivery
from hivebot.sandbox.dispatch import Dispatcher
from hivebot.sandbox.errors import RealTokenError
from hivebot.sandbox.faults import FaultBook
from hivebot.sandbox.sockets import SocketHub
from hivebot.sandbox.workspace import Workspace
from hivebot.sandbox.world import World

LOOPBACK = "127.0.0.1"
_LOCAL_HOST = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?")
_TOKEN = re.compile(r"\b(?:xox[a-z]|xapp)-(?!sandbox-)[A-Za-z0-9-]{4,}")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def refuse_real_tokens(environ: Mapping[str, str]) -> None:
    """Check that no variable holds a Slack token which the sandbox did not mint.

    Raises:
        RealTokenError: Some do; it names the variables, never the values.
    """
    names = sorted(name for name, value in environ.items() if _TOKEN.search(value))
    if names:
        raise RealTokenError(tuple(names))


@web.middleware
async def _local_only(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse what a web page in the user's browser may have sent.

    A page can reach localhost: under a name of its own (Host) or from its own origin (Origin).
    """
    if not _LOCAL_HOST.fullmatch(request.host):
        return web.json_response({"ok": False, "error": "bad_host"}, status=403)
    origin = request.headers.get("Origin")
    if origin not in {None, f"http://{request.host}"}:
        return web.json_response({"ok": False, "error": "bad_origin"}, status=403)
    return await handler(request)


@web.middleware
async def _keep(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Write the world down after each request that may have changed it."""
    try:
        return await handler(request)
    finally:
        request.app[api.BENCH].save()


def create_app(ws: Workspace, state_file: Path | None = None) -> web.Application:
    """Return the application that serves a workspace."""
    app = web.Application(middlewares=[_local_only, _keep], client_max_size=4 * 1024 * 1024)
    app.add_routes(api.routes())
    app.add_routes(control.routes())
    app.add_routes(page.routes())

    async def lifespan(app: web.Application) -> AsyncIterator[None]:
        # The app under test is on this machine: a proxy of the environment has no part in it. It
        # may restart at any time: no connection is kept for the next request.
        connector = aiohttp.TCPConnector(force_close=True)
        async with aiohttp.ClientSession(trust_env=False, connector=connector) as session:
            faults, sockets = FaultBook(), SocketHub(ws)
            http = HttpDelivery(ws, session)
            dispatcher = Dispatcher(ws, faults, http, sockets)
            app[api.BENCH] = Bench(ws, faults, sockets, dispatcher, http, state_file)
            yield
            await dispatcher.close()

    async def close_sockets(app: web.Application) -> None:
        await app[api.BENCH].sockets.close()

    app.cleanup_ctx.append(lifespan)
    app.cleanup_ctx.append(page.lifespan)
    app.on_shutdown.append(close_sockets)
    return app


@dataclass(frozen=True, slots=True)
class Running:
    """A sandbox that answers.

    Attributes:
        base_url: As `http://127.0.0.1:41999`; Slack's methods are under ``api/``.
    """

    base_url: str
    ws: Workspace
    bench: Bench

    @property
    def api_url(self) -> str:
        """Return the base URL for a Slack client."""
        return f"{self.base_url}/api/"


@asynccontextmanager
async def serve(
    ws: Workspace | None = None, *, port: int = 0, state_file: Path | None = None
) -> AsyncGenerator[Running, None]:
    """Serve a workspace on the loopback interface until the block ends.

    Args:
        ws: The workspace; the default one when left out.
        port: 0 for a free one.
        state_file: Where the world survives a restart; read by ``load_world``.
    """
    workspace = ws or Workspace()
    app = create_app(workspace, state_file)
    runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    try:
        site = web.TCPSite(runner, LOOPBACK, port)
        await site.start()
        workspace.base_url = f"http://{LOOPBACK}:{runner.addresses[0][1]}"
        yield Running(workspace.base_url, workspace, app[api.BENCH])
    finally:
        await runner.cleanup()


def load_world(state_file: Path | None, config_file: Path | None) -> World | None:
    """Return the world to start with: the stored one, else the configured one, else None.

    Raises:
        pydantic.ValidationError: A file does not hold a world.
    """
    for file in (state_file, config_file):
        if file is not None and file.exists():
            return World.model_validate_json(file.read_text(encoding="utf-8"))
    return None
