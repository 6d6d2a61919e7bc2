"""How does Slack reach us? Bolt's app, over HTTP or a socket, storing before it acknowledges.

Source: datapath.md 1, slack.md 2 to 4.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp, AsyncBoltRequest
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.error import BoltError
from slack_bolt.request.payload_utils import to_event
from slack_bolt.response import BoltResponse
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse

from hivebot.errors import HivebotError
from hivebot.telemetry import Event, get_logger

logger = get_logger(__name__)

_ANY = re.compile(r".*")

UNREADABLE = (AttributeError, KeyError, TypeError, ValueError)
"""What Bolt raises over a body that is not of the shape it expects."""

JSON: dict[str, str | Sequence[str]] = {"content-type": ["application/json"]}


class Receiver(Protocol):
    """Takes what Slack sends."""

    async def event(self, payload: dict[str, object]) -> str:
        """Store one `event_callback`; returns what was done, for the log line."""
        ...

    async def press(self, action: str, payload: dict[str, object]) -> str:
        """Carry out one press of a button; returns what was done."""
        ...

    async def submit(self, payload: dict[str, object]) -> Mapping[str, object] | None:
        """Take a modal's submission; what to say beside its input, or None."""
        ...

    async def command(self, payload: dict[str, object]) -> dict[str, object]:
        """Carry out a slash command; what to acknowledge with."""
        ...

    async def shortcut(self, payload: dict[str, object]) -> str:
        """Carry out a shortcut; returns what was done."""
        ...

    async def workspace(self, team_id: str, enterprise_id: str = "") -> Identity | None:
        """Who we are in a workspace, from the installation's row."""
        ...


@dataclass(frozen=True, slots=True)
class Identity:
    """The bot in one workspace."""

    team_id: str
    bot_user_id: str
    bot_id: str
    bot_token: str


Next = Callable[[], Awaitable[None]]


def build_slack_app(receiver: Receiver, signing_secret: str) -> AsyncApp:
    """Bolt's app.

    Events never reach Bolt's authorization, its self-event filter or its listeners: the middleware
    before authorization stores them and answers. It makes no call to Slack.
    """

    async def store(req: AsyncBoltRequest, next: Next) -> BoltResponse | None:  # noqa: A002
        body = cast("dict[str, object]", req.body)
        if body.get("type") == "app_rate_limited":
            logger.warning(Event.EVENTS_LIMITED, minute=body.get("minute_rate_limited"))
            return BoltResponse(status=200, body="")
        if body.get("type") != "event_callback":
            await next()
            return None
        return await _stored(receiver, body)

    async def authorize(
        enterprise_id: str | None = None, team_id: str | None = None
    ) -> AuthorizeResult:
        identity = await receiver.workspace(team_id or "", enterprise_id or "")
        if identity is None:
            raise BoltError("not installed in this workspace")
        return AuthorizeResult(
            enterprise_id=enterprise_id,
            team_id=identity.team_id,
            bot_token=identity.bot_token,
            bot_id=identity.bot_id,
            bot_user_id=identity.bot_user_id,
        )

    app = AsyncApp(
        signing_secret=signing_secret,
        authorize=authorize,
        before_authorize=store,
        process_before_response=True,
        ignoring_self_events_enabled=False,
        logger=_quiet_logger(),
    )

    async def pressed(
        ack: Callable[[], Awaitable[object]], body: dict[str, object], action: dict[str, object]
    ) -> None:
        name = str(action.get("action_id", ""))
        outcome = await receiver.press(name, body)
        logger.info(Event.PRESSED, action=name, outcome=outcome)
        await ack()

    async def submitted(ack: Callable[..., Awaitable[object]], body: dict[str, object]) -> None:
        refused = await receiver.submit(body)
        logger.info(Event.PRESSED, action="view", outcome="refused" if refused else "taken")
        await ack(**(refused or {}))

    app.view(_ANY)(submitted)  # pyright: ignore[reportUnknownMemberType] - Bolt's is partial

    async def commanded(ack: Callable[..., Awaitable[object]], body: dict[str, object]) -> None:
        await ack(**await receiver.command(body))

    async def called(ack: Callable[[], Awaitable[object]], body: dict[str, object]) -> None:
        outcome = await receiver.shortcut(body)
        logger.info(Event.PRESSED, action=str(body.get("callback_id", "")), outcome=outcome)
        await ack()

    app.command(_ANY)(commanded)  # pyright: ignore[reportUnknownMemberType] - Bolt's is partial
    app.shortcut(_ANY)(called)  # pyright: ignore[reportUnknownMemberType] - Bolt's is partial
    app.action(_ANY)(pressed)  # pyright: ignore[reportUnknownMemberType] - Bolt's is partial
    return app


def read_through(request: AsyncBoltRequest) -> None:
    """Read it as Bolt's middleware will.

    Raises:
        AttributeError, KeyError, TypeError, ValueError: Bolt could not.
    """
    to_event(cast("dict[str, object]", request.body))


class SocketHandler(AsyncSocketModeHandler):
    """Acknowledges also what Bolt cannot read: sent again it would be the same."""

    async def handle(self, client: SocketModeClient, req: SocketModeRequest) -> None:
        """Hand one envelope to Bolt."""
        try:
            body = cast("dict[str, object]", vars(req)["payload"])
            read_through(AsyncBoltRequest(mode="socket_mode", body=body))
        except UNREADABLE:
            logger.warning(Event.EVENT_IGNORED, reason="unreadable")
            await client.send_socket_mode_response(SocketModeResponse(envelope_id=req.envelope_id))
            return
        await super().handle(client, req)


def _quiet_logger() -> logging.Logger:
    """Bolt logs whole payloads at its lower levels; ours never holds text."""
    bolt = logging.getLogger("hivebot.bolt")
    bolt.setLevel(logging.ERROR)
    return bolt


async def _stored(receiver: Receiver, body: dict[str, object]) -> BoltResponse:
    """Answer 200 after the commit, 503 when nothing was written."""
    try:
        outcome = await receiver.event(body)
    except HivebotError as error:
        logger.warning(Event.REQUEST_FAILED, code=error.code, event_id=body.get("event_id"))
        return BoltResponse(status=503, body=json.dumps({"error": error.code}), headers=JSON)
    logger.info(Event.EVENT_TAKEN, event_id=body.get("event_id"), outcome=outcome)
    return BoltResponse(status=200, body="")
