"""Which living processes are a Postgres of this directory?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol, cast

import psutil


class _Process(Protocol):
    @property
    def pid(self) -> int: ...
    def name(self) -> str: ...
    def cwd(self) -> str: ...


_every_process = cast(
    "Callable[[], Iterator[_Process]]",
    psutil.process_iter,  # pyright: ignore[reportUnknownMemberType] - psutil has no types
)


def servers_of(cluster: Path) -> tuple[int, ...]:
    """Numbers of the processes that are Postgres and work in this directory, ascending.

    The number in `postmaster.pid` is no evidence: after a restart of a container another process
    has it. Postgres changes into its data directory, so the working directory is.
    """
    return tuple(sorted(process.pid for process in _every_process() if _serves(process, cluster)))


def _serves(process: _Process, cluster: Path) -> bool:
    try:
        return process.name().startswith("postgres") and Path(process.cwd()) == cluster
    except (psutil.Error, OSError):
        # Gone meanwhile, or of another account: then it cannot be ours.
        return False
