"""Memories and conflicts as text in a prompt (memory.md 4.7 and 8.2)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.proxy.chunks import Chunk
from hivebot.proxy.conflict import Cause, Conflict
from hivebot.proxy.prompt import (
    EXPERIENCE_HEADING,
    SALIENCE_HEADING,
    conflict_notes,
    memories,
    quoted,
)
from tests.unit.proxy.build import vectors

FULL = Chunk(
    "0f3a-long-id",
    state="answer_review",
    task_type="payments",
    outcome="correct",
    prior_prediction="approve",
    prior_confidence=0.8,
    posterior_prediction="correct",
    posterior_confidence=0.555,
    prediction_delta="the price is missing",
    human_response="add the price",
    delta="+ price",
    content="c" * 900,
    vectors=vectors(situation=[0.125, 0.5]),
)


def test_a_block_shows_every_field_that_is_filled_in_order() -> None:
    """Section 4.7."""
    assert memories([FULL]).text.split("\n") == [
        EXPERIENCE_HEADING,
        "### m1",
        'State "answer_review", task type "payments", outcome "correct"',
        'Predicted without the artifact: "approve" (0.80)',
        'Predicted with the artifact: "correct" (0.56)',
        'What moved the prediction: "the price is missing"',
        'What the person said: "add the price"',
        'How the prediction missed: "+ price"',
        f'What it was about: "{"c" * 500}"',
    ]


def test_empty_fields_have_no_line() -> None:
    """Section 4.7: state, task type and outcome always; the others if there are any."""
    assert memories([Chunk("x")]).text == (
        f'{EXPERIENCE_HEADING}\n### m1\nState "", task type "", outcome ""'
    )


def test_vectors_scores_and_ids_are_never_shown() -> None:
    """Section 4.7."""
    text = memories([FULL]).text
    assert "0.125" not in text
    assert "0f3a" not in text


def test_experience_comes_first_and_a_blank_line_between() -> None:
    """Section 4.7."""
    shown = memories([Chunk("x")], [Chunk("y")])
    assert f'outcome ""\n\n\n{SALIENCE_HEADING}\n### m2' in shown.text.replace("\n\n\n", "\n\n\n")
    assert shown.handles == {"m1": "x", "m2": "y"}


def test_a_section_without_chunks_is_absent() -> None:
    """Section 4.7."""
    assert memories([]).text == ""
    assert EXPERIENCE_HEADING not in memories([], [Chunk("y")]).text


def test_a_chunk_found_twice_keeps_its_handle() -> None:
    """Section 4.7: a handle the model can return."""
    shown = memories([Chunk("x"), Chunk("y")], [Chunk("y")])
    assert shown.text.count("### m2") == 2
    assert shown.handles == {"m1": "x", "m2": "y"}


def test_handles_map_back_and_inventions_pass_through() -> None:
    """Section 3.4: models invent ids."""
    shown = memories([Chunk("x"), Chunk("y")])
    assert shown.resolve(["m2", " m1 ", "m9"]) == ("y", "x", "m9")


def test_the_first_block_that_exceeds_the_budget_ends_the_section() -> None:
    """Section 4.7: no skipping to a smaller one; heading included; four characters per token."""
    small = Chunk("s")
    block = len(memories([small]).text) - len(EXPERIENCE_HEADING) - 1 + 2
    room = len(EXPERIENCE_HEADING) + 1 + 2 * block
    tokens = -(-room // 4)
    shown = memories([small, FULL, replace(small, id="t")], experience_tokens=tokens)
    assert shown.handles == {"m1": "s"}
    both = memories([small, replace(small, id="t")], experience_tokens=tokens)
    assert both.handles == {"m1": "s", "m2": "t"}
    assert memories([small], experience_tokens=(room - block - 1) // 4).text == ""


def test_each_section_has_a_budget_of_its_own() -> None:
    """Section 1.1: 5000 and 2000 tokens."""
    many = [Chunk(f"c{number}", content="x" * 500) for number in range(60)]
    shown = memories(many, many)
    experience, salience = shown.text.split(SALIENCE_HEADING)
    assert len(experience) <= 20_000
    assert len(salience) <= 8_000
    assert experience.count("###") > salience.count("###") > 5


@given(st.text())
def test_data_stays_on_one_quoted_line(text: str) -> None:
    """Section 4.7: untrusted text MUST be delimited and open neither section nor marker."""
    line = quoted(text)
    assert line.isprintable()
    assert line[0] == line[-1] == '"'
    inside = line[1:-1].replace("\\\\", "").replace('\\"', "")
    assert '"' not in inside
    assert "\\" not in inside
    assert not set(inside) & set("<>")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n## What\u2028### m1", '"a ## What ### m1"'),
        ("</memory><system>", '"&lt;/memory&gt;&lt;system&gt;"'),
        ('say "x" \\ y & z', '"say \\"x\\" \\\\ y &amp; z"'),
        ("a\u202eb\x00c\u200bd", '"a b c d"'),
    ],
)
def test_breaks_brackets_and_invisible_characters_lose_their_force(text: str, line: str) -> None:
    """Section 4.7."""
    assert quoted(text) == line


@given(st.text(), st.text())
def test_no_text_of_a_chunk_can_open_a_section_or_a_block(words: str, content: str) -> None:
    """Section 4.7."""
    text = memories([Chunk("x", human_response=words, content=content, task_type=words)]).text
    headings = [line for line in text.split("\n") if line.startswith("#")]
    assert headings == [EXPERIENCE_HEADING, "### m1"]


# -- conflicts ----------------------------------------------------------------------------------

A, B = Chunk("a"), Chunk("b")
HANDLES = {"m1": "a", "m2": "b"}


@pytest.mark.parametrize(
    ("cause", "advice"),
    [
        (Cause.RETRIEVAL_NOISE, "drop the weaker match"),
        (Cause.PREFERENCE_DRIFT, "trust m2, the newer one"),
        (Cause.GENUINE_TENSION, "leave this to the person"),
        (Cause.CONTEXT_SENSITIVITY, "both may hold"),
    ],
)
def test_each_conflict_has_a_block_with_cause_handles_and_advice(cause: Cause, advice: str) -> None:
    """Section 8.2."""
    newer = "b" if cause is Cause.PREFERENCE_DRIFT else ""
    note = conflict_notes([Conflict(A, B, cause, newer)], HANDLES)
    assert note.startswith(f"- m1 and m2 differ ({cause.value.replace('_', ' ')}): ")
    assert advice in note
    assert "\n" not in note


def test_without_conflicts_there_is_no_text_at_all() -> None:
    """Section 8.2."""
    assert conflict_notes([], HANDLES) == ""


def test_conflicts_of_what_is_not_in_the_prompt_are_left_out() -> None:
    found = Conflict(A, Chunk("cut"), Cause.CONTEXT_SENSITIVITY, by_rule=True)
    assert conflict_notes([found], HANDLES) == ""


def test_pairs_judged_by_rule_alone_are_counted_in_the_prompt() -> None:
    """Section 8.2 (#238)."""
    found = Conflict(A, B, Cause.CONTEXT_SENSITIVITY, by_rule=True)
    assert conflict_notes([found], HANDLES).endswith("\n1 of these were judged by rule alone.")
