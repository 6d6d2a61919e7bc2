"""What do the use cases need of suggested corrections?"""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from hivebot.services.records.suggestions import NewSuggestion, SuggestionRow, SuggestionState


class Suggestions(Protocol):
    """Corrections that wait for a steward."""

    async def add(self, new: NewSuggestion) -> SuggestionRow | None:
        """Keep one; None when this person has one open about this answer."""
        ...

    async def lock(self, suggestion_id: int) -> SuggestionRow | None:
        """Lock and read one row."""
        ...

    async def of_answer(self, message_id: int) -> tuple[SuggestionRow, ...]:
        """Every one about an answer, oldest first."""
        ...

    async def by_user(self, user_id: str) -> tuple[SuggestionRow, ...]:
        """Every one of a person, oldest first."""
        ...

    async def link(self, suggestion_id: int, post_id: int) -> None:
        """Record the outbox row of the line that shows it."""
        ...

    async def end(
        self, suggestion_id: int, state: SuggestionState, at: datetime, actor_user_id: str = ""
    ) -> bool:
        """Move an open one to its end; False when it has ended before."""
        ...

    async def blank(self, suggestion_id: int) -> None:
        """Erase its words and whose they were."""
        ...
