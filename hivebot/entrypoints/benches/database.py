"""Where are rows put that are only measured? In an embedded Postgres that is thrown away."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from hivebot.adapters.db import migrate
from hivebot.adapters.db.embedded import EmbeddedPostgres
from hivebot.adapters.db.engine import DatabaseUrl


@contextmanager
def thrown_away() -> Generator[DatabaseUrl]:
    """A migrated database, gone afterwards. Blocking: not to be entered inside an event loop.

    Raises:
        EmbeddedPostgresError: it cannot start.
    """
    with tempfile.TemporaryDirectory(prefix="hivebot-bench-") as folder:
        place = Path(folder)
        # the account Postgres runs as has to pass
        place.chmod(0o755)
        with EmbeddedPostgres(place / "data") as handle:
            migrate.upgrade(handle.uri)
            yield DatabaseUrl.of(handle.uri)
