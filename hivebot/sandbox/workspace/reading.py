"""What may the app read?"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from hivebot.sandbox import events
from hivebot.sandbox.errors import SlackError
from hivebot.sandbox.shapes import Json
from hivebot.sandbox.workspace.core import Workspace
from hivebot.sandbox.world import Channel, Message, Person

T = TypeVar("T")
METADATA_SCOPE = "metadata.message:read"


@dataclass(frozen=True, slots=True)
class Window:
    """Which stretch of a channel is asked for; timestamps are Slack's strings."""

    limit: int = 100
    cursor: str = ""
    oldest: str = ""
    latest: str = ""
    inclusive: bool = False
    metadata: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """Rows of one page and the cursor of the next, empty at the end."""

    rows: list[Json]
    next_cursor: str

    def body(self, name: str) -> Json:
        """Return the answer with the rows under ``name``."""
        return {name: self.rows, "response_metadata": {"next_cursor": self.next_cursor}}


def page(rows: Sequence[T], limit: int, cursor: str) -> tuple[list[T], str]:
    """Return one page of ``rows`` and the next cursor.

    Raises:
        SlackError: ``invalid_cursor`` or ``invalid_limit``.
    """
    if limit < 1:
        raise SlackError("invalid_limit")
    start = 0
    if cursor:
        try:
            start = int(base64.b64decode(cursor, validate=True).decode().removeprefix("next:"))
        except (ValueError, binascii.Error) as exc:
            raise SlackError("invalid_cursor") from exc
    end = start + limit
    following = base64.b64encode(f"next:{end}".encode()).decode() if end < len(rows) else ""
    return list(rows[start:end]), following


def history(ws: Workspace, channel_id: str, window: Window) -> Page:
    """Return a channel's messages outside of threads, newest first.

    Raises:
        SlackError: ``channel_not_found``, ``not_in_channel``, or a bad window.
    """
    channel = readable(ws, channel_id)
    top = [one for one in ws.in_channel(channel.id) if at_top(one)]
    rows = [one for one in reversed(top) if _inside(ws, one, window)]
    return _page_of(ws, rows, window)


def replies(ws: Workspace, channel_id: str, ts: str, window: Window) -> Page:
    """Return a thread, its head first; a reply's own ts gives that reply alone.

    Raises:
        SlackError: ``channel_not_found``, ``not_in_channel``, ``thread_not_found``.
    """
    channel = readable(ws, channel_id)
    head = ws.message(channel.id, ts)
    under = [one for one in ws.thread(channel.id, ts) if _inside(ws, one, window)]
    if head is None and not under:
        raise SlackError("thread_not_found")
    rows = under if head is None or _lagging(ws, head) else [head, *under]
    return _page_of(ws, rows, window)


def readable(ws: Workspace, channel_id: str) -> Channel:
    """Return a channel whose messages the app may read.

    Raises:
        SlackError: ``channel_not_found`` or ``not_in_channel``.
    """
    channel = ws.visible_channel(channel_id)
    if not ws.bot_in(channel):
        raise SlackError("not_in_channel")
    return channel


def at_top(message: Message) -> bool:
    """Return whether a message stands in the channel itself, not only in a thread."""
    in_thread = message.thread_ts is not None and message.thread_ts != message.ts
    return not in_thread or message.subtype == "thread_broadcast"


def _inside(ws: Workspace, message: Message, window: Window) -> bool:
    if _lagging(ws, message):
        return False
    if window.oldest and (message.ts < window.oldest):
        return False
    if window.latest and (message.ts > window.latest):
        return False
    return window.inclusive or message.ts not in {window.oldest, window.latest}


def _lagging(ws: Workspace, message: Message) -> bool:
    return message.posted_at > ws.clock() - ws.settings.history_lag_s


def _page_of(ws: Workspace, rows: list[Message], window: Window) -> Page:
    limit = min(window.limit, ws.settings.history_max_items)
    shown, following = page(rows, limit, window.cursor)
    return Page([row(ws, one, metadata=window.metadata) for one in shown], following)


def row(ws: Workspace, message: Message, *, metadata: bool) -> Json:
    """Return a message as the history shows it, with what hangs on it."""
    body = events.message_json(message, ws.world, ws.settings)
    if metadata and message.metadata and METADATA_SCOPE in ws.settings.scopes:
        body["metadata"] = message.metadata
    if message.reactions:
        body["reactions"] = [
            {"name": name, "users": list(users), "count": len(users)}
            for name, users in message.reactions.items()
        ]
    under = ws.thread(message.channel, message.ts)
    if under:
        body.update(
            thread_ts=message.ts,
            reply_count=len(under),
            reply_users=list(dict.fromkeys(one.user or one.bot_id for one in under)),
            latest_reply=under[-1].ts,
        )
    return body


def channel_json(ws: Workspace, channel: Channel) -> Json:
    """Return a channel as conversations.info shows it."""
    body: Json = {
        "id": channel.id,
        "is_channel": channel.type_name == "channel",
        "is_group": channel.type_name == "group",
        "is_im": channel.kind == "im",
        "is_mpim": channel.kind == "mpim",
        "is_private": channel.is_private or channel.kind != "channel",
        "is_archived": channel.is_archived,
        "is_member": ws.bot_in(channel),
        "is_shared": channel.is_ext_shared or channel.is_org_shared,
        "is_ext_shared": channel.is_ext_shared,
        "is_org_shared": channel.is_org_shared,
        "is_pending_ext_shared": False,
        "connected_team_ids": list(channel.connected_team_ids),
        "context_team_id": ws.world.team.id,
        "topic": {"value": channel.topic, "creator": "", "last_set": 0},
        "created": 0,
    }
    if channel.kind == "im":
        others = [one for one in channel.members if one != ws.world.app.bot_user]
        return {**body, "user": others[0] if others else ws.world.app.bot_user}
    return {**body, "name": channel.name, "name_normalized": channel.name}


def listed(ws: Workspace, kinds: Sequence[str], *, archived: bool, limit: int, cursor: str) -> Page:
    """Return the channels the app can see, of the kinds asked for."""
    names = {
        "channel": "public_channel",
        "group": "private_channel",
        "im": "im",
        "mpim": "mpim",
    }
    seen = [
        one
        for one in ws.world.channels
        if names[one.type_name] in kinds
        and not one.is_deleted
        and (one.type_name == "channel" or ws.bot_in(one))
        and (archived or not one.is_archived)
    ]
    rows, following = page(seen, limit, cursor)
    return Page([channel_json(ws, one) for one in rows], following)


def person_json(ws: Workspace, person: Person) -> Json:
    """Return a person as users.info shows them; strangers carry ``is_stranger``."""
    name = person.real_name or person.name
    body: Json = {
        "id": person.id,
        "team_id": person.team_id,
        "name": person.name,
        "real_name": name,
        "deleted": person.deleted,
        "is_bot": person.is_bot,
        "is_app_user": False,
        "profile": {"real_name": name, "display_name": name, "team": person.team_id},
        "updated": 0,
    }
    if person.team_id != ws.world.team.id:
        return {**body, "is_stranger": True}
    return {
        **body,
        "is_admin": person.is_admin,
        "is_restricted": person.is_restricted,
        "is_ultra_restricted": person.is_ultra_restricted,
        "tz": "Etc/UTC",
    }
