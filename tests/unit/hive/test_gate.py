"""May this person decide this gate, this way, now?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.hive.gate import GateAct, GateInput, GateState, GateWay, NoGateReason, decide

APPROVAL = GateInput(
    state=GateState.OPEN,
    act=GateAct.APPROVE,
    way=GateWay.BUTTON,
    steward=True,
    asker=False,
    self_approve=False,
    shown_digest="d",
    current_digest="d",
    shown_whole=True,
    words="",
)


def refused(act: GateInput, reason: NoGateReason) -> None:
    assert decide(act) is reason


def accepted(act: GateInput, state: GateState) -> None:
    assert decide(act) is state


def test_a_steward_approves_corrects_and_rejects() -> None:
    accepted(APPROVAL, GateState.APPROVED)
    accepted(replace(APPROVAL, act=GateAct.CORRECT, words="three days"), GateState.CORRECTED)
    accepted(replace(APPROVAL, act=GateAct.REJECT), GateState.REJECTED)


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (GateState.APPROVED, NoGateReason.DECIDED),
        (GateState.CORRECTED, NoGateReason.DECIDED),
        (GateState.REJECTED, NoGateReason.DECIDED),
        (GateState.EXPIRED, NoGateReason.EXPIRED),
        (GateState.VOID, NoGateReason.VOID),
    ],
)
def test_a_gate_that_has_ended_stays_as_it_is(state: GateState, reason: NoGateReason) -> None:
    refused(replace(APPROVAL, state=state), reason)
    refused(replace(APPROVAL, state=state, steward=False), reason)


@pytest.mark.parametrize("act", list(GateAct))
def test_nobody_but_a_steward_decides(act: GateAct) -> None:
    refused(replace(APPROVAL, act=act, steward=False, words="x"), NoGateReason.NOT_A_STEWARD)


def test_who_asked_does_not_approve_unless_the_desk_lets_them() -> None:
    own = replace(APPROVAL, asker=True)
    refused(own, NoGateReason.SELF_APPROVAL)
    accepted(replace(own, self_approve=True), GateState.APPROVED)
    accepted(replace(own, act=GateAct.REJECT), GateState.REJECTED)


def test_a_written_reply_corrects_and_rejects_and_never_approves() -> None:
    reply = replace(APPROVAL, way=GateWay.REPLY, words="three days")
    refused(reply, NoGateReason.NOT_BY_REPLY)
    accepted(replace(reply, act=GateAct.CORRECT), GateState.CORRECTED)
    accepted(replace(reply, act=GateAct.REJECT), GateState.REJECTED)


def test_a_reaction_approves_what_the_message_shows() -> None:
    accepted(replace(APPROVAL, way=GateWay.REACTION), GateState.APPROVED)


@pytest.mark.parametrize("words", ["", "  \n"])
def test_a_correction_has_words(words: str) -> None:
    refused(replace(APPROVAL, act=GateAct.CORRECT, words=words), NoGateReason.NO_WORDS)


def test_an_approval_is_of_what_is_there_now_and_was_seen_whole() -> None:
    refused(replace(APPROVAL, current_digest="other"), NoGateReason.CHANGED)
    refused(replace(APPROVAL, current_digest=""), NoGateReason.CHANGED)
    refused(replace(APPROVAL, shown_whole=False), NoGateReason.NOT_SHOWN_WHOLE)
