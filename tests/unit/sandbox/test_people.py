"""What may people do?"""

from __future__ import annotations

import pytest

from hivebot.sandbox.errors import ControlError
from hivebot.sandbox.shapes import Json, as_map, as_maps
from hivebot.sandbox.workspace import people, seeing, views
from hivebot.sandbox.workspace.posting import Draft
from tests.unit.sandbox.builders import called, events, kinds, posted, said, workspace

say, Say = people.say, people.Say


@pytest.mark.parametrize(
    ("user", "channel", "words", "reason"),
    [
        ("nobody", "payments", Say("x"), "no_such_user"),
        ("old", "payments", Say("x"), "user_deactivated"),
        ("ana", "nowhere", Say("x"), "no_such_channel"),
        ("ben", "finance", Say("x"), "not_in_channel"),
        ("ana", "payments", Say("x", "1.1"), "no_such_thread"),
    ],
)
def test_a_person_cannot_write_where_a_client_would_not_let_them(
    user: str, channel: str, words: people.Say, reason: str
) -> None:
    with pytest.raises(ControlError) as refusal:
        say(workspace(), user, channel, words)
    assert refusal.value.reason == reason


def test_nobody_writes_in_an_archived_channel() -> None:
    ws = workspace()
    ws.place("payments").is_archived = True
    with pytest.raises(ControlError, match="is_archived"):
        say(ws, "ana", "payments", Say("x"))


def test_raw_text_is_sent_as_it_stands() -> None:
    ws = workspace()
    message = say(ws, "ana", "payments", Say("@<#C0PLAT|> &amp; @hive", raw=True))
    assert message.text == "@<#C0PLAT|> &amp; @hive"


def test_a_file_makes_it_a_file_share() -> None:
    ws = workspace()
    say(ws, "ana", "payments", Say("what is this?", files=[{"name": "log.txt", "size": 9}]))
    [event] = events(ws)
    [file] = as_maps(event["files"])
    assert event["subtype"] == "file_share"
    assert (file["name"], file["size"], file["filetype"]) == ("log.txt", 9, "txt")


def test_another_bot_posts_with_attachments_and_any_field() -> None:
    ws = workspace()
    root = said(ws)
    draft = Draft(
        text="",
        attachments=[{"text": "disk full"}],
        thread_ts=root,
        username="Pager",
        extra={"subtype": None},
    )
    message = people.bot_say(ws, "B0ALERT", "payments", draft)
    event = events(ws)[1]
    assert (event["bot_id"], event["app_id"], event["subtype"]) == ("B0ALERT", "A0ALERT", None)
    assert seeing.message_seen(ws, message)["author"] == "Pager"


def test_a_bot_that_is_not_there_cannot_post() -> None:
    with pytest.raises(ControlError, match="no_such_bot"):
        people.bot_say(workspace(), "B0NONE", "payments", Draft(text="x"))


def test_another_bots_mention_of_the_app_is_told() -> None:
    ws = workspace()
    people.bot_say(ws, "B0ALERT", "payments", Draft(text="<@U0BOT> look"))
    assert kinds(ws) == ["bot_message", "app_mention"]


def test_only_ones_own_message_can_be_edited() -> None:
    ws = workspace()
    ts = said(ws)
    for user in ("ben", "stew"):
        with pytest.raises(ControlError, match="not_their_message"):
            people.edit(ws, user, "payments", ts, Say("x"))
    with pytest.raises(ControlError, match="no_such_message"):
        people.edit(ws, "ana", "payments", "1.1", Say("x"))


def test_an_admin_deletes_anybodys_message() -> None:
    ws = workspace()
    ts = said(ws)
    with pytest.raises(ControlError, match="not_their_message"):
        people.delete(ws, "ben", "payments", ts)
    people.delete(ws, "stew", "payments", ts)
    assert seeing.channel_seen(ws, "payments", None) == []


def test_a_reaction_that_cannot_be_is_refused() -> None:
    ws = workspace()
    ts = said(ws)
    people.react(ws, "ana", "payments", ts, "eyes")
    with pytest.raises(ControlError, match="already_reacted"):
        people.react(ws, "ana", "payments", ts, "eyes")
    with pytest.raises(ControlError, match="no_reaction"):
        people.react(ws, "ben", "payments", ts, "eyes", added=False)
    people.react(ws, "ben", "payments", ts, "eyes")
    people.react(ws, "ana", "payments", ts, "eyes", added=False)
    [seen] = seeing.channel_seen(ws, "payments", None)
    assert seen["reactions"] == {"eyes": ["U0BEN"]}


def test_an_unfurl_needs_a_message() -> None:
    with pytest.raises(ControlError, match="no_such_message"):
        people.unfurl(workspace(), "payments", "1.1", [])


def test_opening_the_home_tab_is_told_with_the_view_that_stands_there() -> None:
    ws = workspace()
    people.open_home(ws, "ana", "home")
    home: Json = {"type": "home", "blocks": []}
    called(ws, "views.publish", user_id="U0ANA", view=home)
    people.open_home(ws, "ana", "messages")
    people.open_home(ws, "guest", "home")
    first, second, third = events(ws)
    assert (first["channel"], first["tab"], "view" in first) == ("D0ANA", "home", False)
    assert (second["tab"], as_map(second["view"])["type"]) == ("messages", "home")
    assert third["channel"] == "D0GUEST"
    assert views.home(ws, "U0GUEST") is None


def test_a_thread_without_its_head_shows_the_replies() -> None:
    ws = workspace()
    root = said(ws)
    posted(ws, "reply", thread_ts=root)
    people.delete(ws, "ana", "payments", root)
    assert [one["text"] for one in seeing.channel_seen(ws, "payments", root)] == ["reply"]


def test_a_post_of_a_bot_without_a_user_is_shown_under_its_id() -> None:
    ws = workspace()
    message = people.bot_say(ws, "B0ALERT", "payments", Draft(text="x"))
    message.username, message.user = None, None
    assert seeing.author(ws, message) == "B0ALERT"
