"""Is the database as it should be, and does work go on in it? Schema, clock, queue, events."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.db import migrate
from hivebot.adapters.db.engine import DatabaseUrl
from hivebot.entrypoints.doctor.finding import Checked, fail, ok, warn
from hivebot.telemetry import redact

SKEW_WARN: Final = timedelta(seconds=5)
SKEW_FAIL: Final = timedelta(minutes=4)
"""Slack's signatures are refused from five minutes on."""

BEAT_WITHIN: Final = timedelta(seconds=60)
OLD_JOB: Final = timedelta(minutes=2)

GATES_SEEN: Final = 20
"""So many of the newest gates that have asked a memory are looked at."""

_FACTS = text(
    """
    select
        clock_timestamp(),
        (select extversion from pg_extension where extname = 'vector'),
        (select max(last_heartbeat) from procrastinate_workers),
        (select min(coalesce(jobs.scheduled_at, events.at))
            from procrastinate_jobs jobs
            join procrastinate_events events
                on events.job_id = jobs.id and events.type = 'deferred'
            where jobs.status = 'todo'),
        (select max(received_at) from inbox_event),
        (select count(*) from outbox where state = 'failed' or state = 'unknown'),
        (select count(*) filter (where found = 0) from (
            select max(survivors) as found from recall where gate_id is not null
            group by gate_id having max(candidates) > 0
            order by gate_id desc limit :gates) as newest)
    """
).bindparams(gates=GATES_SEEN)


@dataclass(frozen=True, slots=True)
class Facts:
    """What the database says of itself.

    Attributes:
        now: Its clock.
        vector: Version of the extension, None when it is missing.
        beat: Last sign of life of any worker.
        oldest: Since when the longest waiting job waits.
        event: When the last event came.
        unposted: Posts that failed, or of unknown fate.
        empty_handed: Of the newest gates that had memories to find, those that found none.
    """

    now: datetime
    vector: str | None
    beat: datetime | None
    oldest: datetime | None
    event: datetime | None
    unposted: int
    empty_handed: int = 0


async def schema(place: DatabaseUrl) -> Checked:
    """Whether the database can be reached, and has the tables of this version."""
    try:
        revision = await asyncio.to_thread(migrate.current, place.direct_url)
    except OperationalError as error:
        said = str(error.orig).splitlines()[0] if error.orig else "no answer"
        remedy = "start it, or correct DATABASE_URL"
        return fail("database", f"it cannot be reached: {redact(said)}", remedy)
    if revision not in migrate.heads():
        said = f"its schema is {revision or 'empty'}, this version wants {migrate.heads()[0]}"
        return fail("database", said, "run `hivebot db upgrade`")
    return ok("database", f"schema {revision}")


async def facts(engine: AsyncEngine) -> Facts:
    """Ask for everything at once. The schema must be in place."""
    async with engine.connect() as connection:
        row = (await connection.execute(_FACTS)).one()
    return Facts(row[0], row[1], row[2], row[3], row[4], int(row[5]), int(row[6]))


def judged(found: Facts, here: datetime) -> Iterator[Checked]:
    """What those facts mean.

    Args:
        found: What the database says.
        here: What this machine's clock says.
    """
    if found.vector is None:
        yield fail("extension", "pgvector is missing", "install it; `hivebot db upgrade` adds it")
    else:
        yield ok("extension", f"pgvector {found.vector}")
    yield _clock(abs(found.now - here))
    yield _workers(found)
    yield _queue(found)
    if found.event is None:
        remedy = "mention the bot in a desk's channel; check the app's event subscriptions"
        yield warn("events", "none has ever come from Slack", remedy)
    else:
        yield ok("events", f"the last came {_ago(found.now - found.event)} ago")
    if found.unposted:
        said = f"{found.unposted} could not be posted, or nobody knows"
        yield warn("posts", said, "see `hivebot queue`")
    if 2 * found.empty_handed >= GATES_SEEN:
        said = f"{found.empty_handed} of the last {GATES_SEEN} gates found no memory"
        yield warn("gates", said, "see `hivebot memory calibrate DESK` for a lower threshold")


def _clock(skew: timedelta) -> Checked:
    said = f"this machine and the database are {skew.total_seconds():.1f} s apart"
    if skew >= SKEW_FAIL:
        return fail("clock", said, "set the clocks: Slack's requests are refused from 5 min on")
    if skew >= SKEW_WARN:
        return warn("clock", said, "keep both clocks right, by NTP")
    return ok("clock", said)


def _workers(found: Facts) -> Checked:
    remedy = "start `hivebot worker`, or `hivebot run`"
    if found.beat is None:
        return warn("worker", "none runs", remedy)
    silent = found.now - found.beat
    if silent < BEAT_WITHIN:
        return ok("worker", f"alive {_ago(silent)} ago")
    return warn("worker", f"none has given a sign of life for {_ago(silent)}", remedy)


def _queue(found: Facts) -> Checked:
    if found.oldest is None or found.oldest > found.now:
        return ok("queue", "nothing waits")
    waited = found.now - found.oldest
    if waited > OLD_JOB:
        said = f"a job has waited for {_ago(waited)}"
        return warn("queue", said, "see `hivebot queue`; start a worker, or more of them")
    return ok("queue", f"the oldest job has waited for {_ago(waited)}")


def _ago(span: timedelta) -> str:
    seconds = max(0, int(span.total_seconds()))
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def local_now() -> datetime:
    """This machine's clock, beside the database's."""
    return datetime.now(UTC)
