"""What does a steward's modal look like, and what comes back from it?"""

from __future__ import annotations

from hivebot.adapters.slack.shapes import as_list, as_map
from hivebot.adapters.slack.views import (
    INPUT_MAX,
    corrected_words,
    correction_view,
    refused_words,
    submitted_value,
)


def element(text: str) -> dict[str, object]:
    (block,) = as_list(correction_view("7:d1", text)["blocks"])
    return dict(as_map(as_map(block)["element"]))


def submission(words: object) -> dict[str, object]:
    state = {"values": {"correction": {"words": {"type": "plain_text_input", "value": words}}}}
    return {"type": "view_submission", "view": {"private_metadata": "7:d1", "state": state}}


def test_the_modal_carries_the_buttons_value_and_starts_from_what_stands() -> None:
    view = correction_view("7:d1", "Five\x00 days.\r\n")
    assert (view["private_metadata"], view["callback_id"]) == ("7:d1", "gate_correction")
    assert element("Five\x00 days.\r\n")["initial_value"] == "Five days.\n"


def test_what_the_input_does_not_hold_whole_is_left_out_rather_than_cut() -> None:
    assert "initial_value" in element("x" * INPUT_MAX)
    assert "initial_value" not in element("x" * (INPUT_MAX + 1))
    assert "initial_value" not in element("")


def test_a_submission_gives_back_the_words_and_the_gate() -> None:
    assert corrected_words(submission("three days")) == "three days"
    assert submitted_value(submission("x")) == "7:d1"


def test_an_empty_or_a_forged_submission_gives_nothing() -> None:
    assert corrected_words(submission(None)) == ""
    assert corrected_words({"view": {"state": []}}) == ""
    assert submitted_value({}) == ""


def test_a_refusal_stands_beside_the_input() -> None:
    (block,) = as_list(correction_view("7:d1", "")["blocks"])
    assert refused_words("too late") == {
        "response_action": "errors",
        "errors": {as_map(block)["block_id"]: "too late"},
    }
