"""What is a fold to the runner: a function from JSON to JSON, and when is its answer right?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from hivebot.hive.errors import HiveError
from hivebot.hive.wire.codec import one_of, optional, record


@dataclass(frozen=True, slots=True)
class Fold:
    """One named fold.

    Attributes:
        answer: From the input of a case to what is compared with its expectation.
        matches: `(actual, expect)`; whether the answer is right.
    """

    answer: Callable[[object], object]
    matches: Callable[[object, object], bool]


def same_json(actual: object, expect: object) -> bool:
    """Compare JSON values exactly: 1, 1.0 and true differ, key order does not count."""
    if type(actual) is not type(expect):
        return False
    if isinstance(actual, dict):
        ours, theirs = cast("dict[str, object]", actual), cast("dict[str, object]", expect)
        return ours.keys() == theirs.keys() and all(
            same_json(value, theirs[key]) for key, value in ours.items()
        )
    if isinstance(actual, list):
        mine, yours = cast("list[object]", actual), cast("list[object]", expect)
        return len(mine) == len(yours) and all(map(same_json, mine, yours))
    return actual == expect


def hive_fold(compute: Callable[[Mapping[str, object]], object]) -> Fold:
    """Make a fold of a function over the keys of its input.

    The answer is `{"ok": value}`, or `{"error": …}` when the function raises a `HiveError`.
    """

    def answer(value: object) -> object:
        try:
            return {"ok": compute(record(value, ""))}
        except HiveError as error:
            return {"error": error.wire()}

    return Fold(answer, same_json)


def by_op(
    operations: Mapping[str, Callable[[Mapping[str, object]], object]],
) -> Callable[[Mapping[str, object]], object]:
    """Choose a function by the key `op`; without it the first one is meant.

    An unknown `op` is a decode error.
    """
    first = next(iter(operations.values()))
    pick = one_of(operations)

    def compute(keys: Mapping[str, object]) -> object:
        return optional(keys, "op", pick, "", first)(keys)

    return compute
