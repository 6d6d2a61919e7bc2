"""Is a steward who leaves gone from the gates they decided? Source: datapath.md 7."""

from __future__ import annotations

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.hive.gate import GateAct, GateState
from tests.configurations import CONFIGURATION, with_desk
from tests.fakes.clock import FakeClock
from tests.integration.services.stewards import gates, holding, post_of, press, world_of
from tests.integration.services.stories import CANARY, ask, finish
from tests.integration.services.test_erasure import found
from tests.integration.services.test_forgetting_people import leaving
from tests.integration.services.test_gates_referrals import ASKS
from tests.integration.services.world import DATA, PAYMENTS, STEWARD, World

pytestmark = pytest.mark.integration

WORD = "zebrafish"
REFUND = "@hive how long does a refund take?"
FAR = "@#platform does the gateway retry on 503?"


@pytest.fixture
async def waits(engine: AsyncEngine, clock: FakeClock) -> World:
    """A world in which everything waits for the steward."""
    decides = with_desk("data", CONFIGURATION, gates__decisions=True)
    return await world_of(engine, clock, holding("platform", holding("payments", decides)))


async def leave(world: World) -> None:
    await finish(world)
    await leaving(world).forget(STEWARD)
    await finish(world)


@pytest.mark.parametrize(
    ("words", "channel_id"), [(REFUND, PAYMENTS), (FAR, PAYMENTS), (CANARY, DATA)]
)
async def test_words_put_in_the_place_of_others_go_with_who_put_them(
    waits: World, words: str, channel_id: str
) -> None:
    await ask(waits, words, channel_id)
    assert await press(waits, GateAct.CORRECT, f'Say "{WORD}" to it.') is GateState.CORRECTED
    assert len(await found(waits, WORD)) > 2

    await leave(waits)

    assert await found(waits, WORD) == set()
    assert await found(waits, STEWARD) == set()


async def test_a_question_that_crossed_in_their_words_goes_with_them(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = await world_of(engine, clock, ASKS)
    await ask(world, FAR)
    await press(world, GateAct.CORRECT, f"why does the {WORD} retry?")
    assert len(await found(world, WORD)) > 2

    await leave(world)

    assert await found(world, WORD) == set()
    assert await found(world, STEWARD) == set()


@pytest.mark.parametrize(
    ("words", "channel_id"), [(REFUND, PAYMENTS), (FAR, PAYMENTS), (CANARY, DATA)]
)
async def test_a_reason_goes_with_who_gave_it_and_the_refusal_stays(
    waits: World, words: str, channel_id: str
) -> None:
    await ask(waits, words, channel_id)
    assert await press(waits, GateAct.REJECT, f'no "{WORD}" (today)') is GateState.REJECTED
    assert len(await found(waits, WORD)) > 1

    await leave(waits)

    assert await found(waits, WORD) == set()
    assert (await gates(waits))[0].state is GateState.REJECTED
    assert await found(waits, "a steward did not approve it") > set()


async def test_the_gates_message_says_how_it_ended_and_not_by_whom(waits: World) -> None:
    await ask(waits, REFUND)
    await press(waits, GateAct.REJECT, WORD)
    assert (await post_of(waits)).body.heading == "Rejected by Stew · #payments"

    await leave(waits)

    post = await post_of(waits)
    assert (post.body.heading, len(post.body.quotes)) == ("Rejected · #payments", 2)
    assert [one.text for one in waits.poster.shown if "Stew" in one.text] == []
