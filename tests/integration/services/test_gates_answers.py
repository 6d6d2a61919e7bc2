"""Does an answer wait until a steward lets it out? Source: product.md 7, memory.md 9."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.hive.gate import GateAct, GateKind, GateState, NoGateReason
from hivebot.services.gates import GateStep
from hivebot.services.records.policy import OnExpiry, ReferralsShown
from hivebot.services.records.replies import AnswerTurn, Ask, Known
from hivebot.services.records.rows import ReferralState, TurnState
from tests.configurations import CONFIGURATION, with_desk, without_desk
from tests.fakes.clock import FakeClock
from tests.fakes.models import ScriptedModels, failing
from tests.integration.services.stewards import (
    gate,
    gates,
    holding,
    post_of,
    press,
    world_of,
)
from tests.integration.services.stories import (
    answers,
    ask,
    begin,
    finish,
    line,
    lines,
    reload,
    turns_of,
)
from tests.integration.services.world import (
    ADMINS,
    ANA,
    PAYMENTS,
    PLATFORM,
    STEWARD,
    World,
    said,
)

pytestmark = pytest.mark.integration

REFUND = "@hive how long does a refund take?"
FIVE_DAYS = "Refunds reach the customer within five working days"
QUESTION = "@#platform does the gateway retry on 503?"


@pytest.fixture
async def held(engine: AsyncEngine, clock: FakeClock) -> World:
    """A world in which the answers of #payments wait."""
    return await world_of(engine, clock, holding("payments"))


@pytest.fixture
async def far_held(engine: AsyncEngine, clock: FakeClock) -> World:
    """A world in which the answers of #platform wait."""
    return await world_of(engine, clock, holding("platform"))


async def test_a_held_answer_is_in_no_transcript_and_in_no_post(held: World) -> None:
    asked = await ask(held, REFUND)

    assert await held.texts(PAYMENTS, asked.ts) == [REFUND]
    assert await answers(held, PAYMENTS, asked.ts) == []
    (turn,) = await held.all_turns()
    assert turn.state is TurnState.HELD
    assert await held.rows("select 1 from message where traces <> '[]'") == []


async def test_the_gate_stands_in_the_thread_calls_the_stewards_and_shows_both(
    held: World,
) -> None:
    asked = await ask(held, REFUND)

    row, post = await gate(held), await post_of(held)
    assert (row.kind, row.task_type, row.state) == (
        GateKind.ANSWER_REVIEW,
        "payments",
        GateState.OPEN,
    )
    place = post.destination
    assert (place.channel_id, place.thread_ts, place.user_id) == (PAYMENTS, asked.ts, "")
    assert post.body.mention_users == (STEWARD,)
    question, draft = post.body.quotes
    assert (question.text, question.plain, draft.plain) == (REFUND, True, True)
    assert draft.text.startswith(FIVE_DAYS)
    assert post.body.small.startswith("Waits until 20")
    assert [one.label for one in post.body.buttons] == ["Approve", "Correct", "Reject"]
    assert await lines(held, PAYMENTS, asked.ts) == [post]


async def test_an_approved_answer_is_written_and_posted_once(held: World) -> None:
    asked = await ask(held, REFUND)
    assert await press(held, GateAct.APPROVE) is GateState.APPROVED

    _, row = await held.log(PAYMENTS, asked.ts)
    (post,) = await answers(held, PAYMENTS, asked.ts)
    assert row.content.startswith(FIVE_DAYS)
    assert (post.message_id, post.turn_id, post.body.text) == (row.id, row.turn_id, row.shown)
    assert post.body.persona is not None
    assert [turn.state for turn in await held.all_turns()] == [TurnState.COMMITTED]
    assert (await held.place(PAYMENTS, asked.ts)).answered_user_id == ANA


async def test_the_gate_then_says_how_it_ended_and_by_whom_and_has_no_buttons(
    held: World,
) -> None:
    await ask(held, REFUND)
    await press(held, GateAct.APPROVE)

    body = (await post_of(held)).body
    assert body.heading == "Approved by Stew · #payments"
    assert body.buttons == ()
    assert body.mention_users == ()


async def test_a_correction_stands_instead_of_the_answer(held: World) -> None:
    asked = await ask(held, REFUND)
    await press(held, GateAct.CORRECT, "Three days.\n!propose #refunds")

    _, row = await held.log(PAYMENTS, asked.ts)
    (post,) = await answers(held, PAYMENTS, asked.ts)
    assert row.content == "Three days.\n\u2060!propose #refunds"
    assert post.body.text == "Three days.\n!propose #refunds"
    assert (post.body.small, post.body.sources) == ("Corrected by a steward", ())
    assert (await post_of(held)).body.heading == "Corrected by Stew · #payments"
    assert (await gate(held)).words == "Three days.\n!propose #refunds"


async def test_a_rejected_answer_is_one_line_that_says_why(held: World) -> None:
    asked = await ask(held, REFUND)
    await press(held, GateAct.REJECT, "it is not settled yet")

    _, told = await lines(held, PAYMENTS, asked.ts)
    assert told.body.text == (
        "I could not answer: a steward did not approve it (it is not settled yet)."
    )
    assert told.body.small.endswith(f"G{(await gate(held)).id}")
    assert await held.texts(PAYMENTS, asked.ts) == [REFUND]
    (turn,) = await held.all_turns()
    assert (turn.state, turn.reply) == (TurnState.FAILED, None)


async def test_a_second_question_in_the_thread_is_answered_once_the_first_is_settled(
    held: World,
) -> None:
    asked = await ask(held, REFUND)
    await ask(held, "@hive and when do we settle?", thread_ts=asked.ts)
    assert len(await held.all_turns()) == 1

    await press(held, GateAct.APPROVE)
    assert [turn.state for turn in await held.all_turns()] == [
        TurnState.COMMITTED,
        TurnState.HELD,
    ]
    await press(held, GateAct.APPROVE)
    texts = [post.body.text for post in await answers(held, PAYMENTS, asked.ts)]
    assert len(texts) == 2
    assert "02:00" in texts[1]


async def test_a_second_press_and_a_second_run_of_the_job_change_nothing(held: World) -> None:
    asked = await ask(held, REFUND)
    await press(held, GateAct.APPROVE)
    before = await gate(held)

    assert await press(held, GateAct.REJECT) is NoGateReason.DECIDED
    assert await held.gates.settle(before.id) is GateStep.NOTHING
    assert await held.gates.open(before.id) is GateStep.NOTHING
    await finish(held)
    assert await gate(held) == before
    assert len(await answers(held, PAYMENTS, asked.ts)) == 1


async def test_a_failure_needs_no_steward(
    engine: AsyncEngine, clock: FakeClock, models: ScriptedModels
) -> None:
    world = await world_of(engine, clock, holding("payments"), models)
    models.will("pia", "answer", failing())
    asked = await ask(world, REFUND)

    assert await gates(world) == []
    (post,) = await answers(world, PAYMENTS, asked.ts)
    assert "the model took too long" in post.body.text


async def test_an_answer_that_asks_on_shows_the_question_and_asks_it_once_approved(
    engine: AsyncEngine, clock: FakeClock, models: ScriptedModels
) -> None:
    world = await world_of(engine, clock, holding("payments"), models)
    asking = Ask("platform", "does the gateway retry on 503?")
    models.will("pia", "answer", AnswerTurn(Known.KNOWN, "I think so.", (0,), (), asking))
    await ask(world, "@hive do we retry?")
    row = await gate(world)
    assert row.artifact == "I think so.\n\n@#platform does the gateway retry on 503?"
    assert await world.all_referrals() == []

    await press(world, GateAct.APPROVE)
    assert [one.to_desk_id for one in await world.all_referrals()] == ["platform"]


async def test_a_corrected_answer_asks_nothing(
    engine: AsyncEngine, clock: FakeClock, models: ScriptedModels
) -> None:
    world = await world_of(engine, clock, holding("payments"), models)
    asking = Ask("platform", "does the gateway retry on 503?")
    models.will("pia", "answer", AnswerTurn(Known.KNOWN, "I think so.", (0,), (), asking))
    await ask(world, "@hive do we retry?")
    await press(world, GateAct.CORRECT, "Yes, @#platform says so.")

    assert await world.all_referrals() == []


# Answers to other desks.


async def test_whoever_asked_reads_that_a_far_answer_waits(far_held: World) -> None:
    asked = await ask(far_held, QUESTION)

    status = await line(far_held, PAYMENTS, asked.ts)
    assert status.body.text.startswith("Asked #platform · waiting for a steward there until 20")
    post = await post_of(far_held)
    assert (post.destination.channel_id, post.destination.thread_ts) == (PLATFORM, "")
    assert len(await far_held.log(PLATFORM)) == 1


async def test_a_released_far_answer_comes_home(far_held: World) -> None:
    asked = await ask(far_held, QUESTION)
    await press(far_held, GateAct.APPROVE)

    assert [one.state for one in await far_held.all_referrals()] == [ReferralState.ANSWERED]
    (told,) = await answers(far_held, PAYMENTS, asked.ts)
    assert "503 twice" in told.body.quotes[0].text
    assert "has answered" in (await line(far_held, PAYMENTS, asked.ts)).body.text


async def test_a_released_far_answer_is_shown_under_the_question_where_the_desk_says_so(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    shown = with_desk("platform", CONFIGURATION, referral__shown=ReferralsShown.THREAD)
    world = await world_of(engine, clock, holding("platform", shown))
    await ask(world, QUESTION)
    await press(world, GateAct.APPROVE)

    question, answer = await answers(world, PLATFORM)
    assert answer.thread_of == question.id


async def test_a_rejected_far_answer_ends_the_question_as_refused_with_one_line(
    far_held: World,
) -> None:
    asked = await ask(far_held, QUESTION)
    await press(far_held, GateAct.REJECT)

    (ended,) = await far_held.all_referrals()
    assert (ended.state, ended.reason) == (ReferralState.REFUSED, "a steward did not approve it")
    status = await line(far_held, PAYMENTS, asked.ts)
    assert status.body.text == "#platform could not answer: a steward did not approve it"
    assert len(await turns_of(far_held, "sponsor")) == 1
    assert len(await far_held.log(PLATFORM)) == 1


async def test_a_far_answer_released_after_the_question_expired_is_told_as_late(
    far_held: World, clock: FakeClock
) -> None:
    asked = await ask(far_held, QUESTION)
    clock.advance(601)
    await far_held.upkeep.run()
    await finish(far_held)
    assert [one.state for one in await far_held.all_referrals()] == [ReferralState.EXPIRED]

    await press(far_held, GateAct.APPROVE)
    assert "late" in (await line(far_held, PAYMENTS, asked.ts)).body.text
    assert "late" in (await answers(far_held, PAYMENTS, asked.ts))[-1].body.small


async def test_what_a_sponsor_passes_on_is_held_too_and_shows_the_far_answer(held: World) -> None:
    asked = await ask(held, QUESTION)

    row = await gate(held)
    assert row.artifact.startswith("Lasse, #platform: The gateway retries a 503 twice")
    assert await answers(held, PAYMENTS, asked.ts) == []
    await press(held, GateAct.REJECT)
    told = (await lines(held, PAYMENTS, asked.ts))[-1]
    assert told.body.text == "I could not answer: a steward did not approve it."


# Places.


async def test_in_a_gate_channel_the_gate_stands_alone_and_the_thread_says_it_waits(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = await world_of(engine, clock, holding("payments", gates__channel=ADMINS))
    asked = await ask(world, REFUND)

    post = await post_of(world)
    assert (post.destination.channel_id, post.destination.thread_ts) == (ADMINS, "")
    status = await line(world, PAYMENTS, asked.ts)
    assert status.body.text.startswith("Waits for a steward of #payments until 20")
    await press(world, GateAct.APPROVE)
    status = await line(world, PAYMENTS, asked.ts)
    assert status.body.text == "Approved by a steward of #payments"
    assert len(await answers(world, PAYMENTS, asked.ts)) == 1


async def test_a_desk_that_is_gone_shows_no_gate_and_its_answer_is_dropped_in_time(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = await world_of(engine, clock, holding("payments"))
    await begin(world)
    asked = said(REFUND, addressed=True)
    await world.hear(asked)
    await world.work_off("route", "speak")
    await reload(world, without_desk("payments"))
    await finish(world)
    assert (await gate(world)).post_id is None

    clock.advance(86_400)
    assert await world.gates.look() == (0, 1)
    await finish(world)
    assert [turn.state for turn in await world.all_turns()] == [TurnState.FAILED]
    told = await line(world, PAYMENTS, asked.ts)
    assert told.body.text == "I could not answer: no steward decided in time."


# Time.


async def test_it_reminds_once_at_half_its_life_with_a_call_and_without_the_answer(
    held: World, clock: FakeClock
) -> None:
    asked = await ask(held, REFUND)
    clock.advance(43_199)
    assert await held.gates.look() == (0, 0)
    clock.advance(1)
    assert await held.gates.look() == (1, 0)
    assert await held.gates.look() == (0, 0)
    await finish(held)

    _, reminder = await lines(held, PAYMENTS, asked.ts)
    assert reminder.body.heading == "Reminder: An answer waits to be sent · #payments"
    assert reminder.body.mention_users == (STEWARD,)
    assert (reminder.body.quotes, reminder.body.buttons) == ((), ())


async def test_in_a_gate_channel_the_reminder_stands_under_the_gate(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = await world_of(engine, clock, holding("payments", gates__channel=ADMINS))
    await ask(world, REFUND)
    clock.advance(43_200)
    await world.gates.look()

    reminder = (await world.outbox(ADMINS))[-1]
    assert reminder.thread_of == (await gate(world)).post_id


async def test_a_gate_not_shown_yet_reminds_of_nothing(held: World, clock: FakeClock) -> None:
    await held.hear(said(REFUND, addressed=True))
    await held.work_off("route", "speak")
    clock.advance(43_200)
    await held.gates.look()

    assert await held.outbox() == []


@pytest.mark.parametrize("expiry", ["drop", "release"])
async def test_what_nobody_decided_is_dropped_or_released_as_configured(
    engine: AsyncEngine, clock: FakeClock, expiry: str
) -> None:
    world = await world_of(engine, clock, holding("payments", gates__on_expiry=OnExpiry(expiry)))
    asked = await ask(world, REFUND)
    clock.advance(86_400)
    assert await world.gates.look() == (0, 1)
    assert await world.gates.look() == (0, 0)
    await finish(world)

    assert (await gate(world)).state is GateState.EXPIRED
    assert (await post_of(world)).body.heading == "Nobody decided in time · #payments"
    posted = [post.body.text for post in await answers(world, PAYMENTS, asked.ts)]
    assert len(posted) == (1 if expiry == "release" else 0)
    told = (await lines(world, PAYMENTS, asked.ts))[-1].body.text
    assert ("no steward decided in time" in told) is (expiry == "drop")


async def test_nothing_is_decided_after_the_end_even_before_the_clock_has_looked(
    held: World, clock: FakeClock
) -> None:
    await ask(held, REFUND)
    clock.advance(86_400)

    assert await press(held, GateAct.APPROVE) is NoGateReason.EXPIRED
    assert (await gate(held)).expires_at - clock.now() == timedelta(0)
