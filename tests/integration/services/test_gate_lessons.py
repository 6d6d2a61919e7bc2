"""What does a desk's memory keep of what its stewards decide? Source: memory.md 5.4, 7 and 9.2."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.hive.crossing import Audience
from hivebot.hive.gate import GateAct, GateState
from hivebot.proxy.chunks import ChunkType, Outcome
from hivebot.services.records.memories import RememberedChunk, Scope
from tests.fakes.clock import FakeClock
from tests.fakes.poster import public_channel
from tests.integration.services.stewards import gate, holding, press, world_of
from tests.integration.services.stories import ask, finish
from tests.integration.services.world import (
    ANA,
    PAYMENTS,
    STEWARD,
    TEAM,
    World,
    deleted,
    said,
)

pytestmark = pytest.mark.integration

QUESTION = "@hive how do refunds work?"


@pytest.fixture
async def world(engine: AsyncEngine, clock: FakeClock) -> World:
    """A world whose payments desk holds its answers."""
    return await world_of(engine, clock, holding("payments"))


async def remembered(world: World) -> tuple[RememberedChunk, ...]:
    """Everything the desk's memory holds."""
    async with world.work.begin() as tx:
        memory = await tx.memories.find(TEAM, "payments")
        return await tx.memories.chunks(memory.id) if memory is not None else ()


async def clock_of(world: World) -> int:
    async with world.work.begin() as tx:
        memory = await tx.memories.find(TEAM, "payments")
    return memory.clock if memory is not None else 0


@pytest.mark.parametrize(
    ("act", "words", "outcome"),
    [
        (GateAct.APPROVE, "", Outcome.APPROVE),
        (GateAct.CORRECT, "Within five days.", Outcome.CORRECT),
        (GateAct.REJECT, "not ours", Outcome.REJECT),
    ],
)
async def test_a_decided_gate_is_one_chunk_one_trace_and_one_step_of_the_clock(
    world: World, act: GateAct, words: str, outcome: Outcome
) -> None:
    await ask(world, QUESTION, PAYMENTS)
    held = await gate(world)
    await press(world, act, words)
    await finish(world)

    (one,) = await remembered(world)
    chunk = one.chunk
    assert (chunk.id, chunk.type, chunk.context, chunk.outcome) == (
        f"gate:{held.id}",
        ChunkType.GATE_OUTCOME,
        ("answer_review", "payments"),
        outcome,
    )
    assert (chunk.traces, await clock_of(world)) == ((1,), 1)
    assert chunk.human_response == words
    assert bool(chunk.delta) == (f"+{words}" in chunk.delta) == (act is GateAct.CORRECT)
    assert held.artifact in chunk.content
    assert (one.texts.question, one.texts.artifact) == (held.question, held.artifact)
    assert one.by_human
    assert set(one.sources.user_ids) == {ANA, STEWARD}
    assert one.sources.gate_id == held.id


async def test_an_expiry_is_no_outcome_to_learn_from(world: World, clock: FakeClock) -> None:
    await ask(world, QUESTION, PAYMENTS)
    clock.advance(90_000)
    await world.gates.look()
    await finish(world)
    assert (await gate(world)).state is GateState.EXPIRED
    assert await remembered(world) == ()
    assert await clock_of(world) == 0


async def test_settling_twice_learns_once(world: World) -> None:
    await ask(world, QUESTION, PAYMENTS)
    await press(world, GateAct.APPROVE)
    await finish(world)
    held = await gate(world)
    await world.gates.settle(held.id)
    async with world.work.begin() as tx:
        await tx.jobs.settle_gate(held.id, held.desk_id)
    await finish(world)
    assert (len(await remembered(world)), await clock_of(world)) == (1, 1)


async def test_each_gate_is_a_step_of_its_desks_own_clock(world: World) -> None:
    for act in (GateAct.APPROVE, GateAct.REJECT, GateAct.APPROVE):
        await ask(world, QUESTION, PAYMENTS)
        await press(world, act)
        await finish(world)
    assert [one.chunk.traces[0] for one in await remembered(world)] == [1, 2, 3]


async def test_what_was_decided_in_a_private_channel_is_read_in_that_channel_only(
    world: World,
) -> None:
    world.directory.channels[PAYMENTS] = replace(
        public_channel(PAYMENTS, "payments"), audience=Audience.PRIVATE
    )
    await world.hear(said(QUESTION, PAYMENTS, addressed=True, audience=Audience.PRIVATE))
    await finish(world)
    await press(world, GateAct.APPROVE)
    await finish(world)
    (one,) = await remembered(world)
    assert one.scope == Scope(Audience.PRIVATE, PAYMENTS)


async def test_a_gate_channel_that_nobody_ever_wrote_in_counts_as_closed(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = await world_of(engine, clock, holding("payments", gates__channel="C0GATES"))
    await ask(world, QUESTION, PAYMENTS)
    await press(world, GateAct.APPROVE)
    await finish(world)
    (one,) = await remembered(world)
    assert one.scope == Scope(Audience.PRIVATE, "C0GATES")


async def test_a_removed_question_takes_what_was_learned_from_it_along(world: World) -> None:
    question = said(QUESTION, PAYMENTS, addressed=True)
    await world.hear(question)
    await finish(world)
    await press(world, GateAct.APPROVE)
    await finish(world)
    assert len(await remembered(world)) == 1
    await world.hear(deleted(question))
    await finish(world)
    assert await remembered(world) == ()
