"""Which of the short notes about a person's preferences say the same, and which one stays?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

SIMILARITY = 0.4

_WORD = re.compile(r"[^\W_]+")
_DECIMALS = 9


class Verdict(StrEnum):
    """What a judge makes of an older and a newer note. `UPDATE` merges nothing.

    Source: memory.md 8.3 (preference notes).
    """

    ADD = "ADD"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    SKIP = "SKIP"


@dataclass(frozen=True, slots=True)
class Note:
    """A short free-text entry; it is no chunk.

    Attributes:
        id: Unique among the notes.
        content: The text.
        created_at: Date or timestamp as ISO text, so that order is order of text.
    """

    id: str
    content: str
    created_at: str


Pair = tuple[str, str]


def words(content: str) -> frozenset[str]:
    """Give the lower-case words and digits of a note."""
    return frozenset(_WORD.findall(content.lower()))


def jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    """Give the share of words two notes have in common; 0 when both are empty."""
    union = left | right
    return len(left & right) / len(union) if union else 0.0


def note_pairs(notes: Sequence[Note], similarity: float = SIMILARITY) -> tuple[Pair, ...]:
    """List the pairs a judge has to compare, `(older id, newer id)`.

    Notes are linked when their words have at least this Jaccard similarity, and clusters are what
    is linked directly or through others. Clusters come in the order of their first note; within a
    cluster every pair is listed by age, the older first, notes of one age in input order.

    Source: memory.md 8.3 (preference notes).
    """
    pairs: list[Pair] = []
    for cluster in _clusters(notes, similarity):
        by_age = sorted(cluster, key=lambda note: note.created_at)
        pairs.extend((older.id, newer.id) for older, newer in combinations(by_age, 2))
    return tuple(pairs)


def kept_notes(
    notes: Sequence[Note], pairs: Sequence[Pair], verdicts: Mapping[Pair, str] | None
) -> tuple[str, ...]:
    """Apply the judge's verdicts: `DELETE` drops the older, `SKIP` the newer, others keep both.

    Args:
        notes: All notes.
        pairs: What `note_pairs` gave.
        verdicts: The judge's words by pair; a missing pair means `ADD`; None means that there is no
            judge, and everything is kept.

    Returns:
        The ids that stay, in input order.

    Source: memory.md 8.3 (preference notes).
    """
    dropped: set[str] = set()
    for older, newer in pairs:
        verdict = Verdict.ADD if verdicts is None else verdicts.get((older, newer), Verdict.ADD)
        if verdict == Verdict.DELETE:
            dropped.add(older)
        elif verdict == Verdict.SKIP:
            dropped.add(newer)
    return tuple(note.id for note in notes if note.id not in dropped)


def _clusters(notes: Sequence[Note], similarity: float) -> list[list[Note]]:
    tokens = [words(note.content) for note in notes]
    leader = list(range(len(notes)))
    for first, second in combinations(range(len(notes)), 2):
        if round(jaccard(tokens[first], tokens[second]), _DECIMALS) >= similarity:
            low, high = sorted((leader[first], leader[second]))
            leader = [low if each == high else each for each in leader]
    found: dict[int, list[Note]] = {}
    for note, head in zip(notes, leader, strict=True):
        found.setdefault(head, []).append(note)
    return list(found.values())
