"""Which memories come to mind at this gate, and in which order?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np

from hivebot.proxy.activation import (
    DECAY,
    RETRIEVAL_THRESHOLD,
    TOLERANCE,
    Floats,
    Ints,
    exceeds,
    logarithm,
    may_survive,
    trace_sums,
)
from hivebot.proxy.chunks import Chunk
from hivebot.proxy.errors import InvalidBoundError
from hivebot.proxy.matrix import ChunkMatrix, Mask
from hivebot.proxy.noise import draws, logistic_noise, logistic_noises
from hivebot.proxy.vectors import EXPERIENCE, NO_VECTORS, Dimension, Vector, Vectors

DOUBLE_DECIMALS = 9
SINGLE_DECIMALS = 6

Draws: TypeAlias = Callable[[Ints], Floats]
"""Gives the uniform draw of each of some rows; chance never arises in here."""


class Normalization(StrEnum):
    """How an activation is scaled before it is weighted. Source: memory.md 4.3."""

    MINMAX = "minmax"
    TANH = "tanh"


@dataclass(frozen=True, slots=True)
class RetrievalPolicy:
    """The bounds of retrieval; the defaults are the seed's.

    Attributes:
        decay: ACT-R's d, at least 0.
        noise_scale: ACT-R's s, at least 0; without draws there is no noise.
        retrieval_threshold: ACT-R's tau; an activation must exceed it.
        activation_weight: Finite; the two weights need not sum to 1.
        semantic_weight: Finite.
        normalization: Setting of the memory, to be logged with each retrieval.
        top_k: Most memories of an experience retrieval; 0 gives none.
        salience_top_k: Most memories of a salience retrieval.
        dimensions: Percepts that score; their number is the divisor.

    Raises:
        InvalidBoundError: A bound is outside its range.

    Source: memory.md 1.1.
    """

    decay: float = DECAY
    noise_scale: float = 0.08
    retrieval_threshold: float = RETRIEVAL_THRESHOLD
    activation_weight: float = 0.5
    semantic_weight: float = 0.5
    normalization: Normalization = Normalization.MINMAX
    top_k: int = 10
    salience_top_k: int = 5
    dimensions: tuple[Dimension, ...] = EXPERIENCE

    def __post_init__(self) -> None:
        for name in ("decay", "noise_scale"):
            value: float = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise InvalidBoundError(name=name, rule="finite and at least 0")
        for name in ("retrieval_threshold", "activation_weight", "semantic_weight"):
            if not math.isfinite(getattr(self, name)):
                raise InvalidBoundError(name=name, rule="finite")
        for name in ("top_k", "salience_top_k"):
            if getattr(self, name) < 0:
                raise InvalidBoundError(name=name, rule="at least 0")
        if not self.dimensions:
            raise InvalidBoundError(name="dimensions", rule="at least one")


SEED = RetrievalPolicy()


@dataclass(frozen=True, slots=True)
class Query:
    """What a gate asks the memory. Empty texts filter nothing.

    Attributes:
        state: Kind of gate; agnostic chunks pass.
        task_type: Desk or category; agnostic chunks pass.
        type: Kind of chunk, without exception.
        vectors: Percepts of the gate; salience is ignored unless a policy scores it.
        embedding_model: Provider and model of the vectors; "" compares with any.

    Source: memory.md 4.1 and 4.2.
    """

    state: str = ""
    task_type: str = ""
    type: str = ""
    vectors: Vectors = NO_VECTORS
    embedding_model: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Retrieval:
    """What came to mind, and what nearly did.

    Attributes:
        rows: Rows of the matrix in rank order, at most top-k.
        ids: Their ids.
        survivors: Rows above the threshold, in row order.
        activations: Activation of each survivor.
        scores: Score of each survivor.
        candidates: Rows that passed the structural filter.
        other_length: Vectors skipped because their length differs, to be logged.
        decimals: To how many decimals scores were compared.

    Source: memory.md 4.3 and 4.4; 3.6 (survivors of candidates are logged).
    """

    rows: Ints
    ids: tuple[str, ...]
    survivors: Ints
    activations: Floats
    scores: Floats
    candidates: int
    other_length: int = 0
    decimals: int = DOUBLE_DECIMALS

    def ranked_scores(self) -> Floats:
        """Give the scores of `rows`, in rank order, rounded as they were compared."""
        places = np.searchsorted(self.survivors, self.rows)
        return np.round(self.scores[places], self.decimals)


def retrieve(
    matrix: ChunkMatrix,
    query: Query,
    clock: int,
    policy: RetrievalPolicy = SEED,
    chance: Draws | None = None,
) -> Retrieval:
    """Find the memories above the threshold and rank them by activation and similarity.

    1. structural filter; 2. `B > tau`, strictly; 3. weighted score plus noise; 4. descending score
    after rounding, then insertion order, then id; 5. the first `top_k`. Retrieval writes nothing.

    Args:
        matrix: All chunks of the memory.
        query: What is asked.
        clock: The memory's interaction number now.
        policy: Bounds.
        chance: Draws for the noise, one per survivor; None switches noise off.

    Source: memory.md 4.1 to 4.5.
    """
    eligible = candidates(matrix, query)
    survivors, activation = _above_threshold(matrix, eligible, clock, policy)
    scores, other_length, single = composite(
        matrix, survivors, activation, query, policy=policy, chance=chance
    )
    decimals = SINGLE_DECIMALS if single else DOUBLE_DECIMALS
    order = _ranked(matrix, survivors, scores, decimals, policy.top_k)
    return Retrieval(
        rows=survivors[order],
        ids=matrix.ids_of(survivors[order]),
        survivors=survivors,
        activations=activation,
        scores=scores,
        candidates=int(np.count_nonzero(eligible)),
        other_length=other_length,
        decimals=decimals,
    )


def retrieve_salience(
    matrix: ChunkMatrix,
    salience: Vector | None,
    clock: int,
    policy: RetrievalPolicy = SEED,
    embedding_model: str = "",
) -> Retrieval:
    """Find what the proxy was surprised by that resembles this, by one cosine alone.

    Candidates are all live chunks with a salience vector: no structural filter, no activation in
    the score, no noise. A vector of another length or model is dropped; a zero vector stays with
    similarity 0. Without a query vector nothing comes to mind.

    Source: memory.md 4.6.
    """
    survivors, activation = _above_threshold(matrix, matrix.live, clock, policy)
    found = matrix.cosines(Dimension.SALIENCE, salience, embedding_model, survivors)
    kept, scores = survivors[found.comparable], found.values[found.comparable]
    decimals = SINGLE_DECIMALS if found.single else DOUBLE_DECIMALS
    order = _ranked(matrix, kept, scores, decimals, policy.salience_top_k)
    holders = np.zeros(len(matrix), np.bool_)
    for block in matrix.blocks.get(Dimension.SALIENCE, ()):
        holders[block.rows] = True
    return Retrieval(
        rows=kept[order],
        ids=matrix.ids_of(kept[order]),
        survivors=kept,
        activations=activation[found.comparable],
        scores=scores,
        candidates=int(np.count_nonzero(holders & matrix.live)),
        other_length=found.other_length,
        decimals=decimals,
    )


def nearest_below(
    matrix: ChunkMatrix, query: Query, clock: int, policy: RetrievalPolicy = SEED
) -> str | None:
    """Give the id of the strongest candidate that the threshold kept out, for people to see.

    Ties go to the earlier row; a chunk without traces is never offered; None where there is none.

    Source: product.md 7.
    """
    eligible = candidates(matrix, query)
    survivors, _ = _above_threshold(matrix, eligible, clock, policy)
    eligible[survivors] = False
    rows = np.flatnonzero(eligible & (matrix.traces.listed > 0))
    if not rows.size:
        return None
    strength = trace_sums(matrix.traces.take(rows), clock, policy.decay).approximate
    return matrix.ids[int(rows[np.argmax(strength)])]


def candidates(matrix: ChunkMatrix, query: Query) -> Mask:
    """Say which live chunks pass the structural filter; comparison is exact.

    Source: memory.md 4.1.
    """
    mask = matrix.live.copy()
    if query.state:
        mask &= matrix.states.equal(query.state) | matrix.agnostic
    if query.task_type:
        mask &= matrix.task_types.equal(query.task_type) | matrix.agnostic
    if query.type:
        mask &= matrix.types.equal(query.type)
    return mask


def composite(
    matrix: ChunkMatrix,
    rows: Ints,
    activation: Floats,
    query: Query,
    *,
    policy: RetrievalPolicy = SEED,
    chance: Draws | None = None,
) -> tuple[Floats, int, bool]:
    """Score some rows, whether or not they survive.

    Returns:
        The score of each row; how many vectors were skipped for their length; whether a
        single-precision vector took part.

    Source: memory.md 4.3 (stage 2).
    """
    similarity, other_length, single = _similarity(matrix, rows, query, policy)
    scores = (
        policy.activation_weight * normalized(activation, policy)
        + policy.semantic_weight * similarity
    )
    if chance is not None:
        scores = scores + logistic_noises(chance(rows), policy.noise_scale)
    return scores, other_length, single


def normalized(activation: Floats, policy: RetrievalPolicy = SEED) -> Floats:
    """Scale activations before weighting.

    `minmax` ranges over the values given, which are the survivors of one query; all equal (within
    1e-9) gives 0.5 each. `tanh` is `tanh(B - tau)`: absolute, negative below the threshold, -1
    without traces.

    Source: memory.md 4.3.
    """
    if policy.normalization is Normalization.TANH:
        return np.tanh(activation - policy.retrieval_threshold)
    if not activation.size or np.ptp(activation) <= TOLERANCE:
        return np.full(activation.shape, 0.5)
    return (activation - activation.min()) / np.ptp(activation)


def score_one(
    chunk: Chunk,
    query: Query,
    clock: int,
    policy: RetrievalPolicy = SEED,
    p: float | None = None,
) -> float:
    """Score one chunk alone, without filtering it. With `minmax` its activation counts 0.5.

    Source: memory.md 4.3.
    """
    matrix = ChunkMatrix.of([chunk])
    row = np.zeros(1, np.int64)
    activation = logarithm(trace_sums(matrix.traces, clock, policy.decay).approximate)
    scores, _, _ = composite(matrix, row, activation, query, policy=policy)
    return float(scores[0]) + (0.0 if p is None else logistic_noise(p, policy.noise_scale))


def seeded(matrix: ChunkMatrix, seed: int, clock: int) -> Draws:
    """Give the draws of a memory at one moment, derived from seed, clock and chunk id.

    Source: memory.md 3.5.
    """
    return lambda rows: draws(seed, clock, matrix.hashes[rows])


def _above_threshold(
    matrix: ChunkMatrix, eligible: Mask, clock: int, policy: RetrievalPolicy
) -> tuple[Ints, Floats]:
    threshold = policy.retrieval_threshold
    hopeful = may_survive(matrix.traces, clock, threshold, policy.decay)
    rows = np.flatnonzero(eligible & hopeful)
    sums = trace_sums(matrix.traces.take(rows), clock, policy.decay)
    # a compacted chunk whose interval straddles the threshold counts as a survivor
    above = exceeds(logarithm(sums.highest), threshold)
    return rows[above], logarithm(sums.approximate[above])


def _similarity(
    matrix: ChunkMatrix, rows: Ints, query: Query, policy: RetrievalPolicy
) -> tuple[Floats, int, bool]:
    total = np.zeros(rows.size)
    other_length, single = 0, False
    for dimension in policy.dimensions:
        found = matrix.cosines(dimension, query.vectors.get(dimension), query.embedding_model, rows)
        total += found.values
        other_length += found.other_length
        single = single or found.single
    return total / len(policy.dimensions), other_length, single


def _ranked(matrix: ChunkMatrix, rows: Ints, scores: Floats, decimals: int, top_k: int) -> Ints:
    if not top_k:
        return np.zeros(0, np.int64)
    compared = -np.round(scores, decimals)
    places = np.arange(rows.size)
    if rows.size > top_k:  # only those that can still be among the first k are sorted
        places = np.flatnonzero(compared <= np.partition(compared, top_k - 1)[top_k - 1])
    chosen = rows[places]
    order = np.lexsort((matrix.id_rank[chosen], matrix.sequence[chosen], compared[places]))
    return places[order[:top_k]]
