"""How does a workspace install the app, and how does its token stay fresh?

Bolt's own flow and the SDK's own rotation; ours are the pages, the lock, and what a failure means.
Source: product.md 9, datapath.md 9, slack.md 8.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from html import escape
from typing import Any, Final, Protocol, cast
from urllib.parse import urljoin

import aiohttp
from slack_bolt.error import BoltError
from slack_bolt.oauth.async_callback_options import (
    AsyncCallbackOptions,
    AsyncFailureArgs,
    AsyncSuccessArgs,
)
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.errors import SlackClientError
from slack_sdk.oauth.installation_store import Bot, Installation
from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore
from slack_sdk.oauth.state_store.async_state_store import AsyncOAuthStateStore
from slack_sdk.oauth.token_rotation.async_rotator import AsyncTokenRotator
from slack_sdk.web.async_client import AsyncWebClient

from hivebot.adapters.slack.api import SLACK_URL, TIMEOUT_S
from hivebot.services.ports import PortError
from hivebot.services.records.rows import WorkspaceRow

INSTALL_PATH: Final = "/slack/install"
REDIRECT_PATH: Final = "/slack/oauth_redirect"

NEAR_END_MIN: Final = 120
"""Minutes before its end at which a token is refreshed."""

_FAILED: Final = (SlackClientError, aiohttp.ClientError, OSError)

_REASONS: Final = {
    "access_denied": "You did not allow it, so nothing was installed.",
    "invalid_browser": "This page was not opened from our own install page in this browser.",
    "invalid_state": "The install page was opened too long ago, or used already.",
    "missing_code": "Slack sent no code.",
    "invalid_code": "Slack did not accept the code, which may be used once and for ten minutes.",
    "storage_error": "The installation could not be stored.",
}


class RefreshError(PortError):
    """A token has run out, and Slack could not be asked for another."""

    code = "refresh"


class NotListedError(BoltError):
    """The workspace may not install the app."""


class Kept(Protocol):
    """What is asked of the store of installations."""

    async def bot_in(self, team_id: str, enterprise_id: str = "") -> Bot | None:
        """The installation that covers a workspace."""
        ...

    def held(self, bot: Bot) -> AbstractAsyncContextManager[None]:
        """Hold its row."""
        ...

    async def async_save_bot(self, bot: Bot) -> None:
        """Store refreshed tokens."""
        ...


class InstalledTokens:
    """Gives the token of a workspace as its installation's row has it at this moment."""

    def __init__(self, kept: Kept, client_id: str, client_secret: str, api_url: str) -> None:
        """Remember whom to ask.

        Args:
            kept: The installations.
            client_id: The app's.
            client_secret: The app's.
            api_url: Where Slack's API is.
        """
        self._kept = kept
        self._rotator = AsyncTokenRotator(
            client_id=client_id, client_secret=client_secret, client=_client(api_url)
        )

    async def token(self, team_id: str, enterprise_id: str = "") -> str:
        """The bot token that covers a workspace; "" where nothing is installed.

        Whoever finds it near its end refreshes it while holding the row, so that a refresh token,
        which Slack takes once, is used once.

        Raises:
            RefreshError: it has run out, and Slack could not be asked.
            StoreUnavailableError: the database is away.
        """
        bot = await self._kept.bot_in(team_id, enterprise_id)
        if bot is None:
            return ""
        if not _near_end(bot):
            return bot.bot_token
        async with self._kept.held(bot):
            newest = await self._kept.bot_in(team_id, enterprise_id)
            return "" if newest is None else await self._refreshed(newest)

    async def _refreshed(self, bot: Bot) -> str:
        if not _near_end(bot):
            return bot.bot_token
        try:
            fresh = await self._rotator.perform_bot_token_rotation(
                bot=bot, minutes_before_expiration=NEAR_END_MIN
            )
        except _FAILED:
            fresh = None
        if fresh is not None:
            await self._kept.async_save_bot(fresh)
            return fresh.bot_token
        if (bot.bot_token_expires_at or 0) <= time.time():
            # not chained: the SDK's errors hold what Slack sent
            raise RefreshError("a token has ended, and Slack gives no other") from None
        return bot.bot_token


def _near_end(bot: Bot) -> bool:
    ends = bot.bot_token_expires_at
    return ends is not None and ends <= time.time() + NEAR_END_MIN * 60


def row_of(installation: Installation) -> WorkspaceRow:
    """The workspace's row, of what Slack said while installing; its address is not in that.

    An organisation's installation has no workspace: its row is keyed by the organisation.
    """
    enterprise = installation.enterprise_id or ""
    return WorkspaceRow(
        team_id=installation.team_id or enterprise,
        url="",
        bot_user_id=installation.bot_user_id or "",
        bot_id=installation.bot_id or "",
        app_id=installation.app_id or "",
        enterprise_id=enterprise,
    )


Installed = Callable[[Installation], Awaitable[None]]


class _Flow(AsyncOAuthFlow):
    """Bolt's flow, which asks who may install before it keeps anything."""

    allowed: frozenset[str] = frozenset()

    async def store_installation(
        self, request: AsyncBoltRequest, installation: Installation
    ) -> None:
        """Store it.

        Raises:
            NotListedError: the workspace is not on the list; its token has been given back.
        """
        place = installation.team_id or installation.enterprise_id or ""
        if not self.allowed & {"*", place, installation.enterprise_id or place}:
            with suppress(*_FAILED):
                opened = {"Authorization": f"Bearer {installation.bot_token}"}
                client = cast("Any", self.client)  # whose own types leave much open
                await client.api_call("auth.revoke", headers=opened)
            raise NotListedError(place)
        await super().store_installation(request, installation)


def install_flow(
    *,
    client_id: str,
    client_secret: str,
    scopes: tuple[str, ...],
    allowed: tuple[str, ...],
    api_url: str,
    public_url: str,
    installations: AsyncInstallationStore,
    states: AsyncOAuthStateStore,
    installed: Installed,
) -> AsyncOAuthFlow:
    """Bolt's flow: a state bound to the browser by a cookie, taken once, then the exchange.

    Args:
        client_id: The app's.
        client_secret: The app's.
        scopes: What is asked for: the manifest's.
        allowed: Workspaces and organisations that may install; `*` for any.
        api_url: Where Slack's API is; the page that asks is on the same host, but for Slack's own.
        public_url: Where people reach us; "" leaves the address to the app's settings.
        installations: Where tokens are kept.
        states: Where states are kept.
        installed: Told of each installation once it is stored.
    """

    async def succeeded(args: AsyncSuccessArgs) -> BoltResponse:
        await installed(args.installation)
        place = args.installation.team_name or args.installation.enterprise_name or "Slack"
        return _page(
            200,
            "hivebot is installed",
            f"It is now in {place}. Next: invite it to a channel with /invite, and name the "
            "channel in the configuration; hivebot doctor says what is still missing.",
        )

    async def failed(args: AsyncFailureArgs) -> BoltResponse:
        if isinstance(args.error, NotListedError):
            return _page(
                403,
                "hivebot was not installed",
                f"{args.error} is not among the workspaces that may install it. Whoever runs "
                "hivebot can add it to HIVEBOT_WORKSPACES. Nothing was kept.",
            )
        said = _REASONS.get(args.reason, "Slack said no.")
        return _page(
            args.suggested_status_code,
            "hivebot was not installed",
            f"{said} Nothing was changed.",
            again=True,
        )

    page = (
        "https://slack.com/oauth/v2/authorize"
        if api_url == SLACK_URL
        else urljoin(api_url, "/oauth/v2/authorize")
    )
    flow = _Flow(
        client=_client(api_url),
        logger=_quiet(),
        settings=AsyncOAuthSettings(
            client_id=client_id,
            client_secret=client_secret,
            scopes=list(scopes),
            user_scopes=[],
            redirect_uri=f"{public_url}{REDIRECT_PATH}" if public_url else None,
            install_path=INSTALL_PATH,
            redirect_uri_path=REDIRECT_PATH,
            authorization_url=page,
            install_page_rendering_enabled=False,
            installation_store=installations,
            state_store=states,
            callback_options=AsyncCallbackOptions(success=succeeded, failure=failed),
        ),
    )
    flow.allowed = frozenset(allowed)
    return flow


def _client(api_url: str) -> AsyncWebClient:
    client = AsyncWebClient(base_url=api_url, timeout=TIMEOUT_S, retry_handlers=[], logger=_quiet())
    if api_url != SLACK_URL:
        client.proxy = None
    return client


def _quiet() -> logging.Logger:
    """Below the level at which the SDK and Bolt write out codes and answers."""
    logger = logging.getLogger("hivebot.installing")
    logger.setLevel(logging.CRITICAL)
    return logger


_PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>body{{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:4rem auto;padding:0 1rem;
color-scheme:light dark}}</style></head>
<body><main><h1>{title}</h1><p>{said}</p>{more}</main></body></html>
"""


def _page(status: int, title: str, said: str, *, again: bool = False) -> BoltResponse:
    more = f'<p><a href="{INSTALL_PATH}">Start again</a></p>' if again else ""
    body = _PAGE.format(title=escape(title), said=escape(said), more=more)
    headers = {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
    }
    return BoltResponse(status=status, body=body, headers=dict(headers))
