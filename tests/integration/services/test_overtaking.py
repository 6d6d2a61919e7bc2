"""Does nothing overtake anything, where news of one message comes at the same moment?

Each test holds a conversation, lets use cases run into it, and then lets go. Source: datapath.md 2.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from hivebot.services.erasure import Erased
from hivebot.services.intake import Receipt
from hivebot.services.ports import NewMessage
from hivebot.services.records.arrivals import Arrival
from hivebot.services.records.rows import MessageRole
from hivebot.services.threads import copy_of_root
from tests.integration.services.world import (
    PAYMENTS,
    PLATFORM,
    World,
    deleted,
    edited,
    said,
)

pytestmark = pytest.mark.integration

POLLS = 2_000


async def held_up(world: World, *tasks: asyncio.Task[Any]) -> None:
    """Wait until every task either waits for a lock or is done."""
    for _ in range(POLLS):
        ((waiting,),) = await world.rows(
            "select count(distinct pid) from pg_locks join pg_stat_activity using (pid)"
            " where not granted and datname = current_database()"
        )
        if waiting + sum(task.done() for task in tasks) >= len(tasks):
            return
    raise AssertionError("nothing waits")


def hearing(world: World, arrival: Arrival) -> asyncio.Task[Any]:
    return asyncio.create_task(world.hear(arrival))


async def test_a_deletion_waits_for_the_arrival_of_its_message(world: World) -> None:
    await world.hear(said("an earlier one"))
    place = await world.place(PAYMENTS)
    message = said("a secret")

    async with world.work.begin() as tx:
        await tx.conversations.lock([place.id])
        arriving = hearing(world, message)
        await held_up(world, arriving)
        going = hearing(world, deleted(message))
        await held_up(world, arriving, going)

    assert (await arriving, await going) == (Receipt.STORED, Erased.ERASED)
    assert await world.texts(PAYMENTS) == ["an earlier one", ""]


async def test_an_edit_waits_for_the_arrival_of_its_message(world: World) -> None:
    await world.hear(said("an earlier one"))
    place = await world.place(PAYMENTS)
    message = said("helo")

    async with world.work.begin() as tx:
        await tx.conversations.lock([place.id])
        arriving = hearing(world, message)
        await held_up(world, arriving)
        changing = hearing(world, edited(message, "hello"))
        await held_up(world, arriving, changing)

    assert (await arriving, await changing) == (Receipt.STORED, Receipt.REVISED)
    assert await world.texts(PAYMENTS) == ["an earlier one", "hello"]


@pytest.mark.parametrize("removed", [True, False])
async def test_a_thread_that_is_opened_meanwhile_hears_of_it_too(
    world: World, *, removed: bool
) -> None:
    root = said("a secret")
    await world.hear(root)
    (row,) = await world.log(PAYMENTS)
    place = await world.place(PAYMENTS)

    async with world.work.begin() as tx:
        await tx.conversations.lock([place.id])
        news = hearing(world, deleted(root) if removed else edited(root, "edited"))
        await held_up(world, news)
        thread = await tx.conversations.ensure(
            place.team_id,
            place.channel_id,
            root.ts,
            desk_id=place.desk_id,
            audience=place.audience,
            root_seq=row.seq,
        )
        await tx.messages.append(copy_of_root(thread.id, row))
    await news

    text = "" if removed else "edited"
    assert await world.texts(PAYMENTS) == await world.texts(PAYMENTS, root.ts) == [text]


async def test_a_copy_that_is_made_on_another_desk_meanwhile_is_removed_too(
    world: World,
) -> None:
    await world.hear(said("over there", PLATFORM))
    message = said("a secret")
    await world.hear(message)
    (row,) = await world.log(PAYMENTS)
    far = await world.place(PLATFORM)

    async with world.work.begin() as tx:
        await tx.conversations.lock([far.id, row.conversation_id])
        going = hearing(world, deleted(message))
        await held_up(world, going)
        copy = NewMessage(far.id, MessageRole.QUESTION, row.author, row.content, judged=True)
        await tx.messages.append(replace(copy, copy_of=row.id))
    await going

    assert await world.texts(PLATFORM) == ["over there", ""]


async def test_a_message_that_is_removed_is_not_edited_back(world: World) -> None:
    message = said("a secret")
    await world.hear(message)
    place = await world.place(PAYMENTS)

    async with world.work.begin() as tx:
        await tx.conversations.lock([place.id])
        going = hearing(world, deleted(message))
        await held_up(world, going)
        changing = hearing(world, edited(message, "a secret, edited"))
        await held_up(world, going, changing)

    assert (await going, await changing) == (Erased.ERASED, Receipt.DELETED_BEFORE)
    assert await world.texts(PAYMENTS) == [""]
