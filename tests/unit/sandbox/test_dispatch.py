"""When and by which way does each event and each press leave for the app?"""

from __future__ import annotations

from aiohttp import web

from hivebot.sandbox.shapes import Json, as_map, as_maps
from tests.unit.sandbox.running import Site, site


async def rows(here: Site, count: int = 1, state: str = "", **filters: bool) -> list[Json]:
    own, idle = filters.get("own"), filters.get("idle")
    return await here.people.wait_for("events", count=count, state=state, own=own, idle=idle)


async def test_an_event_is_delivered_and_noted() -> None:
    async with site() as here:
        ts = await here.people.say("ana", "payments", "hello")
        [row] = await rows(here, state="acknowledged")
        assert (row["subscription"], row["channel"], row["ts"]) == ("message.channels", "C0PAY", ts)
        assert (row["own"], row["attempts"]) == (False, [{"status": 200, "reason": None}])


async def test_an_event_nobody_acknowledges_has_failed() -> None:
    async with site() as here:
        here.app.answers = [web.Response(status=500) for _ in range(4)]
        await here.people.say("ana", "payments", "hello")
        [row] = await rows(here, state="failed")
        assert len(as_maps(row["attempts"])) == 4


async def test_a_duplicate_comes_under_the_same_id() -> None:
    async with site() as here:
        await here.people.event_fault("message", "duplicate", copies=2)
        await here.people.say("ana", "payments", "hello")
        await here.people.say("ana", "payments", "next")
        got = await here.app.wait_for(4)
        texts = [one.event["text"] for one in got]
        ids = {one.json["event_id"] for one in got if one.event["text"] == "hello"}
        assert (texts.count("hello"), texts.count("next"), len(ids)) == (3, 1, 1)


async def test_a_message_can_come_under_several_ids() -> None:
    async with site() as here:
        await here.people.event_fault("message", "reissue", copies=10)
        await here.people.say("ana", "payments", "hello")
        got = await here.app.wait_for(11)
        assert len({one.json["event_id"] for one in got}) == 11
        assert len({str(one.event["ts"]) for one in got}) == 1


async def test_a_deletion_can_come_before_its_message() -> None:
    async with site(in_order=True) as here:
        await here.people.event_fault("message", "hold")
        ts = await here.people.say("ana", "payments", "hello")
        [held] = await rows(here, state="held")
        assert held["ts"] == ts
        await here.people.delete("ana", "payments", ts)
        await rows(here, state="acknowledged")
        assert await here.people.release() == 1
        await rows(here, count=2, state="acknowledged")
        assert here.app.events() == ["message_deleted", "message"]


async def test_held_events_can_be_released_newest_first() -> None:
    async with site(in_order=True) as here:
        await here.people.event_fault("*", "hold", times=3)
        for text in "abc":
            await here.people.say("ana", "payments", text)
        assert await here.people.release(newest_first=True) == 3
        await here.app.wait_for(3)
        assert [one.event["text"] for one in here.app.got] == ["c", "b", "a"]


async def test_a_lost_event_never_comes() -> None:
    async with site() as here:
        await here.people.event_fault("message", "lose")
        await here.people.say("ana", "payments", "lost")
        await here.people.say("ana", "payments", "next")
        await rows(here, state="acknowledged")
        assert [one.event["text"] for one in here.app.got] == ["next"]
        assert len(await rows(here, state="lost")) == 1


async def test_the_own_event_comes_before_the_answer_where_the_switch_says_so() -> None:
    async with site(own_event="before") as here:
        await here.call("chat.postMessage", channel="C0PAY", text="x")
        assert [one.event["text"] for one in here.app.got] == ["x"]


async def test_a_held_own_event_does_not_keep_the_answer_back() -> None:
    async with site(own_event="before") as here:
        await here.people.event_fault("message", "hold")
        assert (await here.call("chat.postMessage", channel="C0PAY", text="x"))["ok"] is True


async def test_the_own_event_comes_after_the_answer_by_default() -> None:
    async with site() as here:
        body = await here.call("chat.postMessage", channel="C0PAY", text="x")
        [row] = await rows(here, own=True, state="acknowledged")
        assert row["ts"] == body["ts"]


async def test_any_event_and_any_body_reach_the_app() -> None:
    async with site(in_order=True) as here:
        await here.people.emit({"type": "agent_session_stopped"})
        await here.people.emit(body={"type": "app_rate_limited", "minute_rate_limited": 1})
        first, second = await here.app.wait_for(2)
        assert first.event["type"] == "agent_session_stopped"
        assert second.json == {"type": "app_rate_limited", "minute_rate_limited": 1}


async def test_a_test_can_wait_until_nothing_is_under_way() -> None:
    async with site() as here:
        here.app.answers = [web.Response(status=500)]
        await here.people.say("ana", "payments", "hello")
        [row] = await rows(here, idle=True)
        assert row["state"] == "acknowledged"
        assert as_map(row["event"])["text"] == "hello"
