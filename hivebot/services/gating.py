"""How does something come to wait for a steward, and how does it look to one?

Shared by every use case that can raise a gate; works inside the caller's transaction. The artifact
is data: it is shown as a plain quote with invisible characters made visible. Source: product.md 7.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import accumulate, takewhile
from typing import Final

from hivebot.hive.gate import GateAct, GateKind, GateState
from hivebot.proxy.calibration import Guard
from hivebot.proxy.chunks import Outcome
from hivebot.services.ports import Transaction
from hivebot.services.records.gates import GateRow, NewGate
from hivebot.services.records.outgoing import Body, Button, Quote
from hivebot.services.records.policy import Configuration, DeskConfig, OnExpiry
from hivebot.services.records.predictions import GatePrediction
from hivebot.services.stewards import called

APPROVE = "gate_approve"
CORRECT = "gate_correct"
REJECT = "gate_reject"

WHOLE_MAX = 2_600
"""Room of an artifact that one message surely shows; above it nothing can be approved."""

QUESTION_MAX = 400
"""Room of the question above it, which is cut."""

PRIVATE_DESK = "a private desk"
"""How a desk is named to people who cannot see its channel."""

CORRECTED = "Corrected by a steward"
"""Small print under words that are a steward's and not the desk's."""

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

_SAID: Final = "Said"
_WOULD: Final = {
    Outcome.APPROVE.value: "approve",
    Outcome.CORRECT.value: "correct",
    Outcome.REJECT.value: "reject",
    Outcome.WITHDRAW.value: "take back",
    Outcome.CLARIFY.value: "ask about",
}
_GUARDS: Final = {
    Guard.COLD_START: "It has seen too few kinds of decisions to be surer.",
    Guard.GENUINE_TENSION: "What it remembers contradicts itself.",
    Guard.STALENESS: "Nothing of this kind was decided for a week.",
    Guard.EXPLORATION: "Chance decided that it asks, to go on learning.",
    Guard.ACCURACY: "It was wrong too often here.",
}
TOO_LONG: Final = "It is too long to be shown whole, so it can only be corrected or rejected here."

_ESCAPED: Final = {"&": 5, "<": 4, ">": 4, "\n": 6}
_REVEALED = 10
"""Room of a character that is shown as its number."""

_UNSEEN: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u2800\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)

_ORDER: Final = re.compile(
    r"(?P<act>correct(?=\s*:)|reject|approved?)\s*(?:(?::|[,.!]+)\s*(?P<words>.*))?",
    re.DOTALL | re.IGNORECASE,
)


def waiting_times(desk: DeskConfig, now: datetime) -> tuple[datetime, datetime]:
    """When a gate of this desk reminds, at half its life, and when it ends."""
    life = timedelta(seconds=desk.gates.expires_s)
    return now + life / 2, now + life


async def raise_gate(tx: Transaction, new: NewGate) -> GateRow | None:
    """Open a gate and have it shown; None when one of this kind waits about this row already."""
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
    return _beginning(gate.artifact, WHOLE_MAX) == gate.artifact


def gate_body(gate: GateRow, desk: DeskConfig, origin: str) -> Body:
    """The gate's message: whom it waits for, what it is about, and what can be done.

    `origin` is what the desk it came from may be called here.
    """
    value = f"{gate.id}:{gate.digest}"
    whole = shown_whole(gate)
    buttons = [
        Button(APPROVE, "Approve", value, "primary"),
        Button(CORRECT, "Correct", value),
        Button(REJECT, "Reject", value, "danger"),
    ]
    users, groups = called(desk)
    told = [
        "" if whole else TOO_LONG,
        "" if gate.prediction is None else predicted_line(gate.prediction),
    ]
    return Body(
        text="\n".join(line for line in told if line),
        heading=_title(gate, origin),
        mention_users=users,
        mention_groups=groups,
        quotes=_quotes(gate),
        small=f"Waits until {_moment(gate.expires_at)}",
        buttons=tuple(buttons if whole else buttons[1:]),
    )


def predicted_line(said: GatePrediction) -> str:
    """What the proxy would have decided, on what it rests, and what it came across."""
    would = _WOULD.get(said.decision, "")
    if not would:
        told = "The proxy cannot say how this would be decided."
    else:
        resting = f", from {_counted(len(said.used))}" if said.used else ""
        told = f"The proxy would {would} this ({said.confidence:.0%} sure{resting})."
        if said.guard is not Guard.NONE:
            told += f" {_GUARDS[said.guard]}"
    found = f"{said.survivors} of {_counted(said.candidates)} of this kind came to mind."
    return f"{told} {found}" if said.candidates else f"{told} It remembers none of this kind."


def _counted(memories: int) -> str:
    return "1 memory" if memories == 1 else f"{memories} memories"


def reminder(gate: GateRow, desk: DeskConfig, origin: str) -> Body:
    """Calls the stewards again; it shows nothing of what waits, which stands above it."""
    users, groups = called(desk)
    return Body(
        text=f"It waits above until {_moment(gate.expires_at)}.",
        heading=f"Reminder: {_title(gate, origin)}",
        mention_users=users,
        mention_groups=groups,
    )


def ended_body(gate: GateRow, actor: str, origin: str) -> Body:
    """What the gate's message becomes: how it ended and by whom; nothing to press."""
    by = f" by {actor}" if actor else ""
    said = (Quote(_SAID, "", "", gate.words, plain=True, named=True),) if gate.words else ()
    return Body(
        text="",
        heading=f"{_ENDS[gate.state]}{by} · {_about(gate, origin)}",
        quotes=(*_quotes(gate), *said),
    )


def without_actor(ended: Body) -> Body:
    """The message of an ended gate without its steward's name and words."""
    end = next((end for end in _ENDS.values() if ended.heading.startswith(f"{end} by ")), "")
    heading = f"{end} · {ended.heading.rpartition(' · ')[2]}" if end else ended.heading
    quotes = tuple(quote for quote in ended.quotes if quote.author != _SAID)
    return replace(ended, heading=heading, quotes=quotes)


def kind_of(gate: GateRow) -> str:
    """What waits, in a sentence that names no desk and shows nothing of it."""
    if asks_from_outside(gate):
        return "A question of another desk wants to come in"
    return _TITLES[gate.kind]


def asks_from_outside(gate: GateRow) -> bool:
    """Whether another desk's question waits to come in, rather than this desk's to go out."""
    return gate.kind is GateKind.REFERRAL_REVIEW and gate.task_type.endswith(f">{gate.desk_id}")


def _title(gate: GateRow, origin: str) -> str:
    return f"{kind_of(gate)} · {_about(gate, origin)}"


def _about(gate: GateRow, origin: str) -> str:
    if gate.kind is not GateKind.REFERRAL_REVIEW:
        return f"#{gate.desk_id}"
    return f"{origin} to #{gate.task_type.partition('>')[2]}"


def _quotes(gate: GateRow) -> tuple[Quote, ...]:
    shown = Quote("To be decided", "", "", _beginning(gate.artifact, WHOLE_MAX), plain=True)
    if not gate.question or asks_from_outside(gate):
        # whoever is asked sees what would cross, and nothing else that was said over there
        return (shown,)
    question = _beginning(gate.question, QUESTION_MAX)
    cut = "" if question == gate.question else "…"
    return (Quote("The question", "", "", question + cut, plain=True, named=True), shown)


def _beginning(text: str, room: int) -> str:
    """As much of the text as the room surely holds, however it is shown."""
    spent = accumulate(_room(character) for character in text)
    return text[: sum(1 for _ in takewhile(lambda total: total <= room, spent))]


def _room(character: str) -> int:
    if character in _ESCAPED:
        return _ESCAPED[character]
    hidden = not character.isprintable() or _UNSEEN.match(character) is not None
    return _REVEALED if hidden and character != "\t" else 1


def _moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def waits_line(desk_id: str, until: datetime) -> Body:
    """Says in the asking thread that it waits, for whom, and until when."""
    return Body(text=f"Waits for a steward of #{desk_id} until {_moment(until)}")


def ended_line(desk_id: str, state: GateState) -> Body:
    """What that line becomes."""
    if state is GateState.EXPIRED:
        return Body(text=f"No steward of #{desk_id} decided in time")
    if state is GateState.VOID:
        return Body(text=f"{_ENDS[state]}; nobody has to decide it any more")
    return Body(text=f"{_ENDS[state]} by a steward of #{desk_id}")


def not_released(state: GateState, words: str) -> str:
    """Why something was not let through, in words for the person who asked."""
    if state is GateState.REJECTED:
        return f"a steward did not approve it{f' ({words})' if words else ''}"
    if state is GateState.VOID:
        return "it has changed since"
    return "no steward decided in time"


def correctable(gate: GateRow) -> str:
    """The words that a correction replaces, for the steward to change."""
    if gate.draft is not None:
        return gate.draft.body.text
    if gate.kind is GateKind.REFERRAL_REVIEW:
        return gate.artifact.removeprefix(referral_artifact(gate.task_type.partition(">")[2], ""))
    return ""


def referral_artifact(desk_id: str, question: str) -> str:
    """What is approved when a question is: the words that cross, and where to."""
    return f"To #{desk_id}: {question}"


def parse_value(value: str) -> tuple[int, str] | None:
    """(gate id, digest) of a button's value, or None for anything else."""
    number, _, digest = value.partition(":")
    if number.isascii() and number.isdigit() and len(number) < 19:
        return int(number), digest
    return None


def order_of(text: str) -> tuple[GateAct, str] | None:
    """(act, words) of a written reply that decides, or None for talk.

    `correct: …` gives the text that is to stand, `reject` and `reject: …` the reason. Approving in
    writing is recognised so that it can be refused. Anything longer is talk.
    """
    found = _ORDER.fullmatch(text.strip())
    if found is None:
        return None
    words = (found["words"] or "").strip()
    if found["act"].lower().startswith("approve"):
        return None if words else (GateAct.APPROVE, "")
    return GateAct(found["act"].lower()), words
