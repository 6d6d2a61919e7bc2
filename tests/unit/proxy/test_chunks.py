"""What a chunk says of itself (memory.md 2, 8.2)."""

from __future__ import annotations

from hivebot.proxy.chunks import Chunk


def test_the_newest_trace_is_the_largest_not_the_last() -> None:
    """Section 8.2 and 13.10."""
    assert Chunk("c", traces=(4, 19, 7)).newest == 19
    assert Chunk("c").newest is None


def test_a_soft_deleted_chunk_is_not_live_even_at_interaction_zero() -> None:
    """Section 2: `deleted_at` is an interaction number."""
    assert Chunk("c").live
    assert not Chunk("c", deleted_at=0).live


def test_the_context_is_the_pair_so_that_it_cannot_collide() -> None:
    """Section 6.1."""
    assert (
        Chunk("a", state="x:y", task_type="z").context
        != Chunk("b", state="x", task_type="y:z").context
    )
