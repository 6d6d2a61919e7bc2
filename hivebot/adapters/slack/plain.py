"""How does data become text that Slack reads as nothing but text?

Source: rights.md 5, product.md 7, slack.md 6.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from hivebot.adapters.slack.text import WORD_JOINER, escape

_UNSENT: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_HALVES: Final = re.compile("[\ud800-\udfff]")
_ACTIVE: Final = re.compile("[&<>@]")
_SPECIAL: Final = re.compile(r"@(?=(?:here|channel|everyone)\b)", re.IGNORECASE)
_BLANKS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u2800\u3164\uffa0")
_SUSPECT: Final = re.compile(r"[^\n\t -~]")
_TYPOGRAPHIC: Final = frozenset("\u00a0\u202f\u3000")
_EMOJI_STYLE: Final = "\ufe0f"
_EMOJI_JOINER: Final = "\u200d"


def sendable(text: str) -> str:
    """The text with line ends as line feeds, without control characters and half surrogates."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _HALVES.sub("\ufffd", _UNSENT.sub("", text))


def plain(text: str) -> str:
    """Data as mrkdwn in which no token and no special mention is active."""
    if _ACTIVE.search(text) is None:
        return text
    return escape(_SPECIAL.sub(f"@{WORD_JOINER}", text))


def code(text: str) -> str:
    """Data as one line of inline code, invisible characters made visible; "" for blank text."""
    line = reveal(" ".join(text.split("\n"))).replace("`", "\u02cb")
    return f"`{escape(line)}`" if line.strip() else ""


def reveal(text: str) -> str:
    """The text with invisible, bidirectional and odd space characters written as `⟨U+202E⟩`.

    Line feeds, tabs, spaces that typesetting uses, and the two invisible characters inside of an
    emoji stay. Source: product.md 7.
    """
    if text.isascii() and text.isprintable():
        return text
    return _SUSPECT.sub(
        lambda match: (
            f"⟨U+{ord(match[0]):04X}⟩" if _is_hidden(text, match.start(), match[0]) else match[0]
        ),
        text,
    )


def _is_hidden(text: str, at: int, character: str) -> bool:
    if character in _TYPOGRAPHIC:
        return False
    if character in {_EMOJI_STYLE, _EMOJI_JOINER}:
        return not _inside_emoji(text, at, character)
    kind = unicodedata.category(character)
    selector = "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
    return kind[0] in "CZ" or selector or character in _BLANKS


def _inside_emoji(text: str, at: int, character: str) -> bool:
    before = text[at - 1] if at else ""
    if character == _EMOJI_STYLE:
        return _is_picture(before)
    after = text[at + 1 : at + 2]
    return (_is_picture(before) or before == _EMOJI_STYLE) and _is_picture(after)


def _is_picture(character: str) -> bool:
    return bool(character) and (
        unicodedata.category(character) == "So" or "\U0001f3fb" <= character <= "\U0001f3ff"
    )


def is_blank(text: str) -> bool:
    """Whether a reader would see nothing."""
    return all(
        character.isspace() or unicodedata.category(character)[0] == "C" or character in _BLANKS
        for character in text
    )


def cut(text: str, most: int) -> str:
    """The text, or its first `most` characters with an ellipsis as the last."""
    return text if len(text) <= most else text[: most - 1] + "…"
