"""What shall go wrong, and how often?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from hivebot.sandbox.shapes import Json, as_map


class CallFault(BaseModel):
    """What the next ``times`` calls of a method meet instead of their answer.

    Attributes:
        method: Slack's method name, or ``*`` for any.
        answer: ``ratelimited`` is HTTP 429, ``status`` a bare HTTP error, ``error`` a refusal by
            name with HTTP 200, ``silence`` no answer until the caller gives up, ``drop`` a broken
            connection.
        applied: Whether the call took effect before the answer was lost.
        channel: Only calls with this ``channel`` argument, when not empty.
        retry_after_s: Header of a 429; None leaves the header out.
    """

    model_config = ConfigDict(extra="forbid")

    method: str
    answer: Literal["ratelimited", "status", "error", "silence", "drop"]
    times: int = Field(default=1, ge=1)
    applied: bool = False
    channel: str = ""
    status: int = Field(default=500, ge=400, le=599)
    error: str = "fatal_error"
    retry_after_s: int | None = 1


class EventFault(BaseModel):
    """What happens to the next ``times`` events of a type on their way to the app.

    Attributes:
        event: Type or message subtype, or ``*`` for any; ``message`` means posts without subtype.
        effect: ``duplicate`` sends copies under the same event id, ``reissue`` copies under fresh
            ids, ``hold`` keeps the event until it is released, ``lose`` never sends it.
        copies: How many copies beside the first.
    """

    model_config = ConfigDict(extra="forbid")

    event: str
    effect: Literal["duplicate", "reissue", "hold", "lose"]
    times: int = Field(default=1, ge=1)
    copies: int = Field(default=1, ge=1)


@dataclass(slots=True)
class FaultBook:
    """The faults that are still to come, oldest first."""

    calls: list[CallFault] = field(default_factory=list[CallFault])
    events: list[EventFault] = field(default_factory=list[EventFault])

    def for_call(self, method: str, channel: str) -> CallFault | None:
        """Return the fault of this call and use it up."""
        for fault in self.calls:
            if fault.method in {method, "*"} and fault.channel in {"", channel}:
                fault.times -= 1
                self.calls = [one for one in self.calls if one.times > 0]
                return fault
        return None

    def for_event(self, body: Json) -> EventFault | None:
        """Return the fault of this event and use it up."""
        event = as_map(body.get("event"))
        name = event.get("subtype") or event.get("type")
        for fault in self.events:
            if fault.event in {name, "*"}:
                fault.times -= 1
                self.events = [one for one in self.events if one.times > 0]
                return fault
        return None

    def clear(self) -> None:
        """Forget every fault."""
        self.calls.clear()
        self.events.clear()
