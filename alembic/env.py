"""How does a database get to this version? Migrations first, then the queue's own tables."""

from __future__ import annotations

from typing import Literal, cast

import psycopg
from alembic.autogenerate.api import AutogenContext
from sqlalchemy import Connection, NullPool, create_engine, text

from alembic import context
from hivebot.adapters.db.engine import sqlalchemy_url
from hivebot.adapters.db.jobs.schema import ensure_queue_schema
from hivebot.adapters.db.migrate import LOCK, include_object
from hivebot.adapters.db.tables import METADATA
from hivebot.adapters.db.tables.columns import AnyJson, AnyText


def database_url() -> str:
    """The caller's URL, or `-x url=…`; the environment is read by hivebot's settings alone."""
    given = context.config.attributes.get("url") or context.get_x_argument(as_dictionary=True).get(
        "url"
    )
    if not given:
        raise SystemExit("say where: hivebot db upgrade, or alembic -x url=postgresql://…")
    return str(given)


def render_item(_kind: str, item: object, _context: AutogenContext) -> str | Literal[False]:
    """Our column types as what Postgres has: a migration names nothing that may change."""
    if isinstance(item, AnyText):
        return "sa.Text()"
    return "postgresql.JSONB()" if isinstance(item, AnyJson) else False


def run(connection: Connection) -> None:
    """Everything in one transaction, under a lock that a second `release` waits for."""
    context.configure(
        connection=connection,
        target_metadata=METADATA,
        include_object=include_object,
        render_item=render_item,
        compare_type=True,
        compare_server_default=True,
    )
    with context.begin_transaction():
        connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        context.run_migrations()
        if context.config.attributes.get("queue", True):
            driver = connection.connection.driver_connection
            ensure_queue_schema(cast("psycopg.Connection[tuple[object, ...]]", driver))


if context.is_offline_mode():
    raise SystemExit("the queue's tables need a database; there is no offline mode")

engine = create_engine(sqlalchemy_url(database_url()), poolclass=NullPool)
with engine.connect() as opened:
    run(opened)
    opened.commit()
