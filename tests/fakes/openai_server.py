"""A small server that speaks OpenAI's chat completions and answers what it was told to."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable
from typing import Any, Self

from aiohttp import web

Body = dict[str, Any]
Answer = Callable[[Body], web.StreamResponse]


def completion(message: Body, finish_reason: str = "stop") -> web.Response:
    """One choice, 100 tokens in and 20 out."""
    return web.json_response(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "small",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": None, **message},
                    "finish_reason": finish_reason,
                }
            ],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        }
    )


def structured(filled: Body) -> Answer:
    """The schema filled, as text in JSON."""
    return lambda _: completion({"content": json.dumps(filled)})


def tool_call(filled: Body) -> Answer:
    """The schema filled, by a call of the one tool offered."""

    def answer(request: Body) -> web.Response:
        function = {
            "name": request["tools"][0]["function"]["name"],
            "arguments": json.dumps(filled),
        }
        call = {"id": "call-1", "type": "function", "function": function}
        return completion({"tool_calls": [call]}, "tool_calls")

    return answer


def cut_tool_call(arguments: str) -> Answer:
    """A tool call that ran into the output limit."""

    def answer(request: Body) -> web.Response:
        function = {"name": request["tools"][0]["function"]["name"], "arguments": arguments}
        call = {"id": "call-1", "type": "function", "function": function}
        return completion({"tool_calls": [call]}, "length")

    return answer


def text(content: str, finish_reason: str = "stop") -> Answer:
    """Plain text."""
    return lambda _: completion({"content": content}, finish_reason)


def refusal(words: str) -> Answer:
    """A refusal in so many words."""
    return lambda _: completion({"refusal": words})


def filtered() -> Answer:
    """The provider's content filter."""
    return lambda _: completion({"content": ""}, "content_filter")


def empty() -> Answer:
    """A message that holds nothing."""
    return lambda _: completion({"content": ""})


def status(code: int, error: str = "", headers: dict[str, str] | None = None) -> Answer:
    """An HTTP error with the provider's own words."""
    body = {"error": {"message": "planted-secret in an error", "code": error, "type": error}}
    return lambda _: web.json_response(body, status=code, headers=headers)


def garbage() -> Answer:
    """An answer that is no JSON at all."""
    return lambda _: web.Response(text="<html>bad gateway</html>", content_type="text/html")


class OpenAIServer:
    """Serves scripted answers in order; an empty script never answers.

    Attributes:
        requests: Bodies of the requests, in order.
        keys: Their authorization headers.
    """

    def __init__(self) -> None:
        self.requests: list[Body] = []
        self.keys: list[str] = []
        self._script: deque[Answer] = deque()
        self._closing = asyncio.Event()
        self._runner: web.AppRunner | None = None
        self._port = 0

    @property
    def base_url(self) -> str:
        """Where it listens, as an agent's configuration has it."""
        return f"http://127.0.0.1:{self._port}/v1"

    def script(self, *answers: Answer) -> None:
        """Set what is answered, request by request."""
        self._script.extend(answers)

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._complete)
        self._runner = web.AppRunner(app, shutdown_timeout=1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing.set()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        self.keys.append(request.headers.get("Authorization", ""))
        if not self._script:
            await self._closing.wait()
            return web.Response(status=503)
        return self._script.popleft()(body)
