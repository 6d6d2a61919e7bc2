"""How does each predictor guess the next decision from the ones before it?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

import numpy as np

from hivebot.bench.proxy.decisions import OUTCOMES, Decision, DecisionStream
from hivebot.bench.proxy.features import (
    STATE,
    Embeddings,
    Features,
    salience_query,
    surprise_vectors,
)
from hivebot.proxy.ablation import FORGETS_NOTHING, most_recent
from hivebot.proxy.activation import Floats, Ints, TraceTable
from hivebot.proxy.calibration import ema, laplace_ema
from hivebot.proxy.chunks import Chunk, Outcome
from hivebot.proxy.matrix import ChunkMatrix
from hivebot.proxy.prediction import surprise
from hivebot.proxy.retrieval import Query, RetrievalPolicy, retrieve, seeded
from hivebot.proxy.vectors import Dimension, Vectors
from hivebot.proxy.vote import ABSTENTION, DOUBT, Ballot, Vote, memory_vote


@dataclass(frozen=True, slots=True)
class Guess:
    """What a predictor says before it sees the decision.

    Attributes:
        outcome: One of the three, or "" for an abstention, which counts as asking.
        confidence: 0..1, 0 for an abstention.
        survivors: Memories the guess could rest on.
        candidates: Memories there were.
    """

    outcome: str
    confidence: float
    survivors: int
    candidates: int


class Mind(Protocol):
    """A predictor that meets one person's decisions in order."""

    def predict(self, place: int) -> Guess:
        """Guess the decision at a place, from those before it."""
        ...

    def learn(self, place: int) -> None:
        """See the decision at a place, and store it."""
        ...


Rule: TypeAlias = Callable[[Sequence[Decision], str], Guess]
"""Guesses from the decisions so far and the context of the next."""


class CountingMind:
    """A predictor that counts outcomes and reads no text."""

    __slots__ = ("_rule", "_seen", "_stream")

    def __init__(self, stream: DecisionStream, rule: Rule) -> None:
        self._stream = stream
        self._rule = rule
        self._seen: list[Decision] = []

    def predict(self, place: int) -> Guess:
        """Apply the rule to what was seen."""
        return self._rule(self._seen, self._stream.decisions[place].context)

    def learn(self, place: int) -> None:
        """See one more."""
        self._seen.append(self._stream.decisions[place])


def majority(seen: Sequence[Decision], _context: str) -> Guess:
    """Guess the most frequent outcome so far."""
    return _most_frequent(seen, len(seen))


def context_majority(seen: Sequence[Decision], context: str) -> Guess:
    """Guess the most frequent outcome of this context; without one, of all."""
    here = [each for each in seen if each.context == context]
    return _most_frequent(here or seen, len(seen))


def last_in_context(seen: Sequence[Decision], context: str) -> Guess:
    """Guess the last outcome of this context; without one, the most frequent of all."""
    here = [each for each in seen if each.context == context]
    return _most_frequent(here[-1:] or seen, len(seen))


def older_gate(seen: Sequence[Decision], context: str) -> Guess:
    """Guess approval where Laplace and the running average allow it, else the most frequent other.

    Source: memory.md 6.3; proxy-experiment.md (baseline "Laplace + EMA").
    """
    here = [each.outcome for each in seen if each.context == context]
    value = 0.5
    for outcome in here:
        value = ema(value, outcome)
    confidence = laplace_ema(here.count(Outcome.APPROVE), len(here), value)
    if confidence >= 0.5:
        return Guess(Outcome.APPROVE, confidence, len(here), len(seen))
    others = [each for each in here if each != Outcome.APPROVE] or [Outcome.CORRECT]
    return Guess(_mode(others), 1 - confidence, len(here), len(seen))


@dataclass(frozen=True, slots=True)
class Recall:
    """How a memory is asked.

    Attributes:
        policy: Bounds of retrieval; its top-k is the number of votes.
        reinforce: Memories that voted for the prediction gain a trace.
        recent: Take as many of the most recent as the policy lets survive, by similarity alone.
    """

    policy: RetrievalPolicy
    reinforce: bool = True
    recent: bool = False


class MemoryMind:
    """The deterministic offline predictor: two-stage retrieval and a vote.

    Source: proxy-experiment.md (predictor).
    """

    __slots__ = (
        "_asked",
        "_clock",
        "_embeddings",
        "_matrix",
        "_outcomes",
        "_recall",
        "_rows",
        "_salience",
        "_seed",
        "_stored",
        "_stream",
        "_supporters",
        "_surprise",
        "_traces",
    )

    def __init__(
        self,
        stream: DecisionStream,
        asked: Features,
        recall: Recall,
        embeddings: Embeddings,
        *,
        stored: Features | None = None,
        outcomes: Sequence[str] | None = None,
        seed: int | None = None,
    ) -> None:
        """Begin with an empty memory.

        Args:
            stream: Whose decisions are predicted.
            asked: That person's vectors.
            recall: How the memory is asked.
            embeddings: For the sentences of surprises.
            stored: What is stored instead of that person's own decisions, or None.
            outcomes: What is stored as the outcome of each, or None for the true ones.
            seed: Of the noise; None switches it off.
        """
        self._stream = stream
        self._asked = asked
        self._recall = recall
        self._embeddings = embeddings
        self._seed = seed
        held = (stored or asked).stored
        self._rows = _row_numbers(held)
        chunks = [chunk for each in held for chunk in each]
        self._stored = chunks
        self._matrix = ChunkMatrix.of(
            [replace(chunk, sequence=row) for row, chunk in enumerate(chunks)]
        )
        self._outcomes = [chunk.outcome for chunk in chunks]
        if outcomes is not None:
            for rows, outcome in zip(self._rows, outcomes, strict=True):
                self._outcomes[rows[-1]] = outcome
        self._traces: list[list[int]] = [[] for _ in chunks]
        self._clock = 0
        self._supporters: tuple[int, ...] = ()
        self._salience = Dimension.SALIENCE in recall.policy.dimensions
        self._surprise = ""

    def predict(self, place: int) -> Guess:
        """Retrieve and let the memories vote."""
        vectors = self._asked.asked[place]
        if self._salience:
            decision = self._stream.decisions[place]
            vectors = replace(vectors, salience=salience_query(decision, self._embeddings))
        vote, guess = self._vote(vectors)
        self._supporters = tuple(map(int, vote.supporters))
        if self._salience:
            self._surprise = self._moved(place, vote)
        return guess

    def learn(self, place: int) -> None:
        """Reinforce what voted for the prediction, then store the interaction."""
        if self._recall.reinforce:
            for row in self._supporters:
                self._traces[row].append(self._clock)
        if place >= len(self._rows):  # the other person decided less often
            return
        for row in self._rows[place]:
            self._clock += 1
            self._traces[row].append(self._clock)
        if self._surprise:
            self._keep_surprise(self._rows[place][-1])

    def _vote(self, vectors: Vectors) -> tuple[Vote, Guess]:
        traces = TraceTable.of(self._traces)
        matrix = replace(self._matrix, traces=traces, live=traces.listed > 0)
        query, policy = Query(state=STATE, vectors=vectors), self._recall.policy
        chance = None if self._seed is None else seeded(matrix, self._seed, self._clock)
        found = retrieve(matrix, query, self._clock, policy, chance)
        rows, scores = found.rows, _floats(found.ranked_scores())
        if self._recall.recent:
            count = found.survivors.size
            rows, scores = _by_similarity(matrix, query, self._clock, policy, count)
        vote = memory_vote(
            [
                Ballot(str(row), self._outcomes[row], score)
                for row, score in zip(_ints(rows), scores, strict=True)
            ],
            allowed=OUTCOMES,
        )
        guess = Guess(vote.outcome, vote.confidence, found.survivors.size, found.candidates)
        return vote, guess

    def _moved(self, place: int, posterior: Vote) -> str:
        """Say in one sentence what the artifact changed, if it surprised."""
        prior, _ = self._vote(self._asked.blind[place])
        if not surprise(prior.confidence, posterior.confidence).surprised:
            return ""
        request = self._stream.decisions[place].request
        return f"{prior.outcome or 'nothing'} became {posterior.outcome or 'nothing'}: {request}"

    def _keep_surprise(self, row: int) -> None:
        """Store the sentence of the surprise with the chunk it belongs to."""
        chunk = self._stored[row]
        vectors = surprise_vectors(chunk, self._surprise, self._embeddings)
        self._stored[row] = replace(chunk, vectors=vectors)
        self._matrix = ChunkMatrix.of(
            [replace(each, sequence=number) for number, each in enumerate(self._stored)]
        )


EVERYTHING = RetrievalPolicy(retrieval_threshold=FORGETS_NOTHING)
"""No memory is forgotten; the score is the default's."""

NEAREST = replace(EVERYTHING, activation_weight=0.0, semantic_weight=1.0)
"""No memory is forgotten and activation does not count: similarity only."""


def _by_similarity(
    matrix: ChunkMatrix, query: Query, clock: int, policy: RetrievalPolicy, count: int
) -> tuple[Ints, list[float]]:
    rows = most_recent(matrix, query, clock, policy, count)
    every = retrieve(matrix, query, clock, replace(NEAREST, top_k=len(matrix)))
    scores = dict(zip(_ints(every.rows), _floats(every.ranked_scores()), strict=True))
    return rows, [scores[row] for row in _ints(rows)]


def _ints(values: Ints) -> list[int]:
    return values.tolist()


def _floats(values: Floats) -> list[float]:
    return values.tolist()


def _row_numbers(held: Sequence[Sequence[Chunk]]) -> list[range]:
    ends = np.cumsum([len(each) for each in held]).tolist()
    return [range(end - len(each), end) for each, end in zip(held, ends, strict=True)]


def _most_frequent(considered: Sequence[Decision], candidates: int) -> Guess:
    if not considered:
        return Guess(ABSTENTION.outcome, 0.0, 0, candidates)
    outcomes = [each.outcome for each in considered]
    outcome = _mode(outcomes)
    share = outcomes.count(outcome) / len(outcomes)
    confidence = share * len(outcomes) / (len(outcomes) + DOUBT)
    return Guess(outcome, confidence, len(considered), candidates)


def _mode(outcomes: Sequence[str]) -> str:
    """Give the most frequent outcome; of equals the earlier in `OUTCOMES`."""
    counts = Counter(outcomes)
    return max(OUTCOMES, key=lambda outcome: counts[outcome])
