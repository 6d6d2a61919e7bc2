"""Which structures does a small model mean by its lines?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.adapters.llm.lines import read_lines
from hivebot.adapters.llm.reply import render
from hivebot.adapters.llm.validate import mend
from hivebot.services.records.asking import FarDesk, FloorLine, Situation
from hivebot.services.records.replies import (
    NO_ASK,
    AnswerTurn,
    Ask,
    Bearing,
    CommitTurn,
    ConsultTurn,
    DeliberateTurn,
    Fact,
    FramingTurn,
    Known,
    OpeningTurn,
    Option,
    PositionTurn,
    Reply,
    Stance,
)
from tests.unit.adapters.llm.requests import asked, floor, person, said

DATA = FarDesk("data", "Data", "")
ROWS = (
    person(1, "Which way?"),
    said(2, "bert", "!evidence #canary for(2): errors stay flat"),
    said(12, "carl", "!propose #ship we are late"),
)
TURN = DeliberateTurn(Stance.NONE, "", 0, (), "", (), "", NO_ASK)


def read(situation: str, text: str) -> Reply:
    """The structure of a text; numbers 1, 2 and 12 may be seen, the data desk asked."""
    return read_lines(asked(situation, rows=ROWS, may_ask=(DATA,)), text)


@pytest.mark.parametrize(
    "line",
    [
        "!support #canary ^12 it is safe",
        "- !support #canary ^12 it is safe",
        "1. **!SUPPORT** #canary ^12 it is safe",
        "> !Support: #canary ^[12] it is safe",
        "* ! support #Canary ^12, it is safe",
        "!support [12] #canary: it is safe",
        "```\n!support #canary ^12 it is safe\n```",
        "~~~text\n\n!support #canary ^+12 it is safe\n~~~\n",
        "__!support__ #Roll out to ten percent first ^12 it is safe",
        "!support #canary [^12]; it is safe",
    ],
)
def test_a_stance_is_read_in_whatever_dress(line: str) -> None:
    expected = replace(
        TURN, stance=Stance.SUPPORT, option="canary", cites=(12,), reason="it is safe"
    )
    assert read("deliberate", line) == expected


def test_an_objection_has_its_target_and_its_citations() -> None:
    text = "!object #ship >[12] ^2 ^2 ^0 too risky"
    assert read("deliberate", text) == replace(
        TURN, stance=Stance.OBJECT, option="ship", target=12, cites=(2, 0), reason="too risky"
    )


def test_an_option_that_is_not_listed_is_kept_for_the_validator() -> None:
    assert read("deliberate", "!propose #party now") == replace(
        TURN, stance=Stance.PROPOSE, option="party", reason="now"
    )
    assert read("deliberate", "!propose # now") == replace(
        TURN, stance=Stance.PROPOSE, reason="# now"
    )


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        (
            "!evidence #canary for(2): errors stay flat",
            Fact("canary", Bearing.FOR, 2, "errors stay flat", ""),
        ),
        (
            "- !evidence #ship **against** (4/5) [12] no way back",
            Fact("ship", Bearing.AGAINST, 4, "no way back", "[12]"),
        ),
        ("!Evidence: it rains", Fact("", Bearing.NEUTRAL, 3, "it rains", "")),
        ("!evidence #ship for: forward", Fact("ship", Bearing.FOR, 3, "forward", "")),
        ("!evidence forward we go", Fact("", Bearing.NEUTRAL, 3, "forward we go", "")),
    ],
)
def test_a_fact_is_read_with_its_bearing_and_its_strength(line: str, fact: Fact) -> None:
    assert read("opening", line + "\nThat is all.") == OpeningTurn((fact,), "That is all.")
    assert read("relay", line) == OpeningTurn((fact,), "")


def test_a_blind_member_that_takes_a_stance_has_said_prose() -> None:
    assert read("opening", "!propose #ship it is late\nSo be it.") == OpeningTurn(
        (), "it is late\nSo be it."
    )


def test_a_position_is_a_proposal_and_its_reasons() -> None:
    text = "!evidence #ship for(1): tests pass\n!propose #ship we are late\nAnd tired."
    assert read("position", text) == PositionTurn(
        "ship", "", (Fact("ship", Bearing.FOR, 1, "tests pass", ""),), "we are late And tired."
    )
    assert read("position", "I cannot say.\n!object >12 no") == PositionTurn(
        "", "", (), "no\nI cannot say."
    )


def test_the_first_stance_counts_and_later_ones_are_still_said() -> None:
    text = "Well.\n!support #ship ^12 late\n!support #canary ^2 safe\n!commit #ship done"
    assert read("deliberate", text) == replace(
        TURN,
        stance=Stance.SUPPORT,
        option="ship",
        cites=(12,),
        reason="late",
        remark="safe\ndone\nWell.",
    )


def test_a_word_after_a_bang_that_is_no_kind_is_prose() -> None:
    assert read("deliberate", "!important #ship\nNow.") == replace(
        TURN, remark="!important #ship\nNow."
    )


def test_the_last_line_to_a_desk_is_the_question() -> None:
    text = "Hm.\n@#data: how many?\n- @#data, how many users?"
    assert read("deliberate", text) == replace(
        TURN, remark="Hm.", ask=Ask("data", "how many users?")
    )
    assert read_lines(asked("deliberate", rows=ROWS), "@#data how many?") == replace(
        TURN, remark="@#data how many?"
    )


def test_agreement_and_disagreement_are_told_apart() -> None:
    text = "!commit ^12 we are late\nShip it now.\n**Open:** who calls?"
    assert read("commit", text) == CommitTurn(
        True, (12,), (), "Ship it now.", "who calls?", "we are late"
    )
    assert read("commit", "!object ^2 not yet\n!support #ship") == CommitTurn(
        False, (2,), (), "", "", "not yet"
    )
    assert read("commit", "I cannot say.") == CommitTurn(False, (), (), "I cannot say.", "", "")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Monday [12], ^2.", AnswerTurn(Known.KNOWN, "Monday [12], ^2.", (12, 2), (), NO_ASK)),
        ("known: partly\nPerhaps.", AnswerTurn(Known.PARTLY, "Perhaps.", (), (), NO_ASK)),
        ("I don't know that.", AnswerTurn(Known.UNKNOWN, "I don't know that.", (), (), NO_ASK)),
        ("@#data how many?", AnswerTurn(Known.UNKNOWN, "", (), (), Ask("data", "how many?"))),
        ("", AnswerTurn(Known.KNOWN, "", (), (), NO_ASK)),
    ],
)  # fmt: skip
def test_an_answer_is_prose_with_its_numbers(text: str, answer: AnswerTurn) -> None:
    assert read("answer", text) == answer


def test_a_consultation_is_its_questions() -> None:
    assert read("consult", "I would ask:\n1. @#data how many?\n- @#ops when?") == ConsultTurn(
        (Ask("data", "how many?"), Ask("ops", "when?"))
    )


def test_options_are_read_from_a_list() -> None:
    text = "Options:\n- #ship Ship it\n2. wait: Wait a week\n* **Ask the board**\n\nThat is all."
    assert read("framing", text) == FramingTurn(
        (
            Option("ship", "Ship it"),
            Option("wait", "Wait a week"),
            Option("ask-the-board", "Ask the board"),
        )
    )


@given(
    st.text(alphabet="!#>^[]()*-@ \n:12dataSupportevidncsh`~"), st.sampled_from(get_args(Situation))
)
def test_any_text_is_read_and_comes_out_fit_to_be_committed(text: str, situation: str) -> None:
    lines = FloorLine("ship", ("carl",), (), (), 900)
    request = asked(situation, rows=ROWS, may_ask=(DATA,), floor=floor("ship", lines), max_asks=2)
    reply = mend(request, read_lines(request, text)).reply
    assert render(request, reply, 13).content


def fields(reply: Reply) -> dict[str, Any]:
    """The filled fields of a reply by name."""
    return {name: getattr(reply, name) for name in reply.__slots__}


def test_what_was_rendered_reads_as_it_was_meant() -> None:
    turn = replace(
        TURN,
        stance=Stance.OBJECT,
        option="ship",
        target=12,
        cites=(2,),
        reason="too risky",
        facts=(Fact("ship", Bearing.AGAINST, 4, "no way back", ""),),
        remark="Sorry.",
        ask=Ask("data", "how many?"),
    )
    request = asked("deliberate", rows=ROWS, may_ask=(DATA,))
    assert fields(read_lines(request, render(request, turn, 13).content)) == fields(turn)
