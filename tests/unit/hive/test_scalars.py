from __future__ import annotations

import sys

import pytest

from hivebot.hive.scalars import (
    I64_MAX,
    I64_MIN,
    U8_MAX,
    U16_MAX,
    U32_MAX,
    U64_MAX,
    ascii_lower,
    byte_length,
    distance,
    is_blank,
    is_letter_or_digit,
    is_white_space,
    saturate_i64,
    saturate_u32,
    saturate_u64,
    trim,
    trim_end,
    trim_start,
    truncating_div,
    utf8,
    words,
)

WHITE_SPACE_POINTS = {
    *range(0x9, 0xE),
    0x20,
    0x85,
    0xA0,
    0x1680,
    *range(0x2000, 0x200B),
    0x2028,
    0x2029,
    0x202F,
    0x205F,
    0x3000,
}


def test_white_space_is_the_unicode_property_and_nothing_else() -> None:
    assert {p for p in range(sys.maxunicode + 1) if is_white_space(chr(p))} == WHITE_SPACE_POINTS


def test_trimming_leaves_the_unit_separators_that_python_would_take() -> None:
    assert trim("\u2028\x1f a \x1c\u3000") == "\x1f a \x1c"
    assert trim_start("\u00a0a\u00a0") == "a\u00a0"
    assert trim_end("\u00a0a\u00a0") == "\u00a0a"


def test_blank_is_white_space_through_and_through() -> None:
    assert is_blank("")
    assert is_blank("\v\u2003")
    assert not is_blank("\x1f")


def test_words_are_split_at_runs_of_white_space_only() -> None:
    assert words("\u2003!propose\x0b#a\x1fb  ") == ["!propose", "#a\x1fb"]
    assert words(" ") == []


@pytest.mark.parametrize("ch", ["a", "Z", "7", "é", "李", "٣", "Ⅷ", "½", "ª", "ⓐ", "Ⓐ", "ा", "🅐"])
def test_a_letter_or_digit(ch: str) -> None:
    assert is_letter_or_digit(ch)


@pytest.mark.parametrize("ch", ["_", "-", "@", " ", "\x00", "😀", "\u0301", "\u200d", "€"])
def test_neither_letter_nor_digit(ch: str) -> None:
    assert not is_letter_or_digit(ch)


def test_ascii_lower_case_leaves_other_letters_alone() -> None:
    assert ascii_lower("GENERÄL İ Σ ß") == "generÄl İ Σ ß"
    assert ascii_lower("\ud800A") == "\ud800a"


def test_offsets_count_bytes_even_of_what_utf8_cannot_hold() -> None:
    assert byte_length("ü😀") == 6
    assert utf8("\ud800") == b"\xed\xa0\x80"


def test_numbers_saturate_at_their_width() -> None:
    assert (U8_MAX, U16_MAX) == (255, 65_535)
    assert [saturate_u32(n) for n in (-1, 7, 2**32)] == [0, 7, U32_MAX]
    assert [saturate_u64(n) for n in (-1, 7, 2**64)] == [0, 7, U64_MAX]
    assert [saturate_i64(n) for n in (-(2**63) - 1, -7, 2**63)] == [I64_MIN, -7, I64_MAX]


def test_a_row_newer_than_now_has_no_distance() -> None:
    assert distance(10, 7) == 3
    assert distance(7, 10) == 0


def test_division_truncates_toward_zero() -> None:
    assert [truncating_div(a, 2) for a in (7, -7, 0)] == [3, -3, 0]
    assert truncating_div(7, -2) == -3
    assert truncating_div(-7, -2) == 3
    with pytest.raises(ZeroDivisionError):
        truncating_div(1, 0)
