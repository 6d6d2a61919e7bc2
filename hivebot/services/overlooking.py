"""Which desks are there, and how do their questions to each other fare? Read on request.

Source: product.md 9, rights.md 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from hivebot.hive.crossing import Audience
from hivebot.services.ports import Policies, RightsDirectory, UnitOfWork
from hivebot.services.ports.operating import ReferralCount


@dataclass(frozen=True, slots=True)
class DeskSeen:
    """A desk and the channel it is bound to."""

    id: str
    name: str
    channel_id: str
    mode: str
    agents: int


@dataclass(frozen=True, slots=True)
class Landscape:
    """Desks in configured order, and what went between those of them."""

    desks: tuple[DeskSeen, ...]
    arrows: tuple[ReferralCount, ...]
    revision: str


async def landscape(
    work: UnitOfWork, policies: Policies, directory: RightsDirectory, *, closed: bool
) -> Landscape:
    """Put the map together, without a word anybody said.

    Args:
        work: Where the counts are.
        policies: The configuration in force.
        directory: Says of each channel, now, whether it is public.
        closed: Desks of other channels are shown too; else neither they nor arrows at them.

    Raises:
        StoreUnavailableError: nothing was read.
    """
    configuration = policies.current()
    async with work.begin() as tx:
        workspace = await tx.workspaces.first()
        counts = await tx.operating.referrals()
    team_id = workspace.team_id if workspace is not None else ""
    seen: list[DeskSeen] = []
    for desk in configuration.desks:
        if not closed:
            directory.forget_channel(team_id, desk.channel)
            facts = await directory.channel(team_id, desk.channel)
            if facts is None or facts.audience is not Audience.PUBLIC:
                continue
        seen.append(DeskSeen(desk.id, desk.name, desk.channel, desk.mode.value, len(desk.members)))
    ids = {desk.id for desk in seen}
    arrows = tuple(one for one in counts if one.from_desk in ids and one.to_desk in ids)
    return Landscape(tuple(seen), arrows, configuration.revision)
