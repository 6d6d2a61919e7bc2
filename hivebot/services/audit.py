"""How did it come to this? Replays recorded deliberations, and says why an agent spoke.

Only reads. Source: datapath.md 6, product.md 1, 7 and 9.
"""

from __future__ import annotations

from dataclasses import dataclass

from hivebot.hive.errors import HiveError
from hivebot.services.ports import Policies, Transaction, UnitOfWork
from hivebot.services.records.episodes import EpisodeRow
from hivebot.services.records.policy import Configuration
from hivebot.services.records.rows import DecisionRow
from hivebot.services.replaying import FOLD, Compared, Replayed, Source, references, replay
from hivebot.services.speaking import why_turn


@dataclass(frozen=True, slots=True)
class Replay:
    """A deliberation, step by step, each compared with what the folds say today.

    Attributes:
        configuration: Of the revision it began under, for names.
    """

    episode: EpisodeRow
    configuration: Configuration
    steps: tuple[Replayed, ...]

    @property
    def verdict(self) -> Compared:
        """Different when any step is; else erased when any is; else equal."""
        verdicts = {step.verdict for step in self.steps}
        for worse in (Compared.DIFFERENT, Compared.ERASED):
            if worse in verdicts:
                return worse
        return Compared.EQUAL


class Audit:
    """Looks back."""

    def __init__(self, work: UnitOfWork, policies: Policies) -> None:
        self._work = work
        self._policies = policies

    async def replay(self, episode_id: int) -> Replay | None:
        """Take every recorded step of a deliberation again; None when there is no such one.

        Raises:
            StoreUnavailableError: nothing was read.
        """
        async with self._work.begin() as tx:
            episode = await tx.episodes.get(episode_id)
            if episode is None:
                return None
            decided = await tx.decisions.of(episode.log_id, FOLD)
            read = [(decision, await _sources(tx, decision)) for decision in decided]
        steps: list[Replayed] = []
        for number, (decision, sources) in enumerate(read, start=1):
            then = await self._policies.revision(decision.revision)
            steps.append(replay(number, decision, sources, episode, then))
        configuration = await self._policies.revision(episode.revision)
        return Replay(episode, configuration, tuple(steps))

    async def why(self, turn_id: int) -> str | None:
        """Say why a turn's agent spoke, with the runner-up; None when there is no such turn.

        Raises:
            StoreUnavailableError: nothing was read.
        """
        async with self._work.begin() as tx:
            return await why_turn(tx, self._policies, turn_id)

    async def why_at(self, team_id: str, channel_id: str, ts: str) -> str | None:
        """Say why the agent whose message this is spoke; None for messages of nobody's turn.

        Raises:
            StoreUnavailableError: nothing was read.
        """
        async with self._work.begin() as tx:
            posted = await tx.outbox.by_ts(team_id, channel_id, ts)
            turn_id = posted.turn_id if posted is not None else None
            return await why_turn(tx, self._policies, turn_id) if turn_id is not None else None


async def _sources(tx: Transaction, decision: DecisionRow) -> tuple[Source, ...]:
    """The rows a recorded step has read, in the revisions it read."""
    try:
        named = references(decision)
    except HiveError:
        return ()
    found: list[Source] = []
    for row_id, revision, digest in named:
        row = await tx.messages.get(row_id)
        content = await tx.messages.at_revision(row_id, revision) if row is not None else None
        found.append(Source(digest, row, content))
    return tuple(found)


__all__ = ["Audit", "Compared", "Replay", "Replayed"]
