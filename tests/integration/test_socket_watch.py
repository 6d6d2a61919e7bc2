"""Are a deaf socket and a second process on one app token seen, over real sockets?"""
# pyright: reportUnknownMemberType=false
# The SDK types its payloads loosely.

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

import psycopg
import pytest
from slack_sdk.errors import SlackClientError
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient
from structlog.testing import capture_logs

from hivebot.adapters.db.engine import DatabaseUrl
from hivebot.adapters.db.lease import Lease
from hivebot.adapters.slack.api import SlackApi
from hivebot.entrypoints.bootstrap import called
from hivebot.entrypoints.socket_watch import PROBE_LINE, Patience, Probe, SocketWatch, watched
from hivebot.sandbox.client import SandboxClient
from hivebot.sandbox.server import Running, serve
from hivebot.sandbox.settings import APP_TOKEN, BOT_TOKEN, Settings
from hivebot.sandbox.workspace import Workspace
from hivebot.services.ports import StoreUnavailableError

pytestmark = pytest.mark.integration

SWITCHES: dict[str, object] = {
    "delivery": "socket",
    "retry_scale": 0.0,
    "rich_text": False,
    "ack_timeout_s": 0.2,
}
AT_ONCE = Patience(look_s=0.01, quiet_s=0, recount_s=0, heard_s=5)
LONG = Patience(look_s=0.01, quiet_s=900, recount_s=900, heard_s=5)


@asynccontextmanager
async def slack() -> AsyncGenerator[tuple[Running, SandboxClient]]:
    workspace = Workspace(settings=Settings().changed(SWITCHES))
    async with serve(workspace) as running, SandboxClient(running.base_url) as people:
        yield running, people


class Nobody:
    """A lease nobody competes for; `away` while its database is."""

    def __init__(self) -> None:
        self.away = False

    async def held(self) -> bool:
        if self.away:
            raise StoreUnavailableError
        return True


class Process:
    """A process with a socket and its watch."""

    def __init__(self, running: Running, lease: Lease | Nobody, patience: Patience) -> None:
        self.client = SocketModeClient(
            APP_TOKEN, web_client=AsyncWebClient(base_url=running.api_url)
        )
        self.client.socket_mode_request_listeners.append(self._acknowledge)  # pyright: ignore[reportArgumentType] - narrower
        self.probes = 0
        self.does: Probe | None = None
        self.watch = SocketWatch(self.client, lease, self._probe, patience)
        self.client.message_listeners.append(self.watch.hear)

    async def _probe(self) -> bool:
        self.probes += 1
        return self.does is not None and await self.does()

    async def _acknowledge(self, client: SocketModeClient, request: SocketModeRequest) -> None:
        await client.send_socket_mode_response(SocketModeResponse(request.envelope_id))

    async def becomes(self, *, ready: bool) -> None:
        async with asyncio.timeout(5):
            while await self.watch.ready() is not ready:  # noqa: ASYNC110 - it is asked, as a monitor does
                await asyncio.sleep(0.01)


@asynccontextmanager
async def process(
    running: Running, lease: Lease | Nobody | None = None, patience: Patience = LONG
) -> AsyncGenerator[Process]:
    one = Process(running, lease or Nobody(), patience)
    await one.client.connect()
    try:
        yield one
    finally:
        await one.client.close()


async def no_place() -> tuple[str, str]:
    return "T0HIVE", ""


async def admin_channel() -> tuple[str, str]:
    return "T0HIVE", "C0PAY"


async def bot_token(_team_id: str) -> str:
    return BOT_TOKEN


@asynccontextmanager
async def probing(running: Running) -> AsyncGenerator[Probe]:
    api = SlackApi(bot_token, running.api_url)
    yield Probe(partial(called, api), admin_channel)
    await api.aclose()


async def test_a_socket_that_is_deaf_is_opened_anew_when_nothing_came_for_long() -> None:
    async with (
        slack() as (running, people),
        process(running, patience=AT_ONCE) as one,
        probing(running) as probe,
    ):
        one.does = probe
        await people.deafen()
        await one.watch.look()
        assert one.probes == 1
        assert await one.watch.ready()
        await people.wait_for("sockets", exactly=True)


async def test_a_socket_on_which_something_was_heard_is_left_alone() -> None:
    async with slack() as (running, people), process(running) as one:
        await people.say("ana", "payments", "hello")
        await people.wait_for("events", state="acknowledged")
        await one.watch.look()
        assert one.probes == 0
        assert await one.watch.ready()


async def test_a_probe_that_is_not_heard_of_makes_the_process_not_ready_until_it_hears() -> None:
    patience = Patience(quiet_s=0, heard_s=0.01)
    async with slack() as (running, people), process(running, patience=patience) as one:

        async def unheard() -> tuple[str, str]:
            return "T0HIVE", "C0PAY"

        async def done(_team: str, _method: str, _args: dict[str, object]) -> str | None:
            return "1.0"

        one.does = Probe(done, unheard)
        await one.watch.look()
        assert not await one.watch.ready()
        await people.say("ana", "payments", "hello")
        await one.becomes(ready=True)


async def test_where_nothing_can_be_tried_the_socket_is_only_opened_anew() -> None:
    async with slack() as (running, people), process(running, patience=AT_ONCE) as one:

        async def refused(_team: str, _method: str, _args: dict[str, object]) -> str | None:
            return None

        one.does = Probe(refused, no_place)
        assert not await one.does()
        assert not await Probe(refused, admin_channel)()
        await one.watch.look()
        await people.wait_for("calls", method="apps.connections.open", count=2)
        assert await one.watch.ready()


async def test_a_socket_that_cannot_be_opened_anew_makes_the_process_not_ready() -> None:
    class Unable:
        async def is_connected(self) -> bool:
            return True

        async def connect_to_new_endpoint(self, force: bool = False) -> None:  # noqa: FBT001 - the SDK's
            raise SlackClientError("no")

    async def nothing() -> bool:
        return False

    watch = SocketWatch(Unable(), Nobody(), nothing, AT_ONCE)
    await watch.look()
    assert not await watch.ready()


async def test_the_probe_is_one_line_and_then_reactions_on_it() -> None:
    async with slack() as (running, people), probing(running) as probe:
        assert await probe()
        assert await probe()
        assert await probe()
        [line] = await people.messages("payments")
        assert line["plain"] == PROBE_LINE


async def test_two_processes_on_one_app_token_are_seen_by_both(database_url: str) -> None:
    place = DatabaseUrl.of(database_url)
    first, second = Lease(place, APP_TOKEN), Lease(place, APP_TOKEN)
    with capture_logs() as logs:
        await both_see(first, second)
    seen = {line["seen_by"] for line in logs if line["event"] == "socket.foreign"}
    assert seen == {"slack", "lease"}
    await second.release()


async def both_see(first: Lease, second: Lease) -> None:
    async with slack() as (running, _), process(running, second, AT_ONCE) as two:
        async with process(running, first) as one:
            await one.watch.look()
            await one.becomes(ready=False)  # slack's hello counts two
            await two.watch.look()
            assert not await two.watch.ready()  # the lease is the other's
        await first.release()
        async with watched(two.watch):
            await two.becomes(ready=True)


async def test_a_lease_is_free_when_its_connection_is_gone(database_url: str) -> None:
    place = DatabaseUrl.of(database_url)
    mine, other = Lease(place, "x"), Lease(place, "x")
    assert await mine.held()
    assert await mine.held()
    assert not await other.held()
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as admin:
        await admin.execute(
            "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'"
            " and pid <> pg_backend_pid()"
        )
    with pytest.raises(StoreUnavailableError):
        await mine.held()
    assert await other.held()
    assert not await mine.held()
    await other.release()


async def test_a_database_that_is_away_says_nothing_about_others() -> None:
    lease = Nobody()
    async with slack() as (running, _), process(running, lease) as one:
        lease.away = True
        await one.watch.look()
        assert await one.watch.ready()
