"""A Web API on loopback that says what a test wants it to say."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web
from aiohttp.test_utils import TestServer

from hivebot.adapters.slack.api import SlackApi
from hivebot.adapters.slack.shapes import Json, as_map

TOKEN = "xoxb-stub"


@dataclass(frozen=True, slots=True)
class Said:
    """One scripted answer; `body` as it goes over the wire, or `drop` for a broken connection."""

    body: str = "{}"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    content_type: str = "application/json"
    drop: bool = False


def ok(**fields: object) -> Said:
    """An answer that says yes."""
    return Said(json.dumps({"ok": True, **fields}))


def no(error: str, **fields: object) -> Said:
    """A refusal by name."""
    return Said(json.dumps({"ok": False, "error": error, **fields}))


LIMITED = Said('{"ok": false, "error": "ratelimited"}', 429, (("Retry-After", "7"),))


@dataclass(slots=True)
class StubSlack:
    """Answers from the script of the method, then with success; posts get rising ts."""

    base_url: str = ""
    calls: list[tuple[str, Json]] = field(default_factory=list[tuple[str, Json]])
    tokens: list[str] = field(default_factory=list[str])
    content_types: list[str] = field(default_factory=list[str])
    script: dict[str, deque[Said]] = field(default_factory=dict[str, deque[Said]])
    posts: int = 0

    def will_say(self, method: str, *answers: Said) -> None:
        """Put answers at the end of the script of a method."""
        self.script.setdefault(method, deque()).extend(answers)

    def made(self, method: str) -> list[Json]:
        """The arguments of every call of a method, in order."""
        return [args for name, args in self.calls if name == method]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Note the call and answer it."""
        method = request.match_info["method"]
        self.calls.append((method, await _arguments(request)))
        self.content_types.append(request.content_type)
        self.tokens.append(request.headers.get("Authorization", ""))
        script = self.script.get(method)
        said = script.popleft() if script else self._yes(method)
        if said.drop and request.transport is not None:
            request.transport.abort()
        return web.Response(
            text=said.body,
            status=said.status,
            headers=dict(said.headers),
            content_type=said.content_type,
        )

    def _yes(self, method: str) -> Said:
        if method == "conversations.open":
            return ok(channel={"id": "D0ANA"})
        self.posts += 1
        ts = f"1700000000.{self.posts:06}"
        return ok(message_ts=ts) if method == "chat.postEphemeral" else ok(ts=ts)


async def _arguments(request: web.Request) -> Json:
    """What a POST carries, as JSON or as a form; anything else is no call of ours."""
    if request.method != "POST":
        raise web.HTTPMethodNotAllowed(request.method, ["POST"])
    if request.content_type == "application/json":
        return as_map(json.loads(await request.text()))
    return dict(await request.post())


async def stub_token(team_id: str) -> str:
    """The token of every team but `T0GONE`."""
    return "" if team_id == "T0GONE" else TOKEN


@asynccontextmanager
async def slack(timeout_s: float = 5.0) -> AsyncGenerator[tuple[StubSlack, SlackApi], None]:
    """A stub that runs, and an API that calls it."""
    stub = StubSlack()
    app = web.Application()
    app.router.add_route("*", "/api/{method}", stub.handle)
    async with TestServer(app, host="127.0.0.1") as server:
        stub.base_url = str(server.make_url("/api/"))
        api = SlackApi(stub_token, stub.base_url, timeout_s=timeout_s)
        try:
            yield stub, api
        finally:
            await api.aclose()
