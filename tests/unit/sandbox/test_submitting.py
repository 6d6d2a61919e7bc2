"""What does the app get when a modal is submitted or closed, and what becomes of its answer?"""

from __future__ import annotations

import json

import pytest

from hivebot.sandbox.errors import ControlError
from hivebot.sandbox.shapes import Json, as_map
from hivebot.sandbox.workspace import Workspace, submitting, views
from tests.unit.sandbox.builders import called, field, modal, words, workspace


def options(*values: str) -> list[object]:
    return [{"text": words(value), "value": value} for value in values]


def opened(ws: Workspace, view: Json) -> str:
    trigger = views.mint_trigger(ws, "U0STEW")
    return str(as_map(called(ws, "views.open", trigger_id=trigger, view=view)["view"])["id"])


def state(view: Json, values: Json) -> Json:
    ws = workspace()
    act = submitting.submit(ws, "stew", opened(ws, view), values)
    assert (act.accepts_response, act.payload["type"]) == (True, "view_submission")
    blocks = as_map(as_map(as_map(act.payload["view"])["state"])["values"])
    inside: Json = {}
    for block in blocks.values():
        inside.update(as_map(block))
    return inside


def test_what_was_typed_and_picked_is_sent_under_the_names_of_its_types() -> None:
    pick: Json = {"type": "static_select", "options": options("1", "2")}
    boxes: Json = {"type": "checkboxes", "options": options("teach")}
    view = modal(field("text"), field("pick", pick), field("boxes", boxes))
    assert state(view, {"text": "hi", "pick": "2", "boxes": ["teach"]}) == {
        "text": {"type": "plain_text_input", "value": "hi"},
        "pick": {"type": "static_select", "selected_option": options("2")[0]},
        "boxes": {"type": "checkboxes", "selected_options": options("teach")},
    }


def test_what_was_left_alone_keeps_its_initial_value() -> None:
    boxes: Json = {
        "type": "checkboxes",
        "options": options("teach"),
        "initial_options": options("teach"),
    }
    view = modal(field("text", {"initial_value": "old"}), field("boxes", boxes))
    assert state(view, {}) == {
        "text": {"type": "plain_text_input", "value": "old"},
        "boxes": {"type": "checkboxes", "selected_options": options("teach")},
    }


def test_an_optional_input_may_stay_empty() -> None:
    radio: Json = {"type": "radio_buttons", "options": options("1")}
    boxes: Json = {"type": "checkboxes", "options": options("1")}
    view = modal(
        {"type": "divider"},
        field("text", optional=True),
        field("radio", radio, optional=True),
        field("boxes", boxes, optional=True),
    )
    assert state(view, {}) == {
        "text": {"type": "plain_text_input", "value": None},
        "radio": {"type": "radio_buttons", "selected_option": None},
        "boxes": {"type": "checkboxes", "selected_options": []},
    }


def test_a_required_input_must_be_filled_and_a_made_up_one_is_refused() -> None:
    ws = workspace()
    view_id = opened(ws, modal(field("text")))
    with pytest.raises(ControlError, match="input_required"):
        submitting.submit(ws, "stew", view_id, {})
    with pytest.raises(ControlError, match="no_such_element"):
        submitting.submit(ws, "stew", view_id, {"text": "x", "other": "y"})
    with pytest.raises(ControlError, match="no_such_view"):
        submitting.submit(ws, "ana", view_id, {"text": "x"})


def settled(ws: Workspace, view_id: str, answer: Json) -> Json:
    return submitting.settle_submission(ws, view_id, json.dumps(answer))


def test_an_empty_answer_closes_the_view_and_shows_the_one_below() -> None:
    ws = workspace()
    below = opened(ws, modal())
    trigger = views.mint_trigger(ws, "U0STEW", below)
    top = as_map(called(ws, "views.push", trigger_id=trigger, view=modal())["view"])
    assert submitting.settle_submission(ws, str(top["id"]), "")["closed"] is True
    assert [one.id for one in ws.world.views] == [below]


def test_clear_closes_the_whole_stack() -> None:
    ws = workspace()
    view_id = opened(ws, modal())
    pushed = settled(ws, view_id, {"response_action": "push", "view": modal()})
    assert (pushed["closed"], len(ws.world.views)) == (False, 2)
    settled(ws, str(pushed["view_id"]), {"response_action": "clear"})
    assert ws.world.views == []


def test_errors_are_shown_under_their_blocks_until_the_view_changes() -> None:
    ws = workspace()
    view_id = opened(ws, modal(field("text")))
    errors = {"block-text": "Say more."}
    assert settled(ws, view_id, {"response_action": "errors", "errors": errors}) == {
        "closed": False,
        "errors": errors,
    }
    assert ws.world.views[0].errors == errors
    new = modal(title=words("New"))
    assert settled(ws, view_id, {"response_action": "update", "view": new})["view_id"] == view_id
    assert ws.world.views[0].errors == {}


@pytest.mark.parametrize(
    "answer",
    [
        {"response_action": "errors", "errors": {}},
        {"response_action": "errors", "errors": {"nowhere": "x"}},
        {"response_action": "wonder"},
        {"response_action": "update", "view": {"type": "modal"}},
        {"response_action": "push"},
    ],
)
def test_an_answer_that_slack_does_not_take_is_refused(answer: Json) -> None:
    ws = workspace()
    view_id = opened(ws, modal(field("text")))
    with pytest.raises(ControlError, match="bad_response"):
        settled(ws, view_id, answer)
    assert len(ws.world.views) == 1


def test_an_answer_that_is_no_json_is_refused() -> None:
    ws = workspace()
    with pytest.raises(ControlError, match="bad_response"):
        submitting.settle_submission(ws, opened(ws, modal()), "OK")


def test_the_app_hears_of_a_closed_view_only_when_it_asked() -> None:
    ws = workspace()
    assert submitting.close(ws, "stew", opened(ws, modal())) is None
    act = submitting.close(ws, "stew", opened(ws, modal(notify_on_close=True)))
    assert act is not None
    assert act.payload["type"] == "view_closed"
    assert ws.world.views == []
