"""What becomes of something that arrives? Source: datapath.md 1 and 2, product.md 3 and 10."""

from __future__ import annotations

import pytest

from hivebot.services.intake import Receipt
from tests.integration.services.world import PAYMENTS, World, said

pytestmark = pytest.mark.integration


async def test_a_message_is_one_row_and_one_job(world: World) -> None:
    assert await world.hear(said("hello there")) is Receipt.STORED

    place = await world.place(PAYMENTS)
    assert await world.texts(PAYMENTS) == ["hello there"]
    assert await world.jobs() == [("route", {"conversation_id": place.id})]
