"""How does a record become JSON and columns, and a row a record again?

Records are frozen dataclasses of text, numbers, enums, tuples and other such records; each says
under `is` which it is. How it is read back is taken from the annotations of the records.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")

_TAG = "is"


def encode(value: object) -> object:
    """A record, or a tuple of records, as JSON."""
    if isinstance(value, Enum):
        return cast("object", value.value)
    if isinstance(value, tuple | list):
        return [encode(item) for item in cast("tuple[object, ...]", value)]
    if is_dataclass(value) and not isinstance(value, type):
        given = (field.name for field in fields(value) if field.init)
        kept = {name: encode(getattr(value, name)) for name in given}
        return {_TAG: type(value).__name__, **kept}
    return value


def decode(kind: type[T], data: object) -> T:
    """The record that `encode` was given. Fields that were added since have their defaults.

    Raises:
        ValueError: The data are not of this kind.
    """
    return cast("T", _decode(kind, data))


def decode_union(kind: object, data: object) -> object:
    """As `decode`, for a field that may hold one of several kinds of record."""
    return _decode(kind, data)


def _decode(kind: Any, data: object) -> object:  # noqa: ANN401 - an annotation is of any type
    origin = get_origin(kind)
    if origin in {Union, types.UnionType}:
        return _decode_one_of(get_args(kind), data)
    if origin is tuple:
        return _decode_tuple(get_args(kind), data)
    if origin is Literal:
        return _checked(data, data in get_args(kind), kind)
    if is_dataclass(cast("object", kind)):
        return _decode_record(cast("type[object]", kind), data)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(data)
    return _checked(data, type(data) is kind, cast("object", kind))


def _checked(data: object, holds: bool, kind: object) -> object:  # noqa: FBT001 - both in one place
    if not holds:
        raise ValueError(f"not a {kind}: a {type(data).__name__}")
    return data


def _decode_one_of(kinds: tuple[object, ...], data: object) -> object:
    if data is None and type(None) in kinds:
        return None
    rest = [kind for kind in kinds if kind is not type(None)]
    if len(rest) == 1:
        return _decode(rest[0], data)
    given = cast("dict[str, object]", _checked(data, isinstance(data, dict), "record"))
    for kind in rest:
        if isinstance(kind, type) and kind.__name__ == given.get(_TAG):
            return _decode_record(kind, given)
    raise ValueError(f"none of {rest}: {given.get(_TAG)}")


def _decode_tuple(kinds: tuple[object, ...], data: object) -> tuple[object, ...]:
    items = cast("list[object]", _checked(data, isinstance(data, list), "list"))
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(_decode(kinds[0], item) for item in items)
    return tuple(_decode(kind, item) for kind, item in zip(kinds, items, strict=True))


def _decode_record(kind: type[object], data: object) -> object:
    given = cast("dict[str, object]", _checked(data, isinstance(data, dict), kind.__name__))
    hints = _hints(kind)
    make = cast("Callable[..., object]", kind)
    return make(**{name: _decode(hints[name], given[name]) for name in hints if name in given})


@cache
def _hints(kind: type[object]) -> dict[str, object]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(cast("Any", kind)) if field.init}
