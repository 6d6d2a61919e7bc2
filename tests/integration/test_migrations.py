"""Does a database of any age get to the newest version, once, and to nothing else?"""

from __future__ import annotations

import subprocess
import sys

import psycopg
import pytest

from hivebot.adapters.db import migrate
from hivebot.adapters.db.embedded.programs import programs_dir
from hivebot.adapters.db.jobs.schema import (
    OLDEST,
    ensure_queue_schema,
    installed_version,
    migrations_between,
)

pytestmark = pytest.mark.integration


def rows(url: str, statement: bytes) -> list[tuple[object, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def tables(url: str) -> set[object]:
    found = rows(url, b"select tablename from pg_tables where schemaname = 'public'")
    return {name for (name,) in found}


def schema_of(url: str) -> list[str]:
    """What the server itself says the database consists of; the order of columns is left out."""
    programs = programs_dir()
    assert programs is not None
    dumped = subprocess.run(
        [programs / "pg_dump", "--schema-only", "--no-owner", "--dbname", url],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    kept = [line for line in dumped.splitlines() if not line.startswith(("\\", "--"))]
    return sorted(line.strip().rstrip(",;") for line in kept)


def test_there_is_one_head() -> None:
    assert len(migrate.heads()) == 1


def test_models_and_migrations_do_not_drift(database_url: str) -> None:
    assert migrate.check_drift(database_url) == []


def test_a_drift_is_seen(database_url: str) -> None:
    rows(database_url, b"alter table usage drop column tokens")
    (difference,) = migrate.check_drift(database_url)
    assert "tokens" in difference


def test_upgrade_alone_makes_our_tables_and_the_queues(empty_database_url: str) -> None:
    assert migrate.current(empty_database_url) is None
    migrate.upgrade(empty_database_url)
    assert {"message", "outbox", "procrastinate_jobs"} <= tables(empty_database_url)
    assert (migrate.current(empty_database_url),) == migrate.heads()
    assert rows(empty_database_url, b"select version from queue_schema") == [(installed_version(),)]
    assert rows(
        empty_database_url, b"select extname from pg_extension where extname = 'vector'"
    ) == [("vector",)]


def test_every_step_goes_back_and_forth_again(database_url: str) -> None:
    before = schema_of(database_url)
    migrate.downgrade(database_url, "base")
    assert "message" not in tables(database_url)
    assert "procrastinate_jobs" in tables(database_url)
    migrate.upgrade(database_url)
    assert schema_of(database_url) == before


def test_two_upgrades_at_once_wait_for_each_other(empty_database_url: str) -> None:
    upgrade = "import sys; from hivebot.adapters.db import migrate; migrate.upgrade(sys.argv[1])"
    command = [sys.executable, "-c", upgrade, empty_database_url]
    both = [subprocess.Popen(command) for _ in range(2)]
    assert [process.wait(timeout=60) for process in both] == [0, 0]
    assert migrate.check_drift(empty_database_url) == []


def test_an_upgrade_that_fails_leaves_nothing_behind(empty_database_url: str) -> None:
    rows(empty_database_url, b"create table outbox (in_the_way int)")
    with pytest.raises(Exception, match="already exists"):
        migrate.upgrade(empty_database_url)
    assert tables(empty_database_url) == {"outbox"}


@pytest.mark.parametrize(
    ("made_by", "recorded"), [(OLDEST, b""), ("3.3.0", b"3.3.0")], ids=["unrecorded", "recorded"]
)
def test_an_older_queue_brought_up_equals_a_fresh_one(
    empty_database_url: str, database_url: str, made_by: str, recorded: bytes
) -> None:
    with psycopg.connect(empty_database_url, autocommit=True) as connection:
        for file in migrations_between("0", made_by):
            connection.execute(file.read_bytes())
        if recorded:
            connection.execute(
                b"create table queue_schema (one boolean primary key default true check (one), "
                b"version text not null)"
            )
            connection.execute("insert into queue_schema values (true, %s)", (recorded.decode(),))
    migrate.upgrade(empty_database_url)
    assert rows(empty_database_url, b"select version from queue_schema") == [(installed_version(),)]
    assert schema_of(empty_database_url) == schema_of(database_url)


def test_only_the_files_after_the_recorded_version_are_applied() -> None:
    assert migrations_between(OLDEST, OLDEST) == []
    since = [file.name for file in migrations_between("3.3.0", installed_version())]
    assert since == sorted(since)
    assert since[0].startswith("03.04.00")


def test_a_queue_of_a_newer_release_is_left_alone(database_url: str) -> None:
    rows(database_url, b"update queue_schema set version = '99.0.0'")
    with psycopg.connect(database_url) as connection:
        ensure_queue_schema(connection)
    assert rows(database_url, b"select version from queue_schema") == [("99.0.0",)]
