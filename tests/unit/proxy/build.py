"""How does a test write down a chunk, a vector and a query in one line?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TypedDict, Unpack

import numpy as np

from hivebot.proxy.chunks import Chunk
from hivebot.proxy.matrix import ChunkMatrix
from hivebot.proxy.retrieval import (
    Draws,
    Query,
    Retrieval,
    RetrievalPolicy,
    retrieve,
)
from hivebot.proxy.vectors import Vector, Vectors, vector


class Percept(TypedDict, total=False):
    situation: Sequence[float]
    artifact: Sequence[float]
    stimulus: Sequence[float]
    response: Sequence[float]
    salience: Sequence[float]
    blended: Sequence[float]


def vectors(**percepts: Unpack[Percept]) -> Vectors:
    made: dict[str, Vector] = {}
    for name, values in percepts.items():
        made[name] = vector(json.loads(json.dumps(values)))
    return Vectors(**made)


def four(values: Sequence[float]) -> Vectors:
    return vectors(situation=values, artifact=values, stimulus=values, response=values)


def single(values: Sequence[float]) -> Vector:
    return vector(np.array(values, np.float32))


def in_order(*chunks: Chunk) -> ChunkMatrix:
    """Lay out chunks; the position is the insertion order unless a chunk says otherwise."""
    return ChunkMatrix.of(
        [replace(each, sequence=each.sequence or place) for place, each in enumerate(chunks)]
    )


def found(
    chunks: Sequence[Chunk],
    query: Query | None = None,
    clock: int = 10,
    policy: RetrievalPolicy | None = None,
    chance: Draws | None = None,
) -> Retrieval:
    return retrieve(in_order(*chunks), query or Query(), clock, policy or RetrievalPolicy(), chance)
