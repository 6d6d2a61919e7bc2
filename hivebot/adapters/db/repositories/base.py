"""How do repositories talk to their session? Statements only; no object is changed in place."""

from __future__ import annotations

from datetime import datetime
from typing import TypeVar

from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.sql.dml import ReturningDelete, ReturningInsert, ReturningUpdate
from sqlalchemy.sql.selectable import Select

from hivebot.adapters.db.tables.base import Row
from hivebot.services.ports import Clock

R = TypeVar("R", bound=Row)

Rows = Select[R] | ReturningInsert[R] | ReturningUpdate[R] | ReturningDelete[R]


class Repository:
    """One kind of row in one transaction."""

    def __init__(self, session: AsyncSession, clock: Clock) -> None:
        self._session = session
        self._clock = clock

    def _now(self) -> datetime:
        return self._clock.now()

    async def _one(self, statement: Rows[R]) -> R | None:
        return (await self._session.scalars(statement, execution_options=_FRESH)).one_or_none()

    async def _the(self, statement: Rows[R]) -> R:
        return (await self._session.scalars(statement, execution_options=_FRESH)).one()

    async def _all(self, statement: Rows[R]) -> list[R]:
        return list(await self._session.scalars(statement, execution_options=_FRESH))


# Statements change rows behind the session's back; what it remembers of them is never used.
_FRESH = {"populate_existing": True, "synchronize_session": False}
