"""Does the bot work in a workspace that somebody else wrote? By the npm package `emulate`."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
import pytest_asyncio
from sqlalchemy.ext.asyncio import AsyncEngine
from structlog.testing import capture_logs

from hivebot.adapters.db.engine import DatabaseUrl, create_engine
from hivebot.adapters.db.waiting import waiting
from hivebot.adapters.slack.directory import SlackDirectory
from hivebot.adapters.slack.poster import SlackPoster
from hivebot.entrypoints.demo import quiet
from hivebot.entrypoints.demo.stage import bot
from hivebot.sandbox.shapes import Json, as_map
from hivebot.services.records.arrivals import Audience, TextContext
from hivebot.services.records.outgoing import Body, Destination, Persona, Posted
from tests.e2e.conftest import Databases
from tests.e2e.independent import ANA_TOKEN, BOT, SECRET, Emulated, emulated
from tests.e2e.play import CONFIG
from tests.e2e.signed import send
from tests.fakes.clock import FakeClock
from tests.fakes.outbox_rows import CREATED, outbox_row

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

_events = count(1)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def there(new_folder: Callable[[], Path]) -> AsyncGenerator[Emulated]:
    async with emulated(new_folder()) as running:
        yield running


@dataclass(frozen=True, slots=True)
class Placed:
    """The whole bot in that workspace."""

    there: Emulated
    url: str
    engine: AsyncEngine

    async def ask(self, channel: str, text: str) -> str:
        """Ana asks; the bot hears of it, and everything is done when this returns."""
        before = (await waiting(self.engine)).rows
        place = self.there.channels[channel]
        posted = await self.there.call(ANA_TOKEN, "chat.postMessage", channel=place, text=text)
        message = as_map(posted["message"])
        assert await self.tell({**message, "channel": place, "channel_type": "channel"}) == 200
        await quiet(self.engine, before + 1)
        return str(posted["ts"])

    async def tell(self, event: Json) -> int:
        """Send an event as Slack does; gives the status of the answer."""
        body: Json = {
            "type": "event_callback",
            "team_id": self.there.team_id,
            "event_id": f"Ev{next(_events)}",
            "event_time": int(time.time()),
            "event": event,
        }
        return (await send(f"{self.url}/slack/events", body, SECRET))[0]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def placed(
    there: Emulated, new_folder: Callable[[], Path], databases: Databases
) -> AsyncGenerator[Placed]:
    folder = new_folder()
    config = folder / "hivebot.yaml"
    written = CONFIG.read_text(encoding="utf-8")
    for written_id, name in (("C0PAY", "payments"), ("C0PLAT", "platform"), ("C0DATA", "data")):
        # by name: the bot has to find the ids
        written = written.replace(f"channel: {written_id} ", f'channel: "#{name}" ')
    config.write_text(written, encoding="utf-8")
    with databases() as url:
        processes = ("serve", "worker")
        async with bot(there.workspace, config, url, processes, folder) as (address, _):
            engine = create_engine(DatabaseUrl.of(url))
            try:
                yield Placed(there, address, engine)
            finally:
                await engine.dispose()


async def test_a_question_crosses_and_its_answer_comes_home(placed: Placed) -> None:
    asked = await placed.ask("payments", "@#platform does the gateway retry on 503?")
    home = await placed.there.shown("payments", asked)
    assert [one.get("username") for one in home] == [None, None, "Pia (rule-based)"]
    assert "has answered" in str(home[1]["text"])
    assert "503 twice" in str(home[2]["text"])
    far = await placed.there.shown("platform")
    assert [one.get("username") for one in far] == ["Pia (rule-based)", "Lasse (rule-based)"]
    assert {one["user"] for one in (*home[1:], *far)} == {BOT}


async def test_the_bots_own_posts_start_nothing_when_it_hears_of_them(placed: Placed) -> None:
    place = placed.there.channels["payments"]
    asked = await placed.ask("payments", f"<@{BOT}> how long does a refund take?")
    thread = await placed.there.shown("payments", asked)
    assert len(thread) == 2
    assert "five working days" in str(thread[1]["text"])
    before = (await waiting(placed.engine)).rows
    assert await placed.tell({**thread[1], "channel": place, "channel_type": "channel"}) == 200
    await quiet(placed.engine, before)
    assert len(await placed.there.shown("payments", asked)) == 2
    assert (await waiting(placed.engine)).rows == before


async def test_a_desk_decides_there_too(placed: Placed) -> None:
    asked = await placed.ask(
        "data", f"<@{BOT}> the new ingest is ready: #canary, #revert or #ship?"
    )
    thread = await placed.there.shown("data", asked)
    assert len(thread) == 2
    assert "Decided by 3 of 5: canary" in str(thread[1]["text"]).replace("*", "")


@asynccontextmanager
async def directory_of(there: Emulated) -> AsyncGenerator[SlackDirectory]:
    async def context(_team_id: str) -> TextContext:
        return TextContext(BOT, ("B0BOT",), "A0HIVE", (), ())

    yield SlackDirectory(there.bot, FakeClock(), context)


async def test_the_directory_knows_its_people_and_channels(there: Emulated) -> None:
    async with directory_of(there) as directory:
        ana = await directory.person(there.team_id, there.ana_id)
        assert (ana.name, ana.known, ana.guest, ana.stranger) == ("ana", True, False, False)
        channel = await directory.channel(there.team_id, there.channels["payments"])
        assert channel is not None
        assert (channel.name, channel.audience, channel.member) == (
            "payments",
            Audience.PUBLIC,
            True,
        )
        found = await directory.resolve_channel_name(there.team_id, "#platform")
        assert found == there.channels["platform"]
        assert await directory.workspace_url(there.team_id) == "https://hive.slack.com/"


async def test_what_it_lacks_is_done_without_and_said_once(there: Emulated) -> None:
    with capture_logs() as logs:
        async with directory_of(there) as directory:
            for _ in range(2):
                nobody = await directory.members_of_group(there.team_id, "S0PLAT")
                assert nobody == frozenset()
    assert [(one["event"], one["method"]) for one in logs] == [
        ("slack.method_missing", "usergroups.list")
    ]


async def test_a_post_is_found_again_edited_and_removed(there: Emulated) -> None:
    poster = SlackPoster(there.bot)
    place = Destination(there.team_id, there.channels["ops"])
    body = Body("*Pia* says hello", persona=Persona("Pia", ":wave:"))
    row = outbox_row(body, row_id=4711, to=place)
    posted = await poster.post(row, "")
    assert isinstance(posted, Posted)
    assert await poster.lookup(row, "", CREATED) == posted.ts
    other = outbox_row(body, row_id=4712, to=place)
    assert await poster.lookup(other, "", CREATED) is None

    edited = outbox_row("something else", row_id=4711, to=place, revision=2)
    assert await poster.edit(edited, posted.ts) == posted
    assert [one["text"] for one in await there.shown("ops")] == ["something else"]
    assert await poster.delete(place, posted.ts) == posted
    assert await there.shown("ops") == []
