"""Who plays whom, and under what? A scenario's members, with the models and bounds of a desk."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import ClassVar, Final, TypeVar

from hivebot.adapters.llm.briefed.rehearsal import Room, majority
from hivebot.errors import HivebotError
from hivebot.services.records.policy import (
    AgentConfig,
    BriefFact,
    Configuration,
    DeskConfig,
    DeskMode,
    Opening,
)
from hivebot.services.records.replies import Option
from hivebot.services.snapshots import active_members

ORDERS_ALL_UP_TO: Final = 6
"""Members of whom every order is played; more have too many."""

ORDERS_MAX: Final = 200
TURNS_PER_MEMBER: Final = 3

T = TypeVar("T")


class NoDeskError(HivebotError):
    """The configuration has no desk that could play."""

    code: ClassVar[str] = "bench_no_desk"


@dataclass(frozen=True, slots=True)
class Bounds:
    """What the command line changes about a desk's own settings; None leaves them.

    Attributes:
        opening: What the blind round consists of.
        turn_budget: Turns of a deliberation, and answers of the poll.
    """

    opening: Opening | None = None
    turn_budget: int | None = None


def desk_named(configuration: Configuration, desk_id: str) -> DeskConfig:
    """Give the desk of an id; without one the first that deliberates, else the first.

    Raises:
        NoDeskError: there is none of that id.
    """
    if not desk_id:
        hive = (desk for desk in configuration.desks if desk.mode is DeskMode.HIVE)
        return next(hive, configuration.desks[0])
    desk = configuration.desk(desk_id)
    if desk is None:
        known = ", ".join(one.id for one in configuration.desks)
        raise NoDeskError(f"there is no desk `{desk_id}`; the desks are {known}")
    return desk


def seated(
    members: Sequence[AgentConfig], desk: DeskConfig, configuration: Configuration
) -> tuple[AgentConfig, ...]:
    """Let a desk's agents play a scenario's members.

    A member is played by the desk's agent of the same id, else by the one in the same place,
    counted round. The member keeps its id, name, role and facts; the agent lends its model with all
    that belongs to it, its brief as a beginning, and its place in the market.

    Raises:
        NoDeskError: the desk has no active agent.
    """
    found = [configuration.agent(one) for one in active_members(desk, configuration)]
    agents = [agent for agent in found if agent is not None]
    if not agents:
        raise NoDeskError(f"the desk `{desk.id}` has no agent that may speak")
    by_id = {agent.id: agent for agent in agents}
    return tuple(
        _played_by(member, by_id.get(member.id, agents[place % len(agents)]))
        for place, member in enumerate(members)
    )


def room_of(
    members: tuple[AgentConfig, ...],
    options: tuple[Option, ...],
    desk: DeskConfig,
    bounds: Bounds,
    turn_budget: int | None,
) -> Room:
    """Seat members in a room with a desk's own settings.

    The quorum is the desk's where as many sit here as on the desk, else a majority. The budget is
    that of the command line, else the scenario's, else the desk's, or three turns a member where
    another number sits here.
    """
    policy, same = desk.episode.policy, len(members) == len(desk.members)
    budget = bounds.turn_budget or turn_budget
    if budget is None:
        budget = policy.turn_budget if same else max(6, TURNS_PER_MEMBER * len(members))
    threshold = policy.quorum.threshold if same else majority(len(members))
    return Room(
        members=members,
        options=options,
        policy=replace(
            policy, turn_budget=budget, quorum=replace(policy.quorum, threshold=threshold)
        ),
        opening=bounds.opening or desk.episode.opening,
        desk_id=desk.id,
        desk_name=desk.name,
        priors=desk.episode.announce_priors,
        prompt_tokens_max=desk.budget.prompt_tokens_max,
        output_tokens_max=desk.budget.output_tokens_max,
    )


def orders(members: Sequence[T]) -> Iterator[tuple[T, ...]]:
    """Give every order of up to six members, else 200 that are the same every time."""
    if len(members) <= ORDERS_ALL_UP_TO:
        yield from permutations(members)
        return
    chance = random.Random(len(members))  # noqa: S311 - which orders are played is no secret
    for _ in range(ORDERS_MAX):
        yield tuple(chance.sample(members, len(members)))


def _played_by(member: AgentConfig, agent: AgentConfig) -> AgentConfig:
    if agent.rule_based:
        return replace(member, affinity=agent.affinity, threshold=agent.threshold)
    return replace(
        agent, id=member.id, name=member.name, role=member.role, brief=_brief(member, agent.brief)
    )


def _brief(member: AgentConfig, own: str) -> str:
    """What a model is told: its own brief, its part, and the facts in words."""
    parts = (
        own.strip(),
        member.brief.strip(),
        _told("Everybody on the desk was told:", member.rules.shared),
        _told("Only you know:", member.rules.holds) or "You know nothing beyond that.",
    )
    return "\n\n".join(part for part in parts if part)


def _told(title: str, facts: Iterable[BriefFact]) -> str:
    lines = [f"- {fact.text}{_bearing(fact)}" for fact in facts]
    return "\n".join((title, *lines)) if lines else ""


def _bearing(fact: BriefFact) -> str:
    return f" ({fact.bearing} {fact.option}, strength {fact.strength} of 5)" if fact.option else ""
