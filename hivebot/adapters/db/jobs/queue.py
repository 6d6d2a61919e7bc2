"""How does a job come to exist in the transaction that makes it necessary?"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import cast

import procrastinate
import psycopg
from procrastinate.exceptions import AlreadyEnqueued
from procrastinate.jobs import Job
from procrastinate.manager import JobManager
from procrastinate.tasks import configure_task
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hivebot.adapters.db.jobs.app import (
    DELIVER,
    FIRST,
    OPEN_GATE,
    ROUTE,
    SETTLE_GATE,
    SPEAK,
    channel_lock,
    conversation_lock,
    proxy_lock,
)


class SessionJobs:
    """Jobs deferred on a session's own connection: they commit and roll back with it.

    Needs no opened queue, so processes that run no jobs use it too.
    """

    def __init__(self, session: AsyncSession) -> None:
        self._session = session
        self._manager = JobManager(procrastinate.PsycopgConnector())

    async def route(self, conversation_id: int) -> None:
        """Decide in this conversation."""
        await self._defer(
            ROUTE, conversation_lock(conversation_id), conversation_id=conversation_id
        )

    async def route_each(self, conversation_ids: Sequence[int]) -> None:
        """Decide in each of these conversations; one statement defers all."""
        if not conversation_ids:
            return
        await self._manager.batch_defer_jobs_async(
            jobs=[
                Job(
                    queue=ROUTE,
                    task_name=ROUTE,
                    lock=conversation_lock(conversation_id),
                    queueing_lock=None,
                    task_kwargs={"conversation_id": conversation_id},
                )
                for conversation_id in conversation_ids
            ],
            connection=await self._driver(),
        )

    async def speak(self, turn_id: int, conversation_id: int) -> None:
        """Run a turn's model call."""
        await self._defer(
            SPEAK,
            conversation_lock(conversation_id),
            turn_id=turn_id,
            conversation_id=conversation_id,
        )

    async def open_gate(self, gate_id: int, desk_id: str) -> None:
        """Show a gate to its stewards."""
        await self._defer(OPEN_GATE, proxy_lock(desk_id), gate_id=gate_id)

    async def settle_gate(self, gate_id: int, desk_id: str) -> None:
        """Carry out what was decided at a gate."""
        await self._defer(SETTLE_GATE, proxy_lock(desk_id), gate_id=gate_id)

    async def deliver(self, team_id: str, channel_id: str, at: datetime | None = None) -> None:
        """Send the channel's queue, now or at a moment; at most one such job waits.

        1. One waits: it is kept from starting before this transaction has ended, so that it sees
           what is written here, and is brought forward when it waits for a later moment.
        2. None waits: one is deferred.
        3. Another was deferred meanwhile: from the top.
        """
        lock = channel_lock(team_id, channel_id)
        while not await self._join(lock, at):
            try:
                # Without a savepoint the broken queueing lock would abort the transaction.
                async with self._session.begin_nested():
                    arguments = {"team_id": team_id, "channel_id": channel_id}
                    await self._defer(DELIVER, lock, lock, at, **arguments)
            except AlreadyEnqueued:
                continue
            return

    async def _join(self, lock: str, at: datetime | None) -> bool:
        # A worker takes a job only when it can lock its row, and skips it while we share it.
        waiting = await self._session.execute(
            text(
                "select id, scheduled_at from procrastinate_jobs "
                "where queueing_lock = :lock and status = 'todo' for key share"
            ),
            {"lock": lock},
        )
        row = waiting.one_or_none()
        if row is None:
            return False
        scheduled = cast("datetime | None", row.scheduled_at)
        if scheduled is not None and (at is None or at < scheduled):
            await self._session.execute(
                text("update procrastinate_jobs set scheduled_at = :at where id = :id"),
                {"at": at, "id": row.id},
            )
        return True

    async def _defer(
        self,
        name: str,
        lock: str,
        queueing_lock: str | None = None,
        at: datetime | None = None,
        **arguments: int | str,
    ) -> None:
        await configure_task(
            name=name,
            job_manager=self._manager,
            queue=name,
            lock=lock,
            queueing_lock=queueing_lock,
            priority=FIRST.get(name, 0),
            schedule_at=at,
            connection=await self._driver(),
        ).defer_async(**arguments)

    async def _driver(self) -> psycopg.AsyncConnection[tuple[object, ...]]:
        connection = await self._session.connection()
        raw = await connection.get_raw_connection()
        return cast("psycopg.AsyncConnection[tuple[object, ...]]", raw.driver_connection)
