"""How does a question to another desk end when no answer came? In one line and one waking.

Shared by every use case that can end a referral; works inside the caller's transaction.
Source: datapath.md 5, product.md 3.
"""

from __future__ import annotations

from dataclasses import replace

from hivebot.services import lines
from hivebot.services.ports import NewTurn, Transaction
from hivebot.services.records.outgoing import Body
from hivebot.services.records.rows import (
    ConversationRow,
    OutboxRow,
    ReferralRow,
    ReferralState,
    TurnKind,
    TurnState,
)


async def end_unanswered(
    tx: Transaction,
    *,
    asking: ConversationRow,
    referral: ReferralRow,
    state: ReferralState,
    why: str,
) -> bool:
    """End a referral as refused, failed or expired: edit its line, wake its sponsor once.

    A deliberation is not woken by it: its log goes on, and the edited line is what people read. The
    asking conversation must be locked. False when the referral has ended before.
    """
    if not await tx.referrals.end(referral.id, state, why):
        return False
    name = referral.to_desk_id
    if referral.status_id is not None:
        await retell(tx, referral.status_id, lines.not_answered(name, why, referral.reference))
        await tx.jobs.deliver(asking.team_id, asking.channel_id)
    await tx.jobs.route(asking.id)
    if asking.episode_no:
        return True
    await tx.turns.add(
        NewTurn(
            conversation_id=asking.id,
            kind=TurnKind.SPONSOR,
            agent_id=referral.asker_id,
            state=TurnState.WAITING,
            trigger_id=referral.question_id,
            question_id=referral.question_id,
            asker_user_id=referral.person_user_id,
            hop=referral.hop + 1,
            revision=referral.revision,
            referral_id=referral.id,
            notes=(f"#{name} could not answer: {why}.",),
            reason=state.value,
        )
    )
    return True


async def retell(tx: Transaction, status_id: int, body: Body) -> OutboxRow:
    """Edit a status line; what it says of desks that were not asked stays, with its buttons."""
    told = await tx.outbox.get(status_id)
    offers = [one for one in told.body.buttons if one.action == lines.ASK_TOO] if told else []
    if told is not None and offers:
        body = replace(body, buttons=tuple(offers), small=told.body.small)
    return await tx.outbox.revise(status_id, body)
