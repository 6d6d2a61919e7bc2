"""How much has been done in all, and how long does what waits wait? Totals of the stored rows.

They are the same whichever process asks. Nothing in them names a channel or a person.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import TextClause, text
from sqlalchemy.ext.asyncio import AsyncEngine

SPENT: Final = ("turns", "tokens", "usd_micros")
"""What a desk spends."""

_DESK: Final = "case when {0} like 'dm:%' then 'dm' else {0} end"
"""A direct message's desk is named for its person."""

_TURNS = text(
    f"select {_DESK.format('conversation.desk_id')}, turn.kind, turn.state, count(*)"  # noqa: S608
    " from turn join conversation on conversation.id = turn.conversation_id"
    " where turn.state in ('committed', 'failed', 'cancelled') group by 1, 2, 3"
)
_EPISODES = text("select desk_id, ending, count(*) from episode where ending <> '' group by 1, 2")
_REFERRALS = text(
    "select state, count(*) from referral where state not in ('asked', 'waiting') group by 1"
)
_GATES = text(
    """
    select desk_id, kind, state,
        case when by_proxy then 'proxy' when actor_user_id <> '' or act <> '' then 'person'
            else 'nobody' end, count(*)
    from gate where state <> 'open' group by 1, 2, 3, 4
    """
)
_OPEN_GATES = text(
    "select desk_id, count(*) filter (where state = 'open') from gate group by desk_id"
)
_UNPOSTED = text(
    "select state, count(*) from outbox where state in ('failed', 'unknown') group by 1"
)
_SPENT = text(
    f"select {_DESK.format('desk_id')}, sum(turns), sum(tokens), sum(usd_micros) from usage"  # noqa: S608
    " where day = to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD') group by 1"
)
_AGES = text(
    """
    select 'jobs', extract(epoch from clock_timestamp() - min(events.at))
        from procrastinate_jobs jobs
        join procrastinate_events events
            on events.job_id = jobs.id and events.type = 'deferred'
        where jobs.status = 'todo'
            and (jobs.scheduled_at is null or jobs.scheduled_at <= clock_timestamp())
    union all
    select 'posts', extract(epoch from clock_timestamp() - min(created_at))
        from outbox where state in ('queued', 'sending')
    union all
    select 'gates', extract(epoch from clock_timestamp() - min(created_at))
        from gate where state = 'open'
    union all
    select 'turns', extract(epoch from clock_timestamp() - min(created_at))
        from turn where state in ('waiting', 'authorised', 'running')
    """
)


@dataclass(frozen=True, slots=True)
class Totals:
    """Everything since the first day, and what waits now.

    Attributes:
        turns: (desk, kind, outcome) to turns closed.
        episodes: (desk, end) to deliberations ended.
        referrals: End to questions between desks.
        gates: (desk, kind, end, who: person, proxy or nobody) to gates ended.
        open_gates: Desk to gates that wait; 0 for one that has had any.
        unposted: "failed" (refused) and "unknown" (of unknown fate) to posts.
        spent: (desk, "turns", "tokens" or "usd_micros") to what was spent on this UTC day.
        oldest_s: Seconds the oldest of each queue has waited; 0 when nothing waits.
    """

    turns: dict[tuple[str, ...], int]
    episodes: dict[tuple[str, ...], int]
    referrals: dict[tuple[str, ...], int]
    gates: dict[tuple[str, ...], int]
    open_gates: dict[tuple[str, ...], int]
    unposted: dict[tuple[str, ...], int]
    spent: dict[tuple[str, ...], int]
    oldest_s: dict[str, float]


async def totals(engine: AsyncEngine) -> Totals:
    """Count everything in one look.

    Raises:
        OperationalError: the database is away.
    """
    async with engine.connect() as connection:

        async def counted(query: TextClause) -> dict[tuple[str, ...], int]:
            rows = (await connection.execute(query)).all()
            return {tuple(str(name) for name in row[:-1]): int(row[-1]) for row in rows}

        ages = (await connection.execute(_AGES)).all()
        spent = (await connection.execute(_SPENT)).all()
        return Totals(
            turns=await counted(_TURNS),
            episodes=await counted(_EPISODES),
            referrals=await counted(_REFERRALS),
            gates=await counted(_GATES),
            open_gates=await counted(_OPEN_GATES),
            unposted={("failed",): 0, ("unknown",): 0, **await counted(_UNPOSTED)},
            spent={
                (str(row[0]), what): int(used)
                for row in spent
                for what, used in zip(SPENT, row[1:], strict=True)
            },
            oldest_s={str(name): max(0.0, float(age or 0)) for name, age in ages},
        )
