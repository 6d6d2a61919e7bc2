"""What is kept of a gate? What waits, for whom, until when, and what came of it.

Source: product.md 7, memory.md 9.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from hivebot.hive.gate import GateAct, GateKind, GateState
from hivebot.hive.mention import Mention
from hivebot.services.records.outgoing import Body
from hivebot.services.records.predictions import GatePrediction


@dataclass(frozen=True, slots=True)
class Draft:
    """A held reply: what becomes its row and its post when it is released."""

    content: str
    shown: str
    mentions: tuple[Mention, ...]
    body: Body
    thread_of: int | None
    needs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GateRow:
    """One gate.

    Attributes:
        desk_id: Whose stewards decide.
        conversation_id: The conversation it is about.
        message_id: The row that made it necessary; one open gate of a kind and desk for a row.
        question_id: The row of the question that all of it serves.
        task_type: The desk's slug; for a referral `from>to`.
        question: The message that started the work.
        artifact: What is to be approved, as it would be shown; never an instruction.
        digest: Of the artifact; an approval names the one it saw.
        draft: The held reply of an answer gate.
        post_id: Outbox row of the gate's own message.
        status_id: Outbox row of the line that says it waits, where the gate is posted elsewhere.
        words: What the steward said: the correction, or the reason.
        by_proxy: The desk's proxy decided, not a person.
        prediction: What the proxy said of it; None where it was not asked.
    """

    id: int
    kind: GateKind
    state: GateState
    desk_id: str
    team_id: str
    conversation_id: int
    message_id: int
    question_id: int
    turn_id: int | None
    episode_id: int | None
    task_type: str
    question: str
    artifact: str
    digest: str
    draft: Draft | None
    asker_user_id: str
    revision: str
    post_id: int | None
    status_id: int | None
    created_at: datetime
    remind_at: datetime
    expires_at: datetime
    reminded: bool
    act: GateAct | None
    actor_user_id: str
    words: str
    by_proxy: bool
    decided_at: datetime | None
    settled_at: datetime | None
    prediction: GatePrediction | None = None


@dataclass(frozen=True, slots=True)
class NewGate:
    """A gate to open."""

    kind: GateKind
    desk_id: str
    team_id: str
    conversation_id: int
    message_id: int
    question_id: int
    task_type: str
    question: str
    artifact: str
    digest: str
    asker_user_id: str
    revision: str
    created_at: datetime
    remind_at: datetime
    expires_at: datetime
    turn_id: int | None = None
    episode_id: int | None = None
    draft: Draft | None = None
