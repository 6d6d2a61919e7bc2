"""Who knew what in this deliberation? Read on request, and nothing is written.

Source: product.md 5.
"""

from __future__ import annotations

from hivebot.services.expertise import EPISODES_MAX, Deliberated, Knowledge, knowledge_of
from hivebot.services.ports import Policies, Transaction, UnitOfWork
from hivebot.services.records.episodes import EpisodeRow
from hivebot.services.records.rows import MessageRow

_STEP = "step"


class Knowing:
    """Folds the directory of one episode on request."""

    def __init__(self, work: UnitOfWork, policies: Policies) -> None:
        self._work = work
        self._policies = policies

    async def who_knows(self, episode_id: int) -> Knowledge | None:
        """Say who knew what in this episode, whether the desk's directory is on or not.

        None when there is no such episode, or it has never come to deliberate.

        Raises:
            StoreUnavailableError: the database is away.
        """
        async with self._work.begin() as tx:
            episode = await tx.episodes.get(episode_id)
            if episode is None:
                return None
            recent = await tx.episodes.of_desk(episode.desk_id, EPISODES_MAX)
            found = [(one, *await _said(tx, one)) for one in (episode, *recent)]
        read = [
            Deliberated(one, one.state, rows, reasons, await self._policies.revision(one.revision))
            for one, rows, reasons in found
            if one.state is not None
        ]
        return knowledge_of(read[0], read[1:]) if episode.state is not None else None


async def _said(
    tx: Transaction, episode: EpisodeRow
) -> tuple[tuple[MessageRow, ...], dict[str, int]]:
    rows = await tx.messages.since(episode.log_id, 0)
    return rows, await tx.decisions.reasons(episode.log_id, _STEP)
