"""What happens when two transactions get in each other's way? Source: datapath.md 2."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import cast

import pytest

from hivebot.services.ports import StoreConflictError, StoreUnavailableError, Transaction
from hivebot.services.retrying import ATTEMPTS, transact


class Contested:
    """A unit of work whose first transactions fail, as they begin or as they commit."""

    def __init__(self, *failures: Exception | None) -> None:
        self._failures = list(failures)
        self.begun = 0
        self.committed = 0

    @asynccontextmanager
    async def begin(self) -> AsyncGenerator[Transaction]:
        self.begun += 1
        yield cast("Transaction", object())
        failure = self._failures.pop(0) if self._failures else None
        if failure is not None:
            raise failure
        self.committed += 1


async def seven(_: Transaction) -> int:
    return 7


async def test_what_meets_no_conflict_runs_once() -> None:
    work = Contested()

    assert await transact(work, seven) == 7
    assert (work.begun, work.committed) == (1, 1)


@pytest.mark.parametrize("conflicts", [1, 2])
async def test_after_a_conflict_it_runs_again_on_fresh_rows(conflicts: int) -> None:
    work = Contested(*[StoreConflictError("40001")] * conflicts)

    assert await transact(work, seven) == 7
    assert (work.begun, work.committed) == (conflicts + 1, 1)


async def test_the_third_conflict_is_the_callers() -> None:
    work = Contested(*[StoreConflictError("40P01")] * ATTEMPTS)

    with pytest.raises(StoreConflictError):
        await transact(work, seven)

    assert (work.begun, work.committed) == (3, 0)


async def test_a_database_that_is_away_is_not_asked_again() -> None:
    work = Contested(StoreUnavailableError("away"))

    with pytest.raises(StoreUnavailableError):
        await transact(work, seven)

    assert work.begun == 1
