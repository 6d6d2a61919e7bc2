"""Who is called by what people say? Source: product.md 3 and 10, datapath.md 2."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.hive.waking import Listen, Threads
from hivebot.services.ports import ChannelFacts, StoreConflictError
from hivebot.services.records.arrivals import Audience, Speaker, SpeakerKind
from hivebot.services.records.episodes import Wish
from hivebot.services.records.policy import GeneralConfig
from hivebot.services.records.replies import NO_ASK, AnswerTurn, Known
from hivebot.services.records.rows import MessageRole, TurnState
from hivebot.services.routing import LOOKS, Routed, Routing
from hivebot.services.routing.facts import MissingError
from tests.configurations import CONFIGURATION, with_agent, with_desk, with_more
from tests.fakes.clock import FakeClock
from tests.fakes.models import ScriptedModels
from tests.fakes.poster import home_person
from tests.integration.services.stories import (
    CANARY,
    Flaky,
    answers,
    ask,
    decisions,
    episode,
    finish,
    line,
    lines,
    private,
    speak_next,
    turns_of,
)
from tests.integration.services.world import (
    ANA,
    BEN,
    BOT,
    DATA,
    PAYMENTS,
    PLATFORM,
    STEWARD,
    TEAM,
    World,
    next_ts,
    person,
    said,
)

pytestmark = pytest.mark.integration

REFUND = "@hive how long does a refund take?"
REFUNDS = "Refunds reach the customer within five working days"


# A question and its answer.


async def test_a_question_opens_the_thread_under_it_and_is_answered_there(world: World) -> None:
    asked = await ask(world, REFUND)

    (channel_row,) = await world.log(PAYMENTS)
    root, told = await world.log(PAYMENTS, asked.ts)
    assert (root.copy_of, root.seq, root.content) == (channel_row.id, 1, REFUND)
    assert told.content.startswith(REFUNDS)
    (post,) = await answers(world, PAYMENTS, asked.ts)
    assert (post.message_id, post.destination.thread_ts) == (told.id, asked.ts)
    assert (await world.place(PAYMENTS, asked.ts)).answered_user_id == ANA


async def test_the_decision_names_rung_and_reason_without_the_words(world: World) -> None:
    await ask(world, REFUND)

    (decided,) = await decisions(world)
    assert (decided.fold, decided.reason) == ("responder", "bot_mentioned")
    assert decided.result["decision"] == {
        "responder_id": "pia",
        "rung": "desk_default",
        "disposition": "not_applicable",
    }
    assert "refund" not in f"{decided.input}{decided.result}"


async def test_a_reply_in_a_thread_opens_no_other_thread(world: World) -> None:
    asked = await ask(world, "the refund is late")
    await ask(world, REFUND, thread_ts=asked.ts)

    root, question, told = await world.log(PAYMENTS, asked.ts)
    assert (root.content, question.content) == ("the refund is late", REFUND)
    assert told.content.startswith(REFUNDS)
    assert len(await world.log(PAYMENTS)) == 1


async def test_a_follow_up_needs_no_mention(world: World) -> None:
    asked = await ask(world, REFUND)
    await ask(world, "and what about settlement?", thread_ts=asked.ts)

    assert len(await answers(world, PAYMENTS, asked.ts)) == 2
    assert (await decisions(world))[1].reason == "follow_up"


async def test_two_people_in_between_need_a_mention(world: World) -> None:
    asked = await ask(world, REFUND)
    await ask(world, "that is too long", thread_ts=asked.ts, by=person(BEN))
    await ask(world, "and what about settlement?", thread_ts=asked.ts)

    assert len(await answers(world, PAYMENTS, asked.ts)) == 1


async def test_thanks_wake_nobody(world: World) -> None:
    asked = await ask(world, REFUND)
    await ask(world, "thanks a lot!", thread_ts=asked.ts)

    assert len(await world.all_turns()) == 1


async def test_a_muted_thread_stays_silent_until_the_bot_is_mentioned(world: World) -> None:
    asked = await ask(world, REFUND)
    await ask(world, "@hive mute", thread_ts=asked.ts)
    await ask(world, "and what about settlement?", thread_ts=asked.ts)
    assert len(await answers(world, PAYMENTS, asked.ts)) == 1

    await ask(world, "@hive and what about settlement?", thread_ts=asked.ts)
    assert len(await answers(world, PAYMENTS, asked.ts)) == 2
    assert not (await world.place(PAYMENTS, asked.ts)).muted


@pytest.mark.parametrize(("threads", "told"), [(Threads.ALL, 2), (Threads.MENTION, 1)])
async def test_a_desk_says_who_may_follow_up(
    engine: AsyncEngine, clock: FakeClock, threads: Threads, told: int
) -> None:
    world = World(engine, clock, with_desk("payments", threads=threads))
    asked = await ask(world, REFUND)
    await ask(world, "and what about settlement?", thread_ts=asked.ts, by=person(BEN))

    assert len(await answers(world, PAYMENTS, asked.ts)) == told


# Orders.


async def test_help_names_the_desks_that_may_be_asked(world: World) -> None:
    await ask(world, "@hive help")

    (told,) = await private(world, PAYMENTS)
    assert "Ask #payments by mentioning the bot" in told
    assert "@#platform and your question" in told
    assert await world.all_turns() == []


async def test_help_where_no_desk_answers_names_none(engine: AsyncEngine, clock: FakeClock) -> None:
    world = World(engine, clock, with_more(general=GeneralConfig(enabled=True)))
    await ask(world, "@hive help", "C0NEW")

    (told,) = await private(world, "C0NEW")
    assert "Another desk" not in told


async def test_where_nothing_runs_there_is_nothing_to_stop(world: World) -> None:
    asked = await ask(world, CANARY, DATA)
    await ask(world, "@hive stop", DATA, thread_ts=asked.ts)

    assert await private(world, DATA) == ["Nothing runs in this thread that could be stopped."]


async def test_only_the_asker_or_a_steward_may_stop_a_deliberation(world: World) -> None:
    message = said(CANARY, DATA, addressed=True)
    await world.hear(message)
    await world.work_off("route")
    for user_id in (BEN, STEWARD):
        order = said("@hive stop", DATA, thread_ts=message.ts, by=person(user_id), addressed=True)
        await world.hear(order)
        await world.work_off("route")
        wish = (await episode(world)).wish
        assert wish is (Wish.STOP if user_id == STEWARD else Wish.NONE)
    assert await private(world, DATA) == [
        "Only the person who asked can press this. Nothing has changed."
    ]


# One turn at a time.


async def test_two_routes_and_two_speaks_authorise_one_turn(world: World) -> None:
    message = said(REFUND, addressed=True)
    await world.hear(message)
    await world.work_off("route")
    thread = await world.place(PAYMENTS, message.ts)
    assert await world.routing.run(thread.id) is Routed.BUSY

    turn = await speak_next(world)
    await world.turns.run(turn.id)
    await finish(world)
    assert len(await world.all_turns()) == 1
    assert len(await answers(world, PAYMENTS, message.ts)) == 1


async def test_what_arrives_while_a_turn_is_open_is_judged_in_order_when_it_closes(
    world: World,
) -> None:
    message = said(REFUND, addressed=True)
    await world.hear(message)
    await world.work_off("route")
    for words in ("@hive and a chargeback?", "@hive and settlement with the acquirer?"):
        await world.hear(replace(said(words, addressed=True), thread_ts=message.ts))
    await world.work_off("route")
    assert [turn.state for turn in await world.all_turns()] == [TurnState.AUTHORISED]

    await finish(world)
    told = [row.body.text for row in await answers(world, PAYMENTS, message.ts)]
    assert told[0].startswith(REFUNDS)
    assert "settle with the acquirer" in told[2]
    assert len(told) == 3


async def test_routes_at_the_same_time_open_one_turn(world: World) -> None:
    message = said(REFUND, addressed=True)
    await world.hear(message)
    await world.work_off("route")
    await finish(world)
    thread = await world.place(PAYMENTS, message.ts)
    await world.hear(replace(said("@hive and settlement?", addressed=True), thread_ts=message.ts))

    routed = await asyncio.gather(*(world.routing.run(thread.id) for _ in range(4)))
    assert sorted(routed) == [Routed.BUSY] * 3 + [Routed.OPENED]


async def test_a_conversation_that_is_gone_is_nothing_to_decide(world: World) -> None:
    assert await world.routing.run(999_999) is Routed.GONE


async def test_a_conflict_is_tried_again_on_fresh_rows_three_times(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = World(engine, clock)
    message = said(REFUND, addressed=True)
    await world.hear(message)
    place = await world.place(PAYMENTS)

    twice = Routing(Flaky(world.work, 2), world.policies, world.directory, clock)
    assert await twice.run(place.id) is Routed.QUIET
    thrice = Routing(Flaky(world.work, 3), world.policies, world.directory, clock)
    with pytest.raises(StoreConflictError):
        await thrice.run(place.id)


async def test_a_run_that_keeps_missing_facts_gives_the_conversation_back(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = World(engine, clock)
    for number in range(LOOKS + 1):
        await world.hear(said("the build is red", by=person(f"U{number:04}")))
    place = await world.place(PAYMENTS)

    with pytest.raises(MissingError):
        await world.routing.run(place.id)


# Where no desk answers.


async def test_an_unbound_channel_says_privately_how_to_bind_it(world: World) -> None:
    await ask(world, "@hive are you there?", "C0NEW")

    (told,) = await private(world, "C0NEW")
    assert "C0NEW, as the `channel` of a desk" in told
    assert await world.all_turns() == []


async def test_talk_in_an_unbound_channel_is_left_alone(world: World) -> None:
    await ask(world, "are you there?", "C0NEW")

    assert await world.outbox() == []


async def test_a_direct_message_is_answered_by_the_orchestrator(world: World) -> None:
    await ask(world, "how long does a refund take?", "D0ANA", audience=Audience.DM)

    (told,) = await answers(world, "D0ANA")
    assert told.body.text.startswith(REFUNDS)
    assert told.body.persona is not None
    assert told.body.persona.name == "Pia"


async def test_a_desk_named_in_a_direct_message_is_not_asked_from_there(world: World) -> None:
    await ask(world, "@#platform does it retry on 503?", "D0ANA", audience=Audience.DM)

    told = await line(world, "D0ANA")
    assert told.body.text == ("Your question was not passed on: ask in a desk's channel instead.")
    assert await world.all_referrals() == []


# Rights.


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"guest": True}, "this desk does not take questions of guests"),
        ({"known": False}, "this desk does not take questions of guests"),
        ({"stranger": True}, "this desk takes questions of its own organisation only"),
        ({"deactivated": True}, "this account is deactivated"),
    ],
)
async def test_whose_questions_are_not_taken_is_told_privately(
    world: World, facts: dict[str, bool], why: str
) -> None:
    world.directory.people[BEN] = home_person(BEN, "Ben", **facts)
    await ask(world, REFUND, by=person(BEN))

    assert await private(world, PAYMENTS) == [f"Nobody was asked: {why}."]
    assert await world.all_turns() == []


async def test_a_person_of_another_organisation_is_a_stranger_whatever_slack_says(
    world: World,
) -> None:
    await ask(world, REFUND, by=person(ANA, "T9ACME"))

    assert (await decisions(world))[0].reason == "asker_stranger"


async def test_rights_are_looked_up_at_the_moment_of_the_act(world: World) -> None:
    asked = await ask(world, REFUND)
    world.directory.people[ANA] = home_person(ANA, "Ana", deactivated=True)
    await ask(world, "@hive and settlement?", thread_ts=asked.ts)

    assert len(await world.all_turns()) == 1


async def test_a_listed_bot_that_mentions_the_desk_is_answered(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = World(engine, clock, with_desk("payments", bots=("B0ALERT",)))
    alert = Speaker(SpeakerKind.BOT, bot_id="B0ALERT", label="Alerts")
    asked = await ask(world, "@hive how long does a refund take?", by=alert)

    (told,) = await answers(world, PAYMENTS, asked.ts)
    assert told.body.text.startswith(REFUNDS)
    assert (await world.place(PAYMENTS, asked.ts)).answered_user_id == ""


async def test_a_bot_has_no_person_whose_question_could_cross(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = World(engine, clock, with_desk("payments", bots=("B0ALERT",)))
    alert = Speaker(SpeakerKind.BOT, bot_id="B0ALERT", label="Alerts")
    await ask(world, "@hive @#platform does the gateway retry?", by=alert)

    assert [one.reason for one in await decisions(world)] == ["asker_unknown"]
    assert await world.all_referrals() == []


async def test_what_is_said_privately_is_not_said_to_a_bot(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = World(engine, clock, with_desk("payments", bots=("B0ALERT",)))
    alert = Speaker(SpeakerKind.BOT, bot_id="B0ALERT", label="Alerts")
    await ask(world, "@hive @#platfrom does it retry?", by=alert)

    assert await private(world, PAYMENTS) == []
    assert [one.reason for one in await decisions(world)] == ["unknown_desk"]


async def test_other_bots_are_context(engine: AsyncEngine, clock: FakeClock) -> None:
    world = World(engine, clock, with_desk("payments", listen=Listen.ALL))
    other = Speaker(SpeakerKind.BOT, bot_id="B0OTHER", label="Other")
    await ask(world, "@hive how long does a refund take?", by=other)

    assert await world.all_turns() == []
    assert len(await world.log(PAYMENTS)) == 1


async def test_our_own_posts_are_no_questions(world: World) -> None:
    own = Speaker(SpeakerKind.SELF, user_id=BOT, bot_id="B0BOT")
    await ask(world, "@hive how long does a refund take?", by=own)

    assert await world.log(PAYMENTS) == ()


async def test_a_paused_desk_says_so_and_keeps_the_question(world: World) -> None:
    async with world.work.begin() as tx:
        await tx.workspaces.pause_channel(TEAM, PAYMENTS, "the channel was archived")
    await ask(world, REFUND)

    assert [row.body.text for row in await world.outbox(PAYMENTS)] == [
        "This desk is paused (the channel was archived). Your message is kept; ask again later."
    ]


async def test_a_desk_nobody_is_left_on_says_so_in_one_line(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    nobody = with_desk("payments", with_more(orchestrator=""), members=())
    world = World(engine, clock, nobody)
    asked = await ask(world, REFUND)

    told = await line(world, PAYMENTS, asked.ts)
    assert told.body.text == "I could not answer: nobody on this desk can answer at the moment."
    assert "D1" in told.body.small


# Budgets.


@pytest.mark.parametrize("bound", ["turns_per_day", "tokens_per_day", "usd_micros_per_day"])
async def test_a_spent_budget_is_said_in_one_line(
    engine: AsyncEngine, clock: FakeClock, bound: str
) -> None:
    world = World(engine, clock, with_desk("payments", CONFIGURATION, **{f"budget__{bound}": 5}))
    async with world.work.begin() as tx:
        await tx.usage.add("payments", "2023-11-14", 5, 5, 5)
    asked = await ask(world, REFUND)

    told = await line(world, PAYMENTS, asked.ts)
    assert told.body.text == "The desk #payments has used up its budget for today."
    assert await world.all_turns() == []

    clock.advance(86_400)
    await ask(world, REFUND)
    assert len(await world.all_turns()) == 1


async def test_what_is_spent_is_counted_by_desk_and_day(
    scripted: World, models: ScriptedModels
) -> None:
    models.will("pia", "answer", AnswerTurn(Known.KNOWN, "five days", (0,), (), NO_ASK))
    await ask(scripted, REFUND)

    async with scripted.work.begin() as tx:
        assert await tx.usage.spent("payments", "2023-11-14") == (1, 120, 3)
        assert await tx.usage.spent("platform", "2023-11-14") == (0, 0, 0)


# Threads whose root we never stored.


async def test_a_root_that_was_never_stored_is_fetched_before_the_first_turn(
    scripted: World, models: ScriptedModels
) -> None:
    root = next_ts()
    scripted.directory.roots[PAYMENTS, root] = "ALERT: the refund queue is full"
    await ask(scripted, "@hive what about it?", thread_ts=root)

    (request,) = models.asked("pia")
    assert [row.message.content for row in request.rows] == [
        "ALERT: the refund queue is full",
        "@hive what about it?",
    ]
    first, *_ = await scripted.log(PAYMENTS, root)
    assert (first.role, first.content) == (MessageRole.SPEECH, "ALERT: the refund queue is full")
    (channel_row,) = await scripted.log(PAYMENTS)
    assert (channel_row.role, channel_row.content) == (MessageRole.BACKFILLED, "")


async def test_the_turn_goes_on_when_slack_refuses_the_root(
    scripted: World, models: ScriptedModels
) -> None:
    root = next_ts()
    await ask(scripted, "@hive what about refunds?", thread_ts=root)

    (request,) = models.asked("pia")
    assert [row.message.content for row in request.rows] == ["@hive what about refunds?"]
    assert len(await answers(scripted, PAYMENTS, root)) == 1


async def test_a_stored_root_is_not_fetched(scripted: World, models: ScriptedModels) -> None:
    asked = await ask(scripted, "the refund is late")
    scripted.directory.roots[PAYMENTS, asked.ts] = "something else"
    await ask(scripted, REFUND, thread_ts=asked.ts)

    (request,) = models.asked("pia")
    assert request.rows[0].message.content == "the refund is late"


async def test_people_are_shown_to_models_by_name(scripted: World, models: ScriptedModels) -> None:
    await ask(scripted, REFUND)

    (request,) = models.asked("pia")
    assert [getattr(row.message.author, "label", "") for row in request.rows] == ["Ana"]
    assert request.colleagues[0].name == "Otto"


async def test_a_far_channel_slack_does_not_speak_of_is_looked_up_once_a_run(world: World) -> None:
    del world.directory.channels[PLATFORM]
    asked = await ask(world, "@#platform does the gateway retry?")

    assert (await decisions(world))[0].reason == "target_unreachable"
    assert len(await lines(world, PAYMENTS, asked.ts)) == 1


async def test_an_archived_far_channel_counts_as_paused(world: World) -> None:
    world.directory.channels[PLATFORM] = ChannelFacts(
        PLATFORM, "platform", Audience.PUBLIC, archived=True, member=True
    )
    await ask(world, "@#platform does the gateway retry?")

    assert (await decisions(world))[0].reason == "target_paused"


async def test_a_retired_lead_is_followed_by_the_next_member(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = World(engine, clock, with_agent("pia", retired=True))
    asked = await ask(world, "@hive what about chargebacks?")

    (told,) = await answers(world, PAYMENTS, asked.ts)
    assert told.body.persona is not None
    assert told.body.persona.name == "Otto"
    assert [turn.agent_id for turn in await turns_of(world, "answer")] == ["otto"]
