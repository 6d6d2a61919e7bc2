"""Which malformed inputs can the memory be given, and what does each say about itself?

ProxyError
├── LengthMismatchError      two vectors of different lengths were to be compared
├── InvalidVectorError       a vector holds NaN or infinity, or is no flat list of numbers
├── InvalidTraceError        an interaction number does not fit 64 bits
├── InvalidBoundError        a parameter is outside what the model is defined for
└── DuplicateChunkError      two chunks of one memory share an id
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

from hivebot.errors import HivebotError


@dataclass(eq=False)
class ProxyError(HivebotError):
    """The memory was given something it cannot be asked about.

    Attributes:
        code: Stable snake_case name of the kind.
        message: Template of the sentence, filled with the fields.
    """

    code: ClassVar[str] = "proxy"
    message: ClassVar[str] = "malformed input to the memory"

    def details(self) -> dict[str, object]:
        """Give the typed fields by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __str__(self) -> str:
        return self.message.format(**self.details())

    def __reduce__(self) -> tuple[type[ProxyError], tuple[object, ...]]:
        return type(self), tuple(getattr(self, field.name) for field in fields(self))


@dataclass(eq=False)
class LengthMismatchError(ProxyError):
    """Two vectors of different lengths have no cosine.

    Attributes:
        left: Number of components of the first.
        right: Number of components of the second.

    Source: memory.md 4.2.
    """

    code: ClassVar[str] = "length_mismatch"
    message: ClassVar[str] = "vectors of {left} and {right} components cannot be compared"
    left: int
    right: int


@dataclass(eq=False)
class InvalidVectorError(ProxyError):
    """A vector cannot be stored or compared.

    Attributes:
        problem: What is wrong with it, never its values.

    Source: memory.md 2 (NaN and infinity are refused).
    """

    code: ClassVar[str] = "invalid_vector"
    message: ClassVar[str] = "a vector {problem}"
    problem: str


@dataclass(eq=False)
class InvalidTraceError(ProxyError):
    """An interaction number does not fit 64 bits.

    Source: memory.md 3.1.
    """

    code: ClassVar[str] = "invalid_trace"
    message: ClassVar[str] = "an interaction number does not fit 64 bits"


@dataclass(eq=False)
class InvalidBoundError(ProxyError):
    """A parameter is outside what the model is defined for.

    Attributes:
        name: The parameter.
        rule: What it has to be, as the end of the sentence "NAME must be …".

    Source: memory.md 1.1.
    """

    code: ClassVar[str] = "invalid_bound"
    message: ClassVar[str] = "{name} must be {rule}"
    name: str
    rule: str


@dataclass(eq=False)
class DuplicateChunkError(ProxyError):
    """Two chunks of one memory share an id.

    Attributes:
        chunk_id: The id met twice.

    Source: memory.md 2 (ids are unique).
    """

    code: ClassVar[str] = "duplicate_chunk"
    message: ClassVar[str] = "chunk id {chunk_id!r} is used twice"
    chunk_id: str
