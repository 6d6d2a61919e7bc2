"""Which words of a text carry its content?

Source: briefed.md, "Single answers".
"""

from __future__ import annotations

import re
from typing import Final

_MENTION: Final = re.compile(r"<[@#!][^>\s]*>|(?<![\w.])@#?[\w-]+")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")

_STOP: Final = (
    "about after again all also and any are ask been before being both but can could did does "
    "doing done down each else ever every few for from get got had has have having her here "
    "him his how into its just know let like long may more most much must near need not now "
    "off one only other our out over own please said same say see she should some such tell "
    "than that the their them then there these they this those through too under until upon "
    "use very want was way were what when where which while who whom why will with would yes "
    "yet you your"
)
STOP_WORDS: Final = frozenset(_STOP.split())


def content_words(text: str) -> frozenset[str]:
    """Give the content words: lower case, three letters or more, no stop word, no plural s."""
    return frozenset(
        _singular(word) for word in _WORD.findall(_MENTION.sub(" ", text).lower())
        if word not in STOP_WORDS
    )  # fmt: skip


def without_mentions(text: str) -> str:
    """Give a question as one line that stands alone: whom it was put to is not part of it."""
    return " ".join(_MENTION.sub(" ", text).split()).lstrip(",:;- ")


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word
