"""Do two memories of one context contradict each other, and why?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations

from hivebot.proxy.chunks import Chunk

EXCERPT_CHARS = 500


class Cause(StrEnum):
    """Why two memories differ. Source: memory.md 8.2."""

    RETRIEVAL_NOISE = "retrieval_noise"
    PREFERENCE_DRIFT = "preference_drift"
    GENUINE_TENSION = "genuine_tension"
    CONTEXT_SENSITIVITY = "context_sensitivity"


@dataclass(frozen=True, slots=True)
class ConflictPolicy:
    """The bounds of the rules, all inclusive.

    Attributes:
        drift_gap: Interactions between the newest traces that make a drift.
        recent_window: Interactions since the newest trace that count as recent.
        tension_confidence: Confidence of both that makes a tension.

    Source: memory.md 1.1.
    """

    drift_gap: int = 8
    recent_window: int = 10
    tension_confidence: float = 0.75


DEFAULT = ConflictPolicy()


@dataclass(frozen=True, slots=True)
class Conflict:
    """A pair of memories that differ.

    Attributes:
        first: The one that stands earlier in the list.
        second: The other.
        cause: Why they differ.
        newer_id: The one to trust, for a drift; empty otherwise.
        by_rule: A rule alone gave the cause although a model was asked.

    Source: memory.md 8.1 and 8.2.
    """

    first: Chunk
    second: Chunk
    cause: Cause
    newer_id: str = ""
    by_rule: bool = False


def distinct(chunks: Iterable[Chunk]) -> tuple[Chunk, ...]:
    """Keep the first of each id, in order: experience and salience may find the same chunk.

    Source: memory.md 8.1 (hivebot MUST).
    """
    first: dict[str, Chunk] = {}
    for chunk in chunks:
        first.setdefault(chunk.id, chunk)
    return tuple(first.values())


def conflict_pairs(chunks: Sequence[Chunk]) -> tuple[tuple[Chunk, Chunk], ...]:
    """List every pair `i < j` of equal state and task type and different outcome.

    Nothing else is compared, nothing is reordered or removed.

    Source: memory.md 8.1.
    """
    return tuple(
        (first, second)
        for first, second in combinations(chunks, 2)
        if first.context == second.context and first.outcome != second.outcome
    )


def classify(first: Chunk, second: Chunk, clock: int, policy: ConflictPolicy = DEFAULT) -> Conflict:
    """Give the cause of a pair's difference; the first rule that matches wins.

    1. either without traces: retrieval noise; 2. newest traces at least `drift_gap` apart:
    preference drift, with the newer; 3. both recent and both confident: genuine tension;
    4. otherwise: context sensitivity, the safe default.

    Source: memory.md 8.2.
    """
    left, right = first.newest, second.newest
    if left is None or right is None:
        return Conflict(first, second, Cause.RETRIEVAL_NOISE)
    if abs(left - right) >= policy.drift_gap:
        newer = first if left > right else second
        return Conflict(first, second, Cause.PREFERENCE_DRIFT, newer.id)
    recent = clock - min(left, right) <= policy.recent_window
    confidence = min(first.posterior_confidence, second.posterior_confidence)
    if recent and confidence >= policy.tension_confidence:
        return Conflict(first, second, Cause.GENUINE_TENSION)
    return Conflict(first, second, Cause.CONTEXT_SENSITIVITY)


def conflicts(
    chunks: Iterable[Chunk], clock: int, policy: ConflictPolicy = DEFAULT
) -> tuple[Conflict, ...]:
    """Find and classify the conflicts among retrieved chunks, experience first, then salience.

    Source: memory.md 8.1 and 8.2.
    """
    pairs = conflict_pairs(distinct(chunks))
    return tuple(classify(first, second, clock, policy) for first, second in pairs)


def has_tension(found: Iterable[Conflict]) -> bool:
    """Say whether guard 2 fires. Source: memory.md 6.1."""
    return any(each.cause is Cause.GENUINE_TENSION for each in found)


def judgeable(conflict: Conflict) -> bool:
    """Say whether a pair may go to a model: left as context by the rules, and both have content.

    Source: memory.md 8.2 (second tier).
    """
    contents = conflict.first.content, conflict.second.content
    return conflict.cause is Cause.CONTEXT_SENSITIVITY and all(contents)


def excerpts(conflict: Conflict) -> tuple[str, str]:
    """Give what a model is shown of a pair: 500 characters each. Source: memory.md 8.2."""
    return conflict.first.content[:EXCERPT_CHARS], conflict.second.content[:EXCERPT_CHARS]


def parse_cause(reply: str) -> Cause | None:
    """Read the one cause a model named; None if no line is exactly a cause, or two differ.

    Source: memory.md 8.2 (second tier).
    """
    words = (line.strip().strip(".*`-").strip().lower() for line in reply.split("\n"))
    named = {word for word in words if word in frozenset(Cause)}
    return Cause(named.pop()) if len(named) == 1 else None


def judged(
    found: Sequence[Conflict], replies: Mapping[tuple[str, str], str | None]
) -> tuple[Conflict, ...]:
    """Put the model's causes in place of the rules'.

    A pair that was asked but got no usable answer (None for a timeout or an error) keeps the rule's
    cause and is marked `by_rule`, so that an outage shows.

    Args:
        found: Conflicts classified by rule.
        replies: What the model answered, by the ids of the pair; a missing pair was not asked.

    Source: memory.md 8.2 (#238).
    """
    return tuple(_judged(each, replies) for each in found)


def _judged(conflict: Conflict, replies: Mapping[tuple[str, str], str | None]) -> Conflict:
    pair = conflict.first.id, conflict.second.id
    if pair not in replies or not judgeable(conflict):
        return conflict
    cause = parse_cause(replies[pair] or "")
    if cause is None:
        return replace(conflict, by_rule=True)
    newer = ""
    if cause is Cause.PREFERENCE_DRIFT:
        newer = max(conflict.first, conflict.second, key=_newest).id
    return replace(conflict, cause=cause, newer_id=newer)


def _newest(chunk: Chunk) -> int:
    return max(chunk.traces, default=0)
