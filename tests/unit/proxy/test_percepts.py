"""Which texts are embedded (memory.md 2, 4.6 and 9.1)."""

from __future__ import annotations

from hivebot.proxy.chunks import Chunk
from hivebot.proxy.percepts import (
    Percepts,
    asked_percepts,
    blended_text,
    salience_question,
    situation_text,
    stored_percepts,
)
from hivebot.proxy.vectors import Dimension

CHUNK = Chunk(
    "c",
    state="answer_review",
    task_type="payments",
    content="draft",
    human_response="too long",
    prediction_delta="the price is missing",
)


def test_the_situation_is_gate_and_desk_unless_a_text_overrides_it() -> None:
    """Section 2."""
    assert situation_text("answer_review", "payments") == "answer_review payments"
    assert situation_text("answer_review", "payments", "a rollout") == "a rollout"
    assert situation_text("", "") == ""


def test_stored_and_asked_texts_agree_on_situation_artifact_and_stimulus() -> None:
    """Section 2: the gate question on both sides."""
    stored = stored_percepts(CHUNK, question="q" * 900, artifact="a" * 5000)
    asked = asked_percepts("answer_review", "payments", "q" * 900, "a" * 5000)
    assert (stored.situation, stored.artifact, stored.stimulus) == (
        asked.situation,
        asked.artifact,
        asked.stimulus,
    )
    assert len(stored.artifact) == 4000
    assert len(stored.stimulus) == 500


def test_what_is_asked_has_no_response_yet_and_no_salience() -> None:
    """Section 9.1."""
    asked = asked_percepts("s", "t", "q")
    assert asked.response == asked.salience == asked.artifact == ""


def test_stored_texts_carry_the_words_and_the_surprise() -> None:
    """Section 2."""
    stored = stored_percepts(CHUNK, question="q", artifact="", situation="own")
    assert stored.response == "too long"
    assert stored.salience == "the price is missing"
    assert stored.situation == "own"


def test_empty_texts_need_no_vector() -> None:
    """Section 2: an embedding is absent when its text is empty."""
    assert Percepts(artifact="x", salience="y").texts() == (
        (Dimension.ARTIFACT, "x"),
        (Dimension.SALIENCE, "y"),
    )


def test_the_blended_text_skips_what_is_empty() -> None:
    """Section 2."""
    assert blended_text(Chunk("c", state="s", human_response="h")) == "s h"
    assert blended_text(CHUNK) == "answer_review payments draft too long the price is missing"


def test_the_first_pass_asks_about_surprise_without_the_artifact() -> None:
    """Section 4.6: hivebot MUST query without the artifact for pass 1."""
    assert salience_question("answer_review", "payments") == "answer_review payments"


def test_the_second_pass_may_ask_about_the_artifact() -> None:
    """Section 4.6: first 2000 characters, blank line, situation."""
    assert salience_question("s", "t", "a" * 3000) == "a" * 2000 + "\n\ns t"
