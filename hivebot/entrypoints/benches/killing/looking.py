"""What stands in Slack and in the rows, once all is done? Read, and put into values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.entrypoints.benches.killing.plan import Question
from hivebot.sandbox.client import SandboxClient
from hivebot.sandbox.shapes import Json, as_map, as_maps, as_text
from hivebot.services.audit import Audit, Compared

_STATES = text(
    """
    select 'turn', state, count(*) from turn group by state
    union all select 'post', state, count(*) from outbox group by state
    union all select 'referral', state, count(*) from referral group by state
    union all select 'decision', stage, count(*) from episode group by stage
    -- a delivery that fails has left its work to a successor
    union all select 'job', case when task_name = 'deliver' and status = 'failed'
        then 'succeeded' else status::text end, count(*) from procrastinate_jobs group by 2
    """
)
_GAPS = text(
    """
    select conversation.id from conversation left join message
        on message.conversation_id = conversation.id
    group by conversation.id, last_seq
    having last_seq <> count(message.id) or last_seq <> coalesce(max(seq), 0)
        or coalesce(min(seq), 1) <> 1
    order by conversation.id
    """
)
_SPOKEN_TWICE = text(
    "select turn_id from message where turn_id is not null and copy_of is null"
    " and role = 'speech' group by turn_id, conversation_id having count(*) > 1"
)


@dataclass(frozen=True, slots=True)
class Thread:
    """What the bot has posted under a question; each text once for each time it stands there."""

    question: Question
    ts: str
    said: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """Everything that is looked at.

    Attributes:
        threads: One for each question.
        doubled: Posts of which the same part stands in Slack more than once.
        states: How many turns, posts, referrals, decisions and jobs are in which state.
        gaps: Conversations whose numbers are not 1, 2, 3 …
        spoken_twice: Turns with more than one row.
        replays: How many deliberations came out how when they were taken again.
        given_up: The ts of messages that Slack gave up on after four tries.
        unheard: Events that something else than what was down kept from being acknowledged, by id.
    """

    threads: Sequence[Thread]
    doubled: Sequence[str]
    states: Mapping[tuple[str, str], int]
    gaps: Sequence[int]
    spoken_twice: Sequence[int]
    replays: Mapping[Compared, int]
    given_up: frozenset[str]
    unheard: Sequence[str]


async def look(
    people: SandboxClient, engine: AsyncEngine, audit: Audit, asked: Sequence[tuple[Question, str]]
) -> Found:
    """Look at everything.

    Args:
        people: Of the workspace.
        engine: On the bot's database.
        audit: Takes deliberations again.
        asked: The questions with the ts of their messages.
    """
    posts: list[Json] = []
    threads: list[Thread] = []
    for question, ts in asked:
        rows = await people.messages(question.channel, ts)
        own = [row for row in rows if row["own"]]
        posts += own
        threads.append(Thread(question, ts, tuple(as_text(row["plain"]) for row in own)))
    for channel in as_channels(await people.describe()):
        posts += [row for row in await people.messages(channel) if row["own"]]
    events = await people.events(own=False)
    async with engine.connect() as connection:
        states = (await connection.execute(_STATES)).all()
        gaps = (await connection.execute(_GAPS)).scalars().all()
        twice = (await connection.execute(_SPOKEN_TWICE)).scalars().all()
        decided = (await connection.execute(text("select id from episode"))).scalars().all()
    replays = [await audit.replay(episode_id) for episode_id in decided]
    return Found(
        threads=threads,
        doubled=doubled(posts),
        states={(str(what), str(state)): int(count) for what, state, count in states},
        gaps=[int(one) for one in gaps],
        spoken_twice=[int(one) for one in twice],
        replays=Counter(one.verdict for one in replays if one is not None),
        given_up=given_up(events),
        unheard=unheard(events),
    )


def given_up(events: Sequence[Json]) -> frozenset[str]:
    """The ts of messages of which no event was acknowledged."""
    heard = {as_text(event["ts"]) for event in events if event["state"] == "acknowledged"}
    return frozenset(as_text(event["ts"]) for event in events) - heard


def unheard(events: Sequence[Json]) -> list[str]:
    """Ids of events with a try that met neither a killed web process nor a database that is away.

    Slack tries four times. Each may meet something that was just killed; anything else is a fault.
    """
    return [
        as_text(event["event_id"])
        for event in events
        if event["state"] != "acknowledged"
        and any(
            one["status"] not in _DOWN or one["reason"] == "http_timeout"
            for one in as_maps(event["attempts"])
        )
    ]


_DOWN = (0, 503)
"""How a try ends that met no process, and one that met a process without its database."""


def as_channels(described: Json) -> list[str]:
    """Ids of the channels in which people could have seen the bot."""
    return [as_text(row.get("id")) for row in as_maps(described.get("channels"))]


def doubled(posts: Sequence[Json]) -> list[str]:
    """Parts of outbox rows that stand more than once, by row and part.

    A broadcast stands in two places under one ts, and is one post.
    """
    standing: dict[str, set[str]] = {}
    for post in posts:
        payload = as_map(as_map(post.get("metadata")).get("event_payload"))
        if payload:
            name = ", ".join(f"{key} {payload[key]}" for key in sorted(payload))
            standing.setdefault(name, set()).add(as_text(post["ts"]))
    return sorted(name for name, stamps in standing.items() if len(stamps) > 1)
