"""How does the data get out of an embedded Postgres, back in, and to another major version?"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import LiteralString

import psycopg
from psycopg import sql

from hivebot.adapters.db.embedded.errors import ClusterBusyError, EmbeddedPostgresError
from hivebot.adapters.db.embedded.locks import exclusive
from hivebot.adapters.db.embedded.processes import servers_of
from hivebot.adapters.db.embedded.programs import CURRENT_MAJOR, SUPERUSER
from hivebot.adapters.db.embedded.server import (
    DATABASE,
    START_TIMEOUT_S,
    EmbeddedPostgres,
    Place,
    cluster_version,
    create_cluster,
    prepare,
)

_INCOMING = "hivebot_incoming"
_REPLACED = "hivebot_replaced"


def dump(data_dir: Path, file: Path) -> Path:
    """Write the whole database into one file, readable by its owner alone. Blocking.

    The server is started when it does not run; users of it are not disturbed. The file is complete
    or absent. Returns its absolute path.

    Raises:
        EmbeddedPostgresError: See `errors`.
    """
    file = file.expanduser().absolute()
    partial = file.with_name(file.name + ".partial")
    partial.unlink(missing_ok=True)
    with EmbeddedPostgres(data_dir) as handle:
        place = prepare(handle.data_dir)
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as target:
                place.programs.run(
                    "pg_dump",
                    ("--format=custom", "--no-owner", "--dbname", place.uri()),
                    cwd=place.data_dir,
                    stdout=target,
                )
        except EmbeddedPostgresError:
            partial.unlink()
            raise
    return partial.rename(file)


def restore(data_dir: Path, file: Path) -> None:
    """Replace the database by a dumped one. Blocking.

    The dump is read into a database of its own first: when it cannot be read, the old data stays.

    Raises:
        ClusterBusyError: hivebot is still running on the database.
        EmbeddedPostgresError: The dump cannot be read; nothing was replaced.
    """
    file = file.expanduser().absolute()
    with EmbeddedPostgres(data_dir) as handle:
        place = prepare(handle.data_dir)
        _run(place, "drop database if exists {} with (force)", _INCOMING)
        _run(place, "create database {}", _INCOMING)
        with file.open("rb") as source:
            place.programs.run(
                "pg_restore",
                ("--exit-on-error", "--no-owner", "--dbname", place.uri(_INCOMING)),
                cwd=place.data_dir,
                stdin=source,
            )
        _run(place, "drop database if exists {} with (force)", _REPLACED)
        _swap(place)
        _run(place, "drop database {}", _REPLACED)


def _swap(place: Place) -> None:
    renames = ((DATABASE, _REPLACED), (_INCOMING, DATABASE))
    try:
        with psycopg.connect(place.uri("postgres")) as connection:
            for old, new in renames:
                statement = sql.SQL("alter database {} rename to {}")
                connection.execute(statement.format(sql.Identifier(old), sql.Identifier(new)))
    except psycopg.errors.ObjectInUse as exc:
        raise ClusterBusyError(
            place.data_dir, reason="stop hivebot first, it uses the database"
        ) from exc


def _run(place: Place, statement: LiteralString, name: str) -> None:
    with psycopg.connect(place.uri("postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL(statement).format(sql.Identifier(name)))


def upgrade_cluster(data_dir: Path) -> Path | None:
    """Bring a data directory to the installed major version. Blocking.

    Returns where the old cluster is kept (the operator removes it), or None when there was nothing
    to do. The old cluster is not replaced before the new one is complete.

    Raises:
        ClusterBusyError: A server still runs in the directory.
        EmbeddedPostgresError: Its version is not installed, or `pg_upgrade` refuses.
    """
    new = prepare(data_dir)
    with exclusive(new.data_dir, timeout_s=START_TIMEOUT_S):
        found = cluster_version(new.cluster)
        if found is None or found == CURRENT_MAJOR:
            return None
        old = prepare(data_dir, major=found)
        if servers_of(old.cluster):
            raise ClusterBusyError(old.data_dir, reason="stop hivebot first, its Postgres runs")
        (old.cluster / "postmaster.pid").unlink(missing_ok=True)
        _pg_upgrade(old, new)
        kept = old.data_dir / f"cluster.{found}"
        old.cluster.rename(kept)
        (new.data_dir / "cluster.upgraded").rename(new.cluster)
    _update_extensions(new.data_dir)
    return kept


def _update_extensions(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir) as handle, psycopg.connect(handle.uri) as connection:
        names = connection.execute("select extname from pg_extension").fetchall()
        for (name,) in names:
            connection.execute(
                sql.SQL("alter extension {} update").format(sql.Identifier(str(name)))
            )


def _pg_upgrade(old: Place, new: Place) -> None:
    controlled = old.programs.run("pg_controldata", ("-D", str(old.cluster)), cwd=old.data_dir)
    # Both must agree; Postgres 18 has checksums unless told otherwise, 16 has none.
    if re.search(r"checksum version:\s*0\b", controlled):
        old.programs.run("pg_checksums", ("-D", str(old.cluster), "--enable"), cwd=old.data_dir)
    target = new.data_dir / "cluster.upgraded"
    if target.exists():
        shutil.rmtree(target)
    create_cluster(new, name=target.name)
    new.programs.run(
        "pg_upgrade",
        (
            *("-b", str(old.programs.directory), "-B", str(new.programs.directory)),
            *("-d", str(old.cluster), "-D", str(target)),
            *("-U", SUPERUSER, "-s", str(new.data_dir)),
        ),
        cwd=new.data_dir,
    )
