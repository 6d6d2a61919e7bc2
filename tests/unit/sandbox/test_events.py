"""What does Slack say about a thing that happened?"""

from __future__ import annotations

import pytest

from hivebot.sandbox.shapes import Json, as_list, as_map, as_maps
from hivebot.sandbox.workspace import people
from tests.unit.sandbox.app_under_test import Clock
from tests.unit.sandbox.builders import called, events, kinds, posted, said, workspace


def test_a_post_of_a_person_is_told_as_slack_tells_it() -> None:
    ws = workspace()
    ts = said(ws, "hello")
    [event] = events(ws)
    assert event == {
        "type": "message",
        "user": "U0ANA",
        "text": "hello",
        "ts": ts,
        "team": "T0HIVE",
        "client_msg_id": event["client_msg_id"],
        "channel": "C0PAY",
        "channel_type": "channel",
        "event_ts": ts,
    }


def test_the_wrapper_names_team_app_event_and_authorization() -> None:
    ws = workspace()
    said(ws)
    [emission] = ws.take_events()
    body = emission.body
    assert body["event_id"] == emission.event_id
    assert (body["type"], body["team_id"], body["api_app_id"]) == (
        "event_callback",
        "T0HIVE",
        "A0HIVE",
    )
    assert (body["event_time"], body["is_ext_shared_channel"]) == (1_700_000_000, False)
    [authorization] = as_maps(body["authorizations"])
    assert (authorization["team_id"], authorization["user_id"]) == ("T0HIVE", "U0BOT")


@pytest.mark.parametrize(
    ("channel", "kind"),
    [("C0PAY", "channel"), ("C0FIN", "group"), ("D0ANA", "im"), ("G0TRIO", "mpim")],
)
def test_each_kind_of_channel_has_its_type(channel: str, kind: str) -> None:
    ws = workspace()
    said(ws, channel=channel)
    assert [one["channel_type"] for one in events(ws)] == [kind]


def test_a_mention_is_told_twice_in_the_order_of_the_switch() -> None:
    ws = workspace()
    ts = said(ws, "hi @hive")
    message, mention = events(ws)
    assert (message["type"], mention["type"], mention["ts"]) == ("message", "app_mention", ts)
    assert "channel_type" not in mention
    ws.settings = ws.settings.changed({"mention_order": "mention_first"})
    said(ws, "hi @hive")
    assert kinds(ws) == ["app_mention", "message"]


def test_a_mention_in_a_direct_message_is_told_once() -> None:
    ws = workspace()
    said(ws, "hi @hive", channel="D0ANA")
    assert kinds(ws) == ["message"]


def test_channels_without_the_app_are_silent() -> None:
    ws = workspace()
    said(ws, channel="C0LAB")
    said(ws, channel="C0VAULT")
    assert events(ws) == []


def test_only_subscribed_events_are_told() -> None:
    ws = workspace(events=("app_mention",))
    said(ws, "hi @hive")
    assert kinds(ws) == ["app_mention"]


def test_a_reply_names_the_author_of_its_head() -> None:
    ws = workspace()
    root = posted(ws)
    said(ws, thread_ts=root)
    assert events(ws)[1]["parent_user_id"] == "U0BOT"


def test_a_broadcast_comes_instead_of_the_plain_reply_and_carries_the_head() -> None:
    ws = workspace()
    root = said(ws, "head")
    people.say(ws, "ana", "payments", people.Say("look", root, broadcast=True))
    told = events(ws)
    assert [one.get("subtype") for one in told] == [None, "thread_broadcast"]
    assert as_map(told[1]["root"])["text"] == "head"


def test_the_switch_adds_rich_text_to_what_people_type() -> None:
    ws = workspace(rich_text=True)
    said(ws, "hi")
    said(ws, "")
    first, second = events(ws)
    assert as_maps(first["blocks"])[0]["type"] == "rich_text"
    assert "blocks" not in second


def test_a_stranger_is_told_with_their_own_team() -> None:
    ws = workspace()
    people.say(ws, "eve", "acme", people.Say("hello"))
    [emission] = ws.take_events()
    event = as_map(emission.body["event"])
    assert (event["user_team"], event["user"]) == ("T9ACME", "U9EVE")
    assert (emission.body["is_ext_shared_channel"], emission.body["team_id"]) == (True, "T0HIVE")


def test_the_switch_puts_the_authors_team_on_top_in_shared_channels() -> None:
    ws = workspace(shared_team_id="author")
    people.say(ws, "eve", "acme", people.Say("hello"))
    said(ws, channel="C0ACME")
    theirs, ours = ws.take_events()
    assert (theirs.body["team_id"], ours.body["team_id"]) == ("T9ACME", "T0HIVE")
    assert as_maps(theirs.body["authorizations"])[0]["team_id"] == "T0HIVE"


@pytest.mark.parametrize(
    ("switches", "present", "absent"),
    [
        ({}, ("user", "bot_id", "app_id", "bot_profile", "metadata"), ("subtype",)),
        ({"own_subtype": True}, ("subtype",), ()),
        ({"own_user": False}, ("bot_id",), ("user",)),
        ({"own_app_id": False}, ("user",), ("app_id", "bot_profile")),
        ({"own_metadata": False}, ("user",), ("metadata",)),
    ],
)
def test_a_post_of_the_app_comes_back_in_the_shape_of_the_switches(
    switches: Json, present: tuple[str, ...], absent: tuple[str, ...]
) -> None:
    ws = workspace(**switches)
    metadata = {"event_type": "t", "event_payload": {"id": 1}}
    called(ws, "chat.postMessage", channel="C0PAY", text="x", metadata=metadata)
    [emission] = ws.take_events()
    event = as_map(emission.body["event"])
    assert emission.own
    assert all(name in event for name in present)
    assert not any(name in event for name in absent)
    assert event.get("subtype", "bot_message") == "bot_message"


def test_an_edit_by_a_person_is_told_with_both_texts() -> None:
    ws = workspace(Clock())
    ts = said(ws, "before")
    ws.take_events()
    people.edit(ws, "ana", "payments", ts, people.Say("after"))
    [event] = events(ws)
    inner = as_map(event["message"])
    assert (event["subtype"], event["hidden"], inner["ts"]) == ("message_changed", True, ts)
    assert (inner["text"], as_map(inner["edited"])["user"]) == ("after", "U0ANA")
    assert as_map(event["previous_message"])["text"] == "before"
    assert "edited" not in as_map(event["previous_message"])


def test_an_edit_that_names_the_app_fires_a_mention_with_the_old_ts() -> None:
    ws = workspace()
    ts = said(ws, "before")
    ws.take_events()
    people.edit(ws, "ana", "payments", ts, people.Say("<@U0BOT> after", raw=True))
    changed, mention = events(ws)
    assert (changed["subtype"], mention["type"], mention["ts"]) == (
        "message_changed",
        "app_mention",
        ts,
    )
    assert "edited" in mention
    ws.settings = ws.settings.changed({"mention_on_edit": False})
    people.edit(ws, "ana", "payments", ts, people.Say("@hive again"))
    assert kinds(ws) == ["message_changed"]


def test_a_deletion_names_the_message_and_carries_it() -> None:
    ws = workspace()
    ts = said(ws, "gone")
    ws.take_events()
    people.delete(ws, "ana", "payments", ts)
    [event] = events(ws)
    assert (event["subtype"], event["deleted_ts"]) == ("message_deleted", ts)
    assert as_map(event["previous_message"])["text"] == "gone"


def test_an_unfurl_is_a_hidden_change_that_nobody_made() -> None:
    ws = workspace()
    ts = said(ws, "https://x.test")
    ws.take_events()
    people.unfurl(ws, "payments", ts, [{"title": "X"}])
    [event] = events(ws)
    inner = as_map(event["message"])
    assert (event["subtype"], len(as_list(inner["attachments"]))) == ("message_changed", 1)
    assert "edited" not in inner


def test_a_post_with_unfurling_off_is_not_unfurled() -> None:
    ws = workspace()
    flags = {"unfurl_links": False, "unfurl_media": False}
    ts = called(ws, "chat.postMessage", channel="C0PAY", text="https://x.test", **flags)["ts"]
    ws.take_events()
    people.unfurl(ws, "payments", str(ts), [{"title": "X"}])
    assert events(ws) == []


def test_a_reaction_is_told_with_its_item() -> None:
    ws = workspace()
    ts = posted(ws)
    ws.take_events()
    people.react(ws, "ana", "payments", ts, ":tada:")
    people.react(ws, "ana", "payments", ts, "tada", added=False)
    added, removed = events(ws)
    assert (added["type"], removed["type"]) == ("reaction_added", "reaction_removed")
    assert (added["user"], added["reaction"], added["item_user"]) == ("U0ANA", "tada", "U0BOT")
    assert added["item"] == {"type": "message", "channel": "C0PAY", "ts": ts}


def test_a_reaction_to_a_post_without_a_user_names_none() -> None:
    ws = workspace()
    ws.world.bots[0].user_id = None
    draft = people.posting.Draft(text="alert")
    ts = people.bot_say(ws, "B0ALERT", "payments", draft).ts
    ws.take_events()
    people.react(ws, "ana", "payments", ts, "eyes")
    assert "item_user" not in events(ws)[0]


def test_any_event_and_any_body_can_be_sent() -> None:
    ws = workspace(events=())
    ws.emit_raw({"type": "agent_session_stopped"})
    ws.emit_body({"type": "app_rate_limited"})
    first, second = ws.take_events()
    assert as_map(first.body["event"])["type"] == "agent_session_stopped"
    assert second.body == {"type": "app_rate_limited"}
