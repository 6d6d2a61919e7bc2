"""Which rows does a test of the repositories begin with?"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from hivebot.hive.conversation import PersonAuthor
from hivebot.services.ports import NewMessage, NewOutbox, NewReferral, NewTurn, Transaction
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.outgoing import Body, Destination, OutboxKind
from hivebot.services.records.rows import (
    ConversationRow,
    MessageRole,
    MessageRow,
    OutboxRow,
    TurnKind,
    TurnState,
)
from tests.fakes.clock import START

TEAM = "T1"


async def conversation(
    tx: Transaction, channel_id: str = "C1", thread_ts: str = "", root_seq: int | None = None
) -> ConversationRow:
    return await tx.conversations.ensure(
        TEAM,
        channel_id,
        thread_ts,
        desk_id="ops",
        audience=Audience.PUBLIC,
        root_seq=root_seq,
    )


def new_message(conversation_id: int, content: str = "hello", ts: str = "") -> NewMessage:
    return NewMessage(
        conversation_id=conversation_id,
        role=MessageRole.SPEECH,
        author=PersonAuthor("U1", "Ann"),
        content=content,
        ts=ts,
    )


async def message(tx: Transaction, content: str = "hello", ts: str = "") -> MessageRow:
    place = await conversation(tx)
    return await tx.messages.append(new_message(place.id, content, ts))


def new_turn(trigger: MessageRow, state: TurnState = TurnState.AUTHORISED) -> NewTurn:
    return NewTurn(
        conversation_id=trigger.conversation_id,
        kind=TurnKind.ANSWER,
        agent_id="anna",
        state=state,
        trigger_id=trigger.id,
        question_id=trigger.id,
        asker_user_id="U1",
        hop=0,
        revision="r1",
        notes=("a note",),
        reason="asked",
    )


def new_referral(question: MessageRow, to: ConversationRow, trigger_seq: int = 1) -> NewReferral:
    return NewReferral(
        from_conversation_id=question.conversation_id,
        trigger_seq=trigger_seq,
        to_conversation_id=to.id,
        from_desk_id="ops",
        to_desk_id="legal",
        asker_id="anna",
        target_id="legal",
        person_user_id="U1",
        question_id=question.id,
        hop=1,
        visited=("ops", "legal"),
        reference="Q-1",
        revision="r1",
        answer_due_at=START + timedelta(seconds=60),
        ends_at=START + timedelta(seconds=600),
    )


def new_post(
    text: str = "hi", channel_id: str = "C1", kind: OutboxKind = OutboxKind.POST
) -> NewOutbox:
    return NewOutbox(kind, Destination(TEAM, channel_id), Body(text=text))


async def posted(tx: Transaction, row: OutboxRow, ts: str) -> OutboxRow:
    """The row after it was sent as one part."""
    claimed = await tx.outbox.claim(row.id, START, START)
    assert claimed is not None
    assert await tx.outbox.sent(row.id, claimed.attempt, claimed.revision, (ts,))
    found = await tx.outbox.get(row.id)
    assert found is not None
    return found


def after(seconds: float) -> timedelta:
    return timedelta(seconds=seconds)


def copied(new: NewMessage, of: MessageRow) -> NewMessage:
    return replace(new, copy_of=of.id)
