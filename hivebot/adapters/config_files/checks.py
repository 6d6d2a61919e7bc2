"""Do the parts of a configuration fit one another? Each thing that does not is a problem."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hivebot.adapters.config_files.findings import Path, Remark, did_you_mean, shown
from hivebot.hive.desk import Desk, DeskSet
from hivebot.hive.errors import HiveError
from hivebot.hive.roster import Member, Roster
from hivebot.services.records.policy import (
    AgentConfig,
    Configuration,
    DeskConfig,
    DeskMode,
    Reach,
    ReachKind,
)

_ASKING_ON_HOPS = 4


def problems(configuration: Configuration) -> list[Remark]:
    """Give everything for which a configuration must be refused.

    Agents, then desks, each as the folds judge them, then what only the host asks for.

    Source: product.md 3, 5 and 8, hive.md 3 and 4.
    """
    found = [*_roster(configuration.agents), *_desk_set(configuration.desks)]
    found += _channels(configuration.desks)
    for at, agent in enumerate(configuration.agents):
        found += _refers(configuration, ("agents", at, "rules", "refer"), agent)
    for at, desk in enumerate(configuration.desks):
        found += _members(configuration, ("desks", at), desk)
        found += _mode(configuration, ("desks", at), desk)
        found += _reaches(configuration, ("desks", at), desk)
        found += _referral(("desks", at, "referral"), desk)
        found += _proxy(configuration, ("desks", at, "proxy", "agent"), desk)
    found += _elsewhere(configuration)
    return found


def active_members(configuration: Configuration, desk: DeskConfig) -> list[AgentConfig]:
    """Give the agents that sit on a desk and are not retired, in its order."""
    agents = [configuration.agent(member) for member in desk.members]
    return [agent for agent in agents if agent is not None and not agent.retired]


def _roster(agents: Sequence[AgentConfig]) -> Iterator[Remark]:
    sound: list[Member] = []
    for at, agent in enumerate(agents):
        member = Member(agent.id, agent.name)
        try:
            Roster((*sound, member), (), ()).validate()
        except HiveError as error:
            yield Remark(("agents", at, "id"), str(error), "give each agent an id of its own")
        else:
            sound.append(member)


def _desk_set(desks: Sequence[DeskConfig]) -> Iterator[Remark]:
    sound: list[Desk] = []
    for at, config in enumerate(desks):
        desk = Desk(config.id, config.name, config.description or None, config.members)
        try:
            DeskSet((*sound, desk), (), (), (), ()).validate()
        except HiveError as error:
            remedy = "give each desk an id of its own; General and main are hivebot's words"
            yield Remark(("desks", at, "id"), str(error), remedy)
        else:
            sound.append(desk)
        if config.id == "General":
            said = "the id 'General' means the channels without a desk"
            yield Remark(("desks", at, "id"), said, "configure those under `general:`")


def _channels(desks: Sequence[DeskConfig]) -> Iterator[Remark]:
    bound: dict[str, str] = {}
    groups: dict[str, str] = {}
    for at, desk in enumerate(desks):
        if (other := bound.setdefault(desk.channel, desk.id)) != desk.id:
            said = f"{desk.channel} is desk `{other}`'s channel already"
            yield Remark(("desks", at, "channel"), said, "bind each desk to a channel of its own")
        if desk.user_group and (other := groups.setdefault(desk.user_group, desk.id)) != desk.id:
            said = f"{desk.user_group} stands for desk `{other}` already"
            yield Remark(("desks", at, "user_group"), said, "give each desk a group of its own")


def _unknown_agent(configuration: Configuration, path: Path, name: str) -> Iterator[Remark]:
    if configuration.agent(name) is None:
        known = [agent.id for agent in configuration.agents]
        remedy, near = did_you_mean(name, known, "add it under `agents:`")
        yield Remark(path, f"there is no agent {shown(name)}", remedy, near)


def _proxy(configuration: Configuration, path: Path, desk: DeskConfig) -> Iterator[Remark]:
    if desk.proxy.agent:
        yield from _unknown_agent(configuration, path, desk.proxy.agent)


def _unknown_desk(configuration: Configuration, path: Path, name: str) -> Iterator[Remark]:
    if configuration.desk(name) is None:
        known = [desk.id for desk in configuration.desks]
        remedy, near = did_you_mean(name, known, "add it under `desks:`")
        yield Remark(path, f"there is no desk {shown(name)}", remedy, near)


def _refers(configuration: Configuration, path: Path, agent: AgentConfig) -> Iterator[Remark]:
    for word, desk in agent.rules.refer:
        yield from _unknown_desk(configuration, (*path, word), desk)


def _members(configuration: Configuration, path: Path, desk: DeskConfig) -> Iterator[Remark]:
    unknown: list[Remark] = []
    for at, member in enumerate(desk.members):
        unknown += _unknown_agent(configuration, (*path, "members", at), member)
    yield from unknown
    if not unknown and not active_members(configuration, desk):
        said = "all its members are retired, so nobody answers"
        yield Remark((*path, "members"), said, "name an agent that is not retired")


def _mode(configuration: Configuration, path: Path, desk: DeskConfig) -> Iterator[Remark]:
    active = len(active_members(configuration, desk))
    if desk.mode is DeskMode.SELECT and not desk.selector_model:
        said = "`mode: select` needs a model that picks"
        yield Remark((*path, "selector_model"), said, "write `selector_model:`, or `mode: lead`")
    if desk.mode is not DeskMode.HIVE:
        return
    threshold = desk.episode.policy.quorum.threshold
    if active < 2:
        said = f"`mode: hive` needs at least two active members, not {active}"
        yield Remark((*path, "members"), said, "add members, or write `mode: lead`")
    elif threshold > active:
        said = f"{threshold} supporters can never be found among {active} active members"
        remedy = f"write at most {active}; a majority is {active // 2 + 1}"
        yield Remark((*path, "episode", "quorum", "threshold"), said, remedy)


def _reaches(configuration: Configuration, path: Path, desk: DeskConfig) -> Iterator[Remark]:
    yield from _reach(configuration, (*path, "asks"), desk.id, desk.asks)
    yield from _reach(configuration, (*path, "answers"), desk.id, desk.answers)


def _reach(
    configuration: Configuration, path: Path, desk_id: str, reach: Reach
) -> Iterator[Remark]:
    if reach.kind is not ReachKind.DESKS:
        return
    for at, name in enumerate(reach.desks):
        if name == desk_id:
            yield Remark((*path, at), f"`{name}` is this desk itself", "remove it")
        else:
            yield from _unknown_desk(configuration, (*path, at), name)


def _referral(path: Path, desk: DeskConfig) -> Iterator[Remark]:
    referral = desk.referral
    if referral.refer_on and referral.policy.max_hops < _ASKING_ON_HOPS:
        said = f"asking on takes {_ASKING_ON_HOPS} hops, not {referral.policy.max_hops}"
        remedy = f"write `max_hops: {_ASKING_ON_HOPS}`, or `refer_on: no`"
        yield Remark((*path, "max_hops"), said, remedy)
    if referral.answer_within_s > referral.timeout_s:
        said = f"{referral.answer_within_s} s is longer than `timeout_s`, {referral.timeout_s} s"
        yield Remark((*path, "answer_within_s"), said, "write less than `timeout_s`")


def _elsewhere(configuration: Configuration) -> Iterator[Remark]:
    for at, member in enumerate(configuration.general.members):
        yield from _unknown_agent(configuration, ("general", "members", at), member)
    if not (name := configuration.orchestrator):
        return
    yield from _unknown_agent(configuration, ("orchestrator",), name)
    agent = configuration.agent(name)
    if agent is not None and agent.retired:
        said = f"`{name}` is retired, so nobody answers direct messages"
        yield Remark(("orchestrator",), said, "name an agent that is not retired")
