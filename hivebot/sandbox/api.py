"""How does a request to the Web API become an answer?"""

from __future__ import annotations

import asyncio

from aiohttp import web

from hivebot.sandbox.answers import Answer, answer_call, check_limit, check_token, faulty, refused
from hivebot.sandbox.arguments import Arguments
from hivebot.sandbox.bench import Bench
from hivebot.sandbox.errors import SlackError
from hivebot.sandbox.faults import CallFault
from hivebot.sandbox.methods import APP_METHODS, OPEN_METHODS, need
from hivebot.sandbox.shapes import Json, as_text, parse_object
from hivebot.sandbox.workspace import responding

BENCH: web.AppKey[Bench] = web.AppKey("bench")


def routes() -> list[web.RouteDef]:
    """Return the routes that Slack itself has."""
    return [
        web.route("*", "/api/{method}", _call),
        web.post("/response/{key}", _respond),
        web.get("/link", _link),
        web.get("/files/{file}/{name}", _file),
    ]


async def _call(request: web.Request) -> web.StreamResponse:
    bench = request.app[BENCH]
    method = request.match_info["method"]
    try:
        arguments = await _arguments(request)
    except SlackError as refusal:
        bench.ws.note(method, {}, refusal.error)
        return _response(refused(bench.ws, refusal))
    token = _token(request, arguments)
    fault = bench.faults.for_call(method, as_text(arguments.get("channel")))
    if fault is not None and not fault.applied:
        bench.ws.note(method, arguments, f"fault:{fault.answer}")
        return await _fail(request, fault)
    answer = _answer(bench, method, token, arguments)
    if bench.ws.settings.own_event == "before":
        await bench.dispatcher.flush_first()
    if fault is not None:
        bench.dispatcher.flush()
        return await _fail(request, fault)
    return await _send(request, bench, _response(answer))


async def _send(request: web.Request, bench: Bench, response: web.Response) -> web.StreamResponse:
    """Write the answer out, and only then let its events go."""
    await response.prepare(request)
    await response.write_eof()
    bench.dispatcher.flush()
    return response


async def _fail(request: web.Request, fault: CallFault) -> web.StreamResponse:
    answer = faulty(fault)
    if answer is not None:
        return _response(answer)
    if fault.answer == "silence":
        # Cancelled when the caller gives up and closes the connection.
        await asyncio.Event().wait()
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=500)


def _response(answer: Answer) -> web.Response:
    return web.json_response(answer.body, status=answer.status, headers=answer.headers)


async def _arguments(request: web.Request) -> Json:
    """Return the arguments of a call from its query, form or JSON body.

    Raises:
        SlackError: ``invalid_json``, or ``invalid_post_type`` for another content type.
    """
    arguments: Json = dict(request.query)
    if not request.can_read_body:
        return arguments
    if request.content_type == "application/json":
        body = parse_object(await request.text())
        if body is None:
            raise SlackError("invalid_json")
        return {**arguments, **body}
    if request.content_type in {"application/x-www-form-urlencoded", "multipart/form-data"}:
        form = await request.post()
        return {**arguments, **dict(form)}
    raise SlackError("invalid_post_type")


def _token(request: web.Request, arguments: Json) -> str | None:
    token = as_text(arguments.pop("token", None))
    scheme, _, bearer = request.headers.get("Authorization", "").partition(" ")
    return bearer.strip() if scheme.lower() == "bearer" else (token or None)


def _answer(bench: Bench, method: str, token: str | None, arguments: Json) -> Answer:
    if method not in APP_METHODS and method not in OPEN_METHODS:
        return answer_call(bench.ws, method, token, arguments)
    try:
        body = _open_socket(bench, token) if method in APP_METHODS else _access(bench, arguments)
    except SlackError as refusal:
        bench.ws.note(method, {}, refusal.error)
        return refused(bench.ws, refusal)
    bench.ws.note(method, {}, None)
    return Answer({"ok": True, **body})


def _open_socket(bench: Bench, token: str | None) -> Json:
    check_token(bench.ws, token, app_level=True)
    method = "apps.connections.open"
    check_limit(bench.ws, method, APP_METHODS[method], "")
    return {"url": bench.sockets.mint_url()}


def _access(bench: Bench, arguments: Json) -> Json:
    """Exchange any code for the one installation there is."""
    ws, args = bench.ws, Arguments(arguments)
    if args.text("client_id") != ws.settings.client_id:
        raise SlackError("invalid_client_id")
    if args.text("client_secret") != ws.settings.client_secret:
        raise SlackError("bad_client_secret")
    if not args.text("code"):
        raise SlackError("invalid_code")
    return {
        "access_token": ws.settings.bot_token,
        "token_type": "bot",
        "scope": ",".join(ws.settings.scopes),
        "bot_user_id": ws.world.app.bot_user,
        "app_id": ws.world.app.id,
        "team": {"id": ws.world.team.id, "name": ws.world.team.name},
        "enterprise": None,
        "is_enterprise_install": False,
        "authed_user": {"id": "U0STEW"},
    }


async def _respond(request: web.Request) -> web.StreamResponse:
    bench = request.app[BENCH]
    body = parse_object(await request.text())
    try:
        responding.respond(bench.ws, request.match_info["key"], body)
    except SlackError as refusal:
        bench.ws.note("response_url", body or {}, refusal.error)
        return _response(refused(bench.ws, refusal))
    bench.ws.note("response_url", body or {}, None)
    return await _send(request, bench, web.json_response({"ok": True}))


async def _link(request: web.Request) -> web.StreamResponse:
    bench = request.app[BENCH]
    try:
        return await bench.sockets.serve(request)
    except SlackError as refusal:
        return _response(refused(bench.ws, refusal))


async def _file(request: web.Request) -> web.StreamResponse:
    """Give a file to a token that may read it; anything else gets the sign-in page, with 200."""
    ws = request.app[BENCH].ws
    content = ws.world.files.get(request.match_info["file"])
    try:
        check_token(ws, _token(request, {}), app_level=False)
        need(ws, "files:read")
    except SlackError:
        return web.Response(text="<html>Sign in to Slack</html>", content_type="text/html")
    if content is None:
        return web.Response(status=404)
    return web.Response(text=content)
