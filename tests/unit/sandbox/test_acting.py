"""What does the app get when a person presses, commands or calls a shortcut?"""

from __future__ import annotations

import pytest

from hivebot.sandbox.errors import ControlError
from hivebot.sandbox.shapes import Json, as_map, as_maps
from hivebot.sandbox.workspace import Workspace, acting, views
from hivebot.sandbox.workspace.acting import Press
from tests.unit.sandbox.builders import (
    actions,
    button,
    called,
    field,
    modal,
    said,
    words,
    workspace,
)


def options(*values: str) -> list[object]:
    return [{"text": words(value), "value": value} for value in values]


def select(kind: str = "static_select", **more: object) -> Json:
    return {"type": kind, "action_id": "pick", "options": options("1", "2"), **more}


def shown(ws: Workspace, *elements: Json, channel: str = "C0PAY", **more: object) -> str:
    blocks = [actions(*elements, block_id="b")]
    post: Json = {"channel": channel, "text": "Gate", "blocks": blocks, **more}
    return str(called(ws, "chat.postMessage", **post)["ts"])


def action(ws: Workspace, what: Press, *elements: Json) -> Json:
    ts = shown(ws, *elements)
    return as_maps(acting.press(ws, "stew", "payments", ts, what).payload["actions"])[0]


def test_a_press_carries_who_pressed_what_where() -> None:
    ws = workspace()
    root = said(ws)
    ts = shown(ws, button("approve", value="7", style="primary"), thread_ts=root)
    act = acting.press(ws, "ben", "payments", ts, Press("approve"))
    payload = act.payload
    assert (act.kind, payload["type"], as_map(payload["user"])["id"]) == (
        "interactive",
        "block_actions",
        "U0BEN",
    )
    [pressed] = as_maps(payload["actions"])
    assert (pressed["action_id"], pressed["block_id"], pressed["value"], pressed["style"]) == (
        "approve",
        "b",
        "7",
        "primary",
    )
    assert payload["container"] == {
        "type": "message",
        "message_ts": ts,
        "channel_id": "C0PAY",
        "is_ephemeral": False,
        "thread_ts": root,
    }
    assert as_map(payload["message"])["ts"] == ts
    assert ws.triggers[str(payload["trigger_id"])].user == "U0BEN"
    assert str(payload["response_url"]).startswith(f"{ws.base_url}/response/")


def test_the_right_button_is_found_by_value_and_block() -> None:
    ws = workspace()
    one, two = actions(button("go", value="1")), actions(button("go", value="2"), block_id="two")
    ts = called(ws, "chat.postMessage", channel="C0PAY", text="x", blocks=[one, two])["ts"]

    def value(what: Press) -> object:
        payload = acting.press(ws, "ana", "payments", str(ts), what).payload
        return as_maps(payload["actions"])[0]["value"]

    assert value(Press("go")) == "1"
    assert value(Press("go", value="2")) == "2"
    assert value(Press("go", block_id="two")) == "2"


def test_an_accessory_can_be_pressed() -> None:
    ws = workspace()
    section: Json = {"type": "section", "text": words("x"), "accessory": button("menu")}
    ts = called(ws, "chat.postMessage", channel="C0PAY", text="x", blocks=[section])["ts"]
    assert acting.press(ws, "ana", "payments", str(ts), Press("menu")).payload["actions"]


@pytest.mark.parametrize(
    ("user", "channel", "what", "reason"),
    [
        ("ana", "payments", Press("other"), "no_such_element"),
        ("ana", "data", Press("go"), "no_such_message"),
        ("guest", "data", Press("go"), "not_in_channel"),
        ("ben", "finance", Press("go"), "not_in_channel"),
    ],
)
def test_nobody_presses_what_they_cannot_see(
    user: str, channel: str, what: Press, reason: str
) -> None:
    ws = workspace()
    ts = shown(ws, button("go"))
    with pytest.raises(ControlError) as refusal:
        acting.press(ws, user, channel, ts, what)
    assert refusal.value.reason == reason


def test_anybody_who_sees_a_public_message_may_press() -> None:
    ws = workspace()
    ws.place("payments").members.remove("U0BEN")
    ts = shown(ws, button("go"))
    assert acting.press(ws, "ben", "payments", ts, Press("go"))


def test_an_ephemeral_message_is_pressed_by_its_person_alone() -> None:
    ws = workspace()
    post: Json = {"channel": "C0PAY", "user": "U0ANA", "text": "x"}
    body = called(ws, "chat.postEphemeral", **post, blocks=[actions(button("go"))])
    ts = str(body["message_ts"])
    payload = acting.press(ws, "ana", "payments", ts, Press("go")).payload
    assert as_map(payload["container"])["is_ephemeral"] is True
    assert "message" not in payload
    with pytest.raises(ControlError, match="no_such_message"):
        acting.press(ws, "ben", "payments", ts, Press("go"))


@pytest.mark.parametrize(
    ("element", "chosen", "expected"),
    [
        (select(), ("2",), {"selected_option": options("2")[0]}),
        (select("radio_buttons"), (), {"selected_option": None}),
        (select("checkboxes"), ("1", "2"), {"selected_options": options("1", "2")}),
        (select("users_select"), ("U0ANA",), {"selected_user": "U0ANA"}),
        (select("channels_select"), (), {"selected_channel": None}),
        (select("multi_users_select"), ("U0ANA",), {"selected_users": ["U0ANA"]}),
        (select("datepicker"), ("2026-10-01",), {"selected_date": "2026-10-01"}),
    ],
)
def test_a_menu_sends_what_was_picked(
    element: Json, chosen: tuple[str, ...], expected: Json
) -> None:
    sent = action(workspace(), Press("pick", chosen=chosen), element)
    assert {key: sent[key] for key in expected} == expected


def test_an_option_of_a_group_is_picked_and_a_made_up_one_refused() -> None:
    ws = workspace()
    groups = [{"label": words("g"), "options": options("3")}]
    element: Json = {"type": "static_select", "action_id": "pick", "option_groups": groups}
    picked = action(ws, Press("pick", chosen=("3",)), element)
    assert as_map(picked["selected_option"])["value"] == "3"
    with pytest.raises(ControlError, match="no_such_option"):
        action(ws, Press("pick", chosen=("4",)), element)


def test_an_element_of_a_view_is_used_by_its_person() -> None:
    ws = workspace()
    trigger = views.mint_trigger(ws, "U0ANA")
    view = modal(actions(button("more")), field("text", dispatch_action=True))
    view_id = str(as_map(called(ws, "views.open", trigger_id=trigger, view=view)["view"])["id"])
    payload = acting.press_in_view(ws, "ana", view_id, Press("more")).payload
    assert as_map(payload["view"])["id"] == view_id
    assert ws.triggers[str(payload["trigger_id"])].view == view_id
    assert acting.press_in_view(ws, "ana", view_id, Press("text"))
    with pytest.raises(ControlError, match="no_such_view"):
        acting.press_in_view(ws, "ben", view_id, Press("more"))


def test_a_slash_command_carries_its_fields() -> None:
    ws = workspace()
    act = acting.command(ws, "ana", "payments", "/hive", "desks")
    assert (act.kind, act.accepts_response) == ("slash_commands", True)
    fields = act.payload
    assert (fields["command"], fields["text"], fields["channel_name"], fields["user_id"]) == (
        "/hive",
        "desks",
        "payments",
        "U0ANA",
    )
    assert act.response is not None
    assert act.response.channel == "C0PAY"
    with pytest.raises(ControlError, match="not_a_command"):
        acting.command(ws, "ana", "payments", "hive", "")


def test_a_command_in_a_direct_message_names_it_as_slack_does() -> None:
    fields = acting.command(workspace(), "ana", "D0ANA", "/hive", "").payload
    assert fields["channel_name"] == "directmessage"


def test_a_shortcut_of_a_message_carries_the_message() -> None:
    ws = workspace()
    ts = said(ws)
    payload = acting.shortcut(ws, "ben", "why", "payments", ts).payload
    assert (payload["type"], payload["callback_id"]) == ("message_action", "why")
    assert as_map(payload["message"])["ts"] == ts
    with pytest.raises(ControlError, match="no_such_message"):
        acting.shortcut(ws, "ben", "why", "payments", "1.1")


def test_a_global_shortcut_carries_the_person_alone() -> None:
    payload = acting.shortcut(workspace(), "ben", "ask").payload
    assert (payload["type"], as_map(payload["user"])["name"]) == ("shortcut", "ben")
    assert "channel" not in payload
