"""Which memories are outdated between sessions, and what belief is left of a statement?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from hivebot.proxy.chunks import Chunk
from hivebot.proxy.conflict import DEFAULT, ConflictPolicy
from hivebot.proxy.errors import InvalidBoundError
from hivebot.proxy.memory import PURGE_WINDOW, purgeable
from hivebot.proxy.vectors import Dimension, Float, unit_rows

SEMANTIC_GATE = 0.6

_GATED = (Dimension.ARTIFACT, Dimension.STIMULUS)
_BLOCK = 512
_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What a run between sessions decides; the three lists are in input order.

    Attributes:
        purge: Ids to delete for good.
        soft_delete: Live ids that a newer, differing memory of their context outdates.
        keep: Live ids that stay.

    Source: memory.md 8.3.
    """

    purge: tuple[str, ...]
    soft_delete: tuple[str, ...]
    keep: tuple[str, ...]


class Evidence(StrEnum):
    """What an observation does to a stored belief. Source: memory.md 8.4."""

    SUPPORTING = "supporting"
    WEAKENING = "weakening"
    CONTRADICTING = "contradicting"


def consolidate(
    chunks: Sequence[Chunk],
    clock: int,
    policy: ConflictPolicy = DEFAULT,
    *,
    semantic_gate: float | None = SEMANTIC_GATE,
    window: int = PURGE_WINDOW,
) -> Consolidation:
    """Decide what a memory drops between sessions.

    1. purge what was softly deleted a window ago; 2. fewer than two live chunks: stop; 3. mark the
    older of every pair that is a preference drift, pairs judged on the unmodified list; 4. the
    marked ones are to be softly deleted. Tension, context and noise keep both.

    Args:
        chunks: All chunks of the memory, in insertion order.
        clock: The memory's interaction number; it plays no part in drift.
        policy: Bounds of the conflict rules.
        semantic_gate: A pair counts only if artifact or stimulus have at least this cosine; None
            compares any two outcomes of a context, as the original does.
        window: Interactions between soft delete and purge.

    Raises:
        InvalidBoundError: The semantic gate is no cosine above 0.

    Source: memory.md 8.3.
    """
    if semantic_gate is not None and not 0 < semantic_gate <= 1:
        raise InvalidBoundError(name="semantic gate", rule="above 0 and at most 1")
    live = [chunk for chunk in chunks if chunk.live]
    groups: dict[tuple[str, str], list[Chunk]] = {}
    for chunk in live:
        if chunk.traces:  # without traces a pair is noise, which keeps both
            groups.setdefault(chunk.context, []).append(chunk)
    marked: set[str] = set()
    for group in groups.values():
        outdated = _outdated(group, policy.drift_gap, semantic_gate)
        marked.update(chunk.id for chunk, old in zip(group, outdated, strict=True) if old)
    return Consolidation(
        purge=purgeable(chunks, clock, window),
        soft_delete=tuple(chunk.id for chunk in live if chunk.id in marked),
        keep=tuple(chunk.id for chunk in live if chunk.id not in marked),
    )


def revise(confidence: float, evidence: str, alpha: float = 0.05) -> float:
    """Move the confidence of a stored belief, within 0..1; a contradiction costs double.

    Unknown evidence changes nothing.

    Source: memory.md 8.4.
    """
    if evidence == Evidence.SUPPORTING:
        return min(1.0, confidence + alpha)
    if evidence == Evidence.WEAKENING:
        return max(0.0, confidence - alpha)
    if evidence == Evidence.CONTRADICTING:
        return max(0.0, confidence - 2 * alpha)
    return confidence


def _outdated(group: Sequence[Chunk], gap: int, semantic_gate: float | None) -> list[bool]:
    newest = np.array([max(chunk.traces) for chunk in group], np.int64)
    outcome = _numbered([chunk.outcome for chunk in group])
    tables = [] if semantic_gate is None else _tables(group)
    model = _numbered([chunk.embedding_model for chunk in group])
    unnamed = np.array([not chunk.embedding_model for chunk in group])
    result: list[bool] = []
    for start in range(0, len(group), _BLOCK):  # bounds the memory of the table of pairs
        part = slice(start, start + _BLOCK)
        drift = (newest - newest[part, None] >= gap) & (outcome != outcome[part, None])
        if semantic_gate is not None:
            alike = np.zeros(drift.shape, np.bool_)
            for units in tables:
                alike |= np.round(units[part] @ units.T, _DECIMALS) >= semantic_gate
            drift &= alike
            drift &= (model == model[part, None]) | unnamed | unnamed[part, None]
        flags: list[bool] = drift.any(axis=1).tolist()
        result.extend(flags)
    return result


def _tables(group: Sequence[Chunk]) -> list[NDArray[Float]]:
    """Give one table of unit vectors per percept and length; rows without one are zero."""
    tables: list[NDArray[Float]] = []
    for dimension in _GATED:
        held = [chunk.vectors.get(dimension) for chunk in group]
        for width in sorted({values.size for values in held if values is not None}):
            nothing = np.zeros(width)
            rows = [v if v is not None and v.size == width else nothing for v in held]
            tables.append(unit_rows(np.stack(rows)))
    return tables


def _numbered(texts: Sequence[str]) -> NDArray[np.int64]:
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(text, len(numbers)) for text in texts], np.int64)
