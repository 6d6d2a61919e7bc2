"""What becomes of an app's answer to a press or a command?"""

from __future__ import annotations

import pytest

from hivebot.sandbox.errors import SlackError
from hivebot.sandbox.shapes import Json
from hivebot.sandbox.workspace import Workspace, acting, responding, seeing
from hivebot.sandbox.workspace.acting import Press
from tests.unit.sandbox.app_under_test import Clock
from tests.unit.sandbox.builders import actions, button, called, workspace


def after_command(ws: Workspace, channel: str = "payments") -> str:
    return str(acting.command(ws, "ana", channel, "/hive", "").payload["response_url"])[-9:]


def after_press(ws: Workspace, *, ephemeral: bool = False) -> tuple[str, str]:
    post: Json = {"channel": "C0PAY", "text": "Gate", "blocks": [actions(button("go"))]}
    if ephemeral:
        ts = called(ws, "chat.postEphemeral", **post, user="U0ANA")["message_ts"]
    else:
        ts = called(ws, "chat.postMessage", **post)["ts"]
    act = acting.press(ws, "ana", "payments", str(ts), Press("go"))
    return str(act.payload["response_url"])[-9:], str(ts)


def respond(ws: Workspace, key: str, **body: object) -> None:
    responding.respond(ws, key, dict(body))


def texts(ws: Workspace) -> list[object]:
    return [one["text"] for one in seeing.channel_seen(ws, "payments", None)]


def test_an_answer_is_ephemeral_unless_it_says_in_channel() -> None:
    ws = workspace()
    key = after_command(ws)
    respond(ws, key, text="psst")
    respond(ws, key, text="all", response_type="in_channel")
    assert [(one.user, one.text) for one in ws.world.ephemerals] == [("U0ANA", "psst")]
    assert texts(ws) == ["all"]


def test_an_answer_reaches_a_channel_the_app_is_not_in() -> None:
    ws = workspace()
    respond(ws, after_command(ws, "lab"), text="all", response_type="in_channel")
    assert len(seeing.channel_seen(ws, "lab", None)) == 1


def test_the_original_is_replaced_or_deleted() -> None:
    ws = workspace()
    key, _ = after_press(ws)
    respond(ws, key, text="Approved by Ana", replace_original=True)
    [seen] = seeing.channel_seen(ws, "payments", None)
    assert (seen["text"], seen["buttons"]) == ("Approved by Ana", [])
    respond(ws, key, delete_original=True)
    assert texts(ws) == []


def test_an_ephemeral_original_is_replaced_or_deleted() -> None:
    ws = workspace()
    key, _ = after_press(ws, ephemeral=True)
    respond(ws, key, text="Approved", replace_original=True)
    assert [one.text for one in ws.world.ephemerals] == ["Approved"]
    key, _ = after_press(ws, ephemeral=True)
    respond(ws, key, delete_original=True)
    assert [one.text for one in ws.world.ephemerals] == ["Approved"]


def refusal(ws: Workspace, key: str, body: Json | None) -> str:
    with pytest.raises(SlackError) as refused:
        responding.respond(ws, key, body)
    return refused.value.error


def test_a_url_is_good_for_five_uses() -> None:
    ws = workspace()
    key = after_command(ws)
    for _ in range(5):
        respond(ws, key, text="x")
    assert refusal(ws, key, {"text": "x"}) == "used_url"


def test_a_url_is_good_for_thirty_minutes() -> None:
    clock = Clock()
    ws = workspace(clock)
    key = after_command(ws)
    clock.now += 1801
    assert refusal(ws, key, {"text": "x"}) == "expired_url"


def test_a_refused_answer_says_why_and_is_no_use() -> None:
    ws = workspace()
    key = after_command(ws)
    assert refusal(ws, "R0", {"text": "x"}) == "invalid_url"
    assert refusal(ws, key, None) == "invalid_payload"
    assert refusal(ws, key, {"text": ""}) == "no_text"
    assert refusal(ws, key, {"blocks": [{"type": "wonder"}]}) == "invalid_blocks"
    assert ws.response_urls[key].uses == 0


def test_an_answer_to_a_channel_that_is_gone_is_refused() -> None:
    ws = workspace()
    key = after_command(ws)
    ws.place("payments").is_deleted = True
    body: Json = {"text": "x", "response_type": "in_channel"}
    assert refusal(ws, key, body) == "channel_not_found"
    ws.world.channels = [one for one in ws.world.channels if one.id != "C0PAY"]
    assert refusal(ws, key, body) == "channel_not_found"
