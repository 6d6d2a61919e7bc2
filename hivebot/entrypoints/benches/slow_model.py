"""Which model takes as long as it is told? A server here that speaks OpenAI's chat completions.

It fills the schema it is offered with the same words each time: what is measured is the way.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final, cast

from aiohttp import web

WORDS: Final = "Refunds reach the customer within five working days."
_FILLED: Final[dict[str, object]] = {
    "known": "known",
    "answer": WORDS,
    "cites": [],
    "used_memories": [],
    "ask": {"desk": "", "question": ""},
}
OPTION: Final = "ship"
_FACT: Final[dict[str, object]] = {
    "option": OPTION,
    "bearing": "for",
    "strength": 3,
    "text": "The load test held for an hour.",
    "rests_on": "brief",
}
_OPENED: Final[dict[str, object]] = {"facts": [_FACT], "remark": ""}
_MOVED: Final[dict[str, object]] = {
    "stance": "propose",
    "option": OPTION,
    "target": 0,
    "cites": [0],
    "reason": "it held",
    "facts": [_FACT],
    "remark": "",
    "ask": {"desk": "", "question": ""},
}
_COMMITTED: Final[dict[str, object]] = {
    "agree": True,
    "cites": [0],
    "facts": [_FACT],
    "answer": "Ship it: the load test held.",
    "open_points": "",
    "reason": "it held",
}
_OF_DELIBERATIONS: Final = (("stance", _MOVED), ("agree", _COMMITTED), ("remark", _OPENED))
"""By a field that only this schema has, in the order in which they are tried."""


@asynccontextmanager
async def slow_model(takes_s: float, came_at: list[float] | None = None) -> AsyncGenerator[str]:
    """It listens on this machine; gives its address as an agent's `base_url`.

    Args:
        takes_s: How long each answer takes.
        came_at: Where the moment of each call is noted, in seconds of the wall clock.
    """

    async def complete(request: web.Request) -> web.Response:
        if came_at is not None:
            came_at.append(time.time())
        asked = cast("dict[str, object]", await request.json())
        await asyncio.sleep(takes_s)
        return web.json_response(_completion(_message(asked)))

    app = web.Application()
    app.router.add_post("/v1/chat/completions", complete)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


def _message(asked: dict[str, object]) -> dict[str, object]:
    """By a call of the tool that is offered, else as text."""
    tools = asked.get("tools")
    if not tools:
        return {"role": "assistant", "content": json.dumps(_FILLED)}
    offered = cast("list[dict[str, dict[str, object]]]", tools)[0]["function"]
    parameters = cast("dict[str, dict[str, object]]", offered["parameters"])
    function = {"name": offered["name"], "arguments": json.dumps(_filled(parameters["properties"]))}
    call = {"id": "call-1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _filled(fields: dict[str, object]) -> dict[str, object]:
    """The schema's fields and no other: what is not offered cannot be filled in."""
    filled = next((one for field, one in _OF_DELIBERATIONS if field in fields), _FILLED)
    return {name: value for name, value in filled.items() if name in fields}


def _completion(message: dict[str, object]) -> dict[str, object]:
    reason = "tool_calls" if "tool_calls" in message else "stop"
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "slow",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }
