"""The interaction clock, traces, reinforcement, soft delete and purge (memory.md 3, 7, 8.3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.proxy.activation import base_level_activation
from hivebot.proxy.chunks import Chunk, ChunkType, HiddenTraces
from hivebot.proxy.memory import (
    ClockEvent,
    MemoryState,
    citable,
    event_of,
    forget,
    memory_depth,
    purgeable,
    record,
    reinforce,
    soft_delete,
    stamp,
)


def recorded(*names: str, kind: str = ChunkType.GATE_OUTCOME) -> MemoryState:
    memory = MemoryState()
    for name in names:
        memory = record(memory, Chunk(name, type=kind))
    return memory


def traces(memory: MemoryState) -> dict[str, tuple[int, ...]]:
    return {chunk.id: chunk.traces for chunk in memory.chunks}


@pytest.mark.parametrize(
    ("event", "clock", "written"),
    [
        (ClockEvent.RECORDING, 8, (8,)),
        (ClockEvent.CORRECTION, 8, (8, 8, 8, 8, 8)),
        (ClockEvent.REINFORCEMENT, 7, (7,)),
        (ClockEvent.STEERING, 7, (7,)),
    ],
)
def test_each_event_moves_the_clock_as_the_table_says(
    event: ClockEvent, clock: int, written: tuple[int, ...]
) -> None:
    """Section 3.1."""
    assert (stamp(event, 7).clock, stamp(event, 7).traces) == (clock, written)


@pytest.mark.parametrize(
    ("kind", "event"),
    [
        (ChunkType.GATE_OUTCOME, ClockEvent.RECORDING),
        (ChunkType.DIALOG_TURN, ClockEvent.RECORDING),
        (ChunkType.WITHDRAWAL, ClockEvent.RECORDING),
        (ChunkType.STEERING, ClockEvent.STEERING),
        (ChunkType.REVIEW_CORRECTION, ClockEvent.CORRECTION),
    ],
)
def test_each_kind_of_chunk_is_stored_by_its_event(kind: ChunkType, event: ClockEvent) -> None:
    """Section 3.1."""
    assert event_of(kind) is event


def test_recording_writes_the_trace_with_the_new_value() -> None:
    """Section 3.1 and 3.2."""
    memory = recorded("a", "b")
    assert memory.clock == 2
    assert traces(memory) == {"a": (1,), "b": (2,)}


def test_two_memories_have_two_clocks() -> None:
    """Section 3.1: hivebot MUST keep the clock per proxy, not per workspace."""
    busy, quiet = recorded(*"abcdefgh"), recorded("a")
    assert base_level_activation(quiet.chunks[0].traces, quiet.clock) == 0.0
    assert (busy.clock, quiet.clock) == (8, 1)


def test_a_withdrawal_has_a_normal_creation_trace() -> None:
    """Section 3.2 (hivebot MUST)."""
    assert traces(recorded("w", kind=ChunkType.WITHDRAWAL)) == {"w": (1,)}


def test_a_steering_is_written_with_the_current_value() -> None:
    """Section 3.1 and 13.7."""
    memory = record(recorded("a", "b"), Chunk("s", type=ChunkType.STEERING))
    assert memory.clock == 2
    assert traces(memory)["s"] == (2,)


def test_recording_a_known_id_adds_a_trace_and_moves_the_clock() -> None:
    """Section 3.1: reinforcing a named existing chunk through the same call."""
    memory = record(recorded("a", "b"), Chunk("a", content="ignored"))
    assert memory.clock == 3
    assert traces(memory) == {"a": (1, 3), "b": (2,)}
    assert memory.chunks[0].content == ""


def test_recording_a_soft_deleted_id_does_not_revive_it() -> None:
    """Section 7 (rule 5)."""
    memory = record(soft_delete(recorded("a"), ["a"]), Chunk("a"))
    assert traces(memory) == {"a": (1, 2)}
    assert memory.chunks[0].deleted_at == 1


def test_the_sequence_grows_even_after_a_chunk_was_removed() -> None:
    """Section 4.4: a sequence number assigned at creation."""
    memory = record(forget(recorded("a", "b", "c"), ["b"]), Chunk("d"))
    assert [chunk.sequence for chunk in memory.chunks] == [1, 3, 4]


@given(st.lists(st.sampled_from(list(ChunkType)), max_size=12))
def test_the_clock_never_falls_and_no_trace_is_ahead_of_it(kinds: list[ChunkType]) -> None:
    """Section 3.1: only ever increased; 7 (rule 2)."""
    memory = MemoryState()
    for number, kind in enumerate(kinds):
        after = record(memory, Chunk(f"c{number}", type=kind))
        assert after.clock >= memory.clock
        memory = after
        newest = [chunk.newest for chunk in memory.chunks]
        assert all(each is not None and each <= memory.clock for each in newest)
    assert memory.clock == sum(kind is not ChunkType.STEERING for kind in kinds)


def test_reinforcing_adds_one_trace_of_the_current_clock_and_does_not_move_it() -> None:
    """Section 0 row 5, 3.1 and 3.4."""
    result = reinforce(recorded("a", "b"), ["a"], shown=["a", "b"])
    assert result.memory.clock == 2
    assert traces(result.memory) == {"a": (1, 2), "b": (2,)}


def test_a_chunk_named_twice_is_reinforced_once() -> None:
    """Section 0 row 5 and 3.4: hivebot MUST de-duplicate."""
    result = reinforce(recorded("a"), ["a", "a"])
    assert result.reinforced == ("a",)
    assert traces(result.memory) == {"a": (1, 1)}


def test_only_chunks_that_were_in_the_prompt_count() -> None:
    """Section 3.4: intersect with what was shown; models invent ids."""
    result = reinforce(recorded("a", "b"), ["b", "ghost", "a"], shown=["a", "gone"])
    assert result.reinforced == ("a",)
    assert result.unknown == ("b", "ghost")


def test_a_model_that_answered_nothing_reinforces_nothing() -> None:
    """Section 3.4."""
    memory = recorded("a")
    assert reinforce(memory, []).memory == memory


def test_citations_keep_the_order_in_which_they_were_named() -> None:
    """Section 3.4."""
    assert citable(["c", "a", "x", "c"], ["a", "b", "c"]) == (("c", "a"), ("x",))


def test_reinforcing_a_soft_deleted_chunk_changes_nothing_but_its_traces() -> None:
    """Section 7 (rule 5) and 8.3: not revived, the purge date does not move."""
    hidden = soft_delete(recorded("a"), ["a"])
    later = MemoryState(40, hidden.chunks)
    after = reinforce(later, ["a"]).memory
    assert traces(after) == {"a": (1, 40)}
    assert after.chunks[0].deleted_at == 1
    assert purgeable(after.chunks, 51) == ("a",)


def test_reinforcing_a_purged_chunk_is_a_reported_no_op() -> None:
    """Section 7 (rule 5)."""
    memory = forget(recorded("a"), ["a"])
    result = reinforce(memory, ["a"])
    assert result.memory == memory
    assert result.unknown == ("a",)


def test_soft_delete_notes_the_interaction_and_keeps_the_first() -> None:
    """Section 8.3 (step 4)."""
    hidden = soft_delete(recorded("a", "b"), ["a"])
    assert [chunk.deleted_at for chunk in hidden.chunks] == [2, None]
    again = soft_delete(MemoryState(9, hidden.chunks), ["a", "ghost"])
    assert again.chunks[0].deleted_at == 2


@pytest.mark.parametrize(("clock", "gone"), [(59, ()), (60, ("a",)), (61, ("a",))])
def test_the_purge_window_is_inclusive_and_counts_interactions(
    clock: int, gone: tuple[str, ...]
) -> None:
    """Section 8.3 (step 1) and 13.9."""
    chunks = [Chunk("a", deleted_at=10), Chunk("b"), Chunk("c", deleted_at=30)]
    assert purgeable(chunks, clock) == gone


def test_an_idle_memory_never_purges() -> None:
    """Section 8.3."""
    memory = soft_delete(recorded("a"), ["a"])
    assert purgeable(memory.chunks, memory.clock) == ()


def test_chunks_can_be_deleted_for_good_on_request() -> None:
    """Section 9.2: chunks MUST be deletable, bypassing the purge window."""
    memory = forget(recorded("a", "b"), ["a"])
    assert traces(memory) == {"b": (2,)}
    assert memory.clock == 2


def test_memory_depth_counts_contexts_of_live_gate_outcomes() -> None:
    """Section 6.1: hivebot MUST count `gate_outcome` only, and the pair of texts."""
    chunks = [
        Chunk("a", state="s", task_type="t"),
        Chunk("b", state="s", task_type="t"),
        Chunk("c", state="s:x", task_type="y"),
        Chunk("d", state="s", task_type="x:y"),
        Chunk("e", state="hidden", deleted_at=3),
        Chunk("f", type=ChunkType.STEERING, task_type="U0ANA"),
        Chunk("g", type=ChunkType.REVIEW_CORRECTION, state="other"),
    ]
    assert memory_depth(chunks) == 3


def test_what_is_hidden_by_compaction_is_no_soft_delete() -> None:
    assert Chunk("a", traces=(1,), hidden=HiddenTraces(5, 0)).live
