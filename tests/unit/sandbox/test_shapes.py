"""How is a value read out of JSON that nobody has checked yet?"""

from __future__ import annotations

from hivebot.sandbox.shapes import (
    as_list,
    as_map,
    as_maps,
    as_number,
    as_text,
    compact,
    parse_object,
)


def test_a_value_of_the_wrong_kind_reads_as_empty() -> None:
    assert (as_map([]), as_list({}), as_text(3)) == ({}, [], "")


def test_only_objects_of_an_array_are_read() -> None:
    assert as_maps([{"a": 1}, 2, "x"]) == [{"a": 1}]


def test_a_truth_value_is_no_number() -> None:
    assert (as_number(True, 7), as_number("1", 7), as_number(2, 7)) == (7, 7, 2)


def test_only_a_json_object_parses() -> None:
    assert parse_object('{"a": 1}') == {"a": 1}
    assert parse_object("[1]") is None
    assert parse_object("{") is None


def test_json_is_sent_without_spaces_and_with_its_letters() -> None:
    assert compact({"a": ["é", 1]}) == '{"a":["é",1]}'
