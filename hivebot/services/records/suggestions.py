"""What is kept of a correction that somebody suggests who may not correct?

Source: product.md 7, rights.md 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class SuggestionState(StrEnum):
    """Only an open one can still be taken."""

    OPEN = "open"
    TAKEN = "taken"
    DISMISSED = "dismissed"
    VOID = "void"  # the answer has changed or gone


@dataclass(frozen=True, slots=True)
class NewSuggestion:
    """Words that somebody would put in place of an answer.

    Attributes:
        message_id: The answer's transcript row.
        revision: Of the answer as it stood.
    """

    team_id: str
    desk_id: str
    message_id: int
    revision: int
    user_id: str
    words: str


@dataclass(frozen=True, slots=True)
class SuggestionRow:
    """One suggestion.

    Attributes:
        post_id: Outbox row of the line that shows it to the stewards.
        actor_user_id: The steward who took or dismissed it.
    """

    id: int
    state: SuggestionState
    new: NewSuggestion
    post_id: int | None
    actor_user_id: str
    created_at: datetime
    ended_at: datetime | None
