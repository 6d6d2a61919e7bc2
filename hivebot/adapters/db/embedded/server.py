"""How does a Postgres start, is shared and stops, without a server of one's own?

Layout of a data directory: `cluster/` is Postgres' own, `log/` its log (seven days), the socket and
two lock files lie beside them. Source: datapath.md 8.
"""

from __future__ import annotations

import os
import shlex
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

import psycopg
from psycopg import sql

from hivebot.adapters.db.embedded.errors import (
    ClusterBusyError,
    ClusterVersionError,
    EmbeddedPostgresError,
    SocketPathTooLongError,
)
from hivebot.adapters.db.embedded.locks import UserMark, exclusive
from hivebot.adapters.db.embedded.processes import servers_of
from hivebot.adapters.db.embedded.programs import (
    CURRENT_MAJOR,
    SUPERUSER,
    Programs,
    account_for,
    programs_dir,
    require_open,
)

DATABASE = "hivebot"
# 104 bytes with the final zero is the smaller of what Linux and macOS allow; the longest name is
# the one an upgrade uses.
DATA_DIR_BYTES_MAX = 103 - len("/.s.PGSQL.50432")
START_TIMEOUT_S = 60.0
_POLL_S = 0.1
_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "logging_collector": "on",
    "log_filename": "postgres-%a.log",
    "log_truncate_on_rotation": "on",
    "log_rotation_age": "1d",
    # A statement or the detail of an error may hold a person's text.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "jit": "off",
}


@dataclass(frozen=True, slots=True)
class Handle:
    """A running embedded Postgres.

    Attributes:
        uri: `postgresql://` URI of the database, over a Unix socket.
        data_dir: Where the data is, absolute; log it at every start.
        version: Major version.
        started: This call started the server; False when it was running.
    """

    uri: str
    data_dir: Path
    version: int
    started: bool


@dataclass(frozen=True, slots=True)
class Place:
    """A checked data directory and the programs that may serve it."""

    data_dir: Path
    programs: Programs

    @property
    def cluster(self) -> Path:
        """Postgres' own directory."""
        return self.data_dir / "cluster"

    def uri(self, database: str = DATABASE) -> str:
        """URI of one database of the server."""
        return f"postgresql://{SUPERUSER}@/{database}?host={quote(str(self.data_dir), safe='')}"


def cluster_version(cluster: Path) -> int | None:
    """Major version that made a cluster; None when there is none yet."""
    try:
        return int((cluster / "PG_VERSION").read_text().strip())
    except FileNotFoundError:
        return None


def prepare(data_dir: Path, *, major: int = CURRENT_MAJOR, euid: int | None = None) -> Place:
    """Check a data directory and make it if it is missing; nothing above it is ever changed.

    Raises:
        SocketPathTooLongError: No Unix socket would fit.
        ClosedDirectoryError: Run by root, with a directory on the way that others may not pass.
        ServiceAccountError: Run by root, without an account to run Postgres as.
        EmbeddedPostgresError: The path holds a comma, or the version is not installed.
    """
    data_dir = data_dir.expanduser().absolute()
    if len(os.fsencode(data_dir)) > DATA_DIR_BYTES_MAX:
        raise SocketPathTooLongError(data_dir, limit=DATA_DIR_BYTES_MAX)
    if "," in str(data_dir):
        # Clients read a comma as the end of a host.
        raise EmbeddedPostgresError(f"{data_dir} holds a comma: choose another (HIVEBOT_DATA_DIR).")
    directory = programs_dir(major)
    if directory is None:
        raise EmbeddedPostgresError(f"The programs of Postgres {major} are not installed.")
    account = account_for(data_dir, euid=os.geteuid() if euid is None else euid)
    data_dir.parent.mkdir(parents=True, exist_ok=True)
    data_dir = data_dir.resolve()
    if account is not None:
        require_open(data_dir, account)
        require_open(directory / "postgres", account)
    _own(data_dir, account.uid if account else None, account.gid if account else None)
    return Place(data_dir=data_dir, programs=Programs(directory=directory, account=account))


def _own(data_dir: Path, uid: int | None, gid: int | None) -> None:
    data_dir.mkdir(mode=0o700, exist_ok=True)
    # Whoever can enter the directory can reach the socket, which asks for no password.
    data_dir.chmod(0o700)
    if uid is not None and gid is not None and data_dir.stat().st_uid != uid:
        os.chown(data_dir, uid, gid)


class EmbeddedPostgres:
    """A Postgres in a directory, shared by all live processes that use the directory.

    It is started by the first, stopped by the last; a killed process counts as gone.

    Args:
        data_dir: Where the data is; made if missing (its parents too). At most 88 bytes.
        settings: Server settings beside ours, used when this call starts the server.
    """

    def __init__(self, data_dir: Path, *, settings: Mapping[str, str] | None = None) -> None:
        self._given = data_dir
        self._settings = dict(settings or {})
        self._place: Place | None = None
        self._mark: UserMark | None = None

    def start(self) -> Handle:
        """Start the server, or join the one that runs. Blocking; takes about a second when new.

        Raises:
            ClusterVersionError: Made by another major version; the caller exits with 78.
            EmbeddedPostgresError: Any other reason, see `errors`.
        """
        place = self._place = prepare(self._given)
        with exclusive(place.data_dir, timeout_s=START_TIMEOUT_S):
            require_version(place)
            if cluster_version(place.cluster) is None:
                create_cluster(place)
            started = ensure_running(place, self._settings)
            ensure_database(place)
            self._mark = self._mark or UserMark(place.data_dir)
        return Handle(
            uri=place.uri(), data_dir=place.data_dir, version=CURRENT_MAJOR, started=started
        )

    def stop(self) -> bool:
        """Give the server back; the last live user stops it. True when it was stopped."""
        place, mark = self._place, self._mark
        if place is None or mark is None:
            return False
        self._mark = None
        with exclusive(place.data_dir, timeout_s=START_TIMEOUT_S):
            last = mark.release()
            if last:
                stop_server(place)
        return last

    def __enter__(self) -> Handle:
        """Start, and hand out the handle."""
        return self.start()

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop."""
        self.stop()


def require_version(place: Place, *, expected: int = CURRENT_MAJOR) -> None:
    """Refuse a cluster of another major version.

    Raises:
        ClusterVersionError: It was made by another one.
    """
    found = cluster_version(place.cluster)
    if found is not None and found != expected:
        raise ClusterVersionError(place.data_dir, found=found, expected=expected)


def create_cluster(place: Place, *, name: str = "cluster", provider: str = "builtin") -> Path:
    """Make a cluster; it appears under its name only when it is complete."""
    unfinished = place.data_dir / f"{name}.new"
    if unfinished.exists():
        shutil.rmtree(unfinished)
    locale = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8")
    place.programs.run(
        "initdb",
        (
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            *(locale if provider == "builtin" else ()),
            f"--username={SUPERUSER}",
            "-D",
            str(unfinished),
        ),
        cwd=place.data_dir,
    )
    return unfinished.rename(place.data_dir / name)


def ensure_running(place: Place, settings: Mapping[str, str]) -> bool:
    """Start the server unless it runs. True when it was started. Call it under `exclusive`.

    1. It answers on its socket: it runs.
    2. A Postgres works in the directory but does not answer yet: it is starting, or its last
       processes are ending; waited for.
    3. None does: whatever number `postmaster.pid` or the socket's lock file holds is stale (another
       process has it, or a dead one that nobody has reaped); both are removed.

    Raises:
        ClusterBusyError: It neither answers nor ends.
    """
    deadline = time.monotonic() + START_TIMEOUT_S
    while servers_of(place.cluster):
        if answers(place):
            return False
        if time.monotonic() >= deadline:
            raise ClusterBusyError(place.data_dir, reason="its Postgres neither answers nor ends")
        # the processes are not our children: nothing but looking says when they are up or gone
        time.sleep(_POLL_S)
    (place.cluster / "postmaster.pid").unlink(missing_ok=True)
    (place.data_dir / ".s.PGSQL.5432.lock").unlink(missing_ok=True)
    _launch(place, settings)
    return True


def _launch(place: Place, settings: Mapping[str, str]) -> None:
    values = {
        **_SETTINGS,
        "unix_socket_directories": '"' + str(place.data_dir).replace('"', '""') + '"',
        "log_directory": str(place.data_dir / "log"),
        **settings,
    }
    options = " ".join(f"-c {shlex.quote(f'{name}={value}')}" for name, value in values.items())
    place.programs.run(
        "pg_ctl",
        (
            # Relative, because it hands both to a shell between double quotes.
            *("-D", place.cluster.name, "-l", "start.log"),
            *("-w", "-t", str(int(START_TIMEOUT_S)), "-o", options, "start"),
        ),
        cwd=place.data_dir,
    )


def answers(place: Place) -> bool:
    """Does the server of this directory accept connections?"""
    try:
        with psycopg.connect(place.uri("postgres"), connect_timeout=5) as connection:
            found = connection.execute("show data_directory").fetchone()
    except psycopg.OperationalError:
        return False
    return found is not None and Path(str(found[0])) == place.cluster


def ensure_database(place: Place, name: str = DATABASE) -> None:
    """Create a database unless it exists."""
    with psycopg.connect(place.uri("postgres"), autocommit=True) as connection:
        known = connection.execute("select from pg_database where datname = %s", (name,))
        if known.fetchone() is None:
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))


def stop_server(place: Place) -> None:
    """Stop the server if it runs; open transactions are rolled back."""
    arguments = ("-D", str(place.cluster), "-w", "-t", "30", "-m", "fast", "stop")
    if servers_of(place.cluster):
        place.programs.run("pg_ctl", arguments, cwd=place.data_dir)
