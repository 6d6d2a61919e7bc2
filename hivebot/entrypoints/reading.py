"""How does a command look at what is stored? The rows and the configurations, and nothing else.

What only reads needs neither Slack nor a model, so it is put together here and not in `bootstrap`.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import typer
from sqlalchemy.exc import OperationalError

from hivebot.adapters.clock import SystemClock
from hivebot.adapters.config_files import ConfigError, from_canonical, load
from hivebot.adapters.db.embedded import EmbeddedPostgresError
from hivebot.adapters.db.engine import create_engine
from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from hivebot.entrypoints.database import database
from hivebot.errors import HivebotError
from hivebot.services.policy import RunningPolicy
from hivebot.services.ports import Clock, Policies, UnitOfWork
from hivebot.settings import EXIT_CONFIG, Settings, SettingsError
from hivebot.telemetry import configure, redact


@dataclass(frozen=True, slots=True)
class Stored:
    """What is stored, and the configurations it was stored under."""

    work: UnitOfWork
    policies: Policies
    clock: Clock


@asynccontextmanager
async def stored(settings: Settings) -> AsyncGenerator[Stored]:
    """Open the configured database, or the embedded one beside whoever uses it.

    Raises:
        ConfigError: the configuration files cannot be used.
        SettingsError: the database lacks migrations.
        EmbeddedPostgresError: the embedded one cannot start.
        OperationalError: the database cannot be reached.
    """
    loaded = load(settings.config)
    async with database(settings) as place:
        engine = create_engine(place)
        try:
            clock = SystemClock()
            work = PostgresUnitOfWork(engine, clock)
            policies = RunningPolicy(work, clock, loaded.configuration, from_canonical)
            yield Stored(work, policies, clock)
        finally:
            await engine.dispose()


def quiet(settings: Settings) -> None:
    """Keep standard output for the answer: log lines, from warnings on, go to standard error."""
    configure(
        sys.stderr,
        style=settings.log_format,
        level="warning",
        color=settings.color,
        secrets=settings.secret_values(),
    )


@contextmanager
def refusals() -> Generator[None]:
    """Say what cannot be used, one line each, and end with 78."""
    try:
        yield
    except SettingsError as error:
        problems = error.problems
    except ConfigError as error:
        problems = tuple(str(finding) for finding in error.problems)
    except OperationalError as error:
        said = str(error.orig).splitlines()[0] if error.orig else "no answer"
        problems = (f"the database cannot be reached: {redact(said)}",)
    except (EmbeddedPostgresError, HivebotError) as error:
        problems = (str(error),)
    else:
        return
    for problem in problems:
        typer.echo(f"hivebot: {problem}", err=True)
    raise typer.Exit(EXIT_CONFIG)
