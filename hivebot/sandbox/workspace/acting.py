"""What does the app get when a person presses, submits, commands or calls a shortcut?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hivebot.sandbox.errors import ControlError
from hivebot.sandbox.shapes import Json, as_list, as_map, as_maps, as_text
from hivebot.sandbox.workspace import reading, seeing, views
from hivebot.sandbox.workspace.core import ResponseUrl, Workspace
from hivebot.sandbox.world import Channel, Ephemeral, Message, Person, View

_DATES = {
    "datepicker": "selected_date",
    "timepicker": "selected_time",
    "datetimepicker": "selected_date_time",
}


@dataclass(frozen=True, slots=True)
class Interaction:
    """One request to the app that waits for its acknowledgement.

    Attributes:
        kind: Envelope type in Socket Mode; ``slash_commands`` go to their own URL over HTTP.
        payload: The payload as JSON.
        accepts_response: Whether an answer may ride along with the acknowledgement.
        response: Where a slash command's answer goes.
    """

    kind: Literal["interactive", "slash_commands"]
    payload: Json
    accepts_response: bool = False
    response: ResponseUrl | None = None


@dataclass(frozen=True, slots=True)
class Press:
    """Which element a person uses: by its action id, and where that is not enough more.

    Attributes:
        chosen: Values of the options picked in a menu, or ids of the people or channels.
    """

    action_id: str
    block_id: str = ""
    value: str | None = None
    chosen: tuple[str, ...] = ()


def press(ws: Workspace, user: str, channel_id: str, ts: str, what: Press) -> Interaction:
    """Press a button or use a menu under a message, ephemeral ones included.

    Anybody who can see a message may press; Slack checks no more than that.

    Raises:
        ControlError: The message or the element is not there, or the person cannot see it.

    Source: slack.md section 1, fact 8.
    """
    person, channel = _sees(ws, user, channel_id)
    message = ws.message(channel.id, ts)
    shown = next((one for one in ws.world.ephemerals if one.ts == ts), None)
    target = message or (shown if shown and shown.user == person.id else None)
    if target is None:
        raise ControlError("no_such_message", ts)
    block_id, element = _element(target.blocks, what)
    ephemeral = isinstance(target, Ephemeral)
    response = _response_url(ws, person, channel, target)
    container: Json = {
        "type": "message",
        "message_ts": ts,
        "channel_id": channel.id,
        "is_ephemeral": ephemeral,
    }
    if target.thread_ts:
        container["thread_ts"] = target.thread_ts
    payload: Json = {
        **common_fields(ws, person, "block_actions"),
        "container": container,
        "channel": _channel(channel),
        "state": {"values": {}},
        "response_url": response,
        "actions": [_action(ws, block_id, element, what)],
        "trigger_id": views.mint_trigger(ws, person.id),
    }
    if isinstance(target, Message):
        payload["message"] = reading.row(ws, target, metadata=True)
    return Interaction("interactive", payload)


def press_in_view(ws: Workspace, user: str, view_id: str, what: Press) -> Interaction:
    """Use an element of an open modal or Home tab.

    Raises:
        ControlError: The view is not open before this person, or has no such element.
    """
    person, view = opened_view(ws, user, view_id)
    block_id, element = _element(as_maps(view.body.get("blocks")), what)
    return Interaction(
        "interactive",
        {
            **common_fields(ws, person, "block_actions"),
            "container": {"type": "view", "view_id": view.id},
            "view": views.view_json(ws, view),
            "actions": [_action(ws, block_id, element, what)],
            "trigger_id": views.mint_trigger(ws, person.id, view.id),
        },
    )


def _sees(ws: Workspace, user: str, channel_id: str) -> tuple[Person, Channel]:
    return ws.acting(user), seeing.visible(ws, user, channel_id)


def opened_view(ws: Workspace, user: str, view_id: str) -> tuple[Person, View]:
    """Return a view that stands open before a person.

    Raises:
        ControlError: It does not.
    """
    person, view = ws.acting(user), ws.view(view_id)
    if view is None or view.user != person.id:
        raise ControlError("no_such_view", view_id)
    return person, view


def common_fields(ws: Workspace, person: Person, kind: str) -> Json:
    """Return the fields that every interaction payload has."""
    team = ws.world.team
    return {
        "type": kind,
        "user": {
            "id": person.id,
            "username": person.name,
            "name": person.name,
            "team_id": person.team_id,
        },
        "api_app_id": ws.world.app.id,
        "token": ws.settings.verification_token,
        "team": {"id": team.id, "domain": team.domain},
        "enterprise": None,
        "is_enterprise_install": False,
    }


def _channel(channel: Channel) -> Json:
    names = {"channel": channel.name, "group": "privategroup", "im": "directmessage"}
    return {"id": channel.id, "name": names.get(channel.type_name, channel.name)}


def _response_url(
    ws: Workspace, person: Person, channel: Channel, target: Message | Ephemeral | None = None
) -> str:
    key = ws.mint_id("R")
    ws.response_urls[key] = ResponseUrl(
        user=person.id,
        channel=channel.id,
        born_at=ws.clock(),
        message_ts=target.ts if target else None,
        thread_ts=target.thread_ts if target else None,
        ephemeral=isinstance(target, Ephemeral),
    )
    return f"{ws.base_url}/response/{key}"


def _element(blocks: list[Json], what: Press) -> tuple[str, Json]:
    for block in blocks:
        block_id = as_text(block.get("block_id"))
        inside = [*as_maps(block.get("elements"))]
        inside.extend(as_map(block[key]) for key in ("accessory", "element") if key in block)
        for element in inside:
            if _matches(element, what) and what.block_id in {"", block_id}:
                return block_id, element
    raise ControlError("no_such_element", what.action_id)


def _matches(element: Json, what: Press) -> bool:
    value = element.get("value")
    same_value = what.value is None or value is None or value == what.value
    return element.get("action_id") == what.action_id and same_value


def _action(ws: Workspace, block_id: str, element: Json, what: Press) -> Json:
    action: Json = {
        "type": element["type"],
        "action_id": element.get("action_id"),
        "block_id": block_id,
        "action_ts": ws.mint_ts(),
    }
    if element["type"] == "button":
        kept = {key: element[key] for key in ("text", "value", "style", "url") if key in element}
        return {**action, **kept}
    return {**action, **entered_in(element, list(what.chosen))}


def entered_in(element: Json, entered: object) -> Json:
    """Return what a person left in an element, under the name its type has for it."""
    kind = as_text(element.get("type"))
    several = as_list(entered)
    many = [str(one) for one in (several if several is entered else [entered])]
    if kind in {"static_select", "radio_buttons", "overflow"}:
        return {"selected_option": next(iter(_options(element, many)), None)}
    if kind in {"multi_static_select", "checkboxes"}:
        return {"selected_options": list[object](_options(element, many))}
    for noun in ("user", "channel", "conversation"):
        if kind == f"{noun}s_select":
            return {f"selected_{noun}": next(iter(many), None)}
        if kind == f"multi_{noun}s_select":
            return {f"selected_{noun}s": list[object](many)}
    return {_DATES.get(kind, "value"): next(iter(many), None)}


def _options(element: Json, values: list[str]) -> list[Json]:
    groups = as_maps(element.get("option_groups"))
    offered = as_maps(element.get("options"))
    offered.extend(one for group in groups for one in as_maps(group.get("options")))
    known = {as_text(one.get("value")): one for one in offered}
    missing = [value for value in values if value not in known]
    if missing:
        raise ControlError("no_such_option", missing[0])
    return [known[value] for value in values]


def command(ws: Workspace, user: str, channel_id: str, name: str, words: str) -> Interaction:
    """Type a slash command in a channel; threads do not take them.

    Raises:
        ControlError: The person is not there, or the name does not begin with a slash.
    """
    person, channel = _sees(ws, user, channel_id)
    if not name.startswith("/"):
        raise ControlError("not_a_command", name)
    url = _response_url(ws, person, channel)
    team = ws.world.team
    fields: Json = {
        "token": ws.settings.verification_token,
        "team_id": team.id,
        "team_domain": team.domain,
        "channel_id": channel.id,
        "channel_name": as_text(_channel(channel)["name"]),
        "user_id": person.id,
        "user_name": person.name,
        "command": name,
        "text": words,
        "api_app_id": ws.world.app.id,
        "is_enterprise_install": "false",
        "response_url": url,
        "trigger_id": views.mint_trigger(ws, person.id),
    }
    response = ws.response_urls[url.rpartition("/")[2]]
    return Interaction("slash_commands", fields, accepts_response=True, response=response)


def shortcut(
    ws: Workspace, user: str, callback_id: str, channel_id: str = "", ts: str = ""
) -> Interaction:
    """Call a shortcut: of a message when ``ts`` is given, else a global one.

    Raises:
        ControlError: The message is not there or not visible.
    """
    if not ts:
        person = ws.acting(user)
        trigger_id = views.mint_trigger(ws, person.id)
        body = common_fields(ws, person, "shortcut")
        called: Json = {"callback_id": callback_id, "action_ts": ws.mint_ts()}
        return Interaction("interactive", {**body, **called, "trigger_id": trigger_id})
    person, channel = _sees(ws, user, channel_id)
    message = ws.message(channel.id, ts)
    if message is None:
        raise ControlError("no_such_message", ts)
    return Interaction(
        "interactive",
        {
            **common_fields(ws, person, "message_action"),
            "callback_id": callback_id,
            "channel": _channel(channel),
            "message": reading.row(ws, message, metadata=True),
            "message_ts": message.ts,
            "response_url": _response_url(ws, person, channel, message),
            "trigger_id": views.mint_trigger(ws, person.id),
            "action_ts": ws.mint_ts(),
        },
    )
