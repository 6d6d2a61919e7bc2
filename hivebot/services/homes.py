"""What is on somebody's App Home? Desks they can open, and what was decided there last.

Only reads; rights are asked for now. Source: product.md 9, rights.md 1.
"""

from __future__ import annotations

from typing import Final

from hivebot.services.ports import Doors, Policies, Transaction, UnitOfWork
from hivebot.services.records.episodes import EpisodeEnd, EpisodeRow
from hivebot.services.records.homes import Home, HomeDecision, HomeDesk
from hivebot.services.records.policy import Configuration, DeskConfig

DECISIONS_SHOWN: Final = 8

_ENDS: Final = {
    EpisodeEnd.CONVERGED: "decided",
    EpisodeEnd.CHOSEN: "chosen by a steward",
}


async def home_of(
    work: UnitOfWork, policies: Policies, doors: Doors, team_id: str, user_id: str
) -> Home:
    """Put together what a person sees.

    Raises:
        StoreUnavailableError: nothing was read.
    """
    configuration = policies.current()
    opened = [
        desk for desk in configuration.desks if await doors.may_open(team_id, user_id, desk.channel)
    ]
    decisions: list[HomeDecision] = []
    async with work.begin() as tx:
        workspace = await tx.workspaces.get(team_id)
        for desk in opened:
            ended = await tx.episodes.of_desk(desk.id, DECISIONS_SHOWN)
            found = [await _decision(tx, one, desk) for one in ended if one.end in _ENDS]
            decisions += [one for one in found if one is not None]
    decisions.sort(key=lambda one: one.at, reverse=True)
    return Home(
        desks=tuple(_desk(configuration, desk) for desk in opened),
        decisions=tuple(decisions[:DECISIONS_SHOWN]),
        url=workspace.url if workspace is not None else "",
    )


def _desk(configuration: Configuration, desk: DeskConfig) -> HomeDesk:
    agents = [configuration.agent(member) for member in desk.members]
    names = tuple(one.name for one in agents if one is not None and not one.retired)
    return HomeDesk(desk.id, desk.name, desk.channel, desk.description, names)


async def _decision(tx: Transaction, episode: EpisodeRow, desk: DeskConfig) -> HomeDecision | None:
    """None for one that was held somewhere else than the desk is bound to now, or was removed."""
    place = await tx.conversations.get(episode.conversation_id)
    option = next((one for one in episode.options if one.id == episode.topic), None)
    if place is None or option is None or episode.ended_at is None or episode.end is None:
        return None
    if place.channel_id != desk.channel:
        return None
    return HomeDecision(
        desk_id=desk.id,
        channel_id=place.channel_id,
        thread_ts=place.thread_ts,
        said=option.text,
        how=_ENDS[episode.end],
        at=episode.ended_at,
    )
