"""When is an App Home published? When its person opens it, behind the acknowledgement.

Published at most once for each opening; where the workspace does not take it, it is left alone.
Source: product.md 9, datapath.md 1 and 4.
"""

from __future__ import annotations

import asyncio
from typing import Final

from hivebot.adapters.slack.api import SlackApi
from hivebot.adapters.slack.home import home_view
from hivebot.errors import HivebotError
from hivebot.services.homes import Surroundings, home_of
from hivebot.services.ports import Policies, UnitOfWork
from hivebot.services.records.arrivals import HomeOpened
from hivebot.services.records.outgoing import SendFailure
from hivebot.telemetry import Event, get_logger

logger = get_logger(__name__)

_LACKING: Final = frozenset({"not_enabled", "unknown_method", "http_404"})
"""What Slack says where the app has no home, or the method is not there."""


class Homes:
    """Publishes homes."""

    def __init__(
        self, work: UnitOfWork, policies: Policies, around: Surroundings, api: SlackApi
    ) -> None:
        self._work = work
        self._policies = policies
        self._around = around
        self._api = api
        self._without: set[str] = set()
        self._running: set[asyncio.Task[None]] = set()

    def opened(self, came: HomeOpened) -> None:
        """Publish the home of whoever opened it, soon."""
        if came.tab != "home" or came.key.team_id in self._without:
            return
        publishing = asyncio.create_task(self._publish(came), name="home")
        self._running.add(publishing)
        publishing.add_done_callback(self._running.discard)

    async def aclose(self) -> None:
        """Finish what is being published."""
        await asyncio.gather(*self._running)

    async def _publish(self, came: HomeOpened) -> None:
        team_id, user_id = came.key.team_id, came.user_id
        try:
            home = await home_of(self._work, self._policies, self._around, team_id, user_id)
            args: dict[str, object] = {"user_id": user_id, "view": home_view(home)}
            answer = await self._api.call(team_id, "views.publish", args)
        except HivebotError as error:
            logger.warning(Event.HOME_REFUSED, code=error.code)
            return
        if not isinstance(answer, SendFailure):
            return
        logger.warning(Event.HOME_REFUSED, code=answer.code, scope=answer.detail)
        if answer.kind == "scope" or answer.code in _LACKING:
            self._without.add(team_id)
