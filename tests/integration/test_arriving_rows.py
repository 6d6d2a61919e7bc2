"""Is everything taken once, and forgotten when it has to be? Source: datapath.md 1 and 7."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from hivebot.hive.conversation import PersonAuthor
from hivebot.services.ports import NewArrival, NewMessage, StoreConflictError
from hivebot.services.records.arrivals import Audience, EventKey
from hivebot.services.records.rows import MessageRole
from tests.fakes.clock import START, FakeClock
from tests.integration.seeds import TEAM, after

pytestmark = pytest.mark.integration

KEY = EventKey(team_id=TEAM, event_id="E1", event_time=1)


def event(ts: str, channel: str = "C1", **more: object) -> dict[str, object]:
    return {"type": "event_callback", "event": {"channel": channel, "ts": ts, **more}}


async def payloads(engine: AsyncEngine) -> list[str]:
    """Event ids whose payload is still there."""
    async with engine.connect() as connection:
        kept = await connection.scalars(
            text("select event_id from inbox_event where payload is not null order by event_id")
        )
        return list(kept)


async def test_an_event_is_taken_once(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        first = await tx.inbox.claim_event(KEY, event("1.0"))
        assert first is not None
        assert await tx.inbox.claim_event(KEY, event("1.0")) is None
        other = await tx.inbox.claim_event(replace(KEY, team_id="T2"), event("1.0"))
        assert other not in {None, first}


async def test_a_message_is_taken_once_whatever_brings_it(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        assert await tx.inbox.claim_message(TEAM, "C1", "1.0")
    async with work.begin() as tx:
        assert not await tx.inbox.claim_message(TEAM, "C1", "1.0")
        assert await tx.inbox.claim_message(TEAM, "C2", "1.0")
        assert await tx.inbox.claim_message("T2", "C1", "1.0")


async def test_of_two_deliveries_at_once_one_is_taken(work: PostgresUnitOfWork) -> None:
    async def claim() -> bool:
        async with work.begin() as tx:
            return await tx.inbox.claim_message(TEAM, "C1", "1.0")

    assert sorted(await asyncio.gather(*(claim() for _ in range(4)))) == [False] * 3 + [True]


def arrival(
    ts: str,
    event_id: str,
    channel_id: str = "C1",
    *,
    desk_id: str = "ops",
    audience: Audience = Audience.PUBLIC,
) -> NewArrival:
    """A message in a channel, as it comes in."""
    row = NewMessage(0, MessageRole.SPEECH, PersonAuthor("U1", ""), f"said {ts}", ts, "U1")
    return NewArrival(
        key=replace(KEY, event_id=event_id),
        payload=event(ts),
        team_id=TEAM,
        channel_id=channel_id,
        desk_id=desk_id,
        audience=audience,
        message=row,
    )


async def test_messages_are_taken_together_and_numbered_in_order(
    work: PostgresUnitOfWork,
) -> None:
    together = [arrival("1.0", "E1"), arrival("9.0", "E2", "C2"), arrival("0.5", "E3")]
    async with work.begin() as tx:
        first, other, second = await tx.inbox.take(together)
        assert first is not None
        rows = await tx.messages.since(first, 0)
        place = await tx.conversations.get(first)
    assert (first == second, first == other) == (True, False)
    assert [(row.seq, row.ts, row.content) for row in rows] == [
        (1, "1.0", "said 1.0"),
        (2, "0.5", "said 0.5"),
    ]
    assert rows[0] == replace(rows[1], id=rows[0].id, seq=1, ts="1.0", content="said 1.0")
    assert place is not None
    assert (place.last_seq, place.desk_id, place.root_seq) == (2, "ops", None)


async def test_of_what_is_known_already_nothing_is_written(
    work: PostgresUnitOfWork, engine: AsyncEngine
) -> None:
    async with work.begin() as tx:
        await tx.inbox.claim_event(replace(KEY, event_id="E1"), event("7.0"))
        await tx.inbox.claim_message(TEAM, "C1", "2.0")
        await tx.inbox.tombstone(TEAM, "C1", "3.0", START)
        await tx.inbox.pend_revision(TEAM, "C1", "4.0", "new", addressed=False)
        (kept,) = await tx.inbox.take([arrival("5.0", "E5")])
        assert kept is not None
    known = [arrival(f"{n}.0", f"E{n}" if n == 1 else f"F{n}") for n in (1, 2, 3, 4, 5)]
    async with work.begin() as tx:
        assert await tx.inbox.take([*known, arrival("6.0", "F6"), arrival("6.0", "F7")]) == (
            *(None,) * 5,
            kept,
            None,
        )
    async with engine.connect() as connection:
        events = await connection.scalars(text("select event_id from inbox_event order by id"))
        assert list(events) == ["E1", "E5", "F6"]


async def test_desk_and_audience_of_a_channel_follow_its_latest_message(
    work: PostgresUnitOfWork,
) -> None:
    async with work.begin() as tx:
        (place,) = await tx.inbox.take([arrival("1.0", "E1")])
        await tx.inbox.take([arrival("2.0", "E2", desk_id="new", audience=Audience.PRIVATE)])
        assert place is not None
        found = await tx.conversations.get(place)
    assert found is not None
    assert (found.desk_id, found.audience) == ("new", Audience.PRIVATE)


async def test_messages_taken_at_once_by_two_are_stored_once(work: PostgresUnitOfWork) -> None:
    async def take(name: str) -> int:
        async with work.begin() as tx:
            taken = await tx.inbox.take([arrival(f"{n}.0", f"{name}{n}") for n in range(8)])
        return sum(one is not None for one in taken)

    assert sorted(await asyncio.gather(take("E"), take("F"))) == [0, 8]


async def test_an_event_that_is_being_taken_elsewhere_is_a_conflict(
    work: PostgresUnitOfWork, engine: AsyncEngine
) -> None:
    async def take() -> None:
        async with work.begin() as tx:
            await tx.inbox.take([arrival("1.0", "E1")])

    async def waits() -> bool:
        async with engine.connect() as connection:
            blocked = await connection.scalar(
                text("select count(*) from pg_locks where not granted")
            )
        return bool(blocked)

    async with work.begin() as tx:
        await tx.inbox.claim_event(replace(KEY, event_id="E1"), event("9.0"))
        waiting = asyncio.create_task(take())
        async with asyncio.timeout(20):
            while not await waits():  # noqa: ASYNC110 - the database raises no event
                await asyncio.sleep(0.01)
    with pytest.raises(StoreConflictError):
        await waiting


async def test_a_deletion_may_come_before_its_message(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        assert not await tx.inbox.is_tombstoned(TEAM, "C1", "1.0")
        await tx.inbox.tombstone(TEAM, "C1", "1.0", START)
        await tx.inbox.tombstone(TEAM, "C1", "1.0", START)
        assert await tx.inbox.is_tombstoned(TEAM, "C1", "1.0")


async def test_the_newest_edit_before_its_message_is_kept(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        assert await tx.inbox.pending_revision(TEAM, "C1", "1.0") is None
        await tx.inbox.pend_revision(TEAM, "C1", "1.0", "old", addressed=False)
        await tx.inbox.pend_revision(TEAM, "C1", "1.0", "new", addressed=True)
        assert await tx.inbox.pending_revision(TEAM, "C1", "1.0") == ("new", True)


async def test_a_deletion_forgets_a_pending_edit(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        await tx.inbox.pend_revision(TEAM, "C1", "1.0", "planted", addressed=False)
        await tx.inbox.tombstone(TEAM, "C1", "1.0", START)
        assert await tx.inbox.pending_revision(TEAM, "C1", "1.0") is None


async def test_erasing_blanks_every_payload_about_or_quoting_a_message(
    work: PostgresUnitOfWork, engine: AsyncEngine
) -> None:
    about: dict[str, dict[str, object]] = {
        "E1": event("1.0"),
        "E2": {"event": {"channel": "C1", "message": {"ts": "1.0", "text": "edited"}}},
        "E3": {"event": {"channel": "C1", "deleted_ts": "1.0", "previous_message": {"ts": "1.0"}}},
        "E4": event("5.0", "C9", attachments=[{"channel_id": "C1", "ts": "1.0", "text": "quote"}]),
        "keep-other-ts": event("2.0"),
        "keep-other-channel": event("1.0", "C2"),
        "keep-reply": event("3.0", thread_ts="1.0"),
    }
    async with work.begin() as tx:
        for event_id, payload in about.items():
            await tx.inbox.claim_event(replace(KEY, event_id=event_id), payload)
        await tx.inbox.claim_event(replace(KEY, team_id="T2", event_id="keep-team"), event("1.0"))
        await tx.inbox.pend_revision(TEAM, "C1", "1.0", "planted", addressed=False)
        await tx.inbox.erase_payloads(TEAM, "C1", "1.0")
        assert await tx.inbox.pending_revision(TEAM, "C1", "1.0") is None
        assert await tx.inbox.claim_event(replace(KEY, event_id="E1"), event("1.0")) is None
    assert await payloads(engine) == [
        "keep-other-channel",
        "keep-other-ts",
        "keep-reply",
        "keep-team",
    ]


async def test_purging_blanks_what_is_old_and_keeps_the_keys(
    work: PostgresUnitOfWork, engine: AsyncEngine, clock: FakeClock
) -> None:
    async with work.begin() as tx:
        await tx.inbox.claim_event(KEY, event("1.0"))
        await tx.inbox.pend_revision(TEAM, "C1", "9.0", "old", addressed=False)
        clock.advance(60)
        await tx.inbox.claim_event(replace(KEY, event_id="E2"), event("2.0"))
    async with work.begin() as tx:
        assert await tx.inbox.purge(START + after(30)) == 1
        assert await tx.inbox.purge(START + after(30)) == 0
        assert await tx.inbox.claim_event(KEY, event("1.0")) is None
        assert await tx.inbox.pending_revision(TEAM, "C1", "9.0") is None
    assert await payloads(engine) == ["E2"]


async def test_a_payload_that_postgres_would_refuse_is_stored(
    work: PostgresUnitOfWork, engine: AsyncEngine
) -> None:
    odd: dict[str, object] = {"event": {"ts": "1\x00", "text": "a\x00b\ud800", "\x00": [None]}}
    async with work.begin() as tx:
        assert await tx.inbox.claim_event(KEY, odd) is not None
    assert await payloads(engine) == ["E1"]
