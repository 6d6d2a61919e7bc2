"""Which desks are there, and what is each of them blind to?"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from hivebot.bench.chance import Stream, mix
from hivebot.bench.names import desk_name, member_name, option_names, role_of
from hivebot.bench.policies import Overrides
from hivebot.bench.rooms import Seat, best_option, evaluate, prose_seed

ARMS: Final = ("siloed", "referral", "pooled", "merged", "vote")
"""Arms of every run, in the order they are printed; `referral` asks with turns of the floor."""

OFF_FLOOR: Final = "referral-off-floor"
"""The arm whose questions cost no turn, and of which a desk may ask only so many."""

_BLIND_SPOT: Final = 0xDEC01000
_FACT: Final = 0xFAC70000
_STRIDE: Final = 8


@dataclass(frozen=True, slots=True)
class FederationRun:
    """One run of the federated benchmark.

    Attributes:
        episodes: Federations.
        desks: Desks of each.
        per_desk: Members of each desk.
        topics: Options, 2..256.
        noise: Half-width of what members draw around the true worth.
        bias: How much every member of a desk overrates the desk's own wrong option.
        seed: Of the run.
        ask_cap: Questions a desk may ask off the floor.
        digest: Times a desk publishes what it thinks to every other one.
        evidence: Whether desks hold facts against each other's wrong options.
        fact_noise: How often in a thousand such a fact is against the best option instead.
        overrides: Changes to the policy of the desks.
        arms: Arms to run.
        crowded: Members counted without gaps, and names of later desks with a blank that no reader
            gets across, as in one superseded table.
    """

    episodes: int = 500
    desks: int = 3
    per_desk: int = 4
    topics: int = 4
    noise: int = 50
    bias: int = 110
    seed: int = 1
    ask_cap: int = 2
    digest: int = 0
    evidence: bool = False
    fact_noise: int = 0
    overrides: Overrides = field(default_factory=Overrides)
    arms: tuple[str, ...] = ARMS
    crowded: bool = False


@dataclass(frozen=True, slots=True)
class FederatedDesk:
    """One desk as it is generated.

    Attributes:
        id: Of the desk.
        name: What it calls itself when it states readings.
        decoy: The wrong option its members overrate.
        seats: Members in desk order.
        facts: Options its members know to be out.
    """

    id: str
    name: str
    decoy: str
    seats: tuple[Seat, ...]
    facts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Federation:
    """Several desks before the same question.

    Attributes:
        options: Names, in order.
        best: The right answer.
        desks: In order.
    """

    options: tuple[str, ...]
    best: str
    desks: tuple[FederatedDesk, ...]


def generate(run: FederationRun, index: int) -> Federation:
    """Generate one federation of a run.

    Source: bench.md section 8, and section 9 for the facts.
    """
    seed = mix(run.seed, index)
    names = option_names(run.topics)
    best = best_option(seed, run.topics)
    others = [option for option in range(run.topics) if option != best]
    first_decoy = mix(seed, _BLIND_SPOT)
    desks = tuple(
        _desk(
            run,
            seed,
            number,
            names,
            best=best,
            decoy=others[(first_decoy + number) % len(others)],
        )
        for number in range(run.desks)
    )
    if run.evidence:
        desks = _with_facts(run, seed, names[best], desks)
    return Federation(names, names[best], desks)


def _desk(
    run: FederationRun,
    seed: int,
    number: int,
    names: tuple[str, ...],
    *,
    best: int,
    decoy: int,
) -> FederatedDesk:
    stride = run.per_desk if run.crowded else max(run.per_desk, _STRIDE)
    lifts = [run.bias if option == decoy else 0 for option in range(run.topics)]
    widths = [run.noise] * run.topics
    seats = tuple(
        Seat(
            id=member_name(place),
            role=role_of(place - number * stride),
            prose_seed=prose_seed(seed, place),
            evaluations=evaluate(seed, place, best, lifts, widths),
        )
        for place in range(number * stride, number * stride + run.per_desk)
    )
    desk_id, name = desk_name(number)
    return FederatedDesk(
        desk_id, name.replace("-", " ") if run.crowded else name, names[decoy], seats
    )


def _with_facts(
    run: FederationRun, seed: int, best: str, desks: tuple[FederatedDesk, ...]
) -> tuple[FederatedDesk, ...]:
    """Give each desk's wrong option to the next desk round that is not blind to it as well."""
    stream = Stream(mix(mix(seed, _FACT), run.desks))
    told: dict[str, list[str]] = {desk.id: [] for desk in desks}
    for number, desk in enumerate(desks):
        mistaken = run.fact_noise > 0 and stream.below(1000) < run.fact_noise
        round_from_here = desks[number + 1 :] + desks[:number]
        hearer = next((other for other in round_from_here if other.decoy != desk.decoy), None)
        if hearer is not None:
            told[hearer.id].append(best if mistaken else desk.decoy)
    return tuple(_told(desk, told[desk.id]) for desk in desks)


def _told(desk: FederatedDesk, facts: list[str]) -> FederatedDesk:
    if not facts:
        return desk
    speaker = replace(desk.seats[-1], refutes=facts[-1])
    return replace(desk, seats=(*desk.seats[:-1], speaker), facts=frozenset(facts))
