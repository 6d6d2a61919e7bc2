"""What does `hivebot db …` say and do, on a database that is there, is not, or is ours?"""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr
from typer.testing import CliRunner, Result

from hivebot.adapters.db import migrate
from hivebot.adapters.db.embedded import EmbeddedPostgresError
from hivebot.entrypoints.cli import app
from hivebot.entrypoints.database import database
from hivebot.settings import Settings, SettingsError

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("logging_as_it_was")]

AWAY = "postgresql://nobody:secret@127.0.0.1:9/none"


def db(*words: str, **environment: str) -> Result:
    return CliRunner().invoke(app, ["db", *words], env={"HIVEBOT_ENV": "production", **environment})


def test_a_database_is_brought_up_to_date_and_found_so(empty_database_url: str) -> None:
    (newest,) = migrate.heads()
    before = db("check", DATABASE_URL=empty_database_url)
    assert (before.exit_code, "no version yet" in before.output) == (1, True)
    upgraded = db("upgrade", DATABASE_URL=empty_database_url)
    assert (upgraded.exit_code, upgraded.output) == (0, f"the database is at {newest}\n")
    after = db("check", DATABASE_URL=empty_database_url)
    assert (after.exit_code, after.output) == (0, f"the database is at {newest}\n")


def test_a_difference_is_named(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("alter table usage drop column tokens")
    found = db("check", DATABASE_URL=database_url)
    assert found.exit_code == 1
    assert "differs: " in found.output
    assert "tokens" in found.output


def test_what_is_away_or_not_named_is_one_line_without_the_password() -> None:
    away = db("upgrade", DATABASE_URL=AWAY)
    assert away.exit_code == 78
    assert away.output.startswith("hivebot: the database cannot be reached: ")
    assert "secret" not in away.output
    assert len(away.output.splitlines()) == 1
    unnamed = db("upgrade")
    assert unnamed.exit_code == 78
    assert "needs DATABASE_URL" in unnamed.output
    unusable = db("check", DATABASE_URL="mysql://x")
    assert unusable.exit_code == 78


def test_the_embedded_ones_data_is_copied_out_and_in(data_dir: Path, tmp_path: Path) -> None:
    place = {"HIVEBOT_DATA_DIR": str(data_dir)}
    copy = tmp_path / "copy"
    assert db("upgrade", **place).exit_code == 0
    written = db("dump", str(copy), **place)
    assert (written.exit_code, written.output) == (0, f"written to {copy}\n")
    restored = db("restore", str(copy), **place)
    assert (restored.exit_code, restored.output) == (0, f"restored from {copy}\n")
    assert db("check", **place).exit_code == 0
    missing = db("restore", str(tmp_path / "none"), **place)
    assert missing.exit_code == 78
    said = "No such file or directory; nothing was changed"
    assert missing.output == f"hivebot: {tmp_path / 'none'}: {said}\n"


async def test_a_process_takes_the_embedded_one_and_leaves_it_stopped(data_dir: Path) -> None:
    async with database(Settings(data_dir=data_dir)) as place:
        assert migrate.current(place.direct_url) in migrate.heads()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(place.direct_url, connect_timeout=2)


@pytest.mark.parametrize("url", ["", AWAY])
async def test_a_process_refuses_a_database_that_is_away_or_behind(
    url: str, empty_database_url: str
) -> None:
    place = Settings(
        DATABASE_URL=SecretStr(url or empty_database_url)  # pyright: ignore[reportCallIssue]
    )
    said = "cannot be reached" if url else "run `hivebot db upgrade` first"
    with pytest.raises((SettingsError, EmbeddedPostgresError), match=said):
        async with database(place):
            pass
