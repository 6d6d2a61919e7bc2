"""What do all tables share? Names that migrations can rely on."""

from __future__ import annotations

import re

from sqlalchemy import MetaData
from sqlalchemy.orm import declared_attr
from sqlmodel import SQLModel

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Row(SQLModel):
    """A row of one of hivebot's tables; `InboxEventTable` is the table `inbox_event`."""

    metadata = METADATA

    @declared_attr.directive
    @classmethod
    def __tablename__(cls) -> str:  # pyright: ignore[reportIncompatibleVariableOverride] - as SQLAlchemy documents
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__.removesuffix("Table")).lower()
