"""What a settled gate leaves (memory.md 5.4 and 9.2)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.proxy.chunks import ChunkType, Outcome
from hivebot.proxy.lesson import Act, Settlement, lesson, outcome_of
from hivebot.proxy.prediction import PassReply, settle

GATE = Settlement(Act.APPROVE, "answer_review", "payments", content="the draft")


@pytest.mark.parametrize(
    ("act", "outcome", "kind"),
    [
        (Act.APPROVE, Outcome.APPROVE, ChunkType.GATE_OUTCOME),
        (Act.CORRECT, Outcome.CORRECT, ChunkType.GATE_OUTCOME),
        (Act.REJECT, Outcome.REJECT, ChunkType.GATE_OUTCOME),
        (Act.WITHDRAW, Outcome.WITHDRAW, ChunkType.WITHDRAWAL),
        (Act.DISCUSS, Outcome.DISCUSS, ChunkType.DIALOG_TURN),
        (Act.PROMOTE, Outcome.PROMOTE, ChunkType.DISCOVERY_RESPONSE),
        (Act.DISMISS, Outcome.DISMISS, ChunkType.DISCOVERY_RESPONSE),
        (Act.OVERRULE, Outcome.CORRECT, ChunkType.GATE_OUTCOME),
    ],
)
def test_each_act_leaves_its_outcome(act: Act, outcome: Outcome, kind: ChunkType) -> None:
    """Section 9.2."""
    left = lesson("g", replace(GATE, act=act), None)
    assert left is not None
    assert (left.outcome, left.type) == (outcome, kind)


def test_a_silent_timeout_leaves_no_chunk() -> None:
    """Section 5.4 (MUST NOT create a chunk)."""
    assert outcome_of(replace(GATE, act=Act.EXPIRE)) is None
    assert lesson("g", replace(GATE, act=Act.EXPIRE), None) is None


def test_a_dialog_before_an_approval_stays_an_approval() -> None:
    """Section 5.4: stewards ask all the time."""
    left = lesson("g", replace(GATE, dialog=("why canary?", ""), words="fine"), None)
    assert left is not None
    assert left.outcome == Outcome.APPROVE
    assert left.human_response == "why canary?\nfine"


def test_an_approval_with_a_changed_text_is_a_correction() -> None:
    """Section 5.4."""
    left = lesson("g", replace(GATE, text_changed=True, difference="+ price"), None)
    assert left is not None
    assert (left.outcome, left.delta) == (Outcome.CORRECT, "+ price")


def test_the_miss_is_kept_for_corrections_only() -> None:
    """Section 2 (`delta`) and 5.4."""
    left = lesson("g", replace(GATE, act=Act.REJECT, difference="x"), None)
    assert left is not None
    assert left.delta == ""


def test_both_predictions_and_their_confidences_are_kept() -> None:
    """Section 5.4."""
    both = settle(PassReply("a", 0.6, "approve"), PassReply("b", 0.7, "correct"))
    left = lesson("g", replace(GATE, lens="risk"), both)
    assert left is not None
    assert (left.prior_prediction, left.prior_confidence) == ("approve", 0.6)
    assert (left.posterior_prediction, left.posterior_confidence) == ("correct", 0.7)
    assert (left.state, left.task_type, left.content, left.lens) == (
        "answer_review",
        "payments",
        "the draft",
        "risk",
    )
    assert left.traces == ()


def test_a_prediction_of_one_pass_keeps_that_pass() -> None:
    left = lesson("g", GATE, settle(PassReply("a", 0.6, "approve"), None))
    assert left is not None
    assert (left.prior_confidence, left.posterior_confidence) == (0.6, 0.0)
    assert left.posterior_prediction == ""
