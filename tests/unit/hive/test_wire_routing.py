from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hivebot.hive import wire
from hivebot.hive.conversation import Conversation, DispatchConversation, OperatorAuthor
from hivebot.hive.desk import Desk, ResponderMode
from hivebot.hive.dispatch import NoDispatch, NoDispatchReason, OneDispatch, TurnRequest
from hivebot.hive.errors import DecodeError
from hivebot.hive.mention import EveryoneTarget, Mention
from hivebot.hive.referral import (
    NoReferral,
    NoReferralReason,
    OneReferral,
    Referral,
    ReferralKind,
)
from hivebot.hive.responder import (
    DecidedPlan,
    Disposition,
    ResponderDecision,
    ResponderRequest,
    Rung,
    SelectionPolicy,
    SelectionRequest,
    SelectorCandidate,
    SelectPlan,
)
from hivebot.hive.transcript import LogRow, Role, ViewedMessage
from tests.unit.hive import routing_strategies as some

candidates = st.builds(
    SelectorCandidate, some.texts, some.texts, some.texts, st.none() | some.texts
)
responder_decisions = st.builds(
    ResponderDecision, some.texts, st.sampled_from(Rung), st.sampled_from(Disposition)
)
selection_requests = st.builds(
    SelectionRequest, some.texts, some.texts, st.lists(candidates, max_size=3).map(tuple)
)
turn_requests = st.builds(
    TurnRequest,
    some.keys,
    some.texts,
    some.texts,
    some.texts,
    some.dispatch_conversations,
    some.u32s,
)
referrals = st.builds(
    Referral,
    some.keys,
    st.sampled_from(ReferralKind),
    some.texts,
    some.texts,
    some.texts,
    some.dispatch_conversations,
    some.dispatch_conversations,
    some.u32s,
    st.none() | some.origins,
)

RECORDS: dict[str, st.SearchStrategy[object]] = {
    "member": some.members,
    "person": some.people,
    "desk": some.desks,
    "desk_addition": some.additions,
    "desk_order": some.orders,
    "mention_target": some.mention_targets,
    "mention": some.mentions,
    "mention_author": some.mention_authors,
    "selector_candidate": candidates,
    "responder_request": st.builds(
        ResponderRequest,
        some.texts,
        st.none() | some.texts,
        some.mention_lists,
        some.texts,
        st.sampled_from(SelectionPolicy),
    ),
    "selection_request": selection_requests,
    "responder_decision": responder_decisions,
    "responder_plan": st.builds(DecidedPlan, responder_decisions)
    | st.builds(SelectPlan, selection_requests, responder_decisions),
    "dispatch_policy": some.dispatch_policies,
    "dispatch_key": some.keys,
    "dispatch_conversation": some.dispatch_conversations,
    "dispatch_input": some.dispatch_inputs,
    "turn_request": turn_requests,
    "dispatch_decision": st.builds(NoDispatch, st.sampled_from(NoDispatchReason))
    | st.builds(OneDispatch, turn_requests),
    "referral_policy": some.referral_policies,
    "referral_origin": some.origins,
    "referral_input": some.referral_inputs,
    "referral": referrals,
    "referral_decision": st.builds(NoReferral, st.sampled_from(NoReferralReason))
    | st.builds(OneReferral, referrals),
    "transcript_author": some.transcript_authors,
    "conversation": some.conversations,
    "log_row": some.log_rows,
    "log_page": some.log_pages,
    "session_query": some.session_queries,
    "session_message": some.session_messages,
}


def _codec(name: str) -> tuple[Callable[[Any], object], Callable[[object], object]]:
    return getattr(wire, f"encode_{name}"), getattr(wire, f"decode_{name}")


@pytest.mark.parametrize("name", RECORDS)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_a_record_is_read_back_as_it_was_written(name: str, data: st.DataObject) -> None:
    encode, decode = _codec(name)
    value = data.draw(RECORDS[name])
    assert decode(json.loads(json.dumps(encode(value)))) == value


@pytest.mark.parametrize("name", RECORDS)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_unknown_keys_are_ignored_and_no_record_is_a_bare_value(
    name: str, data: st.DataObject
) -> None:
    encode, decode = _codec(name)
    value = data.draw(RECORDS[name])
    written = cast("dict[str, object]", encode(value))
    assert decode({**written, "colour": "red"}) == value
    for bare in (None, ["x"], "x", 1):
        with pytest.raises(DecodeError):
            decode(bare)


OPTIONAL = frozenset(
    {
        "before",
        "chat_id",
        "next_before",
        "origin",
        "parent",
        "quiet",
        "responder_mode",
        "thread_root",
    }
)


@pytest.mark.parametrize("name", RECORDS)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_every_other_key_has_to_be_there(name: str, data: st.DataObject) -> None:
    encode, decode = _codec(name)
    written = cast("dict[str, object]", encode(data.draw(RECORDS[name])))
    optional = OPTIONAL - ({"thread_root"} if name == "dispatch_conversation" else set())
    for key in written.keys() - optional:
        with pytest.raises(DecodeError):
            decode({k: v for k, v in written.items() if k != key})


def test_what_is_the_default_is_not_written() -> None:
    assert "quiet" not in wire.encode_mention(Mention(EveryoneTarget(), "@here", 0))
    assert "responder_mode" not in wire.encode_desk(Desk("eng", "Eng", None, ()))
    auto = wire.encode_desk(Desk("eng", "Eng", None, (), ResponderMode.AUTO))
    assert auto["responder_mode"] == "auto"
    assert wire.encode_conversation(Conversation("eng", "Eng"))["thread_root"] is None


def test_an_absent_key_means_its_default() -> None:
    assert wire.decode_conversation({"desk_id": "a", "desk_name": "b"}).thread_root is None
    row = wire.decode_log_row({"sequence": 1, "author": {"type": "operator"}, "content": ""})
    assert row == LogRow(1, None, None, OperatorAuthor(), "")


def test_null_is_no_default_of_a_flag_or_a_mode() -> None:
    mention = {"target": {"kind": "everyone"}, "text": "@here", "offset": 0, "quiet": None}
    with pytest.raises(DecodeError):
        wire.decode_mention(mention)
    desk = {"id": "a", "name": "b", "description": None, "members": ["x"], "responder_mode": None}
    with pytest.raises(DecodeError):
        wire.decode_desk(desk)


def test_a_dispatch_conversation_never_loses_its_thread_by_omission() -> None:
    with pytest.raises(DecodeError):
        wire.decode_dispatch_conversation({"desk_id": "eng"})
    null = {"desk_id": "eng", "thread_root": None}
    assert wire.decode_dispatch_conversation(null) == DispatchConversation("eng", None)


def test_an_origin_of_null_is_none() -> None:
    keys: dict[str, object] = {
        "key": {"trigger_sequence": 1},
        "conversation": {"desk_id": "eng", "thread_root": None},
        "author_id": "ann",
        "content": "",
        "mentions": [],
        "hop": 0,
    }
    assert wire.decode_referral_input({**keys, "origin": None}).origin is None
    assert wire.decode_referral_input(keys).origin is None


def test_a_viewed_message_is_written_by_role() -> None:
    viewed = ViewedMessage(Role.ASSISTANT, "x")
    assert wire.encode_viewed_message(viewed) == {"role": "assistant", "content": "x"}


@pytest.mark.parametrize(
    "decode",
    [
        wire.decode_mention_target,
        wire.decode_mention_author,
        wire.decode_responder_plan,
        wire.decode_dispatch_decision,
        wire.decode_referral_decision,
    ],
)
def test_an_unknown_kind_is_an_error(decode: Callable[[object], object]) -> None:
    with pytest.raises(DecodeError):
        decode({"kind": "both", "id": "x"})


def test_an_unknown_author_type_is_an_error() -> None:
    with pytest.raises(DecodeError):
        wire.decode_transcript_author({"type": "robot", "id": "x", "label": "y"})
