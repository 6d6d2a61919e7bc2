"""What moves a memory's clock, and what adds, hides or removes its traces and chunks?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from hivebot.proxy.chunks import Chunk, ChunkType

CORRECTION_TRACES = 5
PURGE_WINDOW = 50


class ClockEvent(StrEnum):
    """What happened to the memory. Retrieval, consolidation and deletion are no events of it.

    Source: memory.md 3.1.
    """

    RECORDING = "recording"
    CORRECTION = "correction"
    REINFORCEMENT = "reinforcement"
    STEERING = "steering"


@dataclass(frozen=True, slots=True)
class Stamp:
    """What an event leaves.

    Attributes:
        clock: The memory's interaction number afterwards.
        traces: Interaction numbers the chunk concerned gains.
    """

    clock: int
    traces: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MemoryState:
    """One proxy's memory: its own clock and its chunks in insertion order.

    Source: memory.md 3.1 (one clock per proxy, never per workspace).
    """

    clock: int = 0
    chunks: tuple[Chunk, ...] = ()


@dataclass(frozen=True, slots=True)
class Reinforcement:
    """What came of naming chunks as used.

    Attributes:
        memory: The memory afterwards; its clock is unchanged.
        reinforced: Ids that gained one trace each, in the order named.
        unknown: Ids that were not in the prompt or do not exist, to be logged.
    """

    memory: MemoryState
    reinforced: tuple[str, ...]
    unknown: tuple[str, ...]


def stamp(event: ClockEvent, clock: int) -> Stamp:
    """Say where the clock stands after an event and which traces it writes.

    | event | clock | traces |
    | --- | --- | --- |
    | recording | + 1 | one, of the new value |
    | correction | + 1 | five, of the new value: a frequency boost |
    | reinforcement | + 0 | one, of the current value |
    | steering | + 0 | one, of the current value |

    Source: memory.md 3.1 and 3.2.
    """
    if event is ClockEvent.RECORDING:
        return Stamp(clock + 1, (clock + 1,))
    if event is ClockEvent.CORRECTION:
        return Stamp(clock + 1, (clock + 1,) * CORRECTION_TRACES)
    return Stamp(clock, (clock,))


def event_of(chunk_type: str) -> ClockEvent:
    """Say which event stores a chunk of that kind; withdrawals are ordinary recordings.

    Source: memory.md 3.1 and 3.2.
    """
    if chunk_type == ChunkType.STEERING:
        return ClockEvent.STEERING
    if chunk_type == ChunkType.REVIEW_CORRECTION:
        return ClockEvent.CORRECTION
    return ClockEvent.RECORDING


def record(memory: MemoryState, chunk: Chunk) -> MemoryState:
    """Store an interaction.

    1. The id is known, softly deleted or not: the clock steps, the known chunk gains the trace and
       nothing else of it changes.
    2. Otherwise: the chunk is appended with the traces of its kind and the next sequence.

    Source: memory.md 3.1, 3.2 and 7 (rule 5).
    """
    known = any(each.id == chunk.id for each in memory.chunks)
    if known:
        after = stamp(ClockEvent.RECORDING, memory.clock)
        return MemoryState(after.clock, _with_traces(memory.chunks, {chunk.id}, after.traces))
    after = stamp(event_of(chunk.type), memory.clock)
    sequence = 1 + max((each.sequence for each in memory.chunks), default=0)
    fresh = replace(chunk, traces=after.traces, sequence=sequence)
    return MemoryState(after.clock, (*memory.chunks, fresh))


def citable(named: Iterable[str], shown: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split the ids a model says it used: each once, and only those that were in its prompt.

    Returns:
        The ids that count, in the order named, and the others.

    Source: memory.md 3.4 (models invent ids).
    """
    in_prompt = frozenset(shown)
    once = tuple(dict.fromkeys(named))
    return (
        tuple(each for each in once if each in in_prompt),
        tuple(each for each in once if each not in in_prompt),
    )


def reinforce(
    memory: MemoryState, named: Iterable[str], shown: Iterable[str] | None = None
) -> Reinforcement:
    """Give one trace of the current clock to each chunk the answer relied on.

    Softly deleted chunks accept the trace and stay as they are; unknown ids are skipped.

    Args:
        memory: The memory before.
        named: Ids the model says it used, possibly repeated or invented.
        shown: Ids that were in its prompt; None means all of the memory's.

    Source: memory.md 3.4 and 7 (rule 5).
    """
    existing = frozenset(chunk.id for chunk in memory.chunks)
    used, unknown = citable(named, existing if shown is None else existing & frozenset(shown))
    after = stamp(ClockEvent.REINFORCEMENT, memory.clock)
    chunks = _with_traces(memory.chunks, frozenset(used), after.traces)
    return Reinforcement(MemoryState(after.clock, chunks), used, unknown)


def soft_delete(memory: MemoryState, ids: Iterable[str]) -> MemoryState:
    """Hide chunks from now on; one that is hidden already keeps its first date.

    Source: memory.md 8.3 (step 4).
    """
    gone = frozenset(ids)
    return replace(
        memory,
        chunks=tuple(
            replace(each, deleted_at=memory.clock) if each.id in gone and each.live else each
            for each in memory.chunks
        ),
    )


def purgeable(chunks: Sequence[Chunk], clock: int, window: int = PURGE_WINDOW) -> tuple[str, ...]:
    """Name the chunks that may be deleted for good: `deleted_at <= clock - window`.

    The window counts interactions: an idle memory never purges.

    Source: memory.md 8.3 (step 1).
    """
    return tuple(
        each.id
        for each in chunks
        if each.deleted_at is not None and each.deleted_at <= clock - window
    )


def forget(memory: MemoryState, ids: Iterable[str]) -> MemoryState:
    """Remove chunks for good, live or not, without waiting for the window.

    Source: memory.md 9.2 (deletable on request) and 8.3 (purge).
    """
    gone = frozenset(ids)
    return replace(memory, chunks=tuple(each for each in memory.chunks if each.id not in gone))


def memory_depth(chunks: Iterable[Chunk]) -> int:
    """Count the distinct `(state, task_type)` pairs of live gate outcomes.

    Source: memory.md 6.1.
    """
    return len(
        {each.context for each in chunks if each.live and each.type == ChunkType.GATE_OUTCOME}
    )


def _with_traces(
    chunks: tuple[Chunk, ...], ids: set[str] | frozenset[str], traces: tuple[int, ...]
) -> tuple[Chunk, ...]:
    return tuple(
        replace(each, traces=each.traces + traces) if each.id in ids else each for each in chunks
    )
