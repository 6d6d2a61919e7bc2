"""May this person decide this gate, this way, now? A gate waits for a person entitled to it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class GateKind(StrEnum):
    """What waits: a question to another desk, an answer, or a desk's decision."""

    REFERRAL_REVIEW = "referral_review"
    ANSWER_REVIEW = "answer_review"
    DECISION_REVIEW = "decision_review"


class GateState(StrEnum):
    """`OPEN` waits; the others are ends. `VOID`: what was to be approved has changed."""

    OPEN = "open"
    APPROVED = "approved"
    CORRECTED = "corrected"
    REJECTED = "rejected"
    EXPIRED = "expired"
    VOID = "void"


class GateAct(StrEnum):
    """What a person does at a gate."""

    APPROVE = "approve"
    CORRECT = "correct"
    REJECT = "reject"


class GateWay(StrEnum):
    """How they do it. A written reply may correct or reject, never approve."""

    BUTTON = "button"
    REACTION = "reaction"
    REPLY = "reply"


class NoGateReason(StrEnum):
    """Why an act changes nothing."""

    DECIDED = "decided"
    EXPIRED = "expired"
    VOID = "void"
    NOT_A_STEWARD = "not_a_steward"
    SELF_APPROVAL = "self_approval"
    NOT_BY_REPLY = "not_by_reply"
    NO_WORDS = "no_words"
    CHANGED = "changed"
    NOT_SHOWN_WHOLE = "not_shown_whole"


@dataclass(frozen=True, slots=True)
class GateInput:
    """What the decision reads.

    Attributes:
        steward: The person is entitled to decide this desk's gates, judged now, by id.
        asker: The person asked the question the gate is about.
        self_approve: The desk lets who asked approve.
        shown_digest: Digest of the artifact the person has seen.
        current_digest: Digest of the artifact as it is now; "" once it is gone.
        shown_whole: The gate's message shows the whole artifact.
        words: The correction, or the reason given; may be empty.
    """

    state: GateState
    act: GateAct
    way: GateWay
    steward: bool
    asker: bool
    self_approve: bool
    shown_digest: str
    current_digest: str
    shown_whole: bool
    words: str


_ENDED: Final = MappingProxyType(
    {
        GateState.APPROVED: NoGateReason.DECIDED,
        GateState.CORRECTED: NoGateReason.DECIDED,
        GateState.REJECTED: NoGateReason.DECIDED,
        GateState.EXPIRED: NoGateReason.EXPIRED,
        GateState.VOID: NoGateReason.VOID,
    }
)

_LEADS_TO: Final = MappingProxyType(
    {
        GateAct.APPROVE: GateState.APPROVED,
        GateAct.CORRECT: GateState.CORRECTED,
        GateAct.REJECT: GateState.REJECTED,
    }
)


def decide(act: GateInput) -> GateState | NoGateReason:
    """Say what an act at a gate leads to, or why it changes nothing.

    1. A gate that has ended stays as it is.
    2. Only a steward decides; an empty list of stewards is nobody.
    3. Who asked does not approve, unless the desk lets them.
    4. A written reply does not approve.
    5. A correction has words.
    6. An approval is of what is there now, and was seen whole; a reaction sees what the message
       shows.

    Source: product.md 7, rights.md 1.
    """
    if act.state in _ENDED:
        return _ENDED[act.state]
    if not act.steward:
        return NoGateReason.NOT_A_STEWARD
    if act.act is GateAct.APPROVE:
        refused = _no_approval(act)
        if refused is not None:
            return refused
    if act.act is GateAct.CORRECT and not act.words.strip():
        return NoGateReason.NO_WORDS
    return _LEADS_TO[act.act]


def _no_approval(act: GateInput) -> NoGateReason | None:
    if act.asker and not act.self_approve:
        return NoGateReason.SELF_APPROVAL
    if act.way is GateWay.REPLY:
        return NoGateReason.NOT_BY_REPLY
    if act.shown_digest != act.current_digest:
        return NoGateReason.CHANGED
    return None if act.shown_whole else NoGateReason.NOT_SHOWN_WHOLE
