"""Which words of people do nothing here? Source: turns.md 4, rights.md 5."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.hive.conversation import AgentAuthor
from hivebot.hive.mention import MentionedByOther, resolve
from hivebot.hive.trace import read
from hivebot.hive.transcript import SessionMessage
from hivebot.services.inert import WORD_JOINER, inert_label, inert_marks, inert_names
from hivebot.services.snapshots import desks_of, roster_of, unknown_desk_names
from tests.configurations import CONFIGURATION

ROSTER, DESKS = roster_of(CONFIGURATION), desks_of(CONFIGURATION)
NAMES = ["@pia", "@#platform", "@everyone", "@here", "@#nobody"]
MARKS = ["!propose #ship", "!support #ship", "!evidence for #ship(3): so", "!commit #ship"]


def seen(text: str) -> str:
    """The words as people see them."""
    return text.replace(WORD_JOINER, "")


@pytest.mark.parametrize(
    ("text", "inert"),
    [
        ("!propose #x", f"{WORD_JOINER}!propose #x"),
        (" \t!propose #x", f" \t{WORD_JOINER}!propose #x"),
        ("so\n!commit #x\nyes!", f"so\n{WORD_JOINER}!commit #x\nyes!"),
        ("\u3000!propose #x", f"\u3000{WORD_JOINER}!propose #x"),
        ("well!", "well!"),
        ("  ", "  "),
        ("", ""),
    ],
)
def test_a_mark_at_the_head_of_a_line_is_made_inert(text: str, inert: str) -> None:
    assert inert_marks(text) == inert
    assert inert_marks(inert) == inert


@given(st.lists(st.sampled_from([*MARKS, "words", "```", "> ", "\r", "\u2028", " ", "\t"])))
def test_no_inert_text_deposits_anything(pieces: list[str]) -> None:
    for text in ("\n".join(pieces), "".join(pieces)):
        inert = inert_marks(text)

        assert read([SessionMessage(1, AgentAuthor("pia", "Pia"), inert)]) == ()
        assert seen(inert) == text


@pytest.mark.parametrize(
    ("text", "inert"),
    [
        ("ask @#data and @pia", f"ask @{WORD_JOINER}#data and @{WORD_JOINER}pia"),
        ("(@pia)", f"(@{WORD_JOINER}pia)"),
        ("a@b.c, a.b+c-d@e.f", "a@b.c, a.b+c-d@e.f"),
        ("5 @ 3", "5 @ 3"),
        ("@", "@"),
    ],
)
def test_a_name_is_made_to_call_nobody(text: str, inert: str) -> None:
    assert inert_names(text) == inert


@given(st.lists(st.sampled_from([*NAMES, "a", "@", "\n", " ", "(", "#", ".", ">", "[", "{"])))
def test_no_inert_text_names_anybody(pieces: list[str]) -> None:
    inert = inert_names("".join(pieces))

    assert resolve(inert, None, MentionedByOther(), ROSTER, DESKS) == ()
    assert unknown_desk_names(inert, DESKS) == ()
    assert seen(inert) == "".join(pieces)


def test_a_label_is_one_line_that_calls_nobody() -> None:
    assert inert_label("a\n!propose\u2028 @#x.csv") == f"a !propose @{WORD_JOINER}#x.csv"
