"""What does a rule-based member do with its turn? One test for each rung."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import pytest

from hivebot.adapters.llm.briefed import speak
from hivebot.services.records.asking import FloorLine, SeenRow, TurnRequest
from hivebot.services.records.policy import BriefFact, RuleBrief
from hivebot.services.records.replies import (
    CommitTurn,
    DeliberateTurn,
    OpeningTurn,
    PositionTurn,
    Stance,
)
from tests.unit.adapters.llm.requests import agent, asked, floor, person, said

SHIP = BriefFact("ship", "for", 3, "customers wait", ())
WEAK = BriefFact("canary", "for", 1, "a pool is free", ())
STRONG = BriefFact("canary", "for", 5, "it can be undone", ())
AGAINST = BriefFact("ship", "against", 4, "the queue broke", ())
ASIDE = BriefFact("revert", "neutral", 2, "it was done before", ())
Turn = TypeVar("Turn", OpeningTurn, PositionTurn, DeliberateTurn, CommitTurn)

PROPOSED = said(2, "bert", "!propose #ship customers wait")
SHIP_LINE = FloorLine("ship", ("bert",), (), (), 900)


def holding(*held: BriefFact, shared: tuple[BriefFact, ...] = (SHIP,)) -> RuleBrief:
    """A brief in which everybody knows that customers wait."""
    return RuleBrief(shared=shared, holds=held)


def turn(
    kind: type[Turn],
    situation: str,
    rules: RuleBrief,
    *rows: SeenRow,
    lines: tuple[FloorLine, ...] = (),
    topic: str = "",
) -> Turn:
    """Anna's turn after the given rows."""
    request = asked(
        situation,
        agent=agent(rules=rules),
        rows=(person(1, "#canary, #revert or #ship?"), *rows),
        floor=floor(topic, *lines),
    )
    return spoken(kind, request)


def spoken(kind: type[Turn], request: TurnRequest) -> Turn:
    """The reply, which has to be of the kind."""
    reply = speak(request)
    assert isinstance(reply, kind)
    return reply


def deliberating(
    rules: RuleBrief, *rows: SeenRow, lines: tuple[FloorLine, ...] = (SHIP_LINE,)
) -> DeliberateTurn:
    """Anna's turn on a floor where ship is proposed."""
    return turn(DeliberateTurn, "deliberate", rules, *rows, lines=lines)


def committing(rules: RuleBrief, *rows: SeenRow) -> CommitTurn:
    """Anna's turn while the members agree on ship."""
    lines = (FloorLine("ship", ("bert", "carl"), (), (), 1400),)
    return turn(CommitTurn, "commit", rules, *rows, lines=lines, topic="ship")


def test_1_an_opening_states_what_only_this_member_holds_strongest_first() -> None:
    reply = turn(OpeningTurn, "opening", holding(WEAK, STRONG, AGAINST, ASIDE))
    assert [fact.strength for fact in reply.facts] == [5, 4, 2]
    assert {fact.rests_on for fact in reply.facts} == {"brief"}
    assert reply.remark == ""


def test_1_an_opening_keeps_to_the_number_the_brief_sets() -> None:
    rules = replace(holding(WEAK, STRONG), opening_facts=1)
    assert len(turn(OpeningTurn, "opening", rules).facts) == 1


def test_1_a_member_that_holds_nothing_says_so() -> None:
    reply = turn(OpeningTurn, "opening", holding())
    assert (reply.facts, reply.remark) == ((), "I hold nothing beyond the shared brief.")


def test_1_what_a_visible_row_states_is_not_said_again() -> None:
    own = said(2, "anna", "!evidence #canary for(1): a pool is free")
    assert turn(OpeningTurn, "opening", holding(WEAK), own).facts == ()


def test_1_a_blind_member_does_not_hear_its_peers() -> None:
    peer = said(2, "bert", "!evidence #canary for(1): a pool is free")
    assert len(turn(OpeningTurn, "opening", holding(WEAK), peer).facts) == 1


def test_2_a_position_is_the_favourite() -> None:
    assert turn(PositionTurn, "position", holding(STRONG)).option == "canary"
    tied = turn(PositionTurn, "position", holding(replace(STRONG, strength=3)))
    assert (tied.option, tied.reason) == ("", "I cannot tell them apart.")


def test_3_a_held_fact_against_the_agreed_option_is_the_last_word() -> None:
    reply = committing(holding(AGAINST), PROPOSED)
    assert (reply.agree, reply.cites) == (False, (0,))
    assert [fact.text for fact in reply.facts] == ["the queue broke"]


def test_3_a_visible_fact_its_newest_advocate_passed_over_is_held_against_it() -> None:
    fact = said(3, "dora", "!evidence #ship against(4): the queue broke")
    unheard = committing(holding(), PROPOSED, fact)
    assert (unheard.agree, unheard.cites) == (False, (3,))
    heard = said(4, "carl", "!support #ship ^3 all the same")
    assert committing(holding(), PROPOSED, fact, heard).agree


def test_3_a_favourite_is_agreed_on_even_if_something_speaks_against_it() -> None:
    fact = said(3, "dora", "!evidence #ship against(1): it rains")
    assert committing(holding(), PROPOSED, fact).agree


def test_3_agreement_cites_the_proposal_and_the_grounds_and_answers() -> None:
    fact = said(3, "dora", "!evidence #ship for(2): all tests pass")
    reply = committing(holding(), PROPOSED, fact)
    assert (reply.agree, reply.cites) == (True, (2, 3))
    assert reply.answer == "Ship to everybody now. All tests pass."
    assert reply.open_points == ""


def test_3_agreement_on_another_option_says_what_one_would_rather_have() -> None:
    reply = committing(holding(STRONG), PROPOSED)
    assert reply.agree
    assert reply.open_points == "I would rather have canary."


def test_3_agreement_stands_even_where_the_proposal_may_not_be_seen() -> None:
    reply = committing(holding())
    assert (reply.agree, reply.cites) == (True, ())


def test_4_a_held_fact_against_a_backed_option_is_stated() -> None:
    reply = deliberating(holding(WEAK, AGAINST), PROPOSED)
    assert reply.stance is Stance.NONE
    assert [fact.text for fact in reply.facts] == ["the queue broke"]


def test_5_advocacy_that_passes_over_a_fact_is_objected_to() -> None:
    fact = said(3, "dora", "!evidence #ship against(4): the queue broke")
    reply = deliberating(holding(), PROPOSED, fact)
    assert (reply.stance, reply.option, reply.target, reply.cites) == (
        Stance.OBJECT,
        "ship",
        2,
        (3,),
    )


@pytest.mark.parametrize(
    ("advocacy", "line", "own"),
    [
        ("!support #ship ^3 all the same", SHIP_LINE, ""),
        ("!propose #ship customers wait", FloorLine("ship", (), ("bert",), (), 0), ""),
        ("!propose #ship customers wait", SHIP_LINE, "!object #ship >4 ^3 the queue broke"),
    ],
    ids=["heard", "silenced", "objected to before"],
)
def test_5_nobody_is_objected_to_in_vain(advocacy: str, line: FloorLine, own: str) -> None:
    rows = (
        said(3, "dora", "!evidence #ship against(4): the queue broke"),
        said(4, "bert", advocacy),
        *((said(5, "anna", own),) if own else ()),
    )
    reply = deliberating(holding(shared=()), *rows, lines=(line,))
    assert reply.stance is not Stance.OBJECT


def test_6_a_favourite_nobody_proposed_is_proposed_on_its_grounds() -> None:
    facts = (
        said(3, "dora", "!evidence #canary for(5): it can be undone"),
        said(4, "carl", "!evidence #ship against(2): it cannot"),
        said(5, "carl", "!evidence #canary for(1): a pool is free"),
    )
    reply = deliberating(holding(), *facts, lines=())
    assert (reply.stance, reply.option, reply.cites) == (Stance.PROPOSE, "canary", (3, 4))


def test_7_a_favourite_on_the_floor_is_supported() -> None:
    fact = said(3, "dora", "!evidence #ship for(1): all tests pass")
    reply = deliberating(holding(), PROPOSED, fact)
    assert (reply.stance, reply.option, reply.cites) == (Stance.SUPPORT, "ship", (3,))


def test_7_without_grounds_the_proposal_is_cited() -> None:
    assert deliberating(holding(), PROPOSED).cites == (2,)
    assert deliberating(holding()).stance is Stance.NONE


def test_8_what_is_left_is_stated_three_facts_at_a_time() -> None:
    mine = FloorLine("ship", ("bert", "anna"), (), (), 1400)
    rules = RuleBrief(shared=(replace(SHIP, strength=9),), holds=(WEAK, ASIDE, ASIDE, STRONG))
    reply = deliberating(rules, PROPOSED, lines=(mine,))
    assert [fact.strength for fact in reply.facts] == [5, 2, 1]


def deferring(*rows: SeenRow, defer: bool = True) -> DeliberateTurn:
    """Anna, who holds nothing and backs ship, where deferring is on or off."""
    lines = (
        FloorLine("canary", ("carl",), (), (), 500),
        FloorLine("ship", ("bert", "anna"), (), (), 1400),
    )
    request = asked(
        "deliberate",
        agent=agent(rules=holding()),
        rows=(person(1, "?"), *rows),
        floor=floor("", *lines),
        defer=defer,
    )
    return spoken(DeliberateTurn, request)


def test_9_a_member_that_holds_nothing_defers_once() -> None:
    assert (deferring().stance, deferring().option) == (Stance.DEFER, "ship")
    assert deferring(said(2, "anna", "!defer #ship")).stance is Stance.NONE
    assert deferring(said(2, "bert", "!defer #ship")).stance is Stance.DEFER


def test_9_nobody_defers_where_the_policy_does_not_offer_it() -> None:
    assert deferring(defer=False).remark == "Nothing to add."


def test_9_there_is_nothing_to_defer_on_without_an_advocate() -> None:
    request = asked("deliberate", agent=agent(rules=RuleBrief()), floor=floor(), defer=True)
    assert spoken(DeliberateTurn, request).stance is Stance.NONE


def test_10_at_last_there_is_nothing_to_add() -> None:
    request = asked("deliberate", agent=agent(rules=RuleBrief()))
    assert spoken(DeliberateTurn, request).remark == "Nothing to add."


def test_the_answer_names_the_option_by_its_id_where_it_has_no_text() -> None:
    request = asked(
        "commit",
        agent=agent(rules=holding()),
        rows=(person(1, "?"), PROPOSED),
        options=(),
        floor=floor("ship", SHIP_LINE),
    )
    assert spoken(CommitTurn, request).answer == "Ship."
