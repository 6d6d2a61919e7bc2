"""How are connections to Postgres made?"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import psycopg
from sqlalchemy import URL, make_url, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

DRIVER = "postgresql+psycopg"
POOL_SIZE = 5
POOL_OVERFLOW = 5
POOL_TIMEOUT_S = 10.0
CONNECT_TIMEOUT_S = 5
REACHABLE_S = 2.0
# A transaction never waits for a model or for Slack, so one that idles has lost its owner.
IDLE_IN_TRANSACTION_S = 60


@dataclass(frozen=True, slots=True)
class DatabaseUrl:
    """Where the database is.

    Attributes:
        url: What transactions use; may lead through a pooler.
        direct_url: What LISTEN and migrations use; must not. The same when there is no pooler.
    """

    url: str
    direct_url: str

    @classmethod
    def of(cls, url: str, direct_url: str = "") -> DatabaseUrl:
        """One place, from `DATABASE_URL` and `DATABASE_DIRECT_URL` ("" when there is no pooler)."""
        return cls(url=url, direct_url=direct_url or url)

    @property
    def pooled(self) -> bool:
        """Does the first lead through a pooler?"""
        return self.url != self.direct_url


def sqlalchemy_url(url: str) -> URL:
    """The URL with our driver. `postgres://`, `postgresql://` and any driver are accepted.

    Raises:
        ValueError: It is no URL of a Postgres. The message holds nothing of the URL.
    """
    scheme, separator, rest = url.partition("://")
    if not separator or scheme.partition("+")[0] not in {"postgres", "postgresql"}:
        raise ValueError("a database URL begins with postgresql://")
    return make_url(f"{DRIVER}://{rest}")


def libpq_url(url: str) -> str:
    """The URL as libpq and psycopg take it, password included.

    Only the scheme changes: SQLAlchemy would write a space as `+`, which libpq does not read.

    Raises:
        ValueError: As `sqlalchemy_url`.
    """
    sqlalchemy_url(url)
    return f"postgresql://{url.partition('://')[2]}"


def create_engine(
    place: DatabaseUrl,
    *,
    pool_size: int = POOL_SIZE,
    max_overflow: int = POOL_OVERFLOW,
    application_name: str = "hivebot",
) -> AsyncEngine:
    """An engine with at most `pool_size` + `max_overflow` connections.

    A connection that died is replaced before use; waiting for one ends after 10 s.
    """
    connect_args: dict[str, object] = {
        "application_name": application_name,
        "connect_timeout": CONNECT_TIMEOUT_S,
    }
    if place.pooled:
        # A pooler hands the next transaction to another server, which knows no prepared statement.
        connect_args["prepare_threshold"] = None
    else:
        # A pooler refuses start-up options.
        connect_args["options"] = (
            f"-c idle_in_transaction_session_timeout={IDLE_IN_TRANSACTION_S * 1000}"
        )
    return create_async_engine(
        sqlalchemy_url(place.url),
        pool_size=pool_size,
        max_overflow=max_overflow,
        pool_timeout=POOL_TIMEOUT_S,
        pool_pre_ping=True,
        connect_args=connect_args,
        # Parameters of a failed statement would put message texts into logs.
        hide_parameters=True,
    )


@asynccontextmanager
async def direct_connection(
    place: DatabaseUrl,
) -> AsyncGenerator[psycopg.AsyncConnection[tuple[object, ...]]]:
    """A connection of its own past any pooler, in autocommit: for LISTEN and for session locks."""
    connection: psycopg.AsyncConnection[tuple[object, ...]] = await psycopg.AsyncConnection.connect(
        libpq_url(place.direct_url), autocommit=True, connect_timeout=CONNECT_TIMEOUT_S
    )
    async with connection:
        yield connection


async def reachable(engine: AsyncEngine, *, timeout_s: float = REACHABLE_S) -> bool:
    """Whether the database answers, in at most `timeout_s` seconds."""
    try:
        async with asyncio.timeout(timeout_s), engine.connect() as connection:
            await connection.execute(text("select 1"))
    except (TimeoutError, SQLAlchemyError, OSError):
        return False
    return True
