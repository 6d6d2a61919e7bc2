"""Who knew what in one deliberation, and has knowing it ever helped the desk?

The directory is folded from one named episode, never stored and never summed over episodes. Beside
it stands what tells whether it is worth having. Pure. Source: product.md 5, hive.md 14 and 18.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from hivebot.hive.attention import BidReason
from hivebot.hive.conversation import AgentAuthor
from hivebot.hive.directory import DirectoryEntry, DirectoryPolicy, credits_given, directory
from hivebot.hive.episode import EpisodeState, live_messages
from hivebot.hive.trace import Trace, TraceKind, read, windowed
from hivebot.services.correlation import Mean, mean_of, spearman
from hivebot.services.floor import log_messages
from hivebot.services.records.episodes import EpisodeRow
from hivebot.services.records.policy import Configuration
from hivebot.services.records.rows import MessageRow
from hivebot.services.snapshots import active_members

EPISODES_MAX: Final = 50
"""Deliberations of the desk that are looked at beside the one that was asked about."""

TRACKS_RHO: Final = 0.7
TRACKS_EPISODES: Final = 20
IDLE_EPISODES: Final = 20

TRACKS_TALK: Final = "the directory tracks who talked"
CHANGED_NOTHING: Final = "it changed nothing here; switch it off"


@dataclass(frozen=True, slots=True)
class Holding:
    """What one agent is worth on one topic, taken apart.

    The three parts add up to the weight, unless it is cut at its ceiling or the agent deferred.

    Attributes:
        deposited: For what it laid down itself, at least 0.
        credited: For what others built on that, less objections, at least 0.
        configured: For its affinity in the configuration: nothing it has shown here.
        weight: 0..1,000,000.
        deferred: It has left the topic to others, so its weight is 0.
        knows: The weight reaches the policy's floor.
    """

    agent_id: str
    deposited: int
    credited: int
    configured: int
    weight: int
    deferred: bool
    knows: bool


@dataclass(frozen=True, slots=True)
class Topic:
    """Who knows one topic, by falling weight; ties by id."""

    topic: str
    holdings: tuple[Holding, ...]


@dataclass(frozen=True, slots=True)
class Speaker:
    """How much of the talk was one agent's.

    Attributes:
        rule_based: No model is behind it.
        turns: Rows of the episode it wrote.
        share: 0..1 of all turns.
    """

    agent_id: str
    name: str
    rule_based: bool
    turns: int
    share: float


@dataclass(frozen=True, slots=True)
class Record:
    """What the directory was good for in the desk's last deliberations that have ended.

    Attributes:
        episodes: At most `EPISODES_MAX`, the newest.
        directory_on: In how many of them the desk's policy had a directory.
        rho: Mean over them of Spearman's correlation, between members, of earned weight and turns;
            None without any. Each is folded under its own policy, without what is configured.
        credit: Thousandths of credit members gave one another.
        mutual: Those given to a member that gave credit back in the same episode.
        turns: Decisions that gave somebody the floor.
        knows_turns: Those for the reason `knows`.
        idle: The newest `IDLE_EPISODES` with a directory had no such turn.
    """

    episodes: int
    directory_on: int
    rho: Mean | None
    credit: int
    mutual: int
    turns: int
    knows_turns: int
    idle: bool

    @property
    def verdicts(self) -> tuple[str, ...]:
        """What has to be said plainly."""
        said: list[str] = []
        if self.rho and self.rho.n >= TRACKS_EPISODES and self.rho.value >= TRACKS_RHO:
            said.append(TRACKS_TALK)
        if self.idle:
            said.append(CHANGED_NOTHING)
        return tuple(said)


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The answer: one episode's directory, and the desk's record beside it.

    Attributes:
        at: Sequence of the last row it was folded from.
        policy: What it was folded under.
        directory_on: The policy is the desk's own; else the default one, as the desk has none.
        topics: In order of their names.
        speakers: The members, in desk order.
    """

    episode: EpisodeRow
    at: int
    policy: DirectoryPolicy
    directory_on: bool
    topics: tuple[Topic, ...]
    speakers: tuple[Speaker, ...]
    record: Record


@dataclass(frozen=True, slots=True)
class Deliberated:
    """An episode as it is read.

    Attributes:
        state: Its own; it has come to deliberate.
        rows: All rows of its log, oldest first.
        reasons: How often the market decided for each reason.
        configuration: The one it began with.
    """

    episode: EpisodeRow
    state: EpisodeState
    rows: tuple[MessageRow, ...]
    reasons: Mapping[str, int]
    configuration: Configuration


def knowledge_of(named: Deliberated, recent: Iterable[Deliberated]) -> Knowledge:
    """Fold the directory of one episode, and count over the desk's last ones.

    A desk without a directory of its own is folded under the default policy.

    Args:
        named: The episode that is asked about.
        recent: The desk's last ones that have ended, the newest first, at most `EPISODES_MAX`.
    """
    room = _room(named)
    return Knowledge(
        episode=named.episode,
        at=room.at,
        policy=room.policy,
        directory_on=room.directory_on,
        topics=_topics(room),
        speakers=tuple(_speakers(room, named.configuration)),
        record=_record([_room(one) for one in recent]),
    )


@dataclass(frozen=True, slots=True)
class _Room:
    """An episode as the directory sees it."""

    state: EpisodeState
    members: tuple[str, ...]
    policy: DirectoryPolicy
    directory_on: bool
    traces: tuple[Trace, ...]
    at: int
    turns: Mapping[str, int]
    reasons: Mapping[str, int]


def _room(one: Deliberated) -> _Room:
    desk = one.configuration.desk(one.episode.desk_id)
    members = (
        active_members(desk, one.configuration)
        if desk is not None
        else tuple(record.agent_id for record in one.state.thresholds)
    )
    own = desk.episode.policy.directory if desk is not None else None
    live = live_messages(one.state, log_messages(one.rows), members)
    authors = Counter(row.author.id for row in live if isinstance(row.author, AgentAuthor))
    return _Room(
        state=one.state,
        members=members,
        policy=own or DirectoryPolicy(),
        directory_on=own is not None,
        traces=read(live),
        at=live[-1].sequence if live else one.state.watermark,
        turns={member: authors[member] for member in members},
        reasons=one.reasons,
    )


def _topics(room: _Room) -> tuple[Topic, ...]:
    known = directory(room.traces, room.at, room.policy, room.state.thresholds)
    affinities = {record.agent_id: record.relevances() for record in room.state.thresholds}
    deferred = {
        (trace.agent_id, trace.topic)
        for trace in windowed(room.traces, room.at, room.policy.window)
        if trace.kind is TraceKind.DEFER
    }
    return tuple(
        Topic(
            topic,
            tuple(
                _holding(
                    entry,
                    min(affinities.get(entry.agent_id, {}).get(topic, 0), 100) * 10,
                    room.policy,
                    deferred=(entry.agent_id, topic) in deferred,
                )
                for entry in sorted(entries, key=lambda entry: (-entry.weight, entry.agent_id))
            ),
        )
        for topic, entries in groupby(known.entries, key=lambda entry: entry.topic)
    )


def _holding(
    entry: DirectoryEntry, prior: int, policy: DirectoryPolicy, *, deferred: bool
) -> Holding:
    """Take a weight apart; what the one division leaves over goes to the later part."""
    deposited = entry.specialisation * policy.specialisation
    credited = deposited + entry.credibility * policy.credibility
    configured = credited + prior * policy.prior
    return Holding(
        agent_id=entry.agent_id,
        deposited=deposited // 10,
        credited=credited // 10 - deposited // 10,
        configured=configured // 10 - credited // 10,
        weight=entry.weight,
        deferred=deferred,
        knows=entry.weight >= policy.floor,
    )


def _speakers(room: _Room, configuration: Configuration) -> Iterable[Speaker]:
    total = sum(room.turns.values())
    for member, turns in room.turns.items():
        agent = configuration.agent(member)
        yield Speaker(
            agent_id=member,
            name=agent.name if agent is not None else member,
            rule_based=agent is not None and agent.rule_based,
            turns=turns,
            share=turns / total if total else 0.0,
        )


def _record(rooms: Sequence[_Room]) -> Record:
    """Count over rooms, the newest first."""
    given = [_credit(room) for room in rooms]
    with_directory = [room for room in rooms if room.directory_on]
    newest = with_directory[:IDLE_EPISODES]
    return Record(
        episodes=len(rooms),
        directory_on=len(with_directory),
        rho=mean_of([_rho(room) for room in rooms]),
        credit=sum(credit for credit, _ in given),
        mutual=sum(mutual for _, mutual in given),
        turns=sum(room.reasons.get(reason.value, 0) for room in rooms for reason in BidReason),
        knows_turns=sum(_won_by_knowing(room) for room in rooms),
        idle=len(newest) == IDLE_EPISODES and not any(map(_won_by_knowing, newest)),
    )


def _won_by_knowing(room: _Room) -> int:
    return room.reasons.get(BidReason.KNOWS.value, 0)


def _rho(room: _Room) -> float:
    """Correlate, between members, what the directory makes of each with how often it spoke."""
    earned = dict.fromkeys(room.members, 0)
    for entry in directory(room.traces, room.at, room.policy, ()).entries:
        earned[entry.agent_id] += entry.weight
    return spearman(tuple(earned.values()), tuple(room.turns.values()))


def _credit(room: _Room) -> tuple[int, int]:
    """(given, mutual) in thousandths."""
    given: Counter[tuple[str, str]] = Counter()
    for credit in credits_given(room.traces, room.at, room.policy):
        given[credit.giver, credit.holder] += credit.amount
    mutual = sum(amount for (giver, holder), amount in given.items() if given.get((holder, giver)))
    return sum(given.values()), mutual
