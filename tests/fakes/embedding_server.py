"""A small server that speaks OpenAI's embeddings and answers what it was told to."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Self

from aiohttp import web

Body = dict[str, Any]
Answer = Callable[[Body], web.StreamResponse]


def lengths(body: Body) -> web.StreamResponse:
    """A vector of two numbers for each text: its length, and one."""
    return given([[float(len(text)), 1.0] for text in body["input"]])(body)


def given(vectors: Sequence[Sequence[float]]) -> Answer:
    """These vectors, whatever was asked."""
    data = [
        {"object": "embedding", "index": place, "embedding": list(vector)}
        for place, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    answer = {"object": "list", "model": "small", "data": data, "usage": usage}
    return lambda _: web.json_response(answer)


def status(code: int, error: str = "") -> Answer:
    """An HTTP error with the provider's own words."""
    body = {"error": {"message": "planted-secret in an error", "code": error, "type": error}}
    return lambda _: web.json_response(body, status=code)


def garbage(_: Body) -> web.Response:
    """An answer that is no JSON at all."""
    return web.Response(text="<html>bad gateway</html>", content_type="text/html")


class EmbeddingServer:
    """Serves scripted answers in order, then `lengths` for ever.

    Attributes:
        requests: Bodies of the requests, in order.
        keys: Their authorization headers.
        silent_after: Requests it answers before it never answers again; None for all.
    """

    def __init__(self, *answers: Answer, silent_after: int | None = None) -> None:
        self.requests: list[Body] = []
        self.keys: list[str] = []
        self.silent_after = silent_after
        self._arrived = asyncio.Condition()
        self._script = deque(answers)
        self._closing = asyncio.Event()
        self._runner: web.AppRunner | None = None
        self._port = 0

    @property
    def environment(self) -> dict[str, str]:
        """What an embedder is told to reach it."""
        return {
            "OPENAI_BASE_URL": f"http://127.0.0.1:{self._port}/v1",
            "OPENAI_API_KEY": "planted-key",
        }

    async def asked(self, times: int) -> None:
        """Wait until that many requests have come."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.requests) >= times)

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/v1/embeddings", self._embed)
        self._runner = web.AppRunner(app, shutdown_timeout=1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing.set()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _embed(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        self.keys.append(request.headers.get("Authorization", ""))
        async with self._arrived:
            self._arrived.notify_all()
        if self.silent_after is not None and len(self.requests) > self.silent_after:
            await self._closing.wait()
            return web.Response(status=503)
        answer = self._script.popleft() if self._script else lengths
        return answer(body)
