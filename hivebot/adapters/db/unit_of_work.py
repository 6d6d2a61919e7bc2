"""What is one transaction, and which failures of it are the caller's to handle?"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import psycopg
from procrastinate.exceptions import ProcrastinateException
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from hivebot.adapters.db.jobs.queue import SessionJobs
from hivebot.adapters.db.repositories import (
    ConversationRepository,
    DecisionRepository,
    EpisodeRepository,
    GateRepository,
    InboxRepository,
    MemoryRepository,
    MessageRepository,
    OperatingRepository,
    OutboxRepository,
    PeopleRepository,
    ReferralRepository,
    RevisionRepository,
    SuggestionRepository,
    TurnRepository,
    UsageRepository,
    WorkspaceRepository,
)
from hivebot.services.ports import (
    Clock,
    PortError,
    StoreConflictError,
    StoreUnavailableError,
    Transaction,
)

# serialization_failure, deadlock_detected, lock_not_available
_CONFLICTS = frozenset({"40001", "40P01", "55P03"})
# connection exceptions, too many connections, shutdown, crash, starting up, idle in transaction
_AWAY = ("08", "53300", "57P", "25P03")


def transaction_on(session: AsyncSession, clock: Clock) -> Transaction:
    """Everything a use case may touch, on one session."""
    return Transaction(
        inbox=InboxRepository(session, clock),
        conversations=ConversationRepository(session, clock),
        messages=MessageRepository(session, clock),
        turns=TurnRepository(session, clock),
        referrals=ReferralRepository(session, clock),
        episodes=EpisodeRepository(session, clock),
        gates=GateRepository(session, clock),
        suggestions=SuggestionRepository(session, clock),
        outbox=OutboxRepository(session, clock),
        decisions=DecisionRepository(session, clock),
        workspaces=WorkspaceRepository(session, clock),
        revisions=RevisionRepository(session, clock),
        usage=UsageRepository(session, clock),
        memories=MemoryRepository(session, clock),
        jobs=SessionJobs(session),
        people=PeopleRepository(session, clock),
        operating=OperatingRepository(session, clock),
    )


class PostgresUnitOfWork:
    """Opens transactions on an engine: commits on a clean exit, rolls back on any exception."""

    def __init__(self, engine: AsyncEngine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    def begin(self) -> AbstractAsyncContextManager[Transaction]:
        """A new transaction.

        Raises:
            StoreUnavailableError: The database is away; nothing may be acknowledged.
            StoreConflictError: A deadlock or the like; nothing was written.
            PortError: Any other failure of the database; nothing was written.
        """
        return self._begin()

    @asynccontextmanager
    async def _begin(self) -> AsyncGenerator[Transaction]:
        try:
            async with AsyncSession(self._engine) as session, session.begin():
                yield transaction_on(session, self._clock)
        except (DBAPIError, psycopg.Error, PoolTimeoutError, ProcrastinateException) as exc:
            raise port_error(exc) from exc


def port_error(exc: BaseException) -> PortError:
    """Our error for one of SQLAlchemy's, psycopg's or the queue's.

    1. The database says which: by its SQLSTATE.
    2. It said nothing, and the connection is at fault: it cannot be reached.
    3. The error is none of the database's own.
    """
    cause = _psycopg_error(exc)
    if cause is None:
        away = isinstance(exc, PoolTimeoutError)
        return StoreUnavailableError("pool") if away else PortError(type(exc).__name__)
    state = cause.sqlstate
    if state in _CONFLICTS:
        return StoreConflictError(state)
    silent = isinstance(cause, psycopg.OperationalError | psycopg.InterfaceError)
    if state.startswith(_AWAY) if state else silent:
        return StoreUnavailableError(state or type(cause).__name__)
    return PortError(f"{type(cause).__name__} {state or ''}".strip())


def _psycopg_error(exc: BaseException) -> psycopg.Error | None:
    seen: BaseException | None = exc
    while seen is not None and not isinstance(seen, psycopg.Error):
        seen = seen.orig if isinstance(seen, DBAPIError) else seen.__cause__
    return seen
