"""What does `hivebot db …` do? It keeps the schema and copies the data."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy.exc import OperationalError

from hivebot.adapters.db import embedded, migrate
from hivebot.adapters.db.engine import DatabaseUrl
from hivebot.entrypoints.database import configured
from hivebot.settings import EXIT_CONFIG, Settings, SettingsError, load_settings
from hivebot.telemetry import redact

app = typer.Typer(
    name="db",
    help="Keep the database's schema; copy the embedded one's data out and in.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

_FILE = typer.Argument(help="The file that holds the copy.")


@app.command()
def upgrade() -> None:
    """Bring the schema, and the queue's, to this version; waits for another that does the same."""
    settings = _settings()
    with _refusals(), _place(settings) as place:
        migrate.upgrade(place.direct_url)
        typer.echo(f"the database is at {migrate.current(place.direct_url)}")


@app.command()
def check() -> None:
    """Say at which version the database is, and whether it differs from what the code knows."""
    settings = _settings()
    with _refusals(), _place(settings) as place:
        differences = migrate.check_drift(place.direct_url)
        typer.echo(f"the database is at {migrate.current(place.direct_url) or 'no version yet'}")
        for difference in differences:
            typer.echo(f"differs: {difference}")
    raise typer.Exit(1 if differences else 0)


@app.command()
def dump(file: Annotated[Path, _FILE]) -> None:
    """Write all data of the embedded database into one file."""
    _transfer(lambda data_dir: embedded.dump(data_dir, file), f"written to {file}")


@app.command()
def restore(file: Annotated[Path, _FILE]) -> None:
    """Replace all data of the embedded database by a copy."""
    _transfer(lambda data_dir: embedded.restore(data_dir, file), f"restored from {file}")


@app.command("upgrade-cluster")
def upgrade_cluster() -> None:
    """Take an embedded database of an older Postgres to the version that is installed."""
    _transfer(embedded.upgrade_cluster, "the cluster is at the installed version")


def _transfer(act: Callable[[Path], object], done: str) -> None:
    settings = _settings()
    with _refusals():
        try:
            act(settings.data_directory)
        except OSError as error:
            where = error.filename or settings.data_directory
            typer.echo(f"hivebot: {where}: {error.strerror}; nothing was changed", err=True)
            raise typer.Exit(EXIT_CONFIG) from None
    typer.echo(done)


def _settings() -> Settings:
    with _refusals():
        return load_settings()


@contextmanager
def _refusals() -> Generator[None]:
    """Say what cannot be used and end with 78."""
    try:
        yield
    except SettingsError as error:
        for problem in error.problems:
            typer.echo(f"hivebot: {problem}", err=True)
        raise typer.Exit(EXIT_CONFIG) from None
    except OperationalError as error:
        said = str(error.orig).splitlines()[0] if error.orig else "no answer"
        typer.echo(f"hivebot: the database cannot be reached: {redact(said)}", err=True)
        raise typer.Exit(EXIT_CONFIG) from None
    except embedded.EmbeddedPostgresError as error:
        typer.echo(f"hivebot: {error}", err=True)
        raise typer.Exit(EXIT_CONFIG) from None


@contextmanager
def _place(settings: Settings) -> Generator[DatabaseUrl]:
    """The configured database, or the embedded one for as long as it is needed."""
    settings.require_for("db upgrade")
    place = configured(settings)
    if place is not None:
        yield place
        return
    with embedded.EmbeddedPostgres(settings.data_directory) as handle:
        yield DatabaseUrl.of(handle.uri)
