"""Who learns that Slack did not take a message of a question's way? Source: product.md 10."""

from __future__ import annotations

import pytest

from hivebot.services.records.outgoing import Body, OutboxState, SendFailure
from hivebot.services.records.rows import (
    OutboxRow,
    ReferralState,
    TurnKind,
    TurnState,
)
from tests.integration.services.world import (
    ADMINS,
    ANA,
    PAYMENTS,
    PLATFORM,
    World,
    said,
)

pytestmark = pytest.mark.integration

NOT_MEMBER = SendFailure("not_member", "not_in_channel")
QUESTION = "@#platform why do calls to charge time out?"


async def bodies(world: World, channel_id: str) -> list[Body]:
    return [row.body for row in await world.outbox(channel_id)]


async def crossed(world: World) -> str:
    """A question of Ana's on its way to the platform desk, nothing sent yet; the thread's ts."""
    question = said(QUESTION)
    await world.hear(question)
    await world.work_off("route")
    return question.ts


async def status(world: World) -> OutboxRow:
    (referral,) = await world.all_referrals()
    return next(row for row in await world.outbox() if row.id == referral.status_id)


async def test_whoever_asked_learns_by_direct_message_that_the_answer_was_not_shown(
    world: World,
) -> None:
    await world.hear(said("@pia why do refunds wait?"))
    await world.work_off("route", "speak")
    world.poster.fail(NOT_MEMBER)

    await world.work_off()

    (answer,) = await world.outbox(PAYMENTS)
    (told,) = await bodies(world, ANA)
    assert told.text == (
        "Your question was answered, and the answer could not be posted: the bot is not in that "
        "channel."
    )
    assert told.small.endswith(f"Reference P{answer.id}")
    assert world.poster.texts("D0ANA") == [f"{told.text}\n{told.small}"]
    assert len(await bodies(world, ADMINS)) == 1


async def test_an_edit_of_an_answer_that_slack_refuses_is_for_the_admins_alone(
    world: World,
) -> None:
    await world.hear(said("@pia why do refunds wait?"))
    await world.work_off()
    (answer,) = await world.outbox(PAYMENTS)
    async with world.work.begin() as tx:
        await tx.outbox.revise(answer.id, Body(text="corrected"))
    world.poster.fail(SendFailure("cannot_edit", "edit_window_closed"))

    await world.delivery.run("T0HIVE", PAYMENTS)

    assert await bodies(world, ANA) == []
    assert len(await bodies(world, ADMINS)) == 1


async def test_a_far_question_that_cannot_be_posted_ends_its_referral(world: World) -> None:
    thread_ts = await crossed(world)
    world.poster.fail(NOT_MEMBER)

    await world.work_off("deliver")

    (referral,) = await world.all_referrals()
    assert (referral.state, referral.reason) == (
        ReferralState.FAILED,
        "the bot is not in that channel",
    )
    told = (await status(world)).body
    assert told.text == "#platform could not answer: the bot is not in that channel"
    far, sponsor = await world.all_turns()
    assert (far.kind, far.state) == (TurnKind.REFERRED, TurnState.CANCELLED)
    assert (sponsor.kind, sponsor.state) == (TurnKind.SPONSOR, TurnState.WAITING)

    await world.work_off()

    assert world.poster.texts(PLATFORM) == []
    line, passed_on = world.poster.texts(PAYMENTS, thread_ts)
    assert line.startswith(told.text)
    assert "the bot is not in that channel" in passed_on
    assert len(await bodies(world, ADMINS)) == 1
    assert await bodies(world, ANA) == []


async def test_an_edit_of_a_far_question_that_slack_refuses_ends_nothing(world: World) -> None:
    await crossed(world)
    await world.work_off("deliver")
    (question,) = await world.outbox(PLATFORM)
    async with world.work.begin() as tx:
        await tx.outbox.revise(question.id, Body(text="corrected"))
    world.poster.fail(SendFailure("cannot_edit", "edit_window_closed"))

    await world.delivery.run("T0HIVE", PLATFORM)

    assert (await world.all_referrals())[0].state is ReferralState.ASKED
    assert len(await bodies(world, ADMINS)) == 1


async def test_an_answer_that_is_there_all_the_same_comes_home(world: World) -> None:
    thread_ts = await crossed(world)
    await world.work_off("speak")
    world.poster.fail(NOT_MEMBER)

    await world.work_off()

    (referral,) = await world.all_referrals()
    assert referral.state is ReferralState.ANSWERED
    assert [turn.state for turn in await world.all_turns()] == [TurnState.COMMITTED] * 2
    assert world.poster.texts(PAYMENTS, thread_ts)[0].startswith("#platform has answered")


async def test_a_far_answer_that_cannot_be_shown_there_comes_home_without_a_complaint(
    world: World,
) -> None:
    thread_ts = await crossed(world)
    await world.work_off("deliver")
    await world.work_off("speak")
    world.poster.fail(NOT_MEMBER)

    await world.work_off("deliver")
    await world.work_off()

    _, answer = await world.outbox(PLATFORM)
    assert answer.state is OutboxState.FAILED
    assert (await world.all_referrals())[0].state is ReferralState.ANSWERED
    assert len(world.poster.texts(PAYMENTS, thread_ts)) == 2
    sponsors = await world.outbox(PAYMENTS)
    assert sponsors[-1].body.quotes[0].link == f"outbox:{answer.id}"
    assert await bodies(world, ANA) == []
    assert len(await bodies(world, ADMINS)) == 1


async def test_a_line_that_cannot_be_shown_is_for_the_admins(world: World) -> None:
    await crossed(world)
    line = await status(world)
    world.poster.fail(NOT_MEMBER)

    await world.delivery.run("T0HIVE", PAYMENTS)

    assert (await status(world)).state is OutboxState.FAILED
    assert line.body.text == "Asked #platform · waiting for its answer"
    (told,) = await bodies(world, ADMINS)
    assert "not_in_channel" in told.text
    assert (await world.all_referrals())[0].state is ReferralState.ASKED
