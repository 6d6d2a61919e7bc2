"""What do the people's side and the test bench take and give?"""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import web

from hivebot.sandbox.errors import ControlError, WaitError
from hivebot.sandbox.shapes import Json, as_list, as_map, as_maps, compact
from tests.unit.sandbox.builders import actions, button, field, modal
from tests.unit.sandbox.running import Site, site

POST = "chat.postMessage"


async def opened_view(here: Site, view: Json) -> str:
    """Let the app open a view for the steward by way of a command."""
    await here.people.command("stew", "payments", "/hive")
    trigger = here.app.got[-1].form["trigger_id"]
    body = await here.call("views.open", trigger_id=trigger, view=view)
    return str(as_map(body["view"])["id"])


async def test_people_talk_and_mark() -> None:
    async with site() as here:
        people = here.people
        ts = await people.say("ana", "payments", "hello @hive")
        await people.edit("ana", "payments", ts, "hello")
        await people.react("ben", "payments", ts, "eyes")
        seen = await people.message("payments", ts)
        assert (seen["plain"], seen["edited"], seen["reactions"]) == (
            "hello",
            True,
            {"eyes": ["U0BEN"]},
        )
        await people.unreact("ben", "payments", ts, "eyes")
        await people.unfurl("payments", ts, [{"title": "X"}])
        await people.bot_say("payments", attachments=[{"text": "disk full"}])
        await people.delete("ana", "payments", ts)
        [left] = await people.messages("payments")
        assert (left["author"], as_maps(left["attachments"])) == ("alerts", [{"text": "disk full"}])
        with pytest.raises(ControlError, match="no_such_message"):
            await people.message("payments", ts)


async def test_a_raw_text_and_a_file_can_be_said() -> None:
    async with site() as here:
        await here.people.say("ana", "payments", "@<#C0PLAT|>", raw=True)
        await here.people.say("ana", "payments", "see", files=[{"name": "a.txt"}])
        raw, file = await here.people.messages("payments")
        assert (raw["text"], file["subtype"]) == ("@<#C0PLAT|>", "file_share")


async def test_a_view_is_seen_submitted_refused_and_closed() -> None:
    async with site() as here:
        view_id = await opened_view(here, modal(field("text"), callback_id="correction"))
        [view] = await here.people.views("stew")
        assert (view["id"], view["callback_id"], view["inputs"]) == (
            view_id,
            "correction",
            ["text"],
        )
        errors = {"response_action": "errors", "errors": {"block-text": "More."}}
        here.app.answers = [web.json_response(errors)]
        refused = await here.people.submit("stew", view_id, {"text": "x"})
        assert (refused["closed"], refused["errors"]) == (False, {"block-text": "More."})
        assert (await here.people.submit("stew", view_id, {"text": "more"}))["closed"] is True
        assert here.app.got[-1].payload["type"] == "view_submission"
        assert await here.people.views("stew") == []


async def test_a_view_is_used_and_closed_by_its_person() -> None:
    async with site() as here:
        view = modal(actions(button("more")), notify_on_close=True)
        view_id = await opened_view(here, view)
        await here.people.press_in_view("stew", view_id, "more")
        await here.people.close_view("stew", view_id)
        kinds = [one.payload["type"] for one in here.app.got[-2:]]
        assert kinds == ["block_actions", "view_closed"]
        silent = await opened_view(here, modal())
        before = len(here.app.got)
        await here.people.close_view("stew", silent)
        assert len(here.app.got) == before


async def test_an_answer_to_a_command_is_shown_as_slack_shows_it() -> None:
    async with site() as here:
        in_channel = {"response_type": "in_channel", "text": "Desks: payments"}
        here.app.answers = [web.Response(text="psst"), web.json_response(in_channel)]
        assert await here.people.command("ana", "payments", "/hive", "desks") == "psst"
        await here.people.command("ana", "payments", "/hive", "desks")
        assert [one["plain"] for one in await here.people.ephemerals("ana")] == ["psst"]
        [message] = await here.people.messages("payments")
        assert message["plain"] == "Desks: payments"
        here.app.answers = [web.json_response({"blocks": [{"type": "wonder"}]})]
        with pytest.raises(ControlError, match="bad_response"):
            await here.people.command("ana", "payments", "/hive")


async def test_an_app_that_fails_an_interaction_fails_before_the_person() -> None:
    async with site(ack_timeout_s=0.4) as here:
        here.app.answers = [web.Response(status=500), None]
        with pytest.raises(ControlError, match=r"dispatch_failed: http_error \(HTTP 500\)"):
            await here.people.command("ana", "payments", "/hive")
        with pytest.raises(ControlError, match="operation_timeout"):
            await here.people.command("ana", "payments", "/hive")


async def test_shortcuts_and_the_home_tab_reach_the_app() -> None:
    async with site() as here:
        ts = await here.people.say("ana", "payments", "hello")
        await here.people.wait_for("events", state="acknowledged")
        await here.people.shortcut("ben", "why", "payments", ts)
        assert here.app.got[-1].payload["type"] == "message_action"
        await here.people.open_home("ana")
        await here.people.wait_for("events", type="app_home_opened", state="acknowledged")


async def test_the_workspace_is_changed_from_outside() -> None:
    async with site() as here:
        people = here.people
        await people.change_channel("payments", "rename", "pay")
        await people.create_channel("C0NEW", "new", ["U0ANA"], is_private=True)
        await people.invite("new")
        await people.kick("new")
        await people.act("hire", person={"id": "U0NEW", "name": "newcomer"})
        await people.act("group", group="platform", users=["U0ANA"])
        await people.deactivate("ben")
        await people.install("revoked")
        told = [str(one["type"]) for one in await people.events()]
        assert told == [
            "channel_rename",
            "member_joined_channel",
            "message",
            "member_left_channel",
            "subteam_updated",
            "tokens_revoked",
        ]
        assert (await here.call("auth.test"))["error"] == "token_revoked"
        world = await people.describe()
        channels = {one["id"]: one for one in as_maps(world["channels"])}
        assert channels["C0PAY"]["name"] == "pay"
        assert channels["C0NEW"]["members"] == ["U0ANA"]
        assert "U0NEW" in {one["id"] for one in as_maps(world["people"])}
        assert "signing_secret" not in as_map(world["settings"])


async def test_settings_change_all_or_none() -> None:
    async with site() as here:
        await here.people.settings(channel_form="literal", rate_limits=False)
        with pytest.raises(ControlError, match="bad_settings"):
            await here.people.settings(channel_form="empty", colour="red")
        await here.people.say("ana", "payments", "@#platform")
        [seen] = await here.people.messages("payments")
        assert seen["text"] == "@#platform"


async def test_the_request_url_is_verified_on_demand() -> None:
    async with site() as here:
        assert await here.people.verify() is False
        await here.people.settings(event_url=None)
        with pytest.raises(ControlError, match="no_event_url"):
            await here.people.verify()


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "error"),
    [
        ("POST", "/sandbox/dance", "{}", 404, "no_such_act"),
        ("GET", "/sandbox/dance", "", 404, "no_such_act"),
        ("POST", "/sandbox/say", "[]", 400, "not_an_object"),
        ("POST", "/sandbox/say", "{}", 400, "bad_fields"),
        ("GET", "/sandbox/look?colour=red", "", 400, "bad_fields"),
        ("GET", "/sandbox/look", "", 409, "no_such_channel"),
    ],
)
async def test_a_request_that_cannot_be_is_refused(
    method: str, path: str, body: str, status: int, error: str
) -> None:
    async with (
        site() as here,
        here.http.request(method, f"{here.running.base_url}{path}", data=body) as response,
    ):
        assert (response.status, as_map(await response.json())["error"]) == (status, error)


async def test_the_client_raises_what_is_no_answer_of_the_sandbox() -> None:
    async with site() as here:
        with pytest.raises(ControlError, match="no_answer"):
            await here.people.act("say/nothing")


async def test_rows_are_filtered() -> None:
    async with site() as here:
        people = here.people
        first = await people.say("ana", "payments", "one")
        await people.say("ben", "payments", "two")
        blocks: list[Json] = [{"type": "section", "text": {"type": "mrkdwn", "text": "three"}}]
        await here.call(POST, channel="C0PAY", text="x", username="Lead", blocks=blocks)
        await here.call(POST, channel="C0NONE", text="x")
        await people.react("ana", "payments", first, "eyes")

        async def plain(**filters: object) -> list[object]:
            return [
                one["plain"] for one in await people.look("messages", channel="payments", **filters)
            ]

        assert await plain(user="ben") == ["two"]
        assert await plain(author="Lead") == ["three"]
        assert await plain(own=True) == ["three"]
        assert await plain(own=False, contains="o") == ["one", "two"]
        assert await plain(after=first) == ["two", "three"]
        assert await plain(reaction="eyes") == ["one"]
        assert len(await people.calls(POST, error="ok")) == 1
        assert len(await people.calls(POST, error="channel_not_found")) == 1
        assert len(await people.calls(POST, after=1)) == 1
        assert len(await people.calls(POST, channel="payments")) == 1
        assert len(await people.events(type="message.channels", channel="payments")) == 3
        await people.change_channel("payments", "rename", "pay")
        assert len(await people.events(type="channel_rename", channel="pay")) == 1


async def test_ephemerals_are_filtered_by_thread() -> None:
    async with site() as here:
        root = await here.people.say("ana", "payments", "one")
        post: Json = {"channel": "C0PAY", "user": "U0ANA", "text": "x"}
        await here.call("chat.postEphemeral", **post, thread_ts=root)
        await here.call("chat.postEphemeral", **post)
        assert len(await here.people.ephemerals("ana")) == 2
        assert len(await here.people.ephemerals("ana", thread_ts=root)) == 1


async def test_a_wait_ends_when_its_condition_comes_true() -> None:
    async with site() as here:
        root = await here.people.say("ana", "payments", "question")
        wait = here.people.wait_for(
            channel="payments", thread_ts=root, own=True, contains="answer", timeout_s=5
        )
        waiting = asyncio.create_task(wait)
        await here.call(POST, channel="C0PAY", thread_ts=root, text="wait")
        await here.call(POST, channel="C0PAY", thread_ts=root, text="the answer")
        [row] = await waiting
        assert row["plain"] == "the answer"


async def test_a_wait_in_vain_says_what_it_saw() -> None:
    async with site() as here:
        await here.people.say("ana", "payments", "one")
        with pytest.raises(WaitError) as failure:
            await here.people.wait_for(channel="payments", count=2, timeout_s=0.01)
        assert [one["plain"] for one in failure.value.seen] == ["one"]
        with pytest.raises(WaitError):
            await here.people.wait_for(channel="payments", count=0, exactly=True, timeout_s=0)


async def test_the_log_is_there_under_its_own_name() -> None:
    async with site() as here:
        await here.call("auth.test")
        async with here.http.get(f"{here.running.base_url}/sandbox/log") as response:
            body = as_map(await response.json())
        assert [as_map(one)["method"] for one in as_list(body["calls"])] == ["auth.test"]


async def test_an_approval_travels_from_press_to_modal_to_message() -> None:
    async with site() as here:
        blocks = [actions(button("correct"))]
        gate = await here.call(POST, channel="C0PAY", text="Approve?", blocks=blocks)
        await here.people.wait_for("events", state="acknowledged")
        await here.people.press("stew", "payments", str(gate["ts"]), "correct")
        trigger = here.app.got[-1].payload["trigger_id"]
        view = await here.call("views.open", trigger_id=trigger, view=modal(field("text")))
        view_id = str(as_map(view["view"])["id"])
        await here.people.submit("stew", view_id, {"text": "Only on Fridays"})
        assert "Only on Fridays" in compact(here.app.got[-1].payload)
        await here.call("chat.update", channel="C0PAY", ts=gate["ts"], text="Corrected", blocks=[])
        [seen] = await here.people.wait_for(channel="payments", contains="Corrected")
        assert seen["buttons"] == []
