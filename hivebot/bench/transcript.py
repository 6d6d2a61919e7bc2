"""How did one episode go, line by line?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from hivebot.bench.arms import RoomRun
from hivebot.bench.deliberation import Episode, deliberate
from hivebot.bench.federation.arms import open_halls
from hivebot.bench.federation.hall import Switchboard
from hivebot.bench.federation.scheduler import Crossing, Scheduler
from hivebot.bench.federation.world import FederationRun, generate
from hivebot.bench.ladder import PLACE
from hivebot.bench.participant import seat_all
from hivebot.bench.policies import policy_of
from hivebot.hive.directory import DirectoryPolicy, directory
from hivebot.hive.transcript import author_name

FIRST: Final = 0
"""The episode of a run that is shown."""


def of_room(run: RoomRun, *, with_directory: bool = False) -> Iterator[str]:
    """Show the first room of a run under hive+, and what the directory made of it if asked."""
    room = run.room(FIRST)
    policy = policy_of("hive+dir" if with_directory else "hive+", run.plus(), run.defer_cap)
    episode = deliberate(seat_all(room, run.manner()), policy, PLACE)
    yield f"best option: {room.best}"
    yield from _turns(episode)
    yield f"{episode.ending}: {episode.decision or 'no decision'} after {len(episode.said)} turns"
    if with_directory:
        yield from directory(episode.traces, episode.last_sequence, DirectoryPolicy(), ()).lines()


def of_federation(run: FederationRun) -> Iterator[str]:
    """Show the first federation of a run whose desks ask each other on the floor."""
    federation = generate(replace(run, arms=()), FIRST)
    halls = open_halls(run, federation)
    Scheduler(halls, Switchboard(federation.desks), Crossing(on_floor=True)).run()
    yield f"best option: {federation.best}"
    for hall, desk in zip(halls, federation.desks, strict=True):
        yield f"{hall.name}, blind to {desk.decoy}"
        for message in hall.desk.messages:
            author = author_name(message.author)
            yield from _numbered(message.sequence, f"{author}: {message.content}")
        if hall.outcome is not None:
            yield f"{hall.outcome.ending}: {hall.outcome.decision or 'no decision'}"


def _turns(episode: Episode) -> Iterator[str]:
    for said in episode.said:
        turn = said.turn
        why = f"{turn.reason}, {turn.phase}, {turn.visibility}"
        words = f"{turn.agent_id} ({why}): {said.message.content}"
        yield from _numbered(said.message.sequence, words)


def _numbered(sequence: int, text: str) -> Iterator[str]:
    first, *rest = text.split("\n")
    yield f"{sequence:4} {first}"
    for line in rest:
        yield f"     {line}"
