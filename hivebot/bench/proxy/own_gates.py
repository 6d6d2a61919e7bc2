"""At which threshold would a desk's own memory have foretold its own gates best?

The memory is replayed from its first interaction: at each gate a person decided, what was known
then votes, by the rule of the experiment, before the outcome is stored. What is hidden now was
known until it was hidden; what was erased is gone. It recommends and writes nothing.

Source: product.md 7 (`hivebot memory calibrate`), proxy-experiment.md (predictor, metrics).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from hivebot.bench.proxy.arms import TAUS
from hivebot.bench.proxy.decisions import OUTCOMES
from hivebot.bench.proxy.experiment import SEED
from hivebot.bench.proxy.minds import Guess
from hivebot.bench.proxy.resampling import (
    Difference,
    Interval,
    difference,
    interval,
    wilson_upper,
)
from hivebot.bench.proxy.scores import ScoredGate, Scores, answers, scores
from hivebot.proxy.activation import TraceTable
from hivebot.proxy.chunks import Chunk, ChunkType
from hivebot.proxy.matrix import ChunkMatrix
from hivebot.proxy.memory import event_of, stamp
from hivebot.proxy.metrics import Ratio
from hivebot.proxy.retrieval import Query, RetrievalPolicy, retrieve
from hivebot.proxy.vectors import Vectors
from hivebot.proxy.vote import Ballot, memory_vote

GATES_MIN: Final = 20
"""With fewer gates nothing is recommended: as many as the experiment leaves out as warm-up."""


@dataclass(frozen=True, slots=True)
class Interaction:
    """One interaction of a memory, in the order it happened.

    Attributes:
        chunk: As it is remembered.
        by_human: A person decided it; only such gates are foretold.
    """

    chunk: Chunk
    by_human: bool = True

    @property
    def foretold(self) -> bool:
        """Say whether this is a gate that a person decided in one of the three ways."""
        return (
            self.by_human
            and self.chunk.type == ChunkType.GATE_OUTCOME
            and self.chunk.outcome in OUTCOMES
        )


@dataclass(frozen=True, slots=True)
class Tried:
    """How one policy would have done.

    Attributes:
        policy: The policy.
        scores: What is counted; gates without a memory above the threshold are wrong.
        balanced: Balanced accuracy with its interval.
        gates: Each gate, for comparisons.
    """

    policy: RetrievalPolicy
    scores: Scores
    balanced: Interval
    gates: tuple[ScoredGate, ...]

    @property
    def accuracy(self) -> Interval:
        """Give the share of right guesses with Wilson's interval."""
        return wilson(self.scores.accuracy)


@dataclass(frozen=True, slots=True)
class Advice:
    """What the replay says.

    Attributes:
        tried: Every policy, the one in force first.
        best: The one with the highest balanced accuracy; of equals the first.
        gain: Of the best over the one in force, paired; None where they are the same.
        recommended: The best, if there are gates enough and its gain is above 0 with its interval;
            otherwise None: keep what is in force.
    """

    tried: tuple[Tried, ...]
    best: Tried
    gain: Difference | None
    recommended: Tried | None


def calibrate(
    past: Sequence[Interaction], current: RetrievalPolicy, taus: Sequence[float] = TAUS
) -> Advice:
    """Replay a memory at several thresholds; everything else of the policy stays, noise apart.

    Args:
        past: All interactions in insertion order.
        current: The policy in force.
        taus: Thresholds to try beside its own.

    Source: product.md 7.
    """
    quiet = replace(current, noise_scale=0.0)
    others = [tau for tau in taus if tau != current.retrieval_threshold]
    policies = [quiet, *(replace(quiet, retrieval_threshold=tau) for tau in others)]
    tried = tuple(_tried(replay(past, policy), policy) for policy in policies)
    best = max(tried, key=lambda each: round(each.balanced.value, 9))
    if best is tried[0]:
        return Advice(tried, best, None, None)
    gain = difference(answers(best.gates, tried[0].gates), len(OUTCOMES), SEED)
    enough = len(best.gates) >= GATES_MIN and gain.interval.low > 0
    return Advice(tried, best, gain, best if enough else None)


def replay(past: Sequence[Interaction], policy: RetrievalPolicy) -> tuple[ScoredGate, ...]:
    """Foretell each gate from what was remembered before it: predict, reinforce, store.

    Source: proxy-experiment.md (predictor).
    """
    matrix = ChunkMatrix.of(
        [replace(each.chunk, sequence=row, traces=()) for row, each in enumerate(past)]
    )
    hidden = np.array([_hidden_at(each.chunk) for each in past])
    traces: list[list[int]] = [[] for _ in past]
    met: set[tuple[str, str]] = set()
    gates: list[ScoredGate] = []
    clock = 0
    for row, each in enumerate(past):
        if each.foretold:
            table = TraceTable.of(traces)
            known = replace(matrix, traces=table, live=(table.listed > 0) & (hidden > clock))
            guess, supporters = _guess(past, known, each.chunk, clock, policy)
            context = each.chunk.context
            gates.append(ScoredGate("", len(gates), each.chunk.outcome, guess, context in met))
            met.add(context)
            for supporter in supporters:
                traces[supporter].append(clock)
        after = stamp(event_of(each.chunk.type), clock)
        clock = after.clock
        traces[row].extend(after.traces)
    return tuple(gates)


def wilson(share: Ratio) -> Interval:
    """Give a share with Wilson's 95% interval; all of it of nothing."""
    return Interval(
        value=share.share or 0.0,
        low=1.0 - wilson_upper(share.total - share.hits, share.total),
        high=wilson_upper(share.hits, share.total),
    )


def _guess(
    past: Sequence[Interaction],
    known: ChunkMatrix,
    chunk: Chunk,
    clock: int,
    policy: RetrievalPolicy,
) -> tuple[Guess, tuple[int, ...]]:
    query = Query(
        state=chunk.state,
        task_type=chunk.task_type,
        vectors=_asked(chunk.vectors),
        embedding_model=chunk.embedding_model,
    )
    found = retrieve(known, query, clock, policy)
    ranked: list[float] = found.ranked_scores().tolist()
    rows: list[int] = found.rows.tolist()
    ballots = [
        Ballot(str(row), past[row].chunk.outcome, score)
        for row, score in zip(rows, ranked, strict=True)
    ]
    vote = memory_vote(ballots, allowed=OUTCOMES)
    guess = Guess(vote.outcome, vote.confidence, found.survivors.size, found.candidates)
    return guess, tuple(int(each) for each in vote.supporters)


def _asked(vectors: Vectors) -> Vectors:
    """Leave out what the gate could not know: the person's words, and what surprised."""
    return replace(vectors, response=None, salience=None)


def _hidden_at(chunk: Chunk) -> float:
    return float("inf") if chunk.deleted_at is None else chunk.deleted_at


def _tried(gates: tuple[ScoredGate, ...], policy: RetrievalPolicy) -> Tried:
    people = answers(gates)
    return Tried(policy, scores(gates), interval(people, len(OUTCOMES), SEED), gates)
