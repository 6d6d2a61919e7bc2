"""Who speaks next in this conversation, and why? The one place that decides.

Rows that nobody has judged are judged oldest first; replies before people, so that an answer goes
home before anybody new is heard. Nothing is opened while a turn is open here: closing it defers
this again. Source: datapath.md 2, product.md 3 and 5.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from hivebot.hive.conversation import AgentAuthor
from hivebot.services.ports import (
    Clock,
    Policies,
    RightsDirectory,
    StoreConflictError,
    Transaction,
    UnitOfWork,
)
from hivebot.services.records.episodes import EpisodeRow, Wish
from hivebot.services.records.policy import Configuration
from hivebot.services.records.rows import ConversationRow, TurnState
from hivebot.services.routing.deliberation import step_episode
from hivebot.services.routing.facts import Facts, MissingError
from hivebot.services.routing.owed import still_allowed
from hivebot.services.routing.passes import Pass
from hivebot.services.routing.people import judge_person
from hivebot.services.routing.replies import judge_reply

CONFLICTS = 3
LOOKS = 64
"""Facts one run may look up before it gives the conversation back to the queue."""


class Routed(StrEnum):
    """How a run ended; for the log line."""

    BUSY = "busy"
    OPENED = "opened"
    QUIET = "quiet"
    GONE = "gone"


class Routing:
    """Decides in one conversation."""

    def __init__(
        self, work: UnitOfWork, policies: Policies, directory: RightsDirectory, clock: Clock
    ) -> None:
        self._work = work
        self._policies = policies
        self._directory = directory
        self._clock = clock

    async def run(self, conversation_id: int) -> Routed:
        """Judge what waits and open at most one turn.

        Raises:
            StoreConflictError: three times running.
            StoreUnavailableError: nothing was decided.
            MissingError: more facts were wanted than one run may look up.
        """
        facts = Facts()
        conflicts = looks = 0
        while True:
            try:
                async with self._work.begin() as tx:
                    return await self._pass(tx, conversation_id, facts)
            except MissingError as missing:
                looks += 1
                if looks > LOOKS:
                    raise
                await facts.gather(missing, self._work, self._directory)
            except StoreConflictError:
                conflicts += 1
                if conflicts == CONFLICTS:
                    raise

    async def _pass(self, tx: Transaction, conversation_id: int, facts: Facts) -> Routed:
        episode, locked = await _locked(tx, conversation_id, facts.lock)
        if conversation_id not in locked:
            return Routed.GONE
        if await _busy(tx, conversation_id, episode):
            return Routed.BUSY
        in_force = self._policies.current()
        here = Pass(
            tx=tx,
            policies=self._policies,
            configuration=await self._begun_under(episode) or in_force,
            in_force=in_force,
            conversation=locked[conversation_id],
            locked=locked,
            facts=facts,
            now=self._clock.now(),
        )
        unjudged = await tx.messages.unjudged(conversation_id)
        for row in unjudged:
            if isinstance(row.author, AgentAuthor):
                await judge_reply(here, row)
        if episode is not None:
            return Routed.OPENED if await step_episode(here, episode) else Routed.QUIET
        for turn in await tx.turns.waiting(conversation_id):
            if await still_allowed(here, turn):
                await tx.turns.authorise(turn.id, turn.decision_id)
                await tx.jobs.speak(turn.id, conversation_id)
                return Routed.OPENED
        for row in unjudged:
            if not isinstance(row.author, AgentAuthor) and await judge_person(here, row):
                return Routed.OPENED
        return Routed.QUIET

    async def _begun_under(self, episode: EpisodeRow | None) -> Configuration | None:
        """The revision an episode began with: it runs to its end under it."""
        return await self._policies.revision(episode.revision) if episode is not None else None


async def _locked(
    tx: Transaction, conversation_id: int, more: Iterable[int]
) -> tuple[EpisodeRow | None, dict[int, ConversationRow]]:
    """The deliberation whose log this is, if it is one, and what is locked, by id.

    The thread of a deliberation is locked with its log: each of its steps tells people something.
    """
    episode = await tx.episodes.by_log(conversation_id)
    thread = set[int]() if episode is None else {episode.conversation_id}
    rows = await tx.conversations.lock(sorted({conversation_id, *thread, *more}))
    if episode is not None:
        # as it is now that nobody else can change it
        episode = await tx.episodes.by_log(conversation_id)
    return episode, {row.id: row for row in rows}


async def _busy(tx: Transaction, conversation_id: int, episode: EpisodeRow | None) -> bool:
    """Whether a turn is open here; a deliberation that a person has ended waits for none."""
    speaking = await tx.turns.open_turn(conversation_id)
    if speaking is None:
        return False
    if episode is None or episode.wish is Wish.NONE:
        return True
    await tx.turns.close(speaking.id, TurnState.CANCELLED, "the deliberation has ended")
    return False


__all__ = ["Routed", "Routing"]
