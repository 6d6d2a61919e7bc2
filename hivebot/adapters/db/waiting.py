"""Is anything still to be done? Counts of what waits, for the demo, metrics and operators."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

_COUNTS = text(
    """
    select
        (select count(*) from procrastinate_jobs where status in ('todo', 'doing')),
        (select count(*) from turn where state in ('waiting', 'authorised', 'running')),
        (select count(*) from outbox where state in ('queued', 'sending')),
        (select count(*) from referral where state in ('asked', 'waiting')),
        (select count(*) from message)
    """
)


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits now: jobs of the queue, turns to be spoken, posts, questions on their way.

    Attributes:
        rows: Transcript rows there are, whatever waits.
    """

    jobs: int
    turns: int
    posts: int
    referrals: int
    rows: int

    @property
    def nothing(self) -> bool:
        """Whether all is done."""
        return not (self.jobs or self.turns or self.posts or self.referrals)


async def waiting(engine: AsyncEngine) -> Waiting:
    """Count what waits, in one look."""
    async with engine.connect() as connection:
        counts = (await connection.execute(_COUNTS)).one()
    return Waiting(*(int(count) for count in counts))
