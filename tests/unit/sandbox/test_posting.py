"""What may the app write, and what stands in the channel afterwards?"""

from __future__ import annotations

import pytest

from hivebot.sandbox.shapes import Json, as_map, as_maps
from hivebot.sandbox.workspace import people, seeing
from tests.unit.sandbox.builders import (
    actions,
    button,
    called,
    events,
    kinds,
    posted,
    refused,
    said,
    workspace,
)

POST = "chat.postMessage"


def test_a_post_stands_in_the_channel_under_the_apps_name() -> None:
    ws = workspace()
    body = called(ws, POST, channel="C0PAY", text="a & <@U0ANA>")
    [seen] = seeing.channel_seen(ws, "C0PAY", None)
    assert (seen["ts"], seen["author"], seen["own"]) == (body["ts"], "hive", True)
    assert (seen["text"], seen["plain"], seen["pings"]) == (
        "a &amp; <@U0ANA>",
        "a & @ana",
        ["U0ANA"],
    )


def test_timestamps_are_distinct_even_while_the_clock_stands() -> None:
    ws = workspace()
    assert posted(ws) == "1700000000.000000"
    assert posted(ws) == "1700000000.000001"


@pytest.mark.parametrize(
    ("channel", "error"),
    [
        ("C0NONE", "channel_not_found"),
        ("", "channel_not_found"),
        ("payments", "channel_not_found"),
        ("C0VAULT", "channel_not_found"),
        ("C0LAB", "not_in_channel"),
        ("U0OLD", "user_disabled"),
        ("U0ALERT", "cannot_dm_bot"),
    ],
)
def test_a_place_the_app_may_not_write_to_is_refused_by_name(channel: str, error: str) -> None:
    assert refused(workspace(), POST, channel=channel, text="x") == error


def test_an_archived_or_deleted_channel_takes_no_posts() -> None:
    ws = workspace()
    ws.place("C0PAY").is_archived = True
    ws.place("C0DATA").is_deleted = True
    assert refused(ws, POST, channel="C0PAY", text="x") == "is_archived"
    assert refused(ws, POST, channel="C0DATA", text="x") == "channel_not_found"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, "no_text"),
        ({"text": " \n"}, "no_text"),
        ({"text": "x" * 40_001}, "msg_too_long"),
        ({"text": "x", "blocks": "nonsense"}, "invalid_blocks_format"),
        ({"text": "x", "blocks": [{"type": "wonder"}]}, "invalid_blocks"),
        ({"text": "x", "attachments": "nonsense"}, "invalid_attachments"),
        ({"text": "x", "metadata": "nonsense"}, "invalid_metadata_format"),
        ({"text": "x", "metadata": {"event_type": "t"}}, "invalid_metadata_schema"),
        ({"text": "x", "thread_ts": "1.1"}, "invalid_thread_ts"),
        ({"text": "x", "markdown_text": "y"}, "markdown_text_conflict"),
        ({"markdown_text": "y" * 12_001}, "invalid_blocks"),
    ],
)
def test_content_that_slack_refuses_is_refused_by_name(arguments: Json, error: str) -> None:
    assert refused(workspace(), POST, channel="C0PAY", **arguments) == error


def test_a_post_without_text_is_taken_with_blocks_or_attachments() -> None:
    ws = workspace()
    called(ws, POST, channel="C0PAY", blocks=[{"type": "divider"}])
    called(ws, POST, channel="C0PAY", attachments=[{"text": "a"}])
    called(ws, POST, channel="C0PAY", markdown_text="# head")
    texts = [one["plain"] for one in seeing.channel_seen(ws, "C0PAY", None)]
    assert texts == ["", "", "# head"]


def test_a_reply_is_not_a_thread_of_its_own() -> None:
    ws = workspace()
    root = said(ws)
    reply = said(ws, thread_ts=root)
    assert refused(ws, POST, channel="C0PAY", text="x", thread_ts=reply) == "invalid_thread_ts"


def test_a_post_under_a_deleted_message_is_refused() -> None:
    ws = workspace()
    root = said(ws)
    people.delete(ws, "ana", "payments", root)
    assert refused(ws, POST, channel="C0PAY", text="x", thread_ts=root) == "invalid_thread_ts"


def test_a_broadcast_reply_stands_in_the_thread_and_in_the_channel() -> None:
    ws = workspace()
    root = said(ws)
    called(ws, POST, channel="C0PAY", text="x", thread_ts=root, reply_broadcast=True)
    assert kinds(ws) == ["message", "thread_broadcast"]
    assert len(seeing.channel_seen(ws, "C0PAY", None)) == 2
    assert len(seeing.channel_seen(ws, "C0PAY", root)) == 2


def test_a_persona_is_shown_and_needs_its_scope() -> None:
    ws = workspace()
    called(ws, POST, channel="C0PAY", text="x", username="Lead", icon_url="https://x.test/i.png")
    [seen] = seeing.channel_seen(ws, "C0PAY", None)
    assert (seen["author"], seen["icons"]) == ("Lead", {"url": "https://x.test/i.png"})
    poor = workspace(scopes=("chat:write",))
    assert refused(poor, POST, channel="C0PAY", text="x", icon_emoji=":owl:") == "missing_scope"


def test_a_user_id_as_channel_means_the_direct_message() -> None:
    ws = workspace()
    assert called(ws, POST, channel="U0ANA", text="x")["channel"] == "D0ANA"
    assert called(ws, POST, channel="U0GUEST", text="x")["channel"] == "D0GUEST"
    assert called(ws, POST, channel="U0GUEST", text="x")["channel"] == "D0GUEST"


def test_an_update_changes_the_text_and_keeps_the_blocks() -> None:
    ws = workspace()
    ts = called(ws, POST, channel="C0PAY", text="x", blocks=[actions(button("go"))])["ts"]
    body = called(ws, "chat.update", channel="C0PAY", ts=ts, text="y")
    [seen] = seeing.channel_seen(ws, "C0PAY", None)
    assert (body["text"], seen["text"], seen["edited"]) == ("y", "y", True)
    assert len(as_maps(seen["buttons"])) == 1


def test_an_update_can_take_the_blocks_away_and_set_the_rest() -> None:
    ws = workspace()
    ts = called(ws, POST, channel="C0PAY", text="x", blocks=[actions(button("go"))])["ts"]
    metadata = {"event_type": "t", "event_payload": {"id": 1}}
    more = {"attachments": [{"text": "a"}], "metadata": metadata}
    called(ws, "chat.update", channel="C0PAY", ts=ts, text="y", blocks=[], **more)
    [seen] = seeing.channel_seen(ws, "C0PAY", None)
    assert (seen["buttons"], seen["attachments"]) == ([], [{"text": "a"}])
    assert seen["metadata"] == metadata


def test_an_update_by_blocks_alone_or_markdown_replaces_the_blocks() -> None:
    ws = workspace()
    ts = called(ws, POST, channel="C0PAY", text="x")["ts"]
    called(ws, "chat.update", channel="C0PAY", ts=ts, blocks=[actions(button("go"))])
    assert seeing.channel_seen(ws, "C0PAY", None)[0]["plain"] == "go"
    called(ws, "chat.update", channel="C0PAY", ts=ts, markdown_text="new")
    assert seeing.channel_seen(ws, "C0PAY", None)[0]["plain"] == "new"


def test_an_update_tells_the_app_what_changed() -> None:
    ws = workspace()
    ts = posted(ws, "before")
    ws.take_events()
    called(ws, "chat.update", channel="C0PAY", ts=ts, text="after")
    [event] = events(ws)
    assert (event["subtype"], event["hidden"]) == ("message_changed", True)
    assert as_map(event["message"])["text"] == "after"
    assert as_map(event["previous_message"])["text"] == "before"
    assert as_map(event["message"])["bot_id"] == "B0BOT"


def test_an_update_is_refused_by_name() -> None:
    ws = workspace()
    mine, theirs = posted(ws), said(ws)

    def error(**args: object) -> str:
        return refused(ws, "chat.update", **{"channel": "C0PAY", "text": "y", **args})

    assert error(ts="1.1") == "message_not_found"
    assert error(ts=theirs) == "cant_update_message"
    assert error(ts=mine, text="") == "no_text"
    assert error(ts=mine, channel="C0NONE") == "channel_not_found"
    assert refused(ws, "chat.update", channel="C0PAY", ts=mine) == "no_text"
    assert refused(ws, "chat.update", channel="C0PAY") == "invalid_arguments"
    ws.place("C0PAY").is_archived = True
    assert error(ts=mine) == "is_inactive"


def test_a_deletion_takes_the_post_away_and_tells_the_app() -> None:
    ws = workspace()
    ts = posted(ws)
    assert called(ws, "chat.delete", channel="C0PAY", ts=ts)["ts"] == ts
    assert seeing.channel_seen(ws, "C0PAY", None) == []
    assert kinds(ws) == ["message", "message_deleted"]


def test_a_deletion_is_refused_by_name() -> None:
    ws = workspace()
    theirs = said(ws)
    assert refused(ws, "chat.delete", channel="C0PAY", ts="1.1") == "message_not_found"
    assert refused(ws, "chat.delete", channel="C0PAY", ts=theirs) == "cant_delete_message"


def test_the_head_of_a_thread_leaves_a_tombstone_where_the_switch_says_so() -> None:
    ws = workspace(parent_deletion="tombstone")
    root = said(ws, "secret")
    said(ws, thread_ts=root)
    ws.take_events()
    people.delete(ws, "ana", "payments", root)
    [event] = events(ws)
    left = as_map(event["message"])
    assert (event["subtype"], left["subtype"], left["user"]) == (
        "message_changed",
        "tombstone",
        "USLACKBOT",
    )
    assert "secret" not in str(left)


def test_a_message_without_replies_leaves_no_tombstone() -> None:
    ws = workspace(parent_deletion="tombstone")
    people.delete(ws, "ana", "payments", said(ws))
    assert kinds(ws) == ["message", "message_deleted"]


def test_an_ephemeral_message_is_seen_by_one_person_and_by_no_history() -> None:
    ws = workspace()
    root = said(ws)
    body = called(
        ws, "chat.postEphemeral", channel="C0PAY", user="U0ANA", text="psst", thread_ts=root
    )
    [shown] = [seeing.ephemeral_seen(ws, one) for one in ws.world.ephemerals]
    assert (shown["ts"], shown["user"], shown["plain"]) == (body["message_ts"], "U0ANA", "psst")
    assert len(as_maps(called(ws, "conversations.history", channel="C0PAY")["messages"])) == 1
    assert kinds(ws) == ["message"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"user": "U0NONE"}, "user_not_found"),
        ({"user": "U9EVE"}, "user_not_in_channel"),
        ({"user": "U0ANA", "text": ""}, "no_text"),
        ({"user": "U0ANA", "thread_ts": "1.1"}, "invalid_thread_ts"),
        ({"user": "U0ANA", "channel": "C0LAB"}, "not_in_channel"),
        ({}, "invalid_arguments"),
    ],
)
def test_an_ephemeral_message_is_refused_by_name(arguments: Json, error: str) -> None:
    given = {"channel": "C0PAY", "text": "x", **arguments}
    assert refused(workspace(), "chat.postEphemeral", **given) == error


def test_a_reaction_is_added_once_and_removed_once() -> None:
    ws = workspace()
    ts = said(ws)
    place: Json = {"channel": "C0PAY", "timestamp": ts}
    called(ws, "reactions.add", **place, name="eyes")
    assert refused(ws, "reactions.add", **place, name="eyes") == "already_reacted"
    found = called(ws, "reactions.get", **place)
    assert as_map(found["message"])["reactions"] == [
        {"name": "eyes", "users": ["U0BOT"], "count": 1}
    ]
    called(ws, "reactions.remove", **place, name="eyes")
    assert refused(ws, "reactions.remove", **place, name="eyes") == "no_reaction"
    assert kinds(ws) == ["message", "reaction_added", "reaction_removed"]


def test_a_reaction_is_refused_by_name() -> None:
    ws = workspace()
    ts = said(ws)
    place: Json = {"channel": "C0PAY", "name": "eyes"}
    assert refused(ws, "reactions.add", **place, timestamp="1.1") == "message_not_found"
    assert refused(ws, "reactions.get", channel="C0PAY", timestamp="1.1") == "message_not_found"
    bare = refused(ws, "reactions.add", channel="C0PAY", timestamp=ts, name=":")
    assert bare == "invalid_name"
    ws.place("C0PAY").is_archived = True
    assert refused(ws, "reactions.add", **place, timestamp=ts) == "is_archived"
