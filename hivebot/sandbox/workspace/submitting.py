"""What does the app get when a modal is submitted or closed, and what becomes of its answer?"""

from __future__ import annotations

from hivebot.sandbox.errors import ControlError, SlackError
from hivebot.sandbox.shapes import Json, as_map, as_maps, as_text, compact, parse_object
from hivebot.sandbox.workspace import views
from hivebot.sandbox.workspace.acting import Interaction, common_fields, entered_in, opened_view
from hivebot.sandbox.workspace.core import Workspace
from hivebot.sandbox.world import View


def submit(ws: Workspace, user: str, view_id: str, values: Json) -> Interaction:
    """Submit a modal; ``values`` maps action ids to what was typed or picked.

    What is not named keeps its initial value.

    Raises:
        ControlError: The view is not open, an action id is unknown, or a required input is empty.
    """
    person, view = opened_view(ws, user, view_id)
    state: Json = {}
    unknown = set(values)
    for block in as_maps(view.body.get("blocks")):
        element = as_map(block.get("element"))
        action_id = as_text(element.get("action_id"))
        if block.get("type") != "input":
            continue
        unknown.discard(action_id)
        left = _left(element, values.get(action_id))
        if not block.get("optional") and not any(left.values()):
            raise ControlError("input_required", action_id)
        state[as_text(block.get("block_id"))] = {action_id: {"type": element.get("type"), **left}}
    if unknown:
        raise ControlError("no_such_element", min(unknown))
    return Interaction(
        "interactive",
        {
            **common_fields(ws, person, "view_submission"),
            "view": views.view_json(ws, view, state),
            "trigger_id": views.mint_trigger(ws, person.id, view.id),
            "response_urls": [],
        },
        accepts_response=True,
    )


def _left(element: Json, entered: object) -> Json:
    if entered is not None:
        return entered_in(element, entered)
    initial = {
        key.replace("initial_", "selected_"): value
        for key, value in element.items()
        if key.startswith("initial_")
    }
    if "selected_value" in initial:
        return {"value": initial["selected_value"]}
    return initial or _nothing(as_text(element.get("type")))


def _nothing(kind: str) -> Json:
    if kind in {"checkboxes", "multi_static_select"}:
        return {"selected_options": []}
    return {"selected_option": None} if "select" in kind or "radio" in kind else {"value": None}


def settle_submission(ws: Workspace, view_id: str, answer: str) -> Json:
    """Do what the app answered to a submission and return what the person sees.

    Raises:
        ControlError: The answer is nothing that Slack takes.

    Source: slack.md section 4.
    """
    view = ws.view(view_id)
    body = parse_object(answer) if answer.strip() else {}
    if view is None or body is None:
        raise ControlError("bad_response", answer)
    action = body.get("response_action")
    if action == "errors":
        return _errors(ws, view, as_map(body.get("errors")))
    if action in {"update", "push"}:
        return _shown_next(ws, view, str(action), as_map(body.get("view")))
    if action not in {None, "clear"}:
        raise ControlError("bad_response", answer)
    views.close(ws, view, every=action == "clear")
    return {"closed": True, "errors": {}}


def _errors(ws: Workspace, view: View, errors: Json) -> Json:
    inputs = {
        as_text(block.get("block_id"))
        for block in as_maps(view.body.get("blocks"))
        if block.get("type") == "input"
    }
    if not errors or not set(errors) <= inputs:
        raise ControlError("bad_response", "errors must name input blocks")
    view.errors = errors
    ws.changed()
    return {"closed": False, "errors": errors}


def _shown_next(ws: Workspace, view: View, action: str, body: Json) -> Json:
    try:
        shown = (
            views.replace(ws, view, body) if action == "update" else views.push_on(ws, view, body)
        )
    except SlackError as exc:
        raise ControlError("bad_response", compact(exc.body())) from exc
    return {"closed": False, "errors": {}, "view_id": shown.id}


def close(ws: Workspace, user: str, view_id: str) -> Interaction | None:
    """Close a modal; return what the app gets if it asked to be told.

    Raises:
        ControlError: The view is not open before this person.
    """
    person, view = opened_view(ws, user, view_id)
    views.close(ws, view)
    if not view.body.get("notify_on_close"):
        return None
    body = {**common_fields(ws, person, "view_closed"), "view": views.view_json(ws, view)}
    return Interaction("interactive", {**body, "is_cleared": False})
