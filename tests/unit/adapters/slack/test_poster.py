from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from hivebot.adapters.slack.limits import problems
from hivebot.adapters.slack.poster import LOOKUP_PAGES, TORN_NOTICE, SlackPoster
from hivebot.adapters.slack.shapes import Json, as_maps, as_text
from hivebot.services.records.outgoing import (
    Body,
    Button,
    Destination,
    OutboxKind,
    Persona,
    Posted,
    SendFailure,
    SendResult,
)
from tests.fakes.outbox_rows import CREATED, OPS, outbox_row
from tests.unit.adapters.slack.stub import LIMITED, Said, StubSlack, no, ok, slack

ERIN = Persona("Erin", ":bee:")
LONG = Body("\n\n".join(f"{number} " + "word " * 700 for number in range(3)), ERIN)
NO_NAMES = no("missing_scope", needed="chat:write.customize")
DM = Destination("T0HIVE", "U0ANA")


@asynccontextmanager
async def posting() -> AsyncGenerator[tuple[StubSlack, SlackPoster], None]:
    async with slack() as (stub, api):
        yield stub, SlackPoster(api)


def failed(result: SendResult | tuple[str, ...] | None) -> SendFailure:
    assert isinstance(result, SendFailure)
    return result


def posts(stub: StubSlack) -> list[Json]:
    return stub.made("chat.postMessage")


def texts(stub: StubSlack) -> list[str]:
    return [as_text(one["text"]) for one in posts(stub)]


async def test_a_post_says_who_it_is_from_and_which_row_it_shows() -> None:
    async with posting() as (stub, poster):
        result = await poster.post(outbox_row(Body("Yes.", ERIN)), "1.2")
        assert result == Posted(("1700000000.000001",))
        (sent,) = posts(stub)
        assert as_maps(sent["blocks"])[0]["block_id"] == "o7.1-0-0"
        assert {key: value for key, value in sent.items() if key != "blocks"} == {
            "channel": "C0OPS",
            "thread_ts": "1.2",
            "text": "Yes.",
            "username": "Erin",
            "icon_emoji": ":bee:",
            "parse": "none",
            "link_names": False,
            "unfurl_links": False,
            "unfurl_media": False,
            "metadata": {
                "event_type": "hivebot_outbox",
                "event_payload": {"outbox_id": 7, "part": 0},
            },
        }


@pytest.mark.parametrize(
    ("persona", "named"),
    [
        (None, {}),
        (Persona("Erin", "https://e.com/i.png"), {"icon_url": "https://e.com/i.png"}),
        (Persona("Erin", "http://e.com/i.png"), {}),
        (Persona("Erin", rule_based=True), {"username": "Erin (rule-based)"}),
    ],
)
async def test_a_persona_brings_its_name_and_a_safe_icon(
    persona: Persona | None, named: dict[str, str]
) -> None:
    async with posting() as (stub, poster):
        await poster.post(outbox_row(Body("x", persona)), "")
        (sent,) = posts(stub)
        shown = {key: value for key, value in sent.items() if key.startswith(("icon", "user"))}
        assert shown == ({"username": "Erin"} | named if persona else {})


async def test_without_the_scope_the_name_is_a_bold_prefix_and_that_is_said_once() -> None:
    async with posting() as (stub, poster):
        stub.will_say("chat.postMessage", NO_NAMES)
        with capture_logs() as logs:
            for _ in range(2):
                result = await poster.post(outbox_row(Body("Yes.", ERIN)), "")
                assert isinstance(result, Posted)
        assert texts(stub) == ["Yes.", "*Erin*\nYes.", "*Erin*\nYes."]
        assert ["username" in one for one in posts(stub)] == [True, False, False]
        assert [one["event"] for one in logs] == ["slack.names_refused"]


async def test_a_scope_granted_since_brings_the_name_back() -> None:
    async with posting() as (stub, poster):
        headers = (("X-OAuth-Scopes", "chat:write,chat:write.customize"),)
        stub.will_say(
            "chat.postMessage", NO_NAMES, Said('{"ok": true, "ts": "1.1"}', headers=headers)
        )
        await poster.post(outbox_row(Body("Yes.", ERIN)), "")
        await poster.post(outbox_row(Body("Yes.", ERIN)), "")
        assert texts(stub)[-1] == "Yes."


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        (Body("x"), NO_NAMES),
        (Body("x", ERIN), no("missing_scope", needed="chat:write")),
    ],
)
async def test_another_missing_scope_is_a_failure(body: Body, answer: Said) -> None:
    async with posting() as (stub, poster):
        stub.will_say("chat.postMessage", answer)
        assert failed(await poster.post(outbox_row(body), "")).kind == "scope"
        assert len(posts(stub)) == 1


async def test_a_name_refused_twice_is_a_failure() -> None:
    async with posting() as (stub, poster):
        stub.will_say("chat.postMessage", no("missing_scope"), no("missing_scope"))
        assert failed(await poster.post(outbox_row(Body("x", ERIN)), "")).kind == "scope"


@pytest.mark.parametrize(
    "error", ["invalid_blocks", "msg_blocks_too_long", "invalid_blocks_format"]
)
async def test_refused_blocks_become_plain_text(error: str) -> None:
    async with posting() as (stub, poster):
        stub.will_say("chat.postMessage", no(error))
        body = Body("Yes.", buttons=(Button("a", "Go", "1"),))
        assert isinstance(await poster.post(outbox_row(body), ""), Posted)
        assert ["blocks" in one for one in posts(stub)] == [True, False]
        assert texts(stub) == ["Yes.", "Yes."]


async def test_once_blocks_are_refused_the_rest_is_plain() -> None:
    async with posting() as (stub, poster):
        stub.will_say("chat.postMessage", ok(ts="1.1"), no("invalid_blocks"))
        assert isinstance(await poster.post(outbox_row(LONG), ""), Posted)
        assert ["blocks" in one for one in posts(stub)] == [True, True, False, False]


async def test_text_that_is_refused_too_is_a_failure() -> None:
    async with posting() as (stub, poster):
        stub.will_say("chat.postMessage", no("invalid_blocks"), no("msg_too_long"))
        assert failed(await poster.post(outbox_row("x"), "")).kind == "too_long"


async def test_a_message_that_ends_early_says_so() -> None:
    async with posting() as (stub, poster):
        stub.will_say("chat.postMessage", ok(ts="1.1"), no("restricted_action"), ok(ts="1.3"))
        with capture_logs() as logs:
            result = await poster.post(outbox_row(LONG), "1.0")
        assert result == Posted(("1.1", "1.3"))
        assert texts(stub)[-1] == TORN_NOTICE
        assert posts(stub)[-1]["thread_ts"] == "1.0"
        assert [one["event"] for one in logs] == ["slack.message_torn"]


async def test_a_message_that_cannot_even_say_so_is_removed() -> None:
    async with posting() as (stub, poster):
        stub.will_say("chat.postMessage", ok(ts="1.1"), no("is_archived"), no("is_archived"))
        assert failed(await poster.post(outbox_row(LONG), "")).kind == "archived"
        assert [one["ts"] for one in stub.made("chat.delete")] == ["1.1"]


async def test_a_try_that_ended_halfway_goes_on_behind_the_last_part() -> None:
    async with posting() as (stub, poster):
        stub.will_say("chat.postMessage", ok(ts="1.1"), LIMITED)
        row = outbox_row(LONG)
        assert failed(await poster.post(row, "")) == SendFailure("wait", "ratelimited", "", 7)
        result = await poster.post(replace(row, attempt=2), "")
        assert isinstance(result, Posted)
        assert result.ts[0] == "1.1"
        assert len(result.ts) == 3
        assert stub.made("conversations.history") == []
        assert len(posts(stub)) == 4


async def test_after_a_restart_the_parts_are_looked_for() -> None:
    async with posting() as (stub, poster):
        stub.will_say("conversations.replies", ok(messages=[ours("1.1", 0), ours("1.3", 2)]))
        result = await poster.post(outbox_row(LONG, attempt=2), "1.0")
        assert isinstance(result, Posted)
        assert result.ts[0] == "1.1"
        assert len(posts(stub)) == 2
        (asked,) = stub.made("conversations.replies")
        assert asked["oldest"] == f"{CREATED.timestamp():.6f}"


async def test_a_look_that_fails_posts_nothing() -> None:
    async with posting() as (stub, poster):
        stub.will_say("conversations.history", LIMITED)
        assert failed(await poster.post(outbox_row(LONG, attempt=2), "")).kind == "wait"
        assert posts(stub) == []


async def test_a_part_that_came_back_as_an_event_is_not_posted_again() -> None:
    async with posting() as (stub, poster):
        row = outbox_row(LONG, attempt=2, seen=((1, "1.2"), (0, "1.1")))
        result = await poster.post(row, "")
        assert isinstance(result, Posted)
        assert result.ts[:2] == ("1.1", "1.2")
        assert len(posts(stub)) == 1


async def test_only_so_many_half_sent_rows_are_remembered() -> None:
    async with slack() as (stub, api):
        poster = SlackPoster(api, hints_max=1)
        for row_id in (7, 8):
            stub.will_say("chat.postMessage", ok(ts=f"{row_id}.1"), LIMITED)
            await poster.post(outbox_row(LONG, row_id=row_id), "")
        result = await poster.post(outbox_row(LONG, row_id=8), "")
        assert isinstance(result, Posted)
        assert result.ts[0] == "8.1"
        again = await poster.post(outbox_row(LONG, row_id=7), "")
        assert isinstance(again, Posted)
        assert again.ts[0] != "7.1"


async def test_an_answer_without_a_ts_is_ambiguous() -> None:
    async with posting() as (stub, poster):
        stub.will_say("chat.postMessage", ok())
        assert failed(await poster.post(outbox_row("x"), "")).kind == "ambiguous"


async def test_an_ephemeral_goes_to_its_reader_without_metadata() -> None:
    async with posting() as (stub, poster):
        to = replace(OPS, user_id="U0ANA")
        row = outbox_row("psst", kind=OutboxKind.EPHEMERAL, to=to, attempt=2)
        assert isinstance(await poster.post(row, "1.2"), Posted)
        (sent,) = stub.made("chat.postEphemeral")
        assert (sent["user"], sent["thread_ts"]) == ("U0ANA", "1.2")
        assert "metadata" not in sent


async def test_a_direct_channel_is_opened_once() -> None:
    async with posting() as (stub, poster):
        for _ in range(2):
            await poster.post(outbox_row("psst", to=DM), "")
        assert [one["channel"] for one in posts(stub)] == ["D0ANA", "D0ANA"]
        assert stub.made("conversations.open") == [{"users": "U0ANA"}]


@pytest.mark.parametrize(
    ("answer", "kind"), [(no("cannot_dm_bot"), "refused"), (ok(channel={}), "refused")]
)
async def test_a_direct_channel_that_cannot_be_opened_is_a_failure(answer: Said, kind: str) -> None:
    async with posting() as (stub, poster):
        stub.will_say("conversations.open", answer)
        assert failed(await poster.post(outbox_row("psst", to=DM), "")).kind == kind
        assert posts(stub) == []


async def test_an_edit_replaces_text_and_blocks() -> None:
    async with posting() as (stub, poster):
        row = outbox_row(Body("answered", ERIN), kind=OutboxKind.LINE, revision=3)
        assert await poster.edit(row, ("1.1",)) == Posted(("1.1",))
        (sent,) = stub.made("chat.update")
        assert (sent["ts"], sent["text"], sent["parse"]) == ("1.1", "answered", "none")
        assert as_maps(sent["blocks"])[0]["block_id"] == "o7.3-0-0"


async def test_an_edit_that_needs_more_room_stays_in_its_messages() -> None:
    async with posting() as (stub, poster):
        assert await poster.edit(outbox_row(LONG), ("1.1",)) == Posted(("1.1",))
        (sent,) = stub.made("chat.update")
        assert problems(as_text(sent["text"]), as_maps(sent["blocks"])) == ()
        assert posts(stub) == []


async def test_an_edit_whose_blocks_are_refused_goes_on_in_plain_text() -> None:
    async with posting() as (stub, poster):
        stub.will_say("chat.update", no("invalid_blocks"))
        parts = poster.parts(outbox_row(LONG))
        ts = tuple(f"1.{number}" for number in range(parts))
        assert await poster.edit(outbox_row(LONG), ts) == Posted(ts)
        assert [bool(one["blocks"]) for one in stub.made("chat.update")] == [True, *[False] * parts]


async def test_an_edit_that_is_refused_is_a_failure() -> None:
    async with posting() as (stub, poster):
        stub.will_say("chat.update", no("cant_update_message"))
        assert failed(await poster.edit(outbox_row("x"), ("1.1",))).kind == "cannot_edit"
        assert failed(await poster.edit(outbox_row("x"), ())).kind == "message_gone"


async def test_an_edit_that_cannot_remove_what_is_left_over_is_a_failure() -> None:
    async with posting() as (stub, poster):
        stub.will_say("chat.delete", no("cant_delete_message"))
        assert failed(await poster.edit(outbox_row("x"), ("1.1", "1.2"))).kind == "cannot_edit"


async def test_every_part_is_deleted_even_after_a_failure() -> None:
    async with posting() as (stub, poster):
        stub.will_say("chat.delete", no("message_not_found"), LIMITED, no("is_archived"))
        assert failed(await poster.delete(OPS, ("1.1", "1.2", "1.3", "1.4"))).kind == "wait"
        assert [one["ts"] for one in stub.made("chat.delete")] == ["1.1", "1.2", "1.3", "1.4"]


def ours(ts: str, part: object, outbox_id: object = 7) -> dict[str, object]:
    payload = {"outbox_id": outbox_id, "part": part}
    return {"ts": ts, "metadata": {"event_type": "hivebot_outbox", "event_payload": payload}}


def strangers() -> Iterator[dict[str, object]]:
    yield {"ts": "0.1"}
    yield ours("0.2", 0, outbox_id=8)
    yield {"ts": "0.3", "metadata": {"event_type": "other", "event_payload": {"outbox_id": 7}}}
    yield {
        "ts": "0.4",
        "metadata": {"event_type": "hivebot_outbox", "event_payload": {"outbox_id": 7}},
    }


async def test_a_row_is_found_by_its_metadata_alone() -> None:
    async with posting() as (stub, poster):
        messages = [*strangers(), ours("1.2", 1), ours("1.1", 0)]
        stub.will_say("conversations.history", ok(messages=messages))
        assert await poster.lookup(outbox_row("x"), "", CREATED) == ("1.1", "1.2")
        (asked,) = stub.made("conversations.history")
        assert asked["include_all_metadata"] == "1"
        stub.will_say("conversations.history", ok(messages=[*strangers(), ours("1.2", 1)]))
        assert await poster.lookup(outbox_row("x"), "", CREATED) is None


async def test_a_row_is_looked_for_on_several_pages_but_not_on_all() -> None:
    async with posting() as (stub, poster):
        more = ok(messages=[], response_metadata={"next_cursor": "c"})
        stub.will_say("conversations.replies", more, ok(messages=[ours("1.1", 0)]))
        assert await poster.lookup(outbox_row("x"), "1.0", CREATED) == ("1.1",)
        asked = stub.made("conversations.replies")
        assert [(one["ts"], one.get("cursor")) for one in asked] == [("1.0", None), ("1.0", "c")]
        stub.will_say("conversations.history", *[more] * 9)
        assert await poster.lookup(outbox_row("x"), "", CREATED) is None
        assert len(stub.made("conversations.history")) == LOOKUP_PAGES


async def test_a_look_that_slack_refuses_is_a_failure() -> None:
    async with posting() as (stub, poster):
        stub.will_say("conversations.history", no("missing_scope", needed="channels:history"))
        found = await poster.lookup(outbox_row("x"), "", CREATED)
        assert failed(found).detail == "channels:history"


async def test_what_breaks_a_limit_is_sent_as_plain_text_at_once() -> None:
    async with posting() as (stub, poster):
        row = outbox_row(Body("x", buttons=(Button("a", "Go", ""),) * 60))
        assert isinstance(await poster.post(row, ""), Posted)
        assert isinstance(await poster.edit(row, ("1.1", "1.2")), Posted)
        assert ["blocks" in one for one in posts(stub)] == [True, False]
        assert [bool(one["blocks"]) for one in stub.made("chat.update")] == [True, False]
