"""Which configuration is in force, and which was when some work began?

Source: product.md 8, turns.md 6.
"""

from __future__ import annotations

from collections.abc import Callable

from hivebot.errors import HivebotError
from hivebot.services.ports import Clock, UnitOfWork
from hivebot.services.records.policy import Configuration

KEPT = 32
"""Earlier revisions kept in memory; work runs minutes, not days."""


class RunningPolicy:
    """The configuration in force; earlier revisions are read back from the store."""

    def __init__(
        self,
        work: UnitOfWork,
        clock: Clock,
        configuration: Configuration,
        decode: Callable[[str], Configuration],
    ) -> None:
        self._work = work
        self._clock = clock
        self._current = configuration
        self._decode = decode
        self._known: dict[str, Configuration] = {configuration.revision: configuration}

    def current(self) -> Configuration:
        """The revision in force."""
        return self._current

    async def adopt(self, configuration: Configuration, canonical: str) -> None:
        """Put a configuration in force, once its content is stored for work that begins under it.

        Raises:
            StoreUnavailableError: the old one stays in force.
        """
        async with self._work.begin() as tx:
            await tx.revisions.put(configuration.revision, canonical, self._clock.now())
        self.take_up(configuration)

    def take_up(self, configuration: Configuration) -> None:
        """Put a configuration in force that another process has stored and put in force."""
        self._remember(configuration)
        self._current = configuration

    async def revision(self, revision: str) -> Configuration:
        """The configuration some work began with; the current one when it cannot be had."""
        if revision in self._known:
            return self._known[revision]
        async with self._work.begin() as tx:
            stored = await tx.revisions.get(revision)
        if stored is None:
            return self._current
        try:
            configuration = self._decode(stored)
        except HivebotError:  # stored by a version whose form this one does not read
            return self._current
        self._remember(configuration)
        return configuration

    def _remember(self, configuration: Configuration) -> None:
        self._known[configuration.revision] = configuration
        while len(self._known) > KEPT:
            oldest = next(iter(self._known))
            del self._known[oldest]
