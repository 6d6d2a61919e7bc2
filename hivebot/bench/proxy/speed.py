"""How much faster is retrieval over arrays than a scan of vectors stored as JSON?"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from hivebot.proxy.activation import TraceTable
from hivebot.proxy.matrix import ChunkMatrix, block_of
from hivebot.proxy.retrieval import Query, RetrievalPolicy, retrieve
from hivebot.proxy.vectors import EXPERIENCE, Dimension, Vectors, vector

WIDTH: Final = 256
ROUNDS: Final = 5
_DIMENSIONS: Final = (*EXPERIENCE, Dimension.SALIENCE)
_TRACES_MAX: Final = 9
_POLICY: Final = RetrievalPolicy(noise_scale=0.0)


class _Stored(TypedDict):
    id: str
    traces: list[int]
    embeddings: dict[str, list[float]]


@dataclass(frozen=True, slots=True, eq=False)
class Memory:
    """One made-up memory of which most chunks survive, laid out for retrieval.

    Attributes:
        matrix: Chunks with five single-precision vectors each.
        query: Vectors in the four dimensions that score.
        clock: Interaction number now.
        raw: The vectors as they were drawn, by dimension.
    """

    matrix: ChunkMatrix
    query: Query
    clock: int
    raw: dict[Dimension, NDArray[np.float32]]

    def as_json(self) -> list[str]:
        """Write each chunk as one line of JSON, as a store without vectors would."""
        table = self.matrix.traces
        lines: list[str] = []
        for row, name in enumerate(self.matrix.ids):
            traces = table.flat[table.offsets[row] : table.offsets[row + 1]].tolist()
            held = {each.value: self.raw[each][row].tolist() for each in _DIMENSIONS}
            lines.append(json.dumps({"id": name, "traces": traces, "embeddings": held}))
        return lines


@dataclass(frozen=True, slots=True)
class Speed:
    """What one size took.

    Attributes:
        chunks: Size of the memory.
        times_s: Seconds of each retrieval over arrays, rising.
        scan_s: Seconds of one scan of JSON, or None where it was not run.
    """

    chunks: int
    times_s: tuple[float, ...]
    scan_s: float | None

    @property
    def arrays_s(self) -> float:
        """Give the median."""
        return self.times_s[len(self.times_s) // 2]

    @property
    def p95_s(self) -> float:
        """Give the 95th percentile by nearest rank: a time that was measured."""
        return self.times_s[math.ceil(0.95 * len(self.times_s)) - 1]

    @property
    def gain(self) -> float | None:
        """Say how many times faster the arrays are."""
        return None if self.scan_s is None else self.scan_s / self.arrays_s


def made_up(chunks: int, width: int = WIDTH, seed: int = 1) -> Memory:
    """Make a memory of which most chunks survive, the hard case for ranking."""
    chance = np.random.default_rng(seed)
    counts = chance.integers(1, _TRACES_MAX + 1, chunks)
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    clock = chunks + 1
    flat = clock - chance.integers(1, 50, int(offsets[-1]))
    rows = np.arange(chunks, dtype=np.int64)
    raw = {each: chance.standard_normal((chunks, width), dtype=np.float32) for each in _DIMENSIONS}
    asked = {
        each.value: vector(chance.standard_normal(width, dtype=np.float32)) for each in EXPERIENCE
    }
    matrix = ChunkMatrix.from_arrays(
        ids=tuple(f"c{row}" for row in range(chunks)),
        sequence=rows,
        traces=TraceTable.from_arrays(flat, offsets),
        live=np.ones(chunks, np.bool_),
        types=["gate_outcome"] * chunks,
        states=["answer_review"] * chunks,
        task_types=["payments"] * chunks,
        models=[""] * chunks,
        blocks={each: (block_of(rows, raw[each]),) for each in _DIMENSIONS},
    )
    return Memory(matrix, Query(state="answer_review", vectors=Vectors(**asked)), clock, raw)


def scan(lines: Sequence[str], memory: Memory, policy: RetrievalPolicy = _POLICY) -> list[str]:
    """Retrieve by reading JSON and looping over floats: what a first version would do."""
    asked = {
        each.value: cast("list[float]", held.tolist())
        for each in EXPERIENCE
        if (held := memory.query.vectors.get(each)) is not None
    }
    kept: list[tuple[str, float, float]] = []
    for line in lines:
        chunk = cast("_Stored", json.loads(line))
        ages = (max(memory.clock - trace, 1) for trace in chunk["traces"])
        strength = math.log(sum(age**-policy.decay for age in ages))
        if strength > policy.retrieval_threshold:
            similar = sum(_cosine(chunk["embeddings"][name], asked[name]) for name in asked) / 4
            kept.append((chunk["id"], strength, similar))
    low = min((strength for _, strength, _ in kept), default=0.0)
    spread = max((strength for _, strength, _ in kept), default=0.0) - low
    ranked = sorted(
        kept,
        key=lambda one: (
            -(
                policy.activation_weight * ((one[1] - low) / spread if spread else 0.5)
                + policy.semantic_weight * one[2]
            )
        ),
    )
    return [name for name, _, _ in ranked[: policy.top_k]]


def measure(
    sizes: Sequence[int],
    scanned: Sequence[int],
    now: Callable[[], float],
    width: int = WIDTH,
    rounds: int = ROUNDS,
) -> tuple[Speed, ...]:
    """Time retrieval at several sizes, and the scan at some of them.

    Args:
        sizes: Numbers of chunks.
        scanned: Those of them at which the scan is timed as well; it is slow.
        now: A clock in seconds that never goes back.
        width: Components of each vector.
        rounds: Retrievals at each size, at least 1.
    """
    return tuple(_measured(size, now, width, rounds, with_scan=size in scanned) for size in sizes)


def _measured(
    size: int, now: Callable[[], float], width: int, rounds: int, *, with_scan: bool
) -> Speed:
    memory = made_up(size, width)
    times: list[float] = []
    for _ in range(rounds):
        start = now()
        retrieve(memory.matrix, memory.query, memory.clock, _POLICY)
        times.append(now() - start)
    took = tuple(sorted(times))
    if not with_scan:
        return Speed(size, took, None)
    lines = memory.as_json()
    start = now()
    scan(lines, memory)
    return Speed(size, took, now() - start)


def _cosine(left: Sequence[float], right: Sequence[float]) -> float:
    dot = sum(a * b for a, b in zip(left, right, strict=True))
    norms = math.sqrt(sum(a * a for a in left)) * math.sqrt(sum(b * b for b in right))
    return dot / norms if norms else 0.0
