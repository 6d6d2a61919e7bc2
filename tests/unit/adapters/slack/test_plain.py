from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.adapters.slack.plain import code, cut, is_blank, plain, reveal, sendable
from hivebot.adapters.slack.text import WORD_JOINER
from tests.unit.adapters.slack.payloads import within_a_tenth_of_a_second


def test_tokens_in_data_are_escaped() -> None:
    assert plain("<!channel> & <@U0BEN>") == "&lt;!channel&gt; &amp; &lt;@U0BEN&gt;"
    assert plain("nothing to do") == "nothing to do"


@pytest.mark.parametrize("name", ["here", "channel", "everyone", "Everyone"])
def test_a_special_mention_written_out_is_broken(name: str) -> None:
    assert plain(f"hey @{name}!") == f"hey @{WORD_JOINER}{name}!"
    assert plain(f"@{name}s") == f"@{name}s"


def test_code_is_one_line_without_backticks() -> None:
    assert code("a`b\n<c>") == "`aˋb &lt;c&gt;`"
    assert code(" \n ") == ""


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain", "plain"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("a\u200bb\u2066c", "a⟨U+200B⟩b⟨U+2066⟩c"),
        ("a\x07\u3164\ufeff", "a⟨U+0007⟩⟨U+3164⟩⟨U+FEFF⟩"),
        ("tag\U000e0041", "tag⟨U+E0041⟩"),
        ("x\ufe01\U000e0101", "x⟨U+FE01⟩⟨U+E0101⟩"),
        ("one\n\ttwo\u00a0three", "one\n\ttwo\u00a0three"),
        ("héllo 世界", "héllo 世界"),
        ("❤️", "❤️"),
        ("👨‍👩‍👧", "👨‍👩‍👧"),
        ("a\ufe0fb\u200dc", "a⟨U+FE0F⟩b⟨U+200D⟩c"),
        ("\u200d\ufe0f", "⟨U+200D⟩⟨U+FE0F⟩"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, seen: str) -> None:
    assert reveal(text) == seen


@given(st.text())
def test_nothing_visible_is_lost_by_revealing(text: str) -> None:
    seen = reveal(text)
    assert reveal(seen) == seen
    assert [c for c in text if c.isalnum()] == [c for c in text if c.isalnum() and c in seen]


def test_line_ends_become_line_feeds_and_control_characters_go() -> None:
    assert sendable("a\r\nb\rc\x00\x1b\ud800") == "a\nb\nc\ufffd"


def test_text_that_shows_nothing_is_blank() -> None:
    assert is_blank("")
    assert is_blank(" \n\u200b\u3164\ufeff")
    assert not is_blank("\u200bx")


def test_a_cut_says_so() -> None:
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdef", 4) == "abc…"


def test_revealing_is_fast() -> None:
    text = "a\u00e9" * 50_000
    assert within_a_tenth_of_a_second(lambda: reveal(text))
