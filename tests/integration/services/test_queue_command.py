"""Can an operator see what waits, hold it, and let it go on? `hivebot queue`, `pause`, `resume`."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine
from typer.testing import CliRunner, Result

from hivebot.adapters.clock import SystemClock
from hivebot.entrypoints.cli import app
from hivebot.services.alarms import Limits
from hivebot.services.operations import Done, Operations
from hivebot.services.ports import NewOutbox
from hivebot.services.records.outgoing import (
    Body,
    Destination,
    OutboxKind,
    OutboxState,
    SendFailure,
)
from tests.fakes.clock import FakeClock
from tests.integration.services.stewards import holding, world_of
from tests.integration.services.stories import ask
from tests.integration.services.test_who_knows_command import EXAMPLE
from tests.integration.services.world import DATA, PAYMENTS, PLATFORM, TEAM, World, said

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("logging_as_it_was")]

REFUSED = SendFailure("refused", "no_text")


async def run(url: str, *arguments: str) -> Result:
    environment = {"DATABASE_URL": url, "HIVEBOT_CONFIG": str(EXAMPLE), "COLUMNS": "140"}
    return await asyncio.to_thread(CliRunner().invoke, app, list(arguments), env=environment)


def operations(world: World) -> Operations:
    return Operations(world.work, world.policies, world.clock)


async def answered(world: World, channel_id: str = PAYMENTS, name: str = "pia") -> None:
    """An answer that is not posted yet."""
    await world.hear(said(f"@{name} how long does it take?", channel_id))
    await world.work_off("route", "speak")


async def behind(world: World) -> dict[str, str]:
    """What each channel's posts wait behind."""
    found = await operations(world).look()
    return {one.where: one.behind for one in found.waiting if one.kind == "posts"}


async def refused(world: World) -> int:
    """An answer that Slack has refused; its number."""
    await answered(world)
    world.poster.fail(REFUSED)
    await world.delivery.run(TEAM, PAYMENTS)
    (row, *_) = await world.outbox(PAYMENTS)
    assert row.state is OutboxState.FAILED
    return row.id


# --- looking --------------------------------------------------------------------------------------


async def test_where_nothing_waits_it_is_said(world: World, database_url: str) -> None:
    result = await run(database_url, "queue")
    assert result.stdout == "Nothing waits, nothing is held, nothing has failed.\n"
    assert (await operations(world).look()).waiting == ()


async def test_what_waits_is_listed_with_what_it_waits_behind(
    world: World, database_url: str
) -> None:
    await answered(world)
    await answered(world, PLATFORM, "lasse")
    await world.hear(said("@#platform why 503?"))
    await world.work_off("route")
    async with world.work.begin() as tx:
        until = world.clock.now() + timedelta(hours=1)
        await tx.outbox.hold(TEAM, PAYMENTS, "", until)
        await tx.workspaces.pause_channel(TEAM, PLATFORM, "the channel was archived")

    waits = await behind(world)

    assert waits[PAYMENTS].startswith("Slack says wait until")
    assert waits[PLATFORM] == "paused: the channel was archived"
    found = await operations(world).look()
    kinds = {one.kind: (one.where, one.behind) for one in found.waiting}
    assert kinds["referral"] == ("payments", "the answer of platform")
    assert kinds["turn"] == ("platform", "")
    assert {"posts", "jobs"} <= set(kinds)
    printed = (await run(database_url, "queue")).stdout
    assert "paused: the channel was archived" in printed
    assert f"held: {PLATFORM} of {TEAM}: the channel was archived" in printed
    as_data = json.loads((await run(database_url, "queue", "--json")).stdout)
    assert set(as_data) == {"waiting", "held", "unposted"}


@pytest.mark.parametrize(
    ("statement", "said_of_it"),
    [
        ("update workspace set state = 'stopped', reason = 'token_revoked'", "token_revoked"),
        ("update outbox set state = 'sending'", "answer was lost"),
        ("update outbox set not_before = now() + interval '99 years'", "wanted later"),
        ("update outbox set needs = '{1}'", "links to"),
        ("insert into pause values ('T0HIVE', '', 'x')", "everything is paused: x"),
    ],
)
async def test_each_thing_that_holds_a_post_is_named(
    world: World, statement: str, said_of_it: str
) -> None:
    await answered(world)
    await world.rows(f"{statement} returning 1")
    assert said_of_it in (await behind(world))[PAYMENTS]


# --- what should wake somebody --------------------------------------------------------------------


async def test_where_all_is_well_the_check_says_nothing(world: World, database_url: str) -> None:
    result = await run(database_url, "queue", "check")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")


async def test_the_check_names_what_is_old_held_refused_and_nearly_spent(
    world: World, database_url: str
) -> None:
    await refused(world)
    await answered(world, PAYMENTS)
    await world.hear(said("@lasse why 503?", PLATFORM))
    await world.work_off("route")
    async with world.work.begin() as tx:
        day = SystemClock().now().strftime("%Y-%m-%d")
        await tx.usage.add("data", day, 0, 4_500_000, 0)
        await tx.workspaces.pause_channel(TEAM, DATA, "the channel was archived")

    result = await run(database_url, "queue", "check")

    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    ages = {line.partition(" for ")[0] for line in lines}
    assert {"a post to C0PAY has waited", "a turn of platform has been open"} <= ages
    assert f"{DATA} of {TEAM} is held: the channel was archived" in lines
    assert "posts refused: 1; see hivebot queue" in lines
    assert "desk data has spent 90 % of the day's tokens" in lines


async def test_what_is_held_on_purpose_is_no_alarm_for_its_age(world: World) -> None:
    await answered(world)
    await operations(world).pause("payments")
    world.clock.advance(9_999)

    found = await operations(world).alarms(Limits())

    assert found == (f"{PAYMENTS} of {TEAM} is held: paused by an operator",)


# --- pausing --------------------------------------------------------------------------------------


async def test_what_waits_for_a_steward_is_named_and_is_no_alarm_for_its_age(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = await world_of(engine, clock, holding("payments"))
    await ask(world, "@hive how long does a refund take?")
    clock.advance(3_600)
    (waits,) = (await operations(world).look()).waiting
    assert (waits.kind, waits.where, waits.count) == ("gate", "payments", 1)
    assert waits.behind.startswith("a steward, at the latest until 20")
    assert await operations(world).alarms(Limits()) == ()


async def test_while_everything_is_paused_nothing_is_posted_and_nothing_is_lost(
    world: World, database_url: str
) -> None:
    assert (await run(database_url, "pause")).stdout == "Posts of every channel are held.\n"
    await answered(world)
    await answered(world, PLATFORM, "lasse")
    await world.work_off()
    assert world.poster.shown == []
    assert set((await behind(world)).values()) == {"everything is paused: paused by an operator"}

    done = await run(database_url, "resume")

    assert done.stdout == "Posts of every channel are not held any more.\n"
    await world.work_off()
    assert len(world.poster.texts(PAYMENTS, "") + world.poster.shown) == 2
    assert await behind(world) == {}


async def test_one_desk_is_paused_by_its_name_and_others_go_on(
    world: World, database_url: str
) -> None:
    await answered(world)
    assert (await run(database_url, "pause", "#payments")).exit_code == 0
    await answered(world, PLATFORM, "lasse")
    await world.work_off()
    assert {one.channel_id for one in world.poster.shown} == {PLATFORM}

    await run(database_url, "resume", PAYMENTS)
    await world.work_off()

    assert {one.channel_id for one in world.poster.shown} == {PAYMENTS, PLATFORM}


async def test_a_place_nobody_knows_is_refused(world: World, database_url: str) -> None:
    result = await run(database_url, "pause", "vault")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "there is no desk and no channel 'vault'" in result.stderr
    assert await operations(world).resume("C0vault") is Done.UNKNOWN_PLACE


async def test_before_any_process_has_run_there_is_nothing_to_pause(database_url: str) -> None:
    result = await run(database_url, "pause")
    assert result.exit_code == 2
    assert "no workspace is known yet" in result.stderr


# --- trying again ---------------------------------------------------------------------------------


async def test_a_post_that_failed_is_sent_again(world: World, database_url: str) -> None:
    number = await refused(world)
    listed = (await run(database_url, "queue")).stdout
    assert f"P{number}" in listed
    assert "no_text" in listed

    done = await run(database_url, "queue", "retry", f"P{number}")

    assert done.stdout == f"P{number} queued again.\n"
    await world.work_off()
    (row, *_) = await world.outbox(PAYMENTS)
    assert row.state is OutboxState.SENT


async def test_a_post_of_unknown_fate_is_looked_for_and_not_doubled(
    world: World, database_url: str
) -> None:
    await answered(world)
    world.poster.lose()
    await world.delivery.run(TEAM, PAYMENTS)
    (row, *_) = await world.outbox(PAYMENTS)
    await world.rows("update outbox set state = 'unknown', lookups = 6 returning 1")

    await run(database_url, "queue", "retry", "--all")
    await world.work_off()

    (row, *_) = await world.outbox(PAYMENTS)
    assert (row.state, len(world.poster.shown)) == (OutboxState.SENT, 1)


async def test_what_did_not_fail_is_not_tried_again(world: World, database_url: str) -> None:
    await answered(world)
    (row, *_) = await world.outbox(PAYMENTS)
    done = await run(database_url, "queue", "retry", str(row.id), "P999999")
    assert done.stdout.startswith("Nothing is tried again.\n")
    assert "P999999 left" in done.stdout


@pytest.mark.parametrize(
    "arguments", [("retry",), ("retry", "P1", "--all"), ("retry", "12x"), ("drop", "")]
)
async def test_what_is_no_post_is_refused(database_url: str, arguments: tuple[str, ...]) -> None:
    result = await run(database_url, "queue", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")


async def test_a_post_that_waits_can_be_dropped_and_what_waits_for_it_goes(
    world: World, database_url: str
) -> None:
    await answered(world)
    (row, *_) = await world.outbox(PAYMENTS)
    async with world.work.begin() as tx:
        linking = NewOutbox(
            OutboxKind.POST, Destination(TEAM, DATA), Body("it is there"), needs=(row.id,)
        )
        await tx.outbox.add(linking)

    done = await run(database_url, "queue", "drop", f"P{row.id}")

    assert done.stdout == f"P{row.id} will not be posted.\n"
    await world.work_off()
    assert [one.channel_id for one in world.poster.shown] == [DATA]
    again = await run(database_url, "queue", "drop", f"P{row.id}")
    assert again.exit_code == 2
