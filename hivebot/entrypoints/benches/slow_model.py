"""Which model takes as long as it is told? A server here that speaks OpenAI's chat completions.

It fills the schema of an answer, the same words each time: what is measured is the way.
"""

from __future__ import annotations

import asyncio
import json
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


@asynccontextmanager
async def slow_model(takes_s: float) -> AsyncGenerator[str]:
    """It listens on this machine; gives its address as an agent's `base_url`."""

    async def complete(request: web.Request) -> web.Response:
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
    filled = json.dumps(_FILLED)
    tools = asked.get("tools")
    if not tools:
        return {"role": "assistant", "content": filled}
    offered = cast("list[dict[str, dict[str, str]]]", tools)[0]["function"]["name"]
    function = {"name": offered, "arguments": filled}
    call = {"id": "call-1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


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
