"""Which options have how much backing, and has the room agreed?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hivebot.hive.errors import (
    ZeroQuorumThresholdError,
    ZeroQuorumWindowError,
    ZeroRefutationCapError,
)
from hivebot.hive.trace import Trace, TraceKind, windowed


@dataclass(frozen=True, slots=True)
class QuorumPolicy:
    """What it takes to carry an option.

    Attributes:
        threshold: Supporters needed, u32, above 0.
        window: Sequences that count before the present one, u32, above 0.
        require_grounded: Whether supports and objections must cite.
        refutation_cap: Refuters, u32 above 0, from which an option is no longer carried; none: any
            number.
        require_evidential: Whether the citations of a support must lead to a fact, and an objector
            must have stated one.

    Source: hive.md sections 13 and 20.
    """

    threshold: int = 2
    window: int = 30
    require_grounded: bool = True
    refutation_cap: int | None = None
    require_evidential: bool = False

    @property
    def grounds_needed(self) -> bool:
        """Whether supports and objections must cite, be it only to lead to a fact."""
        return self.require_grounded or self.require_evidential

    def check(self) -> None:
        """Refuse a policy under which nothing, or everything, would be carried.

        Raises:
            ZeroQuorumThresholdError: A threshold of 0; checked first.
            ZeroQuorumWindowError: A window of 0.
            ZeroRefutationCapError: A refutation cap of 0.
        """
        if self.threshold == 0:
            raise ZeroQuorumThresholdError
        if self.window == 0:
            raise ZeroQuorumWindowError
        if self.refutation_cap == 0:
            raise ZeroRefutationCapError


@dataclass(frozen=True, slots=True)
class Standing:
    """Who backs one option.

    Attributes:
        topic: The option.
        supporters: Agents that back it and are not silenced, by first support.
        silenced: Agents whose advocacy of it met an objection, by first silencing.
        refuted_by: Agents that refuted it, by first refutation.
        support: Importance of everything the supporters said for it, thousandths.

    Source: hive.md section 13.1.
    """

    topic: str
    supporters: tuple[str, ...]
    silenced: tuple[str, ...]
    refuted_by: tuple[str, ...]
    support: int


@dataclass(frozen=True, slots=True)
class Deliberating:
    """Nothing is carried."""


@dataclass(frozen=True, slots=True)
class Quorum:
    """Exactly one topic is carried."""

    topic: str


@dataclass(frozen=True, slots=True)
class Deadlock:
    """Two or more topics are carried, in standing order."""

    topics: tuple[str, ...]


Consensus = Deliberating | Quorum | Deadlock


def standings(traces: Iterable[Trace], at: int, policy: QuorumPolicy) -> tuple[Standing, ...]:
    """Count the backing of every option advocated inside the window, first advocated first.

    The passes: supports, objections (which silence advocates), refutations. The order and the
    repetition of `traces` change nothing. Linear in traces and citations, but for objections to a
    message that holds many advocacies.

    Raises:
        ZeroQuorumThresholdError: A threshold of 0; checked first.
        ZeroQuorumWindowError: A window of 0.
        ZeroRefutationCapError: A refutation cap of 0.

    Source: hive.md section 13.1.
    """
    policy.check()
    live = windowed(traces, at, policy.window)
    refutations = _refutations(live)
    backing, advocacies = _supports(live, policy, refutations)
    silenced = _silenced(live, policy, advocacies)
    refuters: dict[str, list[str]] = defaultdict(list)
    for agent, topic in refutations:
        refuters[topic].append(agent)
    return tuple(
        _standing(topic, weights, silenced.get(topic, {}), refuters.get(topic, []))
        for topic, weights in backing.items()
    )


def carried(standing: Standing, policy: QuorumPolicy) -> bool:
    """Say whether an option has the supporters it needs and not too many refuters.

    Source: hive.md section 13.2.
    """
    if policy.refutation_cap is not None and len(standing.refuted_by) >= policy.refutation_cap:
        return False
    return len(standing.supporters) >= policy.threshold


def consensus(standings: Iterable[Standing], policy: QuorumPolicy) -> Consensus:
    """Say whether none, one or several options are carried. The policy is not checked.

    Source: hive.md section 13.2.
    """
    topics = tuple(standing.topic for standing in standings if carried(standing, policy))
    if not topics:
        return Deliberating()
    if len(topics) == 1:
        return Quorum(topics[0])
    return Deadlock(topics)


_Advocate = tuple[str, str]
"""(agent, topic)."""

_Backing = dict[str, dict[str, int]]
"""Weight by topic and agent, both in the order of their first support."""

_Advocacies = dict[int, dict[_Advocate, None]]
"""Who advocated what, by the sequence it was said at."""


def _refutations(live: Sequence[Trace]) -> dict[_Advocate, None]:
    """Collect who refuted what, once each, in live order."""
    return {
        (agent, trace.topic): None
        for trace in live
        if trace.kind is TraceKind.REFUTE
        and trace.cites
        and trace.topic is not None
        and (agent := trace.agent_id) is not None
    }


def _supports(
    live: Sequence[Trace], policy: QuorumPolicy, refutations: dict[_Advocate, None]
) -> tuple[_Backing, _Advocacies]:
    factual = _factual(live) if policy.require_evidential else None
    backing: _Backing = {}
    advocacies: _Advocacies = {}
    for trace in live:
        topic, agent = trace.topic, trace.agent_id
        if topic is None or agent is None or (agent, topic) in refutations:
            continue
        if trace.kind is TraceKind.SUPPORT:
            if policy.grounds_needed and not trace.cites:
                continue
            if factual is not None and factual.isdisjoint(trace.cites):
                continue
        elif trace.kind is not TraceKind.PROPOSE:
            continue
        weights = backing.setdefault(topic, {})
        weights[agent] = weights.get(agent, 0) + trace.kind.importance
        advocacies.setdefault(trace.sequence, {})[agent, topic] = None
    return backing, advocacies


def _factual(live: Sequence[Trace]) -> set[int]:
    """Collect the sequences from which a chain of citations leads to a fact.

    Walks backwards from the facts once, so that no chain is searched twice.
    """
    cited_by: dict[int, list[int]] = defaultdict(list)
    for trace in live:
        for cited in trace.cites:
            cited_by[cited].append(trace.sequence)
    reached = {trace.sequence for trace in live if trace.kind is TraceKind.EVIDENCE}
    pending = list(reached)
    while pending:
        for citing in cited_by.get(pending.pop(), ()):
            if citing not in reached:
                reached.add(citing)
                pending.append(citing)
    return reached


def _silenced(
    live: Sequence[Trace], policy: QuorumPolicy, advocacies: _Advocacies
) -> dict[str, dict[str, None]]:
    """Collect whom objections silence, by topic, in order of first silencing."""
    evidenced: set[str | None] | None = None
    if policy.require_evidential:
        evidenced = {trace.agent_id for trace in live if trace.kind is TraceKind.EVIDENCE} - {None}
    silenced: dict[str, dict[str, None]] = {}
    for trace in live:
        if trace.kind is not TraceKind.OBJECT or trace.target is None:
            continue
        objector = trace.agent_id
        if policy.grounds_needed and not trace.cites:
            continue
        if evidenced is not None and objector not in evidenced:
            continue
        for agent, topic in advocacies.get(trace.target, ()):
            if agent != objector:
                silenced.setdefault(topic, {})[agent] = None
    return silenced


def _standing(
    topic: str, weights: dict[str, int], silenced: dict[str, None], refuters: list[str]
) -> Standing:
    heard = {agent: weight for agent, weight in weights.items() if agent not in silenced}
    return Standing(topic, tuple(heard), tuple(silenced), tuple(refuters), sum(heard.values()))
