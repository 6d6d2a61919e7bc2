"""Which sockets has the app opened, and what travels over them?"""

from __future__ import annotations

import asyncio
import json

import aiohttp
import pytest

from hivebot.sandbox.errors import ControlError
from hivebot.sandbox.settings import APP_TOKEN, BOT_TOKEN
from hivebot.sandbox.shapes import Json, as_map
from tests.unit.sandbox.builders import actions, button
from tests.unit.sandbox.running import Site, site

SOCKET: Json = {"delivery": "socket"}


async def url(here: Site, token: str = APP_TOKEN) -> str:
    headers = {"Authorization": f"Bearer {token}"}
    address = f"{here.running.api_url}apps.connections.open"
    async with here.http.post(address, headers=headers) as response:
        body = as_map(await response.json())
    return str(body.get("url") or body["error"])


async def connect(here: Site) -> aiohttp.ClientWebSocketResponse:
    return await here.http.ws_connect(await url(here))


async def frame(socket: aiohttp.ClientWebSocketResponse) -> Json:
    parsed: object = json.loads(await socket.receive_str(timeout=5))
    return as_map(parsed)


async def test_a_socket_is_greeted_with_what_slack_tells() -> None:
    async with site(**SOCKET) as here:
        first, second = await connect(here), await connect(here)
        assert (await frame(first))["num_connections"] == 1
        hello = await frame(second)
        assert (hello["type"], hello["num_connections"]) == ("hello", 2)
        assert as_map(hello["connection_info"])["app_id"] == "A0HIVE"
        assert as_map(hello["debug_info"])["approximate_connection_time"] == 18_060


async def test_only_the_app_level_token_opens_a_socket() -> None:
    async with site(**SOCKET) as here:
        assert await url(here, BOT_TOKEN) == "not_allowed_token_type"
        assert await url(here, "xapp-sandbox-other") == "invalid_auth"


async def test_opening_sockets_is_limited_as_the_switch_says() -> None:
    async with site(**SOCKET, per_minute={"apps.connections.open": 1}) as here:
        await url(here)
        assert await url(here) == "ratelimited"


async def test_a_ticket_is_good_once_and_for_a_short_time() -> None:
    async with site(**SOCKET) as here:
        used, old = await url(here), await url(here)
        await here.http.ws_connect(used)
        for bad in (used, used.partition("?")[0]):
            with pytest.raises(aiohttp.WSServerHandshakeError):
                await here.http.ws_connect(bad)
        here.clock.now += 31
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await here.http.ws_connect(old)


async def test_an_eleventh_socket_is_sent_away() -> None:
    async with site(**SOCKET, max_sockets=1) as here:
        first = await connect(here)
        await frame(first)
        second = await connect(here)
        assert (await frame(second))["reason"] == "too_many_websockets"
        assert (await second.receive()).type is aiohttp.WSMsgType.CLOSE


async def test_a_socket_answers_pings() -> None:
    async with site(**SOCKET) as here:
        socket = await here.http.ws_connect(await url(here), autoping=False)
        await socket.receive_str()
        await socket.ping(b"sdk-ping-pong:1")
        pong = await socket.receive()
        assert (pong.type, pong.data) == (aiohttp.WSMsgType.PONG, b"sdk-ping-pong:1")


async def test_a_deaf_socket_still_answers_pings() -> None:
    async with site(**SOCKET, ack_timeout_s=0.02) as here:
        socket = await here.http.ws_connect(await url(here), autoping=False)
        await socket.receive_str()
        await here.people.deafen()
        await here.people.say("ana", "payments", "hello")
        await here.people.wait_for("events", state="failed")
        await socket.ping(b"x")
        assert (await socket.receive()).type is aiohttp.WSMsgType.PONG


async def test_an_event_is_acknowledged_by_its_envelope_alone() -> None:
    async with site(**SOCKET) as here:
        socket = await connect(here)
        await frame(socket)
        await here.people.say("ana", "payments", "hello")
        envelope = await frame(socket)
        await socket.send_str("nonsense")
        await socket.send_str('{"envelope_id": "other"}')
        await socket.send_bytes(b"bytes")
        assert await here.people.look("events", state="acknowledged") == []
        await socket.send_str(json.dumps({"envelope_id": envelope["envelope_id"]}))
        await here.people.wait_for("events", state="acknowledged")
        # A second acknowledgement of the same envelope changes nothing.
        await socket.send_str(json.dumps({"envelope_id": envelope["envelope_id"]}))


async def test_an_event_of_a_socket_that_closes_comes_over_the_next_one() -> None:
    async with site(**SOCKET) as here:
        first = await connect(here)
        await frame(first)
        await here.people.say("ana", "payments", "hello")
        await frame(first)
        await first.close()
        second = await connect(here)
        await frame(second)
        again = await frame(second)
        assert (again["retry_attempt"], again["retry_reason"]) == (1, "connection_failed")
        assert as_map(as_map(again["payload"])["event"])["text"] == "hello"


async def test_a_disconnect_is_announced_and_the_socket_stays_until_told() -> None:
    async with site(**SOCKET) as here:
        socket = await connect(here)
        await frame(socket)
        await here.people.disconnect("warning")
        assert (await frame(socket))["reason"] == "warning"
        assert len(await here.people.look("sockets")) == 1
        await here.people.disconnect("link_disabled", close=True)
        assert (await frame(socket))["reason"] == "link_disabled"
        assert (await socket.receive()).type is aiohttp.WSMsgType.CLOSE
        await here.people.wait_for("sockets", count=0, exactly=True)


async def test_a_press_over_the_socket_takes_an_answer_with_its_acknowledgement() -> None:
    async with site(**SOCKET) as here:
        blocks = [actions(button("go"))]
        posted = await here.call("chat.postMessage", channel="C0PAY", text="x", blocks=blocks)
        socket = await connect(here)
        await frame(socket)
        own = await frame(socket)
        await socket.send_str(json.dumps({"envelope_id": own["envelope_id"]}))
        command = asyncio.create_task(here.people.command("ana", "payments", "/hive"))
        envelope = await frame(socket)
        assert (envelope["type"], envelope["accepts_response_payload"]) == ("slash_commands", True)
        answer = {"envelope_id": envelope["envelope_id"], "payload": {"text": "psst"}}
        await socket.send_str(json.dumps(answer))
        assert json.loads(await command) == {"text": "psst"}
        press = asyncio.create_task(here.people.press("ana", "payments", str(posted["ts"]), "go"))
        pressed = await frame(socket)
        assert (pressed["type"], pressed["accepts_response_payload"]) == ("interactive", False)
        await socket.send_str(json.dumps({"envelope_id": pressed["envelope_id"]}))
        assert await press == ""


async def test_a_press_without_a_socket_or_an_acknowledgement_fails_before_the_person() -> None:
    async with site(**SOCKET, ack_timeout_s=0.02) as here:
        with pytest.raises(ControlError, match="dispatch_failed"):
            await here.people.command("ana", "payments", "/hive")
        socket = await connect(here)
        await frame(socket)
        with pytest.raises(ControlError, match="operation_timeout"):
            await here.people.command("ana", "payments", "/hive")
