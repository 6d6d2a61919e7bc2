"""Why did this speaker speak, here? What the button, the shortcut and `@hive why` all say.

A person points at a message, or at a thread, and is told privately. Only what the place itself
shows is told: a private desk elsewhere keeps its name. Source: product.md 7 and 9, rights.md 1.
"""

from __future__ import annotations

from hivebot.services.pointing import NOBODY, Pointed, spoken, told, why_in
from hivebot.services.ports import Policies, UnitOfWork
from hivebot.services.records.outgoing import Body


async def why(work: UnitOfWork, policies: Policies, at: Pointed) -> Body:
    """Say why an agent's message is that agent's, or how a deliberation's turns were given.

    1. The post of a turn, or the row of one: that turn.
    2. The message of a deliberation, running or ended: its newest turns, oldest first.
    3. A thread without a message: the newest such thing in it.
    4. Anything else: a line that says there is nothing to tell.

    Raises:
        StoreUnavailableError: nothing was read.
    """
    async with work.begin() as tx:
        return await why_in(tx, policies, at)


async def why_turn(work: UnitOfWork, policies: Policies, turn_id: int) -> Body:
    """Say why a turn's agent spoke, for a button that names the turn.

    Raises:
        StoreUnavailableError: nothing was read.
    """
    async with work.begin() as tx:
        return await told(tx, policies, (turn_id,), 0)


async def why_episode(work: UnitOfWork, policies: Policies, episode_id: int) -> Body:
    """Say how a deliberation's turns were given, for a button that names the episode.

    Raises:
        StoreUnavailableError: nothing was read.
    """
    async with work.begin() as tx:
        episode = await tx.episodes.get(episode_id)
        turn_ids, earlier = await spoken(tx, episode) if episode is not None else ((), 0)
        return await told(tx, policies, turn_ids, earlier)


__all__ = ["NOBODY", "Pointed", "why", "why_episode", "why_turn"]
