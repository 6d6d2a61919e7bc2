"""Does a shutdown in the middle of a model call cost an attempt? It does not. datapath.md 3."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from hivebot.services.records.rows import TurnRow, TurnState
from hivebot.services.turns import ATTEMPTS, Spoken
from tests.fakes.models import ScriptedModels
from tests.integration.services.world import PAYMENTS, World, deleted, said

pytestmark = pytest.mark.integration


async def authorised(world: World) -> TurnRow:
    """A turn that is to be spoken."""
    await world.hear(said("@pia why do refunds wait?"))
    await world.work_off("route")
    (turn,) = await world.all_turns()
    return turn


async def nothing() -> None:
    """Nothing happens meanwhile."""


async def interrupted(
    world: World,
    models: ScriptedModels,
    turn: TurnRow,
    before: Callable[[], Awaitable[None]] = nothing,
) -> None:
    """The turn runs until the process is told to stop while the model thinks."""

    async def stop() -> None:
        await before()
        running.cancel()
        await asyncio.sleep(0)

    models.meanwhile(stop)
    running = asyncio.create_task(world.turns.run(turn.id))
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_turn_that_is_interrupted_by_a_shutdown_has_cost_no_attempt(
    scripted: World, models: ScriptedModels
) -> None:
    turn = await authorised(scripted)
    for _ in range(ATTEMPTS + 1):
        await interrupted(scripted, models, turn)

    (left,) = await scripted.all_turns()
    assert (left.state, left.attempt) == (TurnState.AUTHORISED, 0)
    assert await scripted.turns.run(turn.id) is Spoken.COMMITTED


async def test_a_shutdown_gives_back_nothing_that_another_has_taken_meanwhile(
    scripted: World, models: ScriptedModels
) -> None:
    turn = await authorised(scripted)

    async def rescued() -> None:
        async with scripted.work.begin() as tx:
            assert await tx.turns.claim(turn.id) is not None  # a rescue has handed it out again

    await interrupted(scripted, models, turn, rescued)

    (left,) = await scripted.all_turns()
    assert (left.state, left.attempt) == (TurnState.RUNNING, 2)


async def test_a_question_removed_during_the_shutdown_stays_cancelled(
    scripted: World, models: ScriptedModels
) -> None:
    question = said("@pia why do refunds wait?", PAYMENTS)
    await scripted.hear(question)
    await scripted.work_off("route")
    (turn,) = await scripted.all_turns()

    async def removed() -> None:
        await scripted.hear(deleted(question))

    await interrupted(scripted, models, turn, removed)

    (left,) = await scripted.all_turns()
    assert left.state is TurnState.CANCELLED
