"""Who learns that nobody can say whether an answer was posted? Whoever asked. datapath.md 4."""

from __future__ import annotations

import pytest

from hivebot.services.delivery import LOOKUPS_MAX
from hivebot.services.records.outgoing import Body, OutboxState, SendFailure
from tests.integration.services.world import ADMINS, ANA, PAYMENTS, TEAM, World, said

pytestmark = pytest.mark.integration

LOST = SendFailure("ambiguous", "timeout")
SENDS = 3


async def never_known(world: World) -> None:
    """Every try to post in #payments is lost, and no look finds anything."""
    for _ in range(SENDS):
        world.poster.fail(LOST)
    for _ in range(LOOKUPS_MAX + SENDS + 1):
        again = await world.delivery.run(TEAM, PAYMENTS)
        if again is not None:
            world.clock.advance(max(0.0, (again - world.clock.now()).total_seconds()))


async def told(world: World, channel_id: str) -> list[str]:
    return [row.body.text for row in await world.outbox(channel_id)]


async def test_whoever_asked_learns_that_the_answer_may_not_stand_there(world: World) -> None:
    await world.hear(said("@pia why do refunds wait?"))
    await world.work_off("route", "speak")

    await never_known(world)

    (answer,) = await world.outbox(PAYMENTS)
    assert answer.state is OutboxState.UNKNOWN
    (line,) = await told(world, ANA)
    assert "did not say whether the answer was posted" in line
    assert len(await told(world, ADMINS)) == 1


async def test_a_line_of_no_answer_is_for_the_admins_alone(world: World) -> None:
    await world.hear(said("@#platform why do calls to charge time out?"))
    await world.work_off("route")

    await never_known(world)

    assert await told(world, ANA) == []
    assert len(await told(world, ADMINS)) == 1


async def test_an_edit_of_an_answer_that_is_lost_is_for_the_admins_alone(world: World) -> None:
    await world.hear(said("@pia why do refunds wait?"))
    await world.work_off()
    (answer,) = await world.outbox(PAYMENTS)
    async with world.work.begin() as tx:
        await tx.outbox.revise(answer.id, Body(text="corrected"))
    for _ in range(LOOKUPS_MAX):
        world.poster.fail(LOST)
    for _ in range(LOOKUPS_MAX + 1):
        again = await world.delivery.run(TEAM, PAYMENTS)
        if again is not None:
            world.clock.advance(max(0.0, (again - world.clock.now()).total_seconds()))

    (answer,) = await world.outbox(PAYMENTS)
    assert answer.state is OutboxState.UNKNOWN
    assert await told(world, ANA) == []
    assert len(await told(world, ADMINS)) == 1
