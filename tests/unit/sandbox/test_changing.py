"""How do channels, membership, accounts and the installation change, and who hears of it?"""

from __future__ import annotations

import pytest

from hivebot.sandbox.errors import ControlError
from hivebot.sandbox.shapes import Json, as_map, as_maps
from hivebot.sandbox.workspace import changing
from hivebot.sandbox.world import Channel, Person
from tests.unit.sandbox.builders import called, events, kinds, refused, said, workspace


def change(kind: str, channel: str = "payments", value: str = "") -> Json:
    ws = workspace()
    changing.change_channel(ws, "stew", channel, kind, value)
    [event] = events(ws)
    return event


@pytest.mark.parametrize(
    ("kind", "value", "public", "private"),
    [
        ("rename", "pay", "channel_rename", "group_rename"),
        ("archive", "", "channel_archive", "group_archive"),
        ("unarchive", "", "channel_unarchive", "group_unarchive"),
        ("delete", "", "channel_deleted", "group_deleted"),
        ("share", "T9ACME", "channel_shared", "channel_shared"),
        ("unshare", "", "channel_unshared", "channel_unshared"),
        ("change_id", "C0NEW", "channel_id_changed", "channel_id_changed"),
    ],
)
def test_each_change_of_a_channel_has_its_event(
    kind: str, value: str, public: str, private: str
) -> None:
    assert change(kind, "payments", value)["type"] == public
    assert change(kind, "finance", value)["type"] == private


def test_a_rename_carries_the_new_name_and_an_id_change_both_ids() -> None:
    assert as_map(change("rename", value="pay")["channel"])["name"] == "pay"
    moved = change("change_id", value="C0NEW")
    assert (moved["old_channel_id"], moved["new_channel_id"]) == ("C0PAY", "C0NEW")
    assert change("unshare", "acme")["previously_connected_team_id"] == "T9ACME"
    assert change("share", value="T9ACME")["connected_team_id"] == "T9ACME"


def test_a_change_shows_in_the_channels_description() -> None:
    ws = workspace()
    for kind, value in (("share", "T9ACME"), ("archive", ""), ("set_private", "yes")):
        changing.change_channel(ws, "stew", "payments", kind, value)
    info = as_map(called(ws, "conversations.info", channel="C0PAY")["channel"])
    assert (info["is_ext_shared"], info["is_archived"], info["is_private"]) == (True, True, True)


def test_messages_move_with_the_id_of_their_channel() -> None:
    ws = workspace()
    said(ws)
    said(ws, channel="C0DATA")
    changing.change_channel(ws, "stew", "payments", "change_id", "C0NEW")
    assert len(as_maps(called(ws, "conversations.history", channel="C0NEW")["messages"])) == 1


def test_a_deleted_channel_is_gone_for_everybody() -> None:
    ws = workspace()
    changing.change_channel(ws, "stew", "payments", "delete", "")
    assert refused(ws, "conversations.info", channel="C0PAY") == "channel_not_found"
    with pytest.raises(ControlError, match="no_such_channel"):
        said(ws)


def test_a_change_without_its_value_is_refused() -> None:
    with pytest.raises(ControlError, match="value_needed"):
        change("rename")


def test_the_app_hears_of_its_invitation_and_can_read_from_then_on() -> None:
    ws = workspace()
    changing.invite(ws, "lab", "U0BOT", "ana")
    joined, line = events(ws)
    assert (joined["type"], joined["user"], joined["inviter"]) == (
        "member_joined_channel",
        "U0BOT",
        "U0ANA",
    )
    assert (line["subtype"], line["user"]) == ("channel_join", "U0BOT")
    assert called(ws, "conversations.history", channel="C0LAB")


def test_the_app_hears_of_its_removal_and_of_nothing_after_it() -> None:
    ws = workspace()
    changing.kick(ws, "finance", "U0BOT")
    said(ws, channel="C0FIN")
    [left] = events(ws)
    assert (left["type"], left["user"], left["channel_type"]) == (
        "member_left_channel",
        "U0BOT",
        "G",
    )
    assert refused(ws, "chat.postMessage", channel="C0FIN", text="x") == "channel_not_found"


def test_people_come_and_go() -> None:
    ws = workspace()
    changing.invite(ws, "data", "guest", "stew")
    changing.kick(ws, "data", "U0GUEST")
    assert kinds(ws) == [
        "member_joined_channel",
        "channel_join",
        "member_left_channel",
        "channel_leave",
    ]
    with pytest.raises(ControlError, match="not_in_channel"):
        changing.kick(ws, "data", "guest")
    with pytest.raises(ControlError, match="already_in_channel"):
        changing.invite(ws, "data", "ana", "stew")


def test_a_channel_is_made_once() -> None:
    ws = workspace()
    changing.create(ws, Channel(id="C0NEW", name="new", members=["U0BOT", "U0ANA"]))
    said(ws, channel="new")
    assert kinds(ws) == ["message"]
    with pytest.raises(ControlError, match="id_taken"):
        changing.create(ws, Channel(id="C0NEW", name="newer"))
    with pytest.raises(ControlError, match="name_taken"):
        changing.create(ws, Channel(id="C0NEWER", name="new"))


def test_a_person_is_added_once() -> None:
    ws = workspace()
    changing.hire(ws, Person(id="U0NEW", name="new"))
    assert called(ws, "users.info", user="U0NEW")
    with pytest.raises(ControlError, match="id_taken"):
        changing.hire(ws, Person(id="U0NEW", name="new"))


def test_an_account_is_deactivated_and_brought_back() -> None:
    ws = workspace()
    ws.settings = ws.settings.changed({"events": ("user_change",)})
    changing.deactivate(ws, "ana", deleted=True)
    with pytest.raises(ControlError, match="user_deactivated"):
        said(ws)
    changing.deactivate(ws, "U0ANA", deleted=False)
    assert said(ws)
    assert kinds(ws) == ["user_change", "user_change"]
    with pytest.raises(ControlError, match="no_such_user"):
        changing.deactivate(ws, "nobody", deleted=True)


def test_a_user_group_changes_its_members() -> None:
    ws = workspace()
    changing.set_group(ws, "platform", ["U0ANA"])
    [event] = events(ws)
    assert as_map(event["subteam"])["users"] == ["U0ANA"]
    assert called(ws, "usergroups.users.list", usergroup="S0PLAT")["users"] == ["U0ANA"]
    with pytest.raises(ControlError, match="no_such_group"):
        changing.set_group(ws, "S0NONE", [])


def test_a_revoked_token_is_told_and_refused() -> None:
    ws = workspace()
    changing.install(ws, "revoked")
    said(ws)
    [event] = events(ws)
    assert (event["type"], as_map(event["tokens"])["bot"]) == ("tokens_revoked", ["U0BOT"])
    assert refused(ws, "auth.test") == "token_revoked"


def test_an_uninstalled_app_is_told_and_refused_until_it_is_back() -> None:
    ws = workspace()
    changing.install(ws, "uninstalled")
    said(ws)
    assert kinds(ws) == ["app_uninstalled"]
    assert refused(ws, "auth.test") == "account_inactive"
    changing.install(ws, "yes")
    assert called(ws, "auth.test")
    assert kinds(ws) == []
