"""Between which options does a question ask to decide? Slugs, and the options a person wrote."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hivebot.hive.scalars import utf8

OPTIONS_MIN: Final = 2
OPTIONS_MAX: Final = 8
SLUG_MAX: Final = 24
TEXT_MAX: Final = 200

_NOT_SLUG: Final = re.compile(r"[^a-z0-9]+")
_WRITTEN: Final = re.compile(rb"(?<![^\s(\[{,;:/])#([A-Za-z0-9][A-Za-z0-9-]*)")
_CHANNEL_ID: Final = re.compile(r"[CGD][A-Z0-9]{4,}")
_SENTENCE: Final = re.compile(r"[ \t]*(?::|-|–|—)[ \t]+([^\n]+)")


@dataclass(frozen=True, slots=True)
class Option:
    """One of the two to eight things an episode decides between.

    Attributes:
        id: Slug, 1 to 24 of `a-z 0-9 -`.
        text: One line.

    Source: turns.md 1.
    """

    id: str
    text: str


class NoOptionReason(StrEnum):
    """Why a member's words become no option of their own.

    Attributes:
        NAMELESS: No slug can be made of them.
        SAME: This very option is there already.
        TAKEN: Another option has the slug or the text.
        FULL: There are as many options as there may be.

    Source: turns.md 1.
    """

    NAMELESS = "nameless"
    SAME = "same"
    TAKEN = "taken"
    FULL = "full"


def slug(text: str) -> str:
    """Give the slug of a text: lower case, every other run one hyphen; "" when nothing is left.

    Source: turns.md 1.
    """
    return _hyphened(text)[:SLUG_MAX].strip("-")


def distinct(options: Iterable[Option]) -> tuple[Option, ...]:
    """Keep the first of options with one slug or one text; drop those without a slug.

    The ids are slugged, texts are cut to one line of at most 200 characters.

    Source: turns.md 1.
    """
    kept: dict[str, Option] = {}
    texts: set[str] = set()
    for option in options:
        name = slug(option.id)
        text = _one_line(option.text) or name.replace("-", " ")
        if name and name not in kept and text.lower() not in texts:
            kept[name] = Option(name, text)
            texts.add(text.lower())
    return tuple(kept.values())


def minted(options: Iterable[Option], text: str) -> Option | NoOptionReason:
    """Make an option of a member's words, or say why not; the first that applies.

    1. no slug can be made of them: nameless;
    2. an option has both the slug and the text: same;
    3. an option has one of the two: taken;
    4. there are `OPTIONS_MAX` already: full.

    Texts are one when they differ in case and punctuation only.

    Source: turns.md 1.
    """
    new = Option(slug(text), _one_line(text))
    if not new.id:
        return NoOptionReason.NAMELESS
    words = _hyphened(new.text)
    present = {option.id: _hyphened(option.text) for option in options}
    if present.get(new.id) == words:
        return NoOptionReason.SAME
    if new.id in present or words in present.values():
        return NoOptionReason.TAKEN
    return new if len(present) < OPTIONS_MAX else NoOptionReason.FULL


def written_options(question: str, in_code: Callable[[int], bool]) -> tuple[Option, ...]:
    """Give the options a person wrote as `#revert or #ship?`, in order, outside code.

    A name that stands first on its line and is followed by a colon or a dash has the rest of the
    line as its text. A channel's id is no option, nor is a desk's name after `@#`.

    Args:
        question: The person's words.
        in_code: Whether a byte offset of them lies in code.

    Source: turns.md 1.
    """
    body = utf8(question)
    found: list[Option] = []
    for match in _WRITTEN.finditer(body):
        name = match[1].decode()
        if in_code(match.start()) or _CHANNEL_ID.fullmatch(name):
            continue
        found.append(Option(name, _sentence(body, match.start(), match.end()) or _words(name)))
    return distinct(found)


def _hyphened(text: str) -> str:
    return _NOT_SLUG.sub("-", text.lower()).strip("-")


def _one_line(text: str) -> str:
    return " ".join(text.split())[:TEXT_MAX]


def _words(name: str) -> str:
    return name.replace("-", " ").strip()


def _sentence(body: bytes, start: int, end: int) -> str:
    line = body.rfind(b"\n", 0, start) + 1
    if body[line:start].strip(b" \t*-\xe2\x80\xa2"):
        return ""
    rest = _SENTENCE.match(body[end:].decode("utf-8", "replace"))
    return rest[1].strip() if rest else ""
