"""Which folds of the proxy memory are there, and when is an answer right?

Inputs and answers are those of the worked cases: numbers are compared with a tolerance, minus
infinity is written `"-inf"`, an error is `{"error": code}`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, cast

from hivebot.entrypoints.folds.entry import Fold, same_json
from hivebot.entrypoints.folds.memory.answers import ANSWERS
from hivebot.entrypoints.folds.memory.inputs import Keys, is_number
from hivebot.entrypoints.folds.memory.story import soft_deletes
from hivebot.hive.errors import DecodeError
from hivebot.hive.wire.codec import record
from hivebot.proxy.errors import ProxyError

DOUBLE_TOLERANCE = 1e-9
SINGLE_TOLERANCE = 1e-5
"""For scores over single-precision vectors; the worked cases hold double ones."""


def close_json(actual: object, expect: object, tolerance: float = DOUBLE_TOLERANCE) -> bool:
    """Compare JSON values, numbers with an absolute tolerance; lists compare in order."""
    if is_number(actual) and is_number(expect):
        return abs(cast("float", actual) - cast("float", expect)) <= tolerance
    if isinstance(actual, dict) and isinstance(expect, dict):
        ours, theirs = cast("dict[str, object]", actual), cast("dict[str, object]", expect)
        return ours.keys() == theirs.keys() and all(
            close_json(value, theirs[key], tolerance) for key, value in ours.items()
        )
    if isinstance(actual, list) and isinstance(expect, list):
        mine, yours = cast("list[object]", actual), cast("list[object]", expect)
        pairs = zip(mine, yours, strict=False)
        return len(mine) == len(yours) and all(close_json(a, b, tolerance) for a, b in pairs)
    return same_json(cast("object", actual), expect)


def memory_fold(compute: Callable[[Keys], object]) -> Fold:
    """Make a fold of a function over the keys of its input; a refusal becomes its code."""

    def answer(value: object) -> object:
        try:
            return compute(record(value, ""))
        except ProxyError as error:
            return {"error": error.code}
        except DecodeError:
            return {"error": "decode"}

    return Fold(answer, close_json)


FOLDS: Final[Mapping[str, Fold]] = MappingProxyType(
    {
        f"memory.{name}": memory_fold(compute)
        for name, compute in {**ANSWERS, "soft_delete": soft_deletes}.items()
    }
)
"""Every fold of the memory by `memory.` and the name of its vector file."""
