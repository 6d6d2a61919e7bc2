"""Who gets into the console, and what does each see there?"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.console import Console
from hivebot.console.signing import ATTEMPTS_MAX, SESSION_S, WINDOW_S, keys_of
from hivebot.entrypoints.web import build_web
from hivebot.hive.crossing import Audience
from hivebot.services.records.policy import Configuration
from hivebot.telemetry import Metrics
from tests.configurations import with_desk
from tests.fakes.clock import FakeClock
from tests.fakes.outbox_rows import CREATED
from tests.integration.services.stories import ask, begin
from tests.integration.services.world import CONFIGURATION, PLATFORM, World

pytestmark = pytest.mark.integration

VIEWER, ADMIN = "v" * 24, "a" * 24
Client = TestClient[web.Request, web.Application]


@asynccontextmanager
async def opened(
    engine: AsyncEngine, configuration: Configuration = CONFIGURATION, *, off: bool = False
) -> AsyncGenerator[tuple[Client, World]]:
    world = World(engine, FakeClock(CREATED), configuration)
    await world.install()
    await begin(world)
    written = () if off else (("viewer", VIEWER), ("admin", ADMIN))
    keys = keys_of(written)
    console = Console(keys, world.work, world.policies, world.directory, world.clock, secure=False)

    async def ready() -> bool:
        return True

    app = build_web(None, Metrics(), ready, "", console=console)
    async with TestClient(TestServer(app)) as client:
        yield client, world


async def sign_in(client: Client, token: str) -> str:
    answer = await client.post("/console/sign-in", data={"token": token})
    return await answer.text()


async def test_without_a_token_there_is_no_console(engine: AsyncEngine) -> None:
    async with opened(engine, off=True) as (client, _):
        assert (await client.get("/console")).status == 404


async def test_nobody_sees_anything_before_signing_in(engine: AsyncEngine) -> None:
    async with opened(engine) as (client, _):
        answer = await client.get("/console")
        assert answer.status == 401
        assert "platform" not in await answer.text()
        assert "script" not in answer.headers["Content-Security-Policy"]


async def test_a_token_opens_the_map_with_the_questions_between_desks(engine: AsyncEngine) -> None:
    async with opened(engine) as (client, world):
        await ask(world, "@#platform planted words: is it down?")
        page = await sign_in(client, VIEWER)
        assert "<td>payments</td><td>platform</td><td>1</td><td>0</td>" in page
        assert "planted words" not in page


async def test_the_cookie_is_for_this_site_and_out_of_reach_of_scripts(engine: AsyncEngine) -> None:
    async with opened(engine) as (client, _):
        answer = await client.post(
            "/console/sign-in", data={"token": VIEWER}, allow_redirects=False
        )
        cookie = answer.headers["Set-Cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert VIEWER not in cookie


async def test_a_desk_in_a_closed_channel_is_an_admins_alone(engine: AsyncEngine) -> None:
    async with opened(engine) as (client, world):
        await ask(world, "@#platform is it down?")
        channels = world.directory.channels
        channels[PLATFORM] = replace(channels[PLATFORM], audience=Audience.PRIVATE)
        page = await sign_in(client, VIEWER)
        assert "platform" not in page.lower()
        assert PLATFORM not in page
        assert PLATFORM in await sign_in(client, ADMIN)


async def test_a_planted_script_is_shown_as_text(engine: AsyncEngine) -> None:
    planted = with_desk("platform", name="<script>alert(1)</script>")
    async with opened(engine, planted) as (client, _):
        page = await sign_in(client, VIEWER)
        assert "&lt;script&gt;" in page
        assert "<script" not in page


async def test_where_nothing_may_be_seen_the_page_says_what_to_do(engine: AsyncEngine) -> None:
    async with opened(engine) as (client, world):
        world.directory.channels.clear()
        assert "There is no desk you may see" in await sign_in(client, VIEWER)


async def test_wrong_tokens_are_refused_and_after_a_few_not_even_read(engine: AsyncEngine) -> None:
    async with opened(engine) as (client, world):
        for _ in range(ATTEMPTS_MAX):
            assert "No such token" in await sign_in(client, "guess")
        assert "Too many wrong tokens" in await sign_in(client, VIEWER)
        world.clock.advance(WINDOW_S)
        assert "Signed in as viewer" in await sign_in(client, VIEWER)


async def test_a_session_ends_and_cannot_be_forged(engine: AsyncEngine) -> None:
    async with opened(engine) as (client, world):
        keys, now = keys_of((("viewer", VIEWER),)), int(world.clock.now().timestamp())
        other = keys_of((("viewer", ADMIN),)).sealed(keys.tokens[0][0], now + 9)
        assert keys.opened(other, now) is None
        assert keys.opened(keys.sealed(keys.tokens[0][0], now + 9), now) == "viewer"
        await sign_in(client, VIEWER)
        world.clock.advance(SESSION_S)
        assert (await client.get("/console")).status == 401


async def test_only_the_consoles_own_form_signs_out(engine: AsyncEngine) -> None:
    async with opened(engine) as (client, _):
        page = await sign_in(client, VIEWER)
        assert (await client.post("/console/sign-out", data={"form": "forged"})).status == 403
        foreign = {"Origin": "https://elsewhere.example"}
        refused = await client.post("/console/sign-in", data={"token": VIEWER}, headers=foreign)
        assert refused.status == 403
        form = page.partition('name="form" value="')[2].partition('"')[0]
        assert (await client.post("/console/sign-out", data={"form": form})).status == 401


async def test_the_style_is_served(engine: AsyncEngine) -> None:
    async with opened(engine) as (client, _):
        assert (await client.get("/console/console.css")).content_type == "text/css"
