from __future__ import annotations

import pytest

from hivebot.hive.desk import DeskSet
from hivebot.hive.errors import (
    DuplicateDeskIdError,
    DuplicateRosterMemberIdError,
    DuplicateSelectorCandidateError,
    NoActiveResponderError,
)
from hivebot.hive.mention import Mention
from hivebot.hive.responder import (
    DecidedPlan,
    Disposition,
    ResponderDecision,
    ResponderPlan,
    ResponderRequest,
    Rung,
    SelectionPolicy,
    SelectionRequest,
    SelectorCandidate,
    SelectPlan,
    accept_selection,
    complete,
    direct_responder,
    mentioned_members,
    responder_plan,
)
from hivebot.hive.roster import Member, Roster
from tests.unit.hive.routing_builders import (
    AUTO,
    a_desk,
    a_roster,
    agent,
    desk,
    desk_set,
    everyone,
    person,
)

ROSTER = a_roster("orch", "ann", "bob", "carl", "gone", retired=("gone",))
BROKEN = a_roster("ann", "ann")
DESKS = desk_set(
    a_desk("eng", "bob", "ann", "ghost"),
    a_desk("auto", "ann", "bob", mode=AUTO),
    a_desk("solo", "bob", "gone", mode=AUTO),
    a_desk("empty", "gone", mode=AUTO),
    a_desk("t1", "ann", name="Twin"),
    a_desk("t2", "ann", name="Twin"),
    a_desk("General", "bob", name="General"),
)


# --- direct responder ---------------------------------------------------------------------------


def test_the_first_active_agent_mentioned_aloud_answers() -> None:
    mentions = (agent("carl", 30), agent("bob", 20), agent("ann", 5, quiet=True), agent("gone", 9))
    assert direct_responder(mentions, ROSTER) == "bob"


def test_people_desks_and_everyone_never_answer() -> None:
    assert direct_responder((person("ann"), desk("eng", 1), everyone(2)), ROSTER) is None


def test_a_malformed_roster_has_no_direct_responder() -> None:
    assert direct_responder((agent("ann"),), BROKEN) is None


# --- mentioned members --------------------------------------------------------------------------


def named(
    *mentions: Mention,
    addressed: str | None = None,
    responder: str | None = None,
    roster: Roster = ROSTER,
    desks: DeskSet = DESKS,
) -> tuple[str, ...]:
    return mentioned_members(mentions, addressed, responder, roster, desks)


def test_named_agents_come_in_offset_order_once_quiet_ones_too() -> None:
    mentions = (agent("carl", 9), agent("ann", 4, quiet=True), agent("carl", 1), agent("ghost", 0))
    assert named(*mentions) == ("carl", "ann")


def test_a_named_desk_stands_for_its_active_members() -> None:
    assert named(desk("eng")) == ("bob", "ann")
    assert named(desk("Twin"), desk("nowhere", 1), desk("empty", 2)) == ()


def test_everyone_is_the_addressed_desk_or_else_everybody() -> None:
    assert named(everyone(), addressed="eng") == ("bob", "ann")
    assert named(everyone(), addressed="nowhere") == ()
    assert named(everyone()) == ("orch", "ann", "bob", "carl")
    assert named(everyone(), addressed="MAIN") == ("orch", "ann", "bob", "carl")


def test_a_person_stands_for_nobody_and_the_responder_is_left_out() -> None:
    assert named(person("ann"), desk("eng", 1), responder="bob") == ("ann",)


def test_malformed_snapshots_name_nobody() -> None:
    assert named(agent("ann"), roster=BROKEN) == ()
    assert named(agent("ann"), desks=desk_set(a_desk(""))) == ()


# --- the ladder ---------------------------------------------------------------------------------


def plan(
    chat: str | None,
    *mentions: Mention,
    details: tuple[SelectorCandidate, ...] = (),
    roster: Roster = ROSTER,
    policy: SelectionPolicy = SelectionPolicy.ALLOWED,
) -> ResponderPlan:
    request = ResponderRequest("who?", chat, mentions, "orch", policy)
    return responder_plan(request, roster, DESKS, details)


def decided(
    responder_id: str, rung: Rung, disposition: Disposition = Disposition.NOT_APPLICABLE
) -> DecidedPlan:
    return DecidedPlan(ResponderDecision(responder_id, rung, disposition))


ORCHESTRATED = decided("orch", Rung.ORCHESTRATOR)


def detail(agent_id: str) -> SelectorCandidate:
    return SelectorCandidate(agent_id, agent_id.title(), "Reader", "reads")


def test_a_mention_answers_wherever_its_agent_sits() -> None:
    assert plan("eng", agent("carl")) == decided("carl", Rung.EXPLICIT_MENTION)


@pytest.mark.parametrize("chat", [None, "", "main", "General", "GENERAL"])
def test_general_is_for_the_orchestrator_even_when_it_is_a_desk(chat: str | None) -> None:
    assert plan(chat) == ORCHESTRATED


def test_a_lead_desk_answers_with_its_first_active_member() -> None:
    assert plan("Eng") == decided("bob", Rung.DESK_DEFAULT)


def test_a_single_active_member_needs_no_selector() -> None:
    assert plan("solo") == decided("bob", Rung.DESK_DEFAULT)


def test_a_desk_without_active_members_is_for_the_orchestrator() -> None:
    assert plan("empty") == ORCHESTRATED


def test_an_ambiguous_name_is_for_the_orchestrator_although_an_agent_has_it_too() -> None:
    assert plan("Twin", roster=a_roster("orch", "ann", "Twin")) == ORCHESTRATED


def test_selection_switched_off_leaves_the_first_member() -> None:
    expected = decided("ann", Rung.DESK_DEFAULT, Disposition.DISABLED)
    assert plan("auto", policy=SelectionPolicy.DISABLED) == expected


def test_an_auto_desk_asks_a_selector_about_every_active_member() -> None:
    assert plan("Auto", details=(detail("bob"), detail("x"), detail("x"))) == SelectPlan(
        SelectionRequest(
            "who?", "auto", (SelectorCandidate("ann", "ann", "Teammate", None), detail("bob"))
        ),
        ResponderDecision("ann", Rung.DESK_DEFAULT, Disposition.UNAVAILABLE),
    )


def test_two_details_for_one_member_are_an_error_only_where_they_are_read() -> None:
    twice = (detail("bob"), detail("ann"), detail("bob"), detail("ann"))
    with pytest.raises(DuplicateSelectorCandidateError, match="'ann'"):
        plan("auto", details=twice)
    assert plan("eng", details=twice) == decided("bob", Rung.DESK_DEFAULT)


def test_a_direct_chat_is_found_by_id_then_by_a_name_of_one_active_agent() -> None:
    roster = a_roster(
        "orch",
        "ann",
        Member("b1", "Bob"),
        Member("b2", "Bob"),
        Member("c1", "Carl"),
        Member("c2", "Carl"),
        Member("a2", "ann"),
        retired=("c2",),
    )
    assert plan("dm:ann", roster=roster) == decided("ann", Rung.DIRECT_AGENT)
    assert plan("Carl", roster=roster) == decided("c1", Rung.DIRECT_AGENT)
    assert plan("dm:Bob", roster=roster) == ORCHESTRATED
    assert plan("dm:c2", roster=roster) == ORCHESTRATED


def test_only_one_prefix_is_stripped() -> None:
    assert plan("dm:dm:ann") == ORCHESTRATED
    assert plan("dm:dm:ann", roster=a_roster("dm:ann")) == decided("dm:ann", Rung.DIRECT_AGENT)


def test_nobody_answers_without_an_active_orchestrator() -> None:
    with pytest.raises(NoActiveResponderError, match="'orch'"):
        plan(None, roster=a_roster("orch", retired=("orch",)))


def test_the_roster_is_checked_before_the_desks() -> None:
    request = ResponderRequest("who?", None, (), "ann", SelectionPolicy.ALLOWED)
    broken_desks = desk_set(a_desk("eng"), a_desk("eng"))
    with pytest.raises(DuplicateRosterMemberIdError):
        responder_plan(request, BROKEN, broken_desks, ())
    with pytest.raises(DuplicateDeskIdError):
        responder_plan(request, ROSTER, broken_desks, ())


# --- the selector's answer ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "output",
    ["bob", " BOB ", "bob.", "bob .", "'bob'", "` Bob `", '"bob".', "\u2003bob\n"],
)
def test_an_answer_may_be_dressed_a_little(output: str) -> None:
    assert accept_selection(output, (detail("ann"), detail("bob"))) == "bob"


@pytest.mark.parametrize(
    "output",
    ["", ".", "'", "''", "' '", "bob..", "\"bob'", "'\"bob\"'", "Bob!", "ann bob", "'bob.'", "boß"],
)
def test_any_other_answer_is_none(output: str) -> None:
    assert accept_selection(output, (detail("ann"), detail("bob"))) is None


def test_an_empty_answer_picks_nobody_even_where_an_id_is_empty() -> None:
    assert accept_selection("''", (detail(""),)) is None


def test_an_answer_is_given_in_the_candidates_spelling_if_only_one_has_it() -> None:
    assert accept_selection("BOB", (detail("Bob"),)) == "Bob"
    assert accept_selection("bob", (detail("Bob"), detail("BOB"))) is None
    assert accept_selection("ÄNN", (detail("änn"),)) is None


# --- completing ---------------------------------------------------------------------------------

FALLBACK = ResponderDecision("ann", Rung.DESK_DEFAULT, Disposition.UNAVAILABLE)
ASKED = SelectPlan(SelectionRequest("who?", "auto", (detail("ann"), detail("bob"))), FALLBACK)


def test_a_decided_plan_is_its_decision_whatever_a_selector_says() -> None:
    assert complete(DecidedPlan(FALLBACK), "bob") == FALLBACK


def test_no_answer_is_the_fallback_as_it_is() -> None:
    assert complete(ASKED, None) == FALLBACK


def test_an_unusable_answer_is_the_fallback_and_says_so() -> None:
    invalid = ResponderDecision("ann", Rung.DESK_DEFAULT, Disposition.INVALID_OUTPUT)
    assert complete(ASKED, "either") == invalid


def test_an_accepted_answer_is_that_member() -> None:
    selected = ResponderDecision("bob", Rung.AUTO_SELECTION, Disposition.SELECTED)
    assert complete(ASKED, "Bob.") == selected
