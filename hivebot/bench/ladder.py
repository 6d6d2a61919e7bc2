"""What does it score to let one member answer, chosen by the responder ladder?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from hivebot.bench.chance import Stream, mix
from hivebot.bench.deliberation import TASK, Episode, deliberate
from hivebot.bench.participant import Manner, Participant
from hivebot.bench.rooms import Room, prose_seed
from hivebot.hive.conversation import Conversation
from hivebot.hive.desk import Desk, DeskSet, ResponderMode
from hivebot.hive.directory import Directory, DirectoryPolicy, directory
from hivebot.hive.episode import EpisodePolicy
from hivebot.hive.responder import (
    ResponderRequest,
    SelectionPolicy,
    SelectorCandidate,
    SelectPlan,
    complete,
    responder_plan,
)
from hivebot.hive.roster import Member, Roster
from hivebot.hive.trace import Trace

PLACE: Final = Conversation("bench", "Bench")
"""The one desk of a benchmark in one room."""

_ROUTER: Final = 0x726F7574
_HISTORY: Final = 0x68697374


class Router:
    """The responder ladder over one desk in automatic mode.

    Attributes:
        members: Ids in desk order.

    Source: bench.md section 7.
    """

    def __init__(self, members: Sequence[str]) -> None:
        self.members = tuple(members)
        self._roster = Roster(tuple(Member(one, one) for one in members), (), ())
        desk = Desk(PLACE.desk_id, PLACE.desk_name, None, self.members, ResponderMode.AUTO)
        self._desks = DeskSet((desk,), (), (), (), ())
        self._request = ResponderRequest(
            message=TASK,
            chat=desk.id,
            mentions=(),
            orchestrator_id=self.members[0],
            selection_policy=SelectionPolicy.ALLOWED,
        )

    def route(self, choose: Callable[[Sequence[SelectorCandidate]], str]) -> int:
        """Give the place of the member that answers.

        Args:
            choose: Stands in for the selector; asked only when the ladder comes to it.
        """
        plan = responder_plan(self._request, self._roster, self._desks, ())
        answer = choose(plan.request.candidates) if isinstance(plan, SelectPlan) else None
        return self.members.index(complete(plan, answer).responder_id)

    def draw(self, seed: int) -> int:
        """Let chance stand in for the selector."""
        stream = Stream(mix(seed, _ROUTER))
        return self.route(lambda candidates: candidates[stream.below(len(candidates))].id)


def route_by_history(
    room: Room, router: Router, manner: Manner, policy: EpisodePolicy, episodes: int
) -> int:
    """Route to who knew most about the best option in earlier episodes of the same room.

    The router is told the answer's name, so what it scores measures a leak. When nobody has any
    weight on it, chance decides.

    Source: bench.md section 7, ladder+dir.
    """
    known = remember(room, manner, policy, episodes)
    best = known.top_among(room.best, router.members)
    if best is None or known.weight(best, room.best) == 0:
        return router.draw(room.seed)
    return router.route(lambda _: best)


def remember(room: Room, manner: Manner, policy: EpisodePolicy, episodes: int) -> Directory:
    """Fold one directory over several episodes of a room, laid end to end."""
    base = mix(room.seed, _HISTORY)
    traces: list[Trace] = []
    offset = 0
    for number in range(episodes):
        episode = _earlier(room, manner, policy, mix(base, number))
        traces.extend(_shifted(trace, offset) for trace in episode.traces)
        offset += max((trace.sequence for trace in episode.traces), default=0)
    return directory(traces, offset, DirectoryPolicy(), ())


def _earlier(room: Room, manner: Manner, policy: EpisodePolicy, seed: int) -> Episode:
    members = [
        Participant(seat, room.options, manner, prose_seed=prose_seed(seed, index))
        for index, seat in enumerate(room.seats)
    ]
    return deliberate(members, policy, PLACE)


def _shifted(trace: Trace, offset: int) -> Trace:
    return Trace(
        sequence=trace.sequence + offset,
        author=trace.author,
        kind=trace.kind,
        topic=trace.topic,
        target=None if trace.target is None else trace.target + offset,
        cites=tuple(cited + offset for cited in trace.cites),
        text=trace.text,
        offset=trace.offset,
    )
