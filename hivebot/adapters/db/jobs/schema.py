"""Which version of the queue's own tables is this database at, and how does it get to ours?

Source: datapath.md 3 and 8.
"""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path
from typing import LiteralString, cast

import psycopg
from procrastinate.schema import SchemaManager

VERSION_TABLE = "queue_schema"
# Tables that somebody made with the package's own command have no record; this is the oldest
# version that can have made them.
OLDEST = "3.5.0"

_WAKE: LiteralString = """
create or replace function hivebot_wake_freed_lock() returns trigger language plpgsql as $$
declare
    payload text := json_build_object('type', 'job_inserted', 'job_id', new.id)::text;
begin
    perform pg_notify('procrastinate_queue_v1#' || new.queue_name, payload);
    perform pg_notify('procrastinate_any_queue_v1', payload);
    return null;
end;
$$;
create or replace trigger hivebot_wake_freed_lock
    after update of status on procrastinate_jobs
    for each row when (old.status = 'doing' and new.lock is not null)
    execute function hivebot_wake_freed_lock();
"""


def installed_version() -> str:
    """Version of the installed queue package."""
    return version("procrastinate")


def ensure_queue_schema(
    connection: psycopg.Connection[tuple[object, ...]], *, target: str | None = None
) -> None:
    """Bring the queue's tables to a version, inside the connection's open transaction.

    1. Absent: the installed package's schema is applied.
    2. Recorded older, or not recorded: the package's migration files since then, in order.
    3. Recorded newer: left alone; an older release runs beside a newer one for a while.
    Then the trigger that wakes workers when a lock is freed, which the package lacks.
    """
    target = target or installed_version()
    connection.execute(
        "create table if not exists queue_schema "
        "(one boolean primary key default true check (one), version text not null)"
    )
    found = connection.execute("select to_regclass('procrastinate_jobs') is not null").fetchone()
    if found == (False,):
        connection.execute(SchemaManager.get_schema())
    else:
        for file in migrations_between(_recorded(connection), target):
            connection.execute(cast("LiteralString", file.read_text(encoding="utf-8")))
    connection.execute(_WAKE)
    if found == (False,) or _key(_recorded(connection)) < _key(target):
        connection.execute(
            "insert into queue_schema (version) values (%s) "
            "on conflict (one) do update set version = excluded.version",
            (target,),
        )


def _recorded(connection: psycopg.Connection[tuple[object, ...]]) -> str:
    row = connection.execute("select version from queue_schema").fetchone()
    return str(row[0]) if row else OLDEST


def migrations_between(since: str, until: str) -> list[Path]:
    """The package's migration files of versions above `since` and up to `until`, in order."""
    files = sorted(Path(SchemaManager.get_migrations_path()).glob("*.sql"))
    return [file for file in files if _key(since) < _key(file.name) <= _key(until)]


def _key(text: str) -> tuple[int, ...]:
    """First three numbers of `3.10.0` or of a file's name such as `03.04.00_01_pre_x.sql`."""
    return tuple(int(number) for number in re.findall(r"\d+", text)[:3])
