"""What becomes of a desk whose channel, membership or workspace changes? Source: product.md 10."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from hivebot.services.intake import Receipt
from hivebot.services.operations import Operations
from hivebot.services.ports import NewOutbox
from hivebot.services.ports.keeping import BY_OPERATOR
from hivebot.services.records.arrivals import (
    ChannelChange,
    ChannelChanged,
    MembershipChanged,
    Speaker,
    SpeakerKind,
    WorkspaceGone,
)
from hivebot.services.records.outgoing import Body, Destination, OutboxKind
from hivebot.services.records.rows import OutboxRow
from tests.integration.services.world import (
    ANA,
    BOT,
    PAYMENTS,
    PLATFORM,
    TEAM,
    World,
    key,
    said,
)

pytestmark = pytest.mark.integration

OWN = Speaker(SpeakerKind.SELF, BOT, TEAM, "B0BOT")


def changed(change: ChannelChange, new: str = "") -> ChannelChanged:
    return ChannelChanged(key(), PAYMENTS, change, new)


async def paused(world: World, channel_id: str = PAYMENTS) -> str:
    async with world.work.begin() as tx:
        return await tx.workspaces.paused(TEAM, channel_id)


async def queued(world: World, channel_id: str = PAYMENTS) -> OutboxRow:
    async with world.work.begin() as tx:
        return await tx.outbox.add(
            NewOutbox(OutboxKind.POST, Destination(TEAM, channel_id), Body(text="waiting"))
        )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("archived", "the channel was archived"),
        ("deleted", "the channel was deleted"),
        ("shared", "the channel was shared"),
    ],
)
async def test_a_channel_that_can_take_no_posts_is_paused_with_the_reason(
    world: World, change: ChannelChange, reason: str
) -> None:
    await queued(world)

    assert await world.hear(changed(change)) is Receipt.NOTED
    await world.upkeep.run()
    await world.work_off()

    assert await paused(world) == reason
    assert world.poster.texts(PAYMENTS) == []


@pytest.mark.parametrize(("first", "then"), [("archived", "unarchived"), ("shared", "unshared")])
async def test_a_channel_that_is_back_is_sent_what_has_waited(
    world: World, first: ChannelChange, then: ChannelChange
) -> None:
    await world.hear(changed(first))
    await queued(world)

    await world.hear(changed(then))
    await world.work_off()

    assert await paused(world) == ""
    assert world.poster.texts(PAYMENTS) == ["waiting"]


async def test_a_question_in_a_paused_channel_is_kept_and_told_so_privately(world: World) -> None:
    await world.hear(changed("shared"))

    await world.hear(said("@pia why do refunds wait?"))
    await world.work_off("route")

    assert await world.all_turns() == []
    (told,) = await world.outbox(PAYMENTS)
    assert told.destination.user_id == ANA
    assert "the channel was shared" in told.body.text


async def test_a_renamed_channel_stays_bound(world: World) -> None:
    assert await world.hear(changed("renamed", "refunds")) is Receipt.NOTED

    assert await paused(world) == ""
    await world.hear(said("hello"))
    assert (await world.place(PAYMENTS)).desk_id == "payments"


async def test_a_channel_with_a_new_id_keeps_its_log_and_its_queue(world: World) -> None:
    await world.hear(said("hello"))
    await queued(world)

    await world.hear(changed("id_changed", "C0NEW"))
    await world.work_off()

    assert await world.texts("C0NEW") == ["hello"]
    assert world.poster.texts("C0NEW") == ["waiting"]


async def test_the_bot_leaving_pauses_the_channel_and_its_return_resumes_it(world: World) -> None:
    await queued(world)

    assert await world.hear(MembershipChanged(key(), PAYMENTS, BOT, joined=False)) is (
        Receipt.NOTED
    )
    assert await paused(world) == "the bot was removed from the channel"

    await world.hear(MembershipChanged(key(), PAYMENTS, BOT, joined=True))
    await world.work_off()
    assert await paused(world) == ""
    assert world.poster.texts(PAYMENTS) == ["waiting"]


@pytest.mark.parametrize(
    "told",
    [
        (changed("archived"), changed("unarchived")),
        (changed("shared"), changed("unshared")),
        tuple(MembershipChanged(key(), PAYMENTS, BOT, joined=joined) for joined in (False, True)),
        (changed("unarchived"),),
    ],
)
async def test_nothing_slack_tells_lifts_what_an_operator_has_paused(
    world: World, told: tuple[ChannelChanged | MembershipChanged, ...]
) -> None:
    await queued(world)
    operations = Operations(world.work, world.policies, world.clock)
    await operations.pause("payments")

    for arrival in told:
        await world.hear(replace(arrival, key=key()))
    await world.work_off()

    assert await paused(world) == BY_OPERATOR
    assert world.poster.texts(PAYMENTS) == []

    await operations.resume("payments")
    await world.work_off()
    assert await paused(world) == ""
    assert world.poster.texts(PAYMENTS) == ["waiting"]


async def test_an_operators_pause_follows_the_channel_to_its_new_id(world: World) -> None:
    await Operations(world.work, world.policies, world.clock).pause("payments")

    await world.hear(changed("id_changed", "C0NEW"))

    assert (await paused(world), await paused(world, "C0NEW")) == ("", BY_OPERATOR)


async def test_other_peoples_moves_change_nothing(world: World) -> None:
    left = MembershipChanged(key(), PAYMENTS, ANA, joined=False)
    elsewhere = replace(left, key=key(team_id="T0OTHER"), user_id=BOT)

    assert await world.hear(left) is Receipt.IGNORED
    assert await world.hear(elsewhere) is Receipt.IGNORED

    assert await paused(world) == ""


async def test_a_workspace_that_is_gone_is_sent_nothing(world: World) -> None:
    await queued(world)

    assert await world.hear(WorkspaceGone(key(), "app_uninstalled")) is Receipt.NOTED
    await world.upkeep.run()
    await world.work_off()

    async with world.work.begin() as tx:
        row = await tx.workspaces.get(TEAM)
    assert row is not None
    assert (row.state, row.reason) == ("stopped", "app_uninstalled")
    assert world.poster.shown == []


# --- our own posts coming back --------------------------------------------------------------------


async def claimed(world: World, channel_id: str) -> OutboxRow:
    row = await queued(world, channel_id)
    now = world.clock.now()
    async with world.work.begin() as tx:
        taken = await tx.outbox.claim(row.id, now, now + timedelta(seconds=3))
    assert taken is not None
    return taken


async def seen(world: World, row: OutboxRow) -> tuple[tuple[int, str], ...]:
    async with world.work.begin() as tx:
        found = await tx.outbox.get(row.id)
    assert found is not None
    return found.seen


async def test_our_own_post_is_linked_to_the_row_it_was_made_from(world: World) -> None:
    row = await claimed(world, PAYMENTS)
    echo = replace(said("waiting", by=OWN, ts="1700000100.000500"), outbox_id=row.id, outbox_part=1)

    assert await world.hear(echo) is Receipt.OWN_MESSAGE

    assert await seen(world, row) == ((1, "1700000100.000500"),)
    assert await world.log(PAYMENTS) == ()


async def test_a_post_to_a_person_comes_back_from_their_direct_channel(world: World) -> None:
    row = await claimed(world, ANA)

    await world.hear(replace(said("waiting", "D0ANA", by=OWN, ts="1.5"), outbox_id=row.id))

    assert await seen(world, row) == ((0, "1.5"),)


@pytest.mark.parametrize(
    ("channel_id", "team_id", "outbox_id"),
    [(PLATFORM, TEAM, 1), (PAYMENTS, "T0OTHER", 1), (PAYMENTS, TEAM, 99), (PAYMENTS, TEAM, 0)],
    ids=["another channel", "another team", "no such row", "no row"],
)
async def test_metadata_that_does_not_fit_links_nothing(
    world: World, channel_id: str, team_id: str, outbox_id: int
) -> None:
    row = await claimed(world, PAYMENTS)
    echo = replace(said("waiting", channel_id, by=OWN), key=key(team_id=team_id))

    await world.hear(replace(echo, outbox_id=outbox_id))

    assert await seen(world, row) == ()
