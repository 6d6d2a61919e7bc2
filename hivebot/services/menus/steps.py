"""What does a choice come to, and what does it need first?

Source: product.md 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hivebot.services.answer_menu import Deed
from hivebot.services.records.asking import FarDesk


class MenuStep(StrEnum):
    """What a choice came to; for the log line."""

    DONE = "done"
    SUGGESTED = "suggested"
    REFUSED = "refused"
    SPENT = "spent"
    GONE = "gone"
    SHOWN = "shown"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Ask:
    """What is to be asked in a modal before a choice is carried out.

    Attributes:
        value: Comes back with the submission: the turn, and the revision of the answer.
        text: What stands now.
        decides: The person corrects; else they suggest.
        desks: Desks the question can be put to.
    """

    deed: Deed
    value: str
    text: str = ""
    decides: bool = False
    desks: tuple[FarDesk, ...] = ()


@dataclass(frozen=True, slots=True)
class Reasons:
    """Whose reasons are to be told: a turn's, or a deliberation's."""

    turn_id: int | None
    episode_id: int | None


@dataclass(frozen=True, slots=True)
class Removal:
    """What is to be removed: a row and the outbox rows that show it, by whom."""

    row_id: int
    posts: tuple[int, ...]
    name: str


@dataclass(frozen=True, slots=True)
class Words:
    """A correction as it was submitted; `value` is what the modal carried, never trusted."""

    team_id: str
    user_id: str
    value: str
    words: str
    teach: bool
