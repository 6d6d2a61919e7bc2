"""What does Slack do while an app is installed, and when its tokens are refreshed?

As slack.md 8 says: a code and a refresh token are taken once, a token belongs to one place.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web
from aiohttp.test_utils import TestServer

HALF_A_DAY_S = 43_200


@dataclass
class Place:
    """A workspace, or an organisation where `team_id` is None."""

    team_id: str | None
    name: str
    enterprise_id: str | None = None
    rotates: bool = False


@dataclass
class Installable:
    """A Slack that an app can be installed in.

    Attributes:
        places: Where by the code Slack gives for it.
        tokens: Which place a bot token opens.
        refreshing: Which place a refresh token is for; taken once.
        called: Every call of a method, as (method, token, arguments).
        refuses: Every exchange is refused.
    """

    places: dict[str, Place] = field(default_factory=dict[str, Place])
    tokens: dict[str, Place] = field(default_factory=dict[str, Place])
    refreshing: dict[str, Place] = field(default_factory=dict[str, Place])
    called: list[tuple[str, str, dict[str, str]]] = field(
        default_factory=list[tuple[str, str, dict[str, str]]]
    )
    refuses: bool = False
    lives_s: int = HALF_A_DAY_S
    url: str = ""

    async def method(self, request: web.Request) -> web.Response:
        """Answer one call of the Web API."""
        name = request.match_info["method"]
        form = {key: str(value) for key, value in (await request.post()).items()}
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        self.called.append((name, token, form))
        if name == "oauth.v2.access":
            return web.json_response(self._exchanged(form))
        place = self.tokens.get(token)
        if place is None:
            return web.json_response({"ok": False, "error": "invalid_auth"})
        if name == "auth.test":
            return web.json_response(
                {"ok": True, "url": f"https://{place.name}.slack.example/", **self._bot(place)}
            )
        return web.json_response({"ok": True, "channels": []})

    def _exchanged(self, form: dict[str, str]) -> dict[str, object]:
        refresh = form.get("grant_type") == "refresh_token"
        known = self.refreshing if refresh else self.places
        place = known.pop(form.get("refresh_token" if refresh else "code", ""), None)
        if place is None or self.refuses:
            return {"ok": False, "error": "invalid_refresh_token" if refresh else "invalid_code"}
        token = f"xoxb-{place.name}-{len(self.tokens)}"
        self.tokens[token] = place
        said: dict[str, object] = {
            "ok": True,
            "access_token": token,
            "token_type": "bot",
            "scope": "chat:write",
            "bot_user_id": f"UBOT{place.name}",
            "app_id": "A0HIVE",
            "team": {"id": place.team_id, "name": place.name} if place.team_id else None,
            "enterprise": {"id": place.enterprise_id, "name": place.name}
            if place.enterprise_id
            else None,
            "is_enterprise_install": place.team_id is None,
            "authed_user": {"id": "U0ADMIN"},
        }
        if place.rotates:
            kept = f"xoxe-1-{place.name}-{len(self.tokens)}"
            self.refreshing[kept] = place
            said |= {"refresh_token": kept, "expires_in": self.lives_s}
        return said

    def _bot(self, place: Place) -> dict[str, object]:
        return {
            "team_id": place.team_id or place.enterprise_id,
            "team": place.name,
            "user_id": f"UBOT{place.name}",
            "bot_id": f"B{place.name}",
        }

    def calls(self, name: str) -> list[tuple[str, dict[str, str]]]:
        """Token and arguments of every call of a method."""
        return [(token, args) for method, token, args in self.called if method == name]


@asynccontextmanager
async def installable() -> AsyncGenerator[Installable]:
    """A Slack at an address of its own."""
    slack = Installable()
    app = web.Application()
    app.router.add_post("/api/{method}", slack.method)
    async with TestServer(app, host="127.0.0.1") as server:
        slack.url = str(server.make_url("/api/"))
        yield slack
