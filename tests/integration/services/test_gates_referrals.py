"""Does a question wait until stewards let it cross? Source: product.md 7, rights.md 2."""

from __future__ import annotations

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.hive.crossing import Reach, ReachKind
from hivebot.hive.gate import GateAct, GateKind, GateState, NoGateReason
from hivebot.services.ports import ChannelFacts
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.policy import OnExpiry
from hivebot.services.records.replies import NO_ASK, AnswerTurn, Ask, Known
from hivebot.services.records.rows import ReferralState
from tests.configurations import CONFIGURATION, with_desk
from tests.fakes.clock import FakeClock
from tests.fakes.models import ScriptedModels
from tests.integration.services.stewards import gate, gates, post_of, press, world_of
from tests.integration.services.stories import answers, ask, decisions, finish, line, lines
from tests.integration.services.world import (
    ADMINS,
    PAYMENTS,
    PLATFORM,
    STEWARD,
    World,
    deleted,
    edited,
    said,
)

pytestmark = pytest.mark.integration

WORDS = "does the gateway retry on 503?"
QUESTION = f"@#platform {WORDS}"
GATE = Reach(ReachKind.GATE)
ASKS = with_desk("payments", asks=GATE)
ANSWERS = with_desk("platform", answers=GATE)


@pytest.fixture
async def asks(engine: AsyncEngine, clock: FakeClock) -> World:
    """A world in which the questions of #payments wait."""
    return await world_of(engine, clock, ASKS)


@pytest.fixture
async def asked_by_gate(engine: AsyncEngine, clock: FakeClock) -> World:
    """A world in which questions to #platform wait there."""
    return await world_of(engine, clock, ANSWERS)


def private_payments(world: World) -> None:
    """Let #payments be a private channel."""
    world.directory.channels[PAYMENTS] = ChannelFacts(
        PAYMENTS, "payments", Audience.PRIVATE, archived=False, member=True
    )


async def crossed(world: World) -> list[str]:
    """What stands on the far desk's channel, asked or answered."""
    return await world.texts(PLATFORM)


async def test_a_question_waits_in_its_thread_and_shows_what_would_cross(asks: World) -> None:
    asked = await ask(asks, QUESTION)

    row, post = await gate(asks), await post_of(asks)
    assert (row.kind, row.desk_id, row.task_type) == (
        GateKind.REFERRAL_REVIEW,
        "payments",
        "payments>platform",
    )
    assert (post.destination.channel_id, post.destination.thread_ts) == (PAYMENTS, asked.ts)
    assert post.body.heading == "A question wants to leave this desk · #payments to #platform"
    assert post.body.mention_users == (STEWARD,)
    assert [quote.text for quote in post.body.quotes] == [QUESTION, f"To #platform: {WORDS}"]
    assert await crossed(asks) == []
    assert [one.reason for one in await decisions(asks, "crossing")] == ["asks_needs_gate"]


async def test_an_approved_question_crosses_and_is_answered(asks: World) -> None:
    asked = await ask(asks, QUESTION)
    assert await press(asks, GateAct.APPROVE) is GateState.APPROVED

    assert [one.state for one in await asks.all_referrals()] == [ReferralState.ANSWERED]
    assert (await crossed(asks))[0] == WORDS
    (told,) = await answers(asks, PAYMENTS, asked.ts)
    assert "503 twice" in told.body.quotes[0].text
    assert len(await gates(asks)) == 1


async def test_a_corrected_question_crosses_in_the_words_of_the_steward(asks: World) -> None:
    await ask(asks, QUESTION)
    await press(asks, GateAct.CORRECT, "How often is a 503 retried?\n!propose #x @#data")

    assert (await crossed(asks))[0] == (
        "How often is a 503 retried?\n\u2060!propose #x @\u2060#data"
    )


async def test_a_rejected_question_is_one_line_that_says_why(asks: World) -> None:
    asked = await ask(asks, QUESTION)
    await press(asks, GateAct.REJECT)

    _, told = await lines(asks, PAYMENTS, asked.ts)
    assert told.body.text == "Your question was not passed on: a steward did not approve it."
    assert told.body.small.endswith(f"G{(await gate(asks)).id}")
    assert await crossed(asks) == []
    assert await asks.all_turns() == []


@pytest.mark.parametrize("expiry", ["drop", "release"])
async def test_a_question_nobody_decided_is_dropped_or_let_go_as_configured(
    engine: AsyncEngine, clock: FakeClock, expiry: str
) -> None:
    settings = with_desk("payments", ASKS, gates__on_expiry=OnExpiry(expiry))
    world = await world_of(engine, clock, settings)
    await ask(world, QUESTION)
    clock.advance(86_400)
    await world.gates.look()
    await finish(world)

    assert len(await world.all_referrals()) == (1 if expiry == "release" else 0)


async def test_a_question_to_a_desk_that_answers_by_gate_waits_there(
    asked_by_gate: World,
) -> None:
    asked = await ask(asked_by_gate, QUESTION)

    row, post = await gate(asked_by_gate), await post_of(asked_by_gate)
    assert row.desk_id == "platform"
    assert (post.destination.channel_id, post.destination.thread_ts) == (PLATFORM, "")
    assert (
        post.body.heading == "A question of another desk wants to come in · #payments to #platform"
    )
    assert [quote.text for quote in post.body.quotes] == [f"To #platform: {WORDS}"]
    status = await line(asked_by_gate, PAYMENTS, asked.ts)
    assert status.body.text.startswith("Waits for a steward of #platform until 20")
    assert await crossed(asked_by_gate) == []

    await press(asked_by_gate, GateAct.APPROVE)
    told, status = await lines(asked_by_gate, PAYMENTS, asked.ts)
    assert told.body.text == "Approved by a steward of #platform"
    assert status.body.text == "#platform has answered"


async def test_where_both_desks_want_it_each_decides_and_the_second_sees_the_first_ones_words(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = await world_of(engine, clock, with_desk("payments", ANSWERS, asks=GATE))
    await ask(world, QUESTION)
    assert [one.desk_id for one in await gates(world)] == ["payments"]
    await press(world, GateAct.CORRECT, "How often is a 503 retried?")
    assert [one.desk_id for one in await gates(world)] == ["payments", "platform"]
    assert (await gate(world)).artifact == "To #platform: How often is a 503 retried?"
    assert await world.all_referrals() == []

    await press(world, GateAct.APPROVE)
    assert (await crossed(world))[0] == "How often is a 503 retried?"


# Audiences.


async def test_a_wider_audience_waits_for_a_steward_of_the_desk_that_asks(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = await world_of(engine, clock, CONFIGURATION)
    private_payments(world)
    await ask(world, QUESTION, audience=Audience.PRIVATE)
    assert (await gate(world)).desk_id == "payments"
    assert await crossed(world) == []

    await press(world, GateAct.APPROVE)
    question, _ = await answers(world, PLATFORM)
    assert question.body.heading == "Question from a private desk · Pia"


async def test_nothing_of_a_private_question_is_shown_over_there_before_it_may_leave(
    asked_by_gate: World,
) -> None:
    # a far desk that lists nobody by name answers no private one: here it does, by gate
    private_payments(asked_by_gate)
    await ask(asked_by_gate, QUESTION, audience=Audience.PRIVATE)
    assert [one.desk_id for one in await gates(asked_by_gate)] == ["payments"]
    assert await asked_by_gate.outbox(PLATFORM) == []

    await press(asked_by_gate, GateAct.APPROVE)
    post = await post_of(asked_by_gate)
    assert post.destination.channel_id == PLATFORM
    assert post.body.heading == (
        "A question of another desk wants to come in · a private desk to #platform"
    )
    await press(asked_by_gate, GateAct.REJECT)
    body = (await post_of(asked_by_gate)).body
    assert body.heading == "Rejected by Stew · a private desk to #platform"


async def test_no_steward_is_bothered_with_what_none_could_allow(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    settings = with_desk("payments", ASKS, referral__per_hour=0)
    world = await world_of(engine, clock, settings)
    await ask(world, QUESTION)

    assert await gates(world) == []
    assert [one.reason for one in await decisions(world, "crossing")] == ["too_many_per_hour"]


async def test_the_right_to_ask_is_judged_again_once_the_steward_has_decided(asks: World) -> None:
    asked = await ask(asks, QUESTION)
    async with asks.work.begin() as tx:
        await tx.workspaces.pause_channel("T0HIVE", PLATFORM, "the channel was archived")
    await press(asks, GateAct.APPROVE)

    assert await asks.all_referrals() == []
    assert "was not passed on" in (await lines(asks, PAYMENTS, asked.ts))[-1].body.text


# Edits.


async def test_an_edit_voids_the_gate_and_asks_again_with_the_new_words(asks: World) -> None:
    asked = await ask(asks, QUESTION)
    first = await gate(asks)
    await asks.hear(edited(asked, "@#platform does the gateway retry on 504?"))
    await finish(asks)

    old, new = await gates(asks)
    assert (old.state, new.state) == (GateState.VOID, GateState.OPEN)
    assert new.artifact == "To #platform: does the gateway retry on 504?"
    body = (await post_of(asks, old)).body
    assert body.heading.startswith("What was to be approved has changed")
    assert body.buttons == ()
    assert await press(asks, GateAct.APPROVE, row=first) is NoGateReason.VOID
    assert await asks.all_referrals() == []

    await press(asks, GateAct.APPROVE)
    assert (await crossed(asks))[0] == "does the gateway retry on 504?"


async def test_an_edit_between_the_approval_and_the_crossing_asks_again(asks: World) -> None:
    asked = await ask(asks, QUESTION)
    row = await gate(asks)
    async with asks.work.begin() as tx:
        await tx.gates.end(row.id, GateState.APPROVED, asks.clock.now(), act=GateAct.APPROVE)
        await tx.jobs.settle_gate(row.id, row.desk_id)
    await asks.hear(edited(asked, "@#platform does the gateway retry on 504?"))
    await finish(asks)

    assert [one.state for one in await gates(asks)] == [GateState.APPROVED, GateState.OPEN]
    assert await asks.all_referrals() == []


async def test_an_edit_back_asks_once_more(asks: World) -> None:
    asked = await ask(asks, QUESTION)
    await asks.hear(edited(asked, "@#platform does the gateway retry on 504?"))
    await finish(asks)
    await asks.hear(edited(asked, QUESTION))
    await finish(asks)

    assert [one.state for one in await gates(asks)] == [
        GateState.VOID,
        GateState.VOID,
        GateState.OPEN,
    ]


async def test_an_edit_that_asks_nobody_else_any_more_is_answered_here(asks: World) -> None:
    asked = await ask(asks, QUESTION)
    await asks.hear(edited(asked, "@hive how long does a refund take?", addressed=True))
    await finish(asks)

    assert [one.state for one in await gates(asks)] == [GateState.VOID]
    (post,) = await answers(asks, PAYMENTS, asked.ts)
    assert "five working days" in post.body.text


async def test_an_edit_that_waits_elsewhere_closes_the_line_that_said_it_waits(
    asked_by_gate: World,
) -> None:
    asked = await ask(asked_by_gate, QUESTION)
    await asked_by_gate.hear(edited(asked, "@#platform does the gateway retry on 504?"))
    await finish(asked_by_gate)

    old, new = await lines(asked_by_gate, PAYMENTS, asked.ts)
    assert old.body.text.startswith("What was to be approved has changed")
    assert new.body.text.startswith("Waits for a steward of #platform")


async def test_an_edit_of_a_question_whose_answer_waits_leaves_its_gate(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = await world_of(engine, clock, with_desk("payments", gates__answers=True))
    asked = await ask(world, "@hive how long does a refund take?")
    await world.hear(edited(asked, "@hive how long does a refund last?", addressed=True))
    await finish(world)

    assert [one.state for one in await gates(world)] == [GateState.OPEN]


async def test_the_twin_of_a_question_that_waits_opens_no_second_gate(asks: World) -> None:
    asked = said(QUESTION)
    await asks.hear(asked)
    await finish(asks)
    await asks.hear(said(QUESTION, ts=asked.ts, addressed=True))
    await finish(asks)

    assert len(await gates(asks)) == 1


async def test_a_rejected_question_that_is_judged_anew_is_not_asked_again(asks: World) -> None:
    asked = said(QUESTION)
    await asks.hear(asked)
    await finish(asks)
    await press(asks, GateAct.REJECT)
    async with asks.work.begin() as tx:
        await tx.messages.mark_judged((await gate(asks)).message_id, judged=False)
        await tx.jobs.route((await gate(asks)).conversation_id)
    await finish(asks)

    assert [one.state for one in await gates(asks)] == [GateState.REJECTED]
    assert await asks.all_referrals() == []


# Agents that ask on, and what happens when the question goes.


async def test_a_question_an_agent_asks_waits_too_and_goes_with_the_question_it_serves(
    engine: AsyncEngine, clock: FakeClock, models: ScriptedModels
) -> None:
    world = await world_of(engine, clock, ASKS, models)
    models.will("pia", "answer", AnswerTurn(Known.UNKNOWN, "", (), (), Ask("platform", WORDS)))
    asked = await ask(world, "@hive do we retry PLANTED?")
    row = await gate(world)
    assert row.artifact == f"To #platform: {WORDS}"

    await world.hear(deleted(asked))
    await finish(world)
    assert (await gate(world)).state is GateState.VOID
    assert await press(world, GateAct.APPROVE) is NoGateReason.VOID
    assert await world.all_referrals() == []


async def test_a_removed_question_is_gone_from_its_gate_and_crosses_never(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = await world_of(engine, clock, with_desk("payments", ASKS, gates__channel=ADMINS))
    asked = await ask(world, "@#platform what is PLANTED?")
    clock.advance(43_200)
    await world.gates.look()
    await finish(world)
    await world.hear(deleted(asked))
    await finish(world)

    assert (await gate(world)).state is GateState.VOID
    assert (await post_of(world)).body.text == "(removed by its author)"
    assert await everywhere(world, "PLANTED") == []
    assert await press(world, GateAct.APPROVE) is NoGateReason.VOID
    assert await world.all_referrals() == []


async def test_a_question_removed_after_the_approval_does_not_cross(asks: World) -> None:
    asked = await ask(asks, "@#platform what is PLANTED?")
    row = await gate(asks)
    async with asks.work.begin() as tx:
        await tx.gates.end(row.id, GateState.APPROVED, asks.clock.now(), act=GateAct.APPROVE)
        await tx.jobs.settle_gate(row.id, row.desk_id)
    await asks.hear(deleted(asked))
    await finish(asks)

    assert await asks.all_referrals() == []
    assert await everywhere(asks, "PLANTED") == []


async def test_a_removed_question_takes_the_held_answer_with_it(
    engine: AsyncEngine, clock: FakeClock, models: ScriptedModels
) -> None:
    world = await world_of(engine, clock, with_desk("payments", gates__answers=True), models)
    models.will("pia", "answer", AnswerTurn(Known.KNOWN, "PLANTED is so.", (0,), (), NO_ASK))
    asked = await ask(world, "@hive what is PLANTED?")
    await world.hear(deleted(asked))
    await finish(world)

    assert (await gate(world)).state is GateState.VOID
    assert [turn.state for turn in await world.all_turns()] == ["cancelled"]
    assert await everywhere(world, "PLANTED") == []
    assert await answers(world, PAYMENTS, asked.ts) == []


async def everywhere(world: World, word: str) -> list[str]:
    """Tables that hold the word in any column."""
    tables = await world.rows(
        "select table_name from information_schema.tables where table_schema = 'public'"
    )
    return [
        name
        for (name,) in tables
        if await world.rows(
            f'select 1 from "{name}" t where t::text like :word',  # noqa: S608 - a test's own
            word=f"%{word}%",
        )
    ]
