"""How are messages stored that nothing is known of yet? All that wait, in a handful of statements.

Most of what arrives is such a message, and Slack waits for the answer; so these go past the mapper,
straight to the driver. What each step is for stands in datapath.md 1 and 2; the long way, one
message at a time, is in the use case.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, LiteralString, cast

import psycopg
from psycopg.types.json import Jsonb
from sqlalchemy.ext.asyncio import AsyncSession

from hivebot.adapters.db.codec import encode
from hivebot.adapters.db.tables.columns import storable_json
from hivebot.services.ports import NewArrival, StoreConflictError

Driver = psycopg.AsyncConnection[tuple[object, ...]]

_LOCK: Final[LiteralString] = """
select pg_advisory_xact_lock(hashed)
from (select distinct hashtextextended(name, 0) as hashed from unnest(%s::text[]) as name
    order by hashed) as ordered
"""

_PLACES: Final[LiteralString] = """
insert into conversation (team_id, channel_id, thread_ts, desk_id, audience)
select team_id, channel_id, '', desk_id, audience
from jsonb_to_recordset(%s) as place(team_id text, channel_id text, desk_id text, audience text)
order by team_id, channel_id
on conflict do nothing
"""

# In order of id, as everybody locks them. What comes after sees what was committed before.
_HOLD: Final[LiteralString] = """
with held as (
    select conversation.id, place.desk_id, place.audience
    from conversation
    join jsonb_to_recordset(%s)
        as place(team_id text, channel_id text, desk_id text, audience text)
        on place.team_id = conversation.team_id and place.channel_id = conversation.channel_id
    where thread_ts = '' and episode_no = 0
    order by conversation.id
    for update of conversation
)
update conversation set desk_id = held.desk_id, audience = held.audience
from held
where conversation.id = held.id
    and (conversation.desk_id, conversation.audience) <> (held.desk_id, held.audience)
"""

# Of news that is the same message, or the same event, only the first is taken here. What is known
# is looked up row by row, by the indexes: as joins, these would read whole tables for a few rows.
_TAKE: Final[LiteralString] = """
with given as (
    select * from jsonb_to_recordset(%(arrivals)s) as arrival(n bigint, event_team_id text,
        event_id text, enterprise_id text, event_time bigint, about jsonb, payload jsonb,
        team_id text, channel_id text, ts text, role text, author jsonb, user_id text,
        user_team_id text, content text, addressed boolean, wakes boolean, judged boolean,
        files jsonb)
), new as (
    select distinct on (team_id, channel_id, ts) * from given
    where (select true from inbox_event as seen
            where seen.team_id = event_team_id and seen.event_id = given.event_id limit 1) is null
        and (select true from inbox_message as taken where taken.team_id = given.team_id
            and taken.channel_id = given.channel_id and taken.ts = given.ts limit 1) is null
        and (select true from tombstone as gone where gone.team_id = given.team_id
            and gone.channel_id = given.channel_id and gone.ts = given.ts limit 1) is null
        and (select true from pending_revision as edit where edit.team_id = given.team_id
            and edit.channel_id = given.channel_id and edit.ts = given.ts limit 1) is null
        and (select true from message join conversation as place
            on place.id = message.conversation_id where message.ts = given.ts
            and place.team_id = given.team_id and place.channel_id = given.channel_id
            limit 1) is null
    order by team_id, channel_id, ts, n
), event as (
    insert into inbox_event
        (team_id, event_id, enterprise_id, event_time, about, payload, received_at)
    select event_team_id, event_id, enterprise_id, event_time,
        array(select jsonb_array_elements_text(about)), payload, %(now)s
    from new order by n
), taken as (
    insert into inbox_message (team_id, channel_id, ts, taken_at)
    select team_id, channel_id, ts, %(now)s from new order by n
), numbered as (
    select new.*, place.id as place_id,
        place.last_seq + row_number() over (partition by place.id order by new.n) as seq
    from new join conversation as place on place.team_id = new.team_id
        and place.channel_id = new.channel_id and place.thread_ts = '' and place.episode_no = 0
), moved as (
    update conversation set last_seq = last_seq + grown.rows
    from (select place_id, count(*) as rows from numbered group by place_id) as grown
    where conversation.id = grown.place_id
), stored as (
    insert into message (conversation_id, seq, role, author, ts, user_id, user_team_id, content,
        addressed, wakes, judged, files, created_at)
    select place_id, seq, role, author, ts, user_id, user_team_id, content,
        addressed, wakes, judged, files, %(now)s
    from numbered order by n
)
select n, place_id from numbered
"""


async def take(
    session: AsyncSession, arrivals: Sequence[NewArrival], about: Sequence[list[str]], now: datetime
) -> tuple[int | None, ...]:
    """As the port says.

    Args:
        session: In whose transaction.
        arrivals: What came.
        about: For each, the ts of every message its event is about or quotes.
        now: When it is stored.

    Raises:
        StoreConflictError: one of them is being taken elsewhere at this moment.
    """
    driver = await _driver(session)
    names = [message_lock(one.team_id, one.channel_id, one.message.ts) for one in arrivals]
    await driver.execute(_LOCK, (names,))
    places = Jsonb(_places(arrivals))
    await driver.execute(_PLACES, (places,))
    await driver.execute(_HOLD, (places,))
    given = [
        _given(number, one, stamps)
        for number, (one, stamps) in enumerate(zip(arrivals, about, strict=True))
    ]
    try:
        answer = await driver.execute(_TAKE, {"arrivals": Jsonb(given), "now": now})
    except psycopg.errors.UniqueViolation as exc:
        # an event that came under two names at once, or a key nobody locks for
        raise StoreConflictError("taken elsewhere") from exc
    stored = dict(cast("list[tuple[int, int]]", await answer.fetchall()))
    return tuple(stored.get(number) for number in range(len(arrivals)))


def message_lock(team_id: str, channel_id: str, ts: str) -> str:
    """Name of the lock that all news of one message take."""
    return f"message:{team_id}:{channel_id}:{ts}"


def _places(arrivals: Sequence[NewArrival]) -> object:
    """Each channel once, as the latest of its messages has it."""
    found = {
        (one.team_id, one.channel_id): {
            "team_id": one.team_id,
            "channel_id": one.channel_id,
            "desk_id": one.desk_id,
            "audience": one.audience.value,
        }
        for one in arrivals
    }
    return storable_json(list(found.values()))


def _given(number: int, new: NewArrival, about: list[str]) -> object:
    key, message = new.key, new.message
    return storable_json(
        {
            "n": number,
            "event_team_id": key.team_id,
            "event_id": key.event_id,
            "enterprise_id": key.enterprise_id,
            "event_time": key.event_time,
            "about": about,
            "payload": new.payload,
            "team_id": new.team_id,
            "channel_id": new.channel_id,
            "ts": message.ts,
            "role": message.role.value,
            "author": encode(message.author),
            "user_id": message.user_id,
            "user_team_id": message.user_team_id,
            "content": message.content,
            "addressed": message.addressed,
            "wakes": message.wakes,
            "judged": message.judged,
            "files": list(message.files),
        }
    )


async def _driver(session: AsyncSession) -> Driver:
    raw = await (await session.connection()).get_raw_connection()
    return cast("Driver", raw.driver_connection)
