"""Which failures of the database reach a use case, and what has been written then?"""

from __future__ import annotations

from dataclasses import replace

import psycopg
import pytest
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.db.engine import DatabaseUrl, create_engine
from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork, port_error
from hivebot.services.ports import PortError, StoreConflictError, StoreUnavailableError
from tests.fakes.clock import FakeClock
from tests.integration.seeds import conversation, message, new_message

pytestmark = pytest.mark.integration


async def test_rows_and_jobs_commit_together(work: PostgresUnitOfWork, engine: AsyncEngine) -> None:
    async with work.begin() as tx:
        row = await message(tx)
        await tx.jobs.route(row.conversation_id)
        await tx.jobs.deliver("T1", "C1")
    async with engine.connect() as connection:
        kept = await connection.scalars(
            text("select task_name from procrastinate_jobs order by id")
        )
        assert list(kept) == ["route", "deliver"]


async def test_rows_and_jobs_roll_back_together(
    work: PostgresUnitOfWork, engine: AsyncEngine
) -> None:
    async def fail() -> None:
        async with work.begin() as tx:
            row = await message(tx)
            await tx.jobs.speak(1, row.conversation_id)
            raise LookupError

    with pytest.raises(LookupError):
        await fail()
    async with engine.connect() as connection:
        for table in ("message", "procrastinate_jobs"):
            kept = await connection.scalar(text(f"select count(*) from {table}"))  # noqa: S608
            assert kept == 0


async def test_a_database_that_is_not_there_is_unavailable(clock: FakeClock) -> None:
    engine = create_engine(DatabaseUrl.of("postgresql://nobody@127.0.0.1:1/none"))
    with pytest.raises(StoreUnavailableError):
        async with PostgresUnitOfWork(engine, clock).begin() as tx:
            await conversation(tx)
    await engine.dispose()


async def test_a_connection_that_is_cut_is_unavailable(
    work: PostgresUnitOfWork, engine: AsyncEngine, database_url: str
) -> None:
    async def lose() -> None:
        async with work.begin() as tx:
            await conversation(tx)
            with psycopg.connect(database_url, autocommit=True) as other:
                other.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity "
                    "where datname = current_database() and pid <> pg_backend_pid()"
                )
            await conversation(tx)

    with pytest.raises(StoreUnavailableError):
        await lose()
    async with work.begin() as tx:
        assert await tx.conversations.find("T1", "C1", "") is None


async def test_a_broken_reference_is_an_error_of_ours_that_holds_no_text(
    work: PostgresUnitOfWork,
) -> None:
    async def copy_nothing() -> None:
        async with work.begin() as tx:
            row = await message(tx)
            await tx.messages.append(
                replace(new_message(row.conversation_id, "planted"), copy_of=999)
            )

    with pytest.raises(PortError) as failed:
        await copy_nothing()
    assert str(failed.value) == "ForeignKeyViolation 23503"
    assert "planted" not in repr(failed.value.__cause__)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (psycopg.errors.SerializationFailure(), StoreConflictError),
        (psycopg.errors.DeadlockDetected(), StoreConflictError),
        (psycopg.errors.LockNotAvailable(), StoreConflictError),
        (psycopg.errors.AdminShutdown(), StoreUnavailableError),
        (psycopg.errors.CannotConnectNow(), StoreUnavailableError),
        (psycopg.errors.TooManyConnections(), StoreUnavailableError),
        (psycopg.OperationalError(), StoreUnavailableError),
        (psycopg.InterfaceError(), StoreUnavailableError),
        (psycopg.DataError(), PortError),
        (psycopg.errors.UniqueViolation(), PortError),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_every_error_of_the_driver_has_its_kind(
    error: psycopg.Error, kind: type[PortError]
) -> None:
    wrapped = OperationalError("statement", {}, error)
    queued = ConnectorException()
    queued.__cause__ = error
    assert [type(port_error(exc)) for exc in (error, wrapped, queued)] == [kind] * 3


def test_a_pool_without_a_free_connection_is_unavailable() -> None:
    assert type(port_error(PoolTimeoutError())) is StoreUnavailableError


def test_an_error_of_the_queue_itself_is_named() -> None:
    made = port_error(AlreadyEnqueued())
    assert (type(made), str(made)) == (PortError, "AlreadyEnqueued")
