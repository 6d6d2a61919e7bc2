"""Do Slack's own client libraries take the sandbox for Slack?"""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# The SDK types its keyword arguments and payloads loosely.

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import cast

import pytest
from aiohttp import web
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.signature import SignatureVerifier
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

from hivebot.sandbox.client import SandboxClient
from hivebot.sandbox.server import Running, serve
from hivebot.sandbox.settings import APP_TOKEN, BOT_TOKEN, SIGNING_SECRET, Settings
from hivebot.sandbox.shapes import Json, as_map, as_maps
from hivebot.sandbox.workspace import Workspace
from tests.unit.sandbox.app_under_test import listening


@asynccontextmanager
async def world(
    **switches: object,
) -> AsyncGenerator[tuple[Running, SandboxClient, AsyncWebClient], None]:
    workspace = Workspace(settings=Settings().changed({"ack_timeout_s": 2.0, **switches}))
    async with serve(workspace) as running, SandboxClient(running.base_url) as people:
        yield running, people, AsyncWebClient(token=BOT_TOKEN, base_url=running.api_url)


def answered(data: object) -> Json:
    return as_map(cast("object", getattr(data, "data")))  # noqa: B009 - the SDK types it loosely


async def test_the_web_client_posts_updates_reads_and_deletes() -> None:
    async with world() as (_, people, slack):
        assert (await slack.auth_test())["user_id"] == "U0BOT"
        root = await people.say("ana", "payments", "hello @hive")
        posted = answered(
            await slack.chat_postMessage(
                channel="C0PAY",
                thread_ts=root,
                text="Hello <@U0ANA>",
                username="Lead",
                icon_emoji=":owl:",
                metadata={"event_type": "outbox", "event_payload": {"id": "7"}},
                unfurl_links=False,
                unfurl_media=False,
            )
        )
        ts = str(posted["ts"])
        await slack.chat_update(channel="C0PAY", ts=ts, text="Hello again")
        replies = answered(
            await slack.conversations_replies(channel="C0PAY", ts=root, include_all_metadata=True)
        )
        [head, reply] = as_maps(replies["messages"])
        assert (head["reply_count"], reply["text"]) == (1, "Hello again")
        assert as_map(as_map(reply["metadata"])["event_payload"]) == {"id": "7"}
        [_, seen] = await people.messages("payments", root)
        assert (seen["author"], seen["edited"], seen["unfurl"]) == ("Lead", True, False)
        await slack.chat_delete(channel="C0PAY", ts=ts)
        assert len(await people.messages("payments", root)) == 1


async def test_a_refusal_reaches_the_web_client_under_slacks_name() -> None:
    async with world() as (_, _, slack):
        with pytest.raises(SlackApiError, match="channel_not_found"):
            await slack.chat_postMessage(channel="C0NONE", text="hello")


async def test_events_carry_a_signature_that_slacks_verifier_accepts() -> None:
    async with listening() as app, world(event_url=app.url) as (_, people, _):
        await people.say("ana", "payments", "hello @hive")
        got = await app.wait_for(2)
        verifier = SignatureVerifier(SIGNING_SECRET)
        assert all(verifier.is_valid_request(one.raw, one.headers) for one in got)
        assert {one.json["type"] for one in got} == {"event_callback"}
        assert sorted(app.events()) == ["app_mention", "message"]


@asynccontextmanager
async def bolt_over_http(app: AsyncApp) -> AsyncGenerator[str, None]:
    """Serve a Bolt app and return its request URL."""
    runner = web.AppRunner(app.web_app("/slack/events"), shutdown_timeout=0.01)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
    await runner.cleanup()


async def test_bolt_over_http_verifies_the_url_and_hears_a_mention() -> None:
    async with world() as (_, people, slack):
        app = AsyncApp(client=slack, token=BOT_TOKEN, signing_secret=SIGNING_SECRET)

        @app.event("app_mention")
        async def answer(event: Json, client: AsyncWebClient) -> None:
            await client.chat_postMessage(
                channel=str(event["channel"]), thread_ts=str(event["ts"]), text="Hello"
            )

        @app.event("message")
        async def ignore() -> None: ...

        async with bolt_over_http(app) as url:
            await people.settings(event_url=url)
            assert await people.verify()
            root = await people.say("ana", "payments", "hello @hive")
            [reply] = await people.wait_for(channel="payments", thread_ts=root, own=True)
            assert (reply["plain"], reply["author"]) == ("Hello", "hive")
            await people.wait_for("events", count=3, state="acknowledged")


async def test_bolt_refuses_what_is_signed_with_another_secret() -> None:
    async with world(signing_secret="another", retry_scale=0.0) as (_, people, slack):
        app = AsyncApp(client=slack, token=BOT_TOKEN, signing_secret=SIGNING_SECRET)
        async with bolt_over_http(app) as url:
            await people.settings(event_url=url)
            assert not await people.verify()
            await people.say("ana", "payments", "hello")
            [event] = await people.wait_for("events", state="failed")
            assert {one["status"] for one in as_maps(event["attempts"])} == {401}


class Listener:
    """A socket client that acknowledges whatever it gets, and remembers it."""

    def __init__(self, running: Running) -> None:
        self.got: list[SocketModeRequest] = []
        self.silent_for = 0
        self.answer: Json | None = None
        self._arrived = asyncio.Event()
        web_client = AsyncWebClient(base_url=running.api_url)
        self.client = SocketModeClient(APP_TOKEN, web_client=web_client, ping_interval=0.1)
        self.client.socket_mode_request_listeners.append(self.listen)

    async def listen(self, client: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        self.got.append(request)
        self._arrived.set()
        if len(self.got) > self.silent_for:
            answer = SocketModeResponse(request.envelope_id, self.answer)
            await client.send_socket_mode_response(answer)

    async def wait_for(self, count: int) -> list[SocketModeRequest]:
        async with asyncio.timeout(5):
            while len(self.got) < count:
                self._arrived.clear()
                await self._arrived.wait()
        return self.got

    def subjects(self) -> list[object]:
        return [as_map(one.payload["event"]).get("text") for one in self.got]


@asynccontextmanager
async def socket_client(running: Running) -> AsyncGenerator[Listener, None]:
    listener = Listener(running)
    await listener.client.connect()
    try:
        yield listener
    finally:
        await listener.client.close()


SOCKET = {"delivery": "socket", "retry_scale": 0.0, "rich_text": False}


async def test_events_reach_the_socket_client_and_its_acknowledgement_ends_them() -> None:
    async with world(**SOCKET) as (running, people, _), socket_client(running) as listener:
        await people.say("ana", "payments", "hello")
        [request] = await listener.wait_for(1)
        assert (request.type, request.accepts_response_payload) == ("events_api", False)
        assert (request.retry_attempt, request.payload["team_id"]) == (0, "T0HIVE")
        await people.wait_for("events", state="acknowledged")


async def test_an_unacknowledged_event_comes_again_as_a_retry() -> None:
    switches = {**SOCKET, "ack_timeout_s": 0.4}
    async with world(**switches) as (running, people, _), socket_client(running) as listener:
        listener.silent_for = 1
        await people.say("ana", "payments", "hello")
        first, second = await listener.wait_for(2)
        assert first.payload["event_id"] == second.payload["event_id"]
        assert (second.retry_attempt, second.retry_reason) == (1, "timeout")


async def test_an_event_of_the_time_without_a_socket_arrives_later_as_a_retry() -> None:
    async with world(**SOCKET) as (running, people, _):
        await people.say("ana", "payments", "hello")
        async with socket_client(running) as listener:
            [request] = await listener.wait_for(1)
            assert request.retry_attempt == 1


async def test_two_sockets_of_one_app_share_its_events() -> None:
    async with (
        world(**SOCKET, in_order=True) as (running, people, _),
        socket_client(running) as one,
        socket_client(running) as two,
    ):
        await people.wait_for("sockets", count=2)
        for text in ("a", "b", "c", "d"):
            await people.say("ana", "payments", text)
        await people.wait_for("events", state="acknowledged", count=4)
        assert len(one.got) == len(two.got) == 2
        assert sorted([*map(str, one.subjects()), *map(str, two.subjects())]) == list("abcd")


async def test_a_disconnect_frame_makes_the_client_take_a_new_socket() -> None:
    async with world(**SOCKET) as (running, people, _), socket_client(running) as listener:
        await people.wait_for("sockets")
        await people.disconnect("refresh_requested")
        await people.wait_for("calls", method="apps.connections.open", count=2)
        await people.wait_for("sockets", exactly=True)
        await people.say("ana", "payments", "hello")
        assert await listener.wait_for(1)


async def test_a_closed_socket_is_replaced_by_the_client() -> None:
    async with world(**SOCKET) as (running, people, _), socket_client(running) as listener:
        await people.wait_for("sockets")
        await people.disconnect("link_disabled", close=True)
        await people.wait_for("calls", method="apps.connections.open", count=2)
        await people.say("ana", "payments", "hello")
        assert await listener.wait_for(1)


async def test_a_deaf_socket_stays_connected_and_its_events_come_over_the_next_one() -> None:
    switches = {**SOCKET, "ack_timeout_s": 0.05}
    async with world(**switches) as (running, people, _), socket_client(running) as listener:
        await people.wait_for("sockets")
        await people.deafen()
        await people.say("ana", "payments", "hello")
        await people.wait_for("events", state="failed")
        assert not listener.got
        assert await listener.client.is_connected()
        await listener.client.connect_to_new_endpoint(force=True)
        await people.say("ana", "payments", "again")
        await listener.wait_for(1)
        assert listener.subjects() == ["again"]


async def test_bolt_over_the_socket_answers_a_press_and_opens_a_view() -> None:
    async with world(**SOCKET) as (running, people, slack):
        app = AsyncApp(client=slack, token=BOT_TOKEN)
        handler = AsyncSocketModeHandler(
            app, APP_TOKEN, web_client=AsyncWebClient(base_url=running.api_url)
        )

        @app.action("approve")
        async def approve(ack: AsyncAck, body: Json, client: AsyncWebClient) -> None:
            await ack()
            await client.views_open(trigger_id=str(body["trigger_id"]), view=MODAL)

        @app.view("correction")
        async def correct(ack: AsyncAck, view: Json) -> None:
            values = as_map(as_map(view["state"])["values"])
            typed = as_map(as_map(values["answer"])["text"])["value"]
            if typed == "no":
                await ack(response_action="errors", errors={"answer": "Say more."})
            else:
                await ack()

        @app.command("/hive")
        async def hive(ack: AsyncAck) -> None:
            await ack("Desks: payments")

        await handler.connect_async()
        try:
            posted = await slack.chat_postMessage(channel="C0PAY", text="Approve?", blocks=[BUTTON])
            await people.press("stew", "payments", str(posted["ts"]), "approve")
            [view] = await people.wait_for("views", user="U0STEW")
            refused = await people.submit("stew", str(view["id"]), {"text": "no"})
            assert (refused["closed"], refused["errors"]) == (False, {"answer": "Say more."})
            assert (await people.submit("stew", str(view["id"]), {"text": "yes"}))["closed"]
            await people.command("ana", "payments", "/hive", "desks")
            [line] = await people.ephemerals("U0ANA")
            assert line["plain"] == "Desks: payments"
        finally:
            await handler.close_async()


BUTTON: Json = {
    "type": "actions",
    "elements": [
        {
            "type": "button",
            "action_id": "approve",
            "value": "1",
            "text": {"type": "plain_text", "text": "Approve"},
        }
    ],
}
MODAL: Json = {
    "type": "modal",
    "callback_id": "correction",
    "title": {"type": "plain_text", "text": "Correct"},
    "submit": {"type": "plain_text", "text": "Teach"},
    "blocks": [
        {
            "type": "input",
            "block_id": "answer",
            "label": {"type": "plain_text", "text": "Answer"},
            "element": {"type": "plain_text_input", "action_id": "text"},
        }
    ],
}
