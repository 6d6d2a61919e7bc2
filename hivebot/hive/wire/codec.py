"""Is this JSON value the text, number, list or object it has to be?

A decoder is a function `(value, path) -> T` that raises `DecodeError`; `path` says where the value
stands. Three readers of keys, `required`, `nullable` and `optional`, differ only in what absence
and `null` mean.

Source: hive.md section 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NoReturn, TypeAlias, TypeVar, cast

from hivebot.hive.errors import DecodeError
from hivebot.hive.scalars import I64_MAX, I64_MIN, U8_MAX, U16_MAX, U32_MAX, U64_MAX

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)

JsonObject: TypeAlias = dict[str, object]
Decoder: TypeAlias = Callable[[object, str], T]


def fail(path: str, problem: str) -> NoReturn:
    """Raise the decode error for the value at `path`.

    Raises:
        DecodeError: Always.
    """
    raise DecodeError(path=path, problem=problem)


def child(path: str, key: str | int) -> str:
    """Give the path of an entry of the value at `path`."""
    return f"{path}.{key}" if path else str(key)


def text(value: object, path: str) -> str:
    """Decode a string that can be written as UTF-8.

    Raises:
        DecodeError: No string, or one with a lone surrogate.
    """
    if not isinstance(value, str):
        fail(path, "no string")
    try:
        value.encode()
    except UnicodeEncodeError:
        fail(path, "a lone surrogate")
    return value


def flag(value: object, path: str) -> bool:
    """Decode a boolean.

    Raises:
        DecodeError: Anything else, 0 and 1 included.
    """
    if not isinstance(value, bool):
        fail(path, "no boolean")
    return value


def _integer(value: object, path: str, lowest: int, highest: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        fail(path, "no integer")
    if not lowest <= value <= highest:
        fail(path, f"not within {lowest} to {highest}")
    return value


def u8(value: object, path: str) -> int:
    """Decode an integer of 0..255.

    Raises:
        DecodeError: No integer, or out of range; booleans and floats are no integers.
    """
    return _integer(value, path, 0, U8_MAX)


def u16(value: object, path: str) -> int:
    """Decode an integer of 0..65 535.

    Raises:
        DecodeError: No integer, or out of range; booleans and floats are no integers.
    """
    return _integer(value, path, 0, U16_MAX)


def u32(value: object, path: str) -> int:
    """Decode an integer of 0..2^32-1.

    Raises:
        DecodeError: No integer, or out of range; booleans and floats are no integers.
    """
    return _integer(value, path, 0, U32_MAX)


def u64(value: object, path: str) -> int:
    """Decode an integer of 0..2^64-1, such as a sequence or an offset.

    Raises:
        DecodeError: No integer, or out of range; booleans and floats are no integers.
    """
    return _integer(value, path, 0, U64_MAX)


def i64(value: object, path: str) -> int:
    """Decode an integer of -2^63..2^63-1.

    Raises:
        DecodeError: No integer, or out of range; booleans and floats are no integers.
    """
    return _integer(value, path, I64_MIN, I64_MAX)


def record(value: object, path: str) -> Mapping[str, object]:
    """Decode an object; which keys it has is for the readers of keys.

    Raises:
        DecodeError: No object.
    """
    if not isinstance(value, dict):
        fail(path, "no object")
    return cast("dict[str, object]", value)


def sequence(value: object, path: str) -> list[object]:
    """Decode a list without looking at its entries.

    Raises:
        DecodeError: No list.
    """
    if not isinstance(value, list):
        fail(path, "no list")
    return cast("list[object]", value)


def list_of(decode: Decoder[T]) -> Decoder[tuple[T, ...]]:
    """Make the decoder of a list whose entries `decode` takes; order is kept."""

    def decode_list(value: object, path: str) -> tuple[T, ...]:
        return tuple(
            decode(entry, child(path, at)) for at, entry in enumerate(sequence(value, path))
        )

    return decode_list


def nullable_value(decode: Decoder[T]) -> Decoder[T | None]:
    """Make the decoder that takes `null` as None and leaves the rest to `decode`."""

    def decode_nullable(value: object, path: str) -> T | None:
        return None if value is None else decode(value, path)

    return decode_nullable


def one_of(words: Mapping[str, T]) -> Decoder[T]:
    """Make the decoder of an enum written as one of `words`.

    Case counts; nothing is trimmed.
    """

    def decode_word(value: object, path: str) -> T:
        word = text(value, path)
        if word not in words:
            fail(path, f"none of {', '.join(words)}")
        return words[word]

    return decode_word


def enum_of(members: type[E]) -> Decoder[E]:
    """Make the decoder of an enum whose values are its words on the wire."""
    return one_of({member.value: member for member in members})


def required(entries: Mapping[str, object], key: str, decode: Decoder[T], path: str) -> T:
    """Read a key that must be there; `null` is for `decode` to judge.

    Raises:
        DecodeError: The key is missing, or `decode` refuses its value.
    """
    if key not in entries:
        fail(child(path, key), "missing")
    return decode(entries[key], child(path, key))


def nullable(entries: Mapping[str, object], key: str, decode: Decoder[T], path: str) -> T | None:
    """Read a key that must be there but may be `null`, so that nothing is switched off by omission.

    Raises:
        DecodeError: The key is missing, or `decode` refuses its value.
    """
    return required(entries, key, nullable_value(decode), path)


def optional(
    entries: Mapping[str, object], key: str, decode: Decoder[T], path: str, default: T
) -> T:
    """Read a key whose absence means `default`; `null` is for `decode` to judge.

    Raises:
        DecodeError: `decode` refuses the value.
    """
    if key not in entries:
        return default
    return decode(entries[key], child(path, key))


def optional_nullable(
    entries: Mapping[str, object], key: str, decode: Decoder[T], path: str
) -> T | None:
    """Read a key whose default is null: absent and `null` are both None.

    Raises:
        DecodeError: `decode` refuses the value.
    """
    return optional(entries, key, nullable_value(decode), path, None)


def tagged(
    tag: str, variants: Mapping[str, Callable[[Mapping[str, object], str], T]]
) -> Decoder[T]:
    """Make the decoder of a variant record: the value of the key `tag` picks who decodes it.

    An unknown tag is a decode error.
    """
    pick = one_of(variants)

    def decode_variant(value: object, path: str) -> T:
        entries = record(value, path)
        return required(entries, tag, pick, path)(entries, path)

    return decode_variant
