"""Is everything taken once, and forgotten when it has to be? Source: datapath.md 1 and 7."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from hivebot.services.records.arrivals import EventKey
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
