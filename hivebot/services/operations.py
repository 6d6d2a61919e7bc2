"""What can an operator do about what waits? Look, hold every post, let it go on, try again, drop.

Source: product.md 9, datapath.md 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum

from hivebot.services.alarms import Limits, alarms
from hivebot.services.ports import Clock, Policies, Transaction, UnitOfWork
from hivebot.services.ports.keeping import BY_OPERATOR
from hivebot.services.ports.operating import Overview
from hivebot.services.retrying import transact

EVERYWHERE = ""
"""The channel id of a pause that holds every post of a workspace."""


class Done(StrEnum):
    """What became of a request."""

    DONE = "done"
    UNKNOWN_PLACE = "unknown_place"
    NO_WORKSPACE = "no_workspace"


class Operations:
    """Carries out what an operator wants."""

    def __init__(self, work: UnitOfWork, policies: Policies, clock: Clock) -> None:
        self._work = work
        self._policies = policies
        self._clock = clock

    def now(self) -> datetime:
        """The moment everything is compared with."""
        return self._clock.now()

    async def look(self) -> Overview:
        """Everything that waits, is held or has failed.

        Raises:
            StoreUnavailableError: nothing was read.
        """
        async with self._work.begin() as tx:
            return await tx.operating.overview(self._clock.now())

    async def alarms(self, limits: Limits) -> tuple[str, ...]:
        """One sentence for each thing an operator should look at; none when all is well.

        Raises:
            StoreUnavailableError: nothing was read.
        """
        now, configuration = self._clock.now(), self._policies.current()
        day = now.strftime("%Y-%m-%d")
        async with self._work.begin() as tx:
            found = await tx.operating.overview(now)
            spent = {desk.id: await tx.usage.spent(desk.id, day) for desk in configuration.desks}
        return alarms(found, spent, configuration, limits, now)

    async def pause(self, place: str) -> Done:
        """Hold every post of a desk's channel, or of everything; what is asked meanwhile is kept.

        Args:
            place: A desk's id, a channel's id, or "" for everything: then agents go on answering,
                and what they say waits.
        """
        return await self._set(place, BY_OPERATOR)

    async def resume(self, place: str) -> Done:
        """Let it go on, in order, whoever has paused it."""
        return await self._set(place, "")

    async def retry(self, outbox_ids: Sequence[int]) -> tuple[int, ...]:
        """Send posts that failed again, and look for those of unknown fate; which there were."""

        async def use(tx: Transaction) -> tuple[int, ...]:
            found = [(one, await tx.operating.retry(one)) for one in outbox_ids]
            await _deliver(tx, [place for _, place in found if place is not None])
            return tuple(one for one, place in found if place is not None)

        return await transact(self._work, use)

    async def drop(self, outbox_id: int) -> bool:
        """Give a post up that waits; what waits for it goes without."""

        async def use(tx: Transaction) -> bool:
            place = await tx.operating.drop(outbox_id)
            if place is None:
                return False
            await _deliver(tx, [place, *await tx.outbox.waiters(outbox_id)])
            return True

        return await transact(self._work, use)

    async def _set(self, place: str, reason: str) -> Done:
        channel_id = self._channel(place)
        if channel_id is None:
            return Done.UNKNOWN_PLACE

        async def use(tx: Transaction) -> Done:
            teams = await tx.operating.teams()
            for team_id in teams:
                await tx.workspaces.pause_channel(team_id, channel_id, reason, operator=True)
            if not reason:
                queues = await tx.operating.queues()
                await _deliver(tx, [one for one in queues if channel_id in (EVERYWHERE, one[1])])
            return Done.DONE if teams else Done.NO_WORKSPACE

        return await transact(self._work, use)

    def _channel(self, place: str) -> str | None:
        """The channel meant; None when nobody knows it."""
        if not place:
            return EVERYWHERE
        configuration = self._policies.current()
        desk = configuration.desk(place.removeprefix("#"))
        if desk is not None:
            return desk.channel
        looks_like_one = place[:1] in {"C", "G", "D"} and place.isalnum() and place.isupper()
        return place if looks_like_one else None


async def _deliver(tx: Transaction, places: Iterable[tuple[str, str]]) -> None:
    for team_id, channel_id in sorted(set(places)):
        await tx.jobs.deliver(team_id, channel_id)
