"""How does a wanted message reach Slack exactly once, in order, whatever happens on the way?

A row is marked `sending` and committed before Slack is called. A row found in `sending` is looked
up first: by our own event, then in the channel's history. Source: datapath.md 4, product.md 10.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from hivebot.services.delivery.preparing import Head, prepared
from hivebot.services.delivery.refusing import leave, refuse, release
from hivebot.services.naming import with_names
from hivebot.services.ports import Clock, Directory, Policies, Poster, Transaction, UnitOfWork
from hivebot.services.records.outgoing import (
    OutboxKind,
    OutboxState,
    Posted,
    SendFailure,
    SendResult,
)
from hivebot.services.records.rows import OutboxRow
from hivebot.services.retrying import transact

LOOKS = (timedelta(seconds=3), timedelta(seconds=15))
"""How long after a lost answer the channel is looked through, and how long after a miss again."""

LOOKUPS_MAX = 6
"""Looks of one row, two for each time it was sent, before it is left as `unknown`."""

LOOK_BACK = timedelta(seconds=60)
BATCH = 200
"""Rows one run sends before it hands the channel back to the queue."""

_EDITABLE = (OutboxKind.LINE, OutboxKind.POST)


class Delivery:
    """Sends one channel's queue."""

    def __init__(
        self,
        work: UnitOfWork,
        policies: Policies,
        poster: Poster,
        directory: Directory,
        clock: Clock,
    ) -> None:
        self._work = work
        self._directory = directory
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

    async def _head(self, team_id: str, channel_id: str) -> Head | None:
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
            head = await prepared(tx, row, fresh=fresh)
        body = await with_names(head.row.body, head.row.destination, self._directory)
        return replace(head, row=replace(head.row, body=body))

    async def _one(self, head: Head) -> None:
        row = head.row
        repeatable = row.kind is OutboxKind.DELETE or bool(row.ts)
        if head.fresh or repeatable:
            await self._settle(row, await self._send(head), row.revision)
        elif row.kind is OutboxKind.EPHEMERAL:
            await self._end(row, OutboxState.UNKNOWN, "sent at most once")
        else:
            await self._look_up(head)

    async def _send(self, head: Head) -> SendResult:
        row = head.row
        if row.kind is OutboxKind.DELETE:
            return await self._poster.delete(row.destination, head.target)
        if row.ts and row.kind in _EDITABLE:
            return await self._poster.edit(row, row.ts)
        return await self._poster.post(row, head.thread_ts)

    async def _look_up(self, head: Head) -> None:
        """Find out whether a row whose answer was lost is there.

        1. Our own events have told of every part.
        2. The channel's history, which knows of more or fewer.
        3. Nothing: look once more, then send it again.
        """
        row = head.row
        parts = self._poster.parts(row)
        found = _without_gap(row.seen)
        if len(found) < parts:
            since = (row.sending_at or row.created_at) - LOOK_BACK
            looked = await self._poster.lookup(row, head.thread_ts, since)
            if isinstance(looked, SendFailure):
                await self._not_looked_up(row, looked)
                return
            found = max(found, looked or (), key=len)
        if not found:
            await self._missed(row)
            return
        result: SendResult = Posted(found)
        if len(found) < parts:
            result = await self._poster.post(row, head.thread_ts, found)
        # what stands there may be an older text: unless there was only one, it is edited
        await self._settle(row, result, 1 if row.revision == 1 else 0)

    async def _missed(self, row: OutboxRow) -> None:
        if row.lookups + 1 >= LOOKUPS_MAX:
            await self._unknown(row, "no trace of it after several tries")
            return
        second = row.lookups % len(LOOKS) + 1 == len(LOOKS)
        now = self._clock.now()
        async with self._work.begin() as tx:
            await tx.outbox.looked(row.id, now if second else now + LOOKS[1])
            if second:
                await tx.outbox.settle(row.id, row.attempt, OutboxState.QUEUED, "not found")

    async def _not_looked_up(self, row: OutboxRow, failure: SendFailure) -> None:
        """The look failed: it counts for nothing, and is repeated unless Slack refuses it."""
        wait = LOOKS[1]
        if failure.kind == "wait":
            wait = timedelta(seconds=failure.retry_after_s)
        elif failure.kind == "token":
            await self._stop_workspace(row, failure)
        elif failure.kind != "ambiguous":
            await self._unknown(row, failure.code)
            return
        async with self._work.begin() as tx:
            later = self._clock.now() + wait
            await tx.outbox.settle(row.id, row.attempt, OutboxState.SENDING, failure.code, later)

    async def _settle(self, row: OutboxRow, result: SendResult, shows: int) -> None:
        """Record how a try ended; `shows` is the revision that now stands in Slack, if any does."""
        if isinstance(result, Posted):
            await self._sent(row, result.ts, shows)
        elif result.kind == "wait":
            await self._hold(row, result)
        elif result.kind == "ambiguous":
            await self._lost(row, result)
        elif result.kind == "token":
            await self._stop_workspace(row, result)
            async with self._work.begin() as tx:
                await tx.outbox.settle(row.id, row.attempt, OutboxState.QUEUED, result.code)
        elif result.kind == "message_gone" and row.kind is OutboxKind.LINE:
            async with self._work.begin() as tx:
                if await tx.outbox.settle(row.id, row.attempt, OutboxState.QUEUED, result.code):
                    await tx.outbox.forget_ts(row.id)
        else:
            await transact(self._work, lambda tx: refuse(tx, row, result, self._admin_channel()))

    async def _sent(self, row: OutboxRow, ts: tuple[str, ...], shows: int) -> None:
        async def record(tx: Transaction) -> None:
            await tx.outbox.sent(row.id, row.attempt, shows, ts)
            await release(tx, row)

        await transact(self._work, record)

    async def _end(self, row: OutboxRow, state: OutboxState, error: str) -> None:
        async with self._work.begin() as tx:
            await tx.outbox.settle(row.id, row.attempt, state, error)
            await release(tx, row)

    async def _unknown(self, row: OutboxRow, error: str) -> None:
        """Nobody can say whether it went through; it is not tried again, and that is told."""
        await transact(self._work, lambda tx: leave(tx, row, error, self._admin_channel()))

    async def _lost(self, row: OutboxRow, failure: SendFailure) -> None:
        """No answer. A post is looked up after a while; edits and deletions are repeated then."""
        now = self._clock.now()
        if not row.ts and row.kind is not OutboxKind.DELETE:
            async with self._work.begin() as tx:
                later = now + LOOKS[0]
                state = OutboxState.SENDING
                await tx.outbox.settle(row.id, row.attempt, state, failure.code, later)
        elif row.lookups + 1 >= LOOKUPS_MAX:
            await self._unknown(row, failure.code)
        else:
            async with self._work.begin() as tx:
                later = now + LOOKS[min(row.lookups, len(LOOKS) - 1)]
                await tx.outbox.looked(row.id, later)
                await tx.outbox.settle(row.id, row.attempt, OutboxState.QUEUED, failure.code, later)

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

    async def _stop_workspace(self, row: OutboxRow, failure: SendFailure) -> None:
        """The token is dead: nothing of this workspace is sent until it is installed again."""
        async with self._work.begin() as tx:
            await tx.workspaces.stop(row.destination.team_id, failure.code)

    def _admin_channel(self) -> str:
        return self._policies.current().admin_channel


def _without_gap(seen: tuple[tuple[int, str], ...]) -> tuple[str, ...]:
    """The ts of parts 0, 1, … as far as our own events have told of all of them."""
    found: list[str] = []
    for part, ts in sorted(dict(seen).items()):
        if part != len(found):
            break
        found.append(ts)
    return tuple(found)


def _method(row: OutboxRow) -> str:
    if row.kind is OutboxKind.DELETE:
        return "chat.delete"
    if row.kind is OutboxKind.EPHEMERAL:
        return "chat.postEphemeral"
    return "chat.update" if row.ts else "chat.postMessage"


__all__ = ["Delivery"]
