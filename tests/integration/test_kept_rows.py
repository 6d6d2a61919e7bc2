"""Do installations, channels, configurations and spending keep what was noted of them?"""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from hivebot.services.records.rows import WorkspaceRow
from tests.fakes.clock import START
from tests.integration.seeds import TEAM, after, conversation, new_post

pytestmark = pytest.mark.integration

WORKSPACE = WorkspaceRow(TEAM, "https://x.slack.com", "UBOT", "BBOT", "A1")


async def test_an_installation_is_replaced_and_stopped(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        assert await tx.workspaces.get(TEAM) is None
        await tx.workspaces.put(WORKSPACE)
        await tx.workspaces.stop(TEAM, "token_revoked")
        stopped = replace(WORKSPACE, state="stopped", reason="token_revoked")
        assert await tx.workspaces.get(TEAM) == stopped
        await tx.workspaces.put(replace(WORKSPACE, bot_id="B2"))
        assert await tx.workspaces.get(TEAM) == replace(WORKSPACE, bot_id="B2")


async def test_a_channel_is_paused_with_the_newest_reason_and_resumed(
    work: PostgresUnitOfWork,
) -> None:
    async with work.begin() as tx:
        assert await tx.workspaces.paused(TEAM, "C1") == ""
        await tx.workspaces.pause_channel(TEAM, "C1", "left")
        await tx.workspaces.pause_channel(TEAM, "C1", "archived")
        assert await tx.workspaces.paused(TEAM, "C1") == "archived"
        assert await tx.workspaces.paused(TEAM, "C2") == ""
        await tx.workspaces.pause_channel(TEAM, "C1", "")
        assert await tx.workspaces.paused(TEAM, "C1") == ""


async def test_everything_follows_a_channel_to_its_new_id(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        channel, thread = await conversation(tx), await conversation(tx, thread_ts="1.0")
        post = await tx.outbox.add(new_post())
        await tx.outbox.hold(TEAM, "C1", "", START + after(60))
        await tx.workspaces.pause_channel(TEAM, "C1", "archived")
        await tx.workspaces.move_channel(TEAM, "C1", "C9")
        assert await tx.conversations.find(TEAM, "C9", "") == replace(channel, channel_id="C9")
        assert await tx.conversations.find(TEAM, "C9", "1.0") == replace(thread, channel_id="C9")
        assert await tx.conversations.find(TEAM, "C1", "") is None
        assert await tx.workspaces.paused(TEAM, "C1") == ""
        assert await tx.workspaces.paused(TEAM, "C9") == "archived"
        await tx.workspaces.pause_channel(TEAM, "C9", "")
        moved = await tx.outbox.next_due(TEAM, "C9", START)
        assert moved is not None
        assert moved.id == post.id


async def test_what_came_under_the_new_id_first_stays(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        old, new = await conversation(tx, "C1"), await conversation(tx, "C9")
        thread = await conversation(tx, "C1", "1.0")
        await tx.workspaces.move_channel(TEAM, "C1", "C9")
        assert await tx.conversations.find(TEAM, "C9", "") == new
        assert await tx.conversations.find(TEAM, "C1", "") == old
        assert await tx.conversations.find(TEAM, "C9", "1.0") == replace(thread, channel_id="C9")


async def test_a_revision_is_stored_once(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        assert await tx.revisions.get("r1") is None
        await tx.revisions.put("r1", "source", START)
        await tx.revisions.put("r1", "another", START)
        assert await tx.revisions.get("r1") == "source"


async def test_spending_adds_up_per_desk_and_day(work: PostgresUnitOfWork) -> None:
    async def spend() -> None:
        async with work.begin() as tx:
            await tx.usage.add("ops", "2026-09-01", 1, 100, 7)

    await asyncio.gather(*(spend() for _ in range(4)))
    async with work.begin() as tx:
        assert await tx.usage.spent("ops", "2026-09-01") == (4, 400, 28)
        assert await tx.usage.spent("ops", "2026-09-02") == (0, 0, 0)
        assert await tx.usage.spent("legal", "2026-09-01") == (0, 0, 0)
