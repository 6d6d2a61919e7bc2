"""What does a payload of the Events API say? One arrival for every JSON object, never an exception.

Source: product.md 10, slack.md 2 and 9, datapath.md 1.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Final

from hivebot.adapters.slack.shapes import Json, as_map, as_maps, as_text, as_whole, is_true
from hivebot.adapters.slack.text import canonical, readable, rich_source
from hivebot.services.records.arrivals import (
    Arrival,
    Audience,
    ChannelChange,
    ChannelChanged,
    EventKey,
    HomeOpened,
    Ignored,
    MembershipChanged,
    MessageArrived,
    MessageChanged,
    MessageDeleted,
    ReactionChanged,
    Speaker,
    SpeakerKind,
    TextContext,
    WorkspaceGone,
)

OUTBOX_EVENT_TYPE: Final = "hivebot_outbox"
"""Type of the metadata on our own posts."""

FILES_MAX: Final = 50
"""File names kept of one message."""

SUBSCRIPTIONS: Final[dict[str, tuple[str, ...]]] = {
    "app_mention": ("app_mentions:read",),
    "message.channels": ("channels:history",),
    "message.groups": ("groups:history",),
    "message.im": ("im:history",),
    "message.mpim": ("mpim:history",),
    "reaction_added": ("reactions:read",),
    "reaction_removed": ("reactions:read",),
    "app_home_opened": (),
    "channel_rename": ("channels:read",),
    "channel_archive": ("channels:read",),
    "channel_unarchive": ("channels:read",),
    "channel_deleted": ("channels:read",),
    "channel_id_changed": ("channels:read", "groups:read"),
    "channel_shared": ("channels:read", "groups:read"),
    "channel_unshared": ("channels:read", "groups:read"),
    "group_rename": ("groups:read",),
    "group_archive": ("groups:read",),
    "group_unarchive": ("groups:read",),
    "group_deleted": ("groups:read",),
    "member_joined_channel": ("channels:read", "groups:read"),
    "member_left_channel": ("channels:read", "groups:read"),
    "subteam_updated": ("usergroups:read",),
    "tokens_revoked": (),
    "app_uninstalled": (),
}
"""Every event the manifest subscribes to, with the scopes it needs. Source: slack.md 12."""

_SPEECH: Final = frozenset({"", "bot_message", "file_share", "thread_broadcast", "me_message"})
_SYSTEM_USERS: Final = frozenset({"USLACK", "USLACKBOT"})
_AUDIENCES: Final = {
    "im": Audience.DM,
    "app_home": Audience.DM,
    "mpim": Audience.PRIVATE,
    "group": Audience.PRIVATE,
    "channel": Audience.PUBLIC,
}
_CHANNEL_CHANGES: Final[dict[str, ChannelChange]] = {
    "channel_rename": "renamed",
    "group_rename": "renamed",
    "channel_archive": "archived",
    "group_archive": "archived",
    "channel_unarchive": "unarchived",
    "group_unarchive": "unarchived",
    "channel_deleted": "deleted",
    "group_deleted": "deleted",
    "channel_id_changed": "id_changed",
    "channel_shared": "shared",
    "channel_unshared": "unshared",
}


def arrival(payload: Json, context: TextContext) -> Arrival:
    """The record of one payload.

    In this order: what has no inner event, or is of a kind nobody asked for, is ignored; messages
    go by subtype, then by writer. Slack's own notices, hidden messages, edits by bots and by this
    app, and changes that leave the text as it was, are ignored with the reason.

    Source: product.md 10.
    """
    key = event_key(payload)
    outer = as_text(payload.get("type"))
    if outer != "event_callback":
        return Ignored(key, _reason("outer", outer))
    event = as_map(payload.get("event"))
    kind = as_text(event.get("type"))
    if kind in {"message", "app_mention"}:
        return _Message(key, payload, event, context).arrival()
    if kind in _CHANNEL_CHANGES:
        return _channel_changed(key, event, _CHANNEL_CHANGES[kind])
    reader = _OTHERS.get(kind)
    return reader(key, event, context) if reader else Ignored(key, _reason("event", kind))


def event_key(payload: Json) -> EventKey:
    """The first de-duplication key.

    The installation is the first authorization's; without one the context's team, then the
    payload's. A payload without an event id is keyed by its digest, so that a repeat is still one.

    Source: datapath.md 1, slack.md 2.
    """
    first = next(iter(as_maps(payload.get("authorizations"))), as_map(None))
    enterprise = as_text(first.get("enterprise_id")) or as_text(payload.get("enterprise_id"))
    team = (
        as_text(first.get("team_id"))
        or as_text(payload.get("context_team_id"))
        or as_text(payload.get("team_id"))
        or enterprise
    )
    event_id = as_text(payload.get("event_id")) or f"digest-{_digest(payload)}"
    return EventKey(team, event_id, as_whole(payload.get("event_time")), enterprise)


def _digest(payload: Json) -> str:
    told = {key: value for key, value in payload.items() if key != "token"}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:32]


def _reason(matter: str, name: str) -> str:
    """`matter:name` for the operator; a name Slack would not use is left out."""
    known = name.replace("_", "").replace(".", "")
    return f"{matter}:{name}" if known.isascii() and known.isalnum() and len(name) <= 60 else matter


class _Message:
    """Reads one `message` or `app_mention` event."""

    __slots__ = ("_channel", "_context", "_event", "_key", "_mention", "_payload")

    def __init__(self, key: EventKey, payload: Json, event: Json, context: TextContext) -> None:
        self._key = key
        self._payload = payload
        self._event = event
        self._context = context
        self._channel = as_text(event.get("channel"))
        self._mention = event.get("type") == "app_mention"

    def arrival(self) -> Arrival:
        subtype = as_text(self._event.get("subtype"))
        if not self._channel:
            return self._ignored("no_channel")
        if subtype == "message_changed":
            return self._changed()
        if subtype == "message_deleted":
            return self._deleted()
        if subtype not in _SPEECH:
            return self._ignored(_reason("subtype", subtype))
        return self._new()

    def _ignored(self, reason: str) -> Ignored:
        return Ignored(self._key, reason)

    def _new(self) -> Arrival:
        event = self._event
        ts = as_text(event.get("ts"))
        speaker = self._speaker(event)
        if not ts:
            return self._ignored("no_ts")
        if is_true(event.get("hidden")):
            return self._ignored("hidden")
        if self._mention and as_map(event.get("edited")):
            return self._ignored("edited_mention")
        if speaker.kind is SpeakerKind.SYSTEM:
            return self._ignored("system_notice")
        text = canonical(_source(event), self._context)
        external = self._external(speaker)
        outbox_id, part = _outbox(event) if speaker.kind is SpeakerKind.SELF else (0, 0)
        return MessageArrived(
            key=self._key,
            channel_id=self._channel,
            audience=Audience.SHARED if external else self._audience(),
            ts=ts,
            thread_ts=_thread(event, ts),
            speaker=speaker,
            text=text.text,
            addressed=text.addressed or self._mention,
            fallback="" if text.text.strip() else self._fallback(),
            files=_files(event),
            outbox_id=outbox_id,
            outbox_part=part,
            external=external,
        )

    def _fallback(self) -> str:
        shown = readable(self._event.get("blocks"), self._event.get("attachments"))
        return canonical(shown, self._context).text

    def _changed(self) -> Arrival:
        new = as_map(self._event.get("message"))
        ts = as_text(new.get("ts"))
        if not ts:
            return self._ignored("no_ts")
        if as_text(new.get("subtype")) == "tombstone":
            return MessageDeleted(self._key, self._channel, ts, _thread(new, ts))
        speaker = self._speaker(new)
        reason = self._not_an_edit(new, speaker)
        if reason:
            return self._ignored(reason)
        text = canonical(_source(new), self._context)
        external = self._external(speaker)
        return MessageChanged(
            key=self._key,
            channel_id=self._channel,
            audience=Audience.SHARED if external else self._audience(),
            ts=ts,
            thread_ts=_thread(new, ts),
            speaker=speaker,
            text=text.text,
            addressed=text.addressed,
            edited_ts=as_text(as_map(new.get("edited")).get("ts")),
        )

    def _not_an_edit(self, new: Json, speaker: Speaker) -> str:
        """Why a changed message is no edit by a person, "" when it is one."""
        old = as_map(self._event.get("previous_message"))
        if speaker.kind is not SpeakerKind.PERSON or self._is_own(self._event):
            return "changed_by_program"
        if is_true(new.get("hidden")):
            return "hidden"
        if not as_map(new.get("edited")):
            return "unfurl"
        if old and _source(old) == _source(new):
            return "same_text"
        return ""

    def _deleted(self) -> Arrival:
        old = as_map(self._event.get("previous_message"))
        ts = as_text(self._event.get("deleted_ts")) or as_text(old.get("ts"))
        if not ts:
            return self._ignored("no_ts")
        return MessageDeleted(self._key, self._channel, ts, _thread(old, ts))

    def _is_own(self, message: Json) -> bool:
        """Known by bot id, app id or bot user id, also in the profile of the bot."""
        context = self._context
        profile = as_map(message.get("bot_profile"))
        bots = {as_text(message.get("bot_id")), as_text(profile.get("id"))}
        apps = {as_text(message.get("app_id")), as_text(profile.get("app_id"))}
        user = as_text(message.get("user"))
        return (
            any(bot and bot in context.bot_ids for bot in bots)
            or bool(context.app_id and context.app_id in apps)
            or bool(user and user == context.bot_user_id)
        )

    def _speaker(self, message: Json) -> Speaker:
        user = as_text(message.get("user"))
        bot = as_text(message.get("bot_id"))
        profile = as_map(message.get("bot_profile"))
        label = as_text(message.get("username")) or as_text(profile.get("name"))
        if self._is_own(message):
            return Speaker(SpeakerKind.SELF, user, self._key.team_id, bot, label)
        if bot or profile or as_text(message.get("subtype")) == "bot_message":
            return Speaker(SpeakerKind.BOT, user, self._team(message), bot, label)
        if user in _SYSTEM_USERS or not user:
            return Speaker(SpeakerKind.SYSTEM, user)
        return Speaker(SpeakerKind.PERSON, user, self._team(message))

    def _team(self, message: Json) -> str:
        """The writer's team; in a channel that is not shared it can only be the home team."""
        told = (as_text(message.get(name)) for name in ("user_team", "source_team", "team"))
        said = next((team for team in told if team), "")
        return said or ("" if self._flagged() else self._key.team_id)

    def _flagged(self) -> bool:
        return is_true(self._payload.get("is_ext_shared_channel"))

    def _external(self, speaker: Speaker) -> bool:
        """Flagged as shared; outside a Grid a writer of another team says so too."""
        foreign = speaker.team_id not in {"", self._key.team_id}
        return self._flagged() or (foreign and not self._key.enterprise_id)

    def _audience(self) -> Audience:
        """The channel's audience; a mention does not tell, and then the narrower one is taken."""
        told = _AUDIENCES.get(as_text(self._event.get("channel_type")))
        direct = self._channel.startswith("D")
        return told or (Audience.DM if direct else Audience.PRIVATE)


def _source(message: Json) -> str:
    """Slack's text; where it is blank, that of the rich-text blocks."""
    text = as_text(message.get("text"))
    return text if text.strip() else rich_source(message.get("blocks"))


def _thread(message: Json, ts: str) -> str:
    root = as_text(message.get("thread_ts"))
    return "" if root == ts else root


def _files(message: Json) -> tuple[str, ...]:
    kept = (one for one in as_maps(message.get("files")) if one.get("mode") != "tombstone")
    names = (as_text(one.get("name")) or as_text(one.get("title")) for one in kept)
    return tuple((name or "unnamed file")[:255] for name in names)[:FILES_MAX]


def _outbox(message: Json) -> tuple[int, int]:
    """The outbox row and the part of it that our own metadata names."""
    metadata = as_map(message.get("metadata"))
    if metadata.get("event_type") != OUTBOX_EVENT_TYPE:
        return 0, 0
    payload = as_map(metadata.get("event_payload"))
    return as_whole(payload.get("outbox_id")), as_whole(payload.get("part"))


def _channel_changed(key: EventKey, event: Json, change: ChannelChange) -> Arrival:
    channel = as_map(event.get("channel"))
    channel_id = as_text(event.get("channel")) or as_text(channel.get("id"))
    new = as_text(channel.get("name"))
    if change == "id_changed":
        channel_id = as_text(event.get("old_channel_id"))
        new = as_text(event.get("new_channel_id"))
    if not channel_id or (change in {"id_changed", "renamed"} and not new):
        return Ignored(key, "no_channel")
    if change == "unshared" and is_true(event.get("is_ext_shared")):
        change = "shared"
    return ChannelChanged(key, channel_id, change, new)


def _reaction(key: EventKey, event: Json, _context: TextContext) -> Arrival:
    item = as_map(event.get("item"))
    channel, ts = as_text(item.get("channel")), as_text(item.get("ts"))
    user, name = as_text(event.get("user")), as_text(event.get("reaction"))
    if not (channel and ts and user and name):
        return Ignored(key, "reaction_elsewhere")
    added = event.get("type") == "reaction_added"
    return ReactionChanged(key, channel, ts, user, name, added)


def _membership(key: EventKey, event: Json, _context: TextContext) -> Arrival:
    channel, user = as_text(event.get("channel")), as_text(event.get("user"))
    if not (channel and user):
        return Ignored(key, "no_channel")
    joined = event.get("type") == "member_joined_channel"
    return MembershipChanged(key, channel, user, joined)


def _left(key: EventKey, event: Json, context: TextContext) -> Arrival:
    return _membership(key, {**event, "user": context.bot_user_id}, context)


def _tokens_revoked(key: EventKey, event: Json, _context: TextContext) -> Arrival:
    tokens = as_map(event.get("tokens"))
    if tokens and not tokens.get("bot"):
        return Ignored(key, "user_tokens_revoked")
    return WorkspaceGone(key, "tokens_revoked")


def _uninstalled(key: EventKey, _event: Json, _context: TextContext) -> Arrival:
    return WorkspaceGone(key, "app_uninstalled")


def _home(key: EventKey, event: Json, _context: TextContext) -> Arrival:
    user = as_text(event.get("user"))
    return HomeOpened(key, user, as_text(event.get("tab"))) if user else Ignored(key, "no_user")


def _group_updated(key: EventKey, _event: Json, _context: TextContext) -> Arrival:
    return Ignored(key, "group_updated")


_OTHERS: Final[dict[str, Callable[[EventKey, Json, TextContext], Arrival]]] = {
    "reaction_added": _reaction,
    "reaction_removed": _reaction,
    "member_joined_channel": _membership,
    "member_left_channel": _membership,
    "channel_left": _left,
    "group_left": _left,
    "tokens_revoked": _tokens_revoked,
    "app_uninstalled": _uninstalled,
    "app_home_opened": _home,
    "subteam_updated": _group_updated,
}
