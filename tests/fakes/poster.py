"""What does Slack's posting side do when it is only pretended?"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from hivebot.services.ports import ChannelFacts, PersonFacts
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.outgoing import (
    Body,
    Destination,
    OutboxKind,
    Posted,
    SendFailure,
    SendResult,
)
from hivebot.services.records.rows import OutboxRow

PART_LENGTH = 3_900


@dataclass(frozen=True, slots=True)
class Shown:
    """One message in a channel; `user_id` is the only one who sees it, "" for everybody."""

    team_id: str
    channel_id: str
    thread_ts: str
    ts: str
    text: str
    author: str
    outbox_id: int
    part: int
    user_id: str = ""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What the next call of one part meets; `applied`: it took effect before that."""

    failure: SendFailure
    applied: bool = False


class FakePoster:
    """A Slack in memory that keeps the port's promises.

    A part is 3,900 characters of the body's words. Trouble is used up one post or edit of a part at
    a time; a call without trouble succeeds.
    """

    def __init__(self) -> None:
        self.shown: list[Shown] = []
        self._trouble: deque[Trouble | None] = deque()
        self._minted = 0

    # What a test does.

    def fail(self, failure: SendFailure, *, after: int = 0, applied: bool = False) -> None:
        """Let a part fail, after so many that go well."""
        self._trouble.extend([None] * after)
        self._trouble.append(Trouble(failure, applied))

    def lose(self) -> None:
        """Let the next part be posted and its answer be lost."""
        self.fail(SendFailure("ambiguous", "connection"), applied=True)

    def texts(self, channel_id: str, thread_ts: str = "") -> list[str]:
        """What stands in a channel, or in a thread, in order."""
        return [
            one.text
            for one in self.shown
            if (one.channel_id, one.thread_ts, one.user_id) == (channel_id, thread_ts, "")
        ]

    def private_texts(self, channel_id: str, user_id: str) -> list[str]:
        """What one person alone sees in a channel."""
        return [
            one.text
            for one in self.shown
            if (one.channel_id, one.user_id) == (channel_id, user_id) and user_id
        ]

    # The port.

    def parts(self, row: OutboxRow) -> int:
        """How many messages the row comes to."""
        return len(_parts(row.body))

    async def post(self, row: OutboxRow, thread_ts: str, done: tuple[str, ...] = ()) -> SendResult:
        """Post the parts that are not there yet."""
        parts = _parts(row.body)
        if not done and len(parts) > 1 and row.attempt > 1:
            done = self._standing(row, thread_ts, row.created_at)
        sent = [*done][: len(parts)]
        for number in range(len(sent), len(parts)):
            trouble = self._trouble.popleft() if self._trouble else None
            if trouble is None or trouble.applied:
                sent.append(self._show(row, thread_ts, parts[number], number))
            if trouble is not None:
                return trouble.failure
        return Posted(tuple(sent))

    async def edit(self, row: OutboxRow, ts: tuple[str, ...]) -> SendResult:
        """Change the texts; what there is no room for is cut, what is not needed goes."""
        parts = _parts(row.body)[: len(ts)]
        if not set(ts) & {one.ts for one in self.shown}:
            return SendFailure("message_gone", "message_not_found")
        for one, text in zip(ts, parts, strict=False):
            trouble = self._trouble.popleft() if self._trouble else None
            if trouble is None or trouble.applied:
                self.shown = [
                    replace(shown, text=text) if shown.ts == one else shown for shown in self.shown
                ]
            if trouble is not None:
                return trouble.failure
        await self.delete(row.destination, ts[len(parts) :])
        return Posted(ts[: len(parts)])

    async def delete(self, destination: Destination, ts: tuple[str, ...]) -> SendResult:
        """Remove posts; already gone counts as done."""
        trouble = self._trouble.popleft() if self._trouble else None
        if trouble is not None:
            return trouble.failure
        self.shown = [one for one in self.shown if one.ts not in ts]
        return Posted(ts)

    async def lookup(
        self, row: OutboxRow, thread_ts: str, since: datetime
    ) -> tuple[str, ...] | SendFailure | None:
        """The row's parts that stand there since then."""
        return self._standing(row, thread_ts, since) or None

    def _standing(self, row: OutboxRow, thread_ts: str, since: datetime) -> tuple[str, ...]:
        found = {
            one.part: one.ts
            for one in self.shown
            if one.outbox_id == row.id
            and (one.thread_ts, one.user_id) == (thread_ts, "")
            and datetime.fromtimestamp(float(one.ts), UTC) >= since
        }
        return tuple(found[number] for number in sorted(found))

    def _show(self, row: OutboxRow, thread_ts: str, text: str, number: int) -> str:
        self._minted += 1
        ts = f"1700000100.{self._minted:06}"
        place = row.destination
        author = row.body.persona.name if row.body.persona is not None else ""
        only = place.user_id if row.kind is OutboxKind.EPHEMERAL else ""
        team_id, channel_id = place.team_id, place.channel_id
        if channel_id.startswith("U"):
            channel_id = f"D{channel_id[1:]}"
        shown = Shown(team_id, channel_id, thread_ts, ts, text, author, row.id, number, only)
        self.shown.append(shown)
        return ts


def _parts(body: Body) -> list[str]:
    words = [body.heading, *(quote.text for quote in body.quotes), body.text, body.small]
    text = "\n".join(word for word in words if word) or "There is nothing to show."
    return [text[at : at + PART_LENGTH] for at in range(0, len(text), PART_LENGTH)]


class FakeDirectory:
    """People, channels and roots as a test lists them; everybody else is an unknown guest."""

    def __init__(
        self,
        people: Iterable[PersonFacts] = (),
        channels: Iterable[ChannelFacts] = (),
        roots: dict[tuple[str, str], str] | None = None,
        groups: dict[str, frozenset[str]] | None = None,
    ) -> None:
        self.people = {one.user_id: one for one in people}
        self.channels = {one.channel_id: one for one in channels}
        self.roots: dict[tuple[str, str], str] = {} if roots is None else roots
        self.groups: dict[str, frozenset[str]] = {} if groups is None else groups

    async def person(self, team_id: str, user_id: str) -> PersonFacts:
        """Facts of a user."""
        unknown = PersonFacts(
            user_id=user_id,
            name=user_id,
            team_id="",
            guest=True,
            stranger=False,
            deactivated=False,
            bot=False,
            known=False,
        )
        return self.people.get(user_id, unknown)

    def forget_person(self, team_id: str, user_id: str) -> None:
        """Nothing is believed here that would have to be forgotten."""

    def forget_channel(self, team_id: str, channel_id: str) -> None:
        """Nor is it of channels."""

    async def channel(self, team_id: str, channel_id: str) -> ChannelFacts | None:
        """Facts of a channel."""
        return self.channels.get(channel_id)

    async def members_of_group(self, team_id: str, group_id: str) -> frozenset[str]:
        """User ids in a group."""
        return self.groups.get(group_id, frozenset())

    async def root_text(self, team_id: str, channel_id: str, ts: str) -> str:
        """Text of a message, by channel and ts."""
        return self.roots.get((channel_id, ts), "")


def home_person(user_id: str, name: str = "", **differences: bool | str) -> PersonFacts:
    """A member of the home team, unless told otherwise."""
    member = PersonFacts(
        user_id=user_id,
        name=name or user_id,
        team_id="T0HIVE",
        guest=False,
        stranger=False,
        deactivated=False,
        bot=False,
    )
    return replace(member, **differences)  # pyright: ignore[reportArgumentType] - named by tests


def public_channel(channel_id: str, name: str = "") -> ChannelFacts:
    """A public channel the bot is in."""
    return ChannelFacts(
        channel_id, name or channel_id, Audience.PUBLIC, archived=False, member=True
    )
