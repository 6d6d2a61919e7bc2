"""What does a person see?"""

from __future__ import annotations

from hivebot.sandbox.errors import ControlError
from hivebot.sandbox.shapes import Json, as_map, as_maps, as_text
from hivebot.sandbox.text import formatted_texts, mentioned, plain
from hivebot.sandbox.workspace import reading, views
from hivebot.sandbox.workspace.core import Workspace
from hivebot.sandbox.world import Channel, Ephemeral, Message, Person, View


def sees(person: Person, channel: Channel, home_team: str) -> bool:
    """Return whether a person can open a channel: their own, and public ones of their own team."""
    if person.id in channel.members:
        return True
    hidden = channel.is_private or channel.kind != "channel" or person.is_restricted
    return not hidden and person.team_id == home_team


def visible(ws: Workspace, user: str, channel_id: str) -> Channel:
    """Return a channel that a person can open.

    Raises:
        ControlError: There is no such person or channel, or they cannot open it.
    """
    person, channel = ws.acting(user), ws.place(channel_id)
    if not sees(person, channel, ws.world.team.id):
        raise ControlError("not_in_channel", f"{person.name} cannot see {channel.name}")
    return channel


def message_seen(ws: Workspace, message: Message) -> Json:
    """Return a message as people see it, with the tokens it was sent with beside.

    ``plain`` is the text on the screen: that of the blocks where there are blocks, else the text;
    ``pings`` are the user ids and special names it notifies, by its text or by its blocks.
    """
    return {
        "ts": message.ts,
        "channel": message.channel,
        "thread_ts": message.thread_ts,
        "user": message.user,
        "bot_id": message.bot_id,
        "author": author(ws, message),
        "own": message.bot_id == ws.world.app.bot_id,
        "subtype": message.subtype,
        "text": message.text,
        "plain": _plain(ws, message.text, message.blocks),
        "blocks": list[object](message.blocks),
        "buttons": _buttons(message.blocks),
        "attachments": list[object](message.attachments),
        "files": list[object](message.files),
        "pings": _pings(ws, message.text, message.blocks),
        "unfurl": message.unfurl,
        "icons": message.icons,
        "metadata": message.metadata,
        "edited": message.edited is not None,
        "reactions": {name: list(users) for name, users in message.reactions.items()},
        "reply_count": len(ws.thread(message.channel, message.ts)),
    }


def author(ws: Workspace, message: Message) -> str:
    """Return the name over a message: the one it was posted under, else the account's."""
    if message.username:
        return message.username
    person = ws.person(message.user or "")
    return person.name if person else (message.bot_id or "")


def ephemeral_seen(ws: Workspace, shown: Ephemeral) -> Json:
    """Return an ephemeral message as its person sees it."""
    return {
        "ts": shown.ts,
        "channel": shown.channel,
        "thread_ts": shown.thread_ts,
        "user": shown.user,
        "text": shown.text,
        "plain": _plain(ws, shown.text, shown.blocks),
        "blocks": list[object](shown.blocks),
        "buttons": _buttons(shown.blocks),
    }


def view_seen(ws: Workspace, view: View) -> Json:
    """Return an open view as its person sees it; ``inputs`` are the action ids to fill in."""
    blocks = as_maps(view.body.get("blocks"))
    inputs = [as_map(block.get("element")) for block in blocks if block.get("type") == "input"]
    return {
        "id": view.id,
        "user": view.user,
        "type": view.kind,
        "callback_id": as_text(view.body.get("callback_id")),
        "title": as_text(as_map(view.body.get("title")).get("text")),
        "plain": _plain(ws, "", blocks),
        "buttons": _buttons(blocks),
        "inputs": [element.get("action_id") for element in inputs],
        "errors": dict(view.errors),
        "view": views.view_json(ws, view),
    }


def channel_seen(ws: Workspace, channel_id: str, thread_ts: str | None) -> list[Json]:
    """Return what a channel shows, oldest first; with ``thread_ts`` the thread with its head."""
    channel = ws.place(channel_id)
    if thread_ts:
        head = ws.message(channel.id, thread_ts)
        rows = ws.thread(channel.id, thread_ts)
        rows = [head, *rows] if head else rows
    else:
        rows = [one for one in ws.in_channel(channel.id) if reading.at_top(one)]
    return [message_seen(ws, one) for one in rows]


def _plain(ws: Workspace, text: str, blocks: list[Json]) -> str:
    if not blocks:
        return plain(text, ws.world)
    return "\n".join(
        plain(one, ws.world) if kind == "mrkdwn" else one for kind, one in formatted_texts(blocks)
    )


def _pings(ws: Workspace, text: str, blocks: list[Json]) -> list[object]:
    named = mentioned(text, ws.world)
    for kind, one in formatted_texts(blocks):
        if kind == "mrkdwn":
            named.extend(mentioned(one, ws.world))
    return list[object](dict.fromkeys(named))


def _buttons(blocks: list[Json]) -> list[object]:
    found: list[object] = []
    for block in blocks:
        elements = [*as_maps(block.get("elements")), as_map(block.get("accessory"))]
        found.extend(
            {
                "action_id": element.get("action_id"),
                "block_id": block.get("block_id"),
                "text": as_text(as_map(element.get("text")).get("text")),
                "value": element.get("value"),
                "type": element.get("type"),
            }
            for element in elements
            if element.get("action_id")
        )
    return found
