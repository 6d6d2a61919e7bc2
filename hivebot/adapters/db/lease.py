"""Is this the only process that holds what only one may hold? A lock of a session in Postgres.

Source: datapath.md 9.
"""

from __future__ import annotations

import hashlib
from contextlib import AsyncExitStack
from typing import Final

import psycopg

from hivebot.adapters.db.engine import DatabaseUrl, direct_connection
from hivebot.services.ports import StoreUnavailableError

_TAKE: Final = "select pg_try_advisory_lock(%s)"
_STILL: Final = "select 1"


class Lease:
    """Held for as long as its connection lives; whoever dies loses it without a word."""

    def __init__(self, place: DatabaseUrl, name: str) -> None:
        """Take nothing yet.

        Args:
            place: The database all who compete use.
            name: What is leased; may be secret, since only a digest of it is sent.
        """
        self._place = place
        digest = hashlib.sha256(f"hivebot lease {name}".encode()).digest()
        self._key = int.from_bytes(digest[:8], "big", signed=True)
        self._open: AsyncExitStack | None = None
        self._connection: psycopg.AsyncConnection[tuple[object, ...]] | None = None

    async def held(self) -> bool:
        """Whether it is ours, taking it if nobody has it.

        Raises:
            StoreUnavailableError: the database is away, and with it the lease.
        """
        try:
            if self._connection is not None:
                await self._connection.execute(_STILL)
                return True
            return await self._take()
        except psycopg.Error as exc:
            await self.release()
            raise StoreUnavailableError from exc

    async def release(self) -> None:
        """Give it back."""
        opened, self._open, self._connection = self._open, None, None
        if opened is not None:
            await opened.aclose()

    async def _take(self) -> bool:
        async with AsyncExitStack() as opened:
            connection = await opened.enter_async_context(direct_connection(self._place))
            taken = await (await connection.execute(_TAKE, (self._key,))).fetchone()
            if taken is None or taken[0] is not True:
                return False
            self._connection, self._open = connection, opened.pop_all()
            return True
