"""Does a question cross once, and does its answer come home? Source: product.md 3, hive.md 9."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.db.codec import encode
from hivebot.hive.conversation import AgentAuthor
from hivebot.hive.crossing import AnswersTo, NoCrossingReason, Reach, ReachKind
from hivebot.hive.dispatch import WITHHELD_SENTENCE
from hivebot.hive.mention import DeskTarget, Mention
from hivebot.hive.referral import Reach as ReferralReach
from hivebot.services import lines as said_lines
from hivebot.services.ports import ChannelFacts, PersonFacts
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.outgoing import OutboxKind
from hivebot.services.records.policy import Configuration, ReferralsShown
from hivebot.services.records.replies import NO_ASK, AnswerTurn, Ask, Known
from hivebot.services.records.rows import MessageRole, ReferralState, TurnKind, TurnState
from hivebot.services.upkeep import Upkeep
from tests.configurations import CONFIGURATION, desk_of, with_agent, with_desk, with_more
from tests.fakes.clock import FakeClock
from tests.fakes.models import ScriptedModels, failing
from tests.fakes.poster import FakeDirectory, home_person, public_channel
from tests.integration.services.stories import (
    answers,
    ask,
    begin,
    decisions,
    finish,
    line,
    lines,
    private,
    reload,
    speak_next,
    turns_of,
    until_spoken,
)
from tests.integration.services.world import (
    ANA,
    BEN,
    DATA,
    PAYMENTS,
    PLATFORM,
    TEAM,
    World,
    person,
    said,
)

pytestmark = pytest.mark.integration

QUESTION = "@#platform does the gateway retry on 503?"
WORDS = "does the gateway retry on 503?"
RETRIES = (
    "The gateway retries a 503 twice, after 200 ms and after one second, then hands the error on."
)


def answer(text: str, known: Known = Known.KNOWN, asked: Ask = NO_ASK) -> AnswerTurn:
    return AnswerTurn(known, text, (0,), (), asked)


def withheld(reference: str) -> str:
    return said_lines.not_asked(WITHHELD_SENTENCE, reference).text


async def refused(world: World, reason: str) -> None:
    """Nothing crossed, and the person was told the one sentence that gives nothing away."""
    assert await world.all_referrals() == []
    assert await world.log(PLATFORM) == ()
    (decided,) = await decisions(world)
    assert decided.reason == reason
    (told,) = [row for row in await world.outbox() if row.kind is OutboxKind.LINE]
    assert told.body.text == withheld("")
    assert f"D{decided.id}" in told.body.small


class Believing(FakeDirectory):
    """Believes what it has heard until it is told to forget it, as the one over Slack does."""

    def __init__(self, somebody: PersonFacts, *channels: ChannelFacts) -> None:
        super().__init__([somebody], channels)
        self.believed: dict[str, PersonFacts | ChannelFacts | None] = {}

    async def person(self, team_id: str, user_id: str) -> PersonFacts:
        known = self.believed.setdefault(user_id, await super().person(team_id, user_id))
        assert isinstance(known, PersonFacts)
        return known

    async def channel(self, team_id: str, channel_id: str) -> ChannelFacts | None:
        known = self.believed.setdefault(channel_id, await super().channel(team_id, channel_id))
        assert not isinstance(known, PersonFacts)
        return known

    def forget_person(self, team_id: str, user_id: str) -> None:
        self.believed.pop(user_id, None)

    def forget_channel(self, team_id: str, channel_id: str) -> None:
        self.believed.pop(channel_id, None)


CHANNELS = (public_channel(PAYMENTS, "payments"), public_channel(PLATFORM, "platform"))

# The story, row by row.


async def test_a_question_appears_in_the_far_channel_at_top_level(world: World) -> None:
    await ask(world, QUESTION)

    question, reply = await world.log(PLATFORM)
    assert (question.role, question.content, question.seq) == (MessageRole.QUESTION, WORDS, 1)
    assert reply.content.startswith(RETRIES)
    asked, answered = await answers(world, PLATFORM)
    assert asked.body.heading == "Question from #payments · Pia for Ana"
    assert asked.message_id == question.id
    assert answered.message_id == reply.id
    assert [row.destination.thread_ts for row in (asked, answered)] == ["", ""]


async def test_exactly_one_agent_of_the_far_desk_answers(world: World) -> None:
    await ask(world, QUESTION)

    (far,) = await turns_of(world, "referred")
    assert (far.agent_id, far.state, far.hop) == ("lasse", TurnState.COMMITTED, 1)
    assert len(await world.all_turns()) == 2


async def test_the_answer_comes_back_as_a_row_of_the_thread_that_asked(world: World) -> None:
    asked = await ask(world, QUESTION)

    question, returned, told = await world.log(PAYMENTS, asked.ts)
    far = (await world.log(PLATFORM))[1]
    assert question.content == QUESTION
    assert (returned.role, returned.content) == (MessageRole.RETURN, far.content)
    assert (returned.author, returned.copy_of) == (far.author, far.id)
    assert returned.ts == ""
    assert told.author == replace(far.author, id="pia", label="Pia")


async def test_the_sponsor_tells_the_person_with_the_answer_quoted(world: World) -> None:
    asked = await ask(world, QUESTION)

    (told,) = await answers(world, PAYMENTS, asked.ts)
    (quote,) = told.body.quotes
    far_post = (await answers(world, PLATFORM))[1]
    assert quote.text.startswith(RETRIES)
    assert (quote.author, quote.place) == ("Lasse", "#platform")
    assert quote.link == f"outbox:{far_post.id}"
    assert told.needs == (far_post.id,)


async def test_the_status_line_is_one_message_that_is_edited(world: World) -> None:
    asked = await ask(world, QUESTION)

    status = await line(world, PAYMENTS, asked.ts)
    assert status.body.text == "#platform has answered"
    assert status.body.small == "Reference D1"
    assert status.revision == 2
    assert len(status.ts) == 1


async def test_both_decisions_are_kept_with_references_and_no_text(world: World) -> None:
    await ask(world, QUESTION)

    forward, back = await decisions(world, "referral")
    assert (forward.reason, back.reason) == ("forward", "return")
    assert forward.revision == CONFIGURATION.revision
    for decided in (forward, back):
        kept = f"{decided.input}{decided.result}"
        assert "retry" not in kept
        assert "503" not in kept
        assert "digest" in kept


async def test_a_referral_ends_as_answered_and_names_its_answer(world: World) -> None:
    await ask(world, QUESTION)

    (referral,) = await world.all_referrals()
    assert referral.state is ReferralState.ANSWERED
    assert referral.answer_id == (await world.log(PLATFORM))[1].id
    assert referral.visited == ("payments", "platform")
    assert not referral.late


async def test_an_answer_may_stand_under_its_question(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    configuration = with_desk("platform", referral__shown=ReferralsShown.THREAD)
    world = World(engine, clock, configuration)
    await ask(world, QUESTION)

    question, reply = await answers(world, PLATFORM)
    assert reply.thread_of == question.id
    assert [row.seq for row in await world.log(PLATFORM)] == [1, 2]


async def test_thirty_replies_that_name_others_all_come_home(
    engine: AsyncEngine, clock: FakeClock, models: ScriptedModels
) -> None:
    world = World(engine, clock, with_desk("payments", referral__per_hour=100), models=models)
    names = ("@greta", "@pia", "@lasse", "@#payments", "@#platform", "@#data", "@everyone", "@here")
    wordings = ("{} knows more", "ask {} about it", "{} and {}, please", "({}) said no")
    texts = [wording.format(name, name) for name in names for wording in wordings][:30]
    models.will("lasse", "answer", *(answer(text) for text in texts))

    for _ in texts:
        await ask(world, QUESTION)

    assert len(texts) == 30
    ended = await world.all_referrals()
    assert [one.state for one in ended] == [ReferralState.ANSWERED] * 30
    rows = await world.rows("select content from message where role = 'return' order by id")
    assert [content for (content,) in rows] == texts
    assert {turn.kind for turn in await world.all_turns()} == {TurnKind.REFERRED, TurnKind.SPONSOR}


# Who asks, and what is left unasked.


async def test_a_named_agent_of_this_desk_is_the_sponsor(world: World) -> None:
    asked = await ask(world, f"@otto {QUESTION}")

    (referral,) = await world.all_referrals()
    assert referral.asker_id == "otto"
    (told,) = await answers(world, PAYMENTS, asked.ts)
    assert told.body.persona is not None
    assert told.body.persona.name == "Otto"


async def test_exactly_one_question_goes_out_and_the_line_offers_the_other(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    configuration = with_desk("payments", asks=Reach(ReachKind.DESKS, ("platform", "data")))
    world = World(engine, clock, configuration)
    asked = await ask(world, "@#platform and @#data how are retries counted in the dashboards?")

    (referral,) = await world.all_referrals()
    assert referral.to_desk_id == "platform"
    assert await world.log(DATA) == ()
    status = await line(world, PAYMENTS, asked.ts)
    assert status.body.text == "#platform has answered"
    assert "#data was not asked: one question per message" in status.body.small
    (button,) = status.body.buttons
    (row, *_) = await world.log(PAYMENTS, asked.ts)
    assert (button.label, button.value) == ("Ask #data too", f"{row.id}:data")


async def test_the_status_line_waits_for_the_answer(world: World) -> None:
    message = await ask_without_answer(world, QUESTION)

    status = await line(world, PAYMENTS, message)
    assert status.body.text == "Asked #platform · waiting for its answer"
    assert status.body.small == "Reference D1"


async def test_an_agent_of_the_desk_that_is_asked_counts_as_asked(world: World) -> None:
    message = await ask_without_answer(world, "@#platform @lasse @greta does the gateway retry?")

    assert (await line(world, PAYMENTS, message)).body.buttons == ()


async def ask_without_answer(world: World, words: str) -> str:
    """Route a question and leave the far turn unspoken; the ts of the question."""
    message = said(words)
    await world.hear(message)
    await world.work_off("route", "deliver")
    return message.ts


async def test_naming_an_agent_of_another_desk_asks_that_desk(world: World) -> None:
    asked = await ask(world, "@greta how long does failover of the database take?")

    (referral,) = await world.all_referrals()
    assert (referral.to_desk_id, referral.target_id) == ("platform", "greta")
    assert [turn.agent_id for turn in await turns_of(world, "referred")] == ["greta"]
    here = [row.author for row in await world.log(PAYMENTS, asked.ts) if row.turn_id]
    assert here == [AgentAuthor("pia", "Pia")]


async def test_an_agent_of_another_desk_never_speaks_here_where_nothing_may_leave(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    configuration = with_desk("payments", referral__policy__reach=ReferralReach.LOCAL)
    world = World(engine, clock, configuration)
    await ask(world, "@greta how long does failover take?")

    await refused(world, "not_on_this_desk")
    assert await world.all_turns() == []


async def test_a_mention_of_the_own_desk_is_answered_here(world: World) -> None:
    asked = await ask(world, "@#payments how long does a refund take?")

    assert await world.all_referrals() == []
    (told,) = await answers(world, PAYMENTS, asked.ts)
    assert told.body.text.startswith("Refunds reach the customer within five working days")


@pytest.mark.parametrize(
    "words",
    [
        "please run `@#platform status` for me",
        "```\n@#platform does the gateway retry?\n```",
        "> @#platform does the gateway retry?\nwhat do you make of it?",
    ],
)
async def test_a_desk_named_in_code_or_in_a_quote_is_not_asked(world: World, words: str) -> None:
    await ask(world, words)

    assert await world.all_turns() == []
    assert await world.outbox() == []


@pytest.mark.parametrize(
    ("name", "nearest"), [("platfrom", " Did you mean @#platform?"), ("zzz", "")]
)
async def test_a_desk_nobody_has_is_said_privately_with_the_nearest_name(
    world: World, name: str, nearest: str
) -> None:
    await ask(world, f"@#{name} does the gateway retry on 503?")

    told = f"There is no desk called #{name}, so nobody was asked.{nearest}"
    assert await private(world, PAYMENTS) == [told]
    (row,) = await world.outbox()
    assert row.destination.user_id == ANA
    assert await world.all_turns() == []


# What stays here, and what is said about it.


async def test_a_person_is_judged_by_what_slack_says_in_the_moment_of_the_crossing(
    world: World,
) -> None:
    there = world.directory = Believing(home_person(ANA, "Ana"), *CHANNELS)
    await there.person(TEAM, ANA)
    there.people[ANA] = home_person(ANA, "Ana", deactivated=True)
    await ask(world, QUESTION)
    assert await world.all_referrals() == []
    assert await world.log(PLATFORM) == ()
    assert await private(world, PAYMENTS) == [
        said_lines.not_for_you(NoCrossingReason.ASKER_DEACTIVATED).text
    ]


@pytest.mark.parametrize(
    ("channel_id", "now"), [(PAYMENTS, Audience.PRIVATE), (PLATFORM, Audience.SHARED)]
)
async def test_a_channel_is_judged_by_what_slack_says_in_the_moment_of_the_crossing(
    world: World, channel_id: str, now: Audience
) -> None:
    there = world.directory = Believing(home_person(ANA, "Ana"), *CHANNELS)
    known = await there.channel(TEAM, channel_id)
    assert known is not None
    there.channels[channel_id] = replace(known, audience=now)
    await ask(world, QUESTION)
    assert await world.all_referrals() == []


async def test_a_waiting_far_turn_is_not_spoken_once_the_permission_is_gone(world: World) -> None:
    await begin(world)
    for _ in range(2):
        await ask_without_answer(world, QUESTION)
    await reload(world, with_desk("platform", answers=Reach(ReachKind.NONE)))
    await finish(world)

    states = [turn.state for turn in await turns_of(world, "referred")]
    assert states == [TurnState.COMMITTED, TurnState.CANCELLED]
    assert [one.state for one in await world.all_referrals()] == [ReferralState.REFUSED] * 2


async def test_a_waiting_far_turn_is_not_spoken_once_the_budget_is_spent(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = World(engine, clock, with_desk("platform", budget__turns_per_day=1))
    for _ in range(2):
        await ask_without_answer(world, QUESTION)
    await finish(world)

    states = [turn.state for turn in await turns_of(world, "referred")]
    assert states == [TurnState.COMMITTED, TurnState.CANCELLED]
    answered, refused = await world.all_referrals()
    assert (answered.state, refused.state) == (ReferralState.ANSWERED, ReferralState.REFUSED)
    assert refused.reason == WITHHELD_SENTENCE


async def test_where_referral_is_off_the_person_is_told_so(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = World(engine, clock, with_desk("payments", referral__policy__enabled=False))
    asked = await ask(world, QUESTION)

    assert await world.all_referrals() == []
    told = await line(world, PAYMENTS, asked.ts)
    switched_off = "sending a message to another desk is switched off here"
    assert told.body.text == f"Your question was not passed on: {switched_off}."
    assert "Reference D1" in told.body.small


REFUSALS = {
    "asks_not_allowed": with_desk("payments", asks=Reach(ReachKind.NONE)),
    "answers_not_allowed": with_desk("platform", answers=Reach(ReachKind.NONE)),
    "empty_desk": with_desk("platform", members=()),
    "no_referral_target": with_desk("payments", referral__policy__reach=ReferralReach.CHANNELS),
    "target_unreachable": with_desk("platform", channel="C0GONE"),
}


@pytest.mark.parametrize("reason", REFUSALS)
async def test_different_reasons_read_the_same(
    engine: AsyncEngine, clock: FakeClock, reason: str
) -> None:
    world = World(engine, clock, REFUSALS[reason])
    await ask(world, QUESTION)

    await refused(world, reason)


async def test_a_paused_far_desk_reads_like_any_other_refusal(world: World) -> None:
    async with world.work.begin() as tx:
        await tx.workspaces.pause_channel("T0HIVE", PLATFORM, "the channel was archived")
    await ask(world, QUESTION)

    await refused(world, "target_paused")


async def test_a_far_desk_whose_budget_is_spent_reads_like_any_other_refusal(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = World(engine, clock, with_desk("platform", budget__turns_per_day=0))
    await ask(world, QUESTION)

    await refused(world, "target_over_budget")


@pytest.mark.parametrize(
    ("configuration", "reason"),
    [
        (with_desk("payments", asks=Reach(ReachKind.GATE)), "asks_needs_gate"),
        (with_desk("platform", answers=Reach(ReachKind.GATE)), "answers_needs_gate"),
    ],
)
async def test_a_question_that_needs_a_steward_waits(
    engine: AsyncEngine, clock: FakeClock, configuration: Configuration, reason: str
) -> None:
    world = World(engine, clock, configuration)
    await ask(world, QUESTION)

    (decided,) = await decisions(world, "crossing")
    assert decided.reason == reason
    assert await world.all_referrals() == []


async def test_any_public_desk_may_ask_and_answer_where_both_say_any(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    anybody = Reach(ReachKind.ANY)
    world = World(
        engine, clock, with_desk("platform", with_desk("payments", asks=anybody), answers=anybody)
    )
    await ask(world, QUESTION)

    assert [one.state for one in await world.all_referrals()] == [ReferralState.ANSWERED]


@pytest.mark.parametrize("kind", [Audience.PRIVATE, Audience.SHARED])
async def test_any_is_no_list_for_a_private_or_shared_channel(
    engine: AsyncEngine, clock: FakeClock, kind: Audience
) -> None:
    anybody = Reach(ReachKind.ANY)
    world = World(
        engine, clock, with_desk("platform", with_desk("payments", asks=anybody), answers=anybody)
    )
    world.directory.channels[PAYMENTS] = ChannelFacts(PAYMENTS, "payments", kind, False, True)
    await ask(world, QUESTION, audience=kind)

    await refused(world, "asks_not_allowed")


async def test_a_wider_audience_needs_a_steward(world: World) -> None:
    world.directory.channels[PAYMENTS] = ChannelFacts(
        PAYMENTS, "payments", Audience.PRIVATE, archived=False, member=True
    )
    await ask(world, QUESTION, audience=Audience.PRIVATE)

    (decided,) = await decisions(world, "crossing")
    assert decided.reason == "wider_needs_gate"
    assert await world.all_referrals() == []


async def test_where_wider_is_allowed_a_private_desk_is_not_named_outside(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = World(engine, clock, with_desk("payments", asks_wider="allow"))
    world.directory.channels[PAYMENTS] = ChannelFacts(
        PAYMENTS, "payments", Audience.PRIVATE, archived=False, member=True
    )
    asked = await ask(world, QUESTION, audience=Audience.PRIVATE)

    question, _ = await answers(world, PLATFORM)
    assert question.body.heading == "Question from a private desk · Pia"
    (told,) = await answers(world, PAYMENTS, asked.ts)
    assert told.body.quotes[0].place == "#platform"


async def test_an_answer_from_a_private_desk_shows_no_place_and_no_link(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = World(engine, clock)
    world.directory.channels[PLATFORM] = ChannelFacts(
        PLATFORM, "platform", Audience.PRIVATE, archived=False, member=True
    )
    asked = await ask(world, QUESTION)

    (told,) = await answers(world, PAYMENTS, asked.ts)
    assert (told.body.quotes[0].place, told.body.quotes[0].link) == ("said in a private desk", "")


async def test_a_desk_has_so_many_questions_an_hour(engine: AsyncEngine, clock: FakeClock) -> None:
    world = World(engine, clock, with_desk("payments", referral__per_hour=2))
    for _ in range(2):
        await ask(world, QUESTION)
    third = await ask(world, QUESTION)

    assert len(await world.all_referrals()) == 2
    told = await line(world, PAYMENTS, third.ts)
    assert "used up its questions to that desk for this hour" in told.body.text

    clock.advance(3601)
    await ask(world, QUESTION)
    assert len(await world.all_referrals()) == 3


# How it can end.


async def test_a_far_model_that_fails_ends_the_question_and_wakes_the_sponsor_once(
    scripted: World, models: ScriptedModels
) -> None:
    models.will("lasse", "answer", failing("timed_out"))
    asked = await ask(scripted, QUESTION)

    (referral,) = await scripted.all_referrals()
    assert (referral.state, referral.reason) == (ReferralState.FAILED, "the model took too long")
    status = await line(scripted, PAYMENTS, asked.ts)
    assert status.body.text == "#platform could not answer: the model took too long"
    (told,) = await turns_of(scripted, "sponsor")
    assert told.notes == ("#platform could not answer: the model took too long.",)
    (post,) = await answers(scripted, PAYMENTS, asked.ts)
    assert "came to nothing" in post.body.text
    far = (await answers(scripted, PLATFORM))[1]
    assert far.body.text == "I could not answer: the model took too long."


async def test_a_late_answer_after_the_end_is_told_as_late(world: World, clock: FakeClock) -> None:
    message = await ask_without_answer(world, QUESTION)
    clock.advance(601)
    await Upkeep(world.work, world.policies, clock).run()
    await world.work_off("route", "deliver")
    (expired,) = await world.all_referrals()
    assert expired.state is ReferralState.EXPIRED
    assert "no answer within 600 s" in (await line(world, PAYMENTS, message)).body.text
    await finish(world)

    (referral,) = await world.all_referrals()
    assert (referral.state, referral.late) == (ReferralState.EXPIRED, True)
    status = await line(world, PAYMENTS, message)
    assert status.body.text == "#platform has answered, late"
    without, late = await answers(world, PAYMENTS, message)
    assert without.body.quotes == ()
    assert late.body.quotes[0].text.startswith(RETRIES)
    assert late.body.small.startswith("This answer came late")


async def test_an_answer_that_is_overdue_and_not_expired_counts_as_answered(
    world: World, clock: FakeClock
) -> None:
    message = await ask_without_answer(world, QUESTION)
    clock.advance(121)
    await finish(world)

    (referral,) = await world.all_referrals()
    assert (referral.state, referral.late) == (ReferralState.ANSWERED, True)
    assert (await line(world, PAYMENTS, message)).body.text == "#platform has answered, late"


async def test_a_withdrawn_question_brings_nothing_home(world: World) -> None:
    await ask_without_answer(world, QUESTION)
    (referral,) = await world.all_referrals()
    async with world.work.begin() as tx:
        await tx.referrals.end(referral.id, ReferralState.REFUSED, "withdrawn")
    await finish(world)

    assert await turns_of(world, "sponsor") == []


async def test_where_returns_are_off_the_answer_stays_there(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = World(engine, clock, with_desk("payments", referral__policy__returns=False))
    asked = await ask(world, QUESTION)

    (referral,) = await world.all_referrals()
    assert referral.state is ReferralState.REFUSED
    assert len(await answers(world, PLATFORM)) == 2
    (told,) = await answers(world, PAYMENTS, asked.ts)
    assert told.body.quotes == ()
    assert (await decisions(world, "referral"))[1].reason == "no_referral_target"


async def test_a_referral_ends_under_the_configuration_it_began_with(world: World) -> None:
    await begin(world)
    message = await ask_without_answer(world, QUESTION)
    changed = with_desk("payments", referral__policy__returns=False, name="Money")
    await reload(world, with_agent("lasse", with_agent("pia", changed, retired=True), name="L."))
    await finish(world)

    (referral,) = await world.all_referrals()
    assert referral.state is ReferralState.ANSWERED
    (told,) = await answers(world, PAYMENTS, message)
    assert told.body.quotes[0].author == "Lasse"


@pytest.mark.parametrize(
    "changed",
    [
        with_desk("payments", asks=Reach(ReachKind.NONE)),
        with_desk("platform", answers=Reach(ReachKind.NONE)),
        with_desk("payments", referral__policy__enabled=False),
        with_desk("platform", channel="C0ELSE"),
    ],
)
async def test_a_permission_taken_away_takes_hold_at_once(
    world: World, changed: Configuration
) -> None:
    await begin(world)
    await ask_without_answer(world, QUESTION)
    await reload(world, changed)
    await finish(world)

    (referral,) = await world.all_referrals()
    assert (referral.state, referral.reason) == (ReferralState.REFUSED, WITHHELD_SENTENCE)
    (told,) = await turns_of(world, "sponsor")
    assert told.notes == (f"#platform could not answer: {WITHHELD_SENTENCE}.",)


async def test_the_leads_own_question_goes_out_and_comes_home(
    scripted: World, models: ScriptedModels
) -> None:
    words = "Does the gateway retry a charge on 503?"
    models.will("pia", "answer", answer("I am asking.", Known.UNKNOWN, Ask("platform", words)))
    asked = await ask(scripted, "@hive will a charge be tried again?")

    question, *_ = await scripted.log(PLATFORM)
    assert question.content == words
    rows = await scripted.log(PAYMENTS, asked.ts)
    assert [row.role for row in rows][2:] == [MessageRole.RETURN, MessageRole.SPEECH]
    (referral,) = await scripted.all_referrals()
    assert (referral.asker_id, referral.person_user_id) == ("pia", ANA)
    assert referral.trigger_seq == 2
    first, told = await answers(scripted, PAYMENTS, asked.ts)
    assert first.body.quotes == ()
    assert told.body.quotes[0].text.startswith(RETRIES)


async def test_a_far_turn_and_a_sponsor_are_not_offered_a_question(
    scripted: World, models: ScriptedModels
) -> None:
    await ask(scripted, QUESTION)

    (far,) = models.asked("lasse")
    (told,) = models.asked("pia")
    assert (far.may_ask, told.may_ask) == ((), ())
    assert told.returned == 2
    assert told.rows[1].kind == "answer_from_desk"
    assert told.rows[1].place == "platform"


async def test_a_follow_up_still_knows_where_an_answer_came_from(
    scripted: World, models: ScriptedModels
) -> None:
    asked = await ask(scripted, QUESTION)
    await ask(scripted, "and what about 504, please?", thread_ts=asked.ts)

    follow_up = models.asked("pia")[-1]
    assert [row.place for row in follow_up.rows if row.kind == "answer_from_desk"] == ["platform"]


async def test_a_repeated_route_puts_the_question_once(world: World) -> None:
    message = await ask_without_answer(world, QUESTION)
    thread = await world.place(PAYMENTS, message)
    await world.rows(
        "update message set judged = false where conversation_id = :id returning id", id=thread.id
    )
    await world.routing.run(thread.id)

    assert len(await world.all_referrals()) == 1
    assert len(await turns_of(world, "referred")) == 1
    assert len(await lines(world, PAYMENTS, message)) == 1


async def test_far_turns_are_opened_in_order_of_arrival(world: World) -> None:
    first = await ask_without_answer(world, "@#platform does the gateway retry on 503?")
    second = await ask_without_answer(world, "@#platform how long are backups kept?")
    opened, waiting = await turns_of(world, "referred")
    assert (opened.state, waiting.state) == (TurnState.AUTHORISED, TurnState.WAITING)

    await until_spoken(world, 2)
    await finish(world)
    states = [turn.state for turn in await turns_of(world, "referred")]
    assert states == [TurnState.COMMITTED] * 2
    for ts, words in ((first, "retries a 503"), (second, "")):
        (told,) = await answers(world, PAYMENTS, ts)
        assert words in told.body.quotes[0].text


async def test_two_desks_that_ask_each_other_do_not_block_one_another(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = World(engine, clock)
    here = await ask_without_answer(world, QUESTION)
    there = await ask(world, "@#payments how long does a refund take?", PLATFORM)

    assert [one.state for one in await world.all_referrals()] == [ReferralState.ANSWERED] * 2
    assert len(await answers(world, PAYMENTS, here)) == 1
    assert len(await answers(world, PLATFORM, there.ts)) == 1


# A desk that asks on.

ASKS_ON = "How often are the dashboards refreshed?"


def asking_on() -> Configuration:
    """Payments asks platform, platform asks data on; a question, its answer and the way home."""
    configuration = with_desk("payments", referral__policy__max_hops=4)
    configuration = with_desk(
        "platform",
        configuration,
        asks=Reach(ReachKind.DESKS, ("payments", "data")),
        referral__refer_on=True,
        referral__policy__max_hops=4,
    )
    return with_desk("data", configuration, answers=Reach(ReachKind.DESKS, ("platform",)))


@pytest.fixture
async def chain(engine: AsyncEngine, clock: FakeClock, models: ScriptedModels) -> World:
    made = World(engine, clock, asking_on(), models=models)
    await made.install()
    models.will(
        "lasse",
        "answer",
        answer("I am asking #data.", Known.UNKNOWN, Ask("data", ASKS_ON)),
        answer("That is all I know."),
    )
    return made


async def test_a_desk_that_asks_on_brings_what_it_was_told_home(
    chain: World, models: ScriptedModels
) -> None:
    asked = await ask(chain, QUESTION)

    outer, inner = await chain.all_referrals()
    assert [one.state for one in (outer, inner)] == [ReferralState.ANSWERED] * 2
    assert (inner.from_desk_id, inner.to_desk_id, inner.hop) == ("platform", "data", 2)
    assert inner.visited == ("payments", "platform", "data")
    assert inner.person_user_id == ANA
    question, returned, _ = await chain.log(PAYMENTS, asked.ts)
    assert question.content == QUESTION
    told, added = returned.content.split("\n\n")
    assert told.startswith("The dashboards are refreshed at 06:00")
    assert added == "That is all I know."
    (post,) = await answers(chain, PAYMENTS, asked.ts)
    assert post.body.quotes[0].text == returned.shown
    kinds = [turn.kind for turn in await chain.all_turns()]
    assert kinds == [TurnKind.REFERRED, TurnKind.REFERRED, TurnKind.SPONSOR, TurnKind.SPONSOR]
    assert models.asked("lasse")[1].question == 1


async def test_no_desk_the_question_has_been_on_is_offered(
    chain: World, models: ScriptedModels
) -> None:
    await ask(chain, QUESTION)

    assert [desk.id for desk in models.asked("lasse")[0].may_ask] == ["data"]
    assert models.asked("anna")[0].may_ask == ()


async def test_a_ring_is_refused_and_the_answer_goes_home_as_it_is(
    chain: World, models: ScriptedModels
) -> None:
    models.will("lasse", "answer", answer("ask @#payments about it"))
    message = await ask_without_answer(chain, QUESTION)
    await speak_next(chain)
    names = (Mention(DeskTarget("payments"), "@#payments", 4),)
    await chain.rows(
        "update message set mentions = :names where turn_id is not null returning id",
        names=json.dumps(encode(names)),
    )
    await finish(chain)

    (referral,) = await chain.all_referrals()
    assert referral.state is ReferralState.ANSWERED
    (ring,) = await decisions(chain, "crossing")
    assert ring.reason == "ring"
    (line_there,) = await lines(chain, PLATFORM)
    assert "the question has been on that desk already" in line_there.body.text
    (told,) = await answers(chain, PAYMENTS, message)
    assert told.body.quotes[0].text == "ask @#payments about it"


async def test_a_third_desk_that_fails_is_told_of_on_the_way_home(
    chain: World, models: ScriptedModels
) -> None:
    models.will("anna", "answer", failing())
    asked = await ask(chain, QUESTION)

    outer, inner = await chain.all_referrals()
    assert (outer.state, inner.state) == (ReferralState.ANSWERED, ReferralState.FAILED)
    (told,) = await answers(chain, PAYMENTS, asked.ts)
    assert told.body.quotes[0].text == "That is all I know."
    assert models.asked("lasse")[1].question == 1


async def test_a_sponsor_that_fails_still_sends_home_what_it_was_told(
    chain: World, models: ScriptedModels
) -> None:
    asking = answer("I am asking #data.", Known.UNKNOWN, Ask("data", ASKS_ON))
    models.will("lasse", "answer", asking, failing())
    asked = await ask(chain, QUESTION)

    outer, _ = await chain.all_referrals()
    assert outer.state is ReferralState.ANSWERED
    (told,) = await answers(chain, PAYMENTS, asked.ts)
    assert told.body.quotes[0].text.startswith("The dashboards are refreshed at 06:00")


# Whose question it is.


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"guest": True}, "asker_guest"),
        ({"stranger": True}, "asker_stranger"),
        ({"deactivated": True}, "asker_deactivated"),
    ],
)
async def test_the_far_end_judges_the_person_too(
    engine: AsyncEngine, clock: FakeClock, facts: dict[str, bool], reason: str
) -> None:
    everybody = AnswersTo(guests=True, strangers=True, deactivated=True)
    world = World(engine, clock, with_desk("payments", answers_to=everybody))
    world.directory.people[BEN] = home_person(BEN, "Ben", **facts)
    await ask(world, QUESTION, by=person(BEN))

    await refused(world, reason)


async def test_a_listed_guest_may_ask_through(engine: AsyncEngine, clock: FakeClock) -> None:
    ben = AnswersTo(people=(BEN,))
    world = World(
        engine, clock, with_desk("platform", with_desk("payments", answers_to=ben), answers_to=ben)
    )
    world.directory.people[BEN] = home_person(BEN, "Ben", guest=True)
    await ask(world, QUESTION, by=person(BEN))

    assert [one.state for one in await world.all_referrals()] == [ReferralState.ANSWERED]


async def test_a_desk_that_is_not_configured_any_more_is_asked_by_nobody(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    nobody = replace(desk_of(CONFIGURATION, "payments"), members=())
    configuration = replace(CONFIGURATION, desks=(nobody, desk_of(CONFIGURATION, "platform")))
    world = World(engine, clock, with_more(configuration))
    asked = await ask(world, QUESTION)

    told = await line(world, PAYMENTS, asked.ts)
    assert told.body.text == "I could not answer: nobody on this desk can take it."
    assert await world.all_referrals() == []
