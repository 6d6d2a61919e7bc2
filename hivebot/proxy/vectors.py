"""Which vectors may a chunk carry, and how alike are two of them?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hivebot.proxy.errors import InvalidVectorError, LengthMismatchError

Float: TypeAlias = np.float32 | np.float64
Vector: TypeAlias = NDArray[Float]
"""A flat, finite, read-only array in single or double precision."""


class Dimension(StrEnum):
    """One percept of an interaction that is embedded on its own. Source: memory.md 2."""

    SITUATION = "situation"
    ARTIFACT = "artifact"
    STIMULUS = "stimulus"
    RESPONSE = "response"
    SALIENCE = "salience"
    BLENDED = "blended"


EXPERIENCE: tuple[Dimension, ...] = (
    Dimension.SITUATION,
    Dimension.ARTIFACT,
    Dimension.STIMULUS,
    Dimension.RESPONSE,
)
"""The four dimensions that score; salience has a retrieval of its own (memory.md 4.2)."""


def vector(values: ArrayLike) -> Vector:
    """Read numbers into a vector.

    Single-precision arrays stay single (pgvector's own width), everything else becomes double.

    Raises:
        InvalidVectorError: The values are not flat, not numbers, or hold NaN or infinity.

    Source: memory.md 2 and 10.3.
    """
    try:
        raw = np.asarray(values)
        single = raw.dtype == np.float32
        array: Vector = np.array(raw, dtype=np.float32 if single else np.float64)
    except (TypeError, ValueError) as exc:
        raise InvalidVectorError(problem="is not a list of numbers") from exc
    if array.ndim != 1:
        raise InvalidVectorError(problem="is not flat")
    if not bool(np.isfinite(array).all()):
        raise InvalidVectorError(problem="holds NaN or infinity")
    array.setflags(write=False)
    return array


def storable(values: ArrayLike | None) -> Vector | None:
    """Give the vector as it may be stored: an empty or all-zero one is absent.

    Raises:
        InvalidVectorError: As `vector`.

    Source: memory.md 2 (hivebot MUST) and 10.3 (a zero vector is NaN to pgvector).
    """
    if values is None:
        return None
    array = vector(values)
    return array if bool(array.any()) else None


def unit_rows(matrix: NDArray[Float]) -> NDArray[Float]:
    """Scale each row to length 1; a row of zeros stays zero.

    Rows are divided by their largest component first, so that squares neither overflow nor vanish.
    """
    peak = np.abs(matrix).max(axis=1, initial=0.0, keepdims=True)
    scaled = np.divide(matrix, peak, out=np.zeros_like(matrix), where=peak > 0)
    squares = np.einsum("ij,ij->i", scaled, scaled, dtype=np.float64, casting="same_kind")
    length = np.sqrt(squares).astype(matrix.dtype).reshape(-1, 1)
    return np.divide(scaled, length, out=scaled, where=length > 0)


def unit(values: Vector) -> Vector:
    """Scale one vector to length 1; zeros stay zeros."""
    return unit_rows(values.reshape(1, -1))[0]


def cosine(a: ArrayLike, b: ArrayLike) -> float:
    """How alike are two vectors, from -1 to 1 (rounding may exceed it)?

    0 where both are empty or either is all zero; negative values are kept.

    Raises:
        LengthMismatchError: The lengths differ, also empty against non-empty.
        InvalidVectorError: As `vector`.

    Source: memory.md 4.2.
    """
    left, right = vector(a), vector(b)
    if left.size != right.size:
        raise LengthMismatchError(left=left.size, right=right.size)
    return float(np.dot(unit(left).astype(np.float64), unit(right).astype(np.float64)))


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """The vectors of one chunk or of one query, one per percept, absent where there is none.

    Two are equal when the same percepts are present with the same components.

    Source: memory.md 2.
    """

    situation: Vector | None = None
    artifact: Vector | None = None
    stimulus: Vector | None = None
    response: Vector | None = None
    salience: Vector | None = None
    blended: Vector | None = None

    def get(self, dimension: Dimension) -> Vector | None:
        """Give the vector of one percept; an empty one counts as absent."""
        found: Vector | None = getattr(self, dimension.value)
        return None if found is None or found.size == 0 else found

    def present(self) -> Iterator[tuple[Dimension, Vector]]:
        """List the percepts that have a vector, in the order of `Dimension`."""
        for dimension in Dimension:
            found = self.get(dimension)
            if found is not None:
                yield dimension, found

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vectors):
            return NotImplemented
        return all(
            _same(getattr(self, field.name), getattr(other, field.name)) for field in fields(self)
        )

    def __hash__(self) -> int:
        return hash(tuple((name, *found.tolist()) for name, found in self.present()))


NO_VECTORS = Vectors()


def _same(left: Vector | None, right: Vector | None) -> bool:
    if left is None or right is None:
        return left is right
    return np.array_equal(left, right)
