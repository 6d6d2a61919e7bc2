"""What does a person's act at a gate leave in the memory?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from hivebot.proxy.chunks import Chunk, ChunkType, Outcome
from hivebot.proxy.prediction import Prediction


class Act(StrEnum):
    """What a person did at a gate, or that nobody did anything. Source: memory.md 9.2."""

    APPROVE = "approve"
    CORRECT = "correct"
    REJECT = "reject"
    WITHDRAW = "withdraw"
    DISCUSS = "discuss"
    PROMOTE = "promote"
    DISMISS = "dismiss"
    OVERRULE = "overrule"
    EXPIRE = "expire"


_OUTCOMES: Final = MappingProxyType(
    {
        Act.APPROVE: Outcome.APPROVE,
        Act.CORRECT: Outcome.CORRECT,
        Act.REJECT: Outcome.REJECT,
        Act.WITHDRAW: Outcome.WITHDRAW,
        Act.DISCUSS: Outcome.DISCUSS,
        Act.PROMOTE: Outcome.PROMOTE,
        Act.DISMISS: Outcome.DISMISS,
        Act.OVERRULE: Outcome.CORRECT,
    }
)

_TYPES: Final = MappingProxyType(
    {
        Act.DISCUSS: ChunkType.DIALOG_TURN,
        Act.PROMOTE: ChunkType.DISCOVERY_RESPONSE,
        Act.DISMISS: ChunkType.DISCOVERY_RESPONSE,
        Act.WITHDRAW: ChunkType.WITHDRAWAL,
    }
)


@dataclass(frozen=True, slots=True)
class Settlement:
    """How a gate ended.

    Attributes:
        act: What the person did.
        state: Kind of gate.
        task_type: Desk, or `from>to` for a referral.
        words: The person's words with the act; a button alone has none.
        dialog: What the person said at this gate before.
        text_changed: The person sent a text that differs from the artifact.
        difference: How the text was changed, or how the prediction missed.
        content: The interaction's text, as it is remembered.
        lens: Viewpoint of an observation.

    Source: memory.md 5.4 and 9.2.
    """

    act: Act
    state: str
    task_type: str
    words: str = ""
    dialog: tuple[str, ...] = ()
    text_changed: bool = False
    difference: str = ""
    content: str = ""
    lens: str = ""


def outcome_of(settlement: Settlement) -> Outcome | None:
    """Give the outcome to learn from; None where there is none.

    A silent timeout is no outcome. An approval stays one whatever was said before, unless the text
    changed. Overruling the proxy is a correction.

    Source: memory.md 5.4 and 9.2.
    """
    if settlement.act is Act.APPROVE and settlement.text_changed:
        return Outcome.CORRECT
    return _OUTCOMES.get(settlement.act)


def lesson(chunk_id: str, settlement: Settlement, prediction: Prediction | None) -> Chunk | None:
    """Make the chunk that a settled gate leaves, without traces and vectors; None for a timeout.

    The dialog before the act goes into `human_response`, before the words of the act. `delta` is
    filled for corrections only, the salient texts are left for after the extraction.

    Source: memory.md 5.4.
    """
    outcome = outcome_of(settlement)
    if outcome is None:
        return None
    prior = prediction.prior if prediction else None
    posterior = prediction.posterior if prediction else None
    spoken = (*settlement.dialog, settlement.words)
    return Chunk(
        id=chunk_id,
        type=_TYPES.get(settlement.act, ChunkType.GATE_OUTCOME),
        state=settlement.state,
        task_type=settlement.task_type,
        outcome=outcome,
        lens=settlement.lens,
        prior_prediction=prior.prediction if prior else "",
        prior_confidence=prior.confidence if prior else 0.0,
        posterior_prediction=posterior.prediction if posterior else "",
        posterior_confidence=posterior.confidence if posterior else 0.0,
        human_response="\n".join(each for each in spoken if each),
        delta=settlement.difference if outcome is Outcome.CORRECT else "",
        content=settlement.content,
    )
