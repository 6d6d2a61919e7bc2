"""What can readers do with an answer? The menu under it, and the same as buttons.

Shared by whoever shows an answer and whoever takes a choice. Source: product.md 7.
"""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import Final

from hivebot.services.records.outgoing import Button, Choice, Menu

ANSWER_MENU: Final = "answer_menu"
_ROW: Final = "m"
TAKE: Final = "suggestion_take"
DISMISS: Final = "suggestion_dismiss"


class Deed(StrEnum):
    """One choice of the menu."""

    CORRECT = "correct"
    ELSEWHERE = "elsewhere"
    MORE = "more"
    WHY = "why"
    REMOVE = "remove"


_LABELS: Final = MappingProxyType(
    {
        Deed.CORRECT: "Correct",
        Deed.ELSEWHERE: "Not for us: ask another desk",
        Deed.MORE: "Say more",
        Deed.WHY: "Why this speaker?",
        Deed.REMOVE: "Remove",
    }
)


def answer_of(turn_id: int) -> str:
    """How the answer of a turn is referred to."""
    return str(turn_id)


def decision_of(message_id: int) -> str:
    """How a desk's decision is referred to, which is nobody's turn: by its row."""
    return f"{_ROW}{message_id}"


def row_of(about: str) -> int | None:
    """The row of a decision that is referred to; None for anything else."""
    return whole(about.removeprefix(_ROW)) if about.startswith(_ROW) else None


def answer_menu(about: str) -> Menu:
    """The menu under an answer, or under a decision."""
    return Menu(
        ANSWER_MENU,
        tuple(Choice(label, f"{deed.value}:{about}") for deed, label in _LABELS.items()),
    )


def menu_buttons(about: str) -> tuple[Button, ...]:
    """The same choices, for a message to one person."""
    return tuple(
        Button(f"{ANSWER_MENU}:{deed.value}", label, f"{deed.value}:{about}")
        for deed, label in _LABELS.items()
    )


def parse_choice(value: str) -> tuple[Deed, str] | None:
    """(choice, what it is about) of what came back, or None for anything else."""
    word, _, about = value.partition(":")
    if word not in {deed.value for deed in Deed} or (row_of(about) or whole(about)) is None:
        return None
    return Deed(word), about


def whole(text: str) -> int | None:
    """A row's id, or None for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
