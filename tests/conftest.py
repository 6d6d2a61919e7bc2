"""Which fixtures does every test have?"""

from __future__ import annotations

from tests.database import (
    data_dir,
    database_url,
    empty_database_url,
    engine,
    postgres,
    template,
)

__all__ = ["data_dir", "database_url", "empty_database_url", "engine", "postgres", "template"]
