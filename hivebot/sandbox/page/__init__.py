"""Which routes does the page in the browser have, and what may it load?

Everything comes from here: no script, style or image of another host, nothing inline.
Source: rights.md 6.
"""

from __future__ import annotations

from pathlib import Path

from aiohttp import web

from hivebot.sandbox.page.live import follow
from hivebot.sandbox.page.why import ask_desks, ask_why, lifespan

__all__ = ["ASSETS", "HEADERS", "POLICY", "lifespan", "routes"]

ASSETS = Path(__file__).parent / "assets"
KINDS = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    # the files are read anew with each start, so a browser must ask
    "Cache-Control": "no-cache",
}


def routes() -> list[web.RouteDef]:
    """Return the routes of the page: itself, its files, news, and the bot's reasons."""
    return [
        web.get("/", _index),
        web.get("/page/live", follow),
        web.get("/page/why", ask_why),
        web.get("/page/desks", ask_desks),
        web.get("/page/{name}", _asset),
    ]


async def _index(_: web.Request) -> web.Response:
    return _file("index.html")


async def _asset(request: web.Request) -> web.Response:
    return _file(request.match_info["name"])


def _file(name: str) -> web.Response:
    """Give one of the page's own files; a name is looked for among them, never on the disk."""
    found = {one.name: one for one in ASSETS.iterdir()}.get(name)
    if found is None or found.suffix not in KINDS:
        return web.Response(status=404, text="there is no such file\n", headers=HEADERS)
    return web.Response(
        body=found.read_bytes(),
        content_type=KINDS[found.suffix],
        charset="utf-8",
        headers=HEADERS,
    )
