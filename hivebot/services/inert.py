"""Which words of people do nothing here? Their text with a character in it that nobody sees.

Source: turns.md 4, rights.md 5.
"""

from __future__ import annotations

import re
from typing import Final

from hivebot.hive.scalars import is_white_space

WORD_JOINER: Final = "\u2060"
"""Put where a character would otherwise mark or name something; invisible to people."""

_NAMING: Final = re.compile(r"(?<![\w.+-])@(?=\S)")


def inert_marks(text: str) -> str:
    """The same words, none of whose lines is read as a trace."""
    return "\n".join(_inert_line(line) for line in text.split("\n"))


def inert_names(text: str) -> str:
    """The same words, which name nobody; addresses like `a@b.c` are left alone."""
    return _NAMING.sub(f"@{WORD_JOINER}", text)


def one_line(text: str) -> str:
    """Words that stand in a line of ours, of which they cannot begin another."""
    return " ".join(text.split())


def inert_label(name: str) -> str:
    """A name from outside, such as a file's: one line, which names nobody."""
    return inert_names(one_line(name))


def _inert_line(line: str) -> str:
    at = next((n for n, character in enumerate(line) if not is_white_space(character)), len(line))
    return f"{line[:at]}{WORD_JOINER}{line[at:]}" if line[at : at + 1] == "!" else line
