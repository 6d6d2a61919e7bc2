"""How does a reply come to stand in a conversation? One row, one post, and the next decision.

Shared by every use case that can let a reply out; works inside the caller's transaction, in a
conversation that is locked. Source: datapath.md 3.
"""

from __future__ import annotations

from hivebot.hive.conversation import AgentAuthor
from hivebot.services.ports import NewMessage, NewOutbox, Transaction
from hivebot.services.records.gates import Draft
from hivebot.services.records.outgoing import Destination, OutboxKind
from hivebot.services.records.rows import ConversationRow, MessageRole, TurnKind, TurnRow


async def publish(
    tx: Transaction, place: ConversationRow, turn: TurnRow, name: str, draft: Draft
) -> None:
    """Append the reply of a turn that has just been closed as committed, and have it posted."""
    row = await tx.messages.append(
        NewMessage(
            conversation_id=place.id,
            role=MessageRole.SPEECH,
            author=AgentAuthor(turn.agent_id, name),
            content=draft.content,
            shown=draft.shown,
            mentions=draft.mentions,
            turn_id=turn.id,
            referral_id=turn.referral_id,
        )
    )
    await tx.outbox.add(
        NewOutbox(
            OutboxKind.POST,
            Destination(place.team_id, place.channel_id, place.thread_ts),
            draft.body,
            message_id=row.id,
            turn_id=turn.id,
            thread_of=draft.thread_of,
            needs=draft.needs,
        )
    )
    if turn.asker_user_id and turn.kind in (TurnKind.ANSWER, TurnKind.SPONSOR):
        await tx.conversations.set_answered(place.id, turn.asker_user_id)
    await tx.jobs.deliver(place.team_id, place.channel_id)
    await tx.jobs.route(place.id)
