"""What happens next in a deliberation: who speaks, or how does it end?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeAlias

from hivebot.hive.attention import (
    AgentThreshold,
    Assessment,
    Bid,
    BidReason,
    bids_of,
    explain,
    floor_holder,
)
from hivebot.hive.conversation import AgentAuthor, Conversation
from hivebot.hive.desk import DeskSet
from hivebot.hive.directory import Directory, DirectoryPolicy, directory
from hivebot.hive.errors import UnknownThresholdMemberError, ZeroDeferCapError
from hivebot.hive.quorum import (
    Consensus,
    Deadlock,
    Quorum,
    QuorumPolicy,
    Standing,
    consensus,
    standings,
)
from hivebot.hive.roster import Roster
from hivebot.hive.salience import SalienceWeights
from hivebot.hive.scalars import saturate_i64, saturate_u32
from hivebot.hive.trace import Trace, TraceKind, read
from hivebot.hive.transcript import SessionMessage

SPEAK_COST: Final = 500
"""What a turn adds to the speaker's threshold, thousandths."""

SILENCE_CREDIT: Final = 250
"""What a turn takes off everybody else's threshold, thousandths."""


class EpisodePhase(StrEnum):
    """Whether the room still weighs options or puts one on record; the change is one-way."""

    DELIBERATE = "deliberate"
    COMMIT = "commit"


class Visibility(StrEnum):
    """Whether a turn sees what its peers have said in the episode."""

    BLIND = "blind"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class EpisodePolicy:
    """Bounds of one deliberation.

    Attributes:
        turn_budget: Turns it may cost, u32.
        blind_round: Whether turns are blind until every member has written.
        dominance_cap: Per cent of the shares above which a member is held back, u32.
        repetition_cap: Supporters from which further supports pull nobody, u32; 0 means never.
        directory: How to fold who knows what; none: nobody is asked for what it knows.
        defer_cap: Deferrals, u32 above 0, from which they no longer name the contested topic;
            none: any number.
        quorum: What carries an option; its window bounds shares and deferrals too.
        weights: What makes a trace pull.

    Source: hive.md sections 16 and 20.
    """

    turn_budget: int = 12
    blind_round: bool = True
    dominance_cap: int = 50
    repetition_cap: int = 3
    directory: DirectoryPolicy | None = None
    defer_cap: int | None = None
    quorum: QuorumPolicy = field(default_factory=QuorumPolicy)
    weights: SalienceWeights = field(default_factory=SalienceWeights)

    def check(self) -> None:
        """Refuse what must not wait until it bites.

        The quorum policy and the weights are not checked here: they only raise when they are used.

        Raises:
            ZeroDeferCapError: A defer cap of 0; checked first.
            ZeroDirectoryHalfLifeError: A directory half-life of 0.
            ZeroDirectoryWindowError: A directory window of 0.
        """
        if self.defer_cap == 0:
            raise ZeroDeferCapError
        if self.directory is not None:
            self.directory.check()


@dataclass(frozen=True, slots=True)
class EpisodeState:
    """What a deliberation keeps between turns; as given, a fresh one.

    Attributes:
        conversation: Where it is held.
        watermark: Sequence before its first message; rows above it belong to it.
        spent: Turns taken, u32.
        phase: Deliberate or commit.
        thresholds: One record for each member once a turn was taken.
        commit_boundary: The present sequence when the commit phase began; a commitment counts
            above it.

    Source: hive.md section 16.1.
    """

    conversation: Conversation
    watermark: int
    spent: int = 0
    phase: EpisodePhase = EpisodePhase.DELIBERATE
    thresholds: tuple[AgentThreshold, ...] = ()
    commit_boundary: int | None = None


@dataclass(frozen=True, slots=True)
class HiveTurn:
    """The one turn a step authorises.

    Attributes:
        agent_id: Who speaks.
        phase: Whether it argues or commits.
        visibility: Whether it sees its peers.
        reason: Why it got the floor.
        next_state: To be stored only when the turn is durably in the transcript.
    """

    agent_id: str
    phase: EpisodePhase
    visibility: Visibility
    reason: BidReason
    next_state: EpisodeState


@dataclass(frozen=True, slots=True)
class Speak:
    """Somebody has the floor: exactly one turn."""

    turn: HiveTurn


@dataclass(frozen=True, slots=True)
class Converged:
    """An option was carried and put on record."""

    topic: str
    standing: Standing


@dataclass(frozen=True, slots=True)
class Deadlocked:
    """Several options are carried, and every member backs one of them."""

    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Exhausted:
    """The turn budget is used up."""

    spent: int


@dataclass(frozen=True, slots=True)
class Idle:
    """Nobody's urge reaches its threshold."""


Step: TypeAlias = Speak | Converged | Deadlocked | Exhausted | Idle


@dataclass(frozen=True, slots=True)
class Examination:
    """A step and how it came about.

    Attributes:
        step: What happens next.
        at: The present sequence.
        standings: Backing of each option; empty when the budget was used up before.
        consensus: What the standings amount to; none when the budget was used up before.
        assessments: How each member stands in the market; empty when it ended without one.
        directory: Who knows what; none without a policy for it, or when it ended without a market.
    """

    step: Step
    at: int
    standings: tuple[Standing, ...] = ()
    consensus: Consensus | None = None
    assessments: tuple[Assessment, ...] = ()
    directory: Directory | None = None


def step(
    state: EpisodeState,
    transcript: Sequence[SessionMessage],
    roster: Roster,
    desks: DeskSet,
    policy: EpisodePolicy,
) -> Step:
    """Say what happens next; order of checks and errors as in `examine`.

    Source: hive.md section 16.1.
    """
    return examine(state, transcript, roster, desks, policy).step


def examine(
    state: EpisodeState,
    transcript: Sequence[SessionMessage],
    roster: Roster,
    desks: DeskSet,
    policy: EpisodePolicy,
) -> Examination:
    """Say what happens next, and show the working.

    Checks come in this order, also when the budget is used up: roster, desks, defer cap, directory
    policy, the desk of the conversation, the carried thresholds. Then as `examine_live`.

    Raises:
        HiveError: The roster or the desk set is malformed.
        ZeroDeferCapError: A defer cap of 0.
        ZeroDirectoryHalfLifeError: A directory half-life of 0.
        ZeroDirectoryWindowError: A directory window of 0.
        UnknownDeskError: The conversation is on no desk.
        AmbiguousDeskError: Several desks have the name given as its id.
        UnknownThresholdMemberError: The state has a threshold for somebody off the desk.

    Source: hive.md section 16.1.
    """
    roster.validate()
    desks.validate()
    policy.check()
    desk_id = desks.resolve_id(state.conversation.desk_id)
    active = roster.active_ids()
    members = tuple(member for member in desks.members(desk_id) if member in active)
    for record in state.thresholds:
        if record.agent_id not in members:
            raise UnknownThresholdMemberError(record.agent_id, desk_id)
    live = live_messages(state, transcript, members)
    return examine_live(state, live, read(live), members, policy)


def live_messages(
    state: EpisodeState, transcript: Iterable[SessionMessage], members: Sequence[str]
) -> tuple[SessionMessage, ...]:
    """Keep the messages of the episode: above the watermark, and not by agents off the desk.

    Source: hive.md section 16.1, rung 6.
    """
    return tuple(
        message
        for message in transcript
        if message.sequence > state.watermark
        and (not isinstance(message.author, AgentAuthor) or message.author.id in members)
    )


def examine_live(
    state: EpisodeState,
    live: Sequence[SessionMessage],
    traces: Sequence[Trace],
    members: Sequence[str],
    policy: EpisodePolicy,
) -> Examination:
    """Say what happens next in an episode whose messages and members are already picked out.

    For a caller that keeps `traces` between steps; `examine` is this after its checks. The first
    that answers wins:

    1. the budget is used up: exhausted;
    2. one option is carried, the phase is commit, and somebody committed to it above the boundary:
       converged;
    3. several options are carried, and every member backs one of them: deadlocked;
    4. nobody bids: idle;
    5. the floor holder speaks.

    Args:
        state: The episode's; its thresholds are of members only.
        live: What `live_messages` keeps.
        traces: What `read` gives of `live`.
        members: Active members in desk order.
        policy: Already checked with `EpisodePolicy.check`.

    Raises:
        ZeroQuorumThresholdError: A quorum threshold of 0.
        ZeroQuorumWindowError: A quorum window of 0.
        ZeroRefutationCapError: A refutation cap of 0.
        DuplicateAgentThresholdError: The state has two thresholds for one member.
        ZeroHalfLifeError: The weights have no half-life, and some trace has to be weighed.

    Source: hive.md section 16.1.
    """
    at = live[-1].sequence if live else state.watermark
    if state.spent >= policy.turn_budget:
        return Examination(Exhausted(state.spent), at)
    standing = standings(traces, at, policy.quorum)
    agreed = consensus(standing, policy.quorum)
    ending = _ending(state, traces, standing, agreed, members)
    if ending is not None:
        return Examination(ending, at, standing, agreed)
    known = (
        None
        if policy.directory is None
        else directory(traces, at, policy.directory, state.thresholds)
    )
    assessments = explain(
        traces,
        standing,
        members,
        state.thresholds,
        at=at,
        weights=policy.weights,
        dominance_cap=policy.dominance_cap,
        repetition_cap=policy.repetition_cap,
        quorum=policy.quorum,
        directory=known,
        directory_policy=policy.directory,
        defer_cap=policy.defer_cap,
    )
    bid = floor_holder(bids_of(assessments))
    if bid is None:
        return Examination(Idle(), at, standing, agreed, assessments, known)
    turn = HiveTurn(
        agent_id=bid.agent_id,
        phase=EpisodePhase.COMMIT if isinstance(agreed, Quorum) else state.phase,
        visibility=_visibility(live, members, policy),
        reason=bid.reason,
        next_state=_next_state(state, bid, at, agreed, members),
    )
    return Examination(Speak(turn), at, standing, agreed, assessments, known)


def project_for(turn: HiveTurn, messages: Iterable[SessionMessage]) -> tuple[SessionMessage, ...]:
    """Keep what one authorised turn may see, in order.

    A blind turn does not see what other agents, whoever they are, wrote in the episode.

    Source: hive.md section 10.3.
    """
    if turn.visibility is Visibility.FULL:
        return tuple(messages)
    return tuple(
        message
        for message in messages
        if message.sequence <= turn.next_state.watermark
        or not isinstance(message.author, AgentAuthor)
        or message.author.id == turn.agent_id
    )


def _ending(
    state: EpisodeState,
    traces: Iterable[Trace],
    standings: Iterable[Standing],
    agreed: Consensus,
    members: Iterable[str],
) -> Converged | Deadlocked | None:
    if isinstance(agreed, Quorum) and _committed(state, traces, agreed.topic):
        carried = next(one for one in standings if one.topic == agreed.topic)
        return Converged(agreed.topic, carried)
    if isinstance(agreed, Deadlock):
        split = [one for one in standings if one.topic in agreed.topics]
        backers = {agent for one in split for agent in one.supporters}
        if backers.issuperset(members):
            return Deadlocked(agreed.topics)
    return None


def _committed(state: EpisodeState, traces: Iterable[Trace], topic: str) -> bool:
    boundary = state.commit_boundary
    if state.phase is not EpisodePhase.COMMIT or boundary is None:
        return False
    return any(
        trace.kind is TraceKind.COMMIT and trace.topic == topic and trace.sequence > boundary
        for trace in traces
    )


def _visibility(
    live: Iterable[SessionMessage], members: Iterable[str], policy: EpisodePolicy
) -> Visibility:
    if not policy.blind_round:
        return Visibility.FULL
    heard = {message.author.id for message in live if isinstance(message.author, AgentAuthor)}
    return Visibility.FULL if heard.issuperset(members) else Visibility.BLIND


def _next_state(
    state: EpisodeState, bid: Bid, at: int, agreed: Consensus, members: Iterable[str]
) -> EpisodeState:
    """Charge the speaker, credit the silent, and remember where the commit phase began."""
    committing = isinstance(agreed, Quorum) or state.phase is EpisodePhase.COMMIT
    boundary = at if state.commit_boundary is None else state.commit_boundary
    records = {record.agent_id: record for record in state.thresholds}
    return EpisodeState(
        conversation=state.conversation,
        watermark=state.watermark,
        spent=saturate_u32(state.spent + 1),
        phase=EpisodePhase.COMMIT if committing else EpisodePhase.DELIBERATE,
        thresholds=tuple(
            _charged(records.get(member) or AgentThreshold(member), speaks=member == bid.agent_id)
            for member in members
        ),
        commit_boundary=boundary if committing else None,
    )


def _charged(record: AgentThreshold, *, speaks: bool) -> AgentThreshold:
    change = SPEAK_COST if speaks else -SILENCE_CREDIT
    return AgentThreshold(record.agent_id, saturate_i64(record.threshold + change), record.affinity)
