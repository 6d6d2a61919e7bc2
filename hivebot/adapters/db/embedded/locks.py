"""Who starts or stops the server now, and is any other user of it alive?

Both are answered by the kernel: a lock on an open file ends with its process, however that ends.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from hivebot.adapters.db.embedded.errors import ClusterBusyError

_POLL_S = 0.05


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _try(descriptor: int, mode: int) -> bool:
    try:
        fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def exclusive(data_dir: Path, *, timeout_s: float) -> Generator[None]:
    """Hold the right to start, stop, dump or upgrade the server of this directory.

    Raises:
        ClusterBusyError: Another process held it for longer than the timeout.
    """
    descriptor = _open(data_dir / "hivebot.lock")
    try:
        deadline = time.monotonic() + timeout_s
        while not _try(descriptor, fcntl.LOCK_EX):
            if time.monotonic() >= deadline:
                raise ClusterBusyError(data_dir, reason="another process starts or stops it")
            # the system tells nobody when a lock is given up, and a plain wait would not end
            time.sleep(_POLL_S)
        yield
    finally:
        os.close(descriptor)


class UserMark:
    """Says that one live user of the server exists, until `release` or the end of the process."""

    def __init__(self, data_dir: Path) -> None:
        self._descriptor = _open(data_dir / "users.lock")
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)

    def release(self) -> bool:
        """Take the mark back. Was it the last one? Call it while holding `exclusive`."""
        # Turning the shared lock into an exclusive one succeeds only without another holder.
        last = _try(self._descriptor, fcntl.LOCK_EX)
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        os.close(self._descriptor)
        return last
