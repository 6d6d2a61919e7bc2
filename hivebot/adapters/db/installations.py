"""Who installed the app, and with which tokens? Slack's SDK's store, with every token sealed.

Source: product.md 9, datapath.md 9, rights.md 6.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from copy import copy
from typing import Any, Final, TypeVar, cast

from slack_sdk.oauth.installation_store import Bot, Installation
from slack_sdk.oauth.installation_store.sqlalchemy import (
    AsyncSQLAlchemyInstallationStore,
    SQLAlchemyInstallationStore,
)
from slack_sdk.oauth.state_store.sqlalchemy import AsyncSQLAlchemyOAuthStateStore
from sqlalchemy import ColumnElement, Executable, RowMapping, and_, delete, desc, or_, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.db.sealing import Seal
from hivebot.adapters.db.tables.installing import BOTS, INSTALLATIONS, STATES
from hivebot.services.ports import StoreUnavailableError

STATE_S: Final = 600
"""Seconds between opening the page that installs and coming back from Slack."""

_Kept = TypeVar("_Kept", Bot, Installation)

_TOKENS: Final = ("bot_token", "bot_refresh_token", "user_token", "user_refresh_token")


class Installations(AsyncSQLAlchemyInstallationStore):
    """Keeps installations; what is in the rows is sealed, what is given out is open."""

    def __init__(self, client_id: str, engine: AsyncEngine, seal: Seal) -> None:
        """Remember where to keep them.

        Args:
            client_id: The app's; a database may have held another app's installations.
            engine: Connections to Postgres.
            seal: Seals tokens before they are stored.
        """
        super().__init__(client_id, engine, BOTS.name, INSTALLATIONS.name)
        self._seal = seal

    async def async_save(self, installation: Installation) -> None:
        """Store an installation in place of what was there, its tokens sealed."""
        await super().async_save(_with_tokens(installation, self._seal.seal))

    async def async_save_bot(self, bot: Bot) -> None:
        """Store a bot's tokens, sealed."""
        await super().async_save_bot(_with_tokens(bot, self._seal.seal))

    async def bot_in(self, team_id: str, enterprise_id: str = "") -> Bot | None:
        """The newest installation that covers a workspace: its own, else its organisation's.

        Args:
            team_id: The workspace; "" looks for the organisation's only.
            enterprise_id: The organisation; "" where it has none, or none is known.

        Raises:
            StoreUnavailableError: the database is away.
            UnsealableError: the key is gone.
        """
        places = [BOTS.c.team_id == team_id] if team_id else []
        if enterprise_id:
            places.append(and_(BOTS.c.enterprise_id == enterprise_id, BOTS.c.is_enterprise_install))
        if not places:
            return None
        wanted = (
            select(BOTS)
            .where(self._ours(), or_(*places), BOTS.c.bot_token.is_not(None))
            .order_by(BOTS.c.is_enterprise_install, desc(BOTS.c.installed_at))
            .limit(1)
        )
        rows = await self._rows(wanted)
        return _with_tokens(_built(rows[0]), self._seal.open) if rows else None

    async def places(self) -> tuple[tuple[str, str], ...]:
        """Where it is installed, the oldest first: workspace ("" for all of them), organisation.

        Raises:
            StoreUnavailableError: the database is away.
        """
        wanted = (
            select(BOTS.c.team_id, BOTS.c.enterprise_id).where(self._ours()).order_by(BOTS.c.id)
        )
        found = [
            (row["team_id"] or "", row["enterprise_id"] or "") for row in await self._rows(wanted)
        ]
        return tuple(dict.fromkeys(found))

    @asynccontextmanager
    async def held(self, bot: Bot) -> AsyncGenerator[None]:
        """Hold an installation's row until the block ends: nobody else refreshes it meanwhile.

        Raises:
            StoreUnavailableError: the database is away.
        """
        rows = (
            select(INSTALLATIONS.c.id)
            .where(
                INSTALLATIONS.c.client_id == self.client_id,
                _same(INSTALLATIONS.c.team_id, bot.team_id),
                _same(INSTALLATIONS.c.enterprise_id, bot.enterprise_id),
            )
            .order_by(INSTALLATIONS.c.id)
            .with_for_update()
        )
        try:
            async with self.engine.begin() as connection:
                await connection.execute(rows)
                yield
        except (SQLAlchemyError, OSError) as error:
            raise StoreUnavailableError from error

    async def forget(self, team_id: str) -> None:
        """Delete a workspace's own tokens: Slack has said that they are dead.

        Args:
            team_id: The workspace, or the organisation where the app was installed for all of it.
        """
        async with self.engine.begin() as connection:
            for table in (BOTS, INSTALLATIONS):
                gone = or_(
                    table.c.team_id == team_id,
                    and_(table.c.team_id.is_(None), table.c.enterprise_id == team_id),
                )
                await connection.execute(
                    delete(table).where(table.c.client_id == self.client_id, gone)
                )

    async def _rows(self, wanted: Executable) -> Sequence[RowMapping]:
        try:
            async with self.engine.connect() as connection:
                return (await connection.execute(wanted)).mappings().all()
        except (SQLAlchemyError, OSError) as error:
            raise StoreUnavailableError from error

    def _ours(self) -> ColumnElement[bool]:
        return BOTS.c.client_id == self.client_id


def install_states(engine: AsyncEngine) -> AsyncSQLAlchemyOAuthStateStore:
    """Remembers who went to Slack to install, for ten minutes; each comes back once."""
    return AsyncSQLAlchemyOAuthStateStore(STATE_S, engine, table_name=STATES.name)


def _built(row: RowMapping) -> Bot:
    # the SDK says of what it builds, not of what
    store = cast("Any", SQLAlchemyInstallationStore)
    return cast("Bot", store.build_bot_entity(row))


def _with_tokens(kept: _Kept, change: Callable[[str], str]) -> _Kept:
    changed = copy(kept)
    for name in _TOKENS:
        token = getattr(kept, name, None)
        if token:
            setattr(changed, name, change(token))
    return changed


def _same(column: ColumnElement[str], value: str | None) -> ColumnElement[bool]:
    return column.is_(None) if value is None else column == value
