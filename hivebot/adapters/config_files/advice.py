"""What was measured, or must follow, about settings that are accepted all the same?

Source: product.md 5, turns.md 1 and 2, hive.md 18.
"""

from __future__ import annotations

from collections.abc import Iterator

from hivebot.adapters.config_files.checks import active_members
from hivebot.adapters.config_files.findings import Path, Remark, listed
from hivebot.services.records.policy import (
    AgentConfig,
    Configuration,
    Consult,
    DeskConfig,
    DeskMode,
    Reach,
    ReachKind,
)

_ROUND_TRIP_HOPS = 2


def warnings(configuration: Configuration) -> list[Remark]:
    """Give what an operator should know before running a configuration that holds together."""
    found = [*_models(configuration), *_names(configuration)]
    for at, desk in enumerate(configuration.desks):
        path: Path = ("desks", at)
        found += _crossing(configuration, path, desk)
        found += _unheard(configuration, path, desk)
        found += _deliberation(configuration, path, desk)
    return found


def _models(configuration: Configuration) -> Iterator[Remark]:
    for at, agent in enumerate(configuration.agents):
        if agent.rule_based or agent.retired:
            continue
        if agent.price is None:
            said = f"{agent.model} needs `price:` or runs on a token budget only"
            yield Remark(("agents", at, "model"), said, "write its price, 0 where it is free")
        if agent.rules.shared or agent.rules.holds or agent.rules.refer:
            said = f"rules are read by `model: briefed` only, not by {agent.model}"
            yield Remark(("agents", at, "rules"), said, "write what it knows under `brief:`")


def _names(configuration: Configuration) -> Iterator[Remark]:
    """Names that pick out two agents, or an agent and a desk, call nobody."""
    meant: dict[str, tuple[str, str]] = {}
    called: list[tuple[Path, str, str, str]] = [
        (("agents", at), "agent", agent.id, name)
        for at, agent in enumerate(configuration.agents)
        if not agent.retired
        for name in (agent.id, agent.name)
    ]
    called += [
        (("desks", at), "desk", desk.id, name)
        for at, desk in enumerate(configuration.desks)
        for name in (desk.id, desk.name)
    ]
    said: set[tuple[str, str]] = set()
    for path, kind, ident, name in called:
        first = meant.setdefault(name.lower(), (kind, ident))
        if first != (kind, ident) and (kind, ident) not in said:
            said.add((kind, ident))
            message = f"`@{name}` means {first[0]} `{first[1]}` as well, so it calls nobody"
            yield Remark((*path, "id"), message, "give one of them another id or name")


def _crossing(configuration: Configuration, path: Path, desk: DeskConfig) -> Iterator[Remark]:
    """Whether questions that may leave do leave, and whether that is worth their price."""
    policy = desk.referral.policy
    asks = desk.asks.kind is not ReachKind.NONE
    crosses = asks and policy.enabled
    if asks and not policy.enabled:
        said = f"desk `{desk.id}` may ask, but referral is off, so nothing crosses"
        yield Remark((*path, "asks"), said, "write `referral: {enabled: yes}`, or `asks: none`")
    if crosses and policy.returns and policy.max_hops < _ROUND_TRIP_HOPS:
        said = f"with {policy.max_hops} hops a question or its answer stays where it is"
        yield Remark((*path, "referral", "max_hops"), said, "write 2: one round trip")
    if crosses and not policy.reach.crosses:
        said = "`reach: local` keeps every question on the desk"
        yield Remark((*path, "referral", "reach"), said, "write `reach: desks`")
    if crosses and not _blind_spots(configuration, desk):
        said = (
            f"referral is on, but desk `{desk.id}` names no blind spot of its own: it pays twice "
            "and gains nothing (99.7% right alone, 100.0% asking, at twice the turns)"
        )
        remedy = "name them under `blind_spots:`; try `hivebot bench desk --federated`"
        yield Remark((*path, "referral", "enabled"), said, remedy)


def _blind_spots(configuration: Configuration, desk: DeskConfig) -> bool:
    """A rule-based member that knows whom to ask about a word knows that it does not know it."""
    members = active_members(configuration, desk)
    return bool(desk.blind_spots) or any(agent.rules.refer for agent in members)


def _unheard(configuration: Configuration, path: Path, desk: DeskConfig) -> Iterator[Remark]:
    asks = desk.asks
    if asks.kind is ReachKind.DESKS:
        for at, name in enumerate(asks.desks):
            other = configuration.desk(name)
            if other is not None and not _answers(other.answers, desk.id):
                said = f"desk `{desk.id}` may ask `{name}`, but `{name}` does not answer it"
                remedy = f"write `answers: [{desk.id}]` on desk `{name}`"
                yield Remark((*path, "asks", at), said, remedy)
    elif asks.kind is not ReachKind.NONE:
        others = [other for other in configuration.desks if other.id != desk.id]
        if not any(_answers(other.answers, desk.id) for other in others):
            names = listed((f"`{other.id}`" for other in others), "and") if others else "no desk"
            said = f"desk `{desk.id}` may ask any desk, but none answers it ({names})"
            yield Remark((*path, "asks"), said, "write `answers:` on those that shall")
    if asks.kind is ReachKind.GATE and not desk.stewards:
        said = f"a steward of desk `{desk.id}` must approve each question, and it has none"
        yield Remark((*path, "stewards"), said, "name stewards: an empty list is nobody")
    if desk.answers.kind is ReachKind.GATE and not desk.stewards:
        said = f"a steward of desk `{desk.id}` must let each question in, and it has none"
        yield Remark((*path, "stewards"), said, "name stewards: an empty list is nobody")
    if (desk.gates.answers or desk.gates.decisions) and not desk.stewards:
        said = f"a steward of desk `{desk.id}` must approve what it says, and it has none"
        yield Remark((*path, "stewards"), said, "name stewards: an empty list is nobody")


def _answers(reach: Reach, asker: str) -> bool:
    if reach.kind is ReachKind.DESKS:
        return asker in reach.desks
    return reach.kind is not ReachKind.NONE


def _deliberation(configuration: Configuration, path: Path, desk: DeskConfig) -> Iterator[Remark]:
    episode = desk.episode
    crosses = desk.referral.policy.enabled and desk.asks.kind is not ReachKind.NONE
    consults = episode.consult is not Consult.OFF
    path = (*path, "episode")
    if desk.mode is DeskMode.HIVE and crosses and not consults:
        said = (
            f"desk `{desk.id}` asks others, but not before it decides: an answer that comes after "
            "the vote is voted past (0.2% right apart, 77.5% with answers in time)"
        )
        yield Remark((*path, "consult"), said, "write `consult: before_proposals`")
    if consults and not crosses:
        said = f"desk `{desk.id}` consults, but may ask nobody"
        yield Remark((*path, "consult"), said, "write `asks:` and turn referral on")
    if episode.policy.directory is not None:
        said = (
            "the directory gained nothing where it was made for: 65.8% right with it, 66.3% "
            "without, although it gave the floor in 77.5% of episodes"
        )
        yield Remark((*path, "directory"), said, "write `directory: null`, or watch its rho")
    if episode.announce_priors:
        said = (
            "directory lines shown to agents then hold the affinities you configured as if they "
            "had been earned"
        )
        yield Remark((*path, "announce_priors"), said, "write `announce_priors: no`")
    active: list[AgentConfig] = active_members(configuration, desk)
    threshold = episode.policy.quorum.threshold
    if desk.mode is not DeskMode.HIVE and 2 <= len(active) < threshold:
        said = f"asked to deliberate, {len(active)} members never reach {threshold} supporters"
        yield Remark((*path, "quorum", "threshold"), said, f"write at most {len(active)}")
