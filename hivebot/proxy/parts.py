"""What is the score of a retrieved memory made of?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hivebot.proxy.activation import Floats, Ints
from hivebot.proxy.matrix import ChunkMatrix
from hivebot.proxy.noise import logistic_noises
from hivebot.proxy.retrieval import SEED, Draws, Query, Retrieval, RetrievalPolicy, normalized
from hivebot.proxy.vectors import Dimension


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """How one retrieved chunk came by its score.

    Attributes:
        chunk_id: The chunk.
        score: As it was compared.
        activation: Base-level activation, before scaling.
        scaled: The same as it was weighted, after min-max or tanh.
        similarity: Mean cosine over the percepts that score.
        noise: What chance added.
        cosines: Cosine of each percept that scores; 0 where there was nothing to compare.

    Source: memory.md 4.3.
    """

    chunk_id: str
    score: float
    activation: float
    scaled: float
    similarity: float
    noise: float
    cosines: tuple[tuple[Dimension, float], ...]


def score_parts(
    matrix: ChunkMatrix,
    found: Retrieval,
    query: Query,
    policy: RetrievalPolicy = SEED,
    chance: Draws | None = None,
) -> tuple[ScoreParts, ...]:
    """Take the scores of an experience retrieval apart, in rank order.

    Args:
        matrix: The memory it was made on.
        found: What it found.
        query: What was asked.
        policy: Its bounds.
        chance: Its draws; they must depend on nothing but the row, as those of `seeded` do.

    Source: memory.md 4.3.
    """
    places = np.searchsorted(found.survivors, found.rows)
    cosines = {
        dimension: _floats(
            matrix.cosines(
                dimension, query.vectors.get(dimension), query.embedding_model, found.rows
            ).values
        )
        for dimension in policy.dimensions
    }
    scaled = _floats(normalized(found.activations, policy)[places])
    activations = _floats(found.activations[places])
    noises = _noises(found.rows, policy, chance)
    return tuple(
        ScoreParts(
            chunk_id=chunk_id,
            score=score,
            activation=activations[rank],
            scaled=scaled[rank],
            similarity=sum(each[rank] for each in cosines.values()) / len(cosines),
            noise=noises[rank],
            cosines=tuple((dimension, each[rank]) for dimension, each in cosines.items()),
        )
        for rank, (chunk_id, score) in enumerate(
            zip(found.ids, _floats(found.ranked_scores()), strict=True)
        )
    )


def _noises(rows: Ints, policy: RetrievalPolicy, chance: Draws | None) -> list[float]:
    if chance is None:
        return [0.0] * rows.size
    return _floats(logistic_noises(chance(rows), policy.noise_scale))


def _floats(values: Floats) -> list[float]:
    return values.tolist()
