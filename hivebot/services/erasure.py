"""What happens when somebody removes what they said? It goes everywhere it was copied to.

Source: datapath.md 3 and 7, product.md 10.
"""

from __future__ import annotations

from enum import StrEnum

from hivebot.services import lines
from hivebot.services.ports import (
    Clock,
    NewOutbox,
    Policies,
    StoreConflictError,
    Transaction,
    UnitOfWork,
)
from hivebot.services.records.arrivals import MessageDeleted
from hivebot.services.records.episodes import Wish
from hivebot.services.records.outgoing import OutboxKind, OutboxState
from hivebot.services.records.rows import (
    MessageRow,
    OutboxRow,
    ReferralState,
    TurnState,
)

CONFLICTS = 3
WITHDRAWN = "withdrawn"
"""Reason of a referral whose question its author has removed; `routing` brings nothing home."""


class Erased(StrEnum):
    """What a deletion came to; for the log line."""

    ERASED = "erased"
    TOMBSTONED = "tombstoned"
    DUPLICATE = "duplicate"


class Erasure:
    """Removes what its author has removed."""

    def __init__(self, work: UnitOfWork, policies: Policies, clock: Clock) -> None:
        self._work = work
        self._policies = policies
        self._clock = clock

    async def receive(self, arrival: MessageDeleted, payload: dict[str, object]) -> Erased:
        """Erase one message, or remember that it was deleted before it arrived.

        Raises:
            StoreUnavailableError: nothing was written; do not acknowledge.
            StoreConflictError: three times running.
        """
        for attempt in range(1, CONFLICTS + 1):
            try:
                async with self._work.begin() as tx:
                    return await self._receive(tx, arrival, payload)
            except StoreConflictError:
                if attempt == CONFLICTS:
                    raise
        raise AssertionError  # pragma: no cover - the loop returns or raises

    async def _receive(
        self, tx: Transaction, arrival: MessageDeleted, payload: dict[str, object]
    ) -> Erased:
        team_id = arrival.key.team_id
        if await tx.inbox.claim_event(arrival.key, payload) is None:
            return Erased.DUPLICATE
        rows = await tx.messages.find(team_id, arrival.channel_id, arrival.ts)
        if not rows:
            await tx.inbox.tombstone(team_id, arrival.channel_id, arrival.ts, self._clock.now())
            return Erased.TOMBSTONED
        family = await _family(tx, rows)
        await tx.conversations.lock(sorted({row.conversation_id for row in family}))
        for row in family:
            await self._stop_work(tx, row)
            await self._erase(tx, row)
        await tx.inbox.erase_payloads(team_id, arrival.channel_id, arrival.ts)
        return Erased.ERASED

    async def _stop_work(self, tx: Transaction, row: MessageRow) -> None:
        """Cancel the turns that serve a removed question and end its referrals."""
        for referral in await tx.referrals.for_question(row.id):
            if await tx.referrals.end(referral.id, ReferralState.REFUSED, WITHDRAWN) and (
                referral.status_id is not None
            ):
                await tx.outbox.revise(
                    referral.status_id, lines.question_removed(referral.reference)
                )
                await _defer(tx, await tx.outbox.get(referral.status_id))
        for episode in await tx.episodes.for_question(row.id):
            if await tx.episodes.wish(episode.id, Wish.STOP, "the question was removed"):
                await tx.jobs.route(episode.log_id)
        for turn in await tx.turns.for_message(row.id):
            if await tx.turns.close(turn.id, TurnState.CANCELLED, WITHDRAWN):
                await tx.jobs.route(turn.conversation_id)

    async def _erase(self, tx: Transaction, row: MessageRow) -> None:
        if row.deleted_at is None:
            await tx.messages.erase(row.id, self._clock.now())
        for post in await tx.outbox.for_message(row.id):
            await self._take_back(tx, post)

    async def _take_back(self, tx: Transaction, post: OutboxRow) -> None:
        """What we posted of it says that it was removed; what was not posted yet never is."""
        if post.ts:
            await tx.outbox.revise(post.id, lines.removed())
        elif post.state is OutboxState.QUEUED:
            await tx.outbox.settle(post.id, post.attempt, OutboxState.CANCELLED, WITHDRAWN)
            await tx.outbox.blank(post.id)
        else:
            await tx.outbox.blank(post.id)
            await tx.outbox.add(
                NewOutbox(OutboxKind.DELETE, post.destination, lines.removed(), target_id=post.id)
            )
        await _defer(tx, post)


async def _defer(tx: Transaction, post: OutboxRow | None) -> None:
    if post is not None:
        await tx.jobs.deliver(post.destination.team_id, post.destination.channel_id)


async def _family(tx: Transaction, rows: tuple[MessageRow, ...]) -> list[MessageRow]:
    """The rows and everything copied from them: thread roots, far questions, returned quotes."""
    family: dict[int, MessageRow] = {}
    for row in rows:
        family[row.id] = row
        for copy in await tx.messages.copies(row.id):
            family[copy.id] = copy
    return list(family.values())
