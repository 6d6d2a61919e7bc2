"""What may be printed on a terminal? Words that cannot move the cursor."""

from __future__ import annotations

_UNPRINTABLE = "\N{REPLACEMENT CHARACTER}"


def printable(text: str) -> str:
    """Replace what a terminal would obey rather than show; line ends stay."""
    return "".join(
        character if character.isprintable() or character == "\n" else _UNPRINTABLE
        for character in text
    )
