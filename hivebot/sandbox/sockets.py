"""Which sockets has the app opened, and what travels over them?"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal

from aiohttp import WSMsgType, web

from hivebot.sandbox.delivery import Attempt, Sleep
from hivebot.sandbox.errors import SlackError
from hivebot.sandbox.shapes import Json, as_text, compact, parse_object
from hivebot.sandbox.workspace import Workspace
from hivebot.sandbox.workspace.acting import Interaction

CLOSE_TIMEOUT_S = 0.5
Reason = Literal["warning", "refresh_requested", "link_disabled", "too_many_websockets"]


@dataclass(slots=True, eq=False)
class Link:
    """One open socket; a deaf one stays open, answers pings and delivers nothing."""

    socket: web.WebSocketResponse
    deaf: bool = False
    pending: dict[str, asyncio.Future[Attempt]] = field(
        default_factory=dict[str, "asyncio.Future[Attempt]"]
    )


class SocketHub:
    """All sockets of the app; payloads go round them in turn.

    Source: slack.md section 3.
    """

    def __init__(self, ws: Workspace, sleep: Sleep = asyncio.sleep) -> None:
        self._ws = ws
        self._sleep = sleep
        self._links: list[Link] = []
        self._tickets: dict[str, float] = {}
        self._turn = 0
        self._opened = asyncio.Event()

    @property
    def count(self) -> int:
        """Return how many sockets are open."""
        return len(self._links)

    def mint_url(self) -> str:
        """Return the URL of a fresh socket, good once and for a short time."""
        ticket = self._ws.mint_id("ticket-")
        self._tickets[ticket] = self._ws.clock()
        host = self._ws.base_url.removeprefix("http")
        return f"ws{host}/link?ticket={ticket}&app_id={self._ws.world.app.id}"

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Hold one socket from its hello until it closes.

        Raises:
            SlackError: The ticket is unknown, used or old.
        """
        born_at = self._tickets.pop(request.query.get("ticket", ""), None)
        if born_at is None or self._ws.clock() - born_at > self._ws.settings.socket_ticket_s:
            raise SlackError("invalid_ticket", status=403)
        socket = web.WebSocketResponse(
            timeout=CLOSE_TIMEOUT_S, heartbeat=self._ws.settings.socket_ping_s
        )
        await socket.prepare(request)
        link = Link(socket)
        if self.count >= self._ws.settings.max_sockets:
            await self._disconnect(link, "too_many_websockets")
            await socket.close()
            return socket
        self._links.append(link)
        await socket.send_str(compact(self._hello()))
        self._opened.set()
        self._ws.changed()
        try:
            await self._listen(link)
        finally:
            self._drop(link)
        return socket

    def _hello(self) -> Json:
        return {
            "type": "hello",
            "num_connections": self.count,
            "debug_info": {
                "host": "sandbox",
                "build_number": 1,
                "approximate_connection_time": self._ws.settings.connection_time_s,
            },
            "connection_info": {"app_id": self._ws.world.app.id},
        }

    async def _listen(self, link: Link) -> None:
        async for frame in link.socket:
            if frame.type is not WSMsgType.TEXT:
                continue
            body = parse_object(as_text(frame.data)) or {}
            waiting = link.pending.get(as_text(body.get("envelope_id")))
            if waiting is not None and not waiting.done() and not link.deaf:
                payload = body.get("payload")
                waiting.set_result(Attempt(200, "" if payload is None else compact(payload)))

    def _drop(self, link: Link) -> None:
        if link in self._links:
            self._links.remove(link)
        if not self._links:
            self._opened.clear()
        for waiting in link.pending.values():
            if not waiting.done():
                waiting.set_result(Attempt(0, reason="connection_failed"))
        self._ws.changed()

    async def event(self, body: Json, report: Callable[[int, Attempt], None]) -> bool:
        """Deliver one event; unacknowledged it is sent again on Slack's schedule.

        While no socket is open the event waits, and then arrives as a retry.
        """
        reason = ""
        for number in range(len(self._ws.settings.retry_delays_s) + 1):
            if number:
                await self._sleep(self._ws.settings.retry_delay_s(number))
                await self._opened.wait()
            more: Json = {"retry_attempt": number, "retry_num": number, "retry_reason": reason}
            attempt = await self._send("events_api", body, more, accepts=False)
            report(number, attempt)
            if attempt.reason is None:
                return True
            reason = attempt.reason
        return False

    async def interact(self, act: Interaction) -> Attempt:
        """Send a press, submission, shortcut or command once; return how it ended."""
        return await self._send(act.kind, act.payload, {}, accepts=act.accepts_response)

    async def _send(self, kind: str, payload: Json, more: Json, *, accepts: bool) -> Attempt:
        if not self._links:
            return Attempt(0, reason="connection_failed")
        self._turn += 1
        link = self._links[self._turn % len(self._links)]
        envelope_id = self._ws.mint_id("envelope-")
        waiting: asyncio.Future[Attempt] = asyncio.get_running_loop().create_future()
        link.pending[envelope_id] = waiting
        frame: Json = {
            "envelope_id": envelope_id,
            "type": kind,
            "payload": payload,
            "accepts_response_payload": accepts,
            **more,
        }
        try:
            async with asyncio.timeout(self._ws.settings.ack_timeout_s):
                await self._write(link, frame)
                return await waiting
        except TimeoutError:
            return Attempt(0, reason="timeout")
        finally:
            del link.pending[envelope_id]

    @staticmethod
    async def _write(link: Link, frame: Json) -> None:
        """Write a frame; what a closing socket refuses is left to the acknowledgement timeout."""
        if link.deaf or link.socket.closed:
            return
        await link.socket.send_str(compact(frame))

    async def disconnect(self, reason: Reason, *, close: bool) -> int:
        """Tell every open socket to go, and with ``close`` close it; return how many there were."""
        links = list(self._links)
        await self._each(links, lambda link: self._disconnect(link, reason))
        if close:
            for link in links:
                self._drop(link)
            await self._each(links, lambda link: link.socket.close())
        return len(links)

    @staticmethod
    async def _each(links: list[Link], act: Callable[[Link], Awaitable[object]]) -> None:
        for link in links:
            await act(link)

    async def _disconnect(self, link: Link, reason: Reason) -> None:
        frame: Json = {"type": "disconnect", "reason": reason, "debug_info": {"host": "sandbox"}}
        await self._write(link, frame)

    def deafen(self) -> int:
        """Make every socket that is open now deaf and return how many there were."""
        for link in self._links:
            link.deaf = True
        return len(self._links)

    async def close(self) -> None:
        """Close every socket."""
        await self.disconnect("link_disabled", close=True)
