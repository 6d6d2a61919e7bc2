"""Which questions to other desks wait for a steward, and what have stewards allowed?

Source: product.md 7, rights.md 2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hivebot.hive.crossing import NEEDS_GATE, CrossingInput, NoCrossingReason, may_cross
from hivebot.hive.gate import GateKind, GateState
from hivebot.services.gating import raise_gate, referral_artifact, released, waiting_times
from hivebot.services.inert import inert_marks, inert_names
from hivebot.services.recording import digest
from hivebot.services.records.gates import NewGate
from hivebot.services.records.policy import DeskConfig
from hivebot.services.records.rows import MessageRow
from hivebot.services.routing.passes import Pass


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that would cross: from which row, in which words, on whose behalf."""

    row: MessageRow
    question: str
    question_row_id: int
    person_user_id: str
    desk: DeskConfig
    target: DeskConfig


@dataclass(frozen=True, slots=True)
class Met:
    """What stewards have allowed about a question, and the words in which they let it go."""

    granted: frozenset[NoCrossingReason]
    question: str


async def met_gates(here: Pass, asked: Asked) -> Met:
    """The needs of a gate that have been met, at either end, for these very words.

    An approval is of what was shown: one of other words, or for another desk, counts for nothing.
    """
    granted: set[NoCrossingReason] = set()
    question = asked.question
    for gate in await here.tx.gates.for_message(asked.row.id):
        same = gate.digest == digest(referral_artifact(asked.target.id, question))
        if gate.kind is not GateKind.REFERRAL_REVIEW or not same:
            continue
        if not released(gate, here.in_force):
            continue
        if gate.desk_id == asked.desk.id:
            granted |= {NoCrossingReason.ASKS_NEEDS_GATE, NoCrossingReason.WIDER_NEEDS_GATE}
        else:
            granted.add(NoCrossingReason.ANSWERS_NEEDS_GATE)
        if gate.state is GateState.CORRECTED:
            question = inert_names(inert_marks(gate.words))
    return Met(frozenset(granted), question)


def crossing_needs(crossing: CrossingInput, met: Met) -> NoCrossingReason | None:
    """Why it may not cross, a gate that it still needs among it; None lets it go.

    1. What no steward could allow: nobody is bothered with it.
    2. A gate of the desk that asks: before that nothing of it is shown over there.
    3. A gate of the desk that is asked.
    """
    far = frozenset({NoCrossingReason.ANSWERS_NEEDS_GATE})
    for granted in (NEEDS_GATE, met.granted | far, met.granted):
        refused = may_cross(replace(crossing, granted=granted))
        if refused is not None:
            return refused
    return None


async def wait_for_steward(here: Pass, asked: Asked, need: NoCrossingReason) -> bool:
    """Open the gate this question needs, unless it waits already or was decided.

    At the desk that is asked for its own list, else at the desk that asks.

    Returns:
        Whether it waits now; False when a steward has kept it here.
    """
    far = need is NoCrossingReason.ANSWERS_NEEDS_GATE
    judge = asked.target if far else asked.desk
    artifact = referral_artifact(asked.target.id, asked.question)
    known = digest(artifact)
    for gate in await here.tx.gates.for_message(asked.row.id):
        if (gate.desk_id, gate.digest) == (judge.id, known) and gate.state is not GateState.VOID:
            return gate.state is GateState.OPEN
    remind_at, expires_at = waiting_times(judge, here.now)
    await raise_gate(
        here.tx,
        NewGate(
            kind=GateKind.REFERRAL_REVIEW,
            desk_id=judge.id,
            team_id=here.conversation.team_id,
            conversation_id=here.conversation.id,
            message_id=asked.row.id,
            question_id=asked.question_row_id,
            task_type=f"{asked.desk.id}>{asked.target.id}",
            question=asked.question if far else asked.row.content,
            artifact=artifact,
            digest=known,
            asker_user_id=asked.person_user_id,
            revision=here.configuration.revision,
            created_at=here.now,
            remind_at=remind_at,
            expires_at=expires_at,
        ),
    )
    return True
