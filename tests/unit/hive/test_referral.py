from __future__ import annotations

import pytest

from hivebot.hive.conversation import DispatchConversation
from hivebot.hive.desk import DeskSet
from hivebot.hive.dispatch import WITHHELD_SENTENCE, DispatchKey
from hivebot.hive.errors import DuplicateDeskIdError, DuplicateRosterMemberIdError
from hivebot.hive.mention import Mention
from hivebot.hive.referral import (
    NoReferral,
    NoReferralReason,
    OneReferral,
    Reach,
    Referral,
    ReferralDecision,
    ReferralInput,
    ReferralKind,
    ReferralOrigin,
    ReferralPolicy,
    referral,
    referral_sentence,
)
from hivebot.hive.roster import Roster
from hivebot.hive.scalars import U32_MAX
from tests.unit.hive.routing_builders import (
    a_desk,
    a_roster,
    agent,
    desk,
    desk_set,
    everyone,
    person,
)

ROSTER = a_roster("ann", "bob", "carl", "dora", "gone", retired=("gone",))
BROKEN_ROSTER = a_roster("ann", "ann")
DESKS = desk_set(
    a_desk("eng", "ann", "bob"),
    a_desk("ops", "carl", "ann", "gone"),
    a_desk("empty", "ann", "gone"),
    a_desk("t1", name="Twin"),
    a_desk("t2", name="Twin"),
    added=(a_desk("late", "carl"),),
)
BROKEN_DESKS = desk_set(a_desk("eng"), a_desk("eng"))
ENG = DispatchConversation("eng", None)
ENG_THREAD = DispatchConversation("eng", 4)
OPS = DispatchConversation("ops", None)
GENERAL = DispatchConversation("General", None)


def policy(
    reach: Reach = Reach.DESKS, *, returns: bool = True, max_hops: int = 2
) -> ReferralPolicy:
    return ReferralPolicy(enabled=True, max_hops=max_hops, reach=reach, returns=returns)


def decide(
    *mentions: Mention,
    at: DispatchConversation = ENG_THREAD,
    author: str = "ann",
    hop: int = 0,
    origin: ReferralOrigin | None = None,
    under: ReferralPolicy | None = None,
    roster: Roster = ROSTER,
    desks: DeskSet = DESKS,
) -> ReferralDecision:
    reply = ReferralInput(DispatchKey(7), at, author, "ask", mentions, hop, origin)
    return referral(under or policy(), reply, roster, desks)


def accepted(decision: ReferralDecision) -> Referral:
    assert isinstance(decision, OneReferral)
    return decision.referral


def refused(decision: ReferralDecision) -> str:
    assert isinstance(decision, NoReferral)
    return decision.reason.value


# --- the switches -------------------------------------------------------------------------------


def test_referral_is_off_unless_switched_on_even_over_broken_snapshots() -> None:
    off = ReferralPolicy()
    assert refused(decide(agent("bob"), under=off, roster=BROKEN_ROSTER)) == "disabled"


def test_used_up_hops_come_before_broken_snapshots() -> None:
    assert refused(decide(agent("bob"), hop=2, roster=BROKEN_ROSTER)) == "hop_limit_reached"


def test_the_roster_is_checked_before_the_desks() -> None:
    with pytest.raises(DuplicateRosterMemberIdError):
        decide(agent("bob"), roster=BROKEN_ROSTER, desks=BROKEN_DESKS)
    with pytest.raises(DuplicateDeskIdError):
        decide(agent("bob"), desks=BROKEN_DESKS)


def test_an_inactive_author_refers_nothing() -> None:
    assert refused(decide(agent("bob"), author="gone")) == "source_inactive"


def test_a_hop_never_leaves_its_width() -> None:
    wide = policy(max_hops=U32_MAX + 1)
    assert refused(decide(agent("ann"), hop=U32_MAX, under=wide)) == "hop_overflow"


# --- an agent -----------------------------------------------------------------------------------


def test_an_agent_of_the_desk_answers_in_the_same_thread_without_an_origin() -> None:
    assert accepted(decide(agent("bob"), hop=1)) == Referral(
        DispatchKey(7), ReferralKind.FORWARD, "ann", "bob", "ask", ENG_THREAD, ENG_THREAD, 2, None
    )
    assert not accepted(decide(agent("bob"))).crosses


def test_everybody_active_is_present_in_general() -> None:
    assert accepted(decide(agent("carl"), at=GENERAL)).to_conversation == GENERAL


def test_a_local_reach_keeps_the_turn_here_and_passes_desks_over() -> None:
    local = policy(Reach.LOCAL)
    assert accepted(decide(agent("carl"), under=local)).to_conversation == ENG_THREAD
    assert refused(decide(desk("ops"), under=local)) == "no_referral_target"


def test_an_absent_agent_answers_on_the_channel_of_its_first_desk() -> None:
    asked = accepted(decide(agent("carl"), under=policy(Reach.CHANNELS)))
    assert asked.to_conversation == OPS
    assert asked.origin == ReferralOrigin(ENG_THREAD, "ann")
    assert asked.crosses


def test_a_question_carries_no_origin_when_answers_do_not_come_back() -> None:
    assert accepted(decide(agent("carl"), under=policy(returns=False))).origin is None


def test_a_conversation_of_no_known_desk_holds_nobody() -> None:
    nowhere = DispatchConversation("nowhere", None)
    assert accepted(decide(agent("bob"), at=nowhere)).to_conversation == ENG


def test_an_agent_is_refused_for_what_it_is() -> None:
    assert refused(decide(agent("ann"), agent("bob", 5))) == "self_mention"
    assert refused(decide(agent("gone"), agent("bob", 5))) == "target_inactive"
    assert refused(decide(agent("dora"), agent("bob", 5))) == "target_deskless"


# --- a desk -------------------------------------------------------------------------------------


def test_a_desk_answers_with_its_first_active_member_that_is_not_the_author() -> None:
    assert accepted(decide(desk("ops"))).target_id == "carl"
    assert accepted(decide(desk("ops"), author="carl")).target_id == "ann"
    assert accepted(decide(desk("Ops"))).to_conversation == OPS


def test_a_desk_needs_the_reach_for_it() -> None:
    mentions = (desk("ops"), agent("bob", 5))
    assert accepted(decide(*mentions, under=policy(Reach.CHANNELS))).target_id == "bob"
    assert accepted(decide(*mentions)).target_id == "carl"


def test_a_desk_is_refused_for_what_it_is() -> None:
    assert refused(decide(desk("nowhere"), agent("bob", 5))) == "unknown_desk"
    assert refused(decide(desk("Twin"))) == "unknown_desk"
    assert refused(decide(desk("Eng"))) == "self_desk"
    assert refused(decide(desk("empty"))) == "empty_desk"


def test_general_is_one_desk_however_the_conversation_spells_it() -> None:
    desks = desk_set(a_desk("General", "bob", name="General"))
    at = DispatchConversation("MAIN", None)
    assert refused(decide(desk("General"), at=at, desks=desks)) == "self_desk"


# --- the candidate ------------------------------------------------------------------------------


def test_people_everyone_and_quiet_mentions_are_passed_over() -> None:
    mentions = (person("bob"), everyone(1), agent("carl", 2, quiet=True), agent("bob", 3))
    assert accepted(decide(*mentions)).target_id == "bob"


def test_mentions_at_one_offset_are_taken_in_list_order() -> None:
    assert accepted(decide(agent("carl", 3), agent("bob", 3))).target_id == "carl"


def test_no_return_is_tried_when_a_candidate_is_refused() -> None:
    origin = ReferralOrigin(ENG, "bob")
    assert refused(decide(agent("ann"), at=OPS, origin=origin)) == "self_mention"


# --- the return ---------------------------------------------------------------------------------


def test_an_answer_goes_back_to_who_asked_under_any_reach() -> None:
    origin = ReferralOrigin(ENG_THREAD, "bob")
    answer = accepted(
        decide(at=OPS, author="carl", hop=1, origin=origin, under=policy(Reach.LOCAL))
    )
    assert answer == Referral(
        DispatchKey(7), ReferralKind.RETURN, "carl", "bob", "ask", OPS, ENG_THREAD, 2, None
    )


def test_nothing_goes_back_when_returns_are_off_or_nobody_asked_from_elsewhere() -> None:
    origin = ReferralOrigin(ENG, "bob")
    for decision in (
        decide(at=OPS, origin=origin, under=policy(returns=False)),
        decide(at=OPS),
        decide(at=ENG, origin=origin),
    ):
        assert refused(decision) == "no_referral_target"


def test_an_answer_in_another_thread_of_the_desk_does_go_back() -> None:
    assert accepted(decide(at=ENG_THREAD, origin=ReferralOrigin(ENG, "bob"))).crosses


def test_an_answer_needs_an_active_asker_other_than_its_author() -> None:
    assert refused(decide(at=OPS, origin=ReferralOrigin(ENG, "ann"))) == "self_mention"
    assert refused(decide(at=OPS, origin=ReferralOrigin(ENG, "gone"))) == "target_inactive"


# --- sentences ----------------------------------------------------------------------------------


def test_whatever_turns_on_another_agent_is_told_in_one_sentence() -> None:
    withheld = {r for r in NoReferralReason if referral_sentence(r) == WITHHELD_SENTENCE}
    assert withheld == {
        NoReferralReason.NO_REFERRAL_TARGET,
        NoReferralReason.TARGET_INACTIVE,
        NoReferralReason.EMPTY_DESK,
        NoReferralReason.TARGET_DESKLESS,
    }


@pytest.mark.parametrize("reason", NoReferralReason)
def test_every_reason_has_a_sentence_in_lower_case_without_a_stop(reason: NoReferralReason) -> None:
    sentence = referral_sentence(reason)
    assert sentence == sentence.lower()
    assert not sentence.endswith(".")
