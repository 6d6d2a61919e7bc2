"""What do all arms of one federation score?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from functools import partial
from typing import Final, TypeAlias

from hivebot.bench.deliberation import deliberate
from hivebot.bench.federation.hall import Hall, Switchboard
from hivebot.bench.federation.scheduler import Crossing, Scheduler
from hivebot.bench.federation.world import OFF_FLOOR, Federation, FederationRun, generate
from hivebot.bench.ladder import PLACE
from hivebot.bench.participant import Hearsay, Manner, Participant
from hivebot.bench.policies import tuned
from hivebot.bench.tally import Results, Tally, play_episodes

_MANNER: Final = Manner()

_Score: TypeAlias = Callable[[FederationRun, Federation, Tally], None]


def play_federations(run: FederationRun, indices: Iterable[int]) -> Results:
    """Play every arm over some federations of a run, each on its own copy of the members."""
    scores = {arm: partial(_SCORES[arm], run) for arm in run.arms}
    return play_episodes((generate(run, index) for index in indices), scores)


def _siloed(run: FederationRun, federation: Federation, tally: Tally) -> None:
    _schedule(federation, open_halls(run, federation), Crossing(), tally)


def _referral(run: FederationRun, federation: Federation, tally: Tally) -> None:
    _schedule(federation, open_halls(run, federation), Crossing(on_floor=True), tally)


def _off_floor(run: FederationRun, federation: Federation, tally: Tally) -> None:
    crossing = Crossing(ask_cap=run.ask_cap, digest=run.digest)
    _schedule(federation, open_halls(run, federation), crossing, tally)


def _pooled(run: FederationRun, federation: Federation, tally: Tally) -> None:
    """Hand every member what the first member of every other desk thinks; then siloed."""
    halls = open_halls(run, federation)
    statements = [hall.state(hall.members[0]) for hall in halls]
    for hall, own in zip(halls, statements, strict=True):
        for statement in statements:
            if statement is not own:
                hall.hearsay.learn(statement.facts)
                hall.hearsay.import_readings(statement.readings)
    _schedule(federation, halls, Crossing(), tally)


def _merged(run: FederationRun, federation: Federation, tally: Tally) -> None:
    """Put all members on one desk, desk by desk."""
    participants = _members(federation)
    policy = tuned(len(participants), run.overrides)
    episode = deliberate(participants, policy, PLACE)
    tally.count_decision(episode.decision, federation.best)
    tally.count_ending(episode.ending)
    tally.turns += len(episode.said)


def _vote(_run: FederationRun, federation: Federation, tally: Tally) -> None:
    """Ask every member once, unheard by others; a tie is no decision."""
    votes = [member.favourite for member in _members(federation)]
    tally.count_decision(sole_winner(votes), federation.best)
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


def open_halls(run: FederationRun, federation: Federation) -> tuple[Hall, ...]:
    """Seat fresh copies of all members, desk by desk, before the task."""
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
    federation: Federation, halls: Sequence[Hall], crossing: Crossing, tally: Tally
) -> None:
    traffic = Scheduler(halls, Switchboard(federation.desks), crossing).run()
    for field in fields(traffic):
        setattr(tally, field.name, getattr(tally, field.name) + getattr(traffic, field.name))
    outcomes = [hall.outcome for hall in halls if hall.outcome is not None]
    for outcome in outcomes:
        tally.count_ending(outcome.ending)
    decisions = [outcome.decision for outcome in outcomes if outcome.decision is not None]
    tally.count_decision(sole_winner(decisions), federation.best)


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
