"""How is free text made harmless and short?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.adapters.llm.text import (
    CUT_MARK,
    inert,
    plain,
    prose,
    shortened,
    uncoded,
)
from hivebot.hive.mention.code import code_ranges
from hivebot.hive.scalars import utf8

J = "\u2060"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("two\nlines\u2028three", "two lines three"),
        ("#ship >4 ^5 a#b", f"{J}#ship {J}>4 {J}^5 a#b"),
        ("nul\0 byte", "nul byte"),
        (" \t ", ""),
        ("a\x1cb", "a\x1cb"),
    ],
)
def test_inert_text_is_one_line_whose_words_fill_no_slot(text: str, line: str) -> None:
    assert inert(text) == line


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("wow!\n!propose #x", f"wow!\n{J}!propose #x"),
        (" \u3000!commit #x ", f"{J}!commit #x"),
        ("a\n\t !object\r\nb", f"a\n\t {J}!object\r\nb"),
        ("\n\n", ""),
    ],
)
def test_prose_keeps_its_lines_and_none_leads_with_a_marker(text: str, lines: str) -> None:
    assert prose(text) == lines


def test_plain_text_is_what_inert_text_was_before() -> None:
    assert plain(inert("#ship\n>4")) == "#ship >4"


@given(st.text(alphabet="`~ab\n "))
def test_text_without_marks_of_code_hides_nothing_behind_it(text: str) -> None:
    content = f"{uncoded(text)}\nx"
    assert not code_ranges(utf8(content)).holds(len(utf8(content)) - 1)


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("short", 5, "short"),
        ("One is here. Two is here. Three", 30, "One is here. Two is here." + CUT_MARK),
        ("A. then a long sentence that goes on", 24, "A. then a long" + CUT_MARK),
        ("unbrokenunbrokenunbroken", 14, "unbrokenun" + CUT_MARK),
        ("Version 1.2.3 is out and about", 26, "Version 1.2.3 is out" + CUT_MARK),
    ],
)
def test_a_long_text_is_cut_at_a_sentence_and_marked(text: str, limit: int, cut: str) -> None:
    assert shortened(text, limit) == cut


@given(st.text(), st.integers(min_value=4, max_value=50))
def test_a_cut_text_keeps_to_its_limit(text: str, limit: int) -> None:
    assert len(shortened(text, limit)) <= limit
