"""What is wrong with a reply, and what is left of it when it is mended? The table, row by row."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.adapters.llm.briefed import speak
from hivebot.adapters.llm.briefed.rehearsal import play
from hivebot.adapters.llm.briefed.scenarios import Scenario
from hivebot.adapters.llm.reply import NOTHING, render
from hivebot.adapters.llm.text import CUT_MARK
from hivebot.adapters.llm.validate import Limits, Mended, first_fault, mend
from hivebot.services.records.asking import FarDesk, FloorLine, Memory, TurnRequest
from hivebot.services.records.replies import (
    NO_ASK,
    AnswerTurn,
    Ask,
    Bearing,
    CommitTurn,
    ConsultTurn,
    DeliberateTurn,
    Fact,
    FramingTurn,
    Known,
    OpeningTurn,
    Option,
    PositionTurn,
    Reply,
    Stance,
)
from tests.scenarios import SCENARIOS
from tests.unit.adapters.llm.requests import asked, floor, person, said

DATA = FarDesk("data", "Data Desk", "Numbers")
ROWS = (
    person(1, "Which way?"),
    said(2, "dora", "!evidence #canary for(2): errors stay flat"),
    said(4, "bert", "!propose #ship we are late"),
    said(5, "carl", "!support #ship ^4 so are others"),
    said(6, "anna", "!propose #revert it worked"),
)
FACT = Fact("ship", Bearing.AGAINST, 4, "no way back", "brief")
TURN = DeliberateTurn(Stance.NONE, "", 0, (), "because", (), "and so", NO_ASK)
SUPPORT = replace(TURN, stance=Stance.SUPPORT, option="canary", cites=(2,))
OBJECT = replace(TURN, stance=Stance.OBJECT, option="ship", target=4, cites=(2,))
COMMIT = CommitTurn(True, (4,), (), "Ship it now.", "", "we are late")
ANSWER = AnswerTurn(Known.KNOWN, "On Monday.", (1,), (), NO_ASK)

DELIBERATE = asked("deliberate", rows=ROWS, may_ask=(DATA,))
CEDING = replace(DELIBERATE, defer=True, refute=True)
COMMITTING = asked(
    "commit", rows=ROWS, floor=floor("ship", FloorLine("ship", ("bert", "carl"), (), (), 1400))
)
ANSWERING = asked("answer", may_ask=(DATA,), memories=(Memory("m1", "It was Monday."),))


def accepted(request: TurnRequest, reply: Reply) -> Reply:
    """What a faultless reply becomes."""
    assert first_fault(request, reply) == ""
    mended = mend(request, reply)
    assert (mended.faulty, mended.uncounted, mended.notes) == (False, False, ())
    return mended.reply


def mended(request: TurnRequest, reply: Reply, says: str) -> Mended:
    """What is left of a reply whose first fault is told in words that hold `says`."""
    assert says in first_fault(request, reply)
    result = mend(request, reply)
    assert result.faulty
    unmarked = isinstance(result.reply, CommitTurn) and not result.reply.cites
    assert first_fault(request, result.reply) == "" or result.empty or unmarked
    return result


def kept(request: TurnRequest, reply: Reply, says: str) -> Reply:
    """What is left of a reply that still counts."""
    result = mended(request, reply, says)
    assert not result.uncounted
    return result.reply


def lost(request: TurnRequest, reply: Reply, says: str) -> Reply:
    """What is left of a reply whose move is prose now."""
    result = mended(request, reply, says)
    assert result.uncounted
    return result.reply


PROSE = replace(TURN, cites=())


@pytest.mark.parametrize(
    ("request_", "reply"),
    [
        (DELIBERATE, TURN),
        (DELIBERATE, SUPPORT),
        (DELIBERATE, OBJECT),
        (DELIBERATE, replace(SUPPORT, facts=(FACT,), cites=(0, 2))),
        (DELIBERATE, replace(TURN, stance=Stance.QUESTION)),
        (DELIBERATE, replace(TURN, ask=Ask("data", "How many?"))),
        (CEDING, replace(TURN, stance=Stance.DEFER, option="ship")),
        (CEDING, replace(TURN, stance=Stance.REFUTE, option="ship", cites=(2,))),
        (
            CEDING,
            replace(TURN, stance=Stance.REFUTE, option="revert", cites=(0,), facts=(FACT,)),
        ),
        (COMMITTING, COMMIT),
        (COMMITTING, replace(COMMIT, agree=False, cites=(2,))),
        (ANSWERING, ANSWER),
        (ANSWERING, replace(ANSWER, cites=(0,), used_memories=("m1",))),
        (ANSWERING, replace(ANSWER, known=Known.UNKNOWN, answer="")),
        (asked("opening"), OpeningTurn((), "")),
        (asked("opening"), OpeningTurn((replace(FACT, rests_on="[1]"),), "")),
        (asked("position"), PositionTurn("ship", "", (), "late")),
        (asked("position", options_open=True), PositionTurn("", "Ship on Monday", (), "late")),
        (asked("consult"), ConsultTurn(())),
        (asked("framing"), FramingTurn(())),
        (asked("framing"), FramingTurn((Option("a", "Go"), Option("b", "Stay")))),
    ],
)
def test_a_reply_without_a_fault_stays_as_it_is(request_: TurnRequest, reply: Reply) -> None:
    assert accepted(request_, reply) == reply


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.name)
def test_no_turn_of_the_rule_based_member_has_a_fault(scenario: Scenario) -> None:
    rows = play(scenario).rows
    assert len(rows) > 8
    for number, row in enumerate(rows[1:], start=1):
        agent = next(each for each in scenario.members if each.id == getattr(row.author, "id", ""))
        seen = tuple(person(1, scenario.question) if at == 1 else said(at, getattr(
            earlier.author, "id", ""), earlier.content)
            for at, earlier in enumerate(rows[:number], start=1))  # fmt: skip
        for situation in ("opening", "position", "deliberate", "commit"):
            lines = FloorLine(scenario.right, ("dora", "carl"), (), (), 900)
            request = asked(
                situation,
                agent=agent,
                rows=seen,
                options=scenario.options,
                floor=floor(scenario.right, lines),
            )
            if situation != "commit" or any("!propose" in each.message.content for each in seen):
                assert first_fault(request, speak(request)) == ""


def test_numbers_that_are_not_visible_are_dropped() -> None:
    assert kept(DELIBERATE, replace(SUPPORT, cites=(3, 2, 99)), "messages you see") == SUPPORT
    assert kept(COMMITTING, replace(COMMIT, cites=(4, 7)), "1, 2, 4, 5, 6") == COMMIT
    assert kept(ANSWERING, replace(ANSWER, cites=(1, 8)), "messages you see") == ANSWER


def test_a_citation_of_this_message_needs_a_fact_in_it() -> None:
    assert kept(DELIBERATE, replace(SUPPORT, cites=(0, 2)), "0 needs a fact") == SUPPORT


def test_an_objection_does_not_cite_what_it_objects_to() -> None:
    assert kept(DELIBERATE, replace(OBJECT, cites=(4, 2)), "never the one you object") == OBJECT


def test_a_target_that_is_not_visible_is_dropped_and_the_objection_with_it() -> None:
    assert lost(DELIBERATE, replace(OBJECT, target=3), "messages you see") == PROSE


def test_a_target_where_none_belongs_is_dropped_without_a_word() -> None:
    assert accepted(DELIBERATE, replace(SUPPORT, target=77)) == SUPPORT


def test_citations_are_counted_once_and_four_are_kept() -> None:
    assert accepted(DELIBERATE, replace(SUPPORT, cites=(2, 2))) == SUPPORT
    many = kept(DELIBERATE, replace(SUPPORT, cites=(1, 2, 4, 5, 6)), "at most 4")
    assert many == replace(SUPPORT, cites=(1, 2, 4, 5))


def test_a_fact_does_not_rest_on_a_message_nobody_sees() -> None:
    fact = replace(FACT, rests_on="[9]")
    for request, reply in (
        (DELIBERATE, replace(TURN, facts=(fact,))),
        (asked("opening"), OpeningTurn((fact,), "")),
        (COMMITTING, replace(COMMIT, facts=(fact,))),
    ):
        result = kept(request, reply, "messages you see")
        assert isinstance(result, DeliberateTurn | OpeningTurn | CommitTurn)
        assert [each.rests_on for each in result.facts] == [""]


def test_a_memory_that_was_not_shown_was_not_used() -> None:
    used = replace(ANSWER, used_memories=("m1", "m9"))
    assert kept(ANSWERING, used, "messages") == replace(ANSWER, used_memories=("m1",))


@pytest.mark.parametrize("stance", [Stance.SUPPORT, Stance.OBJECT, Stance.REFUTE])
def test_a_move_left_without_citation_cites_its_own_fact_or_is_prose(stance: Stance) -> None:
    bare = replace(OBJECT, stance=stance, target=4 if stance is Stance.OBJECT else 0, cites=())
    own = kept(CEDING, replace(bare, facts=(FACT,)), f"A {stance.value} cites")
    assert own == replace(bare, facts=(FACT,), cites=(0,))
    assert lost(CEDING, bare, f"A {stance.value} cites") == PROSE


def test_a_commitment_left_without_citation_cites_its_fact_or_the_proposal() -> None:
    bare = replace(COMMIT, cites=())
    own = kept(COMMITTING, replace(bare, facts=(FACT,)), "A commitment cites")
    assert own == replace(bare, facts=(FACT,), cites=(0,))
    assert kept(COMMITTING, bare, "A commitment cites") == COMMIT


def test_a_commitment_to_what_nobody_proposed_is_prose() -> None:
    bare = replace(COMMIT, cites=())
    alone = replace(COMMITTING, rows=ROWS[:1])
    assert lost(alone, bare, "A commitment cites") == replace(bare, agree=False)


def test_a_disagreement_left_without_citation_is_prose() -> None:
    bare = replace(COMMIT, agree=False, cites=())
    assert lost(COMMITTING, bare, "A commitment cites") == bare


def test_a_disagreement_nobody_else_is_the_target_of_is_prose_and_not_asked_again() -> None:
    alone = replace(COMMITTING, rows=ROWS[:2])
    disagreeing = replace(COMMIT, agree=False, cites=(2,))
    assert first_fault(alone, disagreeing) == ""
    result = mend(alone, disagreeing)
    assert (result.uncounted, result.faulty) == (True, False)
    assert "!" not in render(alone, result.reply, 7).content


@pytest.mark.parametrize("named", ["Canary", "#canary", "roll out to ten percent first!"])
def test_an_option_that_is_equal_after_slugging_is_the_one(named: str) -> None:
    assert kept(DELIBERATE, replace(SUPPORT, option=named), "canary, revert, ship") == SUPPORT
    position = PositionTurn("canary", "", (), "safe")
    assert kept(asked("position"), replace(position, option=named), "by its id") == position
    fact = replace(FACT, option="canary")
    opening = OpeningTurn((replace(fact, option=named),), "")
    assert kept(asked("opening"), opening, "by its id") == OpeningTurn((fact,), "")


def test_a_move_on_an_option_that_is_not_listed_is_prose() -> None:
    assert lost(DELIBERATE, replace(SUPPORT, option="party"), "by its id") == PROSE
    position = PositionTurn("party", "", (), "fun")
    assert lost(asked("position"), position, "by its id") == replace(position, option="")


def test_a_move_that_needs_no_option_goes_on_without_it() -> None:
    assert kept(DELIBERATE, replace(OBJECT, option="party"), "by its id") == replace(
        OBJECT, option=""
    )
    assert kept(DELIBERATE, replace(TURN, option="party"), "by its id") == TURN


def test_a_fact_on_an_option_that_is_not_listed_is_on_none() -> None:
    result = kept(COMMITTING, replace(COMMIT, facts=(replace(FACT, option="x y"),)), "by its id")
    assert result == replace(COMMIT, facts=(replace(FACT, option=""),))


def test_a_new_option_is_taken_only_where_they_are_open_and_new() -> None:
    opened = asked("position", options_open=True)
    position = PositionTurn("", "Ship to everybody now", (), "late")
    assert kept(opened, position, "by its id") == PositionTurn("ship", "", (), "late")
    novel = replace(position, new_option="Ask the board")
    assert lost(asked("position"), novel, "by its id") == replace(novel, new_option="")
    assert lost(opened, replace(novel, new_option="?!"), "by its id") == replace(
        novel, new_option=""
    )


@pytest.mark.parametrize("stance", [Stance.PROPOSE, Stance.SUPPORT])
def test_a_member_that_sees_an_open_floor_may_add_an_option_by_its_text(stance: Stance) -> None:
    opened = replace(DELIBERATE, options_open=True)
    novel = replace(SUPPORT, stance=stance, option="Ask the Board!")
    if stance is Stance.SUPPORT:
        assert lost(opened, novel, "by its id") == PROSE
        return
    assert accepted(opened, novel) == novel
    row = render(opened, novel, 7)
    assert row.content == "!propose #ask-the-board ^2 because\n\nand so"
    assert "_proposes Ask the Board!" in row.shown
    assert lost(opened, replace(novel, option="a" * 201), "by its id") == PROSE
    assert lost(DELIBERATE, novel, "by its id") == PROSE


def test_a_fact_may_be_on_the_option_that_its_own_turn_adds() -> None:
    facts, untopiced = (replace(FACT, option="Ask the board"),), (replace(FACT, option=""),)
    novel = replace(SUPPORT, stance=Stance.PROPOSE, option="Ask the Board!", facts=facts)
    opened = replace(DELIBERATE, options_open=True)
    assert accepted(opened, novel) == novel
    assert render(opened, novel, 7).content.startswith("!evidence #ask-the-board ")
    assert lost(DELIBERATE, novel, "by its id") == replace(PROSE, facts=untopiced)


def test_a_fact_may_be_on_the_option_that_its_own_position_adds() -> None:
    facts, untopiced = (replace(FACT, option="Ask the board"),), (replace(FACT, option=""),)
    position = PositionTurn("", "Ask the Board!", facts, "late")
    opened = asked("position", options_open=True)
    assert accepted(opened, position) == position
    assert kept(opened, replace(position, option="ship"), "by its id") == PositionTurn(
        "ship", "", untopiced, "late"
    )


@pytest.mark.parametrize("stance", [Stance.PROPOSE, Stance.SUPPORT])
def test_a_proposal_or_support_of_nothing_is_prose(stance: Stance) -> None:
    nothing = replace(SUPPORT, stance=stance, option="")
    assert lost(DELIBERATE, nothing, f"A {stance.value} needs one of these") == PROSE


def test_an_objection_to_what_is_nobody_elses_advocacy_is_prose() -> None:
    assert lost(DELIBERATE, replace(OBJECT, target=2, cites=(1,)), "support: 4, 5.") == PROSE
    assert lost(DELIBERATE, replace(OBJECT, target=6), "support: 4, 5.") == PROSE
    assert lost(DELIBERATE, replace(OBJECT, target=0), "support: 4, 5.") == PROSE
    quiet = replace(DELIBERATE, rows=ROWS[:2])
    assert lost(quiet, replace(OBJECT, target=0), "none, so choose another") == PROSE


@pytest.mark.parametrize("stance", [Stance.DEFER, Stance.REFUTE])
def test_a_deferral_or_refutation_of_nothing_is_prose(stance: Stance) -> None:
    nothing = replace(SUPPORT, stance=stance, option="")
    assert lost(CEDING, nothing, f"A {stance.value} needs one of these") == PROSE


@pytest.mark.parametrize("stance", [Stance.DEFER, Stance.REFUTE])
def test_a_deferral_or_refutation_that_is_not_offered_is_prose(stance: Stance) -> None:
    unoffered = replace(SUPPORT, stance=stance, option="ship")
    assert lost(DELIBERATE, unoffered, "not offered here") == PROSE


def test_refuting_the_option_one_backed_needs_a_fact() -> None:
    own = replace(TURN, stance=Stance.REFUTE, option="revert", cites=(2,))
    assert lost(CEDING, own, "state the fact") == PROSE


LONG = "It goes on. " * 200


def test_texts_that_are_too_long_are_cut_at_a_sentence_and_marked() -> None:
    turn = replace(
        SUPPORT, reason=LONG, remark=LONG, facts=(replace(FACT, text=LONG),), ask=Ask("data", LONG)
    )
    result = kept(DELIBERATE, turn, "too long")
    assert isinstance(result, DeliberateTurn)
    texts = (result.reason, result.remark, result.facts[0].text, result.ask.question)
    assert all(text.endswith("It goes on." + CUT_MARK) for text in texts)
    assert [len(text) <= most for text, most in zip(texts, (400, 600, 400, 600), strict=True)] == [
        True
    ] * 4


@pytest.mark.parametrize(
    ("request_", "reply", "names"),
    [
        (asked("opening"), OpeningTurn((), LONG), ("remark",)),
        (asked("position"), PositionTurn("ship", "", (), LONG), ("reason",)),
        (COMMITTING, replace(COMMIT, answer=LONG, open_points=LONG), ("answer", "open_points")),
        (ANSWERING, replace(ANSWER, answer=LONG), ("answer",)),
    ],
)
def test_every_text_of_a_turn_has_its_limit(
    request_: TurnRequest, reply: Reply, names: tuple[str, ...]
) -> None:
    result = kept(request_, reply, "too long")
    for name in names:
        assert len(getattr(result, name)) <= 1500
        assert getattr(result, name).endswith(CUT_MARK)


def test_a_sponsor_adds_little() -> None:
    sponsoring = replace(ANSWERING, returned=1)
    result = kept(sponsoring, replace(ANSWER, answer="a" * 601), "answer 600")
    assert isinstance(result, AnswerTurn)
    assert len(result.answer) <= 600


def test_limits_can_be_halved() -> None:
    half = Limits().halved()
    turn = replace(SUPPORT, reason="r" * 201)
    assert first_fault(DELIBERATE, turn) == ""
    assert "reason 200" in first_fault(DELIBERATE, turn, half)
    result = mend(DELIBERATE, turn, half).reply
    assert isinstance(result, DeliberateTurn)
    assert len(result.reason) <= 200


def test_facts_are_bounded_in_number_and_strength_and_say_something() -> None:
    strong = replace(FACT, strength=9)
    weak = replace(FACT, strength=-1)
    blank = replace(FACT, text=" ")
    result = kept(asked("opening"), OpeningTurn((blank, strong, weak, FACT, FACT), ""), "Facts at")
    assert isinstance(result, OpeningTurn)
    assert [fact.strength for fact in result.facts] == [5, 1, 4]
    last = kept(COMMITTING, replace(COMMIT, facts=(FACT, FACT, FACT)), "2 with a commitment")
    assert isinstance(last, CommitTurn)
    assert len(last.facts) == 2


@pytest.mark.parametrize("named", ["#data", "@#data", "Data Desk"])
def test_a_desk_is_found_by_its_mention_and_its_name(named: str) -> None:
    asking = replace(TURN, ask=Ask(named, "How many?"))
    assert kept(DELIBERATE, asking, "`desk` is one of these") == replace(
        TURN, ask=Ask("data", "How many?")
    )


@pytest.mark.parametrize("ask", [Ask("finance", "How much?"), Ask("data", " ")])
def test_a_question_that_cannot_be_put_is_dropped_and_that_is_said(ask: Ask) -> None:
    result = mended(DELIBERATE, replace(TURN, ask=ask), "question: data.")
    assert result.reply == TURN
    assert result.notes == (f"A question to {ask.desk} was not asked.",)


def test_a_desk_does_not_ask_itself() -> None:
    own = replace(DELIBERATE, may_ask=(FarDesk("ops", "Operations", ""),))
    result = mended(own, replace(TURN, ask=Ask("ops", "How many?")), "`desk`")
    assert result.notes == ("A question to ops was not asked.",)


def test_where_nobody_may_be_asked_nobody_is() -> None:
    nobody = replace(ANSWERING, may_ask=())
    result = mended(nobody, replace(ANSWER, ask=Ask("data", "How many?")), "question: none.")
    assert result.reply == ANSWER


def test_a_question_to_nobody_is_no_question() -> None:
    assert accepted(DELIBERATE, replace(TURN, ask=Ask("", "How many?"))) == TURN


def test_a_consultation_asks_each_desk_once_and_no_more_than_allowed() -> None:
    consult = asked("consult", may_ask=(DATA, FarDesk("x", "X", "")), max_asks=1)
    first, again, other = Ask("data", "How many?"), Ask("data", "When?"), Ask("x", "Who?")
    assert accepted(consult, ConsultTurn((first,))) == ConsultTurn((first,))
    for asks in ((first, again), (first, other), (first, Ask(" ", "?"))):
        result = mended(consult, ConsultTurn(asks), "at most once")
        assert result.reply == ConsultTurn((first,))
        named = asks[1].desk.strip() or "no desk"
        assert result.notes == (f"A question to {named} was not asked.",)
    cut = kept(consult, ConsultTurn((replace(first, question=LONG),)), "too long")
    assert isinstance(cut, ConsultTurn)
    assert len(cut.asks[0].question) <= 600


@pytest.mark.parametrize(
    ("request_", "reply"),
    [
        (DELIBERATE, replace(TURN, reason="", remark=" ")),
        (asked("position"), PositionTurn("", "", (), "")),
        (ANSWERING, replace(ANSWER, answer="\n")),
        (COMMITTING, replace(COMMIT, answer="")),
    ],
)
def test_a_reply_that_holds_nothing_is_asked_for_again(request_: TurnRequest, reply: Reply) -> None:
    result = mended(request_, reply, "Your reply is empty")
    assert result.empty
    assert render(request_, result.reply, 9).content in {NOTHING, "!commit #ship ^4 we are late"}


def test_a_reply_that_only_asks_holds_something() -> None:
    asking = Ask("data", "How many?")
    for request, reply in (
        (ANSWERING, replace(ANSWER, answer="", ask=asking)),
        (DELIBERATE, replace(TURN, reason="", remark="", ask=asking)),
    ):
        accepted(request, reply)
        assert not mend(request, reply).empty


def test_options_get_ids_that_a_marker_line_can_hold() -> None:
    raw = FramingTurn(
        (
            Option("Ship It", "Ship\nit #now"),
            Option("", "Wait a week"),
            Option("ship-it", "again"),
            Option("?", "!"),
            Option("c", ""),
        )
    )
    result = kept(asked("framing"), raw, "Give 2 to 8 options")
    assert result == FramingTurn(
        (
            Option("ship-it", "Ship it #now"),
            Option("wait-a-week", "Wait a week"),
            Option("c", "c"),
        )
    )


def test_one_option_is_none_and_nine_are_eight() -> None:
    one = FramingTurn((Option("a", "Go"),))
    assert kept(asked("framing"), one, "Give 2 to 8") == FramingTurn(())
    nine = FramingTurn(tuple(Option(f"o{n}", f"Way {n}") for n in range(9)))
    result = kept(asked("framing"), nine, "Give 2 to 8")
    assert isinstance(result, FramingTurn)
    assert [option.id for option in result.options] == [f"o{n}" for n in range(8)]


def test_what_was_lost_is_still_said() -> None:
    lost_move = replace(SUPPORT, option="party")
    row = render(DELIBERATE, mend(DELIBERATE, lost_move).reply, 7)
    assert row.content == "because\n\nand so"
    disagreeing = replace(COMMIT, agree=False, cites=(), answer="Wait.", reason="Not yet.")
    row = render(COMMITTING, mend(COMMITTING, disagreeing).reply, 7)
    assert row.content == "Not yet.\n\nWait."
    position = mend(asked("position"), PositionTurn("party", "", (), "fun")).reply
    assert render(asked("position"), position, 7).content == "fun"
