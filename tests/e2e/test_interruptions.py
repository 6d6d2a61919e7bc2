"""What when a worker or the database goes away in the middle? Nothing is lost, nothing doubled."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncGenerator, Callable, Generator
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio
from sqlalchemy import text

from hivebot.adapters.db import migrate
from hivebot.adapters.db.embedded import EmbeddedPostgres, Handle
from hivebot.entrypoints.demo.stage import process
from hivebot.sandbox.shapes import Json, as_maps
from tests.database import CLONE, administer, url_of
from tests.e2e.play import ANA, BEN, PAYMENTS, Play, playing, said_by

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

REFUND = "@hive how long does a refund take?"
FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
HANDS = "worker"
WIRES = ("http", "socket")


class Server:
    """A Postgres of this module's own, which may be stopped."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._running: EmbeddedPostgres | None = None
        self.handle = self.start()

    def start(self) -> Handle:
        self._running = EmbeddedPostgres(self._place, settings=FAST)
        self.handle = self._running.start()
        return self.handle

    def url(self, database: str) -> str:
        return url_of(self.handle, database)

    def stop(self) -> None:
        if self._running is not None:
            assert self._running.stop(), "somebody else keeps the server"
        self._running = None


@pytest.fixture(scope="module")
def server() -> Generator[Server]:
    above = Path(tempfile.mkdtemp(prefix="hb-")).resolve()
    above.chmod(0o711)
    one = Server(above / "data")
    migrate.upgrade(one.handle.uri)
    for name in WIRES:
        administer(one.handle, CLONE, name, "hivebot")
    yield one
    one.stop()
    shutil.rmtree(above)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def front(server: Server, new_folder: Callable[[], Path]) -> AsyncGenerator[Play]:
    """Web and clock without a worker; tests bring their own."""
    switches = {"retry_scale": 0.05, "rate_limits": False}
    async with playing(
        new_folder(), server.url("http"), processes=("serve", "clock"), switches=switches
    ) as play:
        yield play


async def first_answers(play: Play, asked: list[str], count: int) -> None:
    """Wait until so many of the bot's posts stand anywhere in #payments."""
    await play.people.wait_for(
        "calls", method="chat.postMessage", error="ok", channel=PAYMENTS, count=count, timeout_s=60
    )
    assert asked


async def each_answered_once(play: Play, asked: list[str], timeout_s: float = 60) -> None:
    await play.settled(timeout_s)
    for ts in asked:
        rows = await play.people.messages(PAYMENTS, ts)
        assert len(said_by(rows, "Pia")) == len(rows) - 1 == 1


async def say_all(play: Play) -> list[str]:
    return [await play.people.say(who, PAYMENTS, REFUND) for who in (ANA, BEN) * 4]


async def test_a_worker_told_to_stop_in_the_middle_leaves_the_rest_to_the_next(
    front: Play,
) -> None:
    asked = await say_all(front)
    async with process(HANDS, front.stage.environment, front.logs) as hands:
        await first_answers(front, asked, 1)
    assert hands.returncode == 0
    async with process(HANDS, front.stage.environment, front.logs):
        await each_answered_once(front, asked)


async def test_a_worker_that_was_killed_is_followed_by_one_that_finishes_its_work(
    front: Play,
) -> None:
    posts = len(await front.people.calls("chat.postMessage", error="ok", channel=PAYMENTS))
    asked = await say_all(front)
    async with process(HANDS, front.stage.environment, front.logs) as hands:
        await first_answers(front, asked, posts + 1)
        hands.kill()
    await heartbeats_grow_old(front)
    async with process(HANDS, front.stage.environment, front.logs):
        await each_answered_once(front, asked)


async def heartbeats_grow_old(play: Play) -> None:
    """Let as much time pass for the workers that are gone as makes their jobs stalled."""
    query = "update procrastinate_workers set last_heartbeat = now() - interval '1 hour'"
    async with play.engine.begin() as connection:
        await connection.execute(text(query))


async def test_while_the_database_is_away_nothing_is_acknowledged_and_nothing_is_lost(
    front: Play, server: Server
) -> None:
    async with process(HANDS, front.stage.environment, front.logs):
        asked = [await front.people.say(ANA, PAYMENTS, REFUND)]
        await each_answered_once(front, asked)
        assert await readiness(front) == 200
        await asyncio.to_thread(server.stop)
        asked.append(await front.people.say(BEN, PAYMENTS, REFUND))
        refused = await attempts(front, asked[1], 1)
        assert {attempt["status"] for attempt in refused} == {503}
        assert await readiness(front) == 503
        assert (
            'kind="MessageArrived",outcome="not_stored"' in (await asked_for(front, "metrics"))[1]
        )
        await asyncio.to_thread(server.start)
        await each_answered_once(front, asked)
        assert (await attempts(front, asked[1], 2))[-1]["status"] == 200
        assert await readiness(front) == 200


async def test_over_a_socket_too_nothing_is_acknowledged_and_nothing_is_lost(
    server: Server, new_folder: Callable[[], Path]
) -> None:
    switches = {"retry_scale": 0.05, "rate_limits": False, "ack_timeout_s": 1.0}
    url = server.url("socket")
    async with playing(new_folder(), url, over="socket", switches=switches) as play:
        asked = [await play.people.say(ANA, PAYMENTS, REFUND)]
        await each_answered_once(play, asked)
        await asyncio.to_thread(server.stop)
        asked.append(await play.people.say(BEN, PAYMENTS, REFUND))
        refused = await attempts(play, asked[1], 1)
        assert {attempt["reason"] for attempt in refused} == {"timeout"}
        await asyncio.to_thread(server.start)
        await each_answered_once(play, asked)


async def attempts(play: Play, ts: str, count: int) -> list[Json]:
    """The attempts to deliver the event of a message, once there are so many."""
    async with asyncio.timeout(60):
        while True:
            events = await play.people.events(type="message", own=False)
            made = next(as_maps(event["attempts"]) for event in events if event["ts"] == ts)
            if len(made) >= count:
                return made
            await play.moment()


async def readiness(play: Play) -> int:
    return (await asked_for(play, "readyz"))[0]


async def asked_for(play: Play, path: str) -> tuple[int, str]:
    async with (
        aiohttp.ClientSession(trust_env=False) as session,
        session.get(f"{play.stage.bot_url}/{path}") as response,
    ):
        return response.status, await response.text()
