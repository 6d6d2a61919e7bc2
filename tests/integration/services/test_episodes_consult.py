"""May a desk ask its peers before it decides, and what becomes of the answers? turns.md 1."""

from __future__ import annotations

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.llm.prompt import prompt_of
from hivebot.adapters.llm.validate import Limits
from hivebot.hive.crossing import Reach, ReachKind
from hivebot.hive.gate import GateAct, GateKind
from hivebot.hive.referral import Reach as ReferralReach
from hivebot.hive.referral import ReferralPolicy
from hivebot.services.ports import ChannelFacts
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.episodes import EpisodeEnd
from hivebot.services.records.policy import Configuration, Consult
from hivebot.services.records.replies import Ask, Bearing, ConsultTurn, Stance
from hivebot.services.records.rows import MessageRole, ReferralState, TurnKind, TurnState
from tests.configurations import CONFIGURATION, with_desk
from tests.fakes.clock import FakeClock
from tests.fakes.models import ScriptedModels, failing
from tests.integration.services.moves import fact, move, opens
from tests.integration.services.stewards import gate, press
from tests.integration.services.stories import (
    CANARY,
    answers,
    ask,
    episode,
    episode_log,
    finish,
    lines,
    speak_next,
    turns_of,
    until_spoken,
)
from tests.integration.services.world import DATA, PAYMENTS, PLATFORM, TEAM, World, said

pytestmark = pytest.mark.integration

CROSSING = ReferralPolicy(enabled=True, max_hops=2, reach=ReferralReach.DESKS, returns=True)
TO_PLATFORM = Ask("platform", "Does the gateway retry a 503?")
TO_PAYMENTS = Ask("payments", "How long does a refund take?")
RETRIES = "The gateway retries a 503 twice"


def listed(*desks: str) -> Reach:
    return Reach(ReachKind.DESKS, desks)


def consulting(**changes: object) -> Configuration:
    """The example with a data desk that asks platform and payments before it decides."""
    configuration = with_desk(
        "data",
        CONFIGURATION,
        asks=listed("platform", "payments"),
        referral__policy=CROSSING,
        episode__consult=Consult.BEFORE_PROPOSALS,
        **changes,
    )
    for other in ("platform", "payments"):
        configuration = with_desk(other, configuration, answers=listed("data"))
    return configuration


@pytest.fixture
async def room(engine: AsyncEngine, clock: FakeClock, models: ScriptedModels) -> World:
    made = World(engine, clock, consulting(), models=models)
    await made.install()
    return made


async def begun(world: World) -> str:
    message = said(CANARY, DATA, addressed=True)
    await world.hear(message)
    await world.work_off("route")
    return message.ts


async def test_the_lead_asks_before_anybody_has_proposed(
    room: World, models: ScriptedModels
) -> None:
    models.will("anna", "consult", ConsultTurn((TO_PLATFORM,)))
    asked = await ask(room, CANARY, DATA)

    request = models.asked("anna", "consult")[0]
    assert [desk.id for desk in request.may_ask] == ["payments", "platform"]
    assert request.max_asks == 2
    rows = await episode_log(room)
    assert rows[1].content == "@#platform Does the gateway retry a 503?"
    assert (rows[2].role, rows[2].content[: len(RETRIES)]) == (MessageRole.RETURN, RETRIES)
    found = await episode(room)
    assert found.state is not None
    assert (found.state.watermark, found.end) == (3, EpisodeEnd.CONVERGED)
    (status, progress) = sorted(
        await lines(room, DATA, asked.ts), key=lambda one: one.id, reverse=True
    )
    assert status.body.text == "#platform has answered"
    assert progress.id == found.progress_id


async def test_every_member_reads_the_answers_in_the_blind_round(
    room: World, models: ScriptedModels
) -> None:
    models.will("anna", "consult", ConsultTurn((TO_PLATFORM, TO_PAYMENTS)))
    await ask(room, CANARY, DATA)

    openings = [one for one in models.requests if one.situation == "opening"]
    assert {one.agent.id for one in openings} == {"anna", "bert", "carl", "dora", "eva"}
    for request in openings:
        from_desks = [row for row in request.rows if row.kind == "answer_from_desk"]
        assert [row.place for row in from_desks] == ["platform", "payments"]
        assert RETRIES in prompt_of(request, Limits.of(request), lines=False).user
        assert request.watermark == 5
    assert len(await turns_of(room, "episode")) == 12


async def test_the_questions_are_a_constant_few(room: World, models: ScriptedModels) -> None:
    third = Ask("platform", "And how long are backups kept?")
    models.will("anna", "consult", ConsultTurn((TO_PLATFORM, TO_PAYMENTS, third)))
    await ask(room, CANARY, DATA)

    assert [one.to_desk_id for one in await room.all_referrals()] == ["platform", "payments"]
    found = await episode(room)
    assert found.asked == 2
    assert all(one.may_ask == () for one in models.asked("anna", "deliberate"))


async def test_what_is_left_may_be_asked_from_the_floor(
    room: World, models: ScriptedModels
) -> None:
    models.will("anna", "consult", ConsultTurn(()))
    asking = move(Stance.PROPOSE, "revert", 3, asks=TO_PLATFORM)
    models.will("anna", "deliberate", asking, move(Stance.SUPPORT, "canary", 2))
    await ask(room, CANARY, DATA)

    first = models.asked("anna", "deliberate")[0]
    assert [desk.id for desk in first.may_ask] == ["payments", "platform"]
    (referral,) = await room.all_referrals()
    assert (referral.state, referral.asker_id) == (ReferralState.ANSWERED, "anna")
    (relay,) = await turns_of(room, "relay")
    assert relay.agent_id == "anna"
    found = await episode(room)
    assert found.asked == 1


async def test_an_answer_that_comes_late_gets_its_asker_one_relay_turn(
    room: World, models: ScriptedModels, clock: FakeClock
) -> None:
    models.will("anna", "consult", ConsultTurn((TO_PLATFORM,)))
    relayed = fact("", "the gateway retries twice", Bearing.NEUTRAL)
    models.will("anna", "relay", opens(relayed))
    for member in ("anna", "bert", "carl", "dora", "eva"):
        models.will(member, "opening", opens(fact("canary", f"planted-{member}")))
    await begun(room)
    await speak_next(room)
    await room.work_off("route", "deliver")
    clock.advance(61)
    await room.upkeep.run()
    await room.work_off("route")
    found = await episode(room)
    assert found.state is not None
    assert found.state.watermark == 2

    await finish(room)
    (relay,) = await turns_of(room, "relay")
    assert (relay.kind, relay.state, relay.agent_id) == (
        TurnKind.RELAY,
        TurnState.COMMITTED,
        "anna",
    )
    assert len(models.asked("anna", "relay")) == 1
    ended = await episode(room)
    assert ended.state is not None
    assert ended.state.spent == len(await turns_of(room, "episode"))
    row = next(row for row in await episode_log(room) if row.turn_id == relay.id)
    assert row.content == "!evidence neutral(2): the gateway retries twice"
    assert await turns_of(room, "sponsor") == []


async def test_a_relay_sees_the_answer_and_nothing_of_its_peers(
    room: World, models: ScriptedModels, clock: FakeClock
) -> None:
    models.will("anna", "consult", ConsultTurn((TO_PLATFORM,)))
    for member in ("anna", "bert", "carl", "dora", "eva"):
        models.will(member, "opening", opens(fact("canary", f"planted-{member}")))
    await begun(room)
    await speak_next(room)
    await room.work_off("route", "deliver")
    clock.advance(61)
    await room.upkeep.run()
    await finish(room)

    (request,) = models.asked("anna", "relay")
    prompt = prompt_of(request, Limits.of(request), lines=False).user
    assert RETRIES in prompt
    assert request.returned in [row.message.sequence for row in request.rows]
    for peer in ("bert", "carl", "dora", "eva"):
        assert f"planted-{peer}" not in prompt


async def test_a_late_answer_is_hidden_from_those_who_are_still_blind(
    room: World, models: ScriptedModels, clock: FakeClock
) -> None:
    models.will("anna", "consult", ConsultTurn((TO_PLATFORM,)))
    await begun(room)
    await speak_next(room)
    await room.work_off("route", "deliver")
    clock.advance(61)
    await room.upkeep.run()
    await finish(room)

    for member in ("bert", "carl", "dora", "eva"):
        (request,) = models.asked(member, "opening")
        assert [row for row in request.rows if row.kind == "answer_from_desk"] == []


async def test_a_relay_that_waits_is_not_spoken_once_it_is_over(
    room: World, models: ScriptedModels, clock: FakeClock
) -> None:
    models.will("anna", "consult", ConsultTurn((TO_PLATFORM,)))
    ts = await begun(room)
    await speak_next(room)
    await room.work_off("route", "deliver")
    clock.advance(61)
    await room.upkeep.run()
    await room.work_off("route")
    await speak_next(room)
    await room.work_off("route")
    (relay,) = await turns_of(room, "relay")
    assert relay.state is TurnState.WAITING

    await room.hear(said("@hive stop", DATA, thread_ts=ts, addressed=True))
    await finish(room)
    (relay,) = await turns_of(room, "relay")
    assert relay.state is TurnState.CANCELLED
    assert models.asked("anna", "relay") == []


async def test_an_answer_after_the_end_is_told_in_the_thread_as_late(
    room: World, models: ScriptedModels
) -> None:
    models.will("anna", "consult", ConsultTurn((TO_PLATFORM,)))
    ts = await begun(room)
    await speak_next(room)
    await room.work_off("route", "deliver")
    await room.hear(said("@hive stop", DATA, thread_ts=ts, addressed=True))
    await room.work_off("route")
    assert (await episode(room)).end is EpisodeEnd.STOPPED
    await finish(room)

    (told,) = await answers(room, DATA, ts)
    assert told.body.quotes[0].text.startswith(RETRIES)
    assert [button.label for button in told.body.buttons] == ["Deliberate again with this"]
    assert [turn.kind for turn in await turns_of(room, "sponsor")] == [TurnKind.SPONSOR]


async def test_a_far_desk_that_fails_is_not_waited_for(room: World, models: ScriptedModels) -> None:
    models.will("anna", "consult", ConsultTurn((TO_PLATFORM,)))
    models.will("lasse", "answer", failing())
    asked = await ask(room, CANARY, DATA)

    (referral,) = await room.all_referrals()
    assert referral.state is ReferralState.FAILED
    found = await episode(room)
    assert (found.end, found.topic) == (EpisodeEnd.CONVERGED, "canary")
    assert await turns_of(room, "sponsor", "relay") == []
    told = [one.body.text for one in await lines(room, DATA, asked.ts)]
    assert "#platform could not answer: the model took too long" in told


async def test_a_consult_that_fails_asks_nobody(room: World, models: ScriptedModels) -> None:
    models.will("anna", "consult", failing())
    await ask(room, CANARY, DATA)

    assert await room.all_referrals() == []
    found = await episode(room)
    assert (found.end, found.failed("anna")) == (EpisodeEnd.CONVERGED, 1)


async def held(room: World, models: ScriptedModels) -> str:
    """Let a private desk put a question that waits for a steward before it crosses; the thread."""
    models.will("anna", "consult", ConsultTurn((TO_PLATFORM,)))
    room.directory.channels[DATA] = ChannelFacts(
        DATA, "data", Audience.PRIVATE, archived=False, member=True
    )
    asked = await ask(room, CANARY, DATA, audience=Audience.PRIVATE)
    assert (await gate(room)).kind is GateKind.REFERRAL_REVIEW
    assert await turns_of(room, "episode") == []
    return asked.ts


async def test_a_question_that_needs_a_steward_is_waited_for_no_longer_than_an_answer(
    room: World, models: ScriptedModels, clock: FakeClock
) -> None:
    await held(room, models)
    clock.advance(61)
    await room.upkeep.run()
    await finish(room)
    assert (await episode(room)).end is EpisodeEnd.CONVERGED


async def test_a_question_a_steward_lets_go_is_answered_before_anybody_proposes(
    room: World, models: ScriptedModels
) -> None:
    await held(room, models)
    await press(room, GateAct.APPROVE)

    assert (await episode_log(room))[2].content.startswith(RETRIES)
    assert (await episode(room)).end is EpisodeEnd.CONVERGED


async def test_a_question_a_steward_does_not_let_go_is_waited_for_no_more(
    room: World, models: ScriptedModels
) -> None:
    await held(room, models)
    await press(room, GateAct.REJECT, "not outside this channel")

    found = await episode(room)
    assert found.end is EpisodeEnd.CONVERGED
    assert RETRIES not in str([row.content for row in await episode_log(room)])
    assert await turns_of(room, "relay") == []


async def test_a_question_that_is_let_go_while_they_deliberate_is_passed_on_as_late(
    room: World, models: ScriptedModels, clock: FakeClock
) -> None:
    await held(room, models)
    clock.advance(61)
    await room.upkeep.run()
    await room.work_off("route")
    await press(room, GateAct.APPROVE)

    (relay,) = await turns_of(room, "relay")
    assert (relay.agent_id, relay.state) == ("anna", TurnState.COMMITTED)
    found = await episode(room)
    assert found.end is EpisodeEnd.CONVERGED
    assert found.state is not None
    assert found.state.watermark == 2


async def test_a_question_that_is_let_go_after_the_end_is_told_in_the_thread_as_late(
    room: World, models: ScriptedModels, clock: FakeClock
) -> None:
    ts = await held(room, models)
    clock.advance(61)
    await room.upkeep.run()
    await finish(room)
    await press(room, GateAct.APPROVE)

    assert (await episode(room)).end is EpisodeEnd.CONVERGED
    assert await turns_of(room, "relay") == []
    (told,) = await answers(room, DATA, ts)
    assert told.body.quotes[0].text.startswith(RETRIES)
    assert [button.label for button in told.body.buttons] == ["Deliberate again with this"]


async def test_a_paused_peer_is_a_withheld_sentence(room: World, models: ScriptedModels) -> None:
    models.will("anna", "consult", ConsultTurn((TO_PLATFORM,)))
    async with room.work.begin() as tx:
        await tx.workspaces.pause_channel(TEAM, PLATFORM, "archived")
    asked = await ask(room, CANARY, DATA)

    told = [one.body.text for one in await lines(room, DATA, asked.ts)]
    assert "Your question was not passed on: nobody is available to take this over." in told


@pytest.mark.parametrize(
    "changes",
    [
        {"asks": Reach(ReachKind.NONE)},
        {"episode__max_asks": 0},
        {"referral__policy": ReferralPolicy()},
        {"referral__policy": ReferralPolicy(True, 0, ReferralReach.DESKS, True)},
    ],
)
async def test_a_call_that_may_ask_nobody_is_not_paid_for(
    engine: AsyncEngine, clock: FakeClock, models: ScriptedModels, changes: dict[str, object]
) -> None:
    configuration = with_desk("data", consulting(), **changes)
    world = World(engine, clock, configuration, models=models)
    await ask(world, CANARY, DATA)

    assert models.asked("anna", "consult") == []
    assert (await episode(world)).end is EpisodeEnd.CONVERGED
    assert all(one.may_ask == () for one in models.asked("anna", "deliberate"))


async def test_an_answer_that_the_thread_has_already_is_known_before_anybody_proposes(
    engine: AsyncEngine, clock: FakeClock, models: ScriptedModels
) -> None:
    world = World(engine, clock, consulting(episode__max_asks=0), models=models)
    asked = await ask(world, "@#platform does the gateway retry on 503?", DATA)
    await ask(world, CANARY, DATA, thread_ts=asked.ts)

    question, returned, *_ = await episode_log(world)
    assert question.content == CANARY
    assert returned.content.startswith(RETRIES)
    opening = models.asked("bert", "opening")[0]
    assert opening.watermark == 2


async def test_while_peers_are_asked_nobody_opens(room: World, models: ScriptedModels) -> None:
    models.will("anna", "consult", ConsultTurn((TO_PLATFORM, TO_PAYMENTS)))
    await begun(room)
    await speak_next(room)
    await room.work_off("route", "deliver")

    assert [one.situation for one in models.requests] == ["consult"]
    assert {row.channel_id for row in (await room.place(PLATFORM), await room.place(PAYMENTS))} == {
        PLATFORM,
        PAYMENTS,
    }
    await until_spoken(room, 1)
    assert [one.situation for one in models.requests] == ["consult", "answer"]
