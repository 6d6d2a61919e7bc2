"""Which modals and Home tabs stand open, and who may change them?"""

from __future__ import annotations

from typing import Literal

from hivebot.sandbox.errors import SlackError
from hivebot.sandbox.shapes import Json, as_map, as_maps, as_text
from hivebot.sandbox.validation import check_view
from hivebot.sandbox.workspace.core import Trigger, Workspace
from hivebot.sandbox.world import View

TRIGGER_LIFE_S = 3.0
MAX_STACK = 3


def mint_trigger(ws: Workspace, user: str, view: str | None = None) -> str:
    """Return a trigger id with which the app may open one view for ``user``."""
    trigger_id = ws.mint_id("trigger-")
    ws.triggers[trigger_id] = Trigger(user=user, born_at=ws.clock(), view=view)
    return trigger_id


def _exchange(ws: Workspace, trigger_id: str) -> Trigger:
    trigger = ws.triggers.get(trigger_id)
    if trigger is None:
        raise SlackError("invalid_trigger_id")
    if trigger.used:
        raise SlackError("exchanged_trigger_id")
    if ws.clock() - trigger.born_at > TRIGGER_LIFE_S:
        raise SlackError("expired_trigger_id")
    trigger.used = True
    return trigger


def open_view(ws: Workspace, trigger_id: str, body: Json) -> View:
    """Open a modal; any other modal of the person is closed.

    Raises:
        SlackError: ``invalid_trigger_id``, ``exchanged_trigger_id``, ``expired_trigger_id``, or a
            check of the view.
    """
    trigger = _exchange(ws, trigger_id)
    check_view(body)
    ws.world.views = [
        one for one in ws.world.views if one.user != trigger.user or one.kind == "home"
    ]
    return _put(ws, trigger.user, "modal", body, None)


def push_view(ws: Workspace, trigger_id: str, body: Json) -> View:
    """Put a modal on top of the one the trigger came from.

    Raises:
        SlackError: As for ``open_view``; ``view_not_found``; ``push_limit_reached`` above three.
    """
    trigger = _exchange(ws, trigger_id)
    below = ws.view(trigger.view or "")
    if below is None:
        raise SlackError("view_not_found")
    return push_on(ws, below, body)


def push_on(ws: Workspace, below: View, body: Json) -> View:
    """Put a modal on top of another.

    Raises:
        SlackError: ``push_limit_reached`` or a check of the view.
    """
    check_view(body)
    if len(stack(ws, below)) >= MAX_STACK:
        raise SlackError("push_limit_reached")
    return _put(ws, below.user, "modal", body, below)


def stack(ws: Workspace, view: View) -> list[View]:
    """Return the modals that are stacked with ``view``, the lowest first."""
    return [one for one in ws.world.views if one.root_id == view.root_id]


def update_view(
    ws: Workspace, *, view_id: str, external_id: str, body: Json, digest: str | None
) -> View:
    """Replace what an open view shows.

    Raises:
        SlackError: ``not_found``, ``hash_conflict``, or a check of the view.
    """
    found = ws.view(view_id) or _external(ws, external_id)
    if found is None:
        raise SlackError("not_found")
    if digest and digest != found.hash:
        raise SlackError("hash_conflict")
    return replace(ws, found, body)


def _external(ws: Workspace, external_id: str) -> View | None:
    if not external_id:
        return None
    return next((one for one in ws.world.views if one.external_id == external_id), None)


def replace(ws: Workspace, view: View, body: Json) -> View:
    """Show ``body`` in an open view and return it with its new hash.

    Raises:
        SlackError: A check of the view.
    """
    check_view(body)
    view.body = _numbered(ws, body)
    view.hash = ws.mint_id("hash-")
    view.errors = {}
    ws.changed()
    return view


def publish_view(ws: Workspace, user: str, body: Json, digest: str | None) -> View:
    """Show a Home tab to a person.

    Raises:
        SlackError: ``user_not_found``, ``hash_conflict``, or a check of the view.
    """
    if ws.person(user) is None:
        raise SlackError("user_not_found")
    if body.get("type") != "home":
        raise SlackError("invalid_arguments")
    shown = home(ws, user)
    if shown is None:
        check_view(body)
        return _put(ws, user, "home", body, None)
    if digest and digest != shown.hash:
        raise SlackError("hash_conflict")
    return replace(ws, shown, body)


def home(ws: Workspace, user: str) -> View | None:
    """Return the Home tab of a person, if the app has published one."""
    return next((one for one in ws.world.views if one.user == user and one.kind == "home"), None)


def _put(
    ws: Workspace, user: str, kind: Literal["modal", "home"], body: Json, below: View | None
) -> View:
    view_id = ws.mint_id("V")
    view = View(
        id=view_id,
        user=user,
        kind=kind,
        body=_numbered(ws, body),
        hash=ws.mint_id("hash-"),
        root_id=below.root_id if below else view_id,
        previous_id=below.id if below else None,
        external_id=as_text(body.get("external_id")) or None,
    )
    ws.world.views.append(view)
    ws.changed()
    return view


def _numbered(ws: Workspace, body: Json) -> Json:
    """Return the view with an id on each block and action, as Slack mints them."""
    blocks: list[object] = []
    for block in as_maps(body.get("blocks")):
        numbered = {**block, "block_id": block.get("block_id") or ws.mint_id("b")}
        if block.get("type") == "input":
            element = as_map(block.get("element"))
            named = {**element, "action_id": element.get("action_id") or ws.mint_id("a")}
            numbered["element"] = named
        blocks.append(numbered)
    return {**body, "blocks": blocks}


def close(ws: Workspace, view: View, *, every: bool = False) -> None:
    """Close a view, or with ``every`` the whole stack it belongs to."""
    gone = {one.id for one in stack(ws, view)} if every else {view.id}
    ws.world.views = [one for one in ws.world.views if one.id not in gone]
    ws.changed()


def view_json(ws: Workspace, view: View, state: Json | None = None) -> Json:
    """Return a view as payloads and answers show it."""
    return {
        "callback_id": "",
        "private_metadata": "",
        "clear_on_close": False,
        "notify_on_close": False,
        "external_id": "",
        **view.body,
        "id": view.id,
        "team_id": ws.world.team.id,
        "app_id": ws.world.app.id,
        "bot_id": ws.world.app.bot_id,
        "hash": view.hash,
        "root_view_id": view.root_id,
        "previous_view_id": view.previous_id,
        "state": {"values": state or {}},
    }
