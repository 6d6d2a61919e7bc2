"""What do all arms of one room score?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from hivebot.bench.ceilings import check_one_fact, pool
from hivebot.bench.deliberation import deliberate
from hivebot.bench.ladder import PLACE, Router, route_by_history
from hivebot.bench.names import member_name
from hivebot.bench.participant import GROUNDS, Manner, last_best, seat_all
from hivebot.bench.policies import DEFERRING, Overrides, policy_of, tuned
from hivebot.bench.rooms import Layout, Room, Seat, Specialists, generate
from hivebot.bench.tally import Results, Score, Tally, play_episodes
from hivebot.hive.episode import EpisodePolicy

ARMS: Final = (
    "ladder",
    "vote",
    "hive",
    "hive+",
    "hive+ref",
    "hive+ev",
    "hive+dir",
    "hive+defer",
    "hive+dir+defer",
    "ladder+dir",
)
"""Arms of every run, in the order they are printed."""

COST_ARMS: Final = ("hive+cost", "all-reasoning")
"""Arms that only differ from another one in what their turns cost."""

CEILING_ARMS: Final = ("hive+fact", "hive+pooled")
"""Arms whose members looked around before the room opened."""

REASONING_COST: Final = 10


@dataclass(frozen=True, slots=True)
class RoomRun:
    """One run of the rooms benchmark.

    Attributes:
        episodes: Rooms.
        seed: Of the run; everything derives from it.
        layout: What the rooms have in common.
        evidence_first: Whether members deposit what they know before anybody proposes.
        defer_cap: Deferrals of the deferring arms, at least 1.
        history: Episodes behind ladder+dir.
        overrides: Changes to hive+ and what derives from it.
        arms: Arms to run.
        grounds: What one refutation takes off an option.
        readings_refute: Whether any evidence counts against its option, as it once did.
        fixed_router: Whether the ladder names the same seat in every room, as in the size sweep.
    """

    episodes: int = 500
    seed: int = 1
    layout: Layout = field(default_factory=Layout)
    evidence_first: bool = False
    defer_cap: int = 1
    history: int = 3
    overrides: Overrides = field(default_factory=Overrides)
    arms: tuple[str, ...] = ARMS
    grounds: int = GROUNDS
    readings_refute: bool = False
    fixed_router: bool = False

    @property
    def priced(self) -> bool:
        """Whether turns of specialists cost more."""
        shape = self.layout.shape
        return isinstance(shape, Specialists) and shape.priced

    def room(self, index: int) -> Room:
        """Generate one room of the run."""
        return generate(self.seed, index, self.layout)

    def manner(self, defer_cap: int = 0) -> Manner:
        """Give how its members weigh and speak."""
        return Manner(self.evidence_first, defer_cap, self.grounds, self.readings_refute)

    def plus(self) -> EpisodePolicy:
        """Give the policy of hive+."""
        return tuned(self.layout.members, self.overrides)


_ALIASES: Final = {"hive+cost": "hive+dir+defer", "all-reasoning": "hive+"}
_CEILINGS: Final = {"hive+fact": check_one_fact, "hive+pooled": pool}


def play_rooms(run: RoomRun, indices: Iterable[int]) -> Results:
    """Play every arm over some rooms of a run, each on its own copy of the members."""
    scores = {arm: _scorer(arm, run) for arm in run.arms}
    return play_episodes((run.room(index) for index in indices), scores)


def _scorer(arm: str, run: RoomRun) -> Score[Room]:
    """Prepare what an arm needs once for all rooms."""
    router = Router([member_name(index) for index in range(run.layout.members)])
    if arm == "vote":
        return lambda room, tally: _vote(room, tally, run.plus().turn_budget)
    if arm == "ladder":
        seed = run.seed if run.fixed_router else None
        return lambda room, tally: _answer(
            room, tally, router.draw(room.seed if seed is None else seed)
        )
    if arm == "ladder+dir":
        manner, plus = run.manner(), run.plus()
        return lambda room, tally: _answer(
            room, tally, route_by_history(room, router, manner, plus, run.history)
        )
    return _deliberation(arm, run)


def _deliberation(arm: str, run: RoomRun) -> Score[Room]:
    mind = _ALIASES.get(arm, arm)
    look_around = _CEILINGS.get(arm)
    unit_cost = REASONING_COST if arm == "all-reasoning" else None
    policy = policy_of(mind, run.plus(), run.defer_cap)
    manner = run.manner(run.defer_cap if mind in DEFERRING else 0)

    def score(room: Room, tally: Tally) -> None:
        members = seat_all(room, manner)
        if look_around is not None:
            look_around(members)
        episode = deliberate(members, policy, PLACE)
        tally.count_episode(room, episode, unit_cost=unit_cost)

    return score


def _answer(room: Room, tally: Tally, chosen: int) -> None:
    """Count the favourite of the one member that was asked."""
    seat = room.seats[chosen]
    tally.count_decision(_favourite(room, seat), room.best)
    tally.turns += 1
    tally.cost += seat.cost
    tally.count_route(room, chosen)


def _favourite(room: Room, seat: Seat) -> str:
    return last_best(dict(zip(room.options, seat.evaluations, strict=True)))


def _vote(room: Room, tally: Tally, budget: int) -> None:
    cost = sum(room.seats[turn % len(room.seats)].cost for turn in range(budget))
    tally.count_decision(vote(room, budget), room.best)
    tally.turns += budget
    tally.cost += cost


def vote(room: Room, budget: int) -> str:
    """Spend the whole budget on asking each member in turn for its favourite, unheard by others."""
    favourites = [_favourite(room, seat) for seat in room.seats]
    return plurality([favourites[turn % len(favourites)] for turn in range(budget)])


def plurality(votes: Sequence[str]) -> str:
    """Give the option named most often, the last to appear on ties; there is at least one vote."""
    counts = Counter(votes)
    return max(reversed(counts), key=counts.__getitem__)
