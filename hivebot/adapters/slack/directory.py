"""Who and what are the people, channels and groups that Slack's ids name?

Source: rights.md 1 and 2, slack.md 9 and 12, product.md 3.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Generic, TypeVar

import structlog

from hivebot.adapters.slack.api import SlackApi
from hivebot.adapters.slack.shapes import Json, as_list, as_map, as_maps, as_text, is_true
from hivebot.adapters.slack.text import canonical, readable, rich_source
from hivebot.services.ports import ChannelFacts, Clock, PersonFacts
from hivebot.services.records.arrivals import Audience, TextContext
from hivebot.services.records.outgoing import SendFailure

FACTS_TTL: Final = timedelta(seconds=30)
"""How long a fact is believed: short, since rights hang on it."""

ROOT_TTL: Final = timedelta(minutes=10)
MISSING_TTL: Final = timedelta(minutes=10)
"""How long a method that the server lacks, or the token may not use, is left alone."""

FACTS_MAX: Final = 5_000
LIST_PAGES: Final = 50
LIST_PAGE: Final = 200

_LACKING: Final = frozenset({"unknown_method", "method_deprecated", "http_404", "http_405"})
_UNKNOWN_METHOD: Final = "unknown_method"
_FEATURES: Final = {
    "conversations.info": "channels are taken for private",
    "conversations.list": "channels are found by id alone",
    "conversations.members": "desks of private channels are left out of lists",
    "conversations.replies": "roots that were never stored stay unread",
    "team.info": "permalinks are left out",
    "usergroups.list": "user groups have no members",
    "users.info": "everybody counts as a guest",
}

_log = structlog.get_logger("hivebot.slack")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Known(Generic[T]):
    value: T
    until: datetime


class _Cache(Generic[T]):
    """Facts that are believed for a while; the one longest unused goes first."""

    def __init__(self, clock: Clock, ttl: timedelta, size: int) -> None:
        self._clock = clock
        self._ttl = ttl
        self._size = size
        self._facts: OrderedDict[Hashable, _Known[T]] = OrderedDict()
        self._doubted: set[Hashable] = set()

    def get(self, key: Hashable) -> T | None:
        return None if key in self._doubted else self.last(key)

    def last(self, key: Hashable) -> T | None:
        """What was heard last, doubted or not, as long as it is not too old."""
        known = self._facts.get(key)
        if known is None or known.until <= self._clock.now():
            return None
        self._facts.move_to_end(key)
        return known.value

    def put(self, key: Hashable, value: T) -> T:
        self._facts[key] = _Known(value, self._clock.now() + self._ttl)
        self._facts.move_to_end(key)
        self._doubted.discard(key)
        while len(self._facts) > self._size:
            gone, _ = self._facts.popitem(last=False)
            self._doubted.discard(gone)
        return value

    def drop(self, key: Hashable) -> None:
        self._facts.pop(key, None)

    def doubt(self, key: Hashable) -> None:
        """Believe it no longer, unless nothing newer can be had for want of calls."""
        if key in self._facts:
            self._doubted.add(key)


class SlackDirectory:
    """Asks Slack, believes the answer for half a minute, and does without where it must.

    A method the server lacks or the token may not use switches one feature off for a while; each is
    logged once. Any other failure is an unknown that is asked again the next time.
    """

    def __init__(
        self,
        api: SlackApi,
        clock: Clock,
        context: Callable[[str], Awaitable[TextContext]],
        *,
        size: int = FACTS_MAX,
    ) -> None:
        """Remember whom to ask.

        Args:
            api: How Slack is called.
            clock: Tells when a fact is too old.
            context: What canonical text needs to know of a team.
            size: Facts kept of each kind.
        """
        self._api = api
        self._context = context
        self._people: _Cache[PersonFacts] = _Cache(clock, FACTS_TTL, size)
        self._channels: _Cache[ChannelFacts] = _Cache(clock, FACTS_TTL, size)
        self._groups: _Cache[dict[str, frozenset[str]]] = _Cache(clock, FACTS_TTL, size)
        self._roots: _Cache[str] = _Cache(clock, ROOT_TTL, size)
        self._urls: _Cache[str] = _Cache(clock, ROOT_TTL, size)
        self._lacking: _Cache[str] = _Cache(clock, MISSING_TTL, size)
        self._said: set[tuple[str, str]] = set()
        self._told_to_wait: set[tuple[str, str]] = set()

    async def person(self, team_id: str, user_id: str) -> PersonFacts:
        """Facts of a user; where Slack would not say, an unknown guest.

        A server that says it has no `users.info` knows no guests: there everybody is a member, and
        the team that an event names tells who is a stranger.
        """
        known = self._people.get((team_id, user_id))
        if known is not None:
            return known
        data = await self._ask(team_id, "users.info", {"user": user_id})
        user = as_map(as_map(data).get("user"))
        if as_text(user.get("id")) != user_id:
            guestless = self._lacking.get((team_id, "users.info")) == _UNKNOWN_METHOD
            return _unknown(user_id, guest=not guestless)
        return self._people.put((team_id, user_id), _person(team_id, user))

    def forget_person(self, team_id: str, user_id: str) -> None:
        """Ask anew the next time: for the moment at which a right is used."""
        self._people.drop((team_id, user_id))

    async def channel(self, team_id: str, channel_id: str) -> ChannelFacts | None:
        """Facts of a channel; None when Slack would not say."""
        known = self._channels.get((team_id, channel_id))
        if known is not None:
            return known
        data = await self._ask(team_id, "conversations.info", {"channel": channel_id})
        channel = as_map(as_map(data).get("channel"))
        if as_text(channel.get("id")) != channel_id:
            waits = (team_id, "conversations.info") in self._told_to_wait
            return self._channels.last((team_id, channel_id)) if waits else None
        return self._channels.put((team_id, channel_id), _channel(team_id, channel))

    def forget_channel(self, team_id: str, channel_id: str) -> None:
        """Ask anew the next time: for the moment at which something crosses into it or out of it.

        Where Slack then says only that we ask too often, what it said within the last half minute
        stands. A person's facts never do: those are their rights.
        """
        self._channels.doubt((team_id, channel_id))

    async def root_text(self, team_id: str, channel_id: str, ts: str) -> str:
        """Readable text of a message we never stored, canonical; "" when Slack refuses."""
        key = (team_id, channel_id, ts)
        known = self._roots.get(key)
        if known is not None:
            return known
        args = {"channel": channel_id, "ts": ts, "limit": 1, "inclusive": 1}
        data = await self._ask(team_id, "conversations.replies", args)
        if data is None:
            return ""
        roots = (one for one in as_maps(data.get("messages")) if one.get("ts") == ts)
        root = next(roots, as_map(None))
        source = as_text(root.get("text"))
        if not source.strip():
            source = rich_source(root.get("blocks")) or readable(
                root.get("blocks"), root.get("attachments")
            )
        return self._roots.put(key, canonical(source, await self._context(team_id)).text)

    async def resolve_channel_name(self, team_id: str, name: str) -> str:
        """The id of the channel of that name, with or without `#`; "" when there is none."""
        name = name.removeprefix("#")
        args: dict[str, object] = {
            "types": "public_channel,private_channel",
            "exclude_archived": 1,
            "limit": LIST_PAGE,
        }
        for _ in range(LIST_PAGES):
            data = await self._ask(team_id, "conversations.list", args)
            if data is None:
                return ""
            for channel in as_maps(data.get("channels")):
                if name in {channel.get("name"), channel.get("name_normalized")}:
                    return as_text(channel.get("id"))
            args["cursor"] = as_text(as_map(data.get("response_metadata")).get("next_cursor"))
            if not args["cursor"]:
                return ""
        return ""

    async def may_open(self, team_id: str, user_id: str, channel_id: str) -> bool:
        """Whether a person can read a channel, asked anew each time; False when nobody says so.

        A public channel is open to every member of the team; any other, and any channel for
        guests and strangers, only to those who are in it. A deactivated account opens nothing.
        """
        self.forget_person(team_id, user_id)
        person = await self.person(team_id, user_id)
        channel = await self.channel(team_id, channel_id)
        if channel is None or person.deactivated:
            return False
        at_home = person.known and not person.guest and not person.stranger
        if channel.audience is Audience.PUBLIC and at_home:
            return True
        return await self._is_in(team_id, user_id, channel_id)

    async def _is_in(self, team_id: str, user_id: str, channel_id: str) -> bool:
        args: dict[str, object] = {"channel": channel_id, "limit": LIST_PAGE}
        for _ in range(LIST_PAGES):
            data = await self._ask(team_id, "conversations.members", args)
            if data is None:
                return False
            if user_id in as_list(data.get("members")):
                return True
            args["cursor"] = as_text(as_map(data.get("response_metadata")).get("next_cursor"))
            if not args["cursor"]:
                return False
        return False

    async def members_of_group(self, team_id: str, group_id: str) -> frozenset[str]:
        """User ids of a user group; empty, and so nobody, when Slack would not say."""
        groups = self._groups.get(team_id)
        if groups is None:
            data = await self._ask(team_id, "usergroups.list", {"include_users": 1})
            if data is None:
                return frozenset()
            found = as_maps(data.get("usergroups"))
            groups = self._groups.put(team_id, {as_text(g.get("id")): _members(g) for g in found})
        return groups.get(group_id, frozenset())

    async def workspace_url(self, team_id: str) -> str:
        """The address permalinks begin with, ending in a slash; "" when Slack would not say."""
        known = self._urls.get(team_id)
        if known is not None:
            return known
        data = await self._ask(team_id, "team.info", {})
        if data is None:
            return ""
        team = as_map(data.get("team"))
        domain = as_text(team.get("domain"))
        url = as_text(team.get("url")) or (f"https://{domain}.slack.com/" if domain else "")
        return self._urls.put(team_id, f"{url.rstrip('/')}/" if url else "")

    async def _ask(self, team_id: str, method: str, args: Json) -> Json | None:
        """One call; None for every failure."""
        if self._lacking.get((team_id, method)) is not None:
            return None
        answer = await self._api.call(team_id, method, args)
        self._told_to_wait.discard((team_id, method))
        if not isinstance(answer, SendFailure):
            return answer.data
        if answer.kind == "wait":
            self._told_to_wait.add((team_id, method))
        if answer.kind == "scope" or answer.code in _LACKING:
            self._lacking.put((team_id, method), answer.code)
            self._say_once(team_id, method, answer)
        return None

    def _say_once(self, team_id: str, method: str, failure: SendFailure) -> None:
        if (team_id, method) in self._said:
            return
        self._said.add((team_id, method))
        _log.warning(
            "slack.method_missing",
            team_id=team_id,
            method=method,
            code=failure.code,
            scope=failure.detail,
            effect=_effect(method, failure),
        )


def _effect(method: str, failure: SendFailure) -> str:
    if method == "users.info" and failure.code == _UNKNOWN_METHOD:
        return "everybody of this team counts as a member"
    return _FEATURES[method]


def _unknown(user_id: str, *, guest: bool) -> PersonFacts:
    """Somebody nothing is said about; `known` unless that makes them a guest."""
    return PersonFacts(
        user_id=user_id,
        name=user_id,
        team_id="",
        guest=guest,
        stranger=False,
        deactivated=False,
        bot=False,
        known=not guest,
    )


def _person(team_id: str, user: Json) -> PersonFacts:
    profile = as_map(user.get("profile"))
    names = (profile.get("display_name"), profile.get("real_name"), user.get("real_name"))
    name = next((as_text(one) for one in (*names, user.get("name")) if as_text(one).strip()), "")
    user_id = as_text(user.get("id"))
    home = as_text(user.get("team_id"))
    teams = as_list(as_map(user.get("enterprise_user")).get("teams"))
    foreign = home != team_id and team_id not in teams
    return PersonFacts(
        user_id=user_id,
        name=name or user_id,
        team_id=home,
        guest=is_true(user.get("is_restricted")) or is_true(user.get("is_ultra_restricted")),
        stranger=foreign or is_true(user.get("is_stranger")),
        deactivated=is_true(user.get("deleted")),
        bot=is_true(user.get("is_bot")) or user_id == "USLACKBOT",
    )


def _channel(team_id: str, channel: Json) -> ChannelFacts:
    direct = is_true(channel.get("is_im"))
    audience = _audience(team_id, channel)
    return ChannelFacts(
        channel_id=as_text(channel.get("id")),
        name=as_text(channel.get("name")) or as_text(channel.get("user")),
        audience=audience,
        archived=is_true(channel.get("is_archived")),
        member=direct or channel.get("is_member", audience is Audience.PRIVATE) is True,
    )


def _audience(team_id: str, channel: Json) -> Audience:
    """Shared before all else, by flag or by another team beside ours; then direct, private, public.

    Source: slack.md 9: the flags are not always right by themselves.
    """
    organisation = is_true(channel.get("is_org_shared"))
    flagged = is_true(channel.get("is_ext_shared")) or is_true(channel.get("is_pending_ext_shared"))
    shared = is_true(channel.get("is_shared")) and not organisation
    others = {as_text(one) for one in as_list(channel.get("connected_team_ids"))} - {team_id, ""}
    if flagged or shared or (others and not organisation):
        return Audience.SHARED
    if is_true(channel.get("is_im")):
        return Audience.DM
    private = (is_true(channel.get(name)) for name in ("is_private", "is_mpim", "is_group"))
    return Audience.PRIVATE if any(private) else Audience.PUBLIC


def _members(group: Json) -> frozenset[str]:
    """Members of a group that is not switched off."""
    if group.get("date_delete"):
        return frozenset()
    return frozenset(as_text(one) for one in as_list(group.get("users"))) - {""}
