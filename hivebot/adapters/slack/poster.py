"""How does a wanted message get into Slack, whole or not at all?

Source: datapath.md 4, product.md 3 and 10.
"""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime
from itertools import zip_longest
from typing import Final, TypeVar

import structlog

from hivebot.adapters.slack.api import Answer, SlackApi
from hivebot.adapters.slack.blocks import RenderedPart, render, render_into, shown_name
from hivebot.adapters.slack.events import OUTBOX_EVENT_TYPE
from hivebot.adapters.slack.limits import problems
from hivebot.adapters.slack.shapes import Json, as_map, as_maps, as_text, as_whole
from hivebot.services.records.outgoing import (
    Destination,
    OutboxKind,
    Persona,
    Posted,
    SendFailure,
    SendResult,
)
from hivebot.services.records.rows import OutboxRow

CUSTOMIZE: Final = "chat:write.customize"
LOOKUP_PAGES: Final = 5
LOOKUP_PAGE: Final = 200
HINTS_MAX: Final = 1_000
"""Half-sent rows, and people's direct channels, that are remembered until the process ends."""

TORN_NOTICE: Final = "The rest of this message could not be posted. Everything is kept; ask again."

K = TypeVar("K")
V = TypeVar("V")

_log = structlog.get_logger("hivebot.slack")


class SlackPoster:
    """Posts, edits, deletes and looks for what outbox rows want shown.

    What it knows besides Slack: teams that have not granted names of their own, parts of rows that
    are half sent, and people's direct channels. All are hints; losing them costs a call.
    """

    def __init__(self, api: SlackApi, *, hints_max: int = HINTS_MAX) -> None:
        """Remember how to call, and how many hints to keep of each kind."""
        self._api = api
        self._hints_max = hints_max
        self._nameless: set[str] = set()
        self._half_sent: OrderedDict[tuple[int, int], tuple[str, ...]] = OrderedDict()
        self._direct: OrderedDict[tuple[str, str], str] = OrderedDict()

    def parts(self, row: OutboxRow) -> int:
        """How many messages the row comes to."""
        return len(render(row.body, tag="", named=True))

    async def post(self, row: OutboxRow, thread_ts: str, done: tuple[str, ...] = ()) -> SendResult:
        """Post the parts of a row that are not `done`, in order; gives the ts of all.

        A part whose blocks Slack refuses is sent as plain text, and so are those after it. Where a
        later part is refused by name even so, a notice stands in its place; where that is refused
        too, the parts before are removed again. A limit or a lost answer ends the try; the next one
        goes on behind what is known to be there.
        """
        parts = self._rendered(row)
        found = done or await self._found(row, thread_ts, len(parts))
        if isinstance(found, SendFailure):
            return found
        sent = list(found[: len(parts)])
        plain = False
        for number in range(len(sent), len(parts)):
            result, plain = await self._post_part(row, thread_ts, number, plain=plain)
            if isinstance(result, SendFailure):
                return await self._stopped(row, thread_ts, sent, result)
            sent.append(result)
        self._half_sent.pop(_key(row), None)
        return Posted(tuple(sent))

    async def edit(self, row: OutboxRow, ts: tuple[str, ...]) -> SendResult:
        """Bring what was posted to the row's body, in as many messages as there are.

        A text that needs more is made wider, then cut with a notice; messages it does not need are
        deleted. May be repeated freely.
        """
        if not ts:
            return SendFailure("message_gone", "no_ts")
        place = row.destination
        named = place.team_id not in self._nameless
        parts = render_into(row.body, len(ts), tag=_tag(row), named=named)
        plain = False
        for number, (one, part) in enumerate(zip(ts, parts, strict=False)):
            failure, plain = await self._edit_part(row, one, part, number, plain=plain)
            if failure is not None:
                return failure
        surplus = await self.delete(place, ts[len(parts) :])
        return surplus if isinstance(surplus, SendFailure) else Posted(ts[: len(parts)])

    async def delete(self, destination: Destination, ts: tuple[str, ...]) -> SendResult:
        """Remove posts; already gone counts as done. All are tried, the first failure is told."""
        first: SendFailure | None = None
        for one in ts:
            answer = await self._call(destination, "chat.delete", {"ts": one})
            if isinstance(answer, SendFailure) and answer.kind != "message_gone":
                first = first or answer
        return first or Posted(ts)

    async def lookup(
        self, row: OutboxRow, thread_ts: str, since: datetime
    ) -> tuple[str, ...] | SendFailure | None:
        """The ts of the row's parts that stand in the channel since then, without a gap.

        Found by our metadata, in the thread or at top level, over at most `LOOKUP_PAGES` pages.
        """
        args: dict[str, object] = {
            "oldest": f"{since.timestamp():.6f}",
            "limit": LOOKUP_PAGE,
            "include_all_metadata": 1,
        }
        if thread_ts:
            args["ts"] = thread_ts
        method = "conversations.replies" if thread_ts else "conversations.history"
        found: dict[int, str] = {}
        for _ in range(LOOKUP_PAGES):
            answer = await self._call(row.destination, method, args)
            if isinstance(answer, SendFailure):
                return answer
            found.update(_parts_of(row.id, answer.data))
            cursor = as_text(as_map(answer.data.get("response_metadata")).get("next_cursor"))
            if not cursor:
                break
            args["cursor"] = cursor
        return _without_gap(found) or None

    async def _found(
        self, row: OutboxRow, thread_ts: str, parts: int
    ) -> tuple[str, ...] | SendFailure:
        """The parts of a half-sent row that are there already."""
        remembered = self._half_sent.get(_key(row), ())
        known = max(remembered, _without_gap(dict(row.seen)), key=len)
        if known or parts == 1 or row.attempt <= 1 or row.kind is OutboxKind.EPHEMERAL:
            return known
        return await self.lookup(row, thread_ts, row.created_at) or ()

    def _rendered(self, row: OutboxRow) -> tuple[RenderedPart, ...]:
        named = row.destination.team_id not in self._nameless
        return render(row.body, tag=_tag(row), named=named)

    async def _post_part(
        self, row: OutboxRow, thread_ts: str, number: int, *, plain: bool
    ) -> tuple[str | SendFailure, bool]:
        """Post one part; gives its ts, and whether the following are to be plain."""
        part = self._rendered(row)[number]
        plain = plain or bool(problems(part.text, part.blocks))
        answer = await self._posted(row, thread_ts, number, part, plain=plain)
        if self._degrades(row, answer):
            part = self._rendered(row)[number]
            answer = await self._posted(row, thread_ts, number, part, plain=plain)
        if not plain and _is_shape(answer):
            plain = True
            _log.warning("slack.blocks_refused", outbox_id=row.id, part=number)
            answer = await self._posted(row, thread_ts, number, part, plain=True)
        if isinstance(answer, SendFailure):
            return answer, plain
        self._note_scopes(row, answer)
        ts = as_text(answer.data.get("ts")) or as_text(answer.data.get("message_ts"))
        return ts or SendFailure("ambiguous", "no_ts"), plain

    async def _posted(
        self, row: OutboxRow, thread_ts: str, number: int, part: RenderedPart, *, plain: bool
    ) -> Answer | SendFailure:
        place = row.destination
        args: dict[str, object] = {
            "text": part.text,
            "parse": "none",
            "link_names": False,
            **({} if plain else {"blocks": part.blocks}),
            **({"thread_ts": thread_ts} if thread_ts else {}),
            **self._persona(place.team_id, row.body.persona),
        }
        if row.kind is OutboxKind.EPHEMERAL:
            args["user"] = place.user_id
            return await self._call(place, "chat.postEphemeral", args)
        args |= {"unfurl_links": False, "unfurl_media": False, "metadata": _metadata(row, number)}
        return await self._call(place, "chat.postMessage", args)

    async def _edit_part(
        self, row: OutboxRow, ts: str, part: RenderedPart, number: int, *, plain: bool
    ) -> tuple[SendFailure | None, bool]:
        args: dict[str, object] = {
            "ts": ts,
            "text": part.text,
            "parse": "none",
            "link_names": False,
            "metadata": _metadata(row, number),
        }
        plain = plain or bool(problems(part.text, part.blocks))
        args["blocks"] = [] if plain else part.blocks
        answer = await self._call(row.destination, "chat.update", args)
        if not plain and _is_shape(answer):
            plain = True
            _log.warning("slack.blocks_refused", outbox_id=row.id, part=number)
            answer = await self._call(row.destination, "chat.update", {**args, "blocks": []})
        return (answer if isinstance(answer, SendFailure) else None), plain

    async def _call(self, place: Destination, method: str, args: Json) -> Answer | SendFailure:
        """Call a method on the place; a person's id stands for the direct channel with them."""
        channel_id: str | SendFailure = place.channel_id
        if place.channel_id[:1] in {"U", "W"}:
            channel_id = await self._direct_channel(place.team_id, place.channel_id)
        if isinstance(channel_id, SendFailure):
            return channel_id
        return await self._api.call(place.team_id, method, {**args, "channel": channel_id})

    async def _direct_channel(self, team_id: str, user_id: str) -> str | SendFailure:
        known = self._direct.get((team_id, user_id))
        if known:
            return known
        answer = await self._api.call(team_id, "conversations.open", {"users": user_id})
        if isinstance(answer, SendFailure):
            return answer
        channel_id = as_text(as_map(answer.data.get("channel")).get("id"))
        if not channel_id:
            return SendFailure("refused", "no_channel")
        self._keep(self._direct, (team_id, user_id), channel_id)
        return channel_id

    async def _stopped(
        self, row: OutboxRow, thread_ts: str, sent: list[str], failure: SendFailure
    ) -> SendResult:
        """A part did not go: remember the earlier ones, or end the message for its readers."""
        if not sent:
            return failure
        if failure.kind in {"wait", "ambiguous", "token"}:
            self._keep(self._half_sent, _key(row), tuple(sent))
            return failure
        _log.error("slack.message_torn", outbox_id=row.id, sent=len(sent), code=failure.code)
        notice = RenderedPart(TORN_NOTICE, ())
        answer = await self._posted(row, thread_ts, len(sent), notice, plain=True)
        if not isinstance(answer, SendFailure):
            return Posted((*sent, as_text(answer.data.get("ts"))))
        await self.delete(row.destination, tuple(sent))
        return failure

    def _keep(self, hints: OrderedDict[K, V], key: K, value: V) -> None:
        hints[key] = value
        while len(hints) > self._hints_max:
            hints.popitem(last=False)

    def _persona(self, team_id: str, persona: Persona | None) -> dict[str, object]:
        if persona is None or team_id in self._nameless:
            return {}
        args: dict[str, object] = {"username": shown_name(persona)}
        if persona.icon.startswith(":") and persona.icon.endswith(":"):
            args["icon_emoji"] = persona.icon
        elif persona.icon.startswith("https://"):
            args["icon_url"] = persona.icon
        return args

    def _degrades(self, row: OutboxRow, answer: Answer | SendFailure) -> bool:
        """Whether the name was refused: then this team's posts carry it as a bold prefix."""
        team_id = row.destination.team_id
        refused = isinstance(answer, SendFailure) and answer.kind == "scope"
        if not refused or row.body.persona is None or team_id in self._nameless:
            return False
        if isinstance(answer, SendFailure) and answer.detail not in {"", CUSTOMIZE}:
            return False
        self._nameless.add(team_id)
        _log.warning("slack.names_refused", team_id=team_id, scope=CUSTOMIZE)
        return True

    def _note_scopes(self, row: OutboxRow, answer: Answer) -> None:
        """A team that has granted the scope since gets its names back."""
        if answer.scopes is not None and CUSTOMIZE in answer.scopes:
            self._nameless.discard(row.destination.team_id)


def _tag(row: OutboxRow) -> str:
    return f"o{row.id}.{row.revision}"


def _key(row: OutboxRow) -> tuple[int, int]:
    return row.id, row.revision


def _metadata(row: OutboxRow, number: int) -> Json:
    return {
        "event_type": OUTBOX_EVENT_TYPE,
        "event_payload": {"outbox_id": row.id, "part": number},
    }


def _is_shape(answer: Answer | SendFailure) -> bool:
    return isinstance(answer, SendFailure) and answer.kind in {"blocks", "too_long"}


def _parts_of(outbox_id: int, data: Json) -> dict[int, str]:
    found: dict[int, str] = {}
    for message in as_maps(data.get("messages")):
        metadata = as_map(message.get("metadata"))
        payload = as_map(metadata.get("event_payload"))
        ours = metadata.get("event_type") == OUTBOX_EVENT_TYPE
        if ours and as_whole(payload.get("outbox_id")) == outbox_id and "part" in payload:
            found[as_whole(payload.get("part"))] = as_text(message.get("ts"))
    return found


def _without_gap(found: dict[int, str]) -> tuple[str, ...]:
    """The ts of parts 0, 1, … as far as none is missing."""
    kept: list[str] = []
    for number, (part, ts) in zip_longest(range(len(found)), sorted(found.items())):
        if number != part:
            break
        kept.append(ts)
    return tuple(kept)
