"""What waits, since when and behind what? Statements over all queues, for an operator."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Final, Literal, cast

from sqlalchemy import text

from hivebot.adapters.db.codec import encode
from hivebot.adapters.db.repositories.base import Repository
from hivebot.services.ports.operating import (
    Held,
    Overview,
    ReferralCount,
    Unposted,
    WaitingItem,
    WaitingKind,
)
from hivebot.services.records.outgoing import Body

# Of a channel's queue the head says behind what all of it waits; a held workspace goes before a
# paused channel, that before what Slack has asked for.
_POSTS: Final = text(
    """
    select channel_id, count(*), min(created_at), coalesce(
        (select 'the workspace is stopped: ' || reason from workspace
            where workspace.team_id = outbox.team_id and state <> 'active' limit 1),
        (select case channel_id when '' then 'everything is paused: ' else 'paused: ' end || reason
            from pause where pause.team_id = outbox.team_id
            and pause.channel_id in ('', outbox.channel_id) order by channel_id limit 1),
        (select 'Slack says wait until ' || to_char(until at time zone 'utc', 'HH24:MI:SS "UTC"')
            from hold where hold.team_id = outbox.team_id and until > :now
            and hold.channel_id in ('', outbox.channel_id) order by until desc limit 1),
        case when bool_or(state = 'sending') then 'a post whose answer was lost is looked for' end,
        case when min(not_before) > :now then 'an edit that is wanted later' end,
        case when bool_and(thread_of is not null or cardinality(needs) > 0)
            then 'posts elsewhere that it links to' end,
        '')
    from outbox where state in ('queued', 'sending')
    group by team_id, channel_id order by 3
    """
)
_OTHERS: Final = text(
    """
    select 'turn', place.desk_id, count(*), min(turn.touched_at),
        case turn.state when 'waiting' then 'another turn of its conversation'
            when 'running' then 'its model, attempt ' || max(attempt) else '' end
    from turn join conversation as place on place.id = turn.conversation_id
    where turn.state in ('waiting', 'authorised', 'running')
    group by place.desk_id, turn.state
    union all
    select 'gate', desk_id, count(*), min(created_at), 'a steward, at the latest until '
            || to_char(max(expires_at) at time zone 'utc', 'YYYY-MM-DD HH24:MI "UTC"')
    from gate where state = 'open' group by desk_id
    union all
    select 'referral', from_desk_id, count(*), min(created_at), 'the answer of ' || to_desk_id
    from referral where state in ('waiting', 'asked') group by from_desk_id, to_desk_id
    union all
    select 'deliberation', desk_id, count(*), min(created_at),
        'its end, at the latest '
            || to_char(max(deadline_at) at time zone 'utc', 'HH24:MI:SS "UTC"')
    from episode where stage <> 'ended' group by desk_id
    union all
    select 'jobs', task_name, count(*), coalesce(min(event.at), now()),
        case when bool_or(status = 'doing') then 'a worker has it' else 'a worker' end
    from procrastinate_jobs as job left join procrastinate_events as event
        on event.job_id = job.id and event.type = 'deferred'
    where status in ('todo', 'doing') and coalesce(scheduled_at, now()) <= now() group by task_name
    order by 4
    """
)
_HELD: Final = text(
    """
    select team_id, '', reason, cast(null as timestamptz) from workspace where state <> 'active'
    union all select team_id, channel_id, reason, null from pause
    union all select team_id, channel_id,
        case method when '' then 'Slack says wait' else 'Slack limits ' || method end, until
    from hold where until > :now
    order by 1, 2, 3
    """
)
_UNPOSTED: Final = text(
    """
    select id, state, channel_id, error, created_at from outbox
    where state in ('failed', 'unknown') order by id desc limit :most
    """
)
_REFERRALS: Final = text(
    """
    select from_desk_id, to_desk_id, count(*),
        count(*) filter (where state in ('refused', 'failed', 'expired'))
    from referral where created_at > :since group by 1, 2 order by 1, 2
    """
)
_RETRY: Final = text(
    """
    update outbox set lookups = 0, error = '', not_before = null,
        state = case state when 'failed' then 'queued' else 'sending' end
    where id = :id and state in ('failed', 'unknown') and body <> cast(:blank as jsonb)
    returning team_id, channel_id
    """
)
_DROP: Final = text(
    """
    update outbox set state = 'cancelled', error = 'dropped by an operator'
    where id = :id and state = 'queued' and cardinality(ts) = 0
    returning team_id, channel_id
    """
)
_BLANK: Final = json.dumps(encode(Body(text="")))

UNPOSTED_MAX: Final = 200
COUNTED: Final = timedelta(days=30)


class OperatingRepository(Repository):
    """Looks at all queues, and lets single posts go on."""

    async def overview(self, now: datetime) -> Overview:
        """Everything there is, the oldest of each kind first."""
        posts = await self._session.execute(_POSTS, {"now": now})
        others = await self._session.execute(_OTHERS)
        held = await self._session.execute(_HELD, {"now": now})
        unposted = await self._session.execute(_UNPOSTED, {"most": UNPOSTED_MAX})
        return Overview(
            waiting=(
                *(WaitingItem("posts", *row) for row in posts.all()),
                *(WaitingItem(cast("WaitingKind", row[0]), *row[1:]) for row in others.all()),
            ),
            held=tuple(Held(*row) for row in held.all()),
            unposted=tuple(
                Unposted(row[0], cast("Literal['failed', 'unknown']", row[1]), *row[2:])
                for row in unposted.all()
            ),
        )

    async def referrals(self) -> tuple[ReferralCount, ...]:
        """How many questions went between each two desks in the last 30 days, by their ids."""
        rows = await self._session.execute(_REFERRALS, {"since": self._now() - COUNTED})
        return tuple(ReferralCount(*row) for row in rows.all())

    async def teams(self) -> tuple[str, ...]:
        """Workspaces the app is installed in."""
        rows = await self._session.execute(text("select team_id from workspace order by 1"))
        return tuple(str(row[0]) for row in rows.all())

    async def queues(self) -> tuple[tuple[str, str], ...]:
        """(team, channel) of everything that is not sent yet, held or not."""
        rows = await self._session.execute(
            text(
                "select distinct team_id, channel_id from outbox"
                " where state in ('queued', 'sending') order by 1, 2"
            )
        )
        return tuple((str(row[0]), str(row[1])) for row in rows.all())

    async def retry(self, outbox_id: int) -> tuple[str, str] | None:
        """Send a failed post again; look for an unknown one first. Its (team, channel)."""
        rows = await self._session.execute(_RETRY, {"id": outbox_id, "blank": _BLANK})
        row = rows.one_or_none()
        return None if row is None else (str(row[0]), str(row[1]))

    async def drop(self, outbox_id: int) -> tuple[str, str] | None:
        """Give a post up that waits and was never posted; its (team, channel)."""
        rows = await self._session.execute(_DROP, {"id": outbox_id})
        row = rows.one_or_none()
        return None if row is None else (str(row[0]), str(row[1]))
