"""Who knows what, going by what was said and what others made of it?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Final

from hivebot.hive.errors import ZeroDirectoryHalfLifeError, ZeroDirectoryWindowError
from hivebot.hive.scalars import distance, saturate_i64, truncating_div
from hivebot.hive.threshold import AgentThreshold, by_agent
from hivebot.hive.trace import Trace, TraceKind, decay, windowed

WEIGHT_CEILING: Final = 1_000_000

_GROUNDED_DEPOSITS: Final = frozenset({TraceKind.PROPOSE, TraceKind.SUPPORT, TraceKind.REFUTE})


@dataclass(frozen=True, slots=True)
class DirectoryPolicy:
    """How what was said becomes a weight.

    Attributes:
        half_life: Sequences, u32, above 0.
        specialisation: Tenths, u16, on what the agent itself laid down.
        credibility: Tenths, u16, on what others built on it.
        prior: Tenths, u16, on the declared affinity.
        discredit: Tenths, u16, that one objection takes from its target.
        window: Sequences that count before the present one, u32, above 0.
        floor: Weight from which an agent knows a topic, i64.

    Source: hive.md sections 14 and 20.
    """

    half_life: int = 20
    specialisation: int = 30
    credibility: int = 20
    prior: int = 10
    discredit: int = 20
    window: int = 30
    floor: int = 1000

    def check(self) -> None:
        """Refuse a policy under which nothing could count.

        Raises:
            ZeroDirectoryHalfLifeError: A half-life of 0; checked first.
            ZeroDirectoryWindowError: A window of 0.
        """
        if self.half_life == 0:
            raise ZeroDirectoryHalfLifeError
        if self.window == 0:
            raise ZeroDirectoryWindowError


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    """What one agent is worth on one topic.

    Attributes:
        agent_id: The agent, a member of the room or not.
        topic: The topic.
        specialisation: What it laid down itself, thousandths, i64.
        credibility: What others built on that, less objections, thousandths, i64.
        weight: Both and the prior under the policy, 0..`WEIGHT_CEILING`; 0 after a deferral.
    """

    agent_id: str
    topic: str
    specialisation: int
    credibility: int
    weight: int


@dataclass(frozen=True, slots=True)
class Directory:
    """The entries, by rising (topic, agent id), one for each pair.

    Source: hive.md section 14.
    """

    entries: tuple[DirectoryEntry, ...]

    def topics(self) -> tuple[str, ...]:
        """Give the topics, each once, in order."""
        return tuple(dict.fromkeys(entry.topic for entry in self.entries))

    def weight(self, agent_id: str, topic: str) -> int:
        """Give the weight of an agent on a topic, 0 without an entry."""
        for entry in self.entries:
            if entry.agent_id == agent_id and entry.topic == topic:
                return entry.weight
        return 0

    def knows(self, agent_id: str, topic: str, policy: DirectoryPolicy) -> bool:
        """Say whether the agent's weight reaches the floor.

        A floor of 0 or less is reached without an entry.
        """
        return self.weight(agent_id, topic) >= policy.floor

    def top(self, topic: str) -> str | None:
        """Give the agent of the highest weight on a topic, ties to the smallest id."""
        holders = [entry for entry in self.entries if entry.topic == topic]
        best = max(holders, key=_weight, default=None)
        return None if best is None else best.agent_id

    def top_among(self, topic: str, members: Iterable[str]) -> str | None:
        """Give the member of the highest weight on a topic, ties to the earlier member.

        Only members with an entry count, one of weight 0 included.
        """
        holders = {entry.agent_id: entry.weight for entry in self.entries if entry.topic == topic}
        present = [member for member in members if member in holders]
        return max(present, key=lambda member: holders[member], default=None)

    def lines(self) -> tuple[str, ...]:
        """Write one line for each topic, its holders by falling weight, then rising id."""
        return tuple(
            f"#{topic}: " + " · ".join(map(_holder, sorted(entries, key=_weight, reverse=True)))
            for topic, entries in groupby(self.entries, key=_topic)
        )


@dataclass(frozen=True, slots=True)
class Credit:
    """What one agent gives another by building on what that one laid down.

    Attributes:
        giver: The agent that cites.
        holder: The agent that is cited.
        topic: Of the citing trace.
        amount: Thousandths, faded, before any objection.
    """

    giver: str
    holder: str
    topic: str
    amount: int


def directory(
    traces: Iterable[Trace],
    at: int,
    policy: DirectoryPolicy,
    priors: Iterable[AgentThreshold],
) -> Directory:
    """Fold what is live into who knows what.

    Of the priors only the affinities are read. Credits are all given before any debit, and
    credibility is clamped at zero once, at the end. The order and the repetition of `traces`
    change nothing.

    Raises:
        ZeroDirectoryHalfLifeError: A half-life of 0; checked first.
        ZeroDirectoryWindowError: A window of 0.
        DuplicateAgentThresholdError: Two priors are for one agent.

    Source: hive.md section 14.
    """
    policy.check()
    declared = {
        (agent_id, topic): min(relevance, 100) * 10
        for agent_id, record in by_agent(priors).items()
        for topic, relevance in record.relevances().items()
    }
    live = windowed(traces, at, policy.window)
    fresh = {
        sequence: decay(distance(at, sequence), policy.half_life)
        for sequence in {trace.sequence for trace in live}
    }
    holders = _holders(live)
    specialisation = _specialisation(live, fresh)
    credibility, attribution = _credits(live, fresh, holders)
    _debit(live, fresh, holders, attribution, credibility, policy=policy)
    deferred = {(trace.agent_id, trace.topic) for trace in live if trace.kind is TraceKind.DEFER}
    entries: list[DirectoryEntry] = []
    for pair in sorted({*specialisation, *credibility, *declared}, key=_topic_first):
        laid, earned = specialisation.get(pair, 0), max(0, credibility.get(pair, 0))
        prior = declared.get(pair, 0)
        if laid or earned or prior:
            weight = 0 if pair in deferred else _weigh(laid, earned, prior, policy)
            entries.append(DirectoryEntry(*pair, laid, earned, weight))
    return Directory(tuple(entries))


def credits_given(traces: Iterable[Trace], at: int, policy: DirectoryPolicy) -> tuple[Credit, ...]:
    """Say who gives credit to whom: what credibility is made of, before the debits.

    In the order of the citing traces; a trace credits each holder once, by rising id.

    Raises:
        ZeroDirectoryHalfLifeError: A half-life of 0; checked first.
        ZeroDirectoryWindowError: A window of 0.

    Source: hive.md section 14, product.md section 5 ("the share of credit that is mutual").
    """
    policy.check()
    live = windowed(traces, at, policy.window)
    holders = _holders(live)
    given: list[Credit] = []
    for trace in live:
        giver, topic = trace.agent_id, trace.topic
        if giver is None or topic is None:
            continue
        amount = decay(distance(at, trace.sequence), policy.half_life)
        cited = {agent for number in trace.cites for agent in holders.get(number, ())}
        given.extend(Credit(giver, agent, topic, amount) for agent in sorted(cited - {giver}))
    return tuple(given)


def sorted_directory(entries: Iterable[DirectoryEntry]) -> Directory | None:
    """Put stored entries in order, or refuse them.

    None when a weight is outside 0..`WEIGHT_CEILING` or a pair of topic and agent comes twice.
    The two parts of a weight are not range-checked.

    Source: hive.md section 14.
    """
    ordered = tuple(sorted(entries, key=lambda entry: (entry.topic, entry.agent_id)))
    if not all(0 <= entry.weight <= WEIGHT_CEILING for entry in ordered):
        return None
    if any(
        one.topic == two.topic and one.agent_id == two.agent_id for one, two in pairwise(ordered)
    ):
        return None
    return Directory(ordered)


_Pair = tuple[str, str]
"""(agent, topic)."""

_Holders = dict[int, dict[str, set[str]]]
"""Topics of each agent's deposits at a sequence; an agent with untopiced deposits has none."""

_Attribution = dict[tuple[str, int], set[str]]
"""Topics that (agent, sequence) answers for."""


def _weight(entry: DirectoryEntry) -> int:
    return entry.weight


def _topic(entry: DirectoryEntry) -> str:
    return entry.topic


def _topic_first(pair: _Pair) -> _Pair:
    return pair[1], pair[0]


def _holder(entry: DirectoryEntry) -> str:
    spec, cred = entry.specialisation, entry.credibility
    return f"{entry.agent_id} {entry.weight} (spec {spec}, cred {cred})"


def _deposit(trace: Trace) -> int:
    """Give the thousandths a trace lays down."""
    if trace.kind is TraceKind.EVIDENCE:
        return 1000
    return 600 if trace.cites and trace.kind in _GROUNDED_DEPOSITS else 0


def _holders(live: Sequence[Trace]) -> _Holders:
    holders: _Holders = {}
    for trace in live:
        agent = trace.agent_id
        if agent is not None and _deposit(trace):
            topics = holders.setdefault(trace.sequence, {}).setdefault(agent, set())
            if trace.topic is not None:
                topics.add(trace.topic)
    return holders


def _specialisation(live: Sequence[Trace], fresh: dict[int, int]) -> dict[_Pair, int]:
    laid: dict[_Pair, int] = defaultdict(int)
    for trace in live:
        agent, topic = trace.agent_id, trace.topic
        if agent is not None and topic is not None:
            laid[agent, topic] += truncating_div(_deposit(trace) * fresh[trace.sequence], 1000)
    return laid


def _credits(
    live: Sequence[Trace], fresh: dict[int, int], holders: _Holders
) -> tuple[dict[_Pair, int], _Attribution]:
    earned: dict[_Pair, int] = defaultdict(int)
    attribution: _Attribution = {
        (agent, sequence): set(topics)
        for sequence, there in holders.items()
        for agent, topics in there.items()
    }
    for trace in live:
        citing, topic = trace.agent_id, trace.topic
        if citing is None or topic is None:
            continue
        credited: set[str] = set()
        for cited in trace.cites:
            for agent in holders.get(cited, ()):
                if agent != citing:
                    attribution[agent, cited].add(topic)
                    credited.add(agent)
        credit = truncating_div(1000 * fresh[trace.sequence], 1000)
        for agent in credited:
            earned[agent, topic] += credit
    return earned, attribution


def _debit(
    live: Sequence[Trace],
    fresh: dict[int, int],
    holders: _Holders,
    attribution: _Attribution,
    earned: dict[_Pair, int],
    *,
    policy: DirectoryPolicy,
) -> None:
    for trace in live:
        objector = trace.agent_id
        if trace.kind is not TraceKind.OBJECT or objector is None or trace.target is None:
            continue
        debit = truncating_div(policy.discredit * 1000 * fresh[trace.sequence], 10000)
        for agent in holders.get(trace.target, ()):
            if agent != objector:
                for topic in attribution[agent, trace.target]:
                    earned[agent, topic] -= debit


def _weigh(laid: int, earned: int, prior: int, policy: DirectoryPolicy) -> int:
    total = saturate_i64(
        saturate_i64(laid * policy.specialisation)
        + saturate_i64(earned * policy.credibility)
        + saturate_i64(prior * policy.prior)
    )
    return max(0, min(truncating_div(total, 10), WEIGHT_CEILING))
