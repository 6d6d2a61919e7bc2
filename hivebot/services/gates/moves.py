"""What may a person do at a gate, by which sign, and what are they told? Pure but for the telling.

Source: product.md 7, memory.md 9.2.
"""

from __future__ import annotations

from dataclasses import dataclass

from hivebot.hive.gate import GateAct, GateWay, NoGateReason
from hivebot.services.ports import NewOutbox, Transaction
from hivebot.services.records.outgoing import Body, Destination, OutboxKind

APPROVING = frozenset({"white_check_mark", "heavy_check_mark", "+1", "thumbsup"})
REJECTING = frozenset({"x", "no_entry", "no_entry_sign", "-1", "thumbsdown"})


@dataclass(frozen=True, slots=True)
class GateMove:
    """An act at a gate, as it arrives.

    Attributes:
        shown_digest: Digest in the button's value; other ways act on what the message shows.
        channel_id, thread_ts: Where the person is told what came of it; "" tells them nothing.
    """

    team_id: str
    user_id: str
    gate_id: int
    act: GateAct
    way: GateWay
    words: str = ""
    shown_digest: str = ""
    channel_id: str = ""
    thread_ts: str = ""


_REFUSALS = {
    NoGateReason.DECIDED: "This has been decided already. Nothing has changed.",
    NoGateReason.EXPIRED: "This gate has expired. Nothing has changed.",
    NoGateReason.VOID: "What was to be approved has changed since; look for the new gate.",
    NoGateReason.NOT_A_STEWARD: "Only a steward of this desk can decide this.",
    NoGateReason.SELF_APPROVAL: "You asked this yourself, so another steward has to approve it.",
    NoGateReason.NOT_BY_REPLY: "A written reply cannot approve: press Approve.",
    NoGateReason.NO_WORDS: "A correction needs words.",
    NoGateReason.CHANGED: "What was to be approved has changed since you saw it.",
    NoGateReason.NOT_SHOWN_WHOLE: "It is too long to be shown whole: correct it or reject it.",
}

GONE = "There is nothing here that waits for a decision. Nothing has changed."

SEVERAL_WAIT = (
    "More than one thing waits for a decision here: press a button under the one you mean. "
    "Nothing has changed."
)


def refusal(reason: NoGateReason) -> str:
    """Why an act changed nothing, in words for the person who made it."""
    return _REFUSALS[reason]


def act_of_sign(name: str) -> GateAct | None:
    """What a reaction means at a gate, whatever its skin tone; None for any but the agreed ones."""
    plain = name.partition("::")[0]
    if plain in APPROVING:
        return GateAct.APPROVE
    return GateAct.REJECT if plain in REJECTING else None


async def tell(tx: Transaction, move: GateMove, text: str) -> None:
    """Tell the actor alone."""
    if not move.channel_id:
        return
    place = Destination(move.team_id, move.channel_id, move.thread_ts, move.user_id)
    await tx.outbox.add(NewOutbox(OutboxKind.EPHEMERAL, place, Body(text=text)))
    await tx.jobs.deliver(move.team_id, move.channel_id)
