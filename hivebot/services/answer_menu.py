"""What can readers do with an answer? The menu under it, and the same as buttons.

Shared by whoever shows an answer and whoever takes a choice. Source: product.md 7.
"""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import Final

from hivebot.services.records.outgoing import Button, Choice, Menu

ANSWER_MENU: Final = "answer_menu"
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


def answer_menu(turn_id: int) -> Menu:
    """The menu under the answer of a turn."""
    return Menu(
        ANSWER_MENU,
        tuple(Choice(label, f"{deed.value}:{turn_id}") for deed, label in _LABELS.items()),
    )


def menu_buttons(turn_id: int) -> tuple[Button, ...]:
    """The same choices, for a message to one person."""
    return tuple(
        Button(f"{ANSWER_MENU}:{deed.value}", label, f"{deed.value}:{turn_id}")
        for deed, label in _LABELS.items()
    )


def parse_choice(value: str) -> tuple[Deed, int] | None:
    """(choice, turn id) of what came back, or None for anything else."""
    word, _, number = value.partition(":")
    if word not in {deed.value for deed in Deed} or (turn_id := whole(number)) is None:
        return None
    return Deed(word), turn_id


def whole(text: str) -> int | None:
    """A row's id, or None for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
