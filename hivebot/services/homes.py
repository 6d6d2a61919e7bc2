"""What is on somebody's App Home? Desks they can open, what waits for them, what was decided last.

Only reads; rights are asked for now. Source: product.md 9, rights.md 1.
"""

from __future__ import annotations

from typing import Final, Protocol

from hivebot.services.gating import kind_of
from hivebot.services.ports import Doors, Policies, RightsDirectory, Transaction, UnitOfWork
from hivebot.services.records.episodes import EpisodeEnd, EpisodeRow
from hivebot.services.records.gates import GateRow
from hivebot.services.records.homes import Home, HomeDecision, HomeDesk, HomeGate
from hivebot.services.records.policy import Configuration, DeskConfig
from hivebot.services.stewards import is_steward

DECISIONS_SHOWN: Final = 8
GATES_SHOWN: Final = 20


class Surroundings(Doors, RightsDirectory, Protocol):
    """Who people are and what they can open, asked for now."""


_ENDS: Final = {
    EpisodeEnd.CONVERGED: "decided",
    EpisodeEnd.CHOSEN: "chosen by a steward",
}


async def home_of(
    work: UnitOfWork, policies: Policies, around: Surroundings, team_id: str, user_id: str
) -> Home:
    """Put together what a person sees.

    Raises:
        StoreUnavailableError: nothing was read.
    """
    configuration = policies.current()
    opened = [
        desk
        for desk in configuration.desks
        if await around.may_open(team_id, user_id, desk.channel)
    ]
    decisions: list[HomeDecision] = []
    async with work.begin() as tx:
        workspace = await tx.workspaces.get(team_id)
        for desk in opened:
            ended = await tx.episodes.of_desk(desk.id, DECISIONS_SHOWN)
            found = [await _decision(tx, one, desk) for one in ended if one.end in _ENDS]
            decisions += [one for one in found if one is not None]
    decisions.sort(key=lambda one: one.at, reverse=True)
    waiting = await _waiting(work, configuration, team_id)
    return Home(
        gates=await _theirs(waiting, around, team_id, user_id),
        desks=tuple(_desk(configuration, desk) for desk in opened),
        decisions=tuple(decisions[:DECISIONS_SHOWN]),
        url=workspace.url if workspace is not None else "",
    )


async def _waiting(
    work: UnitOfWork, configuration: Configuration, team_id: str
) -> list[tuple[DeskConfig, list[HomeGate]]]:
    """The desks something waits for, each with what has been shown of it, oldest first."""
    async with work.begin() as tx:
        found = [
            (desk, [await _gate(tx, gate) for gate in await tx.gates.open_of(team_id, desk.id)])
            for desk in configuration.desks
        ]
    shown = [(desk, [gate for gate in gates if gate is not None]) for desk, gates in found]
    return [(desk, gates) for desk, gates in shown if gates]


async def _gate(tx: Transaction, gate: GateRow) -> HomeGate | None:
    """None for one whose message nobody has written yet."""
    post = await tx.outbox.get(gate.post_id) if gate.post_id is not None else None
    if post is None:
        return None
    ts = post.ts[0] if post.ts else ""
    place = post.destination.channel_id
    return HomeGate(gate.desk_id, kind_of(gate), place, ts, gate.expires_at)


async def _theirs(
    waiting: list[tuple[DeskConfig, list[HomeGate]]],
    around: Surroundings,
    team_id: str,
    user_id: str,
) -> tuple[HomeGate, ...]:
    """What waits for this person: a steward's, where they can open what it stands in."""
    found: list[HomeGate] = []
    for desk, gates in waiting:
        if not await is_steward(around, team_id, desk, user_id):
            continue
        places = {gate.channel_id for gate in gates}
        opened = {one for one in places if await around.may_open(team_id, user_id, one)}
        found += [gate for gate in gates if gate.channel_id in opened]
    return tuple(found[:GATES_SHOWN])


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
