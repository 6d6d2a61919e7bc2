"""What did the app get over HTTP, and what shall it answer next?"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from aiohttp import web

from hivebot.sandbox.shapes import Json, as_map, as_text


@dataclass(slots=True)
class Clock:
    """A clock that a test sets."""

    now: float = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True, slots=True)
class Got:
    """One request that the app got."""

    headers: dict[str, str]
    raw: bytes

    @property
    def json(self) -> Json:
        parsed: object = json.loads(self.raw)
        return as_map(parsed)

    @property
    def form(self) -> dict[str, str]:
        return {key: values[0] for key, values in parse_qs(self.raw.decode()).items()}

    @property
    def payload(self) -> Json:
        parsed: object = json.loads(self.form["payload"])
        return as_map(parsed)

    @property
    def event(self) -> Json:
        return as_map(self.json.get("event"))


@dataclass(slots=True)
class App:
    """The app's request URL with everything it got; the next answers can be set."""

    url: str = ""
    got: list[Got] = field(default_factory=list[Got])
    answers: list[web.Response | None] = field(default_factory=list[web.Response | None])
    """Answers in order, then plain 200; None never answers."""
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def handle(self, request: web.Request) -> web.Response:
        self.got.append(Got(dict(request.headers), await request.read()))
        self.arrived.set()
        answer = self.answers.pop(0) if self.answers else web.Response()
        if answer is None:
            await asyncio.Event().wait()
        assert answer is not None
        return answer

    async def wait_for(self, count: int) -> list[Got]:
        async with asyncio.timeout(5):
            while len(self.got) < count:
                self.arrived.clear()
                await self.arrived.wait()
        return self.got

    def events(self) -> list[str]:
        return [as_text(one.event.get("subtype") or one.event.get("type")) for one in self.got]


@asynccontextmanager
async def listening() -> AsyncGenerator[App, None]:
    """Run an app on a free port of the loopback interface."""
    app = App()
    application = web.Application()
    application.router.add_post("/slack/events", app.handle)
    runner = web.AppRunner(application, shutdown_timeout=0.01, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    app.url = f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
    yield app
    await runner.cleanup()
