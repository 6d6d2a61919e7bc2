"""What do modals look like, and what comes back from them?"""

from __future__ import annotations

import pytest

from hivebot.adapters.slack.limits import view_problems
from hivebot.adapters.slack.shapes import Json, as_list, as_map, as_maps
from hivebot.adapters.slack.views import (
    INPUT_MAX,
    answer_correction_view,
    chosen_desk,
    corrected_words,
    correction_view,
    elsewhere_view,
    is_taught,
    notice_view,
    refused_words,
    removal_view,
    submitted_as,
    submitted_value,
)
from hivebot.sandbox.validation import check_view


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


# --- of answers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "view",
    [
        answer_correction_view("7:1", "x" * 4_000, decides=True),
        answer_correction_view("7:1", "Two days.", decides=False),
        elsewhere_view("7", [(f"d{number}", "n" * 90) for number in range(120)]),
        removal_view("7:1"),
        notice_view("It is gone."),
    ],
    ids=["correct", "suggest", "elsewhere", "remove", "notice"],
)
def test_slack_takes_every_modal(view: Json) -> None:
    assert view_problems(view) == ()
    check_view(dict(view))


def left(view: Json, **entered: Json) -> Json:
    """A submission of a modal in which this was left, by action."""
    values = {
        str(block["block_id"]): {
            str(as_map(block["element"])["action_id"]): entered[
                str(as_map(block["element"])["action_id"])
            ]
        }
        for block in as_maps(view["blocks"])
        if "element" in block
    }
    return {"view": {**view, "state": {"values": values}}}


def test_a_correction_is_taught_unless_the_tick_is_taken_away() -> None:
    view = answer_correction_view("7:1", "Two days.", decides=True)
    box = as_map(as_maps(view["blocks"])[1]["element"])
    assert box["initial_options"] == box["options"]
    ticked = left(view, words={"value": "x"}, teach={"selected_options": box["options"]})
    bare = left(view, words={"value": "x"}, teach={"selected_options": []})
    assert (is_taught(ticked), is_taught(bare)) == (True, False)
    assert submitted_as(ticked) == "answer_correction"


def test_the_desk_that_was_chosen_comes_back() -> None:
    view = elsewhere_view("7", [("platform", "Platform")])
    chosen = left(view, desk={"selected_option": {"value": "platform"}})
    assert (chosen_desk(chosen), submitted_value(chosen)) == ("platform", "7")
    assert chosen_desk(left(view, desk={"selected_option": None})) == ""
