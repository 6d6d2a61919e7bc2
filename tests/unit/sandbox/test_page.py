"""What does the page in the browser get, what may it load, and who is told what?"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from aiohttp import web

from hivebot.sandbox.errors import ControlError
from hivebot.sandbox.page import ASSETS
from hivebot.sandbox.shapes import Json, as_list, as_map, as_maps
from tests.unit.sandbox.builders import actions, button, modal
from tests.unit.sandbox.running import Site, site

SECRET = "why-token-of-the-test"


async def got(here: Site, path: str, **query: str) -> tuple[int, str, dict[str, str]]:
    url = f"{here.running.base_url}{path}"
    async with here.http.get(url, params=query) as response:
        return response.status, await response.text(), dict(response.headers)


async def seen(here: Site, user: str, channel: str = "", thread_ts: str = "") -> Json:
    url = f"{here.running.base_url}/sandbox/scene"
    query = {"user": user, "channel": channel, "thread_ts": thread_ts}
    async with here.http.get(url, params=query) as response:
        body = as_map(await response.json())
    if body["ok"] is not True:
        raise ControlError(str(body["error"]), str(body["detail"]))
    return body


async def test_the_page_is_there_and_may_load_nothing_from_elsewhere() -> None:
    async with site() as here:
        status, text, headers = await got(here, "/")
    assert (status, "hivebot sandbox" in text) == (200, True)
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "frame-ancestors 'none'" in policy


def test_nothing_of_the_page_is_inline_or_of_another_host() -> None:
    page = (ASSETS / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)|\bon\w+=|style=", page)
    for file in ASSETS.iterdir():
        words = file.read_text(encoding="utf-8")
        assert "innerHTML" not in words
        assert "insertAdjacentHTML" not in words
        assert not re.search(r"(?:src|href|url)\s*[=(]\s*[\"']?https?:", words), file.name


@pytest.mark.parametrize("name", sorted(file.name for file in ASSETS.iterdir()))
async def test_each_file_of_the_page_is_served_with_its_kind(name: str) -> None:
    kinds = {
        "css": "text/css",
        "html": "text/html",
        "js": "text/javascript",
        "svg": "image/svg+xml",
    }
    async with site() as here:
        status, _, headers = await got(here, f"/page/{name}")
    assert status == 200
    assert headers["Content-Type"].startswith(kinds[name.rpartition(".")[2]])
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("name", ["nothing.js", "..%2F__init__.py", "%2Fetc%2Fpasswd"])
async def test_no_other_file_is_served(name: str) -> None:
    async with site() as here:
        status, text, _ = await got(here, f"/page/{name}")
    assert (status, "root:" in text) == (404, False)


async def test_the_page_is_refused_under_a_foreign_name() -> None:
    async with (
        site() as here,
        here.http.get(f"{here.running.base_url}/", headers={"Host": "evil.test"}) as response,
    ):
        assert response.status == 403


async def test_each_change_is_told_once_and_at_once() -> None:
    async with site() as here, here.http.get(f"{here.running.base_url}/page/live") as live:
        assert live.headers["Content-Type"] == "text/event-stream"
        async with asyncio.timeout(5):
            first = await live.content.readuntil(b"\n\n")
            await here.people.say("ana", "payments", "hello")
            second = await live.content.readuntil(b"\n\n")
    numbers = [int(one.removeprefix(b"data: ")) for one in (first, second)]
    assert numbers[0] < numbers[1]


async def test_a_quiet_line_says_that_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hivebot.sandbox.page.live.QUIET_S", 0.01)
    async with site() as here, here.http.get(f"{here.running.base_url}/page/live") as live:
        async with asyncio.timeout(5):
            await live.content.readuntil(b"\n\n")
            assert await live.content.readuntil(b"\n\n") == b": still here\n\n"


async def test_a_screen_holds_the_open_channel_and_thread_and_what_only_this_person_has() -> None:
    async with site() as here:
        ts = await here.people.say("ana", "payments", "hello")
        await here.people.say("ben", "payments", "hi", thread_ts=ts)
        await here.call("chat.postEphemeral", channel="C0PAY", user="U0ANA", text="psst")
        await here.people.command("ana", "payments", "/hive")
        trigger = here.app.got[-1].form["trigger_id"]
        await here.call("views.open", trigger_id=trigger, view=modal(actions(button("more"))))
        anas = await seen(here, "ana", "payments", ts)
        bens = await seen(here, "ben", "payments")
    assert [one["plain"] for one in as_maps(anas["messages"])] == ["hello"]
    assert [one["plain"] for one in as_maps(anas["thread"])] == ["hello", "hi"]
    assert [one["plain"] for one in as_maps(anas["ephemerals"])] == ["psst"]
    assert [one["type"] for one in as_maps(anas["views"])] == ["modal"]
    assert (bens["ephemerals"], bens["views"], "thread" in bens) == ([], [], False)


async def test_a_screen_shows_only_channels_the_person_can_open() -> None:
    async with site() as here:
        names = {
            user: {str(one["name"]) for one in as_maps((await seen(here, user))["channels"])}
            for user in ("ana", "ben", "guest", "eve")
        }
        for user in ("ben", "guest", "eve"):
            with pytest.raises(ControlError, match="not_in_channel"):
                await seen(here, user, "finance")
    assert {"payments", "finance", "lab"} <= names["ana"]
    assert "finance" not in names["ben"]
    assert names["guest"] == {"payments"}
    assert names["eve"] == {"acme"}


async def test_a_screen_says_who_is_who() -> None:
    async with site() as here:
        people = {one["name"]: one for one in as_maps((await seen(here, "ana"))["people"])}
    assert people["eve"]["stranger"] is True
    assert people["guest"]["guest"] is True
    assert (people["ana"]["stranger"], people["hive"]["is_bot"]) == (False, True)


async def test_nobody_who_is_not_there_has_a_screen() -> None:
    async with site() as here:
        with pytest.raises(ControlError, match="no_such_user"):
            await seen(here, "nobody")


async def test_a_screen_tells_what_is_broken_and_what_went_over_the_wire() -> None:
    async with site() as here:
        await here.people.fault("chat.postMessage", "status", times=2, status=503)
        await here.people.event_fault("message", "hold")
        await here.people.say("ana", "payments", "hello")
        await here.call("auth.test")
        wire = as_map((await seen(here, "ana"))["wire"])
    assert [one["method"] for one in as_maps(wire["call_faults"])] == ["chat.postMessage"]
    assert (wire["held"], wire["event_faults"]) == (1, [])
    assert [one["method"] for one in as_maps(wire["calls"])] == ["auth.test"]
    assert [one["state"] for one in as_maps(wire["events"])] == ["held"]


# Reasons.


@dataclass
class Bot:
    """The bot's side, as far as reasons go."""

    asked: list[tuple[str, dict[str, str], str]] = field(
        default_factory=list[tuple[str, dict[str, str], str]]
    )
    status: int = 200


@asynccontextmanager
async def reasons(here: Site, bot: Bot) -> AsyncGenerator[Bot]:
    async def answer(request: web.Request) -> web.Response:
        token = request.headers.get("Authorization", "")
        bot.asked.append((request.path, dict(request.query), token))
        return web.json_response({"questions": [1], "desks": [2]}, status=bot.status)

    app = web.Application()
    app.router.add_get("/{what}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site_ = web.TCPSite(runner, "127.0.0.1", 0)
    await site_.start()
    await here.people.settings(
        why_url=f"http://127.0.0.1:{runner.addresses[0][1]}", why_token=SECRET
    )
    try:
        yield bot
    finally:
        await runner.cleanup()


async def asked(here: Site, path: str, **query: str) -> tuple[int, Json]:
    async with here.http.get(f"{here.running.base_url}{path}", params=query) as response:
        return response.status, as_map(await response.json())


async def test_reasons_are_asked_of_the_bot_with_the_token_the_page_never_sees() -> None:
    async with site() as here, reasons(here, Bot()) as bot:
        status, body = await asked(
            here, "/page/why", user="ana", channel="C0PAY", thread_ts="1.2", more="x"
        )
        described = await here.people.describe()
        assert (status, as_list(body["questions"])) == (200, [1])
        assert bot.asked == [("/why", {"channel": "C0PAY", "thread_ts": "1.2"}, f"Bearer {SECRET}")]
        assert SECRET not in str(described)
        assert (await asked(here, "/page/desks"))[1]["desks"] == [2]


async def test_reasons_are_not_told_to_who_cannot_see_the_channel() -> None:
    async with site() as here, reasons(here, Bot()) as bot:
        status, body = await asked(here, "/page/why", user="eve", channel="C0PAY")
        assert (status, body["error"]) == (409, "not_in_channel")
        assert bot.asked == []


async def test_a_workspace_without_the_bots_reasons_says_so() -> None:
    async with site() as here:
        status, body = await asked(here, "/page/why", user="ana", channel="C0PAY")
        assert (status, body["error"]) == (404, "no_why_url")


async def test_a_bot_that_refuses_or_is_gone_is_said() -> None:
    async with site() as here:
        async with reasons(here, Bot(status=503)):
            status, body = await asked(here, "/page/desks")
            assert (status, body["error"]) == (502, "why_failed")
        status, body = await asked(here, "/page/desks")
        assert (status, body["error"]) == (502, "why_away")
