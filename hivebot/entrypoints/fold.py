"""What does the fold of this name answer, and which cases of a vector file does it fail?"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from hivebot.entrypoints.folds import FOLDS
from hivebot.entrypoints.folds.entry import Fold
from hivebot.errors import HivebotError
from hivebot.hive.errors import DecodeError
from hivebot.hive.wire.codec import list_of, record, required, text

_LONGEST_NUMBER = 40
_OUT_OF_EVERY_WIDTH = 10**_LONGEST_NUMBER


class FoldError(HivebotError):
    """A fold cannot be run at all: no such name, or nothing to run it on."""

    code = "fold"


@dataclass(frozen=True, slots=True)
class Case:
    """One worked case of a vector file."""

    name: str
    input: object
    expect: object


@dataclass(frozen=True, slots=True)
class Failure:
    """A case whose answer is not the expected one."""

    name: str
    expect: object
    actual: object


def find(name: str) -> Fold:
    """Look a fold up by its name.

    Raises:
        FoldError: There is none; the message lists those there are.
    """
    if name not in FOLDS:
        raise FoldError(f"there is no fold {name!r}; there are {', '.join(sorted(FOLDS))}")
    return FOLDS[name]


def fold(name: str, value: object) -> object:
    """Answer one input, as JSON.

    Raises:
        FoldError: There is no fold of this name.
    """
    return find(name).answer(value)


def run_cases(name: str, cases: Iterable[Case]) -> list[Failure]:
    """Run cases in order and give those that fail; none means that all passed.

    Raises:
        FoldError: There is no fold of this name.
    """
    entry = find(name)
    answers = ((case, entry.answer(case.input)) for case in cases)
    return [
        Failure(case.name, case.expect, actual)
        for case, actual in answers
        if not entry.matches(actual, case.expect)
    ]


def parse_json(source: str | bytes) -> object:
    """Parse JSON with every number kept for what it is.

    Raises:
        FoldError: It is not JSON, or nested too deeply to read.
    """
    try:
        return json.loads(source, parse_int=_integer)
    except (ValueError, RecursionError) as exc:
        raise FoldError("the input is not JSON") from exc


def _integer(digits: str) -> int:
    # Python refuses to read very long numbers; they are out of every width all the same.
    if len(digits) > _LONGEST_NUMBER:
        return -_OUT_OF_EVERY_WIDTH if digits.startswith("-") else _OUT_OF_EVERY_WIDTH
    return int(digits)


def decode_cases(value: object) -> tuple[Case, ...]:
    """Read a vector file: a list of `{"name", "input", "expect"}`, further keys ignored.

    Raises:
        FoldError: It is none.
    """
    try:
        return list_of(_case)(value, "")
    except DecodeError as exc:
        raise FoldError(f"these are no cases: {exc}") from exc


def _case(value: object, path: str) -> Case:
    keys = record(value, path)
    return Case(
        name=required(keys, "name", text, path),
        input=required(keys, "input", _anything, path),
        expect=required(keys, "expect", _anything, path),
    )


def _anything(value: object, _path: str) -> object:
    return value
