"""How is Slack called? Every Web API method hivebot uses, its scopes, and one way to call it.

Source: slack.md 12, datapath.md 4, architecture.md "Errors".
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol, cast
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from hivebot.adapters.slack.failures import SdkAnswer, failure_of, refusal
from hivebot.adapters.slack.shapes import Json, as_map, as_text
from hivebot.services.records.outgoing import SendFailure

TIMEOUT_S: Final = 30
SLACK_URL: Final = "https://slack.com/api/"

TokenSupplier = Callable[[str], Awaitable[str]]
"""Gives the bot token of a team, "" when there is none. Read anew for every call."""


@dataclass(frozen=True, slots=True)
class Method:
    """What calling a method takes.

    Attributes:
        scopes: Scopes the token needs, for the kinds of channels it may be used on.
        reads: Changes nothing: asked by a form, which every method takes.
        of_team: Asks about a whole workspace, so a token of an organisation has to name it.
    """

    scopes: tuple[str, ...] = ()
    reads: bool = False
    of_team: bool = False


_HISTORY: Final = ("channels:history", "groups:history", "im:history", "mpim:history")
_CHANNELS: Final = ("channels:read", "groups:read", "im:read", "mpim:read")

METHODS: Final[dict[str, Method]] = {
    "auth.test": Method(reads=True),
    "chat.delete": Method(("chat:write",)),
    "chat.postEphemeral": Method(("chat:write",)),
    "chat.postMessage": Method(("chat:write",)),
    "chat.update": Method(("chat:write",)),
    "conversations.history": Method(_HISTORY, reads=True),
    "conversations.info": Method(_CHANNELS, reads=True),
    "conversations.list": Method(_CHANNELS, reads=True, of_team=True),
    "conversations.members": Method(_CHANNELS, reads=True),
    "conversations.open": Method(("im:write",)),
    "conversations.replies": Method(_HISTORY, reads=True),
    "reactions.add": Method(("reactions:write",)),
    "reactions.remove": Method(("reactions:write",)),
    "team.info": Method(("team:read",), reads=True),
    "usergroups.list": Method(("usergroups:read",), reads=True, of_team=True),
    "users.info": Method(("users:read",), reads=True),
    "views.open": Method(),
    "views.publish": Method(),
    "views.update": Method(),
}
"""Every method anything of hivebot calls, with the scopes the manifest asks for because of it."""

_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_UNREADABLE: Final = (ValueError, AttributeError, TypeError)
"""What the SDK raises over a body that is no JSON object."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Slack did it.

    Attributes:
        scopes: What the token may do, as the answer's header says; None where it says nothing.
    """

    data: Json
    scopes: frozenset[str] | None = None


class _Client(Protocol):
    """What is used of the SDK's client, whose own types say less."""

    async def api_call(
        self,
        api_method: str,
        *,
        http_verb: str,
        data: Json | None,
        json: Json | None,
        headers: Mapping[str, str],
    ) -> SdkAnswer: ...


class SlackApi:
    """Calls methods for any team. Nothing is called twice: the SDK's own retries are off."""

    def __init__(
        self, tokens: TokenSupplier, base_url: str = SLACK_URL, *, timeout_s: float = TIMEOUT_S
    ) -> None:
        """Remember where and how to call; connections are opened by the first call.

        Args:
            tokens: Asked before each call; what it raises is not caught.
            base_url: https or loopback, checked by the settings. A proxy of the environment is
                never used for loopback, since it would receive the token.
            timeout_s: Seconds for a call, connecting included.
        """
        self._tokens = tokens
        self._base_url = base_url
        self._timeout_s = timeout_s
        self._client: _Client | None = None
        self._session: aiohttp.ClientSession | None = None

    async def call(self, team_id: str, method: str, args: Json) -> Answer | SendFailure:
        """Call one method of `METHODS` once. Never raises for what Slack or the network does.

        Raises:
            KeyError: the method is not in the table.
            PortError: the token could not be read.
        """
        reads = METHODS[method].reads
        if METHODS[method].of_team and team_id:
            args = {"team_id": team_id, **args}
        token = await self._tokens(team_id)
        if not token:
            return SendFailure("token", "no_token")
        sent = {name: value for name, value in args.items() if value is not None}
        try:
            response = await self._connected().api_call(
                method,
                http_verb="POST",
                data=_form(sent) if reads else None,
                json=None if reads else sent,
                headers={"Authorization": f"Bearer {token}"},
            )
        except (SlackClientError, aiohttp.ClientError, OSError, *_UNREADABLE) as exc:
            return failure_of(method, exc)
        data = as_map(response.data)
        if data.get("ok") is not True:
            return refusal(method, as_text(data.get("error")), data, {}, response.status_code)
        return Answer(data, _scopes(response.headers))

    async def aclose(self) -> None:
        """Close the connections; a later call opens new ones."""
        if self._session is not None:
            await self._session.close()
        self._client = self._session = None

    def _connected(self) -> _Client:
        if self._client is None:
            timeout = aiohttp.ClientTimeout(total=self._timeout_s)
            self._session = aiohttp.ClientSession(timeout=timeout)
            client = AsyncWebClient(
                base_url=self._base_url,
                session=self._session,
                logger=_silent_logger(),
                retry_handlers=[],
            )
            if urlsplit(self._base_url).hostname in _LOOPBACK:
                client.proxy = None
            self._client = cast("_Client", client)
        return self._client


def _form(args: Json) -> Json:
    """Arguments as a form spells them: a form has no truth values."""
    return {
        name: str(int(value)) if isinstance(value, bool) else value for name, value in args.items()
    }


def _silent_logger() -> logging.Logger:
    """A logger that never reaches the level at which the SDK writes messages out."""
    logger = logging.getLogger("hivebot.slack_sdk")
    logger.setLevel(logging.WARNING)
    return logger


def _scopes(headers: Mapping[str, str]) -> frozenset[str] | None:
    told = next((value for name, value in headers.items() if name.lower() == "x-oauth-scopes"), "")
    return frozenset(scope.strip() for scope in told.split(",")) if told else None
