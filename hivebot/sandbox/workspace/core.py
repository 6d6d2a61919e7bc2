"""What is where in the workspace, and what has happened that the app should hear of?"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from hivebot.sandbox import events
from hivebot.sandbox.errors import ControlError, SlackError
from hivebot.sandbox.limits import Limiter
from hivebot.sandbox.settings import Settings
from hivebot.sandbox.shapes import Json
from hivebot.sandbox.text import mentioned
from hivebot.sandbox.world import Channel, Message, Person, View, World, default_world


@dataclass(frozen=True, slots=True)
class Emission:
    """One event on its way to the app.

    Attributes:
        event_id: Slack's id, also the key of its retries.
        body: The whole ``event_callback``.
        own: Whether it tells of a post of the app under test.
    """

    event_id: str
    body: Json
    own: bool


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the Web API as it was answered.

    Attributes:
        seq: Numbers the calls from 1.
        at: Clock when the answer was decided, in seconds.
        method: Slack's method name, or ``response_url``.
        channel: The channel argument, or the empty string.
        error: Slack's error name, or None when it went well.
        ts: The timestamp of the message concerned, or the empty string.
        args: The arguments without the token.
    """

    seq: int
    at: float
    method: str
    channel: str
    error: str | None
    ts: str
    args: Json


@dataclass(slots=True)
class Trigger:
    """Permission to open a view, good for three seconds and one use."""

    user: str
    born_at: float
    view: str | None = None
    used: bool = False


@dataclass(slots=True)
class ResponseUrl:
    """Permission to answer an interaction, good for five uses in thirty minutes."""

    user: str
    channel: str
    born_at: float
    message_ts: str | None = None
    thread_ts: str | None = None
    ephemeral: bool = False
    uses: int = 0


@dataclass(slots=True)
class Workspace:
    """State and rules of the workspace; no I/O, time only from ``clock`` (seconds since 1970).

    Acts of the app and of people are functions over it in the modules beside this one. Whoever
    holds it takes the events that an act has caused with ``take_events`` and delivers them.
    """

    world: World = field(default_factory=default_world)
    settings: Settings = field(default_factory=Settings)
    clock: Callable[[], float] = time.time
    base_url: str = "http://127.0.0.1"
    calls: list[Call] = field(default_factory=list[Call])
    triggers: dict[str, Trigger] = field(default_factory=dict[str, Trigger])
    response_urls: dict[str, ResponseUrl] = field(default_factory=dict[str, ResponseUrl])
    limiter: Limiter = field(init=False)
    _events: deque[Emission] = field(default_factory=deque[Emission])
    _watchers: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])

    def __post_init__(self) -> None:
        self.limiter = Limiter(self.clock)

    # Numbers and names.

    def mint_ts(self) -> str:
        """Return a fresh message timestamp, later than every other."""
        micros = max(int(self.clock() * 1_000_000), self.world.last_ts_micros + 1)
        self.world.last_ts_micros = micros
        return f"{micros // 1_000_000}.{micros % 1_000_000:06d}"

    def mint_id(self, prefix: str) -> str:
        """Return a fresh id such as ``V00000007``."""
        self.world.last_id += 1
        return f"{prefix}{self.world.last_id:08d}"

    # Finding.

    def person(self, user: str) -> Person | None:
        """Return the person with this id."""
        return next((one for one in self.world.people if one.id == user), None)

    def acting(self, user: str) -> Person:
        """Return the person with this id or name who is about to act.

        Raises:
            ControlError: Nobody has the id or name, or the account is deactivated.
        """
        found = next((one for one in self.world.people if user in {one.id, one.name}), None)
        if found is None:
            raise ControlError("no_such_user", user)
        if found.deleted:
            raise ControlError("user_deactivated", user)
        return found

    def channel(self, channel: str) -> Channel | None:
        """Return the channel with this id, deleted ones included."""
        return next((one for one in self.world.channels if one.id == channel), None)

    def place(self, channel: str) -> Channel:
        """Return the channel with this id or name in which a person is about to act.

        Raises:
            ControlError: There is none.
        """
        for one in self.world.channels:
            if channel in {one.id, one.name} and not one.is_deleted:
                return one
        raise ControlError("no_such_channel", channel)

    def visible_channel(self, channel: str) -> Channel:
        """Return a channel as the app sees it.

        Raises:
            SlackError: ``channel_not_found`` for one that is missing, deleted, or hidden from it.
        """
        found = self.channel(channel)
        if found is None or found.is_deleted:
            raise SlackError("channel_not_found")
        if not self.bot_in(found) and (found.is_private or found.kind != "channel"):
            raise SlackError("channel_not_found")
        return found

    def bot_in(self, channel: Channel) -> bool:
        """Return whether the bot is a member."""
        return self.world.app.bot_user in channel.members

    def message(self, channel: str, ts: str) -> Message | None:
        """Return the message at this place."""
        for one in reversed(self.world.messages):
            if one.ts == ts and one.channel == channel:
                return one
        return None

    def in_channel(self, channel: str) -> list[Message]:
        """Return every message of a channel, threads included, oldest first."""
        found = [one for one in self.world.messages if one.channel == channel]
        return sorted(found, key=lambda one: one.ts)

    def thread(self, channel: str, root_ts: str) -> list[Message]:
        """Return the replies under a message, oldest first, without their head."""
        return [
            one
            for one in self.in_channel(channel)
            if one.thread_ts == root_ts and one.ts != root_ts
        ]

    def view(self, view_id: str) -> View | None:
        """Return the view with this id."""
        return next((one for one in self.world.views if one.id == view_id), None)

    # Telling.

    def watch(self, watcher: Callable[[], None]) -> None:
        """Call ``watcher`` after every change."""
        self._watchers.append(watcher)

    def changed(self) -> None:
        """Tell the watchers that something changed."""
        for watcher in tuple(self._watchers):
            watcher()

    def note(self, method: str, args: Json, error: str | None, ts: str = "") -> None:
        """Write a call into the log."""
        channel = args.get("channel")
        self.calls.append(
            Call(
                seq=len(self.calls) + 1,
                at=self.clock(),
                method=method,
                channel=channel if isinstance(channel, str) else "",
                error=error,
                ts=ts,
                args=args,
            )
        )
        self.changed()

    def emit(self, event: Json, channel: Channel | None = None, *, own: bool = False) -> None:
        """Queue an event for the app, if it may hear it and has subscribed to it.

        What happens in a channel reaches only a member of it.
        """
        if self.world.app.installed != "yes" and event["type"] not in _FAREWELLS:
            return
        if channel is not None and not self.bot_in(channel):
            return
        if events.subscription(event) not in self.settings.events:
            return
        self.emit_raw(event, shared=channel is not None and channel.is_ext_shared, own=own)

    def emit_raw(self, event: Json, *, shared: bool = False, own: bool = False) -> None:
        """Queue an event whether or not the app may hear it."""
        event_id = self.mint_id("Ev")
        body = events.callback(
            event,
            event_id=event_id,
            event_time=int(self.clock()),
            world=self.world,
            settings=self.settings,
            shared=shared,
        )
        self._events.append(Emission(event_id, body, own))

    def emit_body(self, body: Json) -> None:
        """Queue a whole request body, such as ``app_rate_limited``, which has no inner event."""
        self._events.append(Emission(self.mint_id("Ev"), body, own=False))

    def take_events(self) -> list[Emission]:
        """Return the events queued since the last call, in order, and forget them."""
        taken = list(self._events)
        self._events.clear()
        return taken

    def tell_message(self, message: Message, channel: Channel) -> None:
        """Queue the events of a new post: ``message``, and ``app_mention`` if it names the bot."""
        root = None
        if message.thread_ts and message.thread_ts != message.ts:
            root = self.message(channel.id, message.thread_ts)
        event = events.message_event(message, channel, self.world, self.settings, root)
        own = message.bot_id == self.world.app.bot_id
        told = [event]
        if not own and self.names_bot(message, channel):
            told.append(events.mention_event(event))
        if self.settings.mention_order == "mention_first":
            told.reverse()
        for one in told:
            self.emit(one, channel, own=own)

    def names_bot(self, message: Message, channel: Channel) -> bool:
        """Return whether a post causes an ``app_mention``; DMs never do."""
        named = self.world.app.bot_user in mentioned(message.text, self.world)
        return named and channel.kind != "im"


_FAREWELLS = ("tokens_revoked", "app_uninstalled")
