"""Are messages that come together stored together, and none lost when that fails?"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import cast

import pytest

from hivebot.hive.conversation import PersonAuthor
from hivebot.services.gathering import AT_ONCE, MOST, Gathering
from hivebot.services.ports import (
    NewArrival,
    NewMessage,
    StoreConflictError,
    Transaction,
    UnitOfWork,
)
from hivebot.services.records.arrivals import Audience, EventKey
from hivebot.services.records.rows import MessageRole


@dataclass
class Store:
    """A unit of work that keeps batches, and can be made to wait or to fail."""

    batches: list[list[str]] = field(default_factory=list[list[str]])
    routed: list[list[int]] = field(default_factory=list[list[int]])
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    fault: BaseException | None = None

    @asynccontextmanager
    async def begin(self) -> AsyncGenerator[Transaction]:
        yield cast("Transaction", self)
        await self.gate.wait()
        if self.fault is not None:
            raise self.fault

    @property
    def inbox(self) -> Store:
        return self

    @property
    def jobs(self) -> Store:
        return self

    async def take(self, arrivals: Sequence[NewArrival]) -> tuple[int | None, ...]:
        self.batches.append([one.message.content for one in arrivals])
        return tuple(None if one.message.content == "odd" else 7 for one in arrivals)

    async def route_each(self, conversation_ids: Sequence[int]) -> None:
        self.routed.append(list(conversation_ids))


def new(content: str) -> NewArrival:
    message = NewMessage(0, MessageRole.SPEECH, PersonAuthor("U1", ""), content)
    return NewArrival(EventKey("T1", "E1", 1), {}, "T1", "C1", "desk", Audience.PUBLIC, message)


def gathering(store: Store) -> Gathering:
    return Gathering(cast("UnitOfWork", store))


async def test_what_comes_while_transactions_run_waits_for_the_next() -> None:
    store = Store()
    gathered = gathering(store)
    tasks = [asyncio.create_task(gathered.take(new(str(number)))) for number in range(MOST + 5)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    first = [len(batch) for batch in store.batches]
    store.gate.set()
    assert all(await asyncio.gather(*tasks))
    assert len(first) <= AT_ONCE
    assert max(map(len, store.batches)) == MOST
    assert sorted(int(one) for batch in store.batches for one in batch) == list(range(MOST + 5))
    assert {tuple(one) for one in store.routed} == {(7,)}


async def test_what_is_known_already_is_to_be_taken_by_itself() -> None:
    store = Store()
    store.gate.set()
    gathered = gathering(store)
    assert await gathered.take(new("odd")) is False
    assert await gathered.take(new("even")) is True
    assert store.routed == [[], [7]]


async def test_when_the_transaction_fails_each_is_to_be_taken_by_itself() -> None:
    store = Store(fault=StoreConflictError("40001"))
    store.gate.set()
    gathered = gathering(store)
    assert await asyncio.gather(gathered.take(new("a")), gathered.take(new("b"))) == [False, False]


async def test_a_fault_of_our_own_leaves_nobody_waiting() -> None:
    faults: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))
    store = Store(fault=LookupError("planted"))
    store.gate.set()
    gathered = gathering(store)
    assert await gathered.take(new("a")) is False
    store.fault = None
    assert await gathered.take(new("b")) is True


async def test_whoever_gives_up_waiting_holds_up_nobody() -> None:
    store = Store()
    gathered = gathering(store)
    gone = asyncio.create_task(gathered.take(new("a")))
    stays = asyncio.create_task(gathered.take(new("b")))
    await asyncio.sleep(0)
    gone.cancel()
    with pytest.raises(asyncio.CancelledError):
        await gone
    store.gate.set()
    assert await stays is True
