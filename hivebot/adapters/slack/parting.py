"""Where may a text be parted so that each part is whole by itself?

Source: product.md 3 "Long answers are split", slack.md 6.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

from hivebot.adapters.slack.mrkdwn import Fence, Piece, Prose
from hivebot.adapters.slack.text import escape

_ATOM: Final = re.compile(r"<[^<>\n]*>|&(?:amp|lt|gt);|`[^`\n]*`")
_QUOTE: Final = "&gt; "


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Lines that Slack must not read as mrkdwn at all, shown as a quote."""

    text: str
    struck: bool = False

    def shown(self) -> str:
        """The quote as mrkdwn, for where there are no blocks."""
        return "\n".join(_QUOTE + escape(line) for line in self.text.split("\n"))


Unit = Piece | Verbatim


def shown(unit: Unit) -> str:
    """The unit as mrkdwn."""
    return unit.text if isinstance(unit, Prose) else unit.shown()


def part(unit: Unit, room: int) -> tuple[Unit | None, Unit | None]:
    """What of `unit` fits into `room` characters, and the rest; the finished part is measured.

    Prose is parted behind a line, else behind a word, else anywhere outside of a token, an entity
    or a span of code; quoted lines go on quoted. A fence is closed and reopened in its language.
    Both halves are shorter than the whole, or the first is None.
    """
    if len(shown(unit)) <= room:
        return unit, None
    if isinstance(unit, Prose):
        head, rest = _part_text(unit.text, room)
        return (Prose(head) if head else None), Prose(rest)
    if isinstance(unit, Fence):
        return _part_fence(unit, room)
    return _part_verbatim(unit, room)


def _part_text(text: str, room: int) -> tuple[str, str]:
    line_end = text.rfind("\n", 0, max(0, room) + 1)
    if line_end > 0:
        return text[:line_end], text[line_end + 1 :]
    prefix = _QUOTE if text.startswith(_QUOTE) else ""
    head, rest = _part_line(text[len(prefix) :].lstrip(" "), room - len(prefix))
    return (prefix + head, prefix + rest) if head else ("", text)


def _part_line(line: str, room: int) -> tuple[str, str]:
    if room < 1:
        return "", line
    at = safe_cut(line, room)
    if at < 1:
        return _part_code(line, room)
    return line[:at].rstrip(" "), line[at:].lstrip(" ")


def _part_code(text: str, room: int) -> tuple[str, str]:
    """Part a span of code at the start of the text; a token or entity is never parted."""
    at = safe_cut(text[1:], room - 2) if text.startswith("`") else 0
    return (f"{text[: at + 1]}`", f"`{text[at + 1 :]}") if at > 0 else ("", text)


def safe_cut(text: str, most: int) -> int:
    """The best place at or before `most` to cut: behind a word, else outside of every atom.

    0 when the text starts with an atom that is longer.
    """
    if most >= len(text):
        return len(text)
    start = 0
    space = 0
    for match in _ATOM.finditer(text):
        if match.start() >= most:
            break
        space = max(space, text.rfind(" ", start, match.start()))
        if match.end() > most:
            return space if space > most // 2 else match.start()
        start = match.end()
    space = max(space, text.rfind(" ", start, most + 1))
    return space if space > most // 2 else most


def _part_fence(fence: Fence, room: int) -> tuple[Fence | None, Fence | None]:
    left = room - len(replace(fence, lines=()).shown())
    taken = 0
    for line in fence.lines:
        if len(line) + 1 > left:
            break
        left -= len(line) + 1
        taken += 1
    lines = fence.lines
    if taken:
        return replace(fence, lines=lines[:taken]), replace(fence, lines=lines[taken:])
    at = _entity_cut(lines[0], left - 1) if lines else 0
    if at < 1:
        return None, fence
    return replace(fence, lines=(lines[0][:at],)), replace(fence, lines=(lines[0][at:], *lines[1:]))


def _entity_cut(line: str, most: int) -> int:
    """A place at or before `most` that is not inside of an entity."""
    entity = line.rfind("&", max(0, most - 4), max(0, most))
    return entity if entity >= 0 and line.find(";", entity) >= most else most


def _part_verbatim(unit: Verbatim, room: int) -> tuple[Verbatim | None, Verbatim | None]:
    """Part behind a line, else anywhere: what is shown is measured, escapes included."""
    lines = unit.text.split("\n")
    ends = accumulate(len(_QUOTE + escape(line)) + 1 for line in lines)
    taken = sum(end - 1 <= room for end in ends)
    if taken:
        head, rest = "\n".join(lines[:taken]), "\n".join(lines[taken:])
        return replace(unit, text=head), replace(unit, text=rest)
    at = (room - len(_QUOTE)) // len("&amp;")
    if at < 1:
        return None, unit
    return replace(unit, text=unit.text[:at]), replace(unit, text=unit.text[at:])
