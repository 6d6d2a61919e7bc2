"""What is embedded when, and what keeps a memory in order: memory.md 2, 4.2, 8.3 and 10.2."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from hivebot.proxy.percepts import Percepts
from hivebot.proxy.vectors import NO_VECTORS, Dimension
from hivebot.services.memory import PAGE, Consolidated, Kept, MemoryKeeping, Reembedded
from hivebot.services.ports.embedding import EmbedderError
from hivebot.services.recall import Embedded, MemoryEmbedding
from hivebot.services.records.memories import PerceptTexts
from tests.fakes.clock import FakeClock
from tests.fakes.embedders import BagEmbedder, bag
from tests.integration.memory.seeds import gate_outcome, memory, new, remembered

pytestmark = pytest.mark.integration

ASKED = Percepts(situation="answer_review payments", stimulus="may it be sent?")


@pytest.fixture
def keeping(work: PostgresUnitOfWork, clock: FakeClock) -> MemoryKeeping:
    return MemoryKeeping(work, clock)


async def memory_id(work: PostgresUnitOfWork, *names: str) -> int:
    async with work.begin() as tx:
        return (await remembered(tx, *names)).id


# -- vectors of texts ----------------------------------------------------------------------------


async def test_no_text_is_embedded_twice(work: PostgresUnitOfWork) -> None:
    """Section 2: the gate asks and stores the same texts."""
    embedder = BagEmbedder()
    row = await memory_id(work)
    made = MemoryEmbedding(work, embedder)
    first = await made.vectors(row, ASKED)
    assert first.model == made.model == "bag:24"
    assert [each for each, _ in first.vectors.present()] == ["situation", "stimulus"]
    more = Percepts(situation=ASKED.situation, stimulus=ASKED.stimulus, artifact="the draft")
    second = await made.vectors(row, more)
    assert embedder.calls == [(ASKED.situation, ASKED.stimulus), ("the draft",)]
    assert second.vectors.get(Dimension.STIMULUS) is not None
    assert second.vectors.stimulus is not None
    assert second.vectors.stimulus.tolist() == bag(ASKED.stimulus).tolist()
    assert await made.vectors(row, more) == second


async def test_no_text_has_no_vector_and_asks_nobody(work: PostgresUnitOfWork) -> None:
    embedder = BagEmbedder()
    row = await memory_id(work)
    found = await MemoryEmbedding(work, embedder).vectors(row, Percepts())
    assert found == Embedded(NO_VECTORS, "bag:24")
    assert embedder.calls == []


async def test_a_text_without_direction_has_no_vector(work: PostgresUnitOfWork) -> None:
    """Sections 2 and 10.3: a zero vector is absent."""
    row = await memory_id(work)
    made = MemoryEmbedding(work, BagEmbedder())
    for _ in range(2):
        found = await made.vectors(row, Percepts(artifact=" ", stimulus="why?"))
        assert [each for each, _ in found.vectors.present()] == ["stimulus"]


async def test_a_failing_embedder_loses_no_outcome(
    work: PostgresUnitOfWork, keeping: MemoryKeeping
) -> None:
    """Section 2 (MUST NOT prevent the chunk from being stored): stored bare, embedded later."""
    embedder = BagEmbedder()
    embedder.broken = True
    row = await memory_id(work)
    found = await MemoryEmbedding(work, embedder).vectors(row, ASKED)
    assert found == Embedded(NO_VECTORS, "", failure="unavailable")
    chunk = gate_outcome("a", vectors=found.vectors, embedding_model=found.model)
    async with work.begin() as tx:
        assert (await tx.memories.record(row, new(chunk))).new
    embedder.broken = False
    assert await keeping.reembed(embedder) == Reembedded(embedded=1, skipped=0)
    async with work.begin() as tx:
        stored = await tx.memories.chunk(row, "a")
    assert stored is not None
    assert stored.chunk.embedding_model == "bag:24"
    assert {each.value for each, _ in stored.chunk.vectors.present()} == {
        "situation",
        "artifact",
        "stimulus",
        "response",
    }


# -- new vectors ---------------------------------------------------------------------------------


async def test_every_chunk_gets_the_vectors_of_its_own_texts(
    work: PostgresUnitOfWork, keeping: MemoryKeeping
) -> None:
    async with work.begin() as tx:
        row = await memory(tx)
        for name in ("one", "two"):
            chunk = gate_outcome(name, human_response=f"said {name}", prediction_delta="a price")
            texts = PerceptTexts(f"asked {name}", f"draft {name}", f"place {name}")
            await tx.memories.record(row.id, new(chunk, texts=texts))
    await keeping.reembed(BagEmbedder())
    async with work.begin() as tx:
        for name in ("one", "two"):
            found = await tx.memories.chunk(row.id, name)
            assert found is not None
            expected = {
                Dimension.SITUATION: f"place {name}",
                Dimension.ARTIFACT: f"draft {name}",
                Dimension.STIMULUS: f"asked {name}",
                Dimension.RESPONSE: f"said {name}",
                Dimension.SALIENCE: "a price",
            }
            held = {each: values.tolist() for each, values in found.chunk.vectors.present()}
            assert held == {each: bag(text).tolist() for each, text in expected.items()}


async def test_an_interrupted_run_goes_on_where_it_stopped(
    work: PostgresUnitOfWork, keeping: MemoryKeeping
) -> None:
    names = [f"c{number}" for number in range(PAGE + 3)]
    await memory_id(work, *names)
    seen: list[tuple[int, int]] = []

    def interrupt(done: int, total: int) -> None:
        seen.append((done, total))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await keeping.reembed(BagEmbedder(), advance=interrupt)
    assert seen == [(PAGE, PAGE + 3)]
    again: list[tuple[int, int]] = []
    result = await keeping.reembed(
        BagEmbedder(), advance=lambda done, total: again.append((done, total))
    )
    assert (result, again) == (Reembedded(3, 0), [(3, 3)])
    assert await keeping.reembed(BagEmbedder()) == Reembedded(0, 0)


async def test_only_the_memory_named_is_embedded_anew(
    work: PostgresUnitOfWork, keeping: MemoryKeeping
) -> None:
    row = await memory_id(work, "a")
    async with work.begin() as tx:
        await remembered(tx, "b", "c", proxy="mobile")
    assert await keeping.reembed(BagEmbedder(), row) == Reembedded(1, 0)
    assert await keeping.reembed(BagEmbedder()) == Reembedded(2, 0)
    assert await keeping.reembed(BagEmbedder("bag:other")) == Reembedded(3, 0)


async def test_a_text_the_embedder_will_not_take_is_passed_over(
    work: PostgresUnitOfWork, keeping: MemoryKeeping
) -> None:
    async with work.begin() as tx:
        row = await remembered(tx, "a", gate_outcome("bad", human_response="too long"), "c")
    embedder = BagEmbedder(refused=["too long"])
    assert await keeping.reembed(embedder) == Reembedded(2, 1)
    async with work.begin() as tx:
        left = await tx.memories.unembedded(embedder.model, memory_id=row.id)
        assert [each.chunk.id for each in left] == ["bad"]


async def test_an_embedder_that_is_away_ends_the_run(
    work: PostgresUnitOfWork, keeping: MemoryKeeping
) -> None:
    await memory_id(work, "a", "b")
    embedder = BagEmbedder()
    embedder.broken = True
    with pytest.raises(EmbedderError, match="unavailable"):
        await keeping.reembed(embedder)
    async with work.begin() as tx:
        assert await tx.memories.count_unembedded(embedder.model) == 2


# -- consolidation -------------------------------------------------------------------------------


async def drifted(work: PostgresUnitOfWork, *, question: str = "may it be sent?") -> int:
    """A memory whose first outcome is contradicted eight interactions later."""
    embedder = BagEmbedder()
    async with work.begin() as tx:
        row = await memory(tx)
        for place, outcome in enumerate(["approve", *[""] * 7, "reject"]):
            state = "answer_review" if outcome else f"other {place}"
            chunk = gate_outcome(f"c{place}", outcome, state=state)
            texts = PerceptTexts("may it be sent?" if place == 0 else question)
            await tx.memories.record(row.id, new(chunk, texts=texts))
    return row.id if await MemoryKeeping(work, FakeClock()).reembed(embedder) else 0


async def test_the_older_of_two_memories_that_drifted_apart_is_hidden(
    work: PostgresUnitOfWork, keeping: MemoryKeeping
) -> None:
    """Section 8.3."""
    row = await drifted(work)
    assert await keeping.consolidate(row) == Consolidated(row, (), ("c0",), ())
    assert await keeping.consolidate(row) == Consolidated(row, (), (), ())
    async with work.begin() as tx:
        hidden = await tx.memories.chunk(row, "c0")
        assert hidden is not None
        assert hidden.chunk.deleted_at == 9


async def test_memories_of_different_matters_are_both_kept_unless_the_gate_is_off(
    work: PostgresUnitOfWork, keeping: MemoryKeeping
) -> None:
    """Section 8.3: the semantic gate."""
    row = await drifted(work, question="something else entirely")
    assert (await keeping.consolidate(row)).hidden == ()
    assert (await keeping.consolidate(row, semantic_gate=None)).hidden == ("c0",)


async def test_one_look_consolidates_what_is_due_and_empties_the_cache(
    work: PostgresUnitOfWork, keeping: MemoryKeeping, clock: FakeClock
) -> None:
    """Sections 8.3 and 10.2."""
    row = await memory_id(work, "a", "b")
    async with work.begin() as tx:
        await remembered(tx, "quiet", proxy="mobile")
        await tx.memories.soft_delete(row, ["b"])
        for _ in range(260):
            await tx.memories.rehearse(row, "a")
        await tx.memories.cache(row, "m", {"old": bag("old")})
    clock.advance(timedelta(days=7).total_seconds())
    async with work.begin() as tx:
        await tx.memories.cache(row, "m", {"new": bag("new")})
    assert await keeping.run() == Kept(consolidated=1, purged=1, hidden=0, compacted=1, cached=0)
    clock.advance(1)
    assert await keeping.run() == Kept(consolidated=0, purged=0, hidden=0, compacted=0, cached=1)
    async with work.begin() as tx:
        assert set(await tx.memories.cached(row, "m", ["old", "new"])) == {"new"}
