"""What follows when Slack refuses a post, or never says? It ends, and who can mend it learns it.

Source: product.md 10, datapath.md 4 and 5.
"""

from __future__ import annotations

from dataclasses import dataclass

from hivebot.services import lines
from hivebot.services.endings import end_unanswered
from hivebot.services.ports import NewOutbox, Transaction
from hivebot.services.records.outgoing import (
    Body,
    Destination,
    OutboxKind,
    OutboxState,
    SendFailure,
    SendFailureKind,
)
from hivebot.services.records.rows import (
    ConversationRow,
    MessageRole,
    MessageRow,
    OutboxRow,
    ReferralRow,
    ReferralState,
    TurnKind,
    TurnState,
)

_GONE: tuple[SendFailureKind, ...] = ("thread_gone", "message_gone")
_PAUSING: tuple[SendFailureKind, ...] = ("archived", "restricted")
_ANSWERING = (TurnKind.ANSWER, TurnKind.SPONSOR)


@dataclass(frozen=True, slots=True)
class _Owed:
    """A far question that is to be posted.

    Attributes:
        asking: The conversation that asked, locked.
        question: The question's row on the far desk, whose conversation is locked too.
    """

    referral: ReferralRow
    asking: ConversationRow
    question: MessageRow


async def refuse(tx: Transaction, row: OutboxRow, failure: SendFailure, admin_channel: str) -> None:
    """End a row that Slack has refused.

    1. A place that takes no posts is paused, so that the queue waits instead of failing.
    2. A far question that could not be posted ends its referral.
    3. Whoever waits for an answer that could not be posted is told by direct message.
    4. The admins are told what to do.

    A post or thread that somebody has removed is nobody's to mend: the row ends quietly.
    """
    place = row.destination
    shown = await _shown(tx, row)
    owed = await _owed(tx, row, shown)
    gone = failure.kind in _GONE
    state = OutboxState.CANCELLED if gone else OutboxState.FAILED
    if not await tx.outbox.settle(row.id, row.attempt, state, failure.code):
        return
    if failure.kind in _PAUSING:
        why = lines.send_fault(failure.kind)
        await tx.workspaces.pause_channel(place.team_id, place.channel_id, why)
    await release(tx, row)
    if gone:
        return
    if owed is not None:
        await _end_referral(tx, owed, failure)
    elif shown is not None and not row.ts:
        body = lines.answer_not_shown(lines.send_fault(failure.kind), f"P{row.id}")
        await _tell_asker(tx, row, shown, body)
    remedy = lines.send_remedy(failure.kind)
    told = lines.for_admins(place.channel_id, failure.code, failure.detail, remedy)
    await tell_admins(tx, row, told, admin_channel)


async def leave(tx: Transaction, row: OutboxRow, error: str, admin_channel: str) -> None:
    """End a row of which nobody can say whether Slack has taken it; it is not tried again.

    Whoever waits for an answer is told by direct message, and the admins where to look.
    """
    if not await tx.outbox.settle(row.id, row.attempt, OutboxState.UNKNOWN, error):
        return
    await release(tx, row)
    shown = await _shown(tx, row)
    reference = f"P{row.id}"
    if shown is not None and not row.ts:
        await _tell_asker(tx, row, shown, lines.answer_perhaps_shown(reference))
    told = lines.perhaps_posted(row.destination.channel_id, reference)
    await tell_admins(tx, row, told, admin_channel)


async def _shown(tx: Transaction, row: OutboxRow) -> MessageRow | None:
    """The row a post shows; a private line only speaks of one."""
    if row.message_id is None or row.kind is OutboxKind.EPHEMERAL:
        return None
    return await tx.messages.get(row.message_id)


async def tell_admins(tx: Transaction, row: OutboxRow, body: Body, admin_channel: str) -> None:
    """Say a line about this row in the admin channel, unless it is that channel that fails."""
    if admin_channel and admin_channel != row.destination.channel_id:
        await _say(tx, row.destination.team_id, admin_channel, body)


async def release(tx: Transaction, row: OutboxRow) -> None:
    """Start the queues of rows that waited for this one's ts or end."""
    for team_id, channel_id in await tx.outbox.waiters(row.id):
        await tx.jobs.deliver(team_id, channel_id)


async def _owed(tx: Transaction, row: OutboxRow, shown: MessageRow | None) -> _Owed | None:
    """The question this row was to post, with everything locked that ending it needs."""
    if shown is None or shown.role is not MessageRole.QUESTION or shown.referral_id is None:
        return None
    referral = await tx.referrals.get(shown.referral_id)
    if referral is None or row.ts:
        return None
    wanted = {referral.from_conversation_id, shown.conversation_id}
    locked = {place.id: place for place in await tx.conversations.lock(sorted(wanted))}
    return _Owed(referral, locked[referral.from_conversation_id], shown)


async def _end_referral(tx: Transaction, owed: _Owed, failure: SendFailure) -> None:
    """Nobody on the far desk can see the question: its turn is called off, its sponsor told.

    Where it was answered all the same the answer goes home as any other.
    """
    turns = await tx.turns.for_message(owed.question.id)
    if any(turn.state is TurnState.COMMITTED for turn in turns):
        return
    for turn in turns:
        if await tx.turns.close(turn.id, TurnState.CANCELLED, failure.code):
            await tx.jobs.route(turn.conversation_id)
    await end_unanswered(
        tx,
        asking=owed.asking,
        referral=owed.referral,
        state=ReferralState.FAILED,
        why=lines.send_fault(failure.kind),
    )


async def _tell_asker(tx: Transaction, row: OutboxRow, shown: MessageRow, body: Body) -> None:
    """By direct message to whoever the answer is for: the place itself did not take a post."""
    turn = await tx.turns.get(shown.turn_id) if shown.turn_id is not None else None
    if turn is None or turn.kind not in _ANSWERING or not turn.asker_user_id:
        return
    await _say(tx, row.destination.team_id, turn.asker_user_id, body)


async def _say(tx: Transaction, team_id: str, channel_id: str, body: Body) -> None:
    await tx.outbox.add(NewOutbox(OutboxKind.LINE, Destination(team_id, channel_id), body))
    await tx.jobs.deliver(team_id, channel_id)
