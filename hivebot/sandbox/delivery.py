"""How does a signed request reach the app over HTTP, and how often is it sent again?"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import urlencode

import aiohttp

from hivebot.sandbox.shapes import Json, compact
from hivebot.sandbox.workspace import Workspace

Sleep = Callable[[float], Awaitable[None]]
MAX_REDIRECTS = 2


@dataclass(frozen=True, slots=True)
class Attempt:
    """How one delivery ended.

    Attributes:
        status: HTTP status, or 0 without an answer.
        body: Body of the answer, as text.
        reason: Slack's retry reason, or None when the app acknowledged.
        no_retry: Whether the app asked not to be sent the event again.
    """

    status: int
    body: str = ""
    reason: str | None = None
    no_retry: bool = False


def sign(secret: str, timestamp: int, body: bytes) -> str:
    """Return the value of ``X-Slack-Signature``.

    Source: slack.md section 4.
    """
    base = b"v0:%d:%b" % (timestamp, body)
    return "v0=" + hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()


class HttpDelivery:
    """Posts events, presses and commands to the app's request URLs."""

    def __init__(
        self, ws: Workspace, session: aiohttp.ClientSession, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._ws = ws
        self._session = session
        self._sleep = sleep

    async def verify(self, url: str, challenge: str) -> bool:
        """Return whether ``url`` answers Slack's ``url_verification``."""
        token = self._ws.settings.verification_token
        body: Json = {"token": token, "challenge": challenge, "type": "url_verification"}
        attempt = await self._post(url, compact(body).encode(), "application/json", {})
        return attempt.reason is None and challenge in attempt.body

    async def event(self, body: Json, report: Callable[[int, Attempt], None]) -> bool:
        """Deliver one event with Slack's retries; return whether it was acknowledged at last.

        Each attempt is reported with its number from 0. Without a request URL nothing is sent.

        Source: slack.md section 2.
        """
        reason = ""
        for number in range(len(self._ws.settings.retry_delays_s) + 1):
            if number:
                await self._sleep(self._ws.settings.retry_delay_s(number))
            url = self._ws.settings.event_url
            if url is None:
                return False
            headers = _retry_headers(number, reason)
            attempt = await self._post(url, compact(body).encode(), "application/json", headers)
            report(number, attempt)
            if attempt.reason is None:
                return True
            if attempt.no_retry:
                return False
            reason = attempt.reason
        return False

    async def interactive(self, payload: Json) -> Attempt:
        """Post a press, submission or shortcut, once; return how it ended."""
        url = self._ws.settings.interactivity_url or self._ws.settings.event_url
        return await self._form(url, {"payload": compact(payload)})

    async def command(self, fields: Json) -> Attempt:
        """Post a slash command, once; return how it ended."""
        url = self._ws.settings.command_url or self._ws.settings.event_url
        return await self._form(url, {key: str(value) for key, value in fields.items()})

    async def _form(self, url: str | None, fields: dict[str, str]) -> Attempt:
        if url is None:
            return Attempt(0, reason="connection_failed")
        body = urlencode(fields).encode()
        return await self._post(url, body, "application/x-www-form-urlencoded", {})

    async def _post(
        self, url: str, body: bytes, content_type: str, more: dict[str, str]
    ) -> Attempt:
        timestamp = int(self._ws.clock())
        headers = {
            "Content-Type": content_type,
            "User-Agent": "Slackbot 1.0 (sandbox)",
            "X-Slack-Request-Timestamp": str(timestamp),
            "X-Slack-Signature": sign(self._ws.settings.signing_secret, timestamp, body),
            **more,
        }
        try:
            async with (
                asyncio.timeout(self._ws.settings.ack_timeout_s),
                self._session.post(
                    url, data=body, headers=headers, max_redirects=MAX_REDIRECTS
                ) as response,
            ):
                text = await response.text()
        except (aiohttp.ClientError, OSError) as exc:
            return Attempt(0, reason=_reason(exc))
        if 200 <= response.status < 300:
            return Attempt(response.status, text)
        no_retry = response.headers.get("X-Slack-No-Retry") == "1"
        return Attempt(response.status, text, "http_error", no_retry)


def _retry_headers(number: int, reason: str) -> dict[str, str]:
    if not number:
        return {}
    return {"X-Slack-Retry-Num": str(number), "X-Slack-Retry-Reason": reason}


def _reason(exc: Exception) -> str:
    """Return Slack's word for a failed delivery."""
    if isinstance(exc, TimeoutError):
        return "http_timeout"
    if isinstance(exc, aiohttp.TooManyRedirects):
        return "too_many_redirects"
    if isinstance(exc, aiohttp.ClientSSLError | ssl.SSLError):
        return "ssl_error"
    if isinstance(exc, aiohttp.ClientConnectionError | OSError):
        return "connection_failed"
    return "unknown_error"
