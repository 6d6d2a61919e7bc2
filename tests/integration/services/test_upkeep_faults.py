"""What if something that is due cannot be dealt with? Everything else is. datapath.md 3."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import text

from hivebot.services.ports import StoreConflictError
from hivebot.services.records.rows import ReferralState
from hivebot.services.upkeep import STALE_TURN
from tests.integration.services.world import PAYMENTS, World, said

pytestmark = pytest.mark.integration

EXPIRED = timedelta(seconds=601)

_FUNCTION = (
    "create function stuck() returns trigger language plpgsql as $$ begin"
    " raise exception 'planted' using errcode = '40001'; end $$"
)
_TRIGGER = (
    "create trigger stuck before update on referral for each row when (old.id = 1)"
    " execute function stuck()"
)


async def crossed(world: World) -> None:
    """A question on its way to the platform desk, where nobody answers."""
    await world.hear(said("@#platform why do calls to charge time out?"))
    await world.work_off("route", "deliver")


async def test_what_cannot_be_ended_keeps_nothing_else_from_being_looked_at(world: World) -> None:
    await crossed(world)
    await crossed(world)
    async with world.engine.begin() as connection:
        for statement in (_FUNCTION, _TRIGGER):
            await connection.execute(text(statement))
    await world.rows("delete from procrastinate_jobs returning id")
    world.clock.advance(max(EXPIRED, STALE_TURN * 2).total_seconds())

    with pytest.raises(StoreConflictError):
        await world.upkeep.run()

    states = [one.state for one in await world.all_referrals()]
    assert states == [ReferralState.ASKED, ReferralState.EXPIRED]
    revived = [name for name, _ in await world.jobs() if name == "speak"]
    assert len(revived) == 1  # the far desk has one open turn, which nobody had touched
    assert ("deliver", {"team_id": "T0HIVE", "channel_id": PAYMENTS}) in await world.jobs()
