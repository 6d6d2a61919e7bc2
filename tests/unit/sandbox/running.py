"""How does a unit test get a sandbox that answers, and an app that it talks to?"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp

from hivebot.sandbox.client import SandboxClient
from hivebot.sandbox.server import Running, serve
from hivebot.sandbox.settings import BOT_TOKEN
from hivebot.sandbox.shapes import Json, as_map
from tests.unit.sandbox.app_under_test import App, Clock, listening
from tests.unit.sandbox.builders import workspace


@dataclass(frozen=True, slots=True)
class Site:
    """A running sandbox, its people, an app that listens, and a bare HTTP client."""

    running: Running
    people: SandboxClient
    app: App
    http: aiohttp.ClientSession
    clock: Clock

    async def call(self, method: str, **args: object) -> Json:
        """Call a method with JSON and return the body."""
        headers = {"Authorization": f"Bearer {BOT_TOKEN}"}
        url = f"{self.running.api_url}{method}"
        async with self.http.post(url, json=args, headers=headers) as response:
            return as_map(await response.json())


@asynccontextmanager
async def site(**switches: object) -> AsyncGenerator[Site, None]:
    """Run a sandbox whose events go to an app; nothing waits longer than half a second."""
    clock = Clock()
    async with listening() as app, aiohttp.ClientSession() as http:
        given = {"event_url": app.url, "ack_timeout_s": 0.5, "retry_scale": 0.0, **switches}
        async with (
            serve(workspace(clock, **given)) as running,
            SandboxClient(running.base_url) as people,
        ):
            yield Site(running, people, app, http, clock)
