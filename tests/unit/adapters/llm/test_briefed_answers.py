"""How does the rule-based agent answer alone?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.adapters.llm.briefed import choose, speak
from hivebot.adapters.llm.briefed.words import content_words, without_mentions
from hivebot.services.records.asking import FarDesk, SeenRow, TurnRequest
from hivebot.services.records.policy import BriefFact, RuleBrief
from hivebot.services.records.replies import (
    AnswerTurn,
    Ask,
    Bearing,
    ConsultTurn,
    DeliberateTurn,
    Fact,
    FramingTurn,
    Known,
    OpeningTurn,
    Option,
    Stance,
)
from tests.unit.adapters.llm.requests import agent, asked, person, returned, said

POOL = BriefFact("", "neutral", 3, "the pool holds forty connections", ("pool",))
BACKUP = BriefFact("", "neutral", 2, "backups run every night at two", ("backup", "restore"))
RESTORE = BriefFact("", "neutral", 4, "a restore of the backup takes six hours", ())
RULES = RuleBrief(
    shared=(POOL,),
    holds=(BACKUP, RESTORE),
    refer=(("invoices", "finance"), ("cluster", "platform"), ("node", "platform")),
)
FINANCE = FarDesk("finance", "Finance", "Money")
PLATFORM = FarDesk("platform", "Platform", "Machines")


def question(text: str, *rows: SeenRow, may_ask: tuple[FarDesk, ...] = ()) -> TurnRequest:
    """A question to an agent that knows of pools and backups."""
    rows = (person(1, text), *rows)
    return asked("answer", agent=agent(rules=RULES), rows=rows, may_ask=may_ask)


def answered(request: TurnRequest) -> AnswerTurn:
    """The reply, which has to be an answer."""
    reply = speak(request)
    assert isinstance(reply, AnswerTurn)
    return reply


def test_content_words_are_long_lower_case_and_singular() -> None:
    assert content_words("The POOLS of <@U0ANA|ana> and @#data, at 2 am: a boss's class!") == {
        "pool", "boss", "class",
    }  # fmt: skip
    assert content_words("Größe der Häuser") == {"größe", "der", "häuser"}
    assert content_words("gas yes") == {"gas"}


def test_a_question_stands_alone_without_whom_it_was_put_to() -> None:
    assert without_mentions("@hive, <@U0BOT> how big\nis @#data today?") == "how big is today?"
    assert without_mentions("mail a@b.c") == "mail a@b.c"


def test_one_word_the_brief_is_filed_under_is_enough() -> None:
    reply = answered(question("How large are the pools?"))
    assert (reply.known, reply.cites) == (Known.KNOWN, (0,))
    assert reply.answer == "The pool holds forty connections."


def test_two_common_words_are_enough_and_one_is_not() -> None:
    assert answered(question("six hours, really?")).known is Known.KNOWN
    assert answered(question("six o'clock, really?")).known is Known.UNKNOWN


def test_the_two_best_facts_are_said_by_count_then_strength_then_order() -> None:
    reply = answered(question("pool: restore the backup every night?"))
    assert reply.answer == (
        "Backups run every night at two. A restore of the backup takes six hours."
    )
    tied = replace(POOL, text="the pool is full", strength=3)
    both = agent(rules=RuleBrief(shared=(POOL, tied)))
    reply = answered(replace(question("the pool?"), agent=both))
    assert reply.answer == "The pool holds forty connections. The pool is full."


def test_a_visible_fact_is_cited_by_its_row() -> None:
    row = said(2, "bert", "!evidence against(2): the queue lost messages")
    reply = answered(question("Did the queue lose messages? The queue!", row))
    assert (reply.answer, reply.cites) == ("The queue lost messages.", (2,))


def test_an_own_fact_that_was_said_before_is_still_the_briefs() -> None:
    row = said(2, "bert", "!evidence neutral(3): the pool holds forty connections")
    reply = answered(question("the pool?", row))
    assert (reply.answer, reply.cites) == ("The pool holds forty connections.", (0,))


def test_another_desks_word_is_asked_of_that_desk() -> None:
    reply = answered(question("@hive who pays the invoice?", may_ask=(PLATFORM, FINANCE)))
    assert reply.ask == Ask("finance", "who pays the invoice?")
    assert reply.known is Known.UNKNOWN
    assert reply.answer == "I hold nothing on that. I am asking finance."


def test_what_is_known_here_is_not_asked_elsewhere() -> None:
    reply = answered(question("the pool of the cluster?", may_ask=(PLATFORM,)))
    assert (reply.known, reply.ask.desk) == (Known.KNOWN, "")


def test_a_desk_that_may_not_be_asked_is_not_asked() -> None:
    reply = answered(question("who pays the invoice?", may_ask=(PLATFORM,)))
    assert (reply.known, reply.answer) == (Known.UNKNOWN, "I hold nothing on that.")
    assert reply.ask.desk == ""


def test_a_question_that_may_not_be_seen_is_not_guessed() -> None:
    assert answered(replace(question("the pool?"), question=9)).known is Known.UNKNOWN


@pytest.mark.parametrize(
    ("text", "quote", "known", "answer"),
    [
        (
            "How large is the cluster network?",
            "The cluster network is large.",
            Known.KNOWN,
            "",
        ),
        ("How big?", "Ten nodes.", Known.PARTLY, ""),
        ("How big?", "I hold nothing on that.", Known.UNKNOWN, ""),
        ("How big?", "I do not know.", Known.UNKNOWN, ""),
        (
            "How big is the pool?",
            "I hold nothing on that.",
            Known.PARTLY,
            "The pool holds forty connections.",
        ),
        ("How big is the pool?", "Ten nodes.", Known.KNOWN, "The pool holds forty connections."),
    ],
)
def test_a_returned_answer_is_judged_and_not_repeated(
    text: str, quote: str, known: Known, answer: str
) -> None:
    request = replace(question(text, returned(2, "pat", quote)), returned=2)
    reply = answered(request)
    assert (reply.known, reply.answer) == (known, answer)
    assert reply.cites[0] == 2


def test_a_returned_answer_that_was_erased_is_not_cited() -> None:
    reply = answered(replace(question("How big?"), returned=2))
    assert (reply.known, reply.cites) == (Known.UNKNOWN, ())


@pytest.mark.parametrize(
    ("text", "known", "start"),
    [
        ("How big?", Known.UNKNOWN, "The question to the other desk came to nothing: nobody"),
        ("How big is the pool?", Known.PARTLY, "The pool holds forty connections. The question"),
    ],
)
def test_a_referral_without_an_answer_is_said(text: str, known: Known, start: str) -> None:
    request = replace(
        question(text, may_ask=(PLATFORM,)),
        returned_state="nobody is available to take this over",
    )
    reply = answered(request)
    assert reply.known is known
    assert reply.answer.startswith(start)
    assert reply.answer.endswith("nobody is available to take this over.")


def consulting(text: str, *desks: FarDesk, max_asks: int = 2) -> ConsultTurn:
    """What is asked before a deliberation about the text."""
    rows = (person(1, text),)
    reply = speak(
        asked("consult", agent=agent(rules=RULES), rows=rows, may_ask=desks, max_asks=max_asks)
    )
    assert isinstance(reply, ConsultTurn)
    return reply


def test_every_desk_a_word_belongs_to_is_consulted_once() -> None:
    text = "New nodes for the cluster, or pay the invoices?"
    assert consulting(text, FINANCE, PLATFORM).asks == (
        Ask("finance", text),
        Ask("platform", text),
    )
    assert consulting(text, FINANCE, PLATFORM, max_asks=1).asks == (Ask("finance", text),)
    assert consulting(text, PLATFORM).asks == (Ask("platform", text),)
    assert consulting("Lunch?", PLATFORM).asks == ()


def framed(text: str) -> FramingTurn:
    """The options of a question."""
    reply = speak(asked("framing", agent=agent(rules=RULES), rows=(person(1, text),)))
    assert isinstance(reply, FramingTurn)
    return reply


def test_options_are_those_the_question_names() -> None:
    assert framed("#revert or #Ship-It, says @#platform? `#code` #revert!").options == (
        Option("revert", "revert"),
        Option("ship-it", "Ship It"),
    )


def test_fewer_than_two_options_are_none_and_more_than_eight_are_cut() -> None:
    assert framed("#ship, yes or no? See issue#2").options == ()
    assert len(framed(" ".join(f"#o{n}" for n in range(12))).options) == 8


def relayed(quote: str) -> OpeningTurn:
    """What is passed on of a late answer."""
    rows = (person(1, "Which way?"), returned(4, "pat", quote))
    reply = speak(asked("relay", agent=agent(rules=RULES), rows=rows, returned=4))
    assert isinstance(reply, OpeningTurn)
    return reply


def test_a_late_answer_is_passed_on_as_one_fact() -> None:
    assert relayed("A canary\nneeds ten nodes.").facts == (
        Fact("canary", Bearing.NEUTRAL, 3, "A canary needs ten nodes.", "[4]"),
    )
    assert relayed("Ship or revert, same cost.").facts[0].option == ""
    assert len(relayed("word " * 200).facts[0].text) <= 400


def test_a_late_answer_that_was_erased_is_not_passed_on() -> None:
    reply = speak(asked("relay", agent=agent(rules=RULES), returned=4))
    assert reply == OpeningTurn((), "I have nothing to add to that.")


CANDIDATES = (
    ("anna", "Anna", "planner", "Plans releases and their dates"),
    ("bert", "Bert", "critic", "Looks after databases and backups"),
)


def test_the_selector_picks_who_shares_most_with_the_message() -> None:
    assert choose("When is the next backup of the database?", CANDIDATES) == "bert"
    assert choose("Release dates and backups?", CANDIDATES) == "anna"


def test_the_selector_picks_nobody_rather_than_anybody() -> None:
    assert choose("Lunch?", CANDIDATES) is None
    assert choose("Lunch?", ()) is None


def test_another_desk_is_told_what_each_fact_bears_on() -> None:
    rules = RuleBrief(
        holds=(
            BriefFact("cache", "against", 2, "the cache shows old prices", ("sale",)),
            BriefFact("", "neutral", 1, "a sale lasts three days", ("sale",)),
        )
    )
    far = asked("answer", agent=agent(rules=rules), rows=(said(1, "pia", "What of the sale?"),))
    near = asked("answer", agent=agent(rules=rules), rows=(person(1, "What of the sale?"),))
    assert answered(far).answer == (
        "The cache shows old prices. (against cache, 2 of 5) A sale lasts three days."
    )
    assert answered(near).answer == "The cache shows old prices. A sale lasts three days."


def test_what_another_desk_states_counts_like_what_a_peer_states() -> None:
    rules = RuleBrief(shared=(BriefFact("ship", "for", 3, "all tests pass", ()),))
    home = returned(
        2,
        "lasse",
        "The load test failed. (against ship, 4 of 5) It is warm. (for revert, 1 of 5)",
    )
    request = asked("deliberate", agent=agent(rules=rules), rows=(person(1, "Which?"), home))
    reply = speak(request)
    assert isinstance(reply, DeliberateTurn)
    assert (reply.stance, reply.option, reply.cites) == (Stance.PROPOSE, "revert", (2,))
