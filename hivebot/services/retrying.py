"""What happens when two transactions get in each other's way? One of them begins again.

Source: datapath.md 2.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from hivebot.services.ports import StoreConflictError, Transaction, UnitOfWork

T = TypeVar("T")

ATTEMPTS = 3
"""Times a use case runs on fresh rows before its conflict is the caller's."""


async def transact(work: UnitOfWork, use: Callable[[Transaction], Awaitable[T]]) -> T:
    """Run `use` in one transaction; after a conflict run it again, on fresh rows.

    Raises:
        StoreConflictError: three times running; nothing was written.
        StoreUnavailableError: nothing was written.
    """
    for _ in range(ATTEMPTS - 1):
        with suppress(StoreConflictError):
            async with work.begin() as tx:
                return await use(tx)
    async with work.begin() as tx:
        return await use(tx)
