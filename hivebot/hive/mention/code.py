"""Which bytes of a text are code, so that nothing in them is a mention?"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hivebot.hive.scalars import is_blank

_FENCE_LINE: Final = re.compile(rb"^ {0,3}(`{3,}+|~{3,}+)([^\n]*+)\n?", re.MULTILINE)
_BACKTICKS: Final = re.compile(rb"`+")


@dataclass(frozen=True, slots=True)
class Ranges:
    """Byte ranges in rising order that do not overlap: `starts[i]` up to before `ends[i]`."""

    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def end_around(self, offset: int) -> int | None:
        """Give the end of the range that holds the offset, or None outside all of them."""
        at = bisect_right(self.starts, offset) - 1
        return self.ends[at] if at >= 0 and offset < self.ends[at] else None

    def holds(self, offset: int) -> bool:
        """Say whether the offset lies in a range."""
        return self.end_around(offset) is not None


def code_ranges(body: bytes) -> Ranges:
    """Find fenced blocks, then code spans outside them, in time linear in the body.

    Source: hive.md section 5.2.
    """
    fences = tuple(_fences(body))
    fenced = _ranges(fences)
    spans = tuple(_spans(body, fenced))
    # A span may lie around a whole fence, so the two are merged where they meet.
    return _ranges(_merged(sorted((*fences, *spans))))


def _ranges(pairs: tuple[tuple[int, int], ...]) -> Ranges:
    return Ranges(tuple(start for start, _ in pairs), tuple(end for _, end in pairs))


def _merged(pairs: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    merged: list[tuple[int, int]] = []
    for start, end in pairs:
        if merged and start < merged[-1][1]:
            continue
        merged.append((start, end))
    return tuple(merged)


def _fences(body: bytes) -> Iterator[tuple[int, int]]:
    opener: bytes | None = None
    opened = 0
    for line in _FENCE_LINE.finditer(body):
        run, rest = line.groups()
        if opener is None:
            if run.startswith(b"~") or b"`" not in rest:
                opener, opened = run, line.start()
        elif run.startswith(opener) and is_blank(rest.decode("utf-8", "surrogatepass")):
            opener = None
            yield opened, line.end()
    if opener is not None:
        yield opened, len(body)


def _spans(body: bytes, fenced: Ranges) -> Iterator[tuple[int, int]]:
    runs = [run.span() for run in _BACKTICKS.finditer(body) if not fenced.holds(run.start())]
    partners = _partners(runs)
    at = 0
    while at < len(runs):
        partner = partners[at]
        if partner is None:
            at += 1
        else:
            yield runs[at][0], runs[partner][1]
            at = partner + 1


def _partners(runs: list[tuple[int, int]]) -> list[int | None]:
    """Give for each run the next one of the same length, looking at each run once."""
    partners: list[int | None] = [None] * len(runs)
    latest: dict[int, int] = {}
    for at in range(len(runs) - 1, -1, -1):
        start, end = runs[at]
        partners[at] = latest.get(end - start)
        latest[end - start] = at
    return partners
