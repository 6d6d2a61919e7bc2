"""May a question that has crossed still be answered? Permissions and budgets take hold at once.

Source: rights.md 2, turns.md 6, datapath.md 5.
"""

from __future__ import annotations

from hivebot.hive.crossing import NEEDS_GATE, DeskEnd, may_exchange
from hivebot.hive.dispatch import WITHHELD_SENTENCE
from hivebot.services.endings import end_unanswered
from hivebot.services.records.rows import (
    ConversationRow,
    ReferralRow,
    ReferralState,
    TurnKind,
    TurnRow,
    TurnState,
)
from hivebot.services.routing.passes import Pass

TAKEN_AWAY = "permission_taken_away"
OVER_BUDGET = "target_over_budget"


async def still_allowed(here: Pass, turn: TurnRow) -> bool:
    """Whether a waiting turn may be opened; a far question that may not is ended instead."""
    if turn.kind is not TurnKind.REFERRED or turn.referral_id is None:
        return True
    owed = await here.tx.referrals.lock(turn.referral_id)
    asking = here.lockable(owed.from_conversation_id)
    why = "" if may_return(here, owed, asking) else TAKEN_AWAY
    desk = here.in_force.desk(owed.to_desk_id)
    if not why and desk is not None and await here.over_budget(desk):
        why = OVER_BUDGET
    if not why:
        return True
    await here.tx.turns.close(turn.id, TurnState.CANCELLED, why)
    await end_refused(here, owed, asking)
    return False


def may_return(here: Pass, owed: ReferralRow, asking: ConversationRow) -> bool:
    """Whether the configuration in force still lets these two desks exchange questions.

    1. Both desks are there, and bound to the channels the question went between.
    2. The asking desk has referral switched on.
    3. Both lists allow the other end.
    """
    home, far = here.in_force.desk(owed.from_desk_id), here.in_force.desk(owed.to_desk_id)
    if home is None or far is None:
        return False
    places = (asking.channel_id, here.conversation.channel_id)
    if (home.channel, far.channel) != places or not home.referral.policy.enabled:
        return False
    origin = DeskEnd(home.id, asking.audience, home.asks)
    target = DeskEnd(far.id, here.conversation.audience, far.answers)
    # a gate that was needed was met when the question left
    return may_exchange(origin, target, NEEDS_GATE) is None


async def end_refused(here: Pass, owed: ReferralRow, asking: ConversationRow) -> None:
    """End it with the sentence that gives nothing away."""
    await end_unanswered(
        here.tx,
        asking=asking,
        referral=owed,
        state=ReferralState.REFUSED,
        why=WITHHELD_SENTENCE,
    )
