"""What is wrong with a reply first, and what is left of it when everything is mended?

The rungs, in the order of the table; each works on what those before it left:

1. numbers are visible;
2. support, objection, refutation and commitment cite;
3. options are listed;
4. proposals and supports have an option, objections a target;
5. deferrals and refutations are of something;
6. texts are short enough;
7. questions go to a desk that is listed;
8. there is anything in it.

Source: turns.md 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hivebot.adapters.llm.validate.finding import Case, Rung
from hivebot.adapters.llm.validate.limits import Limits
from hivebot.adapters.llm.validate.numbers import citations, visible_numbers
from hivebot.adapters.llm.validate.options import listed_options, movable, yielding
from hivebot.adapters.llm.validate.texts import askable, holds_something, lengths, something
from hivebot.services.records.asking import TurnRequest
from hivebot.services.records.replies import Reply

_RUNGS: Final[tuple[Rung, ...]] = (
    visible_numbers,
    citations,
    listed_options,
    movable,
    yielding,
    lengths,
    askable,
    something,
)


@dataclass(frozen=True, slots=True)
class Mended:
    """A reply that may be committed.

    Attributes:
        faulty: Something was wrong that a model could do better.
        uncounted: A move was lost: it is prose now.
        notes: What is said beside the row.
        empty: Nothing of it would be shown.
    """

    reply: Reply
    faulty: bool
    uncounted: bool
    notes: tuple[str, ...]
    empty: bool


def first_fault(request: TurnRequest, reply: Reply, limits: Limits | None = None) -> str:
    """Say what to tell the model about its reply, naming the legal values; "" if it may stand.

    Args:
        request: What the turn was asked.
        reply: The schema as the model filled it.
        limits: None is the turn's own.
    """
    case = Case.of(request, limits)
    for rung in _RUNGS:
        found = rung(case, reply)
        if found.fault:
            return found.fault
        reply = found.reply
    return ""


def mend(request: TurnRequest, reply: Reply, limits: Limits | None = None) -> Mended:
    """Mend everything; a reply without faults comes back as it was. Arguments as above."""
    case = Case.of(request, limits)
    faulty = uncounted = False
    notes: list[str] = []
    for rung in _RUNGS:
        found = rung(case, reply)
        reply = found.reply
        faulty = faulty or bool(found.fault)
        uncounted = uncounted or found.uncounted
        notes.extend(found.notes)
    return Mended(reply, faulty, uncounted, tuple(notes), empty=not holds_something(case, reply))
