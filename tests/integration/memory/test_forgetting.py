"""What leaves a memory, and what stays nowhere: memory.md 8.3, 9.2 and 10.2, datapath.md 7."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from hivebot.proxy.chunks import ChunkType, HiddenTraces
from hivebot.proxy.percepts import salience_question
from hivebot.proxy.petrov import compact
from hivebot.proxy.retrieval import Query, RetrievalPolicy
from hivebot.services.ports import Transaction
from hivebot.services.records.memories import (
    NewRecall,
    PerceptTexts,
    RecallPurpose,
    Sources,
    text_digest,
)
from tests.fakes.clock import START
from tests.integration.memory.seeds import (
    DESK,
    GATE,
    everything,
    gate_outcome,
    memory,
    new,
    remembered,
    single,
    vectors,
)
from tests.integration.seeds import after, message

pytestmark = pytest.mark.integration


async def names(tx: Transaction, memory_id: int) -> list[str]:
    return [each.chunk.id for each in await tx.memories.chunks(memory_id)]


# -- softly, and after a window ------------------------------------------------------------------


async def test_a_hidden_chunk_is_found_by_nothing_and_keeps_its_first_date(
    work: PostgresUnitOfWork,
) -> None:
    """Section 8.3."""
    async with work.begin() as tx:
        row = await remembered(tx, gate_outcome("a", vectors=vectors(salience=[1, 0])), "b", "c")
        assert await tx.memories.soft_delete(row.id, ["b", "a", "nobody", "a"]) == ("b", "a")
        await tx.memories.rehearse(row.id, "c")
        assert await tx.memories.soft_delete(row.id, ["a"]) == ()
        found = await tx.memories.chunk(row.id, "a")
        assert found is not None
        assert found.chunk.deleted_at == 3
        policy = RetrievalPolicy(retrieval_threshold=-9.0)
        got = await tx.memories.retrieve(row.id, Query(), policy, None)
        assert ([each.chunk.id for each in got.chunks], got.candidates) == (["c"], 1)
        salient = await tx.memories.retrieve_salience(row.id, single(1, 0), "", policy, None)
        assert salient.candidates == 0


async def test_what_was_hidden_is_purged_after_fifty_interactions(
    work: PostgresUnitOfWork,
) -> None:
    """Section 8.3: inclusive, and counted in interactions."""
    async with work.begin() as tx:
        row = await remembered(tx, "a", "b", "c")
        await tx.memories.soft_delete(row.id, ["a"])
        await tx.memories.rehearse(row.id, "c")
        await tx.memories.soft_delete(row.id, ["b"])
        for _ in range(48):
            await tx.memories.rehearse(row.id, "c")
        assert await tx.memories.purge(row.id) == ()
        await tx.memories.rehearse(row.id, "c")
        assert await tx.memories.purge(row.id) == ("a",)
        assert await names(tx, row.id) == ["b", "c"]
        assert await tx.memories.purge(row.id, window=0) == ("b",)


async def test_consolidation_is_due_after_so_many_interactions(work: PostgresUnitOfWork) -> None:
    """Section 8.3: after every 25 interactions."""
    async with work.begin() as tx:
        row = await remembered(tx, "a", "b")
        await remembered(tx, "x", proxy="mobile")
        assert [each.id for each in await tx.memories.due(2)] == [row.id]
        await tx.memories.consolidated(row.id)
        assert await tx.memories.due(2) == ()
        await tx.memories.rehearse(row.id, "a")
        (again,) = [each for each in await tx.memories.due(1) if each.id == row.id]
        assert (again.clock, again.consolidated_clock) == (3, 2)


async def test_compaction_keeps_the_newest_traces_the_count_and_the_first(
    work: PostgresUnitOfWork,
) -> None:
    """Section 10.2, as `hivebot.proxy.petrov` does it, again and again."""
    async with work.begin() as tx:
        row = await remembered(tx, "a", "b")
        for _ in range(9):
            await tx.memories.rehearse(row.id, "a")
        before = await tx.memories.chunk(row.id, "a")
        assert before is not None
        assert await tx.memories.compact(row.id) == ()
        assert await tx.memories.compact(row.id, keep=3, above=5) == ("a",)
        once = await tx.memories.chunk(row.id, "a")
        assert once is not None
        assert once.chunk == compact(before.chunk, keep=3, above=5)
        assert once.chunk.hidden == HiddenTraces(count=7, first=1)
        for _ in range(4):
            await tx.memories.rehearse(row.id, "a")
        assert await tx.memories.compact(row.id, keep=3, above=5) == ("a",)
        twice = await tx.memories.chunk(row.id, "a")
        assert twice is not None
        assert twice.chunk.hidden == HiddenTraces(count=11, first=1)
        assert twice.chunk.traces == (13, 14, 15)


# -- for good ------------------------------------------------------------------------------------


async def test_chunks_are_forgotten_whatever_the_window(work: PostgresUnitOfWork) -> None:
    """Section 9.2."""
    async with work.begin() as tx:
        row = await remembered(tx, "a", "b", "c")
        await tx.memories.soft_delete(row.id, ["b"])
        assert await tx.memories.forget(row.id, ["b", "a", "nobody"]) == ("a", "b")
        assert await names(tx, row.id) == ["c"]
        after = await tx.memories.get(row.id)
        assert after is not None
        assert after.clock == 3
        assert await tx.memories.reinforce(row.id, ["a"]) == ()


async def test_a_removed_message_takes_every_chunk_made_of_it_along(
    work: PostgresUnitOfWork,
) -> None:
    """datapath.md 7: across memories, and nothing else."""
    async with work.begin() as tx:
        first, second = await message(tx), await message(tx, "another")
        here, there = await memory(tx), await memory(tx, "mobile")
        for row, name, ids in (
            (here, "both", (first.id, second.id)),
            (there, "far", (first.id,)),
            (here, "other", (second.id,)),
        ):
            await tx.memories.record(row.id, new(name, sources=Sources(None, ids, ("U1",))))
        assert await tx.memories.withdraw([first.id]) == 2
        assert await names(tx, here.id) == ["other"]
        assert await names(tx, there.id) == []
        assert await tx.memories.withdraw([first.id]) == 0
        assert await tx.memories.withdraw([]) == 0


async def test_a_person_who_leaves_leaves_no_memory_behind(work: PostgresUnitOfWork) -> None:
    """Section 9.2: departed users; the author of a steering stands in its task type."""
    async with work.begin() as tx:
        here, there = await memory(tx), await memory(tx, "mobile")
        for row, chunk, users in (
            (here, gate_outcome("decided"), ("U1", "U2")),
            (here, gate_outcome("steered", type=ChunkType.STEERING, state="", task_type="U1"), ()),
            (there, gate_outcome("taught", type="review_correction", task_type="review:U1"), ()),
            (there, gate_outcome("stays"), ("U2",)),
        ):
            await tx.memories.record(row.id, new(chunk, sources=Sources(None, (), users)))
        assert await tx.memories.erase_user("U1") == 3
        assert await names(tx, here.id) == []
        assert await names(tx, there.id) == ["stays"]
        assert await tx.memories.erase_user("U1") == 0


async def test_a_planted_word_is_nowhere_once_it_was_withdrawn(
    work: PostgresUnitOfWork, engine: AsyncEngine
) -> None:
    """datapath.md 7: no text, no vector of it, no key it could be found by."""
    planted = "xyzzy"
    chunk = gate_outcome(
        "gate-1",
        human_response=f"{planted} said",
        content=planted,
        delta=planted,
        prediction_delta=f"{planted} moved it",
        salient_percepts=(planted,),
    )
    texts = PerceptTexts(planted, f"{planted} draft", f"{planted} place")
    asked = salience_question(GATE, DESK, texts.artifact)
    async with work.begin() as tx:
        said = await message(tx)
        row = await memory(tx)
        sources = Sources(1, (said.id,), ("U1",))
        await tx.memories.record(row.id, new(chunk, sources=sources, texts=texts))
        found = await tx.memories.chunk(row.id, "gate-1")
        assert found is not None
        embedded = [*(text for _, text in found.percepts.texts()), asked]
        digests = {text_digest(text): single(0.125, 0.375) for text in embedded}
        await tx.memories.cache(row.id, "m", digests)
        assert len(await tx.memories.cached(row.id, "m", list(digests))) == len(embedded) == 6
        got = await tx.memories.retrieve(row.id, Query(), RetrievalPolicy(), None)
        await tx.memories.keep_recall(
            row.id, NewRecall(RecallPurpose.PRIOR, 1, 1, 1, RetrievalPolicy(), got.parts)
        )
    assert planted in await everything(engine)
    async with work.begin() as tx:
        assert await tx.memories.withdraw([said.id]) == 1
    left = await everything(engine)
    assert planted not in left
    assert "0.125" not in left
    assert "gate-1" in left


async def test_a_whole_memory_goes_with_everything_in_it(
    work: PostgresUnitOfWork, engine: AsyncEngine
) -> None:
    async with work.begin() as tx:
        said = await message(tx)
        row = await memory(tx, "gone-proxy")
        chunk = gate_outcome("gone-chunk", posterior_prediction="approve")
        await tx.memories.record(row.id, new(chunk, sources=Sources(1, (said.id,))))
        await tx.memories.cache(row.id, "gone-model", {"gone-digest": single(1)})
        await tx.memories.keep_recall(
            row.id, NewRecall(RecallPurpose.PRIOR, 1, 0, 0, RetrievalPolicy(), ())
        )
        await remembered(tx, "stays", proxy="mobile")
        await tx.memories.forget_memory(row.id)
        assert [each.proxy for each in await tx.memories.every()] == ["mobile"]
    assert "gone-" not in await everything(engine)


# -- vectors that are still to come --------------------------------------------------------------


async def test_chunks_without_vectors_of_a_model_are_listed_in_pages(
    work: PostgresUnitOfWork,
) -> None:
    """Section 4.2: another model's vectors are unusable."""
    async with work.begin() as tx:
        row = await remembered(
            tx,
            gate_outcome("failed"),
            gate_outcome("old", embedding_model="old", vectors=vectors(artifact=[1])),
            gate_outcome("new", embedding_model="m", vectors=vectors(artifact=[1])),
            gate_outcome("hidden"),
        )
        other = await remembered(tx, "far", proxy="mobile")
        await tx.memories.soft_delete(row.id, ["hidden"])
        assert await tx.memories.count_unembedded("m") == 3
        assert await tx.memories.count_unembedded("m", row.id) == 2
        assert await tx.memories.count_unembedded("m", other.id) == 1
        first = await tx.memories.unembedded("m", limit=1)
        assert [each.chunk.id for each in first] == ["failed"]
        after = first[-1].chunk.sequence
        rest = await tx.memories.unembedded("m", after=after)
        assert [each.chunk.id for each in rest] == ["old", "far"]
        here = await tx.memories.unembedded("m", memory_id=row.id, after=after)
        assert [each.chunk.id for each in here] == ["old"]


async def test_new_vectors_replace_all_old_ones(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        old = vectors(artifact=[1, 2], stimulus=[3, 4])
        row = await remembered(tx, gate_outcome("a", embedding_model="old", vectors=old))
        (waiting,) = await tx.memories.unembedded("m")
        fresh = vectors(artifact=[1, 2, 3])
        await tx.memories.embed(waiting.chunk.sequence, fresh, "m")
        found = await tx.memories.chunk(row.id, "a")
        assert found is not None
        assert found.chunk == replace(
            waiting.chunk, vectors=fresh, embedding_model="m", traces=(1,)
        )
        assert await tx.memories.count_unembedded("m") == 0


async def test_kept_vectors_are_found_by_memory_model_and_digest(
    work: PostgresUnitOfWork,
) -> None:
    """Section 2."""
    async with work.begin() as tx:
        row, other = await memory(tx), await memory(tx, "mobile")
        await tx.memories.cache(row.id, "m", {"d1": single(1, 2), "zero": single(0, 0)})
        await tx.memories.cache(row.id, "m", {"d1": single(9, 9)})
        await tx.memories.cache(row.id, "m", {})
        kept = await tx.memories.cached(row.id, "m", ["d1", "zero", "d2"])
        assert {digest: found.tolist() for digest, found in kept.items()} == {"d1": [1.0, 2.0]}
        assert await tx.memories.cached(row.id, "n", ["d1"]) == {}
        assert await tx.memories.cached(other.id, "m", ["d1"]) == {}


async def test_kept_vectors_grow_old(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        row = await memory(tx)
        await tx.memories.cache(row.id, "m", {"d1": single(1, 2)})
        assert await tx.memories.purge_cache(START) == 0
        assert await tx.memories.purge_cache(START + after(1)) == 1
        assert await tx.memories.cached(row.id, "m", ["d1"]) == {}
