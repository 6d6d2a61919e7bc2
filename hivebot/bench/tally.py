"""What adds up over the episodes of one arm?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from time import perf_counter
from typing import Final, TypeAlias, TypeVar

from hivebot.bench.deliberation import Ending, Episode
from hivebot.bench.rooms import Room
from hivebot.bench.statistics import spearman_milli
from hivebot.hive.attention import BidReason
from hivebot.hive.directory import DirectoryPolicy, directory
from hivebot.hive.episode import EpisodePhase
from hivebot.hive.trace import Trace, TraceKind

_DIRECTORY: Final = DirectoryPolicy()

_Case = TypeVar("_Case")


@dataclass(slots=True)
class Tally:
    """Counts and sums over the episodes of one arm; all integers, so parts add up exactly.

    Attributes:
        episodes: Rooms or federations.
        correct: Decided for the best option.
        decided: With a decision at all.
        turns: Turns taken.
        steps: Steps asked of the folds.
        cost: Cost of all turns.
        deliberations: Deliberations held; a federation holds one on each desk.
        converged: Deliberations that ended so.
        deadlocked: Deliberations that ended so.
        exhausted: Deliberations that ended so.
        idle: Deliberations that ended so.
        with_expert: Episodes of rooms with a deciding expert.
        routed_right: Episodes in which the router chose the expert.
        expert_spoke: Episodes in which the expert had a turn.
        expert_wait: Turns before the expert's first one.
        expert_led: Episodes whose decision the expert proposed first.
        facts: Episodes in which the expert deposited on an option before the commit phase.
        fact_wait: Turns before that deposit.
        knows: Episodes in which a turn was won for knowing.
        defers: Deferrals.
        rho_milli: Rank correlations of directory weight and speech share, in thousandths.
        crossings: Questions and answers on their way between desks, and digests that arrived.
        stranded: Letters for desks that had finished.
        asks: Questions that cost no turn.
        digests: Statements of a desk to every other one.
    """

    episodes: int = 0
    correct: int = 0
    decided: int = 0
    turns: int = 0
    steps: int = 0
    cost: int = 0
    deliberations: int = 0
    converged: int = 0
    deadlocked: int = 0
    exhausted: int = 0
    idle: int = 0
    with_expert: int = 0
    routed_right: int = 0
    expert_spoke: int = 0
    expert_wait: int = 0
    expert_led: int = 0
    facts: int = 0
    fact_wait: int = 0
    knows: int = 0
    defers: int = 0
    rho_milli: int = 0
    crossings: int = 0
    stranded: int = 0
    asks: int = 0
    digests: int = 0

    def add(self, other: Tally) -> None:
        """Count the episodes of another part of the same run."""
        for count in fields(self):
            setattr(self, count.name, getattr(self, count.name) + getattr(other, count.name))

    def count_decision(self, decision: str | None, best: str) -> None:
        """Count what one episode decided, if anything."""
        self.episodes += 1
        self.decided += decision is not None
        self.correct += decision == best

    def count_ending(self, ending: Ending) -> None:
        """Count how one deliberation ended."""
        self.deliberations += 1
        self.converged += ending is Ending.CONVERGED
        self.deadlocked += ending is Ending.DEADLOCKED
        self.exhausted += ending is Ending.EXHAUSTED
        self.idle += ending is Ending.IDLE

    def count_route(self, room: Room, chosen: int) -> None:
        """Count whether a router chose the member whose word ought to decide."""
        if room.expert is not None:
            self.with_expert += 1
            self.routed_right += chosen == room.expert

    def count_episode(self, room: Room, episode: Episode, *, unit_cost: int | None = None) -> None:
        """Count a deliberation.

        Args:
            room: The room it was held in.
            episode: What became of it.
            unit_cost: What every turn costs; none: what its speaker costs.
        """
        self.count_decision(episode.decision, room.best)
        self.count_ending(episode.ending)
        self.turns += len(episode.said)
        self.steps += len(episode.said) + 1
        speakers = [said.turn.agent_id for said in episode.said]
        costs = {seat.id: seat.cost if unit_cost is None else unit_cost for seat in room.seats}
        self.cost += sum(costs[speaker] for speaker in speakers)
        self.knows += any(said.turn.reason is BidReason.KNOWS for said in episode.said)
        self.defers += sum(trace.kind is TraceKind.DEFER for trace in episode.traces)
        self.rho_milli += directory_against_speech(episode, speakers)
        if room.expert is not None:
            self._count_expert(room.seats[room.expert].id, episode, speakers)

    def _count_expert(self, expert: str, episode: Episode, speakers: Sequence[str]) -> None:
        self.with_expert += 1
        if expert in speakers:
            self.expert_spoke += 1
            self.expert_wait += speakers.index(expert)
        proposer = next(
            (
                trace.agent_id
                for trace in episode.traces
                if trace.kind is TraceKind.PROPOSE and trace.topic == episode.decision
            ),
            None,
        )
        self.expert_led += proposer == expert
        deposit = _first_fact(expert, episode)
        if deposit is not None and deposit < _first_commit(episode):
            self.facts += 1
            self.fact_wait += deposit


@dataclass(slots=True)
class ArmResult:
    """What one arm came to.

    Attributes:
        tally: Its counts and sums.
        outcomes: Whether it was right, episode by episode, in order.
        elapsed_s: Seconds it took on this machine; nothing else depends on them.
    """

    tally: Tally = field(default_factory=Tally)
    outcomes: list[bool] = field(default_factory=list[bool])
    elapsed_s: float = 0.0

    def add(self, other: ArmResult) -> None:
        """Append the episodes that come next."""
        self.tally.add(other.tally)
        self.outcomes.extend(other.outcomes)
        self.elapsed_s += other.elapsed_s


Results: TypeAlias = dict[str, ArmResult]
"""What each arm of a run came to."""

Score: TypeAlias = Callable[[_Case, Tally], None]
"""How an arm plays one episode and counts it."""


def play_episodes(cases: Iterable[_Case], scores: Mapping[str, Score[_Case]]) -> Results:
    """Play every arm over some episodes; each starts from the case as it was generated."""
    results = {arm: ArmResult() for arm in scores}
    for case in cases:
        for arm, score in scores.items():
            result = results[arm]
            before = result.tally.correct
            started = perf_counter()
            score(case, result.tally)
            result.elapsed_s += perf_counter() - started
            result.outcomes.append(result.tally.correct > before)
    return results


def directory_against_speech(episode: Episode, speakers: Sequence[str]) -> int:
    """Correlate what the directory makes of each member with how often it spoke.

    Thousandths. A directory that merely repeats who talked has found out nothing.

    Source: bench.md section 10.
    """
    known = directory(episode.traces, episode.last_sequence, _DIRECTORY, ())
    weights = dict.fromkeys(episode.members, 0)
    for entry in known.entries:
        weights[entry.agent_id] += entry.weight
    spoken = dict.fromkeys(episode.members, 0)
    for speaker in speakers:
        spoken[speaker] += 1
    return spearman_milli(tuple(weights.values()), tuple(spoken.values()))


def _first_fact(expert: str, episode: Episode) -> int | None:
    deposits = {trace.sequence for trace in episode.traces if _states(trace, expert)}
    return next(
        (index for index, said in enumerate(episode.said) if said.message.sequence in deposits),
        None,
    )


def _states(trace: Trace, agent_id: str) -> bool:
    return (
        trace.kind is TraceKind.EVIDENCE and trace.topic is not None and trace.agent_id == agent_id
    )


def _first_commit(episode: Episode) -> int:
    """Give the index of the first turn of the commit phase, one past the last without any."""
    phases = [said.turn.phase for said in episode.said]
    return phases.index(EpisodePhase.COMMIT) if EpisodePhase.COMMIT in phases else len(phases)
