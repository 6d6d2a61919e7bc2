"""What do the use cases need of time, of work for later, and of what is in force?"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from hivebot.services.records.policy import Configuration


class Clock(Protocol):
    """The only source of now."""

    def now(self) -> datetime:
        """The current moment, aware, in UTC."""
        ...


class Jobs(Protocol):
    """Jobs deferred in this unit of work; they exist when it commits."""

    async def route(self, conversation_id: int) -> None:
        """Decide in this conversation."""
        ...

    async def route_each(self, conversation_ids: Sequence[int]) -> None:
        """Decide in each of these conversations."""
        ...

    async def speak(self, turn_id: int, conversation_id: int) -> None:
        """Run a turn's model call."""
        ...

    async def deliver(self, team_id: str, channel_id: str, at: datetime | None = None) -> None:
        """Send the channel's queue, now or at a moment."""
        ...

    async def open_gate(self, gate_id: int, desk_id: str) -> None:
        """Show a gate to its stewards."""
        ...

    async def settle_gate(self, gate_id: int, desk_id: str) -> None:
        """Carry out what was decided at a gate."""
        ...


class Policies(Protocol):
    """The configuration in force, and earlier revisions for work that began under them."""

    def current(self) -> Configuration:
        """The revision in force."""
        ...

    async def revision(self, revision: str) -> Configuration:
        """The revision some work began with; the current one when it is unknown."""
        ...
