"""How does a wanted message reach Slack exactly once, in order, whatever happens on the way?

A row is marked `sending` and committed before Slack is called. A row found in `sending` is looked
up first: by our own event, then in the channel's history. Source: datapath.md 4, product.md 10.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from hivebot.services import lines
from hivebot.services.endings import end_unanswered
from hivebot.services.ports import Clock, NewOutbox, Policies, Poster, Transaction, UnitOfWork
from hivebot.services.records.outgoing import (
    Body,
    Destination,
    OutboxKind,
    OutboxState,
    Posted,
    SendFailure,
    SendResult,
)
from hivebot.services.records.rows import MessageRole, OutboxRow, ReferralState

LOOKS = (timedelta(seconds=3), timedelta(seconds=15))
"""How long after a lost answer the channel is looked through, and how long after a miss again."""

LOOKUPS_MAX = 6
"""Looks of one row, two for each time it was sent, before it is left as `unknown`."""

LOOK_BACK = timedelta(seconds=60)
BATCH = 200
"""Rows one run sends before it hands the channel back to the queue."""

_EDITABLE = (OutboxKind.LINE, OutboxKind.POST)


@dataclass(frozen=True, slots=True)
class _Head:
    """The channel's head with what rendering it needs.

    Attributes:
        fresh: Claimed just now; otherwise it was found half sent.
        thread_ts: The thread it goes to, "" for top level.
        target: For a deletion: what the row it removes posted.
    """

    row: OutboxRow
    fresh: bool
    thread_ts: str
    target: tuple[str, ...]


class Delivery:
    """Sends one channel's queue."""

    def __init__(self, work: UnitOfWork, policies: Policies, poster: Poster, clock: Clock) -> None:
        self._work = work
        self._policies = policies
        self._poster = poster
        self._clock = clock

    async def run(self, team_id: str, channel_id: str) -> datetime | None:
        """Send until nothing is left or Slack says wait; returns when to run again.

        Raises:
            StoreUnavailableError: the row stays in `sending` and is looked up later.
        """
        for _ in range(BATCH):
            head = await self._head(team_id, channel_id)
            if head is None:
                async with self._work.begin() as tx:
                    return await tx.outbox.next_moment(team_id, channel_id)
            await self._one(head)
        return self._clock.now()

    async def _head(self, team_id: str, channel_id: str) -> _Head | None:
        now = self._clock.now()
        async with self._work.begin() as tx:
            row = await tx.outbox.next_due(team_id, channel_id, now)
            if row is None:
                return None
            fresh = row.state is not OutboxState.SENDING
            if fresh:
                row = await tx.outbox.claim(row.id, now, now + LOOKS[0])
            if row is None:  # pragma: no cover - only a second worker on one channel can take it
                return None
            return await _prepared(tx, row, fresh=fresh)

    async def _one(self, head: _Head) -> None:
        row = head.row
        repeatable = row.kind is OutboxKind.DELETE or bool(row.ts)
        if head.fresh or repeatable:
            await self._settle(head, await self._send(head))
        elif row.kind is OutboxKind.EPHEMERAL:
            await self._end(row, OutboxState.UNKNOWN, "sent at most once")
        else:
            await self._look_up(head)

    async def _send(self, head: _Head) -> SendResult:
        row = head.row
        if row.kind is OutboxKind.DELETE:
            return await self._poster.delete(row.destination, head.target)
        if row.ts and row.kind in _EDITABLE:
            return await self._poster.edit(row, row.ts)
        return await self._poster.post(row, head.thread_ts)

    async def _look_up(self, head: _Head) -> None:
        """Find out whether a row whose answer was lost is there, and send it again if not."""
        row = head.row
        found: tuple[str, ...] | SendFailure | None = tuple(ts for _, ts in sorted(row.seen))
        if not found:
            since = (row.sending_at or row.created_at) - LOOK_BACK
            found = await self._poster.lookup(row, head.thread_ts, since)
        if isinstance(found, SendFailure):
            await self._not_looked_up(row, found)
        elif found:
            result: SendResult = Posted(found)
            if len(found) < self._poster.parts(row):
                result = await self._poster.post(row, head.thread_ts, found)
            await self._settle(head, result)
        elif row.lookups + 1 >= LOOKUPS_MAX:
            await self._end(row, OutboxState.UNKNOWN, "no trace of it after several tries")
        elif row.lookups % len(LOOKS) + 1 < len(LOOKS):
            async with self._work.begin() as tx:
                await tx.outbox.looked(row.id, self._clock.now() + LOOKS[1])
        else:
            async with self._work.begin() as tx:
                await tx.outbox.looked(row.id, self._clock.now())
                await tx.outbox.settle(row.id, row.attempt, OutboxState.QUEUED, "not found")

    async def _not_looked_up(self, row: OutboxRow, failure: SendFailure) -> None:
        if failure.kind == "wait":
            until = self._clock.now() + timedelta(seconds=failure.retry_after_s)
            async with self._work.begin() as tx:
                await tx.outbox.looked(row.id, until)
        elif failure.kind == "ambiguous":
            async with self._work.begin() as tx:
                await tx.outbox.looked(row.id, self._clock.now() + LOOKS[1])
        else:
            await self._end(row, OutboxState.UNKNOWN, failure.code)

    async def _settle(self, head: _Head, result: SendResult) -> None:
        row = head.row
        if isinstance(result, Posted):
            await self._sent(row, result.ts)
        elif result.kind == "wait":
            await self._hold(row, result)
        elif result.kind == "ambiguous":
            # the row stays in `sending`; from its look_at on it is looked up
            async with self._work.begin() as tx:
                if row.ts or row.kind is OutboxKind.DELETE:
                    later = self._clock.now() + LOOKS[0]
                    await tx.outbox.settle(
                        row.id, row.attempt, OutboxState.QUEUED, result.code, later
                    )
        elif result.kind == "message_gone" and row.kind is OutboxKind.LINE and not row.error:
            async with self._work.begin() as tx:
                await tx.outbox.settle(row.id, row.attempt, OutboxState.QUEUED, result.code)
                await tx.outbox.forget_ts(row.id)
        else:
            await self._refused(row, result)

    async def _sent(self, row: OutboxRow, ts: tuple[str, ...]) -> None:
        async with self._work.begin() as tx:
            await tx.outbox.sent(row.id, row.attempt, row.revision, ts)
            await _release(tx, row)

    async def _end(self, row: OutboxRow, state: OutboxState, error: str) -> None:
        async with self._work.begin() as tx:
            await tx.outbox.settle(row.id, row.attempt, state, error)
            await _release(tx, row)

    async def _hold(self, row: OutboxRow, failure: SendFailure) -> None:
        """Slack says wait: hold the channel, or the method in the whole workspace; keep order."""
        until = self._clock.now() + timedelta(seconds=failure.retry_after_s)
        place = row.destination
        async with self._work.begin() as tx:
            if failure.per_channel:
                await tx.outbox.hold(place.team_id, place.channel_id, "", until)
            else:
                await tx.outbox.hold(place.team_id, "", _method(row), until)
            await tx.outbox.settle(row.id, row.attempt, OutboxState.QUEUED, failure.code)

    async def _refused(self, row: OutboxRow, failure: SendFailure) -> None:
        """Slack refused by name: end the row and tell those who can mend it."""
        place = row.destination
        if failure.kind == "token":
            async with self._work.begin() as tx:
                await tx.workspaces.stop(place.team_id, failure.code)
                await tx.outbox.settle(row.id, row.attempt, OutboxState.QUEUED, failure.code)
            return
        gone = failure.kind in ("thread_gone", "message_gone")
        state = OutboxState.CANCELLED if gone else OutboxState.FAILED
        async with self._work.begin() as tx:
            if not await tx.outbox.settle(row.id, row.attempt, state, failure.code):
                return
            if failure.kind in ("archived", "restricted"):
                await tx.workspaces.pause_channel(place.team_id, place.channel_id, failure.code)
            await _release(tx, row)
            if not gone:
                await self._tell(tx, row, failure)

    async def _tell(self, tx: Transaction, row: OutboxRow, failure: SendFailure) -> None:
        """The person who asked, and the admins, learn that something could not be shown."""
        if row.kind is not OutboxKind.POST or row.message_id is None:
            await self._tell_admins(tx, row, failure)
            return
        message = await tx.messages.get(row.message_id)
        if message is None:  # pragma: no cover - a foreign key forbids it
            return
        if message.role is MessageRole.QUESTION and message.referral_id is not None:
            await self._end_referral(tx, message.referral_id, failure)
        elif message.turn_id is not None:
            turn = await tx.turns.get(message.turn_id)
            if turn is not None and turn.asker_user_id:
                await self._tell_asker(tx, row, turn.asker_user_id, failure)
        await self._tell_admins(tx, row, failure)

    async def _end_referral(self, tx: Transaction, referral_id: int, failure: SendFailure) -> None:
        owed = await tx.referrals.get(referral_id)
        if owed is None:  # pragma: no cover - a foreign key forbids it
            return
        (asking,) = await tx.conversations.lock([owed.from_conversation_id])
        await end_unanswered(
            tx,
            asking=asking,
            referral=owed,
            state=ReferralState.FAILED,
            why=lines.send_fault(failure.kind),
        )

    async def _tell_asker(
        self, tx: Transaction, row: OutboxRow, user_id: str, failure: SendFailure
    ) -> None:
        """By direct message: the place itself has just refused a post."""
        body = lines.answer_not_shown(lines.send_fault(failure.kind), f"P{row.id}")
        await _say(tx, row.destination.team_id, user_id, body)

    async def _tell_admins(self, tx: Transaction, row: OutboxRow, failure: SendFailure) -> None:
        channel = self._policies.current().admin_channel
        place = row.destination
        if not channel or channel == place.channel_id:
            return
        body = lines.for_admins(
            place.channel_id, failure.code, failure.detail, lines.send_remedy(failure.kind)
        )
        await _say(tx, place.team_id, channel, body)


async def _say(tx: Transaction, team_id: str, channel_id: str, body: Body) -> None:
    await tx.outbox.add(NewOutbox(OutboxKind.LINE, Destination(team_id, channel_id), body))
    await tx.jobs.deliver(team_id, channel_id)


async def _release(tx: Transaction, row: OutboxRow) -> None:
    """Start the queues of rows that waited for this one's ts or end."""
    for team_id, channel_id in await tx.outbox.waiters(row.id):
        await tx.jobs.deliver(team_id, channel_id)


def _method(row: OutboxRow) -> str:
    if row.kind is OutboxKind.DELETE:
        return "chat.delete"
    if row.kind is OutboxKind.EPHEMERAL:
        return "chat.postEphemeral"
    return "chat.update" if row.ts else "chat.postMessage"


async def _prepared(tx: Transaction, row: OutboxRow, *, fresh: bool) -> _Head:
    """Resolve what the row names: its thread, the links it shows, the post it removes."""
    thread_ts = row.destination.thread_ts
    if row.thread_of is not None:
        root = await tx.outbox.get(row.thread_of)
        thread_ts = root.ts[0] if root is not None and root.ts else thread_ts
    target: tuple[str, ...] = ()
    if row.target_id is not None:
        removed = await tx.outbox.get(row.target_id)
        target = removed.ts if removed is not None else ()
    return _Head(await _linked(tx, row), fresh, thread_ts, target)


async def _linked(tx: Transaction, row: OutboxRow) -> OutboxRow:
    body = row.body
    if not body.quotes and not body.sources:
        return row
    workspace = await tx.workspaces.get(row.destination.team_id)
    url = workspace.url if workspace is not None else ""
    quotes = tuple([replace(quote, link=await _link(tx, quote.link, url)) for quote in body.quotes])
    sources = tuple(
        [replace(source, link=await _link(tx, source.link, url)) for source in body.sources]
    )
    return replace(row, body=replace(body, quotes=quotes, sources=sources))


async def _link(tx: Transaction, link: str, url: str) -> str:
    """A permalink built without a call; "" for a post that was never made."""
    if link.startswith("message:"):
        channel_id, _, ts = link.removeprefix("message:").partition("/")
        return permalink(url, channel_id, ts)
    if not link.startswith("outbox:"):
        return link
    post = await tx.outbox.get(int(link.removeprefix("outbox:")))
    if post is None or not post.ts:
        return ""
    return permalink(url, post.destination.channel_id, post.ts[0])


def permalink(url: str, channel_id: str, ts: str) -> str:
    """The address of a message in the workspace at `url`; "" when either is unknown."""
    if not url or not ts:
        return ""
    return f"{url.rstrip('/')}/archives/{channel_id}/p{ts.replace('.', '')}"
