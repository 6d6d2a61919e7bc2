"""Which rows of the transcript have room in a prompt?

Source: turns.md 2 (`prompt_tokens_max`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hivebot.adapters.llm.prompt.frames import row_element
from hivebot.adapters.llm.sight import is_above, visible_rows
from hivebot.adapters.llm.text import shortened
from hivebot.hive.scalars import byte_length
from hivebot.hive.trace import resolve
from hivebot.services.records.asking import SeenRow, TurnRequest

BYTES_A_TOKEN: Final = 3
"""Fewer than any tokenizer needs for prose, so that the bound holds without asking the vendor."""

_BODY_CAPS: Final = (8000, 4000, 2000, 1000, 500, 250, 100)


@dataclass(slots=True)
class _Part:
    """One row with its element, and whether it is still in."""

    row: SeenRow
    must: bool
    cites: frozenset[int]
    element: str
    size: int
    kept: bool = True

    @property
    def number(self) -> int:
        """The row's number."""
        return self.row.message.sequence


def tokens(text: str) -> int:
    """Say how many tokens a text has at most, near enough."""
    return -(-byte_length(text) // BYTES_A_TOKEN)


def transcript(request: TurnRequest, room: int) -> str:
    """Write the visible rows, oldest first, in at most `room` tokens.

    The question, the root, what came back and everything above the watermark come first. Other
    rows are left out from the old end, never one that a row still shown cites or objects to. If
    that is not enough, the longest texts are cut.

    Source: turns.md 2.
    """
    parts = [_part(request, row) for row in visible_rows(request)]
    _leave_out(parts, room)
    _cut_bodies(request, [part for part in parts if part.kept], room)
    shown = [(part.number, part.element) for part in parts if part.kept]
    gaps = [(first, _gap(first, last)) for first, last in (*request.left_out, *_gaps(parts))]
    return "\n".join(text for _, text in sorted((*shown, *gaps)))


def _part(request: TurnRequest, row: SeenRow) -> _Part:
    message = row.message
    traces = resolve(message.content, None, message.author, message.sequence)
    named = {number for trace in traces for number in (*trace.cites, trace.target or 0)}
    must = is_above(request, row) or message.sequence in {1, request.question, request.returned}
    element = row_element(row, request.agent.id)
    return _Part(row, must, frozenset(named - {message.sequence}), element, tokens(element) + 1)


def _leave_out(parts: Sequence[_Part], room: int) -> None:
    """Leave out what may go, oldest first, until the rest fits.

    A row that goes no longer holds what it cites, so an older one may be next.
    """
    total = sum(part.size for part in parts)
    cited = Counter(number for part in parts for number in part.cites)
    while total > room and (oldest := _oldest_idle(parts, cited)) is not None:
        oldest.kept = False
        total -= oldest.size
        cited.subtract(oldest.cites)


def _oldest_idle(parts: Sequence[_Part], cited: Counter[int]) -> _Part | None:
    idle = (part for part in parts if part.kept and not part.must and not cited[part.number])
    return next(idle, None)


def _cut_bodies(request: TurnRequest, parts: Sequence[_Part], room: int) -> None:
    """Cut all texts to one length, as long as fits."""
    for cap in _BODY_CAPS:
        if sum(part.size for part in parts) <= room:
            return
        for part in parts:
            body = shortened(part.row.message.content, cap)
            part.element = row_element(part.row, request.agent.id, body)
            part.size = tokens(part.element) + 1


def _gaps(parts: Sequence[_Part]) -> Iterator[tuple[int, int]]:
    """Give the runs of rows that were left out, by their first and last number."""
    run: list[int] = []
    for part in parts:
        if not part.kept:
            run.append(part.number)
        elif run:
            yield run[0], run[-1]
            run = []
    if run:
        yield run[0], run[-1]


def _gap(first: int, last: int) -> str:
    return f"[{first} left out]" if first == last else f"[{first}-{last} left out]"
