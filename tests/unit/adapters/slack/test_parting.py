from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.adapters.slack.links import LinkRule
from hivebot.adapters.slack.mrkdwn import Fence, Prose, pieces
from hivebot.adapters.slack.parting import Unit, Verbatim, part, safe_cut, shown


def parts(unit: Unit, room: int) -> list[str]:
    found: list[str] = []
    rest: Unit | None = unit
    while rest is not None:
        head, following = part(rest, room)
        assert head is not None
        found.append(shown(head))
        rest = following
    return found


def test_what_fits_is_left_whole() -> None:
    assert part(Prose("abc"), 3) == (Prose("abc"), None)


@pytest.mark.parametrize(
    ("text", "room", "found"),
    [
        ("one\ntwo\nthree", 8, ["one\ntwo", "three"]),
        ("one two three", 9, ["one two", "three"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("ab &amp;&amp; cd", 5, ["ab", "&amp;", "&amp;", "cd"]),
        ("see <https://e.com|a b> now", 21, ["see", "<https://e.com|a b>", "now"]),
        ("`abcdefgh` x", 6, ["`abcd`", "`efgh`", "x"]),
        ("&gt; one two three", 12, ["&gt; one two", "&gt; three"]),
        ("&gt; a\n&gt; b", 6, ["&gt; a", "&gt; b"]),
    ],
)
def test_prose_is_parted_at_the_best_place(text: str, room: int, found: list[str]) -> None:
    assert parts(Prose(text), room) == found


def test_a_token_is_never_parted() -> None:
    assert part(Prose("<https://e.com|label>"), 10) == (None, Prose("<https://e.com|label>"))
    assert part(Prose("&gt; x"), 4)[0] is None
    assert part(Prose("abc"), -2)[0] is None


def test_a_cut_inside_the_room_is_the_whole() -> None:
    assert safe_cut("abc", 3) == 3


def test_a_torn_fence_is_closed_and_reopened_in_its_language() -> None:
    fence = Fence("sql", tuple(f"select {n}" for n in range(220)))
    found = parts(fence, 300)
    assert all(len(one) <= 300 for one in found)
    assert all(one.startswith("```sql\n") and one.endswith("\n```") for one in found)
    lines = [line for one in found for line in one.split("\n")[1:-1]]
    assert tuple(lines) == fence.lines


def test_a_long_line_of_code_is_parted_outside_of_entities() -> None:
    found = parts(Fence("", ("a&lt;" * 10,)), 20)
    assert "".join(one[4:-4] for one in found) == "a&lt;" * 10
    assert all(one[4:-4].count("&") == one[4:-4].count(";") for one in found)


def test_no_room_takes_nothing_of_a_fence() -> None:
    assert part(Fence("", ("abc",)), 8) == (None, Fence("", ("abc",)))
    assert part(Fence("", ()), 3)[0] is None


def test_verbatim_lines_are_measured_with_their_escapes() -> None:
    assert parts(Verbatim("a<b\nc"), 11) == ["&gt; a&lt;b", "&gt; c"]
    assert "".join(one[5:] for one in parts(Verbatim("x" * 30), 20)) == "x" * 30
    assert part(Verbatim("<<<<"), 8)[0] is None


WORDS = st.text(alphabet="ab <>&`\n[](https://docs.example.com)*_>-", max_size=400)
RULE = LinkRule.of(("docs.example.com",), ())


@given(WORDS, st.integers(150, 300))
def test_every_part_is_whole_and_none_is_longer_than_its_room(markdown: str, room: int) -> None:
    for piece in pieces(markdown, RULE):
        for text in parts(piece, room):
            assert 0 < len(text) <= room
            assert text.count("```") % 2 == 0
            assert text.count("`") % 2 == 0
            assert text.count("<") == text.count(">")


@given(st.text(alphabet="ab c&<\n", min_size=1), st.integers(20, 40))
def test_verbatim_text_survives_its_parting(text: str, room: int) -> None:
    rest: Unit | None = Verbatim(text)
    found = ""
    while isinstance(rest, Verbatim):
        head, following = part(rest, room)
        assert isinstance(head, Verbatim)
        assert len(shown(head)) <= room
        found += head.text
        rest = following
    assert found.replace("\n", "") == text.replace("\n", "")
