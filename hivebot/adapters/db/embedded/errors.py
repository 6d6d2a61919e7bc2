"""What can be wrong with an embedded Postgres, and what should its owner do?

EmbeddedPostgresError
├── ClusterVersionError      the data directory was made by another major version (exit 78)
├── SocketPathTooLongError   no Unix socket fits below the data directory
├── ClosedDirectoryError     run by root, and the unprivileged account cannot reach the directory
├── ServiceAccountError      run by root, and there is no account to run Postgres as
├── ClusterBusyError         someone else holds the data directory, or still uses the database
└── PostgresCommandError     one of Postgres' own programs failed
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from hivebot.errors import HivebotError


class EmbeddedPostgresError(HivebotError):
    """The embedded Postgres cannot be used as asked."""

    code: ClassVar[str] = "embedded_postgres"


class ClusterVersionError(EmbeddedPostgresError):
    """The data directory belongs to another major version of Postgres.

    Attributes:
        data_dir: The directory given.
        found: Major version that made it.
        expected: Major version installed.
    """

    code: ClassVar[str] = "embedded_cluster_version"

    def __init__(self, data_dir: Path, *, found: int, expected: int) -> None:
        self.data_dir = data_dir
        self.found = found
        self.expected = expected
        super().__init__(
            f"The data in {data_dir} was made by Postgres {found}, installed is {expected}: "
            "run `hivebot db upgrade-cluster`."
        )


class SocketPathTooLongError(EmbeddedPostgresError):
    """A Unix socket below this directory would have too long a name.

    Attributes:
        data_dir: The directory given.
        limit: Longest name of a data directory in bytes.
    """

    code: ClassVar[str] = "embedded_socket_path"

    def __init__(self, data_dir: Path, *, limit: int) -> None:
        self.data_dir = data_dir
        self.limit = limit
        super().__init__(
            f"{data_dir} is too long for a Unix socket: choose a directory of at most {limit} "
            "bytes (HIVEBOT_DATA_DIR)."
        )


class ClosedDirectoryError(EmbeddedPostgresError):
    """The account that runs Postgres cannot pass a directory on the way to its files.

    Attributes:
        directory: The closed directory; its mode was not changed.
        account: Name of the account that has to pass it.
    """

    code: ClassVar[str] = "embedded_closed_directory"

    def __init__(self, directory: Path, *, account: str) -> None:
        self.directory = directory
        self.account = account
        super().__init__(
            f"Postgres does not run as root, and {account} may not enter {directory}: choose "
            "another directory (HIVEBOT_DATA_DIR), or run hivebot as an ordinary user."
        )


class ServiceAccountError(EmbeddedPostgresError):
    """hivebot runs as root and there is no account that Postgres could run as.

    Attributes:
        account: Name that was looked for and could not be created.
    """

    code: ClassVar[str] = "embedded_service_account"

    def __init__(self, account: str) -> None:
        self.account = account
        super().__init__(
            f"Postgres does not run as root, and the account {account} could not be created: "
            "create it, or run hivebot as an ordinary user."
        )


class ClusterBusyError(EmbeddedPostgresError):
    """Another process holds the data directory or uses the database.

    Attributes:
        data_dir: The directory given.
        reason: What was waited for.
    """

    code: ClassVar[str] = "embedded_busy"

    def __init__(self, data_dir: Path, *, reason: str) -> None:
        self.data_dir = data_dir
        self.reason = reason
        super().__init__(f"{data_dir}: {reason}.")


class PostgresCommandError(EmbeddedPostgresError):
    """One of Postgres' own programs failed.

    Attributes:
        program: Its name.
        status: Its exit status.
        output: The last lines it wrote, at most 2,000 characters.
    """

    code: ClassVar[str] = "embedded_command"

    def __init__(self, program: str, *, status: int, output: str) -> None:
        self.program = program
        self.status = status
        self.output = output[-2000:]
        super().__init__(f"{program} ended with status {status}: {self.output.strip()}")
