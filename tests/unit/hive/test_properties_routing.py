"""Which laws hold for every input of the routing folds? Source: hive.md section 19."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hivebot.hive.conversation import Conversation, equivalent, is_general, same_conversation
from hivebot.hive.desk import DeskSet
from hivebot.hive.dispatch import (
    DispatchInput,
    DispatchPolicy,
    NoDispatch,
    NoDispatchReason,
    OneDispatch,
    dispatch_sentence,
    mention_dispatch,
)
from hivebot.hive.mention import PING_CAP, Mention, MentionAuthor, MentionedByOther, resolve
from hivebot.hive.referral import (
    NoReferral,
    NoReferralReason,
    OneReferral,
    Reach,
    ReferralInput,
    ReferralKind,
    ReferralPolicy,
    referral,
    referral_sentence,
)
from hivebot.hive.roster import Member, Roster
from hivebot.hive.scalars import utf8
from tests.unit.hive import routing_strategies as some

# runs by the thousand over what other tests cover: to count each line would cost thrice the time
pytestmark = pytest.mark.no_cover

# A busy machine is no counterexample.
LAW = settings(deadline=None, max_examples=60)


@LAW
@given(some.bodies, some.mention_authors, some.rosters, some.desk_sets)
def test_every_extracted_mention_stands_where_it_says(
    body: str, author: MentionAuthor, roster: Roster, desks: DeskSet
) -> None:
    mentions = resolve(body, None, author, roster, desks)
    raw = utf8(body)
    for mention in mentions:
        assert mention.text.startswith("@")
        assert raw[mention.offset :].startswith(utf8(mention.text))
    offsets = [mention.offset for mention in mentions]
    assert offsets == sorted(set(offsets))


@LAW
@given(some.bodies, some.mention_authors, some.rosters, some.desk_sets)
def test_what_was_extracted_is_confirmed_unchanged(
    body: str, author: MentionAuthor, roster: Roster, desks: DeskSet
) -> None:
    extracted = resolve(body, None, author, roster, desks)
    assert resolve(body, extracted, author, roster, desks) == extracted


@LAW
@given(
    some.bodies,
    st.lists(some.mentions, max_size=5),
    some.mention_authors,
    some.rosters,
    some.desk_sets,
)
def test_a_supplied_list_adds_nothing_and_loosens_nothing(
    body: str,
    supplied: list[Mention],
    author: MentionAuthor,
    roster: Roster,
    desks: DeskSet,
) -> None:
    offered = {(entry.target, entry.text, entry.offset) for entry in supplied}
    loud = {(e.target, e.text, e.offset) for e in supplied if not e.quiet}
    for mention in resolve(body, supplied, author, roster, desks):
        identity = (mention.target, mention.text, mention.offset)
        assert identity in offered
        assert mention.quiet or identity in loud


@LAW
@given(st.integers(0, 120))
def test_no_text_pings_more_than_the_cap(count: int) -> None:
    roster = Roster(tuple(Member(f"m{at}", None) for at in range(count)), (), ())
    body = " ".join(f"@m{at}" for at in range(count))
    mentions = resolve(body, None, MentionedByOther(), roster, DeskSet((), (), (), (), ()))
    assert len(mentions) == count
    assert sum(not mention.quiet for mention in mentions) == min(count, PING_CAP)


@LAW
@given(some.dispatch_policies, some.dispatch_inputs, some.rosters)
def test_a_dispatch_goes_one_hop_further_and_never_to_its_author(
    policy: DispatchPolicy, message: DispatchInput, roster: Roster
) -> None:
    decision = mention_dispatch(policy, message, roster)
    if isinstance(decision, OneDispatch):
        assert decision.request.child_hop == message.hop + 1 <= policy.max_hops
        assert decision.request.target_id != message.author_id
        assert roster.active_member(decision.request.target_id) is not None


@LAW
@given(some.referral_policies, some.referral_inputs, some.rosters, some.desk_sets)
def test_a_referral_goes_one_hop_further_and_never_to_its_author(
    policy: ReferralPolicy, reply: ReferralInput, roster: Roster, desks: DeskSet
) -> None:
    decision = referral(policy, reply, roster, desks)
    if isinstance(decision, OneReferral):
        made = decision.referral
        assert made.child_hop == reply.hop + 1 <= policy.max_hops
        assert made.target_id != reply.author_id
        assert roster.active_member(made.target_id) is not None
        assert (made.origin is not None) == (
            made.kind is ReferralKind.FORWARD and made.crosses and policy.returns
        )


@LAW
@given(some.referral_policies, some.referral_inputs, some.rosters, some.desk_sets)
def test_a_crossing_question_lands_on_a_channel(
    policy: ReferralPolicy, reply: ReferralInput, roster: Roster, desks: DeskSet
) -> None:
    decision = referral(policy, reply, roster, desks)
    if isinstance(decision, OneReferral) and decision.referral.kind is ReferralKind.FORWARD:
        made = decision.referral
        assert not made.crosses or made.to_conversation.thread_root is None


@LAW
@given(some.referral_inputs, some.rosters, some.desk_sets, some.hops)
def test_a_local_referral_without_returns_is_a_dispatch(
    reply: ReferralInput, roster: Roster, desks: DeskSet, max_hops: int
) -> None:
    local = ReferralPolicy(enabled=True, max_hops=max_hops, reach=Reach.LOCAL, returns=False)
    message = DispatchInput(
        reply.key, reply.conversation, reply.author_id, reply.content, reply.mentions, reply.hop
    )
    referred = referral(local, reply, roster, desks)
    dispatched = mention_dispatch(DispatchPolicy(enabled=True, max_hops=max_hops), message, roster)
    assert isinstance(referred, OneReferral) == isinstance(dispatched, OneDispatch)
    if isinstance(referred, OneReferral) and isinstance(dispatched, OneDispatch):
        made, request = referred.referral, dispatched.request
        assert (made.target_id, made.content, made.to_conversation, made.child_hop) == (
            request.target_id,
            request.content,
            request.conversation,
            request.child_hop,
        )
    if isinstance(referred, NoReferral) and isinstance(dispatched, NoDispatch):
        assert _as_dispatch(referred.reason) == dispatched.reason.value


def _as_dispatch(reason: NoReferralReason) -> str:
    if reason is NoReferralReason.NO_REFERRAL_TARGET:
        return NoDispatchReason.NO_DIRECT_AGENT_MENTION.value
    return reason.value


@LAW
@given(some.referral_policies, some.referral_inputs, some.rosters, some.desk_sets)
def test_an_answer_is_never_answered(
    policy: ReferralPolicy, reply: ReferralInput, roster: Roster, desks: DeskSet
) -> None:
    decision = referral(policy, reply, roster, desks)
    if isinstance(decision, OneReferral) and decision.referral.kind is ReferralKind.RETURN:
        made = decision.referral
        back = replace(
            reply,
            conversation=made.to_conversation,
            author_id=made.target_id,
            mentions=(),
            hop=made.child_hop,
            origin=made.origin,
        )
        assert isinstance(referral(policy, back, roster, desks), NoReferral)


@LAW
@given(st.sampled_from(NoReferralReason), st.sampled_from(NoReferralReason))
def test_a_sentence_of_its_own_is_told_for_no_withheld_reason(
    one: NoReferralReason, other: NoReferralReason
) -> None:
    withheld = {
        NoReferralReason.NO_REFERRAL_TARGET,
        NoReferralReason.TARGET_INACTIVE,
        NoReferralReason.TARGET_DESKLESS,
        NoReferralReason.EMPTY_DESK,
    }
    same = referral_sentence(one) == referral_sentence(other)
    spent = {NoReferralReason.HOP_LIMIT_REACHED, NoReferralReason.HOP_OVERFLOW}
    assert same == (one == other or {one, other} <= withheld or {one, other} <= spent)


def test_both_edges_withhold_in_the_same_words() -> None:
    assert dispatch_sentence(NoDispatchReason.TARGET_INACTIVE) == referral_sentence(
        NoReferralReason.TARGET_DESKLESS
    )


@LAW
@given(some.texts | st.none(), some.texts | st.none())
def test_same_conversation_is_symmetric_and_general_is_one_place(
    a: str | None, b: str | None
) -> None:
    assert same_conversation(a, b) == same_conversation(b, a)
    assert same_conversation(a, None) == is_general(a)


@LAW
@given(some.conversations, some.conversations)
def test_equivalence_of_conversations_is_symmetric_and_reflexive(
    one: Conversation, other: Conversation
) -> None:
    assert equivalent(one, one)
    assert equivalent(one, other) == equivalent(other, one)
