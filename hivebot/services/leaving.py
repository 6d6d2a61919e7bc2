"""What goes when a person is to be forgotten? Their words everywhere, and their id from our rows.

Each message goes as if its author had removed it; what is left is removed at the end. Running it
again finds what has come since. Source: datapath.md 7, rights.md 3.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from hivebot.hive.gate import GateKind, GateState
from hivebot.services import lines
from hivebot.services.gating import without_actor
from hivebot.services.ports import Transaction, UnitOfWork
from hivebot.services.ports.people import SpokenAt
from hivebot.services.records.arrivals import EventKey, MessageDeleted
from hivebot.services.records.gates import GateRow
from hivebot.services.records.outgoing import Body
from hivebot.services.retrying import transact

MESSAGES = "messages"

Erase = Callable[[MessageDeleted], Awaitable[object]]
"""Removes a message with all its copies, as its author's deletion does."""

Suggested = Callable[[str], Awaitable[object]]
"""Removes what a person has suggested in the place of answers."""

Advance = Callable[[int], None]


class Leaving:
    """Forgets one person."""

    def __init__(self, work: UnitOfWork, erase: Erase, suggested: Suggested) -> None:
        self._work = work
        self._erase = erase
        self._suggested = suggested

    async def look(self, user_id: str) -> Mapping[str, int]:
        """How much there is of them, by kind, `messages` first. Changes nothing.

        Raises:
            StoreUnavailableError: nothing was read.
        """
        async with self._work.begin() as tx:
            said = await tx.people.said(user_id)
            return {MESSAGES: len(said), **await tx.people.known(user_id)}

    async def forget(
        self, user_id: str, advance: Advance = lambda _done: None
    ) -> Mapping[str, int]:
        """Remove it all; how much it was, by kind.

        Each message is a transaction of its own, so that an interrupted run goes on where it
        stopped. What we have posted of them is edited by the worker.

        Raises:
            StoreUnavailableError: what was done before is kept.
        """
        async with self._work.begin() as tx:
            said = await tx.people.said(user_id)
        for place in said:
            await self._erase(_removal(place))
            advance(1)
        await self._suggested(user_id)

        async def rest(tx: Transaction) -> Mapping[str, int]:
            for gate in await tx.gates.decided_by(user_id):
                await _unname(tx, gate)
            gone = await tx.people.forget(user_id)
            await tx.memories.erase_user(user_id)
            return gone

        return {MESSAGES: len(said), **await transact(self._work, rest)}


async def _unname(tx: Transaction, gate: GateRow) -> None:
    """A gate they decided says how it ended, and neither by whom nor with which words.

    A decision of a desk that was told in their words is told no longer.
    """
    await _retell(tx, gate.post_id, without_actor)
    if gate.kind is GateKind.DECISION_REVIEW and gate.state is GateState.CORRECTED:
        episode = await tx.episodes.get(gate.episode_id) if gate.episode_id is not None else None
        if episode is not None:
            await _retell(tx, episode.progress_id, lambda _told: lines.removed())


async def _retell(tx: Transaction, post_id: int | None, to: Callable[[Body], Body]) -> None:
    post = await tx.outbox.get(post_id) if post_id is not None else None
    if post is not None and post.ts:
        await tx.outbox.revise(post.id, to(post.body))
        await tx.jobs.deliver(post.destination.team_id, post.destination.channel_id)


def _removal(place: SpokenAt) -> MessageDeleted:
    """A deletion of ours, with a key no event of Slack's has."""
    key = EventKey(place.team_id, f"forget {place.channel_id} {place.ts}", 0)
    return MessageDeleted(key, place.channel_id, place.ts, place.thread_ts)
