from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import pytest

from hivebot.hive.errors import DecodeError
from hivebot.hive.wire.codec import (
    Decoder,
    enum_of,
    flag,
    i64,
    list_of,
    nullable,
    nullable_value,
    one_of,
    optional,
    optional_nullable,
    record,
    required,
    tagged,
    text,
    u8,
    u16,
    u32,
    u64,
)


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


def refused(decode: Decoder[object], value: object) -> str:
    with pytest.raises(DecodeError) as caught:
        decode(value, "here")
    assert caught.value.path.startswith("here")
    return caught.value.problem


@pytest.mark.parametrize(
    ("decode", "lowest", "highest"),
    [
        (u8, 0, 255),
        (u16, 0, 65_535),
        (u32, 0, 4_294_967_295),
        (u64, 0, 18_446_744_073_709_551_615),
        (i64, -(2**63), 2**63 - 1),
    ],
)
def test_an_integer_fits_its_width(decode: Decoder[int], lowest: int, highest: int) -> None:
    assert [decode(n, "") for n in (lowest, highest)] == [lowest, highest]
    for n in (lowest - 1, highest + 1):
        assert refused(decode, n) == f"not within {lowest} to {highest}"
    for other in (True, False, 1.0, "1", None, [1], {"n": 1}):
        assert refused(decode, other) == "no integer"


def test_a_string_is_only_a_string_of_whole_characters() -> None:
    assert text("ü\u2028", "") == "ü\u2028"
    for other in (1, None, True, ["a"]):
        assert refused(text, other) == "no string"
    assert refused(text, "a\ud800") == "a lone surrogate"


def test_a_boolean_is_neither_a_number_nor_a_word() -> None:
    assert flag(True, "") is True
    for other in (0, 1, "true", None):
        assert refused(flag, other) == "no boolean"


def test_objects_and_lists_are_told_apart() -> None:
    assert record({"a": 1}, "") == {"a": 1}
    assert refused(record, []) == "no object"
    assert list_of(u8)([3, 1], "") == (3, 1)
    assert refused(list_of(u8), {"a": 1}) == "no list"


def test_a_path_leads_to_the_value_that_is_wrong() -> None:
    with pytest.raises(DecodeError) as caught:
        required({"list": [1, 256]}, "list", list_of(u8), "outer")
    assert caught.value.path == "outer.list.1"
    with pytest.raises(DecodeError) as caught:
        required({}, "list", list_of(u8), "")
    assert (caught.value.path, caught.value.problem) == ("list", "missing")


def test_a_required_key_is_there_and_not_null() -> None:
    assert required({"a": 1, "unknown": None}, "a", u8, "") == 1
    for keys in ({}, {"a": None}):
        with pytest.raises(DecodeError):
            required(keys, "a", u8, "")


def test_a_nullable_key_is_there_all_the_same() -> None:
    assert nullable({"a": None}, "a", u8, "") is None
    assert nullable({"a": 1}, "a", u8, "") == 1
    with pytest.raises(DecodeError):
        nullable({}, "a", u8, "")


def test_an_optional_key_takes_null_only_where_null_is_its_default() -> None:
    assert optional({}, "a", u8, "", 7) == 7
    assert optional({"a": 1}, "a", u8, "", 7) == 1
    with pytest.raises(DecodeError):
        optional({"a": None}, "a", u8, "", 7)
    assert optional_nullable({}, "a", u8, "") is None
    assert optional_nullable({"a": None}, "a", u8, "") is None
    assert optional_nullable({"a": 1}, "a", u8, "") == 1


def test_null_inside_a_nullable_value_is_none() -> None:
    assert list_of(nullable_value(u8))([None, 2], "") == (None, 2)


def test_a_word_is_one_of_those_there_are() -> None:
    assert enum_of(Colour)("red", "") is Colour.RED
    assert refused(enum_of(Colour), "Red") == "none of red, blue"
    assert refused(one_of({"a": 1}), 1) == "no string"


def test_a_variant_is_read_by_its_tag() -> None:
    def square(keys: Mapping[str, object], path: str) -> int:
        return required(keys, "side", u8, path) ** 2

    def nothing(_keys: Mapping[str, object], _path: str) -> int:
        return 0

    area = tagged("kind", {"square": square, "nothing": nothing})
    assert area({"kind": "square", "side": 3}, "") == 9
    assert area({"kind": "nothing"}, "") == 0
    assert refused(area, {"kind": "circle"}) == "none of square, nothing"
    assert refused(area, {"side": 3}) == "missing"
    assert refused(area, "square") == "no object"
