"""What do all arms of one federation score?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Final

from hivebot.bench.deliberation import Ending, deliberate
from hivebot.bench.federation.hall import Hall, Switchboard
from hivebot.bench.federation.scheduler import Crossing, Scheduler
from hivebot.bench.federation.world import OFF_FLOOR, Federation, FederationRun, generate
from hivebot.bench.ladder import PLACE
from hivebot.bench.participant import Hearsay, Manner, Participant
from hivebot.bench.policies import tuned

_MANNER: Final = Manner()


@dataclass(slots=True)
class FederationTally:
    """Counts and sums over the federations of one arm; all integers.

    Attributes:
        episodes: Federations.
        correct: Decided for the best option.
        decided: With a decision at all.
        turns: Messages of agents, digests and questions off the floor apart.
        crossings: Questions and answers on their way, and digests that arrived.
        stranded: Letters for desks that had finished.
        asks: Questions off the floor.
        digests: Statements to everybody.
        desks: Deliberations.
        converged: Deliberations that ended so.
        deadlocked: Deliberations that ended so.
        exhausted: Deliberations that ended so.
        idle: Deliberations that ended so.
    """

    episodes: int = 0
    correct: int = 0
    decided: int = 0
    turns: int = 0
    crossings: int = 0
    stranded: int = 0
    asks: int = 0
    digests: int = 0
    desks: int = 0
    converged: int = 0
    deadlocked: int = 0
    exhausted: int = 0
    idle: int = 0

    def add(self, other: FederationTally) -> None:
        """Count the federations of another part of the same run."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    def count_decision(self, federation: Federation, decision: str | None) -> None:
        """Count what a federation decided."""
        self.episodes += 1
        self.decided += decision is not None
        self.correct += decision == federation.best

    def count_ending(self, ending: Ending) -> None:
        """Count how one deliberation ended."""
        self.desks += 1
        self.converged += ending is Ending.CONVERGED
        self.deadlocked += ending is Ending.DEADLOCKED
        self.exhausted += ending is Ending.EXHAUSTED
        self.idle += ending is Ending.IDLE


_Score = Callable[[FederationRun, Federation, FederationTally], None]


def run_federations(run: FederationRun, indices: Iterable[int]) -> dict[str, FederationTally]:
    """Run every arm over some federations of a run, each on its own copy of the members."""
    tallies = {arm: FederationTally() for arm in run.arms}
    for index in indices:
        federation = generate(run, index)
        for arm, tally in tallies.items():
            _SCORES[arm](run, federation, tally)
    return tallies


def _siloed(run: FederationRun, federation: Federation, tally: FederationTally) -> None:
    _schedule(federation, _halls(run, federation), Crossing(), tally)


def _referral(run: FederationRun, federation: Federation, tally: FederationTally) -> None:
    _schedule(federation, _halls(run, federation), Crossing(on_floor=True), tally)


def _off_floor(run: FederationRun, federation: Federation, tally: FederationTally) -> None:
    crossing = Crossing(ask_cap=run.ask_cap, digest=run.digest)
    _schedule(federation, _halls(run, federation), crossing, tally)


def _pooled(run: FederationRun, federation: Federation, tally: FederationTally) -> None:
    """Hand every member what the first member of every other desk thinks; then siloed."""
    halls = _halls(run, federation)
    statements = [hall.state(hall.members[0]) for hall in halls]
    for hall, own in zip(halls, statements, strict=True):
        for statement in statements:
            if statement is not own:
                hall.hearsay.learn(statement.facts)
                hall.hearsay.import_readings(statement.readings)
    _schedule(federation, halls, Crossing(), tally)


def _merged(run: FederationRun, federation: Federation, tally: FederationTally) -> None:
    """Put all members on one desk, desk by desk."""
    participants = _members(federation)
    policy = tuned(len(participants), run.overrides)
    episode = deliberate(participants, policy, PLACE)
    tally.count_decision(federation, episode.decision)
    tally.count_ending(episode.ending)
    tally.turns += len(episode.said)


def _vote(_run: FederationRun, federation: Federation, tally: FederationTally) -> None:
    """Ask every member once, unheard by others; a tie is no decision."""
    votes = [member.favourite for member in _members(federation)]
    tally.count_decision(federation, sole_winner(votes))
    tally.turns += len(votes)


def _members(federation: Federation) -> list[Participant]:
    members: list[Participant] = []
    for desk in federation.desks:
        for seat in desk.seats:
            heard = Hearsay()
            if desk.facts:
                heard.learn(desk.facts)
            members.append(Participant(seat, federation.options, _MANNER, hearsay=heard))
    return members


def _halls(run: FederationRun, federation: Federation) -> tuple[Hall, ...]:
    policy = tuned(run.per_desk, run.overrides)
    return tuple(
        Hall(
            desk,
            federation.options,
            policy,
            _MANNER,
            [other.id for other in federation.desks if other is not desk],
        )
        for desk in federation.desks
    )


def _schedule(
    federation: Federation, halls: Sequence[Hall], crossing: Crossing, tally: FederationTally
) -> None:
    traffic = Scheduler(halls, Switchboard(federation.desks), crossing).run()
    for field in fields(traffic):
        setattr(tally, field.name, getattr(tally, field.name) + getattr(traffic, field.name))
    outcomes = [hall.outcome for hall in halls if hall.outcome is not None]
    for outcome in outcomes:
        tally.count_ending(outcome.ending)
    decisions = [outcome.decision for outcome in outcomes if outcome.decision is not None]
    tally.count_decision(federation, sole_winner(decisions))


def sole_winner(votes: Sequence[str]) -> str | None:
    """Give the option named most often; none on a tie at the top and without votes."""
    ranked = Counter(votes).most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


_SCORES: Final[dict[str, _Score]] = {
    "siloed": _siloed,
    "referral": _referral,
    OFF_FLOOR: _off_floor,
    "pooled": _pooled,
    "merged": _merged,
    "vote": _vote,
}
