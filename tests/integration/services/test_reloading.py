"""How is another configuration put in force while all runs? Source: product.md 8."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.config_files import fingerprint, from_canonical
from hivebot.adapters.config_files.canonical import with_revision
from hivebot.entrypoints.reloading import Live, files_of, kept_live
from hivebot.services.policy import RunningPolicy
from hivebot.services.ports import StoreUnavailableError, Transaction
from hivebot.services.records.policy import Configuration
from hivebot.services.records.reloads import KeptOld, Reloaded
from hivebot.services.reloading import Cause, Reloading
from tests.fakes.clock import FakeClock
from tests.integration.services.stories import begin
from tests.integration.services.world import ADMINS, CONFIGURATION, TEAM, World

pytestmark = pytest.mark.integration

EXAMPLE = (Path("config") / "hivebot.yaml").read_text(encoding="utf-8")
LONGER = EXAMPLE.replace("deadline_s: 180", "deadline_s: 181", 1)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The example, where a test may write."""
    place = tmp_path / "hivebot.yaml"
    place.write_text(EXAMPLE, encoding="utf-8")
    return place


def write(file: Path, text: str) -> None:
    """Write a file as an editor does."""
    file.write_text(text, encoding="utf-8")


async def home() -> str:
    return TEAM


async def as_written(configuration: Configuration) -> Configuration:
    return configuration


def another(world: World) -> RunningPolicy:
    """What another process holds in force."""
    return RunningPolicy(world.work, world.clock, CONFIGURATION, from_canonical)


def reloading(world: World, file: Path, policies: RunningPolicy | None = None) -> Reloading:
    files = files_of(file, as_written)
    return Reloading(world.work, policies or world.policies, files, world.clock)


def live(world: World, file: Path, policies: RunningPolicy | None = None) -> Live:
    return Live(reloading(world, file, policies), file, home, fingerprint(file))


async def told(world: World) -> list[str]:
    """What stands in the admin channel's queue."""
    return [f"{row.body.heading}\n{row.body.text}" for row in await world.outbox(ADMINS)]


async def test_what_the_files_say_is_put_in_force_with_its_changes(
    world: World, file: Path
) -> None:
    await begin(world)
    write(file, LONGER)

    done = await reloading(world, file).reload()

    assert isinstance(done, Reloaded)
    assert done.before == CONFIGURATION.revision
    assert len(done.changes) == 1
    assert done.changes[0].endswith("episode.deadline_s: 180 -> 181")
    assert world.policies.current().revision == done.revision
    async with world.work.begin() as tx:
        newest = await tx.revisions.newest(5)
    assert [one.revision for one in newest] == [done.revision, CONFIGURATION.revision]


async def test_files_that_say_the_same_change_nothing(world: World, file: Path) -> None:
    await begin(world)

    done = await reloading(world, file).reload()

    assert isinstance(done, Reloaded)
    assert (done.revision, done.changes) == (CONFIGURATION.revision, ())


async def test_a_broken_file_changes_nothing_and_names_file_line_and_remedy(
    world: World, file: Path
) -> None:
    await begin(world)
    write(file, LONGER.replace("mode: hive", "mode: swarm"))

    done = await live(world, file).reload(Cause.COMMAND)

    assert isinstance(done, KeptOld)
    assert world.policies.current() == CONFIGURATION
    assert done.problems[0].startswith(f"{file}:")
    assert "mode" in done.problems[0]
    (line,) = await told(world)
    assert line.startswith("The configuration files cannot be used\n• ")
    assert done.problems[0] in line


async def test_the_same_broken_file_is_told_once_by_however_many_processes(
    world: World, file: Path
) -> None:
    await begin(world)
    write(file, "desks: three\n")

    for policies in (world.policies, another(world)):
        assert isinstance(await live(world, file, policies).reload(Cause.FILE), KeptOld)
    assert len(await told(world)) == 1

    write(file, "desks: four of them\n")
    await live(world, file).reload(Cause.FILE)
    assert len(await told(world)) == 2


@pytest.mark.parametrize("admin_channel", ["", "#nowhere"])
async def test_without_an_admin_channel_only_the_log_tells(
    engine: AsyncEngine, clock: FakeClock, file: Path, admin_channel: str
) -> None:
    world = World(engine, clock, with_revision(replace(CONFIGURATION, admin_channel=admin_channel)))
    write(file, "desks: three\n")

    assert isinstance(await live(world, file).reload(Cause.FILE), KeptOld)
    assert await world.outbox() == []


async def test_a_file_is_read_once_it_has_been_left_alone(world: World, file: Path) -> None:
    await begin(world)
    watching = live(world, file)
    write(file, LONGER)

    await watching.look()
    assert world.policies.current() == CONFIGURATION
    await watching.look()
    assert world.policies.current().revision != CONFIGURATION.revision


async def test_a_file_that_was_touched_while_the_process_started_is_read(
    world: World, file: Path
) -> None:
    await begin(world)
    before = fingerprint(file)
    write(file, LONGER)
    watching = Live(reloading(world, file), file, home, before)
    for _ in range(2):
        await watching.look()
    assert world.policies.current().revision != CONFIGURATION.revision


async def test_a_broken_file_is_not_read_again_until_it_is_touched(
    world: World, file: Path
) -> None:
    await begin(world)
    watching = live(world, file)
    write(file, "desks: three\n")
    for _ in range(4):
        await watching.look()
    assert len(await told(world)) == 1

    write(file, LONGER)
    for _ in range(2):
        await watching.look()
    assert world.policies.current().revision != CONFIGURATION.revision


async def test_other_processes_take_up_what_was_put_in_force_last(
    world: World, file: Path, tmp_path: Path
) -> None:
    await begin(world)
    policies = another(world)
    elsewhere = live(world, tmp_path / "elsewhere.yaml", policies)
    write(file, LONGER)
    await reloading(world, file).reload()

    await elsewhere.look()
    assert policies.current() == world.policies.current()
    assert (await reloading(world, file, policies).follow()) is None


async def test_going_back_to_an_earlier_revision_is_taken_up_too(world: World, file: Path) -> None:
    await begin(world)
    policies = another(world)
    world.clock.advance(-60)
    for written in (LONGER, EXAMPLE):
        write(file, written)
        await reloading(world, file).reload()
        await live(world, file, policies).look()
        assert policies.current() == world.policies.current()
    assert policies.current().revision == CONFIGURATION.revision


async def test_a_stored_form_that_this_version_cannot_read_is_not_taken_up(
    world: World, file: Path
) -> None:
    await begin(world)
    watching = live(world, file)
    async with world.work.begin() as tx:
        await tx.revisions.put("newer", '{"desks": "three"}', world.clock.now())

    await watching.look()
    await watching.look()
    assert world.policies.current() == CONFIGURATION


class Away:
    """A database that cannot be reached."""

    def begin(self) -> AbstractAsyncContextManager[Transaction]:
        raise StoreUnavailableError("away")


async def test_a_touched_file_is_read_when_the_database_is_back(world: World, file: Path) -> None:
    work = Away()
    policies = RunningPolicy(work, world.clock, CONFIGURATION, from_canonical)
    watching = Live(
        Reloading(work, policies, files_of(file, as_written), world.clock),
        file,
        home,
        fingerprint(file),
    )
    write(file, LONGER)
    with pytest.raises(StoreUnavailableError):
        await watching.look()
    for _ in range(2):
        with pytest.raises(StoreUnavailableError):
            await watching.look()
    assert policies.current() == CONFIGURATION


class Told:
    """Notes what it is told, and lets the database be away the first time."""

    def __init__(self) -> None:
        self.causes: list[Cause] = []
        self.looks = 0
        self.reloaded = asyncio.Event()
        self.looked = asyncio.Event()

    async def reload(self, cause: Cause) -> object:
        self.causes.append(cause)
        if len(self.causes) == 1:
            raise StoreUnavailableError("away")
        self.reloaded.set()
        return None

    async def look(self) -> None:
        self.looks += 1
        self.looked.set()


async def test_a_hangup_reads_the_files_and_is_not_forgotten_while_the_database_is_away() -> None:
    told = Told()
    async with kept_live(told, every_s=0.001), asyncio.timeout(10):
        await told.looked.wait()
        os.kill(os.getpid(), signal.SIGHUP)
        await told.reloaded.wait()
    assert told.causes == [Cause.SIGNAL, Cause.SIGNAL]


def test_a_place_that_cannot_be_looked_into_has_a_fingerprint_too(tmp_path: Path) -> None:
    missing = fingerprint(tmp_path / "missing.yaml")
    assert missing == fingerprint(tmp_path / "missing.yaml")
    assert missing != fingerprint(tmp_path)
    (tmp_path / "one.yaml").write_text("desks: []")
    assert fingerprint(tmp_path) != missing


IN_A_TERMINAL = """
import asyncio, os, signal, sys

from hivebot.entrypoints.reloading import kept_live


class Quiet:
    async def reload(self, cause):
        print("reloaded", flush=True)

    async def look(self):
        pass


async def main():
    os.open(sys.argv[1], os.O_RDWR)  # becomes the terminal of this session
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with kept_live(Quiet()):
        print("ready", flush=True)
        await stop.wait()
    print("stopped", flush=True)


asyncio.run(main())
"""


def test_a_terminal_that_is_closed_leaves_nothing_running() -> None:
    ours, theirs = os.openpty()
    command = [sys.executable, "-c", IN_A_TERMINAL, os.ttyname(theirs)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, start_new_session=True
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"ready\n"
        running.send_signal(signal.SIGHUP)
        assert running.stdout.readline() == b"reloaded\n"
        os.close(theirs)
        os.close(ours)
        said, _ = running.communicate(timeout=20)
    assert said == b"stopped\n"
    assert running.returncode == 0
