"""How is free text made harmless to the folds, and short enough?

A fold reads a marker at the head of a line and the slots behind it; nothing a model or a person
typed may look like either. Source: turns.md 3 and 4.
"""

from __future__ import annotations

import re
from typing import Final

from hivebot.hive.scalars import trim, trim_start, words

WORD_JOINER: Final = "\u2060"
"""Invisible and no white space: what follows it no longer leads a word or a line."""

CUT_MARK: Final = " […]"

_SLOTS: Final = ("#", ">", "^")
_SENTENCE_END: Final = re.compile(r"[.!?…](?=\s|$)")


def inert(text: str) -> str:
    """Make one line of a text, in which no word fills a slot of a marker line.

    Source: turns.md 3, "free text passes `inert`".
    """
    return " ".join(
        WORD_JOINER + word if word.startswith(_SLOTS) else word for word in words(_storable(text))
    )


def prose(text: str) -> str:
    """Keep the lines of a text, none of which leads with a marker; blank ends are cut.

    Source: turns.md 3, "prose passes `prose`".
    """
    return "\n".join(_unmarked(line) for line in trim(_storable(text)).split("\n"))


def uncoded(text: str) -> str:
    """Take the marks of code out of a text, so that none of it hides what follows."""
    return text.replace("`", "'").replace("~~", f"~{WORD_JOINER}~")


def plain(text: str) -> str:
    """Make one line of a text as people read it. The joiners of `inert` are gone."""
    return " ".join(words(_storable(text).replace(WORD_JOINER, "")))


def sentence(text: str) -> str:
    """Make a sentence of a fact's text: one line, a capital in front, a full stop behind."""
    line = plain(text)
    ended = line if line.endswith((".", "!", "?", "…")) else f"{line}."
    return ended[:1].upper() + ended[1:]


def shortened(text: str, limit: int) -> str:
    """Cut a text to at most `limit` characters, at the end of a sentence where there is one.

    A cut text ends with `CUT_MARK`. A sentence end is looked for in the second half only, so that
    one early full stop does not cost the whole text.

    Source: turns.md 3, "cut at a sentence, marked".
    """
    if len(text) <= limit:
        return text
    room = max(0, limit - len(CUT_MARK))
    head = text[:room]
    ends = [match.end() for match in _SENTENCE_END.finditer(head) if match.end() > room // 2]
    kept = head[: ends[-1]] if ends else (head.rsplit(" ", 1)[0] if " " in head else head)
    return kept.rstrip() + CUT_MARK


def _storable(text: str) -> str:
    """Drop U+0000, which no text column holds."""
    return text.replace("\0", "")


def _unmarked(line: str) -> str:
    led = trim_start(line)
    if not led.startswith("!"):
        return line
    return line[: len(line) - len(led)] + WORD_JOINER + led
