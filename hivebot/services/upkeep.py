"""What is due? Overdue questions, forgotten turns, waiting queues and old texts.

Every timer is a due date in a row; this only looks at the rows. Two clocks or a missed hour cost
nothing. Source: datapath.md 3 to 5, product.md 12.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from hivebot.services import lines
from hivebot.services.endings import end_unanswered, retell
from hivebot.services.ports import (
    Clock,
    Policies,
    PortError,
    StoreUnavailableError,
    Transaction,
    UnitOfWork,
)
from hivebot.services.records.rows import ReferralRow, ReferralState, TurnState
from hivebot.services.retrying import transact

STALE_TURN = timedelta(minutes=5)
"""How long an open turn may lie untouched before its job is deferred again."""

_OPEN = (ReferralState.WAITING, ReferralState.ASKED)


@dataclass(frozen=True, slots=True)
class Swept:
    """What one look found: counts, for the log line."""

    expired: int
    episodes: int
    nudged: int
    revived: int
    queues: int
    purged: int


class _Look:
    """One look, which goes on past what cannot be dealt with.

    Attributes:
        failed: The first failure; a database that is away ends the look instead.
    """

    def __init__(self, work: UnitOfWork) -> None:
        self.failed: PortError | None = None
        self._work = work

    async def one(self, use: Callable[[Transaction], Awaitable[bool]]) -> int:
        """Deal with one row in its own transaction; how many rows that were."""
        return await self.part(transact(self._work, use))

    async def part(self, counted: Awaitable[int]) -> int:
        """Deal with a part; 0 when it failed."""
        try:
            return int(await counted)
        except StoreUnavailableError:
            raise
        except PortError as error:
            self.failed = self.failed or error
            return 0


class Upkeep:
    """Looks for what is due."""

    def __init__(self, work: UnitOfWork, policies: Policies, clock: Clock) -> None:
        self._work = work
        self._policies = policies
        self._clock = clock

    async def run(self) -> Swept:
        """One look at everything that can be due.

        What cannot be dealt with keeps nothing else from being looked at; it is found again.

        Raises:
            StoreUnavailableError: the next look finds the same rows.
            PortError: something could not be dealt with; everything else was.
        """
        look = _Look(self._work)
        expired, nudged = await self._referrals(look)
        swept = Swept(
            expired=expired,
            episodes=await look.part(self._episodes()),
            nudged=nudged,
            revived=await look.part(self._turns()),
            queues=await look.part(self._queues()),
            purged=await look.part(self._purge()),
        )
        if look.failed is not None:
            raise look.failed
        return swept

    async def _referrals(self, look: _Look) -> tuple[int, int]:
        now = self._clock.now()
        async with self._work.begin() as tx:
            due = await tx.referrals.due(now)
        expired = nudged = 0
        for referral in due:
            if referral.ends_at <= now:
                expired += await look.one(partial(_expire, referral=referral))
            else:
                nudged += await look.one(partial(_nudge, referral=referral))
        return expired, nudged

    async def _episodes(self) -> int:
        """Deliberations past their consulting time or their deadline take their next step."""
        async with self._work.begin() as tx:
            due = await tx.episodes.due(self._clock.now())
            for episode in due:
                await tx.jobs.route(episode.log_id)
            return len(due)

    async def _turns(self) -> int:
        """Give open turns that nobody has touched a new job; the claim keeps them single."""
        async with self._work.begin() as tx:
            stale = await tx.turns.stale(self._clock.now() - STALE_TURN)
            revived = [turn for turn in stale if turn.state is not TurnState.HELD]
            for turn in revived:
                await tx.turns.touch(turn.id)
                await tx.jobs.speak(turn.id, turn.conversation_id)
            return len(revived)

    async def _queues(self) -> int:
        async with self._work.begin() as tx:
            waiting = await tx.outbox.channels_waiting(self._clock.now())
            for team_id, channel_id in waiting:
                await tx.jobs.deliver(team_id, channel_id)
            return len(waiting)

    async def _purge(self) -> int:
        """Blank what has been kept as long as the configuration says."""
        kept = self._policies.current().retention
        now = self._clock.now()
        async with self._work.begin() as tx:
            events = await tx.inbox.purge(now - timedelta(days=kept.inbox_days))
            posts = await tx.outbox.purge(now - timedelta(days=kept.outbox_days))
            return events + posts


async def _expire(tx: Transaction, *, referral: ReferralRow) -> bool:
    (asking,) = await tx.conversations.lock([referral.from_conversation_id])
    waited_s = int((referral.ends_at - referral.created_at).total_seconds())
    return await end_unanswered(
        tx,
        asking=asking,
        referral=referral,
        state=ReferralState.EXPIRED,
        why=f"no answer within {waited_s} s",
    )


async def _nudge(tx: Transaction, *, referral: ReferralRow) -> bool:
    """Say that no answer has come yet, unless one has come, or it was said, meanwhile."""
    now = await tx.referrals.lock(referral.id)
    if now.nudged or now.state not in _OPEN:
        return False
    await tx.referrals.nudge(now.id)
    if now.status_id is None:
        return False
    waited_s = int((now.answer_due_at - now.created_at).total_seconds())
    line = await retell(
        tx, now.status_id, lines.no_answer_yet(now.to_desk_id, waited_s, now.reference)
    )
    await tx.jobs.deliver(line.destination.team_id, line.destination.channel_id)
    return True
