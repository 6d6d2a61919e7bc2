"""How does something come to wait for a steward, and how does it look to one?

Shared by every use case that can raise a gate; works inside the caller's transaction. The artifact
is data: it is shown as a plain quote with invisible characters made visible. Source: product.md 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from hivebot.hive.gate import GateKind, GateState
from hivebot.services.ports import NewGate, Transaction
from hivebot.services.records.gates import GateRow
from hivebot.services.records.outgoing import Body, Button, Quote
from hivebot.services.records.policy import Configuration, DeskConfig, OnExpiry

APPROVE = "gate_approve"
CORRECT = "gate_correct"
REJECT = "gate_reject"

WHOLE_MAX = 2_800
"""Characters of an artifact that one message surely shows; above it nothing can be approved."""

_TITLES = {
    GateKind.REFERRAL_REVIEW: "A question wants to leave this desk",
    GateKind.ANSWER_REVIEW: "An answer waits to be sent",
    GateKind.DECISION_REVIEW: "A decision waits to be told",
}

_ENDS = {
    GateState.APPROVED: "Approved",
    GateState.CORRECTED: "Corrected",
    GateState.REJECTED: "Rejected",
    GateState.EXPIRED: "Nobody decided in time",
    GateState.VOID: "What was to be approved has changed",
}


def waiting_times(desk: DeskConfig, now: datetime) -> tuple[datetime, datetime]:
    """When a gate of this desk reminds, at half its life, and when it ends."""
    life = timedelta(seconds=desk.gates.expires_s)
    return now + life / 2, now + life


async def raise_gate(tx: Transaction, new: NewGate) -> GateRow | None:
    """Open a gate and have it shown; None when this row has one already."""
    gate = await tx.gates.add(new)
    if gate is not None:
        await tx.jobs.open_gate(gate.id, gate.desk_id)
    return gate


def released(gate: GateRow, configuration: Configuration) -> bool:
    """Whether what the gate holds may go out: approved, corrected, or let go when it expired."""
    if gate.state in (GateState.APPROVED, GateState.CORRECTED):
        return True
    desk = configuration.desk(gate.desk_id)
    lets_go = desk is not None and desk.gates.on_expiry is OnExpiry.RELEASE
    return gate.state is GateState.EXPIRED and lets_go


def shown_whole(gate: GateRow) -> bool:
    """Whether the gate's message shows all there is to approve."""
    return len(gate.artifact) <= WHOLE_MAX


def gate_body(gate: GateRow, desk: DeskConfig, *, reminding: bool = False) -> Body:
    """The gate's message: whom it waits for, what it is about, and what can be done."""
    value = f"{gate.id}:{gate.digest}"
    whole = shown_whole(gate)
    buttons = [
        Button(APPROVE, "Approve", value, "primary"),
        Button(CORRECT, "Correct", value),
        Button(REJECT, "Reject", value, "danger"),
    ]
    title = _TITLES[gate.kind]
    if gate.kind is GateKind.REFERRAL_REVIEW and gate.task_type.endswith(f">{desk.id}"):
        title = "A question of another desk wants to come in"
    until = f"Waits until {gate.expires_at:%Y-%m-%d %H:%M} UTC"
    return Body(
        text=""
        if whole
        else "It is too long to be shown whole, so it can only be corrected or rejected here.",
        heading=f"{'Reminder: ' if reminding else ''}{title} · #{gate.task_type}",
        mention_users=tuple(one for one in desk.stewards if not one.startswith("S")),
        mention_groups=tuple(one for one in desk.stewards if one.startswith("S")),
        quotes=_quotes(gate),
        small=until,
        buttons=tuple(buttons if whole else buttons[1:]),
    )


def ended_body(gate: GateRow, actor: str) -> Body:
    """What the gate's message becomes: how it ended and by whom; nothing to press."""
    by = f" by {actor}" if actor else ""
    return Body(
        text=f"“{gate.words}”" if gate.words else "",
        heading=f"{_ENDS[gate.state]}{by} · #{gate.task_type}",
        quotes=_quotes(gate),
    )


def _quotes(gate: GateRow) -> tuple[Quote, ...]:
    asked = [Quote("The question", "", "", gate.question, plain=True)] if gate.question else []
    shown = gate.artifact[:WHOLE_MAX]
    return (*asked, Quote("To be decided", "", "", shown, plain=True))


def waits_line(desk_id: str, until: datetime) -> Body:
    """Says in the asking thread that it waits, for whom, and until when."""
    return Body(text=f"Waits for a steward of #{desk_id} until {until:%Y-%m-%d %H:%M} UTC")


def ended_line(desk_id: str, state: GateState) -> Body:
    """What that line becomes."""
    return Body(
        text=f"{_ENDS[state]} by a steward of #{desk_id}"
        if state is not GateState.EXPIRED
        else f"No steward of #{desk_id} decided in time"
    )


def not_released(state: GateState, words: str) -> str:
    """Why something was not let through, in words for the person who asked."""
    if state is GateState.REJECTED:
        return f"a steward did not approve it{f' ({words})' if words else ''}"
    if state is GateState.VOID:
        return "it has changed since"
    return "no steward decided in time"


def parse_value(value: str) -> tuple[int, str] | None:
    """(gate id, digest) of a button's value, or None for anything else."""
    number, _, digest = value.partition(":")
    if number.isascii() and number.isdigit() and len(number) < 19:
        return int(number), digest
    return None


def order_of(text: str, orders: Sequence[str] = ("correct", "reject")) -> tuple[str, str] | None:
    """(order, words) of a written reply that decides, or None for talk."""
    head, _, rest = text.strip().partition(":")
    word = head.strip().lower()
    if word in orders:
        return word, rest.strip()
    first, _, more = text.strip().partition(" ")
    return ("reject", more.strip()) if first.lower().strip(".!,") == "reject" else None
