"""Which configuration does work run under, now and later? Source: product.md 8, turns.md 6."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import replace

import pytest

from hivebot.adapters.config_files import canonical, from_canonical
from hivebot.adapters.config_files.canonical import with_revision
from hivebot.services.policy import KEPT, RunningPolicy
from hivebot.services.ports import StoreUnavailableError, Transaction, UnitOfWork
from hivebot.services.records.policy import Configuration
from tests.integration.services.world import CONFIGURATION, World

pytestmark = pytest.mark.integration


def other(admin_channel: str) -> Configuration:
    """A configuration that differs in one thing."""
    return with_revision(replace(CONFIGURATION, admin_channel=admin_channel))


def running(world: World, work: UnitOfWork | None = None) -> RunningPolicy:
    return RunningPolicy(work or world.work, world.clock, CONFIGURATION, from_canonical)


class Away:
    """A database that cannot be reached."""

    def begin(self) -> AbstractAsyncContextManager[Transaction]:
        raise StoreUnavailableError("away")


async def test_what_is_adopted_is_in_force_and_stored(world: World) -> None:
    policy, new = running(world), other("C0NEW")

    await policy.adopt(new, canonical(new))

    assert policy.current() == new
    assert await world.rows("select revision, stored_at from revision") == [
        (new.revision, world.clock.now())
    ]


async def test_work_is_shown_the_revision_it_began_with(world: World) -> None:
    policy = running(world)
    first, second = other("C0ONE"), other("C0TWO")
    await policy.adopt(first, canonical(first))
    await policy.adopt(second, canonical(second))

    assert await policy.revision(first.revision) == first
    assert await policy.revision(CONFIGURATION.revision) == CONFIGURATION


async def test_after_a_restart_an_earlier_revision_is_read_back(world: World) -> None:
    first = other("C0ONE")
    await running(world).adopt(first, canonical(first))
    restarted = running(world)

    assert await restarted.revision(first.revision) == first
    await world.rows("delete from revision returning revision")
    assert await restarted.revision(first.revision) == first


async def test_a_revision_nobody_stored_is_the_one_in_force(world: World) -> None:
    assert await running(world).revision("0000") == CONFIGURATION


async def test_a_revision_in_a_form_nobody_reads_any_more_is_the_one_in_force(
    world: World,
) -> None:
    async with world.work.begin() as tx:
        await tx.revisions.put("old", '{"desks": "three"}', world.clock.now())

    assert await running(world).revision("old") == CONFIGURATION


async def test_a_configuration_that_cannot_be_stored_is_not_put_in_force(world: World) -> None:
    policy, new = running(world, Away()), other("C0NEW")

    with pytest.raises(StoreUnavailableError):
        await policy.adopt(new, canonical(new))

    assert policy.current() == CONFIGURATION


async def test_only_the_newest_revisions_are_remembered_and_older_ones_are_read_back(
    world: World,
) -> None:
    policy = running(world)
    many = [other(f"C0{number:03}") for number in range(KEPT + 1)]
    for one in many:
        await policy.adopt(one, canonical(one))
    await world.rows("delete from revision where revision = :it returning 1", it=many[0].revision)

    assert policy.current() == many[-1]
    assert await policy.revision(many[0].revision) == many[-1]
    assert await policy.revision(many[1].revision) == many[1]
