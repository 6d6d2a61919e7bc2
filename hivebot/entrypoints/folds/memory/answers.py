"""What does each fold of the memory answer?"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from hivebot.entrypoints.folds.memory.inputs import (
    Keys,
    accuracy,
    chunks_of,
    clock_of,
    draws_of,
    integers,
    number,
    numbers,
    one_chunk,
    one_query,
    policy_of,
    today,
)
from hivebot.hive.wire.codec import (
    enum_of,
    flag,
    i64,
    list_of,
    optional,
    optional_nullable,
    record,
    required,
    text,
)
from hivebot.proxy.accuracy import AccuracyRecord, Judged, count
from hivebot.proxy.activation import base_level_activation, hybrid_activation
from hivebot.proxy.calibration import (
    CalibrationInput,
    CalibrationPolicy,
    GateMode,
    calibrate,
    decide,
    ema,
)
from hivebot.proxy.conflict import classify, conflict_pairs
from hivebot.proxy.consolidation import consolidate, revise
from hivebot.proxy.matrix import ChunkMatrix
from hivebot.proxy.noise import logistic_noise
from hivebot.proxy.notes import SIMILARITY, Note, kept_notes, note_pairs
from hivebot.proxy.prediction import parse_confidence, surprise
from hivebot.proxy.retrieval import (
    SEED,
    Normalization,
    Retrieval,
    RetrievalPolicy,
    retrieve,
    retrieve_salience,
    score_one,
)
from hivebot.proxy.vectors import cosine, vector


def _finite(value: float) -> object:
    return "-inf" if value == -math.inf else value


def _base_level_activation(keys: Keys) -> object:
    traces = required(keys, "traces", integers, "")
    decay = optional(keys, "d", number, "", SEED.decay)
    return _finite(base_level_activation(traces, clock_of(keys), decay))


def _petrov_hybrid(keys: Keys) -> object:
    traces = required(keys, "traces", integers, "")
    clock, keep = clock_of(keys), required(keys, "k", i64, "")
    decay = optional(keys, "d", number, "", SEED.decay)
    return {
        "approx": _finite(hybrid_activation(traces, clock, keep, decay)),
        "exact": _finite(base_level_activation(traces, clock, decay)),
    }


def _logistic_noise(keys: Keys) -> object:
    return logistic_noise(required(keys, "p", number, ""), required(keys, "s", number, ""))


def _cosine(keys: Keys) -> object:
    return cosine(required(keys, "a", numbers, ""), required(keys, "b", numbers, ""))


def _composite_tanh(keys: Keys) -> object:
    policy = replace(policy_of(keys), normalization=Normalization.TANH)
    params = optional(keys, "params", record, "", {})
    noisy = "p" in params and "s" in params
    p = required(params, "p", number, "params") if noisy else None
    chunk, query = required(keys, "chunk", one_chunk, ""), required(keys, "query", one_query, "")
    return score_one(chunk, query, clock_of(keys), policy, p)


def _scores(matrix: ChunkMatrix, found: Retrieval) -> dict[str, float]:
    values: list[float] = found.scores.tolist()
    return dict(zip(matrix.ids_of(found.survivors), values, strict=True))


def _found(keys: Keys, policy: RetrievalPolicy) -> tuple[ChunkMatrix, Retrieval]:
    matrix = ChunkMatrix.of(chunks_of(keys))
    noisy = "s" in optional(keys, "params", record, "", {})
    query = required(keys, "query", one_query, "")
    chance = draws_of(keys) if noisy else None
    return matrix, retrieve(matrix, query, clock_of(keys), policy, chance)


def _composite_minmax(keys: Keys) -> object:
    policy = replace(policy_of(keys), normalization=Normalization.MINMAX)
    return {"scores": _scores(*_found(keys, policy))}


def _retrieve(keys: Keys) -> object:
    matrix, found = _found(keys, policy_of(keys))
    return {
        "ids": list(found.ids),
        "survivors": list(matrix.ids_of(found.survivors)),
        "scores": _scores(matrix, found),
    }


def _retrieve_salience(keys: Keys) -> object:
    query = required(keys, "query", record, "")
    asked = optional_nullable(query, "salience", numbers, "query")
    found = retrieve_salience(
        ChunkMatrix.of(chunks_of(keys)),
        None if asked is None else vector(asked),
        clock_of(keys),
        policy_of(keys),
        optional(query, "embedding_model", text, "query", ""),
    )
    return {"ids": list(found.ids)}


def _surprise(keys: Keys) -> object:
    found = surprise(
        required(keys, "prior_confidence", number, ""),
        required(keys, "posterior_confidence", number, ""),
    )
    return {"surprise": found.surprised, "delta": found.delta, "magnitude": found.magnitude}


def _parse_confidence(keys: Keys) -> object:
    said, confidence = parse_confidence(required(keys, "output", text, ""))
    return {"text": said, "confidence": confidence}


def _conflict_pairs(keys: Keys) -> object:
    pairs = conflict_pairs(chunks_of(keys))
    return {"pairs": [[first.id, second.id] for first, second in pairs]}


def _conflict_classification(keys: Keys) -> object:
    first, second = required(keys, "a", one_chunk, ""), required(keys, "b", one_chunk, "")
    found = classify(first, second, clock_of(keys))
    return {"cause": found.cause.value, "newer_id": found.newer_id}


def _consolidation(keys: Keys) -> object:
    found = consolidate(chunks_of(keys), clock_of(keys), semantic_gate=None)
    return {"keep": list(found.keep), "soft_delete": list(found.soft_delete)}


def _note(value: object, path: str) -> Note:
    keys = record(value, path)
    return Note(*(required(keys, name, text, path) for name in ("id", "content", "created_at")))


def _verdicts(value: object, path: str) -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    for pair, verdict in record(value, path).items():
        older, _, newer = pair.partition("|")
        found[older, newer] = text(verdict, path)
    return found


def _consolidation_file(keys: Keys) -> object:
    notes = required(keys, "entries", list_of(_note), "")
    verdicts = optional_nullable(keys, "verdicts", _verdicts, "")
    pairs = note_pairs(notes, optional(keys, "similarity_threshold", number, "", SIMILARITY))
    asked = [] if verdicts is None else [list(pair) for pair in pairs]
    return {"keep": list(kept_notes(notes, pairs, verdicts)), "asked": asked}


def _confidence_decay(keys: Keys) -> object:
    return revise(
        required(keys, "confidence", number, ""),
        required(keys, "evidence", text, ""),
        optional(keys, "alpha", number, "", 0.05),
    )


def _calibrate(keys: Keys) -> object:
    found = calibrate(
        CalibrationInput(
            confidence=required(keys, "agent_confidence", number, ""),
            memory_depth=required(keys, "memory_depth", i64, ""),
            genuine_tension=required(keys, "genuine_tension", flag, ""),
            accuracy=optional_nullable(keys, "accuracy", accuracy, ""),
            today=required(keys, "today", today, ""),
            roll=required(keys, "roll", number, ""),
        ),
        CalibrationPolicy(
            memory_depth_threshold=optional(keys, "memory_depth_threshold", i64, "", 3)
        ),
    )
    return {"confidence": found.confidence, "guard": found.guard.value}


def _decide(keys: Keys) -> object:
    action = decide(
        required(keys, "mode", enum_of(GateMode), ""),
        required(keys, "confidence", number, ""),
        required(keys, "text", text, ""),
        from_model=required(keys, "from_agent", flag, ""),
        threshold=optional(keys, "threshold", number, "", 0.8),
    )
    return {"action": action.value}


def _interaction(value: object, path: str) -> tuple[str, Judged]:
    keys = record(value, path)
    state, task_type, outcome, prior, posterior = (
        optional(keys, name, text, path, "")
        for name in ("state", "task_type", "outcome", "prior", "posterior")
    )
    return f"{state}|{task_type}", Judged(outcome, prior, posterior)


def _accuracy_record(keys: Keys) -> object:
    interactions = required(keys, "interactions", list_of(_interaction), "")
    records: dict[str, AccuracyRecord] = {}
    for context, judged in interactions:
        after = count(records.get(context), judged, None)
        if after is not None:
            records[context] = after
    return {
        "records": {
            context: [
                each.prior_correct,
                each.prior_total,
                each.posterior_correct,
                each.posterior_total,
            ]
            for context, each in records.items()
        },
        "clock": len(interactions),
    }


def _ema(keys: Keys) -> object:
    value = optional(keys, "start", number, "", 0.5)
    alpha = optional(keys, "alpha", number, "", 0.3)
    regret_weight = optional(keys, "regret_weight", number, "", 3.0)
    for outcome in required(keys, "outcomes", list_of(text), ""):
        value = ema(value, outcome, alpha, regret_weight)
    return value


ANSWERS: Final[Mapping[str, Callable[[Keys], object]]] = MappingProxyType(
    {
        "accuracy_record": _accuracy_record,
        "base_level_activation": _base_level_activation,
        "calibrate": _calibrate,
        "composite_minmax": _composite_minmax,
        "composite_tanh": _composite_tanh,
        "confidence_decay": _confidence_decay,
        "conflict_classification": _conflict_classification,
        "conflict_pairs": _conflict_pairs,
        "consolidation": _consolidation,
        "consolidation_file": _consolidation_file,
        "cosine": _cosine,
        "decide": _decide,
        "ema": _ema,
        "logistic_noise": _logistic_noise,
        "parse_confidence": _parse_confidence,
        "petrov_hybrid": _petrov_hybrid,
        "retrieve": _retrieve,
        "retrieve_salience": _retrieve_salience,
        "surprise": _surprise,
    }
)
"""What computes each answer, by the name of the vector file."""
