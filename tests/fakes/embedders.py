"""Embedders for tests: words in hashed buckets, and one that fails when it is told to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hivebot.proxy.noise import id_hashes
from hivebot.proxy.vectors import Vector, vector
from hivebot.services.ports.embedding import EmbedderError

WIDTH = 24


class BagEmbedder:
    """Counts words in hashed buckets: like texts have like vectors.

    Attributes:
        calls: The texts of each call.
        refused: Texts it takes in no call; the call fails with `rejected`.
        broken: Every call fails with `unavailable`.
    """

    def __init__(self, model: str = "bag:24", refused: Sequence[str] = ()) -> None:
        self._model = model
        self.calls: list[tuple[str, ...]] = []
        self.refused = frozenset(refused)
        self.broken = False

    @property
    def model(self) -> str:
        """Name of the model."""
        return self._model

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """One vector each."""
        self.calls.append(tuple(texts))
        if self.broken:
            raise EmbedderError("unavailable")
        if self.refused.intersection(texts):
            raise EmbedderError("rejected")
        return tuple(bag(text) for text in texts)


def bag(text: str) -> Vector:
    counts = np.zeros(WIDTH, np.float32)
    for number in id_hashes(text.lower().split()).tolist():
        counts[number % WIDTH] += 1
    return vector(counts)
