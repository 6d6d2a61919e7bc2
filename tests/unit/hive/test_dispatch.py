from __future__ import annotations

import pytest

from hivebot.hive.conversation import DispatchConversation
from hivebot.hive.dispatch import (
    WITHHELD_SENTENCE,
    DispatchInput,
    DispatchKey,
    DispatchPolicy,
    NoDispatch,
    NoDispatchReason,
    OneDispatch,
    TurnRequest,
    dispatch_sentence,
    mention_dispatch,
)
from hivebot.hive.errors import DuplicateRosterMemberIdError
from hivebot.hive.mention import Mention
from hivebot.hive.roster import Roster
from hivebot.hive.scalars import U32_MAX
from tests.unit.hive.routing_builders import a_roster, agent, desk, everyone, person

ROSTER = a_roster("ann", "bob", "carl", "gone", retired=("gone",))
BROKEN = a_roster("ann", "ann")
ON = DispatchPolicy(enabled=True, max_hops=2)
HERE = DispatchConversation("eng", 4)


def decide(
    *mentions: Mention,
    author: str = "ann",
    hop: int = 0,
    policy: DispatchPolicy = ON,
    roster: Roster = ROSTER,
) -> NoDispatch | OneDispatch:
    message = DispatchInput(DispatchKey(7), HERE, author, "take it", mentions, hop)
    return mention_dispatch(policy, message, roster)


def accepted(decision: NoDispatch | OneDispatch) -> TurnRequest:
    assert isinstance(decision, OneDispatch)
    return decision.request


def refused(decision: NoDispatch | OneDispatch) -> str:
    assert isinstance(decision, NoDispatch)
    return decision.reason.value


def test_the_first_agent_mentioned_aloud_gets_the_one_turn_a_hop_further() -> None:
    mentions = (agent("carl", 9), agent("bob", 5), agent("carl", 1, quiet=True), desk("eng", 0))
    expected = TurnRequest(DispatchKey(7), "ann", "bob", "take it", HERE, 2)
    assert accepted(decide(*mentions, hop=1)) == expected


def test_mentions_at_one_offset_are_taken_in_list_order() -> None:
    assert accepted(decide(agent("carl", 3), agent("bob", 3))).target_id == "carl"


def test_dispatch_is_off_unless_switched_on_even_over_a_broken_roster() -> None:
    assert refused(decide(agent("bob"), policy=DispatchPolicy(), roster=BROKEN)) == "disabled"


def test_used_up_hops_come_before_a_broken_roster() -> None:
    assert refused(decide(agent("bob"), hop=2, roster=BROKEN)) == "hop_limit_reached"


def test_a_broken_roster_is_an_error() -> None:
    with pytest.raises(DuplicateRosterMemberIdError):
        decide(agent("bob"), roster=BROKEN)


def test_an_inactive_author_hands_nothing_on() -> None:
    assert refused(decide(agent("bob"), author="gone")) == "source_inactive"


def test_nobody_is_owed_a_turn_without_an_agent_mentioned_aloud() -> None:
    mentions = (person("bob"), desk("eng", 1), everyone(2), agent("bob", 3, quiet=True))
    assert refused(decide(*mentions)) == "no_direct_agent_mention"


def test_no_later_mention_is_tried_when_the_first_is_refused() -> None:
    assert refused(decide(agent("ann"), agent("bob", 5))) == "self_mention"
    assert refused(decide(agent("gone"), agent("bob", 5))) == "target_inactive"


def test_a_hop_never_leaves_its_width() -> None:
    wide = DispatchPolicy(enabled=True, max_hops=U32_MAX + 1)
    assert refused(decide(agent("bob"), hop=U32_MAX, policy=wide)) == "hop_overflow"
    narrow = DispatchPolicy(enabled=True, max_hops=U32_MAX)
    assert refused(decide(agent("bob"), hop=U32_MAX, policy=narrow)) == "hop_limit_reached"


def test_whatever_turns_on_another_agent_is_told_in_one_sentence() -> None:
    withheld = {r for r in NoDispatchReason if dispatch_sentence(r) == WITHHELD_SENTENCE}
    assert withheld == {
        NoDispatchReason.NO_DIRECT_AGENT_MENTION,
        NoDispatchReason.TARGET_INACTIVE,
    }


@pytest.mark.parametrize("reason", NoDispatchReason)
def test_every_reason_has_a_sentence_in_lower_case_without_a_stop(reason: NoDispatchReason) -> None:
    sentence = dispatch_sentence(reason)
    assert sentence == sentence.lower()
    assert not sentence.endswith(".")
