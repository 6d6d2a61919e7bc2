"""Is the socket that Slack's events come by alive, and is it the app's only one?

A socket can look alive and be deaf: after a quarter of an hour without an event it is opened anew,
and the bot does something that Slack must tell it of. Slack spreads events over all sockets of an
app: a second process is seen by the lease in Postgres and by the number in Slack's `hello`.
Source: datapath.md 9.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

import aiohttp
from slack_sdk.errors import SlackClientError

from hivebot.errors import HivebotError
from hivebot.telemetry import Event, get_logger

logger = get_logger(__name__)

Calls = Callable[[str, str, dict[str, object]], Awaitable[str | None]]
"""Team, method and arguments to the `ts` of what was posted ("" for none); None: refused."""

SIGN = "ear"
PROBE_LINE = (
    "It has been quiet for a while. With this line I try whether Slack's events still reach me; "
    "nothing is to be done."
)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long what is waited for, in seconds.

    Attributes:
        look_s: Between two looks.
        quiet_s: Without an event, before the socket is opened anew and tried.
        recount_s: While there are others, before another is opened to count again.
        heard_s: Until what was done to try it has to be heard of.
    """

    look_s: float = 30
    quiet_s: float = 900
    recount_s: float = 300
    heard_s: float = 60


class Socket(Protocol):
    """What is used of the SDK's client."""

    async def is_connected(self) -> bool:
        """Whether it is open and its pings are answered."""
        ...

    async def connect_to_new_endpoint(self, force: bool = False) -> None:  # noqa: FBT001 - the SDK's
        """Open another in its place."""
        ...


class Held(Protocol):
    """What only one process may hold."""

    async def held(self) -> bool:
        """Whether it is ours."""
        ...


class SocketWatch:
    """Watches one socket, and says whether events reach this process and no other."""

    def __init__(
        self,
        socket: Socket,
        lease: Held,
        probe: Callable[[], Awaitable[bool]],
        patience: Patience | None = None,
    ) -> None:
        """Watch from now on.

        Args:
            socket: The socket.
            lease: Held by the one process that may have one.
            probe: Does something that Slack must tell us of; False where nothing can be done.
            patience: How long what is waited for.
        """
        self._socket = socket
        self._lease = lease
        self._probe = probe
        self._patience = patience or Patience()
        self._heard_at = time.monotonic()
        self._heard = asyncio.Event()
        self._others = 0
        self._counted_at = self._heard_at
        self._leased = True
        self._deaf = False

    async def hear(self, _client: object, message: Mapping[str, object], _raw: object) -> None:
        """Take note of a frame: a listener of the SDK's client."""
        if message.get("type") == "hello":
            self._count(message.get("num_connections"))
        elif message.get("envelope_id"):
            self._heard_at = time.monotonic()
            self._deaf = False
            self._heard.set()

    async def ready(self) -> bool:
        """Whether everything that Slack sends comes here."""
        alone = self._leased and not self._others
        return alone and not self._deaf and await self._socket.is_connected()

    async def look(self) -> None:
        """Is the lease ours, and was something heard lately? If not, open another and try it."""
        await self._look_for_others()
        now = time.monotonic()
        if now - self._heard_at >= self._patience.quiet_s:
            await self._try()
        elif self._others and now - self._counted_at >= self._patience.recount_s:
            await self._reopen()

    async def run(self) -> None:
        """Look again and again."""
        while True:
            await self.look()
            await asyncio.sleep(self._patience.look_s)

    def _count(self, connections: object) -> None:
        self._counted_at = time.monotonic()
        self._others = connections - 1 if isinstance(connections, int) and connections > 1 else 0
        if self._others:
            logger.error(Event.SOCKET_FOREIGN, seen_by="slack", others=self._others)

    async def _look_for_others(self) -> None:
        try:
            leased = await self._lease.held()
        except HivebotError as error:
            # whoever is right, the database being away makes the process not ready
            logger.warning(Event.DATABASE_AWAY, code=error.code)
            return
        if not leased:
            logger.error(Event.SOCKET_FOREIGN, seen_by="lease")
        self._leased = leased

    async def _try(self) -> None:
        """A quiet socket: open another, and do something that has to be heard of."""
        if not await self._reopen():
            return
        self._heard.clear()
        self._heard_at = time.monotonic()
        if not await self._probe():
            return
        try:
            async with asyncio.timeout(self._patience.heard_s):
                await self._heard.wait()
        except TimeoutError:
            self._deaf = True
            # tried again at the next look, not in another quarter of an hour
            self._heard_at -= self._patience.quiet_s
            logger.warning(Event.SOCKET_LOST, reason="deaf")

    async def _reopen(self) -> bool:
        """Whether another socket took the place of this one; if not, it is tried again."""
        try:
            await self._socket.connect_to_new_endpoint(force=True)
        except (SlackClientError, aiohttp.ClientError, OSError) as error:
            self._deaf = True
            logger.warning(Event.SOCKET_LOST, reason=type(error).__name__)
            return False
        return True


@asynccontextmanager
async def watched(watch: SocketWatch) -> AsyncGenerator[None]:
    """Look while this lasts."""
    looking = asyncio.create_task(watch.run(), name="socket watch")
    try:
        yield
    finally:
        looking.cancel()


class Probe:
    """A line of the bot's own in the admin channel, and a reaction on it that comes and goes.

    The line is posted when it is first needed; that alone is something Slack must tell us of.
    """

    def __init__(self, calls: Calls, place: Callable[[], Awaitable[tuple[str, str]]]) -> None:
        """Post nothing yet.

        Args:
            calls: Calls a method of Slack's; True when Slack did it, or the ts of what was posted.
            place: (team, admin channel), either "" where there is none.
        """
        self._calls = calls
        self._place = place
        self._line: tuple[str, str, str] | None = None

    async def __call__(self) -> bool:
        """Do something; False where nothing can be done."""
        team_id, channel_id = await self._place()
        if not (team_id and channel_id):
            return False
        if self._line is not None and self._line[:2] == (team_id, channel_id):
            about: dict[str, object] = {"channel": channel_id, "timestamp": self._line[2]}
            # a reaction that stays could not be added again; taking it away is told as well
            came = await self._calls(team_id, "reactions.add", {**about, "name": SIGN})
            went = await self._calls(team_id, "reactions.remove", {**about, "name": SIGN})
            if came is not None or went is not None:
                return True
        said: dict[str, object] = {"channel": channel_id, "text": PROBE_LINE}
        posted = await self._calls(team_id, "chat.postMessage", said)
        self._line = None if posted is None else (team_id, channel_id, posted)
        return posted is not None
