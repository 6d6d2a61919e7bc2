"""What would the whole chain have done at each gate? Two passes, guards, a decision, a lesson.

The passes are the vote of the memories, without the artifact and with it, so that everything is the
same on every machine. A wrong act is overruled; its outcome is then a person's.

Source: memory.md 5, 6 and 11, proxy-experiment.md (predictor).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from hivebot.bench.proxy.decisions import OUTCOMES, DecisionStream
from hivebot.bench.proxy.features import STATE, Features
from hivebot.proxy.accuracy import AccuracyRecord, Judged, count
from hivebot.proxy.calibration import (
    Action,
    CalibrationInput,
    CalibrationPolicy,
    GateMode,
    Guard,
    calibrate,
    decide,
    grounded,
)
from hivebot.proxy.chunks import Chunk
from hivebot.proxy.conflict import Cause, classify, conflict_pairs
from hivebot.proxy.matrix import ChunkMatrix
from hivebot.proxy.memory import MemoryState, memory_depth, record, reinforce
from hivebot.proxy.metrics import GateRecord
from hivebot.proxy.noise import roll
from hivebot.proxy.prediction import PassReply, Prediction, settle
from hivebot.proxy.retrieval import Query, Retrieval, RetrievalPolicy, retrieve
from hivebot.proxy.vectors import Vectors
from hivebot.proxy.vote import Ballot, memory_vote

_NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""Every gate is decided on one day: staleness is a matter of wall time, which no stream has."""


@dataclass(frozen=True, slots=True)
class Walked:
    """What came of one person's gates.

    Attributes:
        gates: One record per gate, in order.
        chunks: The memory afterwards, with every trace.
    """

    gates: tuple[GateRecord, ...]
    chunks: tuple[Chunk, ...]


def walk(
    stream: DecisionStream,
    known: Features,
    policy: RetrievalPolicy,
    calibration: CalibrationPolicy,
    seed: int,
) -> Walked:
    """Walk through one person's gates: predict twice, guard, act or ask, store.

    Args:
        stream: Whose gates.
        known: The vectors of the same.
        policy: How the memory is asked.
        calibration: Bounds of the guards.
        seed: Of the exploration rolls.
    """
    memory = MemoryState()
    accuracy: dict[tuple[str, str], AccuracyRecord | None] = {}
    gates: list[GateRecord] = []
    for place, decision in enumerate(stream.decisions):
        matrix = ChunkMatrix.of(memory.chunks)
        blind, _ = _pass(memory, matrix, decision.context, known.blind[place], policy)
        asked, found = _pass(memory, matrix, decision.context, known.asked[place], policy)
        prediction = settle(blind, asked)
        shown = [memory.chunks[row] for row in _rows(found)]
        context = (STATE, decision.context)
        calibrated = calibrate(
            CalibrationInput(
                confidence=prediction.confidence,
                memory_depth=memory_depth(memory.chunks),
                genuine_tension=_tense(shown, memory.clock),
                accuracy=accuracy.get(context),
                today=_NOW.date(),
                roll=roll(seed, f"{stream.decider}/{place}"),
            ),
            calibration,
        )
        acted = _acts(prediction, calibrated.confidence, shown, decision.context)
        wrong = acted and prediction.prediction != decision.outcome
        gates.append(
            _record(decision.outcome, prediction, calibrated.guard, found, acted=acted, wrong=wrong)
        )
        accuracy[context] = count(
            accuracy.get(context),
            Judged(
                outcome=decision.outcome,
                prior=_action(prediction.prior),
                posterior=_action(prediction.posterior),
                by_human=wrong or not acted,
            ),
            _NOW,
        )
        memory = _learn(memory, asked, known.stored[place], prediction)
    return Walked(tuple(gates), memory.chunks)


def _pass(
    memory: MemoryState,
    matrix: ChunkMatrix,
    context: str,
    vectors: Vectors,
    policy: RetrievalPolicy,
) -> tuple[PassReply, Retrieval]:
    query = Query(state=STATE, task_type=context, vectors=vectors)
    found = retrieve(matrix, query, memory.clock, policy)
    scores: list[float] = found.ranked_scores().tolist()
    ballots = [
        Ballot(memory.chunks[row].id, memory.chunks[row].outcome, score)
        for row, score in zip(_rows(found), scores, strict=True)
    ]
    vote = memory_vote(ballots, allowed=OUTCOMES)
    return PassReply(vote.outcome, vote.confidence, vote.outcome, vote.supporters), found


def _acts(prediction: Prediction, confidence: float, shown: Sequence[Chunk], context: str) -> bool:
    cited = {*(prediction.posterior.used if prediction.posterior else ())}
    rests = grounded([each for each in shown if each.id in cited], STATE, context)
    action = decide(
        GateMode.WHEN_UNSURE, confidence, prediction.text, from_model=prediction.from_model
    )
    return rests and action is Action.ACT


def _tense(shown: Sequence[Chunk], clock: int) -> bool:
    return any(
        classify(first, second, clock).cause is Cause.GENUINE_TENSION
        for first, second in conflict_pairs(shown)
    )


def _record(
    outcome: str,
    prediction: Prediction,
    guard: Guard,
    found: Retrieval,
    *,
    acted: bool,
    wrong: bool,
) -> GateRecord:
    return GateRecord(
        outcome=outcome,
        by_human=wrong or not acted,
        prior_prediction=_action(prediction.prior),
        posterior_prediction=_action(prediction.posterior),
        surprised=prediction.surprise.surprised,
        guard=guard,
        acted=acted,
        overruled=wrong,
        candidates=found.candidates,
        survivors=found.survivors.size,
    )


def _learn(
    memory: MemoryState, asked: PassReply, stored: Sequence[Chunk], prediction: Prediction
) -> MemoryState:
    memory = reinforce(memory, asked.used).memory
    for chunk in stored:
        decided = chunk.outcome in OUTCOMES
        prior, posterior = prediction.prior, prediction.posterior
        memory = record(
            memory,
            replace(
                chunk,
                prior_prediction=_action(prior) if decided else "",
                prior_confidence=prior.confidence if prior else 0.0,
                posterior_prediction=_action(posterior) if decided else "",
                posterior_confidence=posterior.confidence if posterior else 0.0,
            ),
        )
    return memory


def _action(reply: PassReply | None) -> str:
    return reply.prediction if reply else ""


def _rows(found: Retrieval) -> list[int]:
    return found.rows.tolist()
