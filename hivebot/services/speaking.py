"""What is known of how a turn came about? Its rows, gathered for the sentence that says why.

Source: product.md 7.
"""

from __future__ import annotations

from hivebot.services.ports import Policies, Transaction
from hivebot.services.reasons import A_PRIVATE_DESK, Case, why
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.episodes import EpisodeEnd, EpisodeRow
from hivebot.services.records.rows import ReferralRow, TurnKind, TurnRow

LEAD_ANSWERS = "lead_answers"
"""Reason of a turn by which the lead answers what the desk did not deliberate."""


async def why_turn(tx: Transaction, policies: Policies, turn_id: int) -> str | None:
    """Say why a turn's agent spoke, with the runner-up; None when there is no such turn."""
    turn = await tx.turns.get(turn_id)
    if turn is None:
        return None
    configuration = await policies.revision(turn.revision)
    place = await tx.conversations.get(turn.conversation_id)
    referral = await tx.referrals.get(turn.referral_id) if turn.referral_id else None
    return why(
        Case(
            turn=turn,
            configuration=configuration,
            desk=configuration.desk(place.desk_id) if place is not None else None,
            decision=await tx.decisions.get(turn.decision_id) if turn.decision_id else None,
            referral=referral,
            episode=await _episode_of(tx, turn),
            asked_from=await _asked_from(tx, referral),
        )
    )


async def _episode_of(tx: Transaction, turn: TurnRow) -> EpisodeRow | None:
    """The deliberation a turn belongs to, or whose lead answers by it."""
    if turn.episode_id is not None:
        return await tx.episodes.get(turn.episode_id)
    if turn.kind is not TurnKind.ANSWER or turn.reason != LEAD_ANSWERS:
        return None
    ended = await tx.episodes.for_question(turn.question_id)
    return next((one for one in reversed(ended) if one.end is EpisodeEnd.LEAD_ANSWERS), None)


async def _asked_from(tx: Transaction, referral: ReferralRow | None) -> str:
    """The asking desk by name where its channel is public; the name of no other is told."""
    if referral is None:
        return A_PRIVATE_DESK
    asking = await tx.conversations.get(referral.from_conversation_id)
    public = asking is not None and asking.audience is Audience.PUBLIC
    return f"#{referral.from_desk_id}" if public else A_PRIVATE_DESK
