"""Which rows keep who installed the app, and the tokens it was given?

The tables are the SDK's; ours is only that their texts may have any length, since what is sealed is
longer than a token. Source: product.md 9.
"""

from __future__ import annotations

from typing import Final

from slack_sdk.oauth.installation_store.sqlalchemy import SQLAlchemyInstallationStore
from slack_sdk.oauth.state_store.sqlalchemy import SQLAlchemyOAuthStateStore
from sqlalchemy import String, Table, Text

from hivebot.adapters.db.tables.base import METADATA


def _any_length(table: Table) -> Table:
    for column in table.columns:
        if isinstance(column.type, String):
            column.type = Text()
    return table


BOTS: Final = _any_length(SQLAlchemyInstallationStore.build_bots_table(METADATA, "slack_bots"))
INSTALLATIONS: Final = _any_length(
    SQLAlchemyInstallationStore.build_installations_table(METADATA, "slack_installations")
)
STATES: Final = _any_length(
    SQLAlchemyOAuthStateStore.build_oauth_states_table(METADATA, "slack_oauth_states")
)
