"""Two passes, what they say and what surprises (memory.md 5.1 to 5.3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.proxy.prediction import (
    NO_SURPRISE,
    Part,
    PassContext,
    PassReply,
    categorical,
    needs_second_pass,
    parse_confidence,
    parse_percepts,
    posterior_parts,
    prior_parts,
    settle,
    surprise,
    vocabulary,
)

CONTEXT = PassContext(
    memories="M", conflicts="C", accuracy="A", knowledge="K", dialog="D", state="S", question="Q"
)
PRIOR = PassReply("looks fine", 0.5, "approve")
POSTERIOR = PassReply("the price is missing", 0.9, "correct")


def test_the_first_pass_sees_everything_but_the_artifact() -> None:
    """Section 5.1."""
    assert prior_parts(CONTEXT) == (
        (Part.MEMORIES, "M"),
        (Part.CONFLICTS, "C"),
        (Part.ACCURACY, "A"),
        (Part.KNOWLEDGE, "K"),
        (Part.DIALOG, "D"),
        (Part.GATE, "S\nQ"),
    )


def test_there_is_no_place_for_the_artifact_in_what_both_passes_see() -> None:
    """Section 4.6 and 5.1: the first pass must be blind."""
    assert "artifact" not in PassContext.__dataclass_fields__


def test_the_second_pass_adds_an_excerpt_of_the_first_and_the_artifact() -> None:
    """Section 5.1: first 500 characters of the prior text."""
    long = PassReply("x" * 900, 0.5)
    parts = posterior_parts(CONTEXT, long, "the draft")
    assert parts[:-2] == prior_parts(CONTEXT)
    assert parts[-2:] == ((Part.PRIOR, "x" * 500), (Part.ARTIFACT, "the draft"))


def test_empty_parts_are_left_out() -> None:
    bare = PassContext("", "", "", "", "", "S", "")
    assert prior_parts(bare) == ((Part.GATE, "S"),)
    assert posterior_parts(bare, PRIOR, "") == ((Part.GATE, "S"), (Part.PRIOR, "looks fine"))


@pytest.mark.parametrize("silent", [None, PassReply("", 0.9), PassReply(" \n", 0.9)])
def test_a_silent_first_pass_means_no_second_and_asks_the_human(silent: PassReply | None) -> None:
    """Section 5.1."""
    assert not needs_second_pass(silent)
    result = settle(silent, POSTERIOR)
    assert (result.text, result.confidence, result.prior, result.posterior) == ("", 0.0, None, None)
    assert not result.from_model


@pytest.mark.parametrize("silent", [None, PassReply("", 0.9)])
def test_a_silent_second_pass_leaves_the_first_without_surprise(silent: PassReply | None) -> None:
    """Section 5.1."""
    result = settle(PRIOR, silent)
    assert (result.text, result.confidence, result.prediction) == ("looks fine", 0.5, "approve")
    assert result.posterior is None
    assert result.surprise == NO_SURPRISE


def test_the_second_pass_is_the_decision_and_the_difference_a_signal() -> None:
    """Section 5.1."""
    assert needs_second_pass(PRIOR)
    result = settle(PRIOR, POSTERIOR)
    assert (result.text, result.confidence, result.prediction) == (
        "the price is missing",
        0.9,
        "correct",
    )
    assert result.from_model
    assert result.surprise.surprised
    assert result.surprise.delta == 0.4


@pytest.mark.parametrize(
    ("prior", "posterior", "surprised"),
    [(0.5, 0.8, False), (0.8, 0.5, False), (0.1, 0.4, False), (0.5, 0.8001, True), (1, 0.6, True)],
)
def test_exactly_three_tenths_is_no_surprise(
    prior: float,
    posterior: float,
    surprised: bool,  # noqa: FBT001  a column
) -> None:
    """Section 5.3 and 0 row 8: decided on decimals."""
    found = surprise(prior, posterior)
    assert found.surprised is surprised
    assert found.magnitude == (0.5 if surprised else 0.0)


@given(st.integers(0, 100), st.integers(0, 100))
def test_surprise_on_hundredths_is_integer_arithmetic(prior: int, posterior: int) -> None:
    """Section 5.3."""
    found = surprise(prior / 100, posterior / 100)
    assert found.surprised is (abs(prior - posterior) > 30)


def test_a_change_of_action_counts_only_where_it_is_asked_for() -> None:
    """Section 5.3: optional second trigger, off by default."""
    changed = PassReply("no", 0.5, "reject")
    assert not settle(PRIOR, changed).surprise.surprised
    assert settle(PRIOR, changed, on_action_change=True).surprise.surprised
    assert not settle(
        PRIOR, PassReply("yes", 0.5, "approve"), on_action_change=True
    ).surprise.surprised
    assert not settle(PRIOR, PassReply("?", 0.5, ""), on_action_change=True).surprise.surprised


@pytest.mark.parametrize(
    ("output", "text", "confidence"),
    [
        ("Ok.\nCONFIDENCE: 0.85", "Ok.", 0.85),
        ("Ok.\n  Confidence:.5  \n\n\n", "Ok.", 0.5),
        ("Ok.\r\nCONFIDENCE: 0.85\r\n", "Ok.", 0.85),
        ("Ok.\nCONFIDENCE: 1", "Ok.", 1.0),
        ("Ok.\nCONFIDENCE: 0.9.", "Ok.", 0.9),
        ("Ok.\nCONFIDENCE: 0.9 (fairly sure)", "Ok.", 0.9),
        ("Ok.\nCONFIDENCE: 85", "Ok.", 0.0),
        ("Ok.\nCONFIDENCE: 1.01", "Ok.", 0.0),
        ("Ok.\nCONFIDENCE: 0.3\none\ntwo\nthree", "Ok.", 0.3),
        ("Ok.\nCONFIDENCE: 0.2\nmore\nCONFIDENCE: 0.7", "Ok.\nCONFIDENCE: 0.2\nmore", 0.7),
        ("CONFIDENCE: 0.7", "", 0.7),
        ("", "", 0.0),
    ],
)
def test_the_confidence_line_is_read_from_the_end(
    output: str, text: str, confidence: float
) -> None:
    """Section 5.2 and 0 row 13."""
    assert parse_confidence(output) == (text, confidence)


@pytest.mark.parametrize(
    "output",
    [
        "Looks fine.",
        "Ok.\nCONFIDENCE: -0.5",
        "Ok.\nCONFIDENCE: +0.5",
        "Ok.\nCONFIDENCE: high",
        "Ok.\nCONFIDENCE: 1%",
        "Ok.\nCONFIDENCE: 1/10",
        "Ok.\nCONFIDENCE: 1e-3",
        "Ok.\nCONFIDENCE: 0.1.2",
        "Ok.\nCONFIDENCE: 1,5",
        "Ok.\nCONFIDENCE: ١",
        "Ok.\nHe wrote confidence: 1",
        "CONFIDENCE: 0.9\na\nb\nc\nd",
    ],
)
def test_without_a_valid_line_the_human_is_asked(output: str) -> None:
    """Section 5.2: no marker: confidence 0 and the whole output as text."""
    assert parse_confidence(output) == (output, 0.0)


@given(st.text())
def test_any_output_gives_a_confidence_from_zero_to_one(output: str) -> None:
    """Section 5.2."""
    assert 0 <= parse_confidence(output)[1] <= 1


@pytest.mark.parametrize(
    ("reply", "sentence", "phrases"),
    [
        ("The price.\n- no price\n-  late \nMore.", "The price.", ("no price", "late")),
        ("- a\n- b\nIt moved.", "It moved.", ("a", "b")),
        ("- 1\n- 2\n- 3\n- 4\n- 5\n- 6", "", ("1", "2", "3", "4", "5")),
        ("-dash\n- \n\n", "-dash", ()),
        ("", "", ()),
    ],
)
def test_percepts_are_one_sentence_and_dashed_phrases(
    reply: str, sentence: str, phrases: tuple[str, ...]
) -> None:
    """Section 5.3."""
    assert parse_percepts(reply) == (sentence, phrases)


@pytest.mark.parametrize(
    ("word", "state", "outcome"),
    [
        (" Approve\n", "answer_review", "approve"),
        ("promote", "answer_review", ""),
        ("promote", "DISCOVERY_risk", "promote"),
        ("approve", "DISCOVERY_risk", ""),
        ("ship it", "answer_review", ""),
        ("", "answer_review", ""),
    ],
)
def test_a_prediction_is_an_outcome_of_the_gate_or_nothing(
    word: str, state: str, outcome: str
) -> None:
    """Section 5.2 and 0 row 10: passes MUST yield a categorical action."""
    assert categorical(word, state) == outcome


def test_each_kind_of_gate_has_its_vocabulary() -> None:
    """Section 9.2."""
    assert vocabulary("decision_review") == ("approve", "correct", "reject", "withdraw", "clarify")
    assert vocabulary("DISCOVERY_risk") == ("promote", "dismiss", "discuss")
