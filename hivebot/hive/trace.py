"""Which typed entries does a committed message hold, and which of them are live?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from types import MappingProxyType
from typing import Final, Self

from hivebot.hive.conversation import AgentAuthor, TranscriptAuthor
from hivebot.hive.scalars import U64_MAX, byte_length, trim_start, truncating_div, words
from hivebot.hive.transcript import SessionMessage

TRACE_CAP: Final = 16
"""Traces one message can hold; further markers in it are ordinary text."""

_FENCES: Final = frozenset({"```", "~~~"})
_U64_DIGITS: Final = len(str(U64_MAX))


class TraceKind(StrEnum):
    """What an entry does in a deliberation.

    Attributes:
        importance: Thousandths, 200..1000; what the entry weighs whatever its age.

    Source: hive.md sections 11 and 12.
    """

    importance: int

    def __new__(cls, value: str, importance: int) -> Self:
        """Make the member that equals `value`."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.importance = importance
        return member

    PROPOSE = "propose", 900
    SUPPORT = "support", 500
    OBJECT = "object", 800
    REFUTE = "refute", 850
    EVIDENCE = "evidence", 600
    QUESTION = "question", 300
    COMMIT = "commit", 1000
    DEFER = "defer", 200


_KINDS: Final = MappingProxyType({kind.value: kind for kind in TraceKind})


@dataclass(frozen=True, slots=True)
class Trace:
    """One typed entry, read off one line of a message.

    Its address is (sequence, offset): one line holds at most one trace.

    Attributes:
        sequence: Number of the message, u64.
        author: Author of the message.
        kind: What the entry does.
        topic: The word after the first `#`, verbatim; never empty when read off a text.
        target: The sequence after the first `>` that is a number.
        cites: The sequences after `^`, each once, in authored order.
        text: The line without indentation and line end.
        offset: UTF-8 byte offset of `text` in the message.
        agent_id: The author's id if the author is an agent; follows from `author`.

    Source: hive.md section 11.
    """

    sequence: int
    author: TranscriptAuthor
    kind: TraceKind
    topic: str | None
    target: int | None
    cites: tuple[int, ...]
    text: str
    offset: int
    # a field and not a property, because every fold asks it of every trace
    agent_id: str | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Tell agents from other authors once."""
        author = self.author
        agent_id = author.id if isinstance(author, AgentAuthor) else None
        object.__setattr__(self, "agent_id", agent_id)

    @property
    def grounded(self) -> bool:
        """Whether the trace cites anything."""
        return bool(self.cites)


def resolve(
    body: str,
    supplied: Sequence[Trace] | None,
    author: TranscriptAuthor,
    sequence: int,
) -> tuple[Trace, ...]:
    """Read the traces of one message, at most `TRACE_CAP`.

    A supplied list only selects, by offset and kind, among what the body holds, in the supplied
    order; whatever else its entries claim is ignored. Without one, all traces in body order.

    Linear in the length of the body, and total on any text.

    Source: hive.md section 11.
    """
    if "!" not in body:
        return ()
    found = _extract(body, author, sequence)
    if supplied is None:
        return tuple(islice(found, TRACE_CAP))
    return tuple(islice(_select(supplied, found), TRACE_CAP))


def read(messages: Iterable[SessionMessage]) -> tuple[Trace, ...]:
    """Read the traces of several messages, by rising address and without deduplication.

    Source: hive.md section 11.
    """
    traces = [
        trace
        for message in messages
        for trace in resolve(message.content, None, message.author, message.sequence)
    ]
    traces.sort(key=_address)
    return tuple(traces)


def deduplicate(traces: Iterable[Trace]) -> tuple[Trace, ...]:
    """Sort by address, stably, and keep the first trace at each.

    Source: hive.md section 11.
    """
    given = tuple(traces)
    if _rising(given):
        return given
    kept: dict[tuple[int, int], Trace] = {}
    for trace in sorted(given, key=_address):
        kept.setdefault(_address(trace), trace)
    return tuple(kept.values())


def windowed(traces: Iterable[Trace], at: int, window: int) -> tuple[Trace, ...]:
    """Keep what is live at `at`: from `window` sequences before it to itself, both edges in.

    Deduplicated; what is newer than `at` is left out.

    Source: hive.md section 13.1.
    """
    first = max(0, at - window)
    return tuple(trace for trace in deduplicate(traces) if first <= trace.sequence <= at)


def decay(distance: int, half_life: int) -> int:
    """Say how many thousandths of a trace's freshness are left after `distance` sequences.

    1000 at distance 0, half of it after each half-life, linear in between, 0 from ten half-lives
    on.

    Args:
        distance: Sequences since the trace, not negative.
        half_life: Sequences, above 0; the policies are checked by their folds.

    Source: hive.md section 12.
    """
    whole, remainder = divmod(distance, half_life)
    if whole >= 63:
        return 0
    high = 1000 >> whole
    low = high >> 1
    return high - truncating_div((high - low) * remainder, half_life)


def _address(trace: Trace) -> tuple[int, int]:
    return trace.sequence, trace.offset


def _rising(traces: Sequence[Trace]) -> bool:
    sequence, offset = -1, -1
    for trace in traces:
        if trace.sequence <= sequence and (trace.sequence < sequence or trace.offset <= offset):
            return False
        sequence, offset = trace.sequence, trace.offset
    return True


def _select(supplied: Iterable[Trace], found: Iterable[Trace]) -> Iterator[Trace]:
    by_offset = {trace.offset: trace for trace in found}
    met: set[int] = set()
    for entry in supplied:
        if entry.offset in met:
            continue
        met.add(entry.offset)
        trace = by_offset.get(entry.offset)
        if trace is not None and trace.kind is entry.kind:
            yield trace


def _extract(body: str, author: TranscriptAuthor, sequence: int) -> Iterator[Trace]:
    for offset, text in _marker_lines(body):
        trace = _parse(text, offset, author, sequence)
        if trace is not None:
            yield trace


def _marker_lines(body: str) -> Iterator[tuple[int, str]]:
    """Give offset and text of each line outside fences that leads with a bang."""
    length = len if body.isascii() else byte_length
    fence = ""
    start = 0
    for line in body.split("\n"):
        led = trim_start(line)
        mark = led[:3]
        if mark in _FENCES:
            if not fence:
                fence = mark
            elif mark == fence:
                fence = ""
        elif not fence and led.startswith("!"):
            yield start + length(line[: len(line) - len(led)]), led.rstrip("\r")
        start += length(line) + 1


def _parse(text: str, offset: int, author: TranscriptAuthor, sequence: int) -> Trace | None:
    first, *rest = words(text[1:]) or [""]
    kind = _KINDS.get(first)
    if kind is None:
        return None
    topic: str | None = None
    target: int | None = None
    cites: dict[int, None] = {}
    for word in rest:
        sign = word[0]
        if sign == "#":
            topic = topic or word[1:] or None
        elif sign == ">":
            target = _number(word[1:]) if target is None else target
        elif sign == "^" and (cited := _number(word[1:])) is not None:
            cites[cited] = None
    if _lacks(kind, topic, cites):
        return None
    return Trace(sequence, author, kind, topic, target, tuple(cites), text, offset)


def _lacks(kind: TraceKind, topic: str | None, cites: dict[int, None]) -> bool:
    """Say whether the line misses what its kind cannot do without."""
    if topic is not None:
        return kind is TraceKind.REFUTE and not cites
    return kind is TraceKind.REFUTE or kind is TraceKind.DEFER


def _number(digits: str) -> int | None:
    """Read an unsigned 64-bit decimal: ASCII digits after at most one plus."""
    digits = digits.removeprefix("+")
    if not (digits.isascii() and digits.isdigit()):
        return None
    # int() refuses very long texts, and only zeros may make a number in range long
    significant = digits.lstrip("0")
    if len(significant) > _U64_DIGITS:
        return None
    number = int(significant or "0")
    return number if number <= U64_MAX else None
