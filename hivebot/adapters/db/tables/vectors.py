"""How does a vector get into pgvector and out again, without a loop over its numbers?"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from pgvector.sqlalchemy import VECTOR
from sqlalchemy import Column, func
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.elements import ColumnElement

Vector: TypeAlias = NDArray[np.float32] | NDArray[np.float64]

_HEADER_BYTES = 4


class AnyVector(VECTOR):
    """A vector of any length in single precision; one column may hold several lengths.

    Read in Postgres' binary form, which numpy takes as it is.

    Source: memory.md 10.3.
    """

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        """Name the type without a length."""
        return "VECTOR"

    def bind_processor(self, dialect: Dialect) -> Callable[[Vector | None], str | None]:  # noqa: ARG002 - SQLAlchemy's signature
        """Write a vector as pgvector reads it."""
        return lambda value: None if value is None else written(value)

    def column_expression(self, colexpr: ColumnElement[Vector]) -> ColumnElement[Vector]:
        """Ask for the binary form."""
        return func.vector_send(colexpr, type_=self)

    def result_processor(
        self,
        dialect: Dialect,  # noqa: ARG002 - as above
        coltype: object,  # noqa: ARG002 - as above
    ) -> Callable[[bytes | None], Vector | None]:
        """Read the binary form."""
        return read


def written(values: Vector) -> str:
    """The vector as text, each number with as many digits as single precision has."""
    numbers = cast("list[float]", values.astype(np.float32).tolist())
    return f"[{','.join(map(str, numbers))}]"


def read(sent: bytes | None) -> Vector | None:
    """The vector of pgvector's binary form: two 16-bit numbers, then big-endian floats."""
    if sent is None:
        return None
    found = np.frombuffer(sent, ">f4", offset=_HEADER_BYTES).astype(np.float32)
    found.setflags(write=False)
    return found


def vector_or_none() -> Column[Vector | None]:
    """A vector, or none."""
    return cast("Column[Vector | None]", Column(AnyVector, nullable=True))
