"""Who decides a gate, by which sign, and what does everybody else read?

Source: product.md 7, rights.md 1, memory.md 9.2, faults "People, rights, configuration".
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.hive.crossing import Reach, ReachKind
from hivebot.hive.gate import GateAct, GateState, GateWay, NoGateReason
from hivebot.services.gates import GateMove, Gates, GateStep
from hivebot.services.records.arrivals import ReactionChanged, Speaker, SpeakerKind
from hivebot.services.records.replies import NO_ASK, AnswerTurn, Known
from tests.configurations import with_desk, without_desk
from tests.fakes.clock import FakeClock
from tests.fakes.models import ScriptedModels
from tests.fakes.poster import home_person
from tests.integration.services.stewards import (
    gate,
    holding,
    post_of,
    press,
    react,
    told_privately,
    world_of,
)
from tests.integration.services.stories import Flaky, answers, ask, finish, reload
from tests.integration.services.world import (
    ADMINS,
    ANA,
    BEN,
    PAYMENTS,
    STEWARD,
    TEAM,
    World,
    key,
    person,
    said,
)

pytestmark = pytest.mark.integration

REFUND = "@hive how long does a refund take?"
ONLY_STEWARDS = "Only a steward of this desk can decide this."
DECIDED = "This has been decided already. Nothing has changed."


@pytest.fixture
async def held(engine: AsyncEngine, clock: FakeClock) -> World:
    """A world in which the answers of #payments wait for two stewards."""
    return await world_of(engine, clock, holding("payments", stewards=(STEWARD, BEN)))


async def with_stewards(engine: AsyncEngine, clock: FakeClock, *stewards: str) -> World:
    """The same with other stewards, and a held answer."""
    world = await world_of(engine, clock, holding("payments", stewards=stewards))
    await ask(world, REFUND)
    return world


# Who.


@pytest.mark.parametrize("act", list(GateAct))
async def test_a_wrong_finger_is_told_so_alone_and_changes_nothing(
    held: World, act: GateAct
) -> None:
    asked = await ask(held, REFUND)

    assert await press(held, act, "x", by="U0EVE") is NoGateReason.NOT_A_STEWARD
    assert await told_privately(held) == [("U0EVE", asked.ts, ONLY_STEWARDS)]
    assert (await gate(held)).state is GateState.OPEN


async def test_an_empty_list_of_stewards_is_nobody(engine: AsyncEngine, clock: FakeClock) -> None:
    world = await with_stewards(engine, clock)

    assert (await post_of(world)).body.mention_users == ()
    for user_id in (STEWARD, ANA, BEN):
        assert await press(world, GateAct.APPROVE, by=user_id) is NoGateReason.NOT_A_STEWARD


async def test_whoever_is_in_a_listed_user_group_decides_and_the_group_is_called(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = await with_stewards(engine, clock, "S0OTHER", "S0STEW")
    world.directory.groups["S0STEW"] = frozenset({BEN})

    assert (await post_of(world)).body.mention_groups == ("S0OTHER", "S0STEW")
    assert await press(world, GateAct.APPROVE, by=STEWARD) is NoGateReason.NOT_A_STEWARD
    assert await press(world, GateAct.APPROVE, by=BEN) is GateState.APPROVED


@pytest.mark.parametrize("kind", ["deactivated", "guest", "stranger", "bot"])
async def test_a_gone_a_foreign_or_an_unfree_person_decides_nothing_though_listed(
    held: World, kind: str
) -> None:
    await ask(held, REFUND)
    held.directory.people[STEWARD] = home_person(STEWARD, "Stew", **{kind: True})

    assert await press(held, GateAct.REJECT) is NoGateReason.NOT_A_STEWARD


async def test_somebody_slack_says_nothing_of_decides_nothing(held: World) -> None:
    await ask(held, REFUND)
    del held.directory.people[STEWARD]

    assert await press(held, GateAct.APPROVE) is NoGateReason.NOT_A_STEWARD


async def test_who_is_a_steward_is_judged_by_the_configuration_in_force(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = await with_stewards(engine, clock, STEWARD)
    await reload(world, holding("payments", stewards=(BEN,)))

    assert await press(world, GateAct.APPROVE, by=STEWARD) is NoGateReason.NOT_A_STEWARD
    assert await press(world, GateAct.APPROVE, by=BEN) is GateState.APPROVED


async def test_nobody_is_a_steward_of_a_desk_that_is_gone(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = await with_stewards(engine, clock, STEWARD)
    await reload(world, without_desk("payments"))

    assert await press(world, GateAct.APPROVE) is NoGateReason.NOT_A_STEWARD


async def test_who_asked_cannot_approve_and_may_correct_or_reject(held: World) -> None:
    await ask(held, REFUND, by=person(BEN))

    assert await press(held, GateAct.APPROVE, by=BEN) is NoGateReason.SELF_APPROVAL
    ((_, _, text),) = await told_privately(held)
    assert text == "You asked this yourself, so another steward has to approve it."
    assert await press(held, GateAct.REJECT, by=BEN) is GateState.REJECTED


async def test_who_asked_approves_where_the_desk_lets_them(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = await world_of(engine, clock, holding("payments", gates__self_approve=True))
    await ask(world, REFUND, by=person(STEWARD))

    assert await press(world, GateAct.APPROVE) is GateState.APPROVED


# Once.


async def test_two_stewards_at_once_come_to_one_outcome(held: World) -> None:
    asked = await ask(held, REFUND)
    row = await gate(held)
    moves = [
        GateMove(
            TEAM,
            user_id,
            row.id,
            act,
            GateWay.BUTTON,
            shown_digest=row.digest,
            channel_id=PAYMENTS,
            thread_ts=asked.ts,
        )
        for user_id, act in ((STEWARD, GateAct.APPROVE), (BEN, GateAct.REJECT))
    ]
    outcomes = await asyncio.gather(*(held.gates.move(move) for move in moves))
    await finish(held)

    assert sorted(str(one) for one in outcomes)[1] == "decided"
    (loser,) = [
        move.user_id
        for move, outcome in zip(moves, outcomes, strict=True)
        if outcome is NoGateReason.DECIDED
    ]
    assert await told_privately(held) == [(loser, asked.ts, DECIDED)]
    approved = outcomes[0] is GateState.APPROVED
    assert len(await answers(held, PAYMENTS, asked.ts)) == (1 if approved else 0)


async def test_a_press_after_a_restart_finds_everything_in_rows(
    held: World, engine: AsyncEngine, clock: FakeClock
) -> None:
    asked = await ask(held, REFUND)
    after = World(engine, clock, held.configuration)

    assert await press(after, GateAct.APPROVE) is GateState.APPROVED
    assert len(await answers(after, PAYMENTS, asked.ts)) == 1


async def test_a_press_after_the_end_is_told_that_it_has_expired(
    held: World, clock: FakeClock
) -> None:
    await ask(held, REFUND)
    clock.advance(86_400)
    await held.gates.look()
    await finish(held)

    assert await press(held, GateAct.APPROVE) is NoGateReason.EXPIRED
    assert (await told_privately(held))[-1][2] == "This gate has expired. Nothing has changed."


@pytest.mark.parametrize("team_id", [TEAM, "T9ACME"])
async def test_a_button_of_no_gate_or_of_another_workspace_says_that_nothing_waits(
    held: World, team_id: str
) -> None:
    await ask(held, REFUND)
    row = await gate(held)
    gate_id = row.id if team_id != TEAM else row.id + 1
    move = GateMove(team_id, STEWARD, gate_id, GateAct.APPROVE, GateWay.BUTTON, channel_id=PAYMENTS)

    assert await held.gates.move(move) is None
    assert await held.gates.correctable(move) is NoGateReason.VOID
    assert {text for _, _, text in await told_privately(held)} == {
        "There is nothing here that waits for a decision. Nothing has changed."
    }


async def test_no_conflict_of_the_store_loses_a_decision(held: World) -> None:
    asked = await ask(held, REFUND)
    row = await gate(held)
    move = GateMove(TEAM, STEWARD, row.id, GateAct.APPROVE, GateWay.BUTTON, shown_digest=row.digest)
    contested = Gates(Flaky(held.work, 2, well=1), held.policies, held.directory, held.clock)

    assert await contested.move(move) is GateState.APPROVED
    await finish(held)
    assert len(await answers(held, PAYMENTS, asked.ts)) == 1


# What was seen.


@pytest.mark.parametrize("digest", ["other", " "])
async def test_an_approval_names_what_it_saw(held: World, digest: str) -> None:
    await ask(held, REFUND)

    assert await press(held, GateAct.APPROVE, digest=digest) is NoGateReason.CHANGED
    assert (await gate(held)).state is GateState.OPEN


async def test_what_is_too_long_to_be_shown_whole_is_never_approved(
    engine: AsyncEngine, clock: FakeClock, models: ScriptedModels
) -> None:
    world = await world_of(engine, clock, holding("payments"), models)
    long = AnswerTurn(Known.KNOWN, "word " * 700, (0,), (), NO_ASK)
    models.will("pia", "answer", long)
    asked = await ask(world, REFUND)

    body = (await post_of(world)).body
    assert [one.label for one in body.buttons] == ["Correct", "Reject"]
    assert "too long to be shown whole" in body.text
    assert await press(world, GateAct.APPROVE) is NoGateReason.NOT_SHOWN_WHOLE
    assert await react(world, "+1") is GateStep.REFUSED
    assert await press(world, GateAct.CORRECT, "Five days.") is GateState.CORRECTED
    assert [one.body.text for one in await answers(world, PAYMENTS, asked.ts)] == ["Five days."]


# By reaction.


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("white_check_mark", GateState.APPROVED),
        ("+1::skin-tone-4", GateState.APPROVED),
        ("thumbsup", GateState.APPROVED),
        ("x", GateState.REJECTED),
        ("-1::skin-tone-2", GateState.REJECTED),
        ("eyes", GateState.OPEN),
    ],
)
async def test_the_agreed_signs_decide_and_no_others(
    held: World, name: str, state: GateState
) -> None:
    await ask(held, REFUND)
    step = await react(held, name)

    assert (await gate(held)).state is state
    assert step is (GateStep.NOTHING if state is GateState.OPEN else GateStep.RECORDED)


async def test_taking_a_sign_away_undoes_nothing(held: World) -> None:
    await ask(held, REFUND)
    await react(held, "+1")

    assert await react(held, "+1", added=False) is GateStep.NOTHING
    assert await react(held, "x", added=False) is GateStep.NOTHING
    assert (await gate(held)).state is GateState.APPROVED


async def test_the_same_reaction_delivered_twice_counts_once(held: World) -> None:
    await ask(held, REFUND)

    assert await react(held, "+1", event_id="Ev77") is GateStep.RECORDED
    assert await react(held, "+1", event_id="Ev77") is GateStep.REPEATED
    assert await told_privately(held) == []


async def test_a_sign_of_somebody_else_is_refused_where_the_gate_stands(held: World) -> None:
    asked = await ask(held, REFUND)

    assert await react(held, "+1", by="U0EVE") is GateStep.REFUSED
    assert await told_privately(held) == [("U0EVE", asked.ts, ONLY_STEWARDS)]


async def test_a_reaction_to_anything_else_is_nothing(held: World) -> None:
    asked = await ask(held, REFUND)
    await press(held, GateAct.APPROVE)
    (answer,) = await answers(held, PAYMENTS, asked.ts)
    for ts in (asked.ts, answer.ts[0]):
        arrival = ReactionChanged(key(), PAYMENTS, ts, STEWARD, "x", added=True)
        assert await held.gates.react(arrival) is GateStep.NOTHING


# In writing.


async def test_a_written_correction_stands_and_wakes_nobody(held: World) -> None:
    asked = await ask(held, REFUND)
    await ask(held, "correct: Three days.", thread_ts=asked.ts, by=person(STEWARD))

    assert (await gate(held)).words == "Three days."
    assert [one.body.text for one in await answers(held, PAYMENTS, asked.ts)] == ["Three days."]
    assert len(await held.all_turns()) == 1


async def test_a_written_rejection_gives_the_reason_even_where_it_names_the_bot(
    held: World,
) -> None:
    asked = await ask(held, REFUND)
    words = "@hive reject: not settled yet"
    await ask(held, words, thread_ts=asked.ts, by=person(STEWARD))

    row = await gate(held)
    assert (row.state, row.words) == (GateState.REJECTED, "not settled yet")
    assert len(await held.all_turns()) == 1


async def test_nothing_written_approves(held: World) -> None:
    asked = await ask(held, REFUND)
    await ask(held, "Approved!", thread_ts=asked.ts, by=person(STEWARD))

    assert (await gate(held)).state is GateState.OPEN
    ((_, _, text),) = await told_privately(held)
    assert text == "A written reply cannot approve: press Approve."


@pytest.mark.parametrize(
    "words", ["I would approve this", "correct, that is so", "reject rates are up", "lgtm"]
)
async def test_all_else_that_is_written_is_talk(held: World, words: str) -> None:
    asked = await ask(held, REFUND)
    await ask(held, words, thread_ts=asked.ts, by=person(STEWARD))

    assert (await gate(held)).state is GateState.OPEN
    assert await told_privately(held) == []
    assert (await held.log(PAYMENTS, asked.ts))[-1].content == words


async def test_a_reply_delivered_twice_is_heard_once_and_asks_nobody(held: World) -> None:
    asked = await ask(held, REFUND)
    reply = said("reject", thread_ts=asked.ts, by=person(STEWARD))
    await held.hear(reply)
    await held.hear(replace(reply, key=key(), addressed=True))
    await held.hear(reply)
    await finish(held)

    assert (await gate(held)).state is GateState.REJECTED
    assert await told_privately(held) == []
    assert len(await held.all_turns()) == 1


async def test_what_was_written_to_a_gate_counts_though_storing_it_failed_at_first(
    held: World,
) -> None:
    asked = await ask(held, REFUND)
    reply = said("reject", thread_ts=asked.ts, by=person(STEWARD))
    assert await held.gates.reply(reply) is GateStep.RECORDED
    await held.hear(reply)
    await finish(held)

    assert (await held.log(PAYMENTS, asked.ts))[-1].judged
    assert len(await held.all_turns()) == 1


async def test_only_people_are_heard(held: World) -> None:
    asked = await ask(held, REFUND)
    bot = Speaker(SpeakerKind.BOT, "", TEAM, bot_id="B9OTHER")
    await ask(held, "reject", thread_ts=asked.ts, by=bot)

    assert (await gate(held)).state is GateState.OPEN


async def test_where_several_things_wait_a_written_order_decides_none(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    settings = with_desk("payments", asks=Reach(ReachKind.GATE), gates__answers=True)
    world = await world_of(engine, clock, settings)
    asked = await ask(world, "@#platform does the gateway retry on 503?")
    await ask(world, REFUND, thread_ts=asked.ts)
    await ask(world, "reject", thread_ts=asked.ts, by=person(STEWARD))

    ((_, _, text),) = await told_privately(world)
    assert text.startswith("More than one thing waits for a decision here")
    assert (await world.rows("select count(*) from gate where state = 'open'"))[0][0] == 2


async def test_in_a_gate_channel_the_reply_stands_under_the_gate(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = await world_of(engine, clock, holding("payments", gates__channel=ADMINS))
    asked = await ask(world, REFUND)
    gate_ts = (await post_of(world)).ts[0]
    reply = said("correct: Three days.", ADMINS, thread_ts=gate_ts, by=person(STEWARD))
    await world.hear(reply)
    await finish(world)
    assert [one.body.text for one in await answers(world, PAYMENTS, asked.ts)] == ["Three days."]

    await world.hear(said("reject", ADMINS, thread_ts=gate_ts, by=person(STEWARD)))
    await finish(world)
    assert await told_privately(world) == [(STEWARD, gate_ts, DECIDED)]


async def test_an_order_where_nothing_waits_is_talk(held: World) -> None:
    asked = await ask(held, REFUND)
    await press(held, GateAct.APPROVE)
    await ask(held, "reject", thread_ts=asked.ts, by=person(STEWARD))
    await ask(held, "reject", by=person(STEWARD))

    assert await told_privately(held) == []
