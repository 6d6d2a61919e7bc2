"""Does the embedded Postgres survive every trap that was measured? Source: datapath.md 8."""

from __future__ import annotations

import os
import pwd
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from hivebot.adapters.db.embedded import (
    ClosedDirectoryError,
    ClusterBusyError,
    ClusterVersionError,
    EmbeddedPostgres,
    EmbeddedPostgresError,
    PostgresCommandError,
    ServiceAccountError,
    SocketPathTooLongError,
    dump,
    restore,
    upgrade_cluster,
)
from hivebot.adapters.db.embedded.locks import exclusive
from hivebot.adapters.db.embedded.processes import servers_of
from hivebot.adapters.db.embedded.programs import (
    ACCOUNT_NAME,
    Account,
    Programs,
    account_for,
    create_account,
    programs_dir,
    require_open,
)
from hivebot.adapters.db.embedded.server import (
    DATA_DIR_BYTES_MAX,
    answers,
    create_cluster,
    ensure_running,
    prepare,
    stop_server,
)

pytestmark = pytest.mark.integration

_A_USER = """
import sys
from pathlib import Path
from hivebot.adapters.db.embedded import EmbeddedPostgres
EmbeddedPostgres(Path(sys.argv[1])).start()
print("ready", flush=True)
sys.stdin.read()
"""


def running(data_dir: Path) -> bool:
    return bool(servers_of(data_dir.resolve() / "cluster"))


def query(uri: str, statement: bytes) -> list[tuple[object, ...]]:
    with psycopg.connect(uri, autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, "it did not come about within 20 s"


def test_start_says_where_the_data_is_and_the_server_answers(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir) as handle:
        assert handle.data_dir == data_dir.resolve()
        assert handle.started
        assert query(handle.uri, b"select 1") == [(1,)]
    assert not running(data_dir)


def test_data_survives_a_restart(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir) as handle:
        query(handle.uri, b"create table kept as select 7 as seven")
    with EmbeddedPostgres(data_dir) as handle:
        assert query(handle.uri, b"select seven from kept") == [(7,)]


def test_a_path_with_spaces_and_quotes_works(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir / 'it\'s "my" data') as handle:
        assert query(handle.uri, b"select 1") == [(1,)]


def test_a_path_with_a_comma_is_refused(data_dir: Path) -> None:
    with pytest.raises(EmbeddedPostgresError, match="comma"):
        prepare(data_dir / "a,b")


def test_no_mode_above_the_data_directory_changes(data_dir: Path) -> None:
    above = data_dir / "open"
    above.mkdir(parents=True, mode=0o711)
    before = {parent: parent.stat().st_mode for parent in (above, *above.parents)}
    with EmbeddedPostgres(above / "data"):
        pass
    assert {parent: parent.stat().st_mode for parent in before} == before


def test_only_the_owner_may_enter_the_data_directory(data_dir: Path) -> None:
    data_dir.mkdir(mode=0o755)
    with EmbeddedPostgres(data_dir) as handle:
        assert stat.S_IMODE(handle.data_dir.stat().st_mode) == 0o700


def test_a_closed_parent_is_refused_and_stays_closed(data_dir: Path) -> None:
    closed = data_dir / "closed"
    closed.mkdir(parents=True, mode=0o700)
    stranger = Account(name="stranger", uid=os.getuid() + 1, gid=os.getgid() + 1)
    data_dir.chmod(0o711)
    with pytest.raises(ClosedDirectoryError) as refused:
        require_open(closed / "data", stranger)
    assert refused.value.directory == closed
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("uid", "gid", "mode"), [(0, 1, 0o700), (1, 0, 0o710), (1, 1, 0o701)], ids=str
)
def test_an_account_passes_as_owner_as_group_or_as_anyone(
    data_dir: Path, uid: int, gid: int, mode: int
) -> None:
    data_dir.mkdir(mode=0o700)
    data_dir.chmod(mode)
    account = Account(name="someone", uid=os.getuid() + uid, gid=os.getgid() + gid)
    require_open(data_dir / "data", account)


def test_a_path_too_long_for_a_socket_is_refused_before_anything_is_made(data_dir: Path) -> None:
    long = data_dir / ("x" * DATA_DIR_BYTES_MAX)
    with pytest.raises(SocketPathTooLongError) as refused:
        EmbeddedPostgres(long).start()
    assert refused.value.limit == DATA_DIR_BYTES_MAX
    assert not data_dir.exists()


def test_the_longest_path_allowed_works(data_dir: Path) -> None:
    longest = data_dir / ("x" * (DATA_DIR_BYTES_MAX - len(os.fsencode(data_dir)) - 1))
    with EmbeddedPostgres(longest) as handle:
        assert query(handle.uri, b"select 1") == [(1,)]


@pytest.mark.parametrize("pid_file", ["{ours}\n{cluster}\n1\n5432\n/\n\n1 1\nready\n", "{ours}\n"])
def test_a_stale_pid_file_with_a_living_number_is_not_believed(
    data_dir: Path, pid_file: str
) -> None:
    with EmbeddedPostgres(data_dir):
        pass
    cluster = data_dir / "cluster"
    (cluster / "postmaster.pid").write_text(pid_file.format(ours=os.getpid(), cluster=cluster))
    with EmbeddedPostgres(data_dir) as handle:
        assert handle.started
        assert query(handle.uri, b"select 1") == [(1,)]


def test_a_server_that_is_still_starting_is_waited_for(data_dir: Path) -> None:
    place = prepare(data_dir)
    create_cluster(place)
    options = f"-k {place.data_dir} -h ''"
    place.programs.run(
        "pg_ctl",
        ("-D", str(place.cluster), "-W", "-l", str(data_dir / "l"), "-o", options, "start"),
        cwd=data_dir,
    )
    eventually(lambda: running(data_dir))
    assert ensure_running(place, {}) is False
    assert answers(place)
    stop_server(place)


def test_a_killed_server_is_started_again(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir) as first:
        os.kill(min(servers_of(first.data_dir / "cluster")), signal.SIGKILL)
        with EmbeddedPostgres(data_dir) as second:
            assert second.started
            assert query(second.uri, b"select 1") == [(1,)]


def test_the_server_stops_with_its_last_user(data_dir: Path) -> None:
    first, second = EmbeddedPostgres(data_dir), EmbeddedPostgres(data_dir)
    assert first.start().started
    assert not second.start().started
    assert first.stop() is False
    assert running(data_dir)
    assert second.stop() is True
    assert not running(data_dir)


def test_stopping_twice_or_before_the_start_does_nothing(data_dir: Path) -> None:
    server = EmbeddedPostgres(data_dir)
    assert server.stop() is False
    server.start()
    assert server.stop() is True
    assert server.stop() is False


def test_a_killed_user_does_not_keep_the_server_running(data_dir: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _A_USER, str(data_dir)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as user:
        assert user.stdout is not None
        assert user.stdout.readline() == b"ready\n"
        ours = EmbeddedPostgres(data_dir)
        assert not ours.start().started
        user.kill()
    assert running(data_dir)
    assert ours.stop() is True
    assert not running(data_dir)


def test_the_lock_lies_in_the_data_directory_and_is_held_by_one(data_dir: Path) -> None:
    data_dir.mkdir()
    with exclusive(data_dir, timeout_s=0):
        assert (data_dir / "hivebot.lock").exists()
        with pytest.raises(ClusterBusyError), exclusive(data_dir, timeout_s=0.1):
            pytest.fail("two hold the lock")
    with exclusive(data_dir, timeout_s=0):
        pass


def test_another_major_version_names_the_command_that_upgrades(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir):
        pass
    (data_dir / "cluster" / "PG_VERSION").write_text("16\n")
    with pytest.raises(ClusterVersionError, match="hivebot db upgrade-cluster") as refused:
        EmbeddedPostgres(data_dir).start()
    assert (refused.value.found, refused.value.expected) == (16, 18)


def test_an_old_cluster_is_upgraded_with_its_data_and_kept(data_dir: Path) -> None:
    old = prepare(data_dir, major=16)
    create_cluster(old, provider="libc")
    ensure_running(old, {})
    query(old.uri("postgres"), b"create database hivebot")
    query(old.uri(), b"create extension vector")
    query(old.uri(), b"create table kept as select '[1,2]'::vector as v")
    with pytest.raises(ClusterBusyError):
        upgrade_cluster(data_dir)
    stop_server(old)
    assert upgrade_cluster(data_dir) == data_dir / "cluster.16"
    assert upgrade_cluster(data_dir) is None
    with EmbeddedPostgres(data_dir) as handle:
        assert query(handle.uri, b"select v::text from kept") == [("[1,2]",)]


def test_an_interrupted_first_start_is_done_again(data_dir: Path) -> None:
    half = data_dir / "cluster.new"
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18\n")
    with EmbeddedPostgres(data_dir) as handle:
        assert query(handle.uri, b"select 1") == [(1,)]


def test_a_dump_is_private_and_brings_the_data_back(data_dir: Path) -> None:
    file = data_dir.parent / "kept.dump"
    with EmbeddedPostgres(data_dir) as handle:
        query(handle.uri, b"create table kept as select 7 as seven")
        assert dump(data_dir, file) == file
        query(handle.uri, b"drop table kept")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    restore(data_dir, file)
    with EmbeddedPostgres(data_dir) as handle:
        assert query(handle.uri, b"select seven from kept") == [(7,)]


def test_a_dump_that_cannot_be_read_replaces_nothing(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir) as handle:
        query(handle.uri, b"create table kept as select 7 as seven")
        file = data_dir.parent / "broken.dump"
        file.write_text("not a dump")
        with pytest.raises(PostgresCommandError):
            restore(data_dir, file)
        assert query(handle.uri, b"select seven from kept") == [(7,)]


def test_a_database_in_use_is_not_replaced(data_dir: Path) -> None:
    file = data_dir.parent / "kept.dump"
    with EmbeddedPostgres(data_dir) as handle, psycopg.connect(handle.uri) as connection:
        dump(data_dir, file)
        with pytest.raises(ClusterBusyError, match="stop hivebot first"):
            restore(data_dir, file)
        assert connection.execute("select current_database()").fetchone() == ("hivebot",)


def test_a_dump_that_fails_leaves_no_file(data_dir: Path) -> None:
    file = data_dir.parent / "none.dump"
    with EmbeddedPostgres(data_dir) as handle:
        query(handle.uri.replace("/hivebot?", "/postgres?"), b"drop database hivebot")
        # The next user would make the database again; it is kept from starting.
        query(
            handle.uri.replace("/hivebot?", "/postgres?"),
            b"create database hivebot with allow_connections false",
        )
        with pytest.raises(PostgresCommandError) as failed:
            dump(data_dir, file)
    assert failed.value.program == "pg_dump"
    assert list(file.parent.glob("none.dump*")) == []


def test_postgres_sees_nothing_of_our_environment(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HIVEBOT_PLANTED", "a secret")
    data_dir.mkdir()
    printed = Programs(directory=Path("/usr/bin"), account=None).run("env", (), cwd=data_dir)
    assert "PATH=" in printed
    assert "HIVEBOT_PLANTED" not in printed


def test_postgres_runs_as_ourselves_unless_we_are_root(data_dir: Path) -> None:
    assert account_for(data_dir, euid=1000) is None


def test_as_root_postgres_runs_as_the_owner_of_the_directory(data_dir: Path) -> None:
    data_dir.mkdir()
    if os.geteuid() == 0:
        os.chown(data_dir, pwd.getpwnam("nobody").pw_uid, -1)
    account = account_for(data_dir, euid=0)
    assert account is not None
    assert account.uid == data_dir.stat().st_uid


@pytest.mark.parametrize("program", ["false", "hivebot-no-such-program"])
def test_an_account_that_cannot_be_made_is_said(program: str) -> None:
    with pytest.raises(ServiceAccountError, match=ACCOUNT_NAME):
        create_account(ACCOUNT_NAME, program=program)


def test_a_version_that_is_not_installed_is_said(data_dir: Path) -> None:
    assert programs_dir(9) is None
    with pytest.raises(EmbeddedPostgresError, match="Postgres 9 "):
        prepare(data_dir, major=9)
