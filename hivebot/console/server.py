"""What does the console answer over HTTP? Sign-in, and the map of the desks.

Source: product.md 9, rights.md 1 and 6.
"""

from __future__ import annotations

import hmac
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from aiohttp import web
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from hivebot.console.signing import SESSION_S, Attempts, Keys, Role
from hivebot.services.overlooking import Landscape, landscape
from hivebot.services.ports import Clock, Policies, RightsDirectory, UnitOfWork

HERE: Final = Path(__file__).parent
COOKIE: Final = "hivebot_console"
POLICY: Final = (
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
# without any referrer a browser calls the origin of our own forms "null"
HEADERS: Final = (
    ("Content-Security-Policy", POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
)
SIDE: Final = 320
"""Width of the map in its own units; as wide as the narrowest page."""


@dataclass(slots=True)
class Console:
    """What the pages are made from.

    Attributes:
        secure: People reach it over https, so the cookie goes over nothing else.
    """

    keys: Keys
    work: UnitOfWork
    policies: Policies
    directory: RightsDirectory
    clock: Clock
    secure: bool
    attempts: Attempts = field(default_factory=Attempts)

    def now_s(self) -> int:
        """Seconds, by the clock."""
        return int(self.clock.now().timestamp())


@dataclass(frozen=True, slots=True)
class Arrow:
    """A line of the map."""

    x1: float
    y1: float
    x2: float
    y2: float
    label_x: float
    label_y: float
    label: str
    failing: bool


def mount(app: web.Application, console: Console) -> None:
    """Add the pages under `/console`; without a token there is nothing to add."""
    if not console.keys.tokens:
        return
    pages = _Pages(console)
    app.router.add_get("/console", pages.overview)
    app.router.add_get("/console/console.css", _style)
    app.router.add_post("/console/sign-in", _own(pages.sign_in))
    app.router.add_post("/console/sign-out", _own(pages.sign_out))


class _Pages:
    """Answers requests."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._templates = Environment(
            loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined
        )

    async def overview(self, request: web.Request) -> web.Response:
        console, cookie = self._console, request.cookies.get(COOKIE, "")
        who = console.keys.opened(cookie, console.now_s())
        if who is None:
            return self._shown("sign_in.html", status=401, said="")
        found = await landscape(
            console.work, console.policies, console.directory, closed=who is Role.ADMIN
        )
        return self._shown(
            "overview.html",
            role=who.value,
            found=found,
            nodes=places(found),
            arrows=arrows(found),
            side=SIDE,
            form=console.keys.form(cookie),
        )

    async def sign_in(self, request: web.Request) -> web.Response:
        console, now_s = self._console, self._console.now_s()
        if console.attempts.blocked(now_s):
            return self._shown("sign_in.html", 429, said="Too many wrong tokens: wait a minute.")
        given = console.keys.role_of(str((await request.post()).get("token", "")))
        if given is None:
            console.attempts.wrong(now_s)
            said = "No such token: nothing was opened. Try again."
            return self._shown("sign_in.html", 401, said=said)
        response = _to_the_map()
        response.set_cookie(
            COOKIE,
            console.keys.sealed(given, now_s + SESSION_S),
            max_age=SESSION_S,
            path="/console",
            httponly=True,
            samesite="Strict",
            secure=console.secure,
        )
        return response

    async def sign_out(self, request: web.Request) -> web.Response:
        cookie = request.cookies.get(COOKIE, "")
        given = str((await request.post()).get("form", ""))
        if not hmac.compare_digest(given.encode(), self._console.keys.form(cookie).encode()):
            raise web.HTTPForbidden(text="this form is not the console's own\n")
        response = _to_the_map()
        response.del_cookie(COOKIE, path="/console")
        return response

    def _shown(self, name: str, status: int = 200, **values: object) -> web.Response:
        html = self._templates.get_template(name).render(**values)
        response = web.Response(text=html, content_type="text/html", status=status)
        response.headers.update(HEADERS)
        return response


def _to_the_map() -> web.Response:
    return web.Response(status=303, headers={**dict(HEADERS), "Location": "/console"})


async def _style(_request: web.Request) -> web.Response:
    text = (HERE / "static" / "console.css").read_text(encoding="utf-8")
    return web.Response(text=text, content_type="text/css", headers=dict(HEADERS))


def _own(
    handler: Callable[[web.Request], Awaitable[web.Response]],
) -> Callable[[web.Request], Awaitable[web.Response]]:
    """Refuse a form that another site's page has sent."""

    async def guarded(request: web.Request) -> web.Response:
        origin = request.headers.get("Origin", "")
        if origin and origin.partition("://")[2] != request.host:
            raise web.HTTPForbidden(text="this form is not the console's own\n")
        return await handler(request)

    return guarded


def places(found: Landscape) -> list[tuple[str, float, float]]:
    """(name, x, y) of each desk, on a circle."""
    count = max(len(found.desks), 1)
    turn = [2 * math.pi * index / count - math.pi / 2 for index in range(len(found.desks))]
    return [
        (desk.name, round(SIDE / 2 + 105 * math.cos(at)), round(SIDE / 2 + 105 * math.sin(at)))
        for desk, at in zip(found.desks, turn, strict=True)
    ]


def arrows(found: Landscape) -> list[Arrow]:
    """The lines between desks; each keeps to its left, so that both directions can be told."""
    at = {desk.id: (x, y) for desk, (_, x, y) in zip(found.desks, places(found), strict=True)}
    drawn: list[Arrow] = []
    for one in found.arrows:
        (x1, y1), (x2, y2) = at[one.from_desk], at[one.to_desk]
        length = math.hypot(x2 - x1, y2 - y1) or 1.0
        ux, uy = (x2 - x1) / length, (y2 - y1) / length
        dx, dy = -uy * 7, ux * 7
        drawn.append(
            Arrow(
                x1=round(x1 + dx + ux * 22, 1),
                y1=round(y1 + dy + uy * 22, 1),
                x2=round(x2 + dx - ux * 26, 1),
                y2=round(y2 + dy - uy * 26, 1),
                label_x=round((x1 + x2) / 2 + dx * 2.4, 1),
                label_y=round((y1 + y2) / 2 + dy * 2.4, 1),
                label=f"{one.asked}" + (f" ({one.failed} failed)" if one.failed else ""),
                failing=one.failed > 0,
            )
        )
    return drawn
