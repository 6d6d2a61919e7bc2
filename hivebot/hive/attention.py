"""Who wants the floor, how much and why, and who gets it?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self

from hivebot.hive.directory import Directory, DirectoryPolicy
from hivebot.hive.quorum import QuorumPolicy, Standing, carried
from hivebot.hive.salience import NEUTRAL_RELEVANCE, SalienceWeights, base, score
from hivebot.hive.scalars import saturate_i64
from hivebot.hive.threshold import AgentThreshold, by_agent
from hivebot.hive.trace import Trace, TraceKind, deduplicate

__all__ = [
    "DOMINANCE_PENALTY",
    "AgentThreshold",
    "Assessment",
    "Bid",
    "BidReason",
    "bids",
    "bids_of",
    "explain",
    "floor_holder",
]

DOMINANCE_PENALTY: Final = 3000
"""What a member whose share exceeds the dominance cap loses, thousandths."""

_POSITIONS: Final = frozenset(
    {
        TraceKind.PROPOSE,
        TraceKind.SUPPORT,
        TraceKind.OBJECT,
        TraceKind.REFUTE,
        TraceKind.COMMIT,
        TraceKind.DEFER,
    }
)


class BidReason(StrEnum):
    """Why a member should be heard, strongest first.

    Attributes:
        bonus: Thousandths on the member's pull.

    Source: hive.md section 15.2.
    """

    bonus: int

    def __new__(cls, value: str, bonus: int) -> Self:
        """Make the member that equals `value`."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.bonus = bonus
        return member

    ADDRESSED = "addressed", 2000
    DISSENT = "dissent", 1500
    KNOWS = "knows", 1250
    QUIET = "quiet", 1000
    SALIENCE = "salience", 0


@dataclass(frozen=True, slots=True)
class Bid:
    """One member's claim to the floor.

    Attributes:
        agent_id: The member.
        urge: What it has above its threshold, thousandths, i64, not negative.
        reason: The one reason its bonus was for.
    """

    agent_id: str
    urge: int
    reason: BidReason


@dataclass(frozen=True, slots=True)
class Assessment:
    """How one member stands in the market, whether it bids or not.

    Attributes:
        agent_id: The member.
        pull: What the live traces amount to for it, thousandths, before bonus and penalty.
        reason: The one reason that applies.
        penalty: What dominance costs it, thousandths.
        threshold: What it must reach to bid, thousandths, i64.
        share: Grounded traces it has inside the window, 0 unless it backs an option.
        total_share: Sum of the shares of all members.

    Source: hive.md section 15.
    """

    agent_id: str
    pull: int
    reason: BidReason
    penalty: int
    threshold: int
    share: int
    total_share: int

    @property
    def bonus(self) -> int:
        """What the reason adds to the pull, thousandths."""
        return self.reason.bonus

    @property
    def urge(self) -> int:
        """The total after bonus and penalty, thousandths."""
        return self.pull + self.reason.bonus - self.penalty

    @property
    def bid(self) -> Bid | None:
        """The bid of a member whose urge reaches its threshold."""
        surplus = self.urge - self.threshold
        return Bid(self.agent_id, saturate_i64(surplus), self.reason) if surplus >= 0 else None


def explain(
    traces: Iterable[Trace],
    standings: Sequence[Standing],
    members: Sequence[str],
    thresholds: Iterable[AgentThreshold],
    *,
    at: int,
    weights: SalienceWeights,
    dominance_cap: int,
    repetition_cap: int,
    quorum: QuorumPolicy,
    directory: Directory | None = None,
    directory_policy: DirectoryPolicy | None = None,
    defer_cap: int | None = None,
) -> tuple[Assessment, ...]:
    """Assess every member, in the order given.

    A member's reason is the first that applies:

    1. addressed: a live trace by somebody else names a sequence the member has a live trace at;
    2. dissent: the member backs none of several options that share the most supporters;
    3. knows: it is the directory's best among the members on the contested topic, knows it, and
       has taken no position on it;
    4. quiet: it has the smallest share, the earlier on ties, while some share exceeds the cap;
    5. salience.

    Args:
        traces: All of the episode; pull and addressing have no window.
        standings: At `at`; not folded again.
        members: Ids in desk order.
        thresholds: Records of anybody; those of members are read.
        at: The present sequence.
        weights: Of the pull.
        dominance_cap: Per cent of all shares above which one is too many.
        repetition_cap: Supporters from which further supports pull nobody; 0 means never.
        quorum: Its window bounds shares and deferrals; it is not checked.
        directory: What is known; none means that nobody knows.
        directory_policy: The floor of knowing; none means that nobody knows.
        defer_cap: Deferrals from which they no longer say which topic is contested; none: any
            number.

    Raises:
        DuplicateAgentThresholdError: Two thresholds are for one agent; checked first.
        ZeroHalfLifeError: The weights have no half-life, and some trace has to be weighed.

    Source: hive.md section 15.
    """
    records = by_agent(thresholds)
    live = deduplicate(traces)
    pulls = _pulls(
        live, standings, members, records, at=at, weights=weights, repetition_cap=repetition_cap
    )
    opening = max(0, at - quorum.window)
    shares = _shares(live, standings, members, opening)
    total = sum(shares[member] for member in members)
    exceeding = {member for member, share in shares.items() if share * 100 > total * dominance_cap}
    reasons = _Reasons(
        addressed=_addressed(live),
        leading=_leading(standings),
        knower=_knower(
            live,
            standings,
            members,
            at=at,
            quorum=quorum,
            directory=directory,
            policy=directory_policy,
            defer_cap=defer_cap,
        ),
        quietest=min(members, key=lambda member: shares[member]) if exceeding else None,
    )
    return tuple(
        Assessment(
            agent_id=member,
            pull=pulls[member],
            reason=reasons.of(member),
            penalty=DOMINANCE_PENALTY if member in exceeding else 0,
            threshold=records[member].threshold if member in records else 0,
            share=shares[member],
            total_share=total,
        )
        for member in members
    )


def bids_of(assessments: Iterable[Assessment]) -> tuple[Bid, ...]:
    """Give the bids of those whose urge reaches their threshold, in the order given.

    Source: hive.md section 15.4.
    """
    return tuple(bid for assessment in assessments if (bid := assessment.bid) is not None)


def bids(
    traces: Iterable[Trace],
    standings: Sequence[Standing],
    members: Sequence[str],
    thresholds: Iterable[AgentThreshold],
    *,
    at: int,
    weights: SalienceWeights,
    dominance_cap: int,
    repetition_cap: int,
    quorum: QuorumPolicy,
    directory: Directory | None = None,
    directory_policy: DirectoryPolicy | None = None,
    defer_cap: int | None = None,
) -> tuple[Bid, ...]:
    """Give the bids of the members, in their order; arguments and errors as in `explain`.

    Source: hive.md section 15.
    """
    return bids_of(
        explain(
            traces,
            standings,
            members,
            thresholds,
            at=at,
            weights=weights,
            dominance_cap=dominance_cap,
            repetition_cap=repetition_cap,
            quorum=quorum,
            directory=directory,
            directory_policy=directory_policy,
            defer_cap=defer_cap,
        )
    )


def floor_holder(bids: Iterable[Bid]) -> Bid | None:
    """Give the bid of the highest urge, the earlier on ties; none without bids.

    Source: hive.md section 15.4.
    """
    return max(bids, key=lambda bid: bid.urge, default=None)


@dataclass(frozen=True, slots=True)
class _Reasons:
    """Whom each reason singles out.

    Attributes:
        addressed: The agents somebody else named.
        leading: Supporters of the options tied at the top; none without a tie.
        knower: The member that knows, if any.
        quietest: The member with the smallest share, if the room is lopsided.
    """

    addressed: Collection[str]
    leading: Collection[str] | None
    knower: str | None
    quietest: str | None

    def of(self, member: str) -> BidReason:
        """Give the first reason that applies."""
        if member in self.addressed:
            return BidReason.ADDRESSED
        if self.leading is not None and member not in self.leading:
            return BidReason.DISSENT
        if member == self.knower:
            return BidReason.KNOWS
        if member == self.quietest:
            return BidReason.QUIET
        return BidReason.SALIENCE


def _pulls(
    live: Sequence[Trace],
    standings: Iterable[Standing],
    members: Collection[str],
    records: Mapping[str, AgentThreshold],
    *,
    at: int,
    weights: SalienceWeights,
    repetition_cap: int,
) -> dict[str, int]:
    """Sum the scores of the live traces for each member.

    All members share the sum at neutral relevance; each differs from it only on the topics it
    has an affinity for.
    """
    if not members:
        return {}
    saturated = {
        standing.topic
        for standing in standings
        if repetition_cap and len(standing.supporters) >= repetition_cap
    }
    neutral = 0
    counts: dict[str | None, int] = defaultdict(int)
    for trace in live:
        topic = trace.topic
        if topic not in saturated or trace.kind is not TraceKind.SUPPORT:
            neutral += score(base(trace, at, weights), weights, NEUTRAL_RELEVANCE)
            counts[topic] += 1
    return {
        member: neutral + weights.relevance * _partiality(records.get(member), counts)
        for member in members
    }


def _partiality(record: AgentThreshold | None, counts: Mapping[str | None, int]) -> int:
    """Sum the relevance a member gives to the traces beyond the neutral one, 0..100 each.

    A score is a tenth of base and relevance together, and relevance counts there in whole tens. So
    it adds the same to every score of its topic, and no fraction is dropped differently.
    """
    if record is None or not record.affinity:
        return 0
    return sum(
        (min(relevance, 100) - NEUTRAL_RELEVANCE) * counts.get(topic, 0)
        for topic, relevance in record.relevances().items()
    )


def _addressed(live: Sequence[Trace]) -> set[str]:
    """Collect the agents with a trace at a sequence that somebody else's trace names."""
    present: dict[int, set[str]] = {}
    for trace in live:
        if (agent := trace.agent_id) is not None:
            present.setdefault(trace.sequence, set()).add(agent)
    addressed: set[str] = set()
    for trace in live:
        named = trace.cites if trace.target is None else (trace.target, *trace.cites)
        for sequence in named:
            for agent in present.get(sequence, ()):
                if agent != trace.agent_id:
                    addressed.add(agent)
    return addressed


def _leading(standings: Sequence[Standing]) -> set[str] | None:
    """Collect the supporters of the options tied at the top; none without a tie."""
    most = max((len(standing.supporters) for standing in standings), default=0)
    tied = [standing for standing in standings if len(standing.supporters) == most]
    if most == 0 or len(tied) < 2:
        return None
    return {agent for standing in tied for agent in standing.supporters}


def _shares(
    live: Iterable[Trace], standings: Iterable[Standing], members: Iterable[str], opening: int
) -> dict[str, int]:
    """Count each member's grounded traces from `opening` on, 0 for those who back nothing."""
    backers = {agent for standing in standings for agent in standing.supporters}
    shares = dict.fromkeys(members, 0)
    for trace in live:
        if trace.cites and trace.sequence >= opening:
            agent = trace.agent_id
            if agent in shares and agent in backers:
                shares[agent] += 1
    return shares


def _knower(
    live: Sequence[Trace],
    standings: Sequence[Standing],
    members: Sequence[str],
    *,
    at: int,
    quorum: QuorumPolicy,
    directory: Directory | None,
    policy: DirectoryPolicy | None,
    defer_cap: int | None,
) -> str | None:
    """Find the member that knows the contested topic and has taken no position on it."""
    if directory is None or policy is None:
        return None
    topic = _contested(live, standings, at, quorum, defer_cap)
    if topic is None:
        return None
    best = directory.top_among(topic, members)
    if best is None or not directory.knows(best, topic, policy):
        return None
    spoken = any(
        trace.topic == topic and trace.kind in _POSITIONS and trace.agent_id == best
        for trace in live
    )
    return None if spoken else best


def _contested(
    live: Iterable[Trace],
    standings: Iterable[Standing],
    at: int,
    quorum: QuorumPolicy,
    defer_cap: int | None,
) -> str | None:
    """Name the topic in question: the last one deferred, else the strongest one not carried."""
    opening = max(0, at - quorum.window)
    deferrals = [
        trace for trace in live if trace.kind is TraceKind.DEFER and opening <= trace.sequence <= at
    ]
    if defer_cap is None or len(deferrals) < defer_cap:
        for trace in reversed(deferrals):
            if trace.topic is not None:
                return trace.topic
    undecided = [standing for standing in standings if not carried(standing, quorum)]
    strongest = max(undecided, key=lambda standing: standing.support, default=None)
    return None if strongest is None else strongest.topic
