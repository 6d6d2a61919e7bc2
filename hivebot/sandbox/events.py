"""What does Slack say about a thing that happened? Payloads, built from records alone."""

from __future__ import annotations

from hivebot.sandbox.settings import Settings
from hivebot.sandbox.shapes import Json
from hivebot.sandbox.world import Channel, Message, Person, World


def message_json(message: Message, world: World, settings: Settings) -> Json:
    """Return a message as the history shows it, without metadata and reactions.

    A post of the app under test takes the shape that the ``own_*`` switches ask for.
    """
    body: Json = {"type": "message", "ts": message.ts, "text": message.text}
    optional: Json = {
        "subtype": message.subtype,
        "user": message.user,
        "bot_id": message.bot_id,
        "app_id": message.app_id,
        "username": message.username,
        "icons": message.icons,
        "client_msg_id": message.client_msg_id,
        "thread_ts": message.thread_ts,
        "blocks": list[object](message.blocks),
        "attachments": list[object](message.attachments),
        "files": list[object](message.files),
        "edited": message.edited,
    }
    body.update({key: value for key, value in optional.items() if value})
    body["team"] = message.team
    body.update(message.extra)
    if message.bot_id == world.app.bot_id:
        _shape_own(body, world, settings)
    return body


def _shape_own(body: Json, world: World, settings: Settings) -> None:
    body["bot_profile"] = {
        "id": world.app.bot_id,
        "app_id": world.app.id,
        "name": world.app.name,
        "team_id": world.team.id,
        "deleted": False,
    }
    if settings.own_subtype:
        body["subtype"] = "bot_message"
    if not settings.own_user:
        body.pop("user", None)
    if not settings.own_app_id:
        body.pop("app_id", None)
        body.pop("bot_profile")


def message_event(
    message: Message, channel: Channel, world: World, settings: Settings, root: Message | None
) -> Json:
    """Return the ``message`` event of a new post; ``root`` is the head of its thread."""
    body = message_json(message, world, settings)
    if message.metadata and settings.own_metadata:
        body["metadata"] = message.metadata
    if root is not None:
        body["parent_user_id"] = root.user or root.bot_id
    if root is not None and message.subtype == "thread_broadcast":
        body["root"] = message_json(root, world, settings)
    author = next((one for one in world.people if one.id == message.user), None)
    if author is not None and author.team_id != world.team.id:
        body.update(_stranger(author))
    return {**body, **_place(channel, message.ts)}


def _stranger(author: Person) -> Json:
    return {
        "team": author.team_id,
        "user_team": author.team_id,
        "source_team": author.team_id,
        "user_profile": {"name": author.name, "real_name": author.real_name},
    }


def _place(channel: Channel, event_ts: str) -> Json:
    return {"channel": channel.id, "channel_type": channel.type_name, "event_ts": event_ts}


def mention_event(message: Json) -> Json:
    """Return the ``app_mention`` that goes with a ``message`` event."""
    dropped = {"subtype", "channel_type", "parent_user_id", "root"}
    kept = {key: value for key, value in message.items() if key not in dropped}
    return {**kept, "type": "app_mention"}


def changed_event(new: Json, old: Json, channel: Channel, event_ts: str) -> Json:
    """Return ``message_changed``: an edit, an unfurl or a tombstone."""
    return {
        "type": "message",
        "subtype": "message_changed",
        "hidden": True,
        "ts": event_ts,
        "message": new,
        "previous_message": old,
        **_place(channel, event_ts),
    }


def deleted_event(old: Json, channel: Channel, event_ts: str) -> Json:
    """Return ``message_deleted``."""
    return {
        "type": "message",
        "subtype": "message_deleted",
        "hidden": True,
        "ts": event_ts,
        "deleted_ts": old["ts"],
        "previous_message": old,
        **_place(channel, event_ts),
    }


def tombstone(old: Json) -> Json:
    """Return what is left of a thread's head when its author deletes it."""
    kept = {key: old[key] for key in ("type", "ts", "thread_ts", "team") if key in old}
    return {
        **kept,
        "subtype": "tombstone",
        "text": "This message was deleted.",
        "user": "USLACKBOT",
        "hidden": True,
    }


def reaction_event(
    *, added: bool, user: str, name: str, message: Message, channel: Channel, event_ts: str
) -> Json:
    """Return ``reaction_added`` or ``reaction_removed``."""
    body: Json = {
        "type": "reaction_added" if added else "reaction_removed",
        "user": user,
        "reaction": name,
        "item": {"type": "message", "channel": channel.id, "ts": message.ts},
        "event_ts": event_ts,
    }
    return {**body, "item_user": message.user} if message.user else body


def membership_event(
    *, joined: bool, user: Person, channel: Channel, inviter: str | None, event_ts: str
) -> Json:
    """Return ``member_joined_channel`` or ``member_left_channel``."""
    body: Json = {
        "type": "member_joined_channel" if joined else "member_left_channel",
        "user": user.id,
        "channel": channel.id,
        "channel_type": "G" if channel.is_private else "C",
        "team": user.team_id,
        "event_ts": event_ts,
    }
    return {**body, "inviter": inviter} if inviter else body


def channel_event(change: str, channel: Channel, user: str, event_ts: str, **more: object) -> Json:
    """Return ``channel_rename`` and its like, ``group_…`` for a private channel.

    A change that private channels share under one name (``shared``, ``id_changed``) keeps it.
    """
    common = {"shared", "unshared", "id_changed"}
    prefix = "group" if channel.is_private and change not in common else "channel"
    where: Json = {"channel": channel.id, "user": user}
    if change == "rename":
        where = {"channel": {"id": channel.id, "name": channel.name, "created": 0}}
    return {"type": f"{prefix}_{change}", **where, "event_ts": event_ts, **more}


def subscription(event: Json) -> str:
    """Return the name under which an app subscribes to ``event``."""
    if event.get("type") != "message":
        return str(event.get("type"))
    plural = {"channel": "channels", "group": "groups"}
    kind = str(event.get("channel_type"))
    return f"message.{plural.get(kind, kind)}"


def callback(
    event: Json, *, event_id: str, event_time: int, world: World, settings: Settings, shared: bool
) -> Json:
    """Return the ``event_callback`` wrapper of ``event``."""
    author = event.get("user_team")
    foreign = shared and settings.shared_team_id == "author" and bool(author)
    return {
        "token": settings.verification_token,
        "team_id": author if foreign else world.team.id,
        "context_team_id": world.team.id,
        "api_app_id": world.app.id,
        "event": event,
        "type": "event_callback",
        "event_id": event_id,
        "event_time": event_time,
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": world.team.id,
                "user_id": world.app.bot_user,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": shared,
    }
