"""What do all arms of one room score?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from hivebot.bench.deliberation import deliberate
from hivebot.bench.ladder import PLACE, Router, route_by_history
from hivebot.bench.names import member_name
from hivebot.bench.participant import GROUNDS, Manner, last_best, seat_all
from hivebot.bench.policies import DEFERRING, Overrides, policy_of, tuned
from hivebot.bench.rooms import Layout, Room, Seat, Specialists, generate
from hivebot.bench.tally import Tally
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


@dataclass(slots=True)
class ArmResult:
    """What one arm came to.

    Attributes:
        tally: Its counts and sums.
        outcomes: Whether it was right, room by room, in room order.
    """

    tally: Tally = field(default_factory=Tally)
    outcomes: list[bool] = field(default_factory=list[bool])

    def add(self, other: ArmResult) -> None:
        """Append the rooms that come next."""
        self.tally.add(other.tally)
        self.outcomes.extend(other.outcomes)


_Score = Callable[[Room, Tally], None]


def run_rooms(run: RoomRun, indices: Iterable[int]) -> dict[str, ArmResult]:
    """Run every arm over some rooms of a run.

    Every arm starts from its own copy of the freshly generated room, so that no arm can change
    what another one scores.
    """
    scores = [(arm, _scorer(arm, run)) for arm in run.arms]
    results = {arm: ArmResult() for arm in run.arms}
    for index in indices:
        room = run.room(index)
        for arm, score in scores:
            result = results[arm]
            before = result.tally.correct
            score(room, result.tally)
            result.outcomes.append(result.tally.correct > before)
    return results


def _scorer(arm: str, run: RoomRun) -> _Score:
    """Prepare what an arm needs once for all rooms."""
    router = Router([member_name(index) for index in range(run.layout.members)])
    if arm == "vote":
        return lambda room, tally: _vote(room, tally, run.plus().turn_budget)
    if arm == "ladder":
        return lambda room, tally: _answer(room, tally, router.draw(room.seed))
    if arm == "ladder+dir":
        manner, plus = run.manner(), run.plus()
        return lambda room, tally: _answer(
            room, tally, route_by_history(room, router, manner, plus, run.history)
        )
    return _deliberation(arm, run)


def _deliberation(arm: str, run: RoomRun) -> _Score:
    mind = {"hive+cost": "hive+dir+defer", "all-reasoning": "hive+"}.get(arm, arm)
    unit_cost = REASONING_COST if arm == "all-reasoning" else None
    policy = policy_of(mind, run.plus(), run.defer_cap)
    manner = run.manner(run.defer_cap if mind in DEFERRING else 0)

    def score(room: Room, tally: Tally) -> None:
        episode = deliberate(seat_all(room, manner), policy, PLACE)
        tally.count_episode(room, episode, unit_cost=unit_cost)

    return score


def _answer(room: Room, tally: Tally, chosen: int) -> None:
    """Count the favourite of the one member that was asked."""
    seat = room.seats[chosen]
    tally.count_answer(room, _favourite(room, seat), turns=1, cost=seat.cost)
    tally.count_route(room, chosen)


def _favourite(room: Room, seat: Seat) -> str:
    return last_best(dict(zip(room.options, seat.evaluations, strict=True)))


def _vote(room: Room, tally: Tally, budget: int) -> None:
    cost = sum(room.seats[turn % len(room.seats)].cost for turn in range(budget))
    tally.count_answer(room, vote(room, budget), turns=budget, cost=cost)


def vote(room: Room, budget: int) -> str:
    """Spend the whole budget on asking each member in turn for its favourite, unheard by others."""
    favourites = [_favourite(room, seat) for seat in room.seats]
    return plurality([favourites[turn % len(favourites)] for turn in range(budget)])


def plurality(votes: Sequence[str]) -> str:
    """Give the option named most often, the last to appear on ties; there is at least one vote."""
    counts = Counter(votes)
    return max(reversed(counts), key=counts.__getitem__)


def smaller(run: RoomRun, episodes: int) -> RoomRun:
    """Give the same run over fewer rooms."""
    return replace(run, episodes=episodes)
