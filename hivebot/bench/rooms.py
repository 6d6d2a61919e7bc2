"""Who sits in a room, what does each of them believe, and which option is best?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from hivebot.bench.chance import Stream, mix
from hivebot.bench.names import Role, member_name, option_names, role_of

BEST: Final = 100
"""What the best option is worth."""

OTHER: Final = 40
"""What every other option is worth."""

HIDDEN_LIFT: Final = 100
"""What everyone but the decisive member of a hidden profile adds to the planted option."""

_EXPERT_DIVISOR: Final = 6
_LAY_PER_CENT: Final = 150
_SPECIALIST_COST: Final = 10

_BEST_OPTION: Final = 0x72757468
_EXPERTISE: Final = 0x65787072
_PROSE: Final = 0xA11CE


@dataclass(frozen=True, slots=True)
class Uniform:
    """Everybody judges every option equally well."""


@dataclass(frozen=True, slots=True)
class Specialists:
    """Some members judge one option each much better, and the others judge it worse.

    Attributes:
        count: Members with a specialty, at most; never more than members or options.
        priced: Whether a turn of a specialist costs ten and any other one.
    """

    count: int
    priced: bool = False


@dataclass(frozen=True, slots=True)
class HiddenProfile:
    """All but one member overrate the same wrong option.

    Attributes:
        lift: By how much they overrate it.
    """

    lift: int = HIDDEN_LIFT


Shape: TypeAlias = Uniform | Specialists | HiddenProfile


@dataclass(frozen=True, slots=True)
class Layout:
    """What every room of a run has in common.

    Attributes:
        members: 2..1024.
        options: 2..256.
        noise: Half-width of what members draw around the true worth.
        shape: Who knows more or less than the others.
    """

    members: int = 5
    options: int = 4
    noise: int = 90
    shape: Shape = field(default_factory=Uniform)


@dataclass(frozen=True, slots=True)
class Seat:
    """One member as the room is generated; every arm starts from a copy of it.

    Attributes:
        id: Agent id.
        role: Only critics behave differently.
        prose_seed: Of the stream that decides when it rambles.
        evaluations: What it thinks each option is worth, in option order.
        specialty: The option it is the expert of.
        elsewhere: Options somebody else is the expert of.
        refutes: The option it knows to be wrong.
        cost: What one of its turns costs.
    """

    id: str
    role: Role
    prose_seed: int
    evaluations: tuple[int, ...]
    specialty: str | None = None
    elsewhere: frozenset[str] = frozenset()
    refutes: str | None = None
    cost: int = 1


@dataclass(frozen=True, slots=True)
class Room:
    """One room of a run.

    Attributes:
        seed: Of the room; every stream of it derives from this.
        options: Names, in order.
        best: The right answer.
        seats: Members in desk order.
        expert: Place of the member whose word ought to decide; for scoring only.
    """

    seed: int
    options: tuple[str, ...]
    best: str
    seats: tuple[Seat, ...]
    expert: int | None = None


@dataclass(frozen=True, slots=True)
class _Plan:
    """What one seat's evaluations are drawn with: a lift and a half-width for each option."""

    lifts: list[int]
    widths: list[int]
    specialty: int | None = None
    elsewhere: frozenset[int] = frozenset()
    refutes: int | None = None
    cost: int = 1


def best_option(room_seed: int, options: int) -> int:
    """Give the place of the right answer. Source: bench.md section 2."""
    return mix(room_seed, _BEST_OPTION) % options


def prose_seed(room_seed: int, index: int) -> int:
    """Give the seed of the stream that decides when a member rambles."""
    return mix(room_seed, _PROSE ^ index)


def evaluate(
    room_seed: int, index: int, best: int, lifts: list[int], widths: list[int]
) -> tuple[int, ...]:
    """Draw what the member at a place thinks of each option; one draw an option, in order."""
    stream = Stream(mix(room_seed, index))
    return tuple(
        (BEST if option == best else OTHER) + lift + stream.centered(width)
        for option, (lift, width) in enumerate(zip(lifts, widths, strict=True))
    )


def generate(run_seed: int, index: int, layout: Layout) -> Room:
    """Generate the room at a place of a run.

    Source: bench.md section 3.
    """
    seed = mix(run_seed, index)
    best = best_option(seed, layout.options)
    shape = layout.shape
    if isinstance(shape, HiddenProfile):
        expert, plans = _hidden(seed, best, layout, shape)
    elif isinstance(shape, Specialists):
        expert, plans = _specialised(seed, best, layout, shape)
    else:
        plan = _Plan([0] * layout.options, [layout.noise] * layout.options)
        expert, plans = None, [plan] * layout.members
    names = option_names(layout.options)
    seats = tuple(_seats(seed, best, names, plans))
    return Room(seed, names, names[best], seats, expert)


def _seats(seed: int, best: int, names: tuple[str, ...], plans: list[_Plan]) -> Iterator[Seat]:
    for index, plan in enumerate(plans):
        yield Seat(
            id=member_name(index),
            role=role_of(index),
            prose_seed=prose_seed(seed, index),
            evaluations=evaluate(seed, index, best, plan.lifts, plan.widths),
            specialty=None if plan.specialty is None else names[plan.specialty],
            elsewhere=frozenset(names[option] for option in plan.elsewhere),
            refutes=None if plan.refutes is None else names[plan.refutes],
            cost=plan.cost,
        )


def _hidden(seed: int, best: int, layout: Layout, shape: HiddenProfile) -> tuple[int, list[_Plan]]:
    options, noise = range(layout.options), layout.noise
    stream = Stream(mix(seed, _EXPERTISE))
    candidates = [option for option in options if option != best]
    planted = candidates[stream.below(len(candidates))]
    decisive = stream.below(layout.members)
    lifts = [shape.lift if option == planted else 0 for option in options]
    common = _Plan(lifts, [noise] * layout.options, elsewhere=frozenset({planted}))
    sharp = [noise // _EXPERT_DIVISOR if option == best else noise for option in options]
    knowing = _Plan([0] * layout.options, sharp, specialty=planted, refutes=planted)
    return decisive, [knowing if seat == decisive else common for seat in range(layout.members)]


def _specialised(
    seed: int, best: int, layout: Layout, shape: Specialists
) -> tuple[int | None, list[_Plan]]:
    members, options = layout.members, layout.options
    stream = Stream(mix(seed, _EXPERTISE))
    members_left, options_left = list(range(members)), list(range(options))
    expert_of: dict[int, int] = {}
    for _ in range(min(shape.count, members, options)):
        member = members_left.pop(stream.below(len(members_left)))
        expert_of[options_left.pop(stream.below(len(options_left)))] = member
    specialties = {member: option for option, member in expert_of.items()}
    plans: list[_Plan] = []
    for seat in range(members):
        own = specialties.get(seat)
        plans.append(
            _Plan(
                [0] * options,
                [_width(option, seat, expert_of, layout.noise) for option in range(options)],
                specialty=own,
                elsewhere=frozenset(expert_of) - {own},
                cost=_SPECIALIST_COST if shape.priced and own is not None else 1,
            )
        )
    return expert_of.get(best), plans


def _width(option: int, index: int, expert_of: dict[int, int], noise: int) -> int:
    expert = expert_of.get(option)
    if expert is None:
        return noise
    return noise // _EXPERT_DIVISOR if expert == index else noise * _LAY_PER_CENT // 100
