"""What came in from Slack? One record per kind of event, free of Slack's payload shapes.

Text is canonical (product.md 3): desks are `@#desk`, people and channels without a desk keep ids.
Source: product.md 10, slack.md 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from hivebot.hive.crossing import Audience


class SpeakerKind(StrEnum):
    """Who wrote a message, as far as the payload tells."""

    PERSON = "person"
    SELF = "self"
    BOT = "bot"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Speaker:
    """The writer of a message.

    Attributes:
        user_id: `U…`/`W…`, or "" for bots that show none.
        team_id: The team the person belongs to, "" when Slack does not say.
        bot_id: `B…` of a bot, "" for people.
        label: A name the payload carries (bots), never trusted, "" for people.
    """

    kind: SpeakerKind
    user_id: str = ""
    team_id: str = ""
    bot_id: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class EventKey:
    """The first de-duplication key and where it came from.

    Attributes:
        team_id: The installation that received it (`authorizations[0]`).
        event_time: Seconds since the epoch.
    """

    team_id: str
    event_id: str
    event_time: int
    enterprise_id: str = ""


@dataclass(frozen=True, slots=True)
class MessageArrived:
    """A new message. `(team_id, channel_id, ts)` is the second de-duplication key.

    Attributes:
        thread_ts: The root's ts for a reply, "" at top level (a root's own ts counts as top level).
        text: Canonical text, entities decoded.
        addressed: The bot itself is mentioned (`app_mention`, or its token in the text).
        fallback: Readable text of attachments and blocks where `text` is blank.
        files: File names, as data.
        outbox_id: The row the post was made from, read from our own metadata; 0 for none.
        outbox_part: Which part of it, from 0.
        external: The event says that the channel is shared with another organisation.
    """

    key: EventKey
    channel_id: str
    audience: Audience
    ts: str
    thread_ts: str
    speaker: Speaker
    text: str
    addressed: bool
    fallback: str = ""
    files: tuple[str, ...] = ()
    outbox_id: int = 0
    outbox_part: int = 0
    external: bool = False


@dataclass(frozen=True, slots=True)
class MessageChanged:
    """A person edited a message; unfurl-only and hidden changes never become this."""

    key: EventKey
    channel_id: str
    audience: Audience
    ts: str
    thread_ts: str
    speaker: Speaker
    text: str
    addressed: bool
    edited_ts: str


@dataclass(frozen=True, slots=True)
class MessageDeleted:
    """A message is gone; it may never have arrived."""

    key: EventKey
    channel_id: str
    ts: str
    thread_ts: str


@dataclass(frozen=True, slots=True)
class ReactionChanged:
    """A reaction was added to or removed from a message."""

    key: EventKey
    channel_id: str
    ts: str
    user_id: str
    name: str
    added: bool


ChannelChange = Literal[
    "renamed", "archived", "unarchived", "deleted", "id_changed", "shared", "unshared"
]


@dataclass(frozen=True, slots=True)
class ChannelChanged:
    """A channel's name, life or sharing changed. `new` holds the new name or id."""

    key: EventKey
    channel_id: str
    change: ChannelChange
    new: str = ""


@dataclass(frozen=True, slots=True)
class MembershipChanged:
    """Somebody joined or left a channel; only the bot's own moves matter."""

    key: EventKey
    channel_id: str
    user_id: str
    joined: bool


@dataclass(frozen=True, slots=True)
class WorkspaceGone:
    """`tokens_revoked` or `app_uninstalled`."""

    key: EventKey
    reason: str


@dataclass(frozen=True, slots=True)
class HomeOpened:
    """A person opened the app's home."""

    key: EventKey
    user_id: str
    tab: str


@dataclass(frozen=True, slots=True)
class Ignored:
    """Stored for the two keys and for nothing else; `reason` is for the operator."""

    key: EventKey
    reason: str


Arrival = (
    MessageArrived
    | MessageChanged
    | MessageDeleted
    | ReactionChanged
    | ChannelChanged
    | MembershipChanged
    | WorkspaceGone
    | HomeOpened
    | Ignored
)


@dataclass(frozen=True, slots=True)
class TextContext:
    """What canonicalising needs to know of the configuration.

    Attributes:
        bot_user_id: The bot's own user id.
        bot_ids: Bot ids of this app.
        app_id: The app's id, "" when unknown.
        desk_by_channel: Channel id to desk id.
        desk_by_group: User-group id to desk id.
    """

    bot_user_id: str
    bot_ids: tuple[str, ...]
    app_id: str
    desk_by_channel: tuple[tuple[str, str], ...]
    desk_by_group: tuple[tuple[str, str], ...]
