"""Which Postgres does this process use, and is its schema in place?

Source: datapath.md 8, product.md 11.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from sqlalchemy.exc import OperationalError

from hivebot.adapters.db import migrate
from hivebot.adapters.db.embedded import EmbeddedPostgres
from hivebot.adapters.db.engine import DatabaseUrl
from hivebot.settings import Settings, SettingsError
from hivebot.telemetry import Event, get_logger, redact

logger = get_logger(__name__)


def configured(settings: Settings) -> DatabaseUrl | None:
    """The Postgres that the environment names; None where the embedded one is used."""
    if settings.database_url is None:
        return None
    direct = settings.database_direct_url
    return DatabaseUrl.of(
        settings.database_url.get_secret_value(), direct.get_secret_value() if direct else ""
    )


@asynccontextmanager
async def database(settings: Settings) -> AsyncGenerator[DatabaseUrl]:
    """The configured Postgres, or the embedded one, started here and migrated.

    Raises:
        SettingsError: the configured Postgres cannot be reached, or lacks migrations.
        EmbeddedPostgresError: the embedded one cannot start.
    """
    place = configured(settings)
    if place is not None:
        await asyncio.to_thread(_require_migrated, place)
        yield place
        return
    server = EmbeddedPostgres(settings.data_directory)
    handle = await asyncio.to_thread(server.start)
    logger.info(Event.DATABASE_EMBEDDED, data_dir=str(handle.data_dir), version=handle.version)
    try:
        place = DatabaseUrl.of(handle.uri)
        await asyncio.to_thread(migrate.upgrade, place.direct_url)
        yield place
    finally:
        await asyncio.to_thread(server.stop)


def _require_migrated(place: DatabaseUrl) -> None:
    try:
        revision = migrate.current(place.direct_url)
    except OperationalError as error:
        said = str(error.orig).splitlines()[0] if error.orig else "no answer"
        raise SettingsError(f"the database cannot be reached: {redact(said)}") from None
    if revision not in migrate.heads():
        raise SettingsError(
            "the database's schema is not up to date: run `hivebot db upgrade` first"
        )
