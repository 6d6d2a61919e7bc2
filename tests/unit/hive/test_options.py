"""Between which options does a question ask to decide?"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.hive import options
from hivebot.hive.mention.code import code_ranges
from hivebot.hive.options import OPTIONS_MAX, NoOptionReason, Option, distinct, minted, slug


def written_options(question: str) -> tuple[Option, ...]:
    return options.written_options(question, code_ranges(question.encode()).holds)


def ids(question: str) -> list[str]:
    return [option.id for option in written_options(question)]


def test_names_after_a_hash_are_options_in_order() -> None:
    assert written_options("#revert or #ship?") == (
        Option("revert", "revert"),
        Option("ship", "ship"),
    )


def test_a_line_of_its_own_gives_the_option_its_sentence() -> None:
    question = "which?\n#canary: to five percent first\n- #ship — to everybody\n#hold"
    assert written_options(question) == (
        Option("canary", "to five percent first"),
        Option("ship", "to everybody"),
        Option("hold", "hold"),
    )


def test_a_colon_in_the_middle_of_a_line_is_no_sentence() -> None:
    assert written_options("take #ship: yes or #wait-a-day") == (
        Option("ship", "ship"),
        Option("wait-a-day", "wait a day"),
    )


def test_the_same_option_twice_is_one() -> None:
    assert ids("#Ship or #ship, or #SHIP?") == ["ship"]
    assert distinct([Option("a", "Wait"), Option("b", "wait ")]) == (Option("a", "Wait"),)


@pytest.mark.parametrize(
    "text",
    ["`#a` or `#b`", "```\n#a #b\n```", "@#platform or @#data?", "#C0FIN or #C0PAY1", "x#a y#b"],
)
def test_code_desks_channels_and_words_are_no_options(text: str) -> None:
    assert ids(text) == []


def test_a_slug_is_lower_case_with_single_hyphens_and_at_most_24_long() -> None:
    assert slug("Ship It, now!") == "ship-it-now"
    assert slug("?!") == ""
    assert slug("a" * 23 + " b") == "a" * 23


def test_an_option_without_a_slug_is_dropped_and_one_without_text_is_called_by_its_slug() -> None:
    assert distinct([Option("!", "x"), Option("Keep it", "")]) == (Option("keep-it", "keep it"),)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_every_option_has_a_valid_id_and_one_line(question: str) -> None:
    for option in written_options(question):
        assert re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,22}[a-z0-9])?", option.id)
        assert option.text
        assert "\n" not in option.text


LISTED = (Option("ship", "Ship to everybody"), Option("wait", "wait"))


def test_a_members_words_become_an_option_of_one_line() -> None:
    assert minted(LISTED, "Ask  the\nBoard!") == Option("ask-the-board", "Ask the Board!")
    assert minted((), "a" * 300) == Option("a" * 24, "a" * 200)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("?!", NoOptionReason.NAMELESS),
        ("Wait!", NoOptionReason.SAME),
        ("Ship!", NoOptionReason.TAKEN),
        ("ship to  everybody.", NoOptionReason.TAKEN),
    ],
)
def test_an_option_that_has_no_name_or_is_there_is_refused(
    text: str, reason: NoOptionReason
) -> None:
    assert minted(LISTED, text) is reason


def test_options_that_differ_only_after_the_slugs_end_are_not_taken_for_one() -> None:
    first = minted((), "Move the old database to version 5")
    assert isinstance(first, Option)
    assert minted((first,), "Move the old database to version 6") is NoOptionReason.TAKEN


def test_a_ninth_option_is_refused_and_an_eighth_is_not() -> None:
    options = tuple(Option(f"o{number}", f"text {number}") for number in range(OPTIONS_MAX))
    assert minted(options, "one more") is NoOptionReason.FULL
    assert minted(options[1:], "one more") == Option("one-more", "one more")
    assert minted(options, "O1") is NoOptionReason.TAKEN
