"""Which workspace does a unit test start from, and how does it call and read it?"""

from __future__ import annotations

from hivebot.sandbox.answers import answer_call
from hivebot.sandbox.settings import BOT_TOKEN, Settings
from hivebot.sandbox.shapes import Json, as_map
from hivebot.sandbox.workspace import Workspace, people
from hivebot.sandbox.workspace.posting import Draft, post
from hivebot.sandbox.world import default_world
from tests.unit.sandbox.app_under_test import Clock


def workspace(clock: Clock | None = None, /, **switches: object) -> Workspace:
    settings = Settings().changed({"rich_text": False, **switches})
    return Workspace(default_world(), settings, clock or Clock())


def called(ws: Workspace, method: str, **args: object) -> Json:
    answer = answer_call(ws, method, BOT_TOKEN, dict(args))
    assert answer.body["ok"] is True, answer.body
    return answer.body


def refused(ws: Workspace, method: str, **args: object) -> str:
    answer = answer_call(ws, method, BOT_TOKEN, dict(args))
    assert answer.body["ok"] is False, answer.body
    return str(answer.body["error"])


def events(ws: Workspace) -> list[Json]:
    return [as_map(one.body["event"]) for one in ws.take_events()]


def kinds(ws: Workspace) -> list[str]:
    return [str(one.get("subtype") or one["type"]) for one in events(ws)]


def said(ws: Workspace, text: str = "hello", channel: str = "C0PAY", **more: object) -> str:
    """Let Ana say something and return its ts; the events stay queued."""
    thread_ts = more.get("thread_ts")
    root = thread_ts if isinstance(thread_ts, str) else None
    return people.say(ws, "U0ANA", channel, people.Say(text, root)).ts


def posted(ws: Workspace, text: str = "hello", channel: str = "C0PAY", **more: object) -> str:
    """Let the app post something and return its ts; the events stay queued."""
    thread_ts = more.get("thread_ts")
    root = thread_ts if isinstance(thread_ts, str) else None
    return post(ws, channel, Draft(text=text, thread_ts=root)).ts


def words(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def button(action_id: str, **more: object) -> Json:
    return {"type": "button", "action_id": action_id, "text": words(action_id), **more}


def actions(*elements: Json, **more: object) -> Json:
    return {"type": "actions", "elements": list(elements), **more}


def modal(*blocks: Json, **more: object) -> Json:
    frame: Json = {"type": "modal", "title": words("T"), "submit": words("Go")}
    return {**frame, "blocks": list(blocks), **more}


def field(action_id: str, element: Json | None = None, **more: object) -> Json:
    inside: Json = {"type": "plain_text_input", **(element or {}), "action_id": action_id}
    block_id = f"block-{action_id}"
    return {
        "type": "input",
        "block_id": block_id,
        "label": words("L"),
        "element": inside,
        **more,
    }
