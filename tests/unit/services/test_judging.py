"""What does a person's message ask for? Source: product.md 3, rights.md 1, hive.md 7."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hivebot.hive.conversation import (
    GENERAL_DESK,
    AgentAuthor,
    PersonAuthor,
    SystemAuthor,
    TranscriptAuthor,
)
from hivebot.hive.crossing import AnswersTo, Asker, Audience
from hivebot.hive.mention import AgentTarget, DeskTarget
from hivebot.hive.responder import DecidedPlan, Rung, SelectPlan
from hivebot.hive.waking import Listen, Threads, WakeReason
from hivebot.services.records.policy import Configuration, Deliberate, DeskMode, GeneralConfig
from hivebot.services.records.rows import ConversationRow, MessageRole, MessageRow
from hivebot.services.routing.judging import (
    Answer,
    Deliberated,
    Given,
    Private,
    Question,
    Silent,
    Sponsored,
    Stuck,
    Told,
    Verdict,
    Word,
    judge,
)
from hivebot.services.snapshots import desks_of, roster_of
from tests.configurations import CONFIGURATION, desk_of, with_agent, with_desk, with_more
from tests.fakes.clock import START

ANA, BEN = "U0ANA", "U0BEN"


def row(
    content: str,
    *,
    by: str = ANA,
    author: TranscriptAuthor | None = None,
    role: MessageRole = MessageRole.SPEECH,
    seq: int = 5,
    addressed: bool = False,
) -> MessageRow:
    return MessageRow(
        id=seq,
        conversation_id=1,
        seq=seq,
        role=role,
        author=author or PersonAuthor(by, ""),
        ts=f"1.{seq}",
        user_id="" if isinstance(author, AgentAuthor) else by,
        user_team_id="T1",
        content=content,
        shown="",
        revision=1,
        addressed=addressed,
        wakes=True,
        mentions=None,
        traces=(),
        turn_id=None,
        referral_id=None,
        copy_of=None,
        judged=False,
        created_at=START,
    )


def agent(content: str = "an answer") -> MessageRow:
    return row(content, author=AgentAuthor("pia", "Pia"))


def question(
    message: MessageRow | str,
    *,
    desk: str = "payments",
    thread: bool = False,
    recent: Sequence[MessageRow] = (),
    configuration: Configuration = CONFIGURATION,
    asker: Asker | None = None,
    answered: str = "",
    muted: bool = False,
    paused: str = "",
    deliberated: bool = False,
    deliberating: bool = False,
) -> Question:
    found = (
        row(message, addressed=message.startswith("@hive")) if isinstance(message, str) else message
    )
    bound = configuration.desk(desk)
    return Question(
        configuration=configuration,
        conversation=ConversationRow(
            id=1,
            team_id="T1",
            channel_id=bound.channel if bound else "C0ELSE",
            thread_ts="1.1" if thread else "",
            desk_id=desk,
            audience=Audience.PUBLIC,
            root_seq=1 if thread else None,
            last_seq=found.seq,
            answered_user_id=answered,
            muted=muted,
        ),
        desk=bound,
        message=found,
        recent=recent,
        roster=roster_of(configuration, [found.user_id]),
        desks=desks_of(configuration),
        asker=asker or (Asker(found.user_id) if isinstance(found.author, PersonAuthor) else None),
        paused=paused,
        deliberated=deliberated,
        deliberating=deliberating,
    )


def answered_by(verdict: Verdict) -> str:
    """Who answers, once the ladder has decided."""
    assert isinstance(verdict, Answer)
    assert isinstance(verdict.plan, DecidedPlan)
    return verdict.plan.decision.responder_id


def silent(verdict: Verdict) -> str:
    assert isinstance(verdict, Silent)
    return verdict.reason


def told(verdict: Verdict) -> str:
    assert isinstance(verdict, Private)
    return verdict.reason


# What wakes the desk.


@pytest.mark.parametrize("text", ["hello all", "the build is red again", "#canary is on"])
def test_talk_among_people_wakes_nobody(text: str) -> None:
    assert silent(judge(question(text))) == "not_addressed"


@pytest.mark.parametrize("text", ["@hive thanks!", "@hive ok", "@hive :+1: !!"])
def test_thanks_and_greetings_wake_nobody(text: str) -> None:
    assert isinstance(judge(question(text)), Silent)


def test_a_mention_of_the_bot_wakes_the_lead() -> None:
    verdict = judge(question("@hive how long does a refund take?"))

    assert answered_by(verdict) == "pia"
    assert isinstance(verdict, Answer)
    assert verdict.reason is WakeReason.BOT_MENTIONED


def test_a_named_member_answers_without_the_bot_being_mentioned() -> None:
    assert answered_by(judge(question("@otto what about chargebacks?"))) == "otto"


def test_a_desk_that_listens_to_all_takes_every_question() -> None:
    configuration = with_desk("payments", listen=Listen.ALL)

    assert (
        answered_by(judge(question("how long is a refund?", configuration=configuration))) == "pia"
    )


def test_everyone_never_starts_a_turn() -> None:
    assert isinstance(judge(question("@everyone lunch is ready")), Silent)


def test_a_bare_mention_is_told_how_to_ask() -> None:
    assert told(judge(question("@hive"))) == "nothing_asked"


@pytest.mark.parametrize(
    ("text", "word"),
    [("@hive stop", Word.STOP), ("@hive Mute!", Word.MUTE), ("@hive help", Word.HELP)],
)
def test_one_word_to_the_bot_is_an_order(text: str, word: Word) -> None:
    assert judge(question(text)) == Told(word)


@pytest.mark.parametrize("text", ["@hive stop the deploy please", "stop", "@hive status"])
def test_a_sentence_is_no_order(text: str) -> None:
    assert not isinstance(judge(question(text)), Told)


# Follow-ups in a thread.


def test_the_person_last_answered_need_not_mention_the_bot_again() -> None:
    verdict = judge(
        question("and for cards?", thread=True, answered=ANA, recent=[agent(), row("a question")])
    )

    assert isinstance(verdict, Answer)
    assert verdict.reason is WakeReason.FOLLOW_UP


def test_two_people_in_between_end_that() -> None:
    recent = [row("I doubt it", by=BEN), row("me too", by="U0C"), agent()]

    verdict = judge(question("and for cards?", thread=True, answered=ANA, recent=recent))
    assert silent(verdict) == "not_the_asker"


def test_talk_before_the_answer_does_not_count() -> None:
    recent = [agent(), row("I doubt it", by=BEN)]

    verdict = judge(question("and for cards?", thread=True, answered=ANA, recent=recent))
    assert isinstance(verdict, Answer)


def test_an_outcome_is_an_answer_too() -> None:
    outcome = row("canary", author=SystemAuthor("outcome", ""), role=MessageRole.OUTCOME, by="")
    recent = [outcome, row("a line of mine", by=BEN)]

    verdict = judge(
        question(
            "why not ship?",
            desk="data",
            thread=True,
            answered=ANA,
            recent=recent,
            deliberated=True,
        )
    )
    assert isinstance(verdict, Answer)


def test_somebody_elses_line_does_not_follow_up() -> None:
    verdict = judge(question(row("and for cards?", by=BEN), thread=True, answered=ANA))

    assert silent(verdict) == "not_the_asker"


def test_a_thread_nobody_was_answered_in_needs_a_mention() -> None:
    assert silent(judge(question("and for cards?", thread=True))) == "not_addressed"


def test_where_threads_are_open_anybody_follows_up() -> None:
    configuration = with_desk("payments", threads=Threads.ALL)
    verdict = judge(
        question(
            row("and for cards?", by=BEN), thread=True, answered=ANA, configuration=configuration
        )
    )

    assert isinstance(verdict, Answer)


def test_where_threads_want_a_mention_nobody_follows_up() -> None:
    configuration = with_desk("payments", threads=Threads.MENTION)

    verdict = judge(
        question("and for cards?", thread=True, answered=ANA, configuration=configuration)
    )
    assert silent(verdict) == "not_addressed"


def test_a_muted_thread_is_silent_until_the_bot_is_mentioned() -> None:
    muted = judge(question("and for cards?", thread=True, answered=ANA, muted=True))
    woken = judge(question("@hive and for cards?", thread=True, answered=ANA, muted=True))

    assert silent(muted) == "muted"
    assert isinstance(woken, Answer)


def test_the_root_of_a_thread_is_judged_as_top_level() -> None:
    root = row("how long is a refund?", seq=1)

    assert silent(judge(question(root, thread=True, answered=ANA))) == "not_addressed"


# Where no desk answers.


def test_an_unbound_channel_answers_a_mention_privately() -> None:
    assert told(judge(question("@hive are you there?", desk=GENERAL_DESK))) == "unbound"


def test_an_unbound_channel_is_silent_otherwise() -> None:
    assert silent(judge(question("@#platform are you there?", desk=GENERAL_DESK))) == "unbound"


def test_where_general_is_on_its_first_active_member_answers() -> None:
    general = GeneralConfig(enabled=True, members=("lasse", "greta"))
    configuration = with_agent("lasse", with_more(general=general), retired=True)

    verdict = judge(
        question("@hive are you there?", desk=GENERAL_DESK, configuration=configuration)
    )
    assert answered_by(verdict) == "greta"


def test_where_general_has_no_members_the_orchestrator_answers() -> None:
    configuration = with_more(general=GeneralConfig(enabled=True))

    verdict = judge(
        question("@hive are you there?", desk=GENERAL_DESK, configuration=configuration)
    )
    assert answered_by(verdict) == "pia"


@pytest.mark.parametrize("thread", [False, True])
def test_a_direct_message_is_answered_by_the_orchestrator(thread: bool) -> None:  # noqa: FBT001 - a case
    verdict = judge(question("how long is a refund?", desk=f"dm:{ANA}", thread=thread))

    assert answered_by(verdict) == "pia"


def test_without_an_orchestrator_a_direct_message_gets_one_line_of_help() -> None:
    configuration = with_more(orchestrator="")

    asked = judge(question("how long is it?", desk=f"dm:{ANA}", configuration=configuration))
    thanked = judge(question("thanks", desk=f"dm:{ANA}", configuration=configuration))
    assert told(asked) == "no_orchestrator"
    assert isinstance(thanked, Silent)


def test_an_orchestrator_that_is_retired_leaves_nobody_to_answer() -> None:
    configuration = with_agent("pia", retired=True)

    verdict = judge(question("how long is it?", desk=f"dm:{ANA}", configuration=configuration))
    assert isinstance(verdict, Stuck)
    assert verdict.reason == "no_active_responder"


def test_a_desk_named_in_a_direct_message_is_asked_by_the_orchestrator() -> None:
    verdict = judge(question("@#platform does it retry?", desk=f"dm:{ANA}"))

    assert isinstance(verdict, Sponsored)
    assert verdict.sponsor_id == "pia"


def test_an_agent_of_a_desk_named_in_a_direct_message_is_asked_too() -> None:
    verdict = judge(question("@greta does it fail over?", desk=f"dm:{ANA}"))

    assert isinstance(verdict, Sponsored)
    assert verdict.targets == (AgentTarget("greta"),)


# Rights.


def test_a_paused_desk_says_why() -> None:
    assert told(judge(question("@hive how long is it?", paused="archived"))) == "paused"


@pytest.mark.parametrize(
    ("asker", "reason"),
    [
        (Asker(BEN, guest=True), "asker_guest"),
        (Asker(BEN, stranger=True), "asker_stranger"),
        (Asker(BEN, deactivated=True), "asker_deactivated"),
    ],
)
def test_guests_strangers_and_deactivated_people_are_told_privately(
    asker: Asker, reason: str
) -> None:
    message = row("@hive how long is it?", by=BEN, addressed=True)

    assert told(judge(question(message, asker=asker))) == reason


def test_what_strangers_say_among_themselves_is_not_commented() -> None:
    message = row("how long is it?", by=BEN)

    assert isinstance(judge(question(message, asker=Asker(BEN, stranger=True))), Silent)


def test_a_listed_stranger_may_ask() -> None:
    configuration = with_desk("payments", answers_to=AnswersTo(people=(BEN,)))
    message = row("@hive how long is it?", by=BEN, addressed=True)

    verdict = judge(question(message, asker=Asker(BEN, stranger=True), configuration=configuration))
    assert isinstance(verdict, Answer)


def test_an_admitted_bot_that_mentions_the_desk_is_answered() -> None:
    alert = row(
        "@hive the queue is full",
        author=SystemAuthor("bot", "Alerts"),
        by="B0ALERT",
        addressed=True,
    )

    assert isinstance(judge(question(alert)), Answer)


def test_an_admitted_bot_is_context_otherwise() -> None:
    configuration = with_desk("payments", listen=Listen.ALL)
    alert = row("the queue is full", author=SystemAuthor("bot", "Alerts"), by="B0ALERT")

    assert silent(judge(question(alert, configuration=configuration))) == "bot_not_addressing"


# Other desks.


def test_a_mention_of_another_desk_crosses_on_behalf_of_the_lead() -> None:
    verdict = judge(question("@#platform does it retry?"))

    assert isinstance(verdict, Sponsored)
    assert (verdict.sponsor_id, verdict.targets) == ("pia", (DeskTarget("platform"),))


def test_a_named_member_of_this_desk_sponsors() -> None:
    verdict = judge(question("@otto and @#platform does it retry?"))

    assert isinstance(verdict, Sponsored)
    assert verdict.sponsor_id == "otto"
    assert [mention.text for mention in verdict.mentions] == ["@#platform"]


def test_all_targets_elsewhere_are_named_once_in_order() -> None:
    verdict = judge(question("@#data or @greta or @#platform or @#data: does it retry?"))

    assert isinstance(verdict, Sponsored)
    assert verdict.targets == (DeskTarget("data"), AgentTarget("greta"), DeskTarget("platform"))


def test_the_own_desk_is_no_crossing() -> None:
    assert answered_by(judge(question("@#payments how long is a refund?"))) == "pia"


def test_an_agent_of_two_desks_is_at_home_on_both() -> None:
    members = (*desk_of(CONFIGURATION, "payments").members, "lasse")
    configuration = with_desk("payments", members=members)

    verdict = judge(question("@lasse does it retry?", configuration=configuration))
    assert answered_by(verdict) == "lasse"


def test_a_desk_without_members_has_nobody_to_ask_for_it() -> None:
    configuration = with_desk("payments", members=())

    verdict = judge(question("@#platform does it retry?", configuration=configuration))
    assert isinstance(verdict, Stuck)
    assert verdict.reason == "no_sponsor"


def test_a_name_no_desk_has_is_offered_the_nearest() -> None:
    verdict = judge(question("@#paltform does it retry?"))

    assert isinstance(verdict, Private)
    assert "@#platform" in verdict.body.text


def test_a_misspelt_name_beside_a_right_one_stops_nothing() -> None:
    assert isinstance(judge(question("@#platform and @#dta: does it retry?")), Sponsored)


@pytest.mark.parametrize("text", ["`@#nobody` is a name", "> @#nobody said so", "@#nobody"])
def test_a_misspelt_name_that_asks_nothing_is_left_alone(text: str) -> None:
    assert isinstance(judge(question(text)), Silent)


# Who answers here, or deliberates.


def test_a_desk_that_selects_offers_its_members() -> None:
    configuration = with_desk("payments", mode=DeskMode.SELECT)
    verdict = judge(question("@hive how long is a refund?", configuration=configuration))

    assert isinstance(verdict, Answer)
    assert isinstance(verdict.plan, SelectPlan)
    assert [one.id for one in verdict.plan.request.candidates] == ["pia", "otto"]
    assert verdict.plan.fallback.rung is Rung.DESK_DEFAULT


def test_a_hive_deliberates() -> None:
    assert isinstance(judge(question("@hive #canary or #ship?", desk="data")), Deliberated)


def test_a_named_member_of_a_hive_answers_alone() -> None:
    assert answered_by(judge(question("@eva #canary or #ship?", desk="data"))) == "eva"


def test_after_an_outcome_a_follow_up_gets_one_lead_turn() -> None:
    verdict = judge(
        question("@hive and then?", desk="data", thread=True, deliberated=True, answered=ANA)
    )

    assert answered_by(verdict) == "anna"


def test_whoever_asks_for_it_gets_another_deliberation() -> None:
    verdict = judge(
        question("@hive deliberate #a or #b", desk="data", thread=True, deliberated=True)
    )

    assert isinstance(verdict, Deliberated)


def test_a_lead_desk_deliberates_when_asked() -> None:
    asked = judge(question("@hive deliberate #refund or #voucher?"))
    plain = judge(question("@hive #refund or #voucher?"))

    assert isinstance(asked, Deliberated)
    assert isinstance(plain, Answer)


def test_a_lead_desk_may_be_set_to_deliberate() -> None:
    configuration = with_desk("payments", deliberate=Deliberate.LEAD_DECIDES)

    verdict = judge(question("@hive #refund or #voucher?", configuration=configuration))
    assert isinstance(verdict, Deliberated)


def test_nobody_deliberates_alone() -> None:
    configuration = with_desk("data", members=("anna",))

    verdict = judge(question("@hive #canary or #ship?", desk="data", configuration=configuration))
    assert answered_by(verdict) == "anna"


def test_what_is_said_to_a_desk_at_work_goes_into_the_deliberation() -> None:
    verdict = judge(
        question("@hive mind the holidays", desk="data", thread=True, deliberating=True)
    )

    assert verdict == Given(WakeReason.BOT_MENTIONED)


def test_what_people_say_to_one_another_meanwhile_does_not() -> None:
    verdict = judge(
        question("mind the holidays", desk="data", thread=True, deliberating=True, answered=ANA)
    )

    assert silent(verdict) == "episode_open"


def test_a_question_to_another_desk_still_crosses_meanwhile() -> None:
    verdict = judge(
        question("@#platform does it retry?", desk="data", thread=True, deliberating=True)
    )

    assert isinstance(verdict, Sponsored)


def test_roles_are_offered_to_the_selector() -> None:
    configuration = with_desk("payments", mode=DeskMode.SELECT)
    nameless = with_agent("otto", configuration, role="")
    verdict = judge(question("@hive how long is a refund?", configuration=nameless))

    assert isinstance(verdict, Answer)
    assert isinstance(verdict.plan, SelectPlan)
    roles = [(one.role, one.description) for one in verdict.plan.request.candidates]
    assert roles == [("payments lead", "payments lead"), ("Teammate", None)]
