"""Do decay, similarity and the way they are added earn their place, on a memory's own past?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

import numpy as np

from hivebot.proxy.activation import Ints
from hivebot.proxy.chunks import Chunk
from hivebot.proxy.matrix import ChunkMatrix
from hivebot.proxy.metrics import Ratio, ratio
from hivebot.proxy.retrieval import SEED, Normalization, Query, RetrievalPolicy, retrieve
from hivebot.proxy.vectors import Vectors

DROP_DECAY_AT = 0.95
FORGETS_NOTHING = -1e9
"""A threshold that every chunk with a trace exceeds."""


@dataclass(frozen=True, slots=True)
class Composition:
    """How often earlier memories foretold a chunk's outcome, under one policy.

    Attributes:
        matched: Right predictions, of all held-out chunks; no prediction is wrong.
        covered: Held-out chunks for which anything was retrieved, of the same.
        checkpoints: `matched` after each further number of chunks asked for.

    Source: memory.md 11 (#225).
    """

    matched: Ratio
    covered: Ratio
    checkpoints: tuple[Ratio, ...] = ()


@dataclass(frozen=True, slots=True)
class Recency:
    """Activation against plain recency.

    Attributes:
        activation: Right predictions with activation retrieval.
        recency: Right predictions with the most recent N, N = survivors.
        jaccard: Mean overlap of what the two retrieve; 1 where both retrieve nothing.
        early: Both for the earlier half by creation: activation, recency.
        late: Both for the later half.
        single_trace: Every chunk has one trace, so that the test says nothing.

    Source: memory.md 11 (#223).
    """

    activation: Ratio
    recency: Ratio
    jaccard: float
    early: tuple[Ratio, Ratio]
    late: tuple[Ratio, Ratio]
    single_trace: bool

    @property
    def drop_decay(self) -> bool | None:
        """Say whether recency does as well (95% of the match rate); None if nothing can be said."""
        with_decay, without = self.activation.share, self.recency.share
        if self.single_trace or with_decay is None or without is None:
            return None
        return without >= DROP_DECAY_AT * with_decay


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    outcome: str
    matrix: ChunkMatrix
    query: Query
    clock: int


WEIGHTINGS: Final[Mapping[str, RetrievalPolicy]] = MappingProxyType(
    {
        "0.5/0.5": SEED,
        "1/0": replace(SEED, activation_weight=1.0, semantic_weight=0.0),
        "0/1": replace(SEED, activation_weight=0.0, semantic_weight=1.0),
    }
)
"""The three weightings of the original, activation first."""


def score_composition(
    chunks: Sequence[Chunk],
    policies: Mapping[str, RetrievalPolicy] | None = None,
    checkpoints: Sequence[int] = (),
) -> dict[str, Composition]:
    """Predict each chunk by the majority outcome of what is retrieved from earlier ones.

    Args:
        chunks: A memory; chunks without traces or outcome are not held out.
        policies: Arms by name; the default is the three weightings of the original.
        checkpoints: Numbers of held-out chunks after which the match rate is reported.

    Source: memory.md 11 (#225).
    """
    arms = WEIGHTINGS if policies is None else policies
    outcomes = [chunk.outcome for chunk in chunks]
    results: dict[str, list[tuple[bool, bool]]] = {name: [] for name in arms}
    for step in _steps(chunks):
        for name, policy in arms.items():
            rows = retrieve(step.matrix, step.query, step.clock, policy).rows
            guess = _majority(outcomes, rows)
            results[name].append((guess == step.outcome, rows.size > 0))
    return {name: _composition(pairs, checkpoints) for name, pairs in results.items()}


def minmax_or_tanh(
    chunks: Sequence[Chunk], policy: RetrievalPolicy = SEED
) -> dict[str, Composition]:
    """Compare the two ways of scaling activation on a memory's own past.

    Source: memory.md 11 (hivebot MUST) and 4.3.
    """
    arms = {each.value: replace(policy, normalization=each) for each in Normalization}
    return score_composition(chunks, arms)


def decay_or_recency(chunks: Sequence[Chunk], policy: RetrievalPolicy = SEED) -> Recency:
    """Compare activation with the most recent N, re-ranked by similarity alone.

    N is the number of survivors of the activation retrieval, so that both show as much.

    Source: memory.md 11 (#223).
    """
    outcomes = [chunk.outcome for chunk in chunks]
    matches: list[tuple[bool, bool]] = []
    overlaps: list[float] = []
    for step in _steps(chunks):
        by_strength = retrieve(step.matrix, step.query, step.clock, policy)
        shown = by_strength.survivors.size
        by_age = most_recent(step.matrix, step.query, step.clock, policy, shown)
        guesses = _majority(outcomes, by_strength.rows), _majority(outcomes, by_age)
        matches.append((guesses[0] == step.outcome, guesses[1] == step.outcome))
        overlaps.append(_jaccard(by_strength.rows, by_age))
    half = len(matches) // 2
    activation, recency = _pair(matches)
    return Recency(
        activation=activation,
        recency=recency,
        jaccard=float(np.mean(overlaps)) if overlaps else 1.0,
        early=_pair(matches[:half]),
        late=_pair(matches[half:]),
        single_trace=all(len(chunk.traces) <= 1 for chunk in chunks),
    )


def most_recent(
    matrix: ChunkMatrix, query: Query, clock: int, policy: RetrievalPolicy, count: int
) -> Ints:
    """Give the rows of the `count` most recent candidates, ranked by similarity alone.

    Recent is a large newest trace; ties go to the later row.

    Source: memory.md 11 (#223); proxy-experiment.md (baselines).
    """
    everything = replace(
        policy,
        retrieval_threshold=FORGETS_NOTHING,
        activation_weight=0.0,
        semantic_weight=1.0,
        top_k=len(matrix),
    )
    ranked = retrieve(matrix, query, clock, everything).rows
    newest = matrix.traces.newest[ranked]
    recent = np.lexsort((-ranked, -newest))[:count]
    return ranked[np.sort(recent)][: policy.top_k]


def _steps(chunks: Sequence[Chunk]) -> Iterator[_Step]:
    """Replay the memory: each chunk with an outcome is asked about just before it was created."""
    whole = ChunkMatrix.of(chunks)
    held = [chunk for chunk in chunks if chunk.live and chunk.traces and chunk.outcome]
    for chunk in sorted(held, key=lambda each: (min(each.traces), each.sequence)):
        clock = min(chunk.traces) - 1
        traces = whole.traces.until(clock)
        before = replace(whole, traces=traces, live=whole.live & (traces.listed > 0))
        query = Query(
            state=chunk.state,
            task_type=chunk.task_type,
            vectors=_asked(chunk.vectors),
            embedding_model=chunk.embedding_model,
        )
        yield _Step(chunk.outcome, before, query, clock)


def _asked(vectors: Vectors) -> Vectors:
    """Leave out what a gate cannot know yet: the person's words, and what surprised."""
    return Vectors(
        situation=vectors.situation, artifact=vectors.artifact, stimulus=vectors.stimulus
    )


def _composition(pairs: Sequence[tuple[bool, bool]], checkpoints: Sequence[int]) -> Composition:
    matched, covered = _pair(pairs)
    points = tuple(_pair(pairs[:point])[0] for point in checkpoints)
    return Composition(matched, covered, points)


def _majority(outcomes: Sequence[str], rows: Ints) -> str:
    """Give the most frequent outcome, of equals the best-ranked; "" if none has one."""
    places: list[int] = rows.tolist()
    votes = Counter(outcomes[place] for place in places if outcomes[place])
    return votes.most_common(1)[0][0] if votes else ""


def _jaccard(left: Ints, right: Ints) -> float:
    union = np.union1d(left, right).size
    return np.intersect1d(left, right).size / union if union else 1.0


def _pair(flags: Sequence[tuple[bool, bool]]) -> tuple[Ratio, Ratio]:
    return ratio(one for one, _ in flags), ratio(other for _, other in flags)
