"""Which URLs reach a Postgres, and how is it spoken to through a pooler?"""

from __future__ import annotations

import pytest

from hivebot.adapters.db.engine import DatabaseUrl, create_engine, libpq_url, sqlalchemy_url


@pytest.mark.parametrize(
    "scheme", ["postgres", "postgresql", "postgresql+psycopg", "postgresql+asyncpg"]
)
def test_every_spelling_of_a_postgres_url_is_accepted(scheme: str) -> None:
    url = f"{scheme}://me:p%40ss@host:5433/db?sslmode=require"
    assert sqlalchemy_url(url).drivername == "postgresql+psycopg"
    assert libpq_url(url) == "postgresql://me:p%40ss@host:5433/db?sslmode=require"


@pytest.mark.parametrize("url", ["mysql://me:secret@host/db", "host=localhost", ""])
def test_another_url_is_refused_without_being_repeated(url: str) -> None:
    with pytest.raises(ValueError, match="begins with postgresql://") as refused:
        sqlalchemy_url(url)
    assert "secret" not in str(refused.value)


def test_a_url_to_a_socket_keeps_its_directory() -> None:
    url = "postgresql://postgres@/hivebot?host=%2Fhome%2Fmy%20data"
    assert sqlalchemy_url(url).query == {"host": "/home/my data"}
    assert libpq_url(url) == url


def test_without_a_pooler_both_urls_are_one() -> None:
    place = DatabaseUrl.of("postgresql://host/db")
    assert place.direct_url == place.url
    assert not place.pooled


def test_a_second_url_is_past_the_pooler() -> None:
    place = DatabaseUrl.of("postgresql://pooler/db", "postgresql://host/db")
    assert place.pooled
    assert place.direct_url == "postgresql://host/db"


def test_a_pool_is_bounded() -> None:
    engine = create_engine(DatabaseUrl.of("postgresql://host/db"), pool_size=2, max_overflow=1)
    assert engine.sync_engine.pool.status().startswith("Pool size: 2 ")
