"""What do whole stories stand on? A stage of their own, on a database of its own, with its logs."""

from __future__ import annotations

import signal
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from itertools import count
from pathlib import Path
from typing import Protocol

import pytest
import pytest_asyncio

from hivebot.adapters.db.embedded import Handle
from tests.database import CLONE, administer, url_of
from tests.e2e.play import Over, Play, Switches, playing

LOG_TAIL_LINES = 60
_numbers = count(1)
Databases = Callable[[], AbstractContextManager[str]]
_LOGS = pytest.StashKey[list[Path]]()


class Stages(Protocol):
    """Starts stages: each on a migrated database of its own, its logs kept until the run ends."""

    def __call__(
        self,
        *,
        over: Over = "http",
        processes: tuple[str, ...] = (),
        changes: Switches | None = None,
        switches: Switches | None = None,
    ) -> AbstractAsyncContextManager[Play]: ...


@pytest.fixture(scope="session")
def new_folder(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], Path]:
    """Makes folders for logs; those of the newest are shown when a test fails."""

    def make() -> Path:
        folder = tmp_path_factory.mktemp("stage")
        request.session.stash.setdefault(_LOGS, []).append(folder)
        return folder

    return make


@pytest.fixture(scope="session", autouse=True)
def stopping_takes_all_down() -> Generator[None]:
    """A run that is told to stop ends as by Ctrl-C, so that no process of a stage is left over."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture(scope="session")
def databases(postgres: Handle, template: str) -> Databases:
    """Makes migrated databases, each gone at the end of its context."""

    @contextmanager
    def make() -> Generator[str]:
        name = f"story_{next(_numbers)}"
        administer(postgres, CLONE, name, template)
        try:
            yield url_of(postgres, name)
        finally:
            administer(postgres, "drop database {} with (force)", name)

    return make


@pytest.fixture(scope="session")
def stages(databases: Databases, new_folder: Callable[[], Path]) -> Stages:
    """Starts stages."""

    @asynccontextmanager
    async def start(
        *,
        over: Over = "http",
        processes: tuple[str, ...] = (),
        changes: Switches | None = None,
        switches: Switches | None = None,
    ) -> AsyncGenerator[Play]:
        with databases() as url:
            async with playing(
                new_folder(),
                url,
                over=over,
                processes=processes,
                changes=changes,
                switches=switches,
            ) as play:
                yield play

    return start


@pytest_asyncio.fixture(scope="package", loop_scope="session")
async def http(stages: Stages) -> AsyncGenerator[Play]:
    """Web, worker and clock, each a process, and a workspace that sends requests.

    Shared by all tests of this folder, and gone before others run. Every desk may ask every other
    as often as they need, and nothing is limited unless a test turns that on.
    """
    changes = {"referrals_per_hour": 1000, "asks": "any", "answers": "any"}
    async with stages(changes=changes, switches={"rate_limits": False}) as play:
        yield play


@pytest_asyncio.fixture(scope="package", loop_scope="session")
async def socket(stages: Stages) -> AsyncGenerator[Play]:
    """One process that has opened a socket; Slack limits it as ever. Shared as well."""
    async with stages(over="socket") as play:
        yield play


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the last lines of the logs under a failed test: its own stage's, else the newest's."""
    report = yield
    values = item.funcargs.values() if isinstance(item, pytest.Function) else ()
    folders = [value.logs for value in values if isinstance(value, Play)]
    folders = folders or item.session.stash.get(_LOGS, list[Path]())
    if report.failed and folders:
        for log in sorted(folders[-1].glob("*.log")):
            lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
            report.sections.append((log.name, "\n".join(lines[-LOG_TAIL_LINES:])))
    return report
