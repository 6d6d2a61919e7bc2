"""What may the app read?"""

from __future__ import annotations

import pytest

from hivebot.sandbox.shapes import Json, as_map, as_maps
from tests.unit.sandbox.app_under_test import Clock
from tests.unit.sandbox.builders import called, posted, refused, said, workspace

HISTORY, REPLIES = "conversations.history", "conversations.replies"


def texts(body: Json) -> list[object]:
    return [one["text"] for one in as_maps(body["messages"])]


def test_the_history_shows_what_stands_in_the_channel_newest_first() -> None:
    ws = workspace()
    root = said(ws, "one")
    posted(ws, "reply", thread_ts=root)
    said(ws, "two")
    body = called(ws, HISTORY, channel="C0PAY")
    assert texts(body) == ["two", "one"]
    head = as_maps(body["messages"])[1]
    assert (head["reply_count"], head["reply_users"], head["thread_ts"]) == (1, ["U0BOT"], root)
    assert body["has_more"] is False


def test_pages_follow_the_cursor_to_the_end() -> None:
    ws = workspace()
    for text in "abc":
        said(ws, text)
    first = called(ws, HISTORY, channel="C0PAY", limit=2)
    cursor = as_map(first["response_metadata"])["next_cursor"]
    second = called(ws, HISTORY, channel="C0PAY", limit="2", cursor=cursor)
    assert (texts(first), texts(second), first["has_more"]) == (["c", "b"], ["a"], True)
    assert as_map(second["response_metadata"])["next_cursor"] == ""


@pytest.mark.parametrize("cursor", ["???", "bm9wZQ=="])
def test_a_made_up_cursor_is_refused(cursor: str) -> None:
    assert refused(workspace(), HISTORY, channel="C0PAY", cursor=cursor) == "invalid_cursor"


def test_a_limit_of_nothing_is_refused() -> None:
    assert refused(workspace(), HISTORY, channel="C0PAY", limit=0) == "invalid_limit"


def test_a_distributed_app_gets_no_more_than_fifteen() -> None:
    ws = workspace(history_max_items=15)
    for number in range(20):
        said(ws, str(number))
    assert len(texts(called(ws, HISTORY, channel="C0PAY", limit=100))) == 15


def test_a_window_leaves_its_ends_out_unless_they_are_included() -> None:
    ws = workspace()
    stamps = [said(ws, text) for text in "abcd"]
    window: Json = {"channel": "C0PAY", "oldest": stamps[0], "latest": stamps[2]}
    assert texts(called(ws, HISTORY, **window)) == ["b"]
    assert texts(called(ws, HISTORY, **window, inclusive=True)) == ["c", "b", "a"]
    assert texts(called(ws, HISTORY, channel="C0PAY", oldest=stamps[2])) == ["d"]


def test_replies_come_oldest_first_under_their_head() -> None:
    ws = workspace()
    root = said(ws, "head")
    first = said(ws, "one", thread_ts=root)
    said(ws, "two", thread_ts=root)
    assert texts(called(ws, REPLIES, channel="C0PAY", ts=root)) == ["head", "one", "two"]
    assert texts(called(ws, REPLIES, channel="C0PAY", ts=root, oldest=first)) == ["head", "two"]
    assert texts(called(ws, REPLIES, channel="C0PAY", ts=first)) == ["one"]


def test_replies_under_a_deleted_head_remain() -> None:
    ws = workspace()
    root = posted(ws, "head")
    said(ws, "one", thread_ts=root)
    called(ws, "chat.delete", channel="C0PAY", ts=root)
    assert texts(called(ws, REPLIES, channel="C0PAY", ts=root)) == ["one"]


def test_a_thread_that_is_not_there_is_refused() -> None:
    assert refused(workspace(), REPLIES, channel="C0PAY", ts="1.1") == "thread_not_found"


def test_a_channel_the_app_is_not_in_is_not_read() -> None:
    assert refused(workspace(), HISTORY, channel="C0LAB") == "not_in_channel"
    assert refused(workspace(), HISTORY, channel="C0VAULT") == "channel_not_found"


def test_the_history_lags_as_the_switch_says() -> None:
    clock = Clock()
    ws = workspace(clock, history_lag_s=3)
    root = posted(ws, "fresh")
    assert texts(called(ws, HISTORY, channel="C0PAY")) == []
    assert texts(called(ws, REPLIES, channel="C0PAY", ts=root)) == []
    clock.now += 3
    assert texts(called(ws, HISTORY, channel="C0PAY")) == ["fresh"]
    assert texts(called(ws, REPLIES, channel="C0PAY", ts=root)) == ["fresh"]


def test_metadata_is_read_on_request_and_with_its_scope() -> None:
    ws = workspace()
    metadata = {"event_type": "outbox", "event_payload": {"id": "7"}}
    called(ws, "chat.postMessage", channel="C0PAY", text="x", metadata=metadata)

    def read(**more: object) -> object:
        return as_maps(called(ws, HISTORY, channel="C0PAY", **more)["messages"])[0].get("metadata")

    assert read() is None
    assert read(include_all_metadata=True) == metadata
    without = [one for one in ws.settings.scopes if one != "metadata.message:read"]
    ws.settings = ws.settings.changed({"scopes": tuple(without)})
    assert read(include_all_metadata=True) is None


@pytest.mark.parametrize(
    ("channel", "scope"),
    [
        ("C0PAY", "channels:history"),
        ("C0FIN", "groups:history"),
        ("D0ANA", "im:history"),
        ("G0TRIO", "mpim:history"),
    ],
)
def test_each_kind_of_channel_needs_its_own_scope(channel: str, scope: str) -> None:
    ws = workspace()
    others = tuple(one for one in ws.settings.scopes if one != scope)
    called(ws, HISTORY, channel=channel)
    ws.settings = ws.settings.changed({"scopes": others})
    assert refused(ws, HISTORY, channel=channel) == "missing_scope"


def test_a_channel_is_described_with_its_kind_and_sharing() -> None:
    ws = workspace()
    shared = as_map(called(ws, "conversations.info", channel="C0ACME")["channel"])
    assert (shared["is_ext_shared"], shared["connected_team_ids"]) == (True, ["T0HIVE", "T9ACME"])
    private = as_map(called(ws, "conversations.info", channel="C0FIN")["channel"])
    assert (private["is_private"], private["is_group"]) == (True, True)
    direct = as_map(called(ws, "conversations.info", channel="D0ANA")["channel"])
    assert (direct["is_im"], direct["user"]) == (True, "U0ANA")
    many: Json = {"channel": "C0PAY", "include_num_members": True}
    assert as_map(called(ws, "conversations.info", **many)["channel"])["num_members"] == 5


def test_a_public_channel_is_described_to_an_app_outside_of_it() -> None:
    lab = as_map(called(workspace(), "conversations.info", channel="C0LAB")["channel"])
    assert lab["is_member"] is False


def names(body: Json) -> set[object]:
    return {one.get("name") or one["id"] for one in as_maps(body["channels"])}


def test_the_list_holds_the_kinds_asked_for_that_the_app_can_see() -> None:
    ws = workspace()
    ws.place("data").is_archived = True
    public = names(called(ws, "conversations.list"))
    assert {"payments", "lab", "data"} <= public
    assert "finance" not in public
    live = names(called(ws, "conversations.list", exclude_archived="true"))
    assert public - live == {"data"}
    private = names(called(ws, "conversations.list", types="private_channel,im,mpim"))
    assert "vault" not in private
    assert {"finance", "D0ANA", "mpdm-ana--ben--hive-1"} <= private


def test_the_list_is_refused_for_unknown_kinds_and_missing_scopes() -> None:
    assert refused(workspace(), "conversations.list", types="clubs") == "invalid_types"
    ws = workspace(scopes=("channels:read",))
    assert refused(ws, "conversations.list", types="im") == "missing_scope"


def test_members_come_in_pages() -> None:
    ws = workspace()
    body = called(ws, "conversations.members", channel="C0PAY", limit=2)
    assert body["members"] == ["U0BOT", "U0ANA"]
    assert as_map(body["response_metadata"])["next_cursor"]


def test_people_are_described_with_what_sets_them_apart() -> None:
    ws = workspace()

    def person(user: str) -> Json:
        return as_map(called(ws, "users.info", user=user)["user"])

    assert person("U0GUEST")["is_restricted"] is True
    assert (person("U9EVE")["is_stranger"], person("U9EVE")["team_id"]) == (True, "T9ACME")
    assert "is_restricted" not in person("U9EVE")
    assert person("U0OLD")["deleted"] is True
    assert person("U0STEW")["is_admin"] is True
    assert refused(ws, "users.info", user="U0NONE") == "user_not_found"


def test_the_list_of_users_is_the_home_teams() -> None:
    ws = workspace()
    whole = as_maps(called(ws, "users.list")["members"])
    assert "U9EVE" not in {one["id"] for one in whole}
    assert len(as_maps(called(ws, "users.list", limit=3)["members"])) == 3
