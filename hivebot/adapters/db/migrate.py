"""At which version is a database, and how does it get to another? Source: datapath.md 8."""

from __future__ import annotations

from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import NullPool, create_engine
from sqlalchemy.schema import SchemaItem

from alembic import command
from hivebot.adapters.db.engine import sqlalchemy_url
from hivebot.adapters.db.jobs.schema import VERSION_TABLE
from hivebot.adapters.db.tables import METADATA

LOCK = 0x68697665  # "hive": what every `db upgrade` on this server waits for
_QUEUE_PREFIX = "procrastinate_"


def scripts_dir() -> Path:
    """Where the migrations are: inside an installed package, or beside it in a checkout."""
    here = Path(__file__).parent
    packaged = here / "alembic"
    return packaged if packaged.is_dir() else here.parents[2] / "alembic"


def config(url: str = "") -> Config:
    """Alembic's configuration; `url` stays out of every file."""
    made = Config()
    made.set_main_option("script_location", str(scripts_dir()).replace("%", "%%"))
    made.set_main_option("path_separator", "os")
    made.attributes["url"] = url
    return made


def upgrade(url: str, revision: str = "head") -> None:
    """Bring a database to a revision, and its queue to the installed version. Blocking.

    Runs in one transaction under a lock; another that runs at the same time is waited for. `url`
    must not lead through a pooler.
    """
    command.upgrade(config(url), revision)


def downgrade(url: str, revision: str) -> None:
    """Take a database back to a revision (`base` for none). The queue's tables stay. Blocking."""
    made = config(url)
    made.attributes["queue"] = False
    command.downgrade(made, revision)


def heads() -> tuple[str, ...]:
    """Newest revisions; more than one means that two migrations follow the same one."""
    return tuple(ScriptDirectory.from_config(config()).get_heads())


def current(url: str) -> str | None:
    """Revision a database is at; None for an empty one. Blocking."""
    engine = create_engine(sqlalchemy_url(url), poolclass=NullPool)
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def check_drift(url: str) -> list[str]:
    """Differences between the tables the code knows and those of a database; [] for none. Blocking.

    The queue's own tables are left out.
    """
    engine = create_engine(sqlalchemy_url(url), poolclass=NullPool)
    with engine.connect() as connection:
        made = MigrationContext.configure(
            connection,
            opts={
                "include_object": include_object,
                "compare_type": True,
                "compare_server_default": True,
            },
        )
        return [str(difference) for difference in compare_metadata(made, METADATA)]


def include_object(
    _item: SchemaItem,
    name: str | None,
    kind: str,
    _reflected: bool,  # noqa: FBT001 - Alembic's signature
    _compare_to: SchemaItem | None,
) -> bool:
    """Is this ours to migrate? Not the queue's tables and what belongs to them."""
    named = name or ""
    return not (kind == "table" and (named.startswith(_QUEUE_PREFIX) or named == VERSION_TABLE))
