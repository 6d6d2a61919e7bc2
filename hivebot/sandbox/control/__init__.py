"""Which routes do the people's side and the test bench have?"""

from __future__ import annotations

from aiohttp import web
from pydantic import ValidationError

from hivebot.sandbox.api import BENCH
from hivebot.sandbox.bench import Bench
from hivebot.sandbox.control import looking, managing, pressing, scene, steering, talking
from hivebot.sandbox.control.base import Act
from hivebot.sandbox.errors import ControlError
from hivebot.sandbox.shapes import Json, parse_object

READS: dict[str, type[Act]] = {
    "": looking.Describe,
    "log": looking.Log,
    "look": looking.Look,
    "scene": scene.Scene,
    "wait": looking.Wait,
}
WRITES: dict[str, type[Act]] = {
    "say": talking.Say,
    "bot_say": talking.BotSay,
    "edit": talking.Edit,
    "delete": talking.Delete,
    "react": talking.React,
    "unfurl": talking.Unfurl,
    "press": pressing.Press,
    "submit": pressing.Submit,
    "close": pressing.Close,
    "command": pressing.Command,
    "shortcut": pressing.Shortcut,
    "open_home": pressing.OpenHome,
    "create": managing.Create,
    "channel": managing.ChangeChannel,
    "invite": managing.Invite,
    "kick": managing.Kick,
    "hire": managing.Hire,
    "deactivate": managing.Deactivate,
    "group": managing.ChangeGroup,
    "install": managing.Install,
    "settings": steering.Change,
    "verify": steering.Verify,
    "fault": steering.BreakCalls,
    "event_fault": steering.BreakEvents,
    "mend": steering.Mend,
    "release": steering.Release,
    "disconnect": steering.Disconnect,
    "deafen": steering.Deafen,
    "emit": steering.Emit,
}


def routes() -> list[web.RouteDef]:
    """Return the routes under ``/sandbox``: GET to look and to wait, POST to act."""
    return [
        web.get("/sandbox", _read),
        web.get("/sandbox/{act}", _read),
        web.post("/sandbox/{act}", _write),
    ]


async def _read(request: web.Request) -> web.Response:
    act = READS.get(request.match_info.get("act", ""))
    return await _run(request.app[BENCH], act, dict(request.query))


async def _write(request: web.Request) -> web.Response:
    bench = request.app[BENCH]
    act = WRITES.get(request.match_info["act"])
    body = parse_object(await request.text())
    response = await _run(bench, act, body)
    bench.dispatcher.flush()
    return response


async def _run(bench: Bench, act: type[Act] | None, fields: Json | None) -> web.Response:
    if act is None:
        return _refused("no_such_act", "", status=404)
    if fields is None:
        return _refused("not_an_object", "the body must be a JSON object", status=400)
    try:
        done = await act.model_validate(fields).run(bench)
    except ValidationError as exc:
        return _refused("bad_fields", str(exc), status=400)
    except ControlError as exc:
        return _refused(exc.reason, exc.detail, status=409)
    return web.json_response({"ok": True, **done})


def _refused(error: str, detail: str, *, status: int) -> web.Response:
    return web.json_response({"ok": False, "error": error, "detail": detail}, status=status)
