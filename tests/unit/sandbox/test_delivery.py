"""How does a signed request reach the app over HTTP, and how often is it sent again?"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web

from hivebot.sandbox.delivery import Attempt, HttpDelivery, sign
from hivebot.sandbox.shapes import Json
from hivebot.sandbox.workspace import Workspace
from hivebot.sandbox.workspace.acting import command
from tests.unit.sandbox.app_under_test import App, listening
from tests.unit.sandbox.builders import workspace

BODY: Json = {"type": "event_callback", "event_id": "Ev1"}


class Sleeper:
    """Sleeps not at all and remembers how long it should have."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)


class Sent:
    """One delivery with everything that came of it."""

    def __init__(self, ws: Workspace, http: HttpDelivery, sleeper: Sleeper) -> None:
        self.ws, self.http, self.sleeper = ws, http, sleeper
        self.attempts: list[Attempt] = []

    async def event(self) -> bool:
        return await self.http.event(BODY, lambda _, attempt: self.attempts.append(attempt))


@asynccontextmanager
async def delivery(**switches: object) -> AsyncGenerator[tuple[App, Sent], None]:
    async with listening() as app, aiohttp.ClientSession() as session:
        ws = workspace(**{"event_url": app.url, "ack_timeout_s": 0.4, **switches})
        sleeper = Sleeper()
        yield app, Sent(ws, HttpDelivery(ws, session, sleeper), sleeper)


def test_the_signature_is_an_hmac_over_version_time_and_body() -> None:
    expected = hmac.new(b"secret", b"v0:1531420618:a=b", hashlib.sha256).hexdigest()
    assert sign("secret", 1531420618, b"a=b") == f"v0={expected}"


async def test_an_acknowledged_event_is_sent_once_and_signed() -> None:
    async with delivery() as (app, sent):
        assert await sent.event()
        [got] = app.got
        timestamp = int(got.headers["X-Slack-Request-Timestamp"])
        assert timestamp == 1_700_000_000
        secret = sent.ws.settings.signing_secret
        assert got.headers["X-Slack-Signature"] == sign(secret, timestamp, got.raw)
        assert got.json == BODY
        assert "X-Slack-Retry-Num" not in got.headers


async def test_an_error_is_retried_at_once_after_a_minute_and_after_five() -> None:
    async with delivery() as (app, sent):
        app.answers = [web.Response(status=500) for _ in range(4)]
        assert not await sent.event()
        assert sent.sleeper.slept == [0, 60, 300]
        headers = [one.headers for one in app.got[1:]]
        assert [one["X-Slack-Retry-Num"] for one in headers] == ["1", "2", "3"]
        assert {one["X-Slack-Retry-Reason"] for one in headers} == {"http_error"}
        assert len({one.raw for one in app.got}) == 1


async def test_delays_are_scaled_by_the_switch() -> None:
    async with delivery(retry_scale=0.5) as (app, sent):
        app.answers = [web.Response(status=500), web.Response(status=500)]
        assert await sent.event()
        assert sent.sleeper.slept == [0, 30]


async def test_an_app_that_does_not_answer_in_time_is_asked_again() -> None:
    async with delivery() as (app, sent):
        app.answers = [None]
        assert await sent.event()
        assert app.got[1].headers["X-Slack-Retry-Reason"] == "http_timeout"
        assert [one.reason for one in sent.attempts] == ["http_timeout", None]


async def test_an_app_can_ask_not_to_be_sent_an_event_again() -> None:
    async with delivery() as (app, sent):
        app.answers = [web.Response(status=503, headers={"X-Slack-No-Retry": "1"})]
        assert not await sent.event()
        assert len(app.got) == 1


async def test_a_timeout_is_retried_whatever_the_app_would_have_said() -> None:
    async with delivery() as (app, sent):
        app.answers = [None, web.Response(status=500, headers={"X-Slack-No-Retry": "1"})]
        assert not await sent.event()
        assert len(app.got) == 2


async def test_more_than_two_redirects_are_too_many() -> None:
    async with delivery() as (app, sent):
        app.answers = [web.Response(status=307, headers={"Location": app.url}) for _ in range(3)]
        assert await sent.event()
        assert sent.attempts[0].reason == "too_many_redirects"


async def test_an_app_that_is_not_there_refuses_the_connection() -> None:
    async with delivery(event_url="http://127.0.0.1:1/") as (_, sent):
        assert not await sent.event()
        assert {one.reason for one in sent.attempts} == {"connection_failed"}


async def test_a_url_that_speaks_no_tls_is_an_ssl_error() -> None:
    async with delivery() as (app, sent):
        secure = app.url.replace("http:", "https:")
        sent.ws.settings = sent.ws.settings.changed({"event_url": secure})
        assert not await sent.event()
        assert {one.reason for one in sent.attempts} == {"ssl_error"}


async def test_a_url_that_is_none_is_an_unknown_error() -> None:
    async with delivery(event_url="nonsense") as (_, sent):
        assert not await sent.event()
        assert {one.reason for one in sent.attempts} == {"unknown_error"}


async def test_without_a_request_url_nothing_is_sent() -> None:
    async with delivery(event_url=None) as (app, sent):
        assert not await sent.event()
        assert (await sent.http.interactive({})).reason == "connection_failed"
        assert (app.got, sent.attempts) == ([], [])


async def test_presses_and_commands_are_forms_to_their_own_urls() -> None:
    async with delivery(event_url=None) as (app, sent):
        urls: Json = {"interactivity_url": app.url, "command_url": app.url}
        sent.ws.settings = sent.ws.settings.changed(urls)
        app.answers = [web.Response(text="a"), web.Response(text="b")]
        pressed = await sent.http.interactive({"type": "block_actions"})
        fields = command(sent.ws, "ana", "payments", "/hive", "a & b").payload
        commanded = await sent.http.command(fields)
        assert (pressed.body, commanded.body) == ("a", "b")
        assert app.got[0].payload == {"type": "block_actions"}
        assert (app.got[1].form["command"], app.got[1].form["text"]) == ("/hive", "a & b")


@pytest.mark.parametrize(
    ("text", "status", "verified"),
    [("challenge-1", 200, True), ("no", 200, False), ("", 500, False)],
)
async def test_a_url_is_verified_by_its_challenge(
    text: str, status: int, *, verified: bool
) -> None:
    async with delivery() as (app, sent):
        app.answers = [web.Response(text=text, status=status)]
        assert await sent.http.verify(app.url, "challenge-1") is verified
        assert app.got[0].json["type"] == "url_verification"
