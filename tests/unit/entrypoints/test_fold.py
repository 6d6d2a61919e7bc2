from __future__ import annotations

import json
from typing import cast

import pytest

from hivebot.entrypoints.fold import (
    Case,
    FoldError,
    decode_cases,
    fold,
    parse_json,
    run_cases,
)
from hivebot.entrypoints.folds.entry import by_op, hive_fold, same_json
from hivebot.hive.errors import UnknownDeskError

GENERAL = {"op": "is_general", "chat": "MAIN"}
DECODE = {"error": {"kind": "decode"}}


def test_a_fold_answers_by_its_name() -> None:
    assert fold("identity", GENERAL) == {"ok": True}


def test_a_malformed_snapshot_is_answered_with_its_kind_and_fields() -> None:
    def unknown(_keys: object) -> object:
        raise UnknownDeskError("eng")

    assert hive_fold(unknown).answer({}) == {"error": {"kind": "unknown_desk", "identity": "eng"}}


@pytest.mark.parametrize("value", [[], None, 1, {}, {"op": "is_general"}, {"op": "x", "chat": ""}])
def test_an_input_that_does_not_decode_is_answered_with_the_bare_kind(value: object) -> None:
    assert fold("identity", value) == DECODE


def test_the_first_form_is_meant_when_none_is_named() -> None:
    pick = by_op({"one": lambda _: 1, "two": lambda _: 2})
    assert [pick({}), pick({"op": "two"})] == [1, 2]
    assert fold("identity", {"chat": "eng"}) == {"ok": False}


@pytest.mark.parametrize("run", [lambda: fold("nope", {}), lambda: run_cases("nope", [])])
def test_an_unknown_name_is_told_with_the_names_there_are(run: object) -> None:
    assert callable(run)
    with pytest.raises(FoldError, match=r"no fold 'nope'; there are .*identity, .*referral"):
        run()


def test_only_cases_with_another_answer_fail() -> None:
    right = Case("right", GENERAL, {"ok": True})
    wrong = Case("wrong", GENERAL, {"ok": 1})
    (failure,) = run_cases("identity", [right, wrong])
    assert (failure.name, failure.expect, failure.actual) == ("wrong", {"ok": 1}, {"ok": True})


# --- comparing ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (0, False),
        (1, 1.0),
        (0, None),
        ("1", 1),
        ([1, 2], [2, 1]),
        ([1], [1, 1]),
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": None}, {}),
        ({"a": [True]}, {"a": [1]}),
    ],
)
def test_json_values_that_differ(one: object, other: object) -> None:
    assert not same_json(one, other)
    assert not same_json(other, one)


def test_json_objects_are_the_same_in_any_key_order() -> None:
    one = json.loads('{"a": [1, {"x": null}], "b": "é"}')
    other = json.loads('{"b": "é", "a": [1, {"x": null}]}')
    assert same_json(one, other)


# --- reading ------------------------------------------------------------------------------------


def test_numbers_keep_their_type_however_long_they_are() -> None:
    huge = parse_json("[1, 1.0, true, 1e2, -1]")
    assert same_json(huge, [1, 1.0, True, 100.0, -1])
    assert parse_json(f"[{2**64}]") == [2**64]
    for sign in ("", "-"):
        (long,) = json_list(parse_json(f"[{sign}{'9' * 5000}]"))
        assert isinstance(long, int)
        assert abs(long) > 2**64
        assert (long < 0) == bool(sign)


def json_list(value: object) -> list[object]:
    assert isinstance(value, list)
    return cast("list[object]", value)


@pytest.mark.parametrize(
    "source", [b"", b"{", b"nope", b"\xff\xfe\xfd", b"[" * 200_000, b'{"a": 1} x']
)
def test_what_is_not_json_is_told(source: bytes) -> None:
    with pytest.raises(FoldError, match="the input is not JSON"):
        parse_json(source)


def test_a_file_of_cases_may_say_more_than_is_read() -> None:
    written = [{"name": "n", "input": None, "expect": 1, "source": "computed"}]
    assert decode_cases(written) == (Case("n", None, 1),)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({}, "the value: no list"),
        ([1], "0: no object"),
        ([{"name": "n", "input": 1}], "0.expect: missing"),
        ([{"name": 1, "input": 1, "expect": 1}], "0.name: no string"),
    ],
)
def test_what_are_no_cases_is_told(value: object, problem: str) -> None:
    with pytest.raises(FoldError, match=problem):
        decode_cases(value)
