"""Which column types keep text and JSON that Postgres would refuse?"""

from __future__ import annotations

from datetime import datetime
from typing import cast

from sqlalchemy import BigInteger, Boolean, Column, DateTime, ForeignKey, Text, false, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

JsonObject = dict[str, object]
JsonValue = JsonObject | list[object] | str | int | bool | None

_REPLACEMENT = "\ufffd"


def storable(text: str) -> str:
    """The text with U+FFFD for what Postgres cannot store: U+0000 and lone surrogates."""
    return (
        text.encode("utf-16-le", "surrogatepass")
        .decode("utf-16-le", "replace")
        .replace("\x00", _REPLACEMENT)
    )


def storable_json(value: object) -> object:
    """The same for every text inside a JSON value."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        items = cast("dict[str, object]", value).items()
        return {storable(key): storable_json(item) for key, item in items}
    if isinstance(value, list | tuple):
        return [storable_json(item) for item in cast("list[object]", value)]
    return value


class AnyText(TypeDecorator[str]):
    """Text from Slack, a model or a person."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's signature
        """Make it storable."""
        return None if value is None else storable(value)


class AnyJson(TypeDecorator[JsonValue]):
    """JSON with text from Slack, a model or a person. None is SQL's null."""

    impl = JSONB
    cache_ok = True

    def process_bind_param(self, value: JsonValue, dialect: Dialect) -> JsonValue:  # noqa: ARG002 - as above
        """Make it storable."""
        return cast("JsonValue", storable_json(value))


def identity() -> Column[int]:
    """A 64-bit number drawn by the database."""
    return Column(BigInteger, primary_key=True, autoincrement=True)


def text_key() -> Column[str]:
    """Text that is part of the primary key."""
    return Column(AnyText, primary_key=True)


def text() -> Column[str]:
    """Text, "" for none."""
    return Column(AnyText, nullable=False, server_default="")


def number(default: int = 0) -> Column[int]:
    """A 64-bit number."""
    return Column(BigInteger, nullable=False, server_default=str(default))


def number_or_none() -> Column[int | None]:
    """A 64-bit number or none."""
    return Column(BigInteger, nullable=True)


def flag() -> Column[bool]:
    """False unless said."""
    return Column(Boolean, nullable=False, server_default=false())


def moment() -> Column[datetime]:
    """An aware moment, now unless said."""
    return Column(DateTime(timezone=True), nullable=False, server_default=func.now())


def moment_or_none() -> Column[datetime | None]:
    """An aware moment or none."""
    return Column(DateTime(timezone=True), nullable=True)


def json_object() -> Column[JsonObject]:
    """A JSON object."""
    return cast("Column[JsonObject]", Column(AnyJson, nullable=False))


def json_or_none() -> Column[JsonValue]:
    """JSON, or null."""
    return Column(AnyJson(none_as_null=True), nullable=True)


def json_list() -> Column[list[object]]:
    """A JSON list, empty unless said."""
    column = Column(AnyJson, nullable=False, server_default="[]")
    return cast("Column[list[object]]", column)


def reference(table: str, *, cycle: bool = False) -> Column[int]:
    """A row of another table. `cycle`: the tables refer to each other; made after both."""
    return Column(BigInteger, _key(table, cycle=cycle), nullable=False)


def reference_or_none(table: str, *, cycle: bool = False) -> Column[int | None]:
    """A row of another table, or none."""
    return Column(BigInteger, _key(table, cycle=cycle), nullable=True)


def _key(table: str, *, cycle: bool) -> ForeignKey:
    return ForeignKey(f"{table}.id", use_alter=cycle)
