"""What does one rung of the validator find, and what does it make of it?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from hivebot.adapters.llm.sight import Sight, sight_of
from hivebot.adapters.llm.validate.limits import Limits
from hivebot.services.records.asking import TurnRequest
from hivebot.services.records.replies import CommitTurn, DeliberateTurn, PositionTurn, Reply, Stance


@dataclass(frozen=True, slots=True)
class Case:
    """What a reply is held against."""

    request: TurnRequest
    sight: Sight
    limits: Limits

    @classmethod
    def of(cls, request: TurnRequest, limits: Limits | None = None) -> Case:
        """Prepare the case of a request."""
        return cls(request, sight_of(request), limits or Limits.of(request))

    def numbers(self) -> str:
        """Name the messages that may be cited."""
        return ", ".join(str(number) for number in self.sight.by_number)

    def options(self) -> str:
        """Name the listed options."""
        return ", ".join(option.id for option in self.request.options)


@dataclass(frozen=True, slots=True)
class Finding:
    """What one rung made of a reply.

    Attributes:
        reply: Mended, or as it was.
        fault: What to tell the model, naming the legal values; "" when nothing was wrong that the
            model could do better.
        uncounted: A move was lost: it is prose now.
        notes: What is said beside the row.
    """

    reply: Reply
    fault: str = ""
    uncounted: bool = False
    notes: tuple[str, ...] = field(default=())


Rung: TypeAlias = Callable[[Case, Reply], Finding]


def as_prose(reply: Reply) -> Reply:
    """Take the move out of a reply; its reason is prose then.

    Source: turns.md 3, "the move becomes prose".
    """
    match reply:
        case PositionTurn():
            return replace(reply, option="", new_option="")
        case DeliberateTurn():
            return replace(reply, stance=Stance.NONE, option="", target=0, cites=())
        case CommitTurn():
            return replace(reply, agree=False, cites=())
        case _:
            return reply


def lost(reply: Reply, fault: str) -> Finding:
    """Say that a move cannot count."""
    return Finding(as_prose(reply), fault, uncounted=True)
