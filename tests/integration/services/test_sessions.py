"""Which rows may a turn in this conversation see? Source: hive.md 10.1, product.md 3."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hivebot.services.records.rows import ConversationRow
from hivebot.services.sessions import read_session
from tests.integration.services.world import PAYMENTS, World, deleted, next_ts, said

pytestmark = pytest.mark.integration


async def seen(world: World, place: ConversationRow, window: int = 30) -> Sequence[int]:
    async with world.work.begin() as tx:
        return [row.seq for row in await read_session(tx.messages, place, window)]


async def filled(world: World, count: int, thread_ts: str = "") -> ConversationRow:
    for number in range(count):
        await world.hear(said(f"row {number}", thread_ts=thread_ts))
    return await world.place(PAYMENTS, thread_ts)


async def test_the_newest_rows_are_seen_oldest_first(world: World) -> None:
    place = await filled(world, 8)

    assert await seen(world, place, 3) == [6, 7, 8]
    assert await seen(world, place, 8) == await seen(world, place) == list(range(1, 9))


async def test_an_empty_conversation_shows_nothing(world: World) -> None:
    message = said("only one")
    await world.hear(message)
    await world.hear(deleted(message))

    assert await seen(world, await world.place(PAYMENTS)) == []


async def test_removed_rows_are_passed_over_and_older_ones_take_their_place(
    world: World,
) -> None:
    messages = [said(f"row {number}") for number in range(12)]
    for message in messages:
        await world.hear(message)
    for message in messages[2:11]:
        await world.hear(deleted(message))

    assert await seen(world, await world.place(PAYMENTS), 3) == [1, 2, 12]


async def test_a_thread_is_seen_by_its_own_numbers_root_included(world: World) -> None:
    root = said("the root")
    await world.hear(root)
    place = await filled(world, 4, root.ts)

    assert await seen(world, place) == [1, 2, 3, 4, 5]
    assert await seen(world, place, 2) == [4, 5]


async def test_a_row_that_stands_for_an_unseen_root_is_read_by_nobody(world: World) -> None:
    root_ts = next_ts()
    thread = await filled(world, 2, root_ts)
    await world.hear(said("top level"))

    assert await seen(world, await world.place(PAYMENTS)) == [2]
    assert await seen(world, thread) == [2, 3]
