"""Where is a gate shown, and who else is told that it waits?

Source: product.md 3 and 7, rights.md 2.
"""

from __future__ import annotations

from hivebot.hive.gate import GateKind
from hivebot.services import lines
from hivebot.services.endings import retell
from hivebot.services.gating import (
    PRIVATE_DESK,
    asks_from_outside,
    gate_body,
    reminder,
    waits_line,
)
from hivebot.services.ports import NewOutbox, Transaction
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.gates import GateRow
from hivebot.services.records.outgoing import Body, Destination, OutboxKind
from hivebot.services.records.policy import DeskConfig
from hivebot.services.records.rows import ConversationRow, OutboxRow, ReferralState, TurnKind


async def show(tx: Transaction, gate: GateRow, desk: DeskConfig) -> None:
    """Post the gate; where that is not the thread concerned, say there that it waits."""
    thread = await _thread(tx, gate)
    place = place_of(gate, desk, thread)
    post = await _say(tx, place, gate_body(gate, desk, origin_of(gate, thread)))
    await tx.gates.link(gate.id, post_id=post.id)
    here = Destination(thread.team_id, thread.channel_id, thread.thread_ts)
    if place != here and gate.kind is not GateKind.DECISION_REVIEW:
        status = await _say(tx, here, waits_line(desk.id, gate.expires_at))
        await tx.gates.link(gate.id, status_id=status.id)
    await _tell_asker(tx, gate)


async def remind(tx: Transaction, gate: GateRow, desk: DeskConfig) -> None:
    """Call the stewards again, under the gate's own message; an edit would ping nobody."""
    if gate.post_id is None:
        return
    thread = await _thread(tx, gate)
    place = place_of(gate, desk, thread)
    body = reminder(gate, desk, origin_of(gate, thread))
    await _say(tx, place, body, thread_of=None if place.thread_ts else gate.post_id)


def place_of(gate: GateRow, desk: DeskConfig, thread: ConversationRow) -> Destination:
    """The desk's gate channel; else the thread concerned, or the desk's own channel."""
    if desk.gates.channel:
        return Destination(gate.team_id, desk.gates.channel)
    if thread.desk_id == desk.id:
        return Destination(thread.team_id, thread.channel_id, thread.thread_ts)
    return Destination(gate.team_id, desk.channel)


def origin_of(gate: GateRow, thread: ConversationRow) -> str:
    """What the asking desk is called where the gate is shown: a private one is named to nobody."""
    if asks_from_outside(gate) and thread.audience is not Audience.PUBLIC:
        return PRIVATE_DESK
    return f"#{gate.task_type.partition('>')[0]}"


async def _tell_asker(tx: Transaction, gate: GateRow) -> None:
    """Whoever waits for a held answer on another desk reads there why it takes so long."""
    turn = await tx.turns.get(gate.turn_id) if gate.turn_id is not None else None
    if turn is None or turn.kind is not TurnKind.REFERRED or turn.referral_id is None:
        return
    owed = await tx.referrals.lock(turn.referral_id)
    if owed.status_id is None or owed.state not in (ReferralState.WAITING, ReferralState.ASKED):
        return
    line = await retell(
        tx, owed.status_id, lines.held_there(owed.to_desk_id, gate.expires_at, owed.reference)
    )
    await tx.jobs.deliver(line.destination.team_id, line.destination.channel_id)


async def _thread(tx: Transaction, gate: GateRow) -> ConversationRow:
    thread = await tx.conversations.get(gate.conversation_id)
    if thread is None:  # pragma: no cover - a foreign key forbids it
        raise LookupError(gate.conversation_id)
    return thread


async def _say(
    tx: Transaction, place: Destination, body: Body, *, thread_of: int | None = None
) -> OutboxRow:
    row = await tx.outbox.add(NewOutbox(OutboxKind.LINE, place, body, thread_of=thread_of))
    await tx.jobs.deliver(place.team_id, place.channel_id)
    return row
