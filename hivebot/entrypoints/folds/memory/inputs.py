"""What do the inputs of the memory folds hold?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Final, cast

import numpy as np

from hivebot.hive.wire.codec import (
    enum_of,
    fail,
    i64,
    list_of,
    nullable_value,
    optional,
    optional_nullable,
    record,
    required,
    text,
)
from hivebot.proxy.accuracy import AccuracyRecord
from hivebot.proxy.activation import Floats, Ints
from hivebot.proxy.chunks import Chunk, ChunkType
from hivebot.proxy.retrieval import SEED, Draws, Normalization, Query, RetrievalPolicy
from hivebot.proxy.vectors import NO_VECTORS, Dimension, Vectors, vector

Keys = Mapping[str, object]


def is_number(value: object) -> bool:
    """Say whether a JSON value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def number(value: object, path: str) -> float:
    """Decode a number; booleans are none."""
    if not is_number(value):
        fail(path, "no number")
    return float(cast("float", value))


numbers: Final = list_of(number)
integers: Final = list_of(i64)


def _vectors(value: object, path: str) -> Vectors:
    keys = record(value, path)
    found = {
        dimension.value: optional_nullable(keys, dimension, numbers, path)
        for dimension in Dimension
    }
    return Vectors(**{name: vector(held) for name, held in found.items() if held is not None})


def one_chunk(value: object, path: str) -> Chunk:
    """Decode a chunk; what is left out is empty."""
    keys = record(value, path)

    def word(key: str, default: str = "") -> str:
        return optional(keys, key, text, path, default)

    return Chunk(
        id=word("id"),
        type=word("type", ChunkType.GATE_OUTCOME),
        state=word("state"),
        task_type=word("task_type"),
        outcome=word("outcome"),
        posterior_confidence=optional(keys, "posterior_confidence", number, path, 0.0),
        traces=optional(keys, "traces", integers, path, ()),
        vectors=optional(keys, "embeddings", nullable_value(_vectors), path, None) or NO_VECTORS,
        embedding_model=word("embedding_model"),
        deleted_at=optional_nullable(keys, "deleted_at", i64, path),
    )


def chunks_of(keys: Keys) -> tuple[Chunk, ...]:
    """Read chunks; the position in the list is the insertion order."""
    found = required(keys, "chunks", list_of(one_chunk), "")
    return tuple(replace(chunk, sequence=place) for place, chunk in enumerate(found))


def one_query(value: object, path: str) -> Query:
    """Decode a query."""
    keys = record(value, path)
    return Query(
        state=optional(keys, "state", text, path, ""),
        task_type=optional(keys, "task_type", text, path, ""),
        type=optional(keys, "type", text, path, ""),
        vectors=optional(keys, "embeddings", nullable_value(_vectors), path, None) or NO_VECTORS,
        embedding_model=optional(keys, "embedding_model", text, path, ""),
    )


def _policy(value: object, path: str) -> RetrievalPolicy:
    keys = record(value, path)

    def bound(key: str, default: float) -> float:
        return optional(keys, key, number, path, default)

    return RetrievalPolicy(
        decay=bound("d", SEED.decay),
        noise_scale=bound("s", SEED.noise_scale),
        retrieval_threshold=bound("tau", SEED.retrieval_threshold),
        activation_weight=bound("activation_weight", SEED.activation_weight),
        semantic_weight=bound("semantic_weight", SEED.semantic_weight),
        normalization=optional(
            keys, "normalization", enum_of(Normalization), path, SEED.normalization
        ),
        top_k=optional(keys, "top_k", i64, path, SEED.top_k),
        salience_top_k=optional(
            keys, "salience_top_k", i64, path, optional(keys, "top_k", i64, path, 5)
        ),
    )


def policy_of(keys: Keys) -> RetrievalPolicy:
    """Read the `params` of an input; what is left out has the default of the seed."""
    return optional(keys, "params", _policy, "", SEED)


def clock_of(keys: Keys) -> int:
    """Read the `clock` of an input."""
    return required(keys, "clock", i64, "")


def draws_of(keys: Keys) -> Draws | None:
    """Give the draws that the chunks carry; a chunk without one has the median's, no noise."""
    found = [
        optional(record(each, "chunks"), "p", number, "chunks", 0.5)
        for each in cast("list[object]", keys["chunks"])
    ]
    return _fixed(np.array(found))


def _fixed(found: Floats) -> Draws:
    def chance(rows: Ints) -> Floats:
        return found[rows]

    return chance


def _moment(value: object, path: str) -> datetime:
    try:
        found = datetime.fromisoformat(text(value, path))
    except ValueError:
        fail(path, "no date")
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def today(value: object, path: str) -> date:
    """Decode a day from a date or a timestamp, in UTC."""
    return _moment(value, path).date()


def accuracy(value: object, path: str) -> AccuracyRecord | None:
    """Decode accuracy counts; an empty object is none."""
    keys = record(value, path)
    if not keys:
        return None
    dated = keys.get("last_updated") not in (None, "")
    return AccuracyRecord(
        *(
            optional(keys, name, i64, path, 0)
            for name in ("prior_correct", "prior_total", "posterior_correct", "posterior_total")
        ),
        last_updated=required(keys, "last_updated", _moment, path) if dated else None,
    )
