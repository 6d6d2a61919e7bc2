"""Which decisions did which people make, in which order?"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from hivebot.proxy.chunks import Outcome
from hivebot.proxy.errors import ProxyError
from hivebot.proxy.noise import draw

OUTCOMES: tuple[str, ...] = (Outcome.APPROVE, Outcome.CORRECT, Outcome.REJECT)
"""What a decision can be; ties between them go to the earlier."""


@dataclass(eq=False)
class DecisionError(ProxyError):
    """A line of a decision file cannot be read.

    Attributes:
        line: Number of the line, from 1.
        problem: What is wrong, never the text.
    """

    code = "decision"
    message = "line {line} {problem}"
    line: int
    problem: str


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of one person.

    Attributes:
        request: What was asked to be allowed; the first line is its title.
        context: Label of the kind of request.
        outcome: One of `OUTCOMES`.
        words: What the person said with it.
        dialog: What the person said before deciding; empty for a decision without a dialog.
    """

    request: str
    context: str
    outcome: str
    words: str = ""
    dialog: str = ""


@dataclass(frozen=True, slots=True)
class DecisionStream:
    """All decisions of one person, in true order.

    Attributes:
        decider: Pseudonym.
        decisions: Oldest first.
    """

    decider: str
    decisions: tuple[Decision, ...]


def read_streams(lines: Iterable[str]) -> tuple[DecisionStream, ...]:
    """Read prepared decisions, one JSON object a line; lines of one person keep their order.

    Keys: `decider`, `request`, `context`, `outcome`, and optionally `words` and `dialog`.

    Raises:
        DecisionError: A line is no such object.

    Source: proxy-experiment.md (data).
    """
    found: dict[str, list[Decision]] = {}
    for number, line in enumerate(lines, start=1):
        if line.strip():
            decider, decision = _decision(line, number)
            found.setdefault(decider, []).append(decision)
    return tuple(DecisionStream(decider, tuple(each)) for decider, each in found.items())


def halves(
    streams: Sequence[DecisionStream], seed: int
) -> tuple[tuple[DecisionStream, ...], tuple[DecisionStream, ...]]:
    """Split deciders in two: one half to choose with, one to test on; the odd one is tested on.

    The order is by a hash of the pseudonym, so that it depends on nothing in the data.

    Source: proxy-experiment.md (data).
    """
    ordered = sorted(streams, key=lambda each: (draw(seed, 0, each.decider), each.decider))
    half = len(ordered) // 2
    return tuple(ordered[:half]), tuple(ordered[half:])


def _decision(line: str, number: int) -> tuple[str, Decision]:
    try:
        raw: object = json.loads(line)
    except ValueError as exc:
        raise DecisionError(line=number, problem="is not JSON") from exc
    if not isinstance(raw, dict):
        raise DecisionError(line=number, problem="is no object")
    keys = cast("Mapping[str, object]", raw)
    decision = Decision(
        request=_text(keys, "request", number),
        context=_text(keys, "context", number),
        outcome=_text(keys, "outcome", number),
        words=_text(keys, "words", number, ""),
        dialog=_text(keys, "dialog", number, ""),
    )
    if decision.outcome not in OUTCOMES:
        raise DecisionError(line=number, problem="has an outcome that is none of the three")
    return _text(keys, "decider", number), decision


def _text(keys: Mapping[str, object], key: str, number: int, default: str | None = None) -> str:
    value = keys.get(key, default)
    if not isinstance(value, str):
        raise DecisionError(line=number, problem=f"has no text {key!r}")
    return value
