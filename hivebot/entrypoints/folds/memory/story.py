"""What does a memory answer that is told what to do, step by step?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from hivebot.entrypoints.folds.memory.inputs import Keys, one_chunk, one_query, policy_of
from hivebot.hive.wire.codec import fail, i64, list_of, optional, record, required, text
from hivebot.proxy.matrix import ChunkMatrix
from hivebot.proxy.memory import (
    PURGE_WINDOW,
    MemoryState,
    forget,
    memory_depth,
    purgeable,
    reinforce,
    soft_delete,
)
from hivebot.proxy.retrieval import Query, retrieve

Told = tuple[MemoryState, object | None]


def _create(memory: MemoryState, keys: Keys) -> Told:
    chunk = replace(one_chunk(keys, ""), sequence=len(memory.chunks) + 1)
    return replace(memory, chunks=(*memory.chunks, chunk)), None


def _soft_delete(memory: MemoryState, keys: Keys) -> Told:
    return soft_delete(memory, [required(keys, "id", text, "")]), None


def _reinforce(memory: MemoryState, keys: Keys) -> Told:
    return reinforce(memory, [required(keys, "id", text, "")]).memory, None


def _purge(memory: MemoryState, keys: Keys) -> Told:
    window = optional(keys, "window", i64, "", PURGE_WINDOW)
    gone = purgeable(memory.chunks, memory.clock, window)
    return forget(memory, gone), {"purged": len(gone)}


def _look(memory: MemoryState, keys: Keys) -> Told:
    query = optional(keys, "query", one_query, "", Query())
    found = retrieve(ChunkMatrix.of(memory.chunks), query, memory.clock, policy_of(keys))
    return memory, {"ids": list(found.ids)}


def _depth(memory: MemoryState, _keys: Keys) -> Told:
    return memory, {"depth": memory_depth(memory.chunks)}


def _traces(memory: MemoryState, keys: Keys) -> Told:
    name = required(keys, "id", text, "")
    found = next((chunk.traces for chunk in memory.chunks if chunk.id == name), ())
    return memory, {"traces": list(found)}


_OPERATIONS: Final[Mapping[str, Callable[[MemoryState, Keys], Told]]] = {
    "create": _create,
    "soft_delete": _soft_delete,
    "reinforce": _reinforce,
    "purge": _purge,
    "retrieve": _look,
    "depth": _depth,
    "traces": _traces,
}


def soft_deletes(keys: Keys) -> object:
    """Answer `memory.soft_delete`: the results of the operations that have one, in order."""
    memory, results = MemoryState(), list[object]()
    for each in required(keys, "ops", list_of(record), ""):
        name = required(each, "op", text, "ops")
        if name not in _OPERATIONS:
            fail("ops", "an unknown operation")
        memory = replace(memory, clock=optional(each, "clock", i64, "ops", memory.clock))
        memory, said = _OPERATIONS[name](memory, each)
        if said is not None:
            results.append(said)
    return results
