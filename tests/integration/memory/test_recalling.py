"""What comes to mind from the database: memory.md 4 and 10.3, rights.md 3.

The pure memory, whose worked cases are the vectors, says what has to be found.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from hivebot.proxy.chunks import Chunk, ChunkType
from hivebot.proxy.matrix import ChunkMatrix
from hivebot.proxy.parts import score_parts
from hivebot.proxy.retrieval import (
    Normalization,
    Query,
    RetrievalPolicy,
    retrieve,
    retrieve_salience,
    seeded,
)
from hivebot.proxy.vectors import Dimension, Vectors, vector
from hivebot.services.ports import Transaction
from hivebot.services.records.memories import (
    MemoryRow,
    NewRecall,
    Place,
    RecallPurpose,
    Recollection,
)
from tests.fakes.clock import START
from tests.integration.memory.seeds import (
    DESK,
    GATE,
    PRIVATE,
    PUBLIC,
    SHARED,
    everything,
    everywhere,
    gate_outcome,
    memory,
    new,
    remembered,
    single,
    vectors,
)

pytestmark = pytest.mark.integration

QUIET = RetrievalPolicy(noise_scale=0.0, retrieval_threshold=-2.0)
HERE = Query(state=GATE, task_type=DESK)


async def found(
    tx: Transaction,
    row: MemoryRow,
    query: Query = HERE,
    policy: RetrievalPolicy = QUIET,
    places: tuple[Place, ...] | None = None,
) -> Recollection:
    return await tx.memories.retrieve(row.id, query, policy, places)


def names(recollection: Recollection) -> list[str]:
    return [each.chunk.id for each in recollection.chunks]


# -- the same as the pure retrieval --------------------------------------------------------------


def made_up(number: int, chance: np.random.Generator) -> Chunk:
    """A chunk with some vectors, of one of two lengths and one of three models."""
    width = int(chance.choice([4, 4, 4, 6]))
    held = {
        each.value: single(*chance.standard_normal(width))
        for each in Dimension
        if each is not Dimension.BLENDED and chance.random() < 0.8
    }
    return gate_outcome(
        f"c{number}",
        type=str(chance.choice([ChunkType.GATE_OUTCOME, ChunkType.STEERING, "dialog_turn"])),
        state=str(chance.choice([GATE, "referral_review"])),
        task_type=str(chance.choice([DESK, "mobile"])),
        vectors=Vectors(**held),
        embedding_model=str(chance.choice(["", "a", "b"])),
    )


async def some_past(tx: Transaction, chance: np.random.Generator) -> MemoryRow:
    row = await remembered(tx, *(made_up(number, chance) for number in range(40)))
    for number in chance.integers(0, 40, 60):
        await tx.memories.reinforce(row.id, [f"c{number}"])
    await tx.memories.soft_delete(row.id, [f"c{number}" for number in chance.integers(0, 40, 4)])
    await tx.memories.rehearse(row.id, "c3")
    after = await tx.memories.get(row.id)
    assert after is not None
    return after


POLICIES = [
    RetrievalPolicy(),
    replace(QUIET, top_k=7),
    replace(QUIET, normalization=Normalization.TANH, noise_scale=0.08),
    replace(QUIET, dimensions=(Dimension.ARTIFACT, Dimension.SALIENCE)),
    replace(QUIET, retrieval_threshold=-9.0, activation_weight=0.0, top_k=50),
    replace(QUIET, top_k=0),
]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("seed", [1, 2])
async def test_the_database_finds_what_the_pure_memory_finds(
    work: PostgresUnitOfWork, policy: RetrievalPolicy, seed: int
) -> None:
    """Sections 4.1 to 4.5, for filters, lengths, models, noise and both ways of scaling."""
    chance = np.random.default_rng(seed)
    async with work.begin() as tx:
        row = await some_past(tx, chance)
        whole = ChunkMatrix.of([each.chunk for each in await tx.memories.chunks(row.id)])
        for filters in (Query(), HERE, Query(state=GATE, type="dialog_turn")):
            asked = {
                each.value: single(*chance.standard_normal(4))
                for each in Dimension
                if each is not Dimension.STIMULUS
            }
            query = replace(filters, vectors=Vectors(**asked), embedding_model="a")
            draws = seeded(whole, row.seed, row.clock)
            expected = retrieve(whole, query, row.clock, policy, draws)
            got = await found(tx, row, query, policy)
            assert tuple(names(got)) == expected.ids
            assert got.candidates == expected.candidates
            assert got.survivors == expected.survivors.size
            assert got.other_length == expected.other_length
            parts = score_parts(whole, expected, query, policy, draws)
            for one, other in zip(got.parts, parts, strict=True):
                assert one.chunk_id == other.chunk_id
                assert one.score == pytest.approx(other.score, abs=1e-5)
                assert [each for _, each in one.cosines] == pytest.approx(
                    [each for _, each in other.cosines], abs=1e-5
                )


@pytest.mark.parametrize("model", ["", "a"])
async def test_the_database_finds_the_surprises_the_pure_memory_finds(
    work: PostgresUnitOfWork, model: str
) -> None:
    """Section 4.6."""
    chance = np.random.default_rng(5)
    async with work.begin() as tx:
        row = await some_past(tx, chance)
        whole = ChunkMatrix.of([each.chunk for each in await tx.memories.chunks(row.id)])
        asked = single(*chance.standard_normal(4))
        expected = retrieve_salience(whole, asked, row.clock, QUIET, model)
        got = await tx.memories.retrieve_salience(row.id, asked, model, QUIET, None)
        assert tuple(names(got)) == expected.ids
        assert len(got.chunks) == QUIET.salience_top_k
        assert (got.candidates, got.survivors) == (expected.candidates, expected.survivors.size)
        assert got.parts == ()


async def test_without_a_query_vector_no_surprise_comes_to_mind(work: PostgresUnitOfWork) -> None:
    """Section 4.6."""
    async with work.begin() as tx:
        row = await remembered(tx, gate_outcome("a", vectors=everywhere(1, 0)))
        got = await tx.memories.retrieve_salience(row.id, None, "", QUIET, None)
        assert (got.chunks, got.candidates) == ((), 1)
        zero = await tx.memories.retrieve_salience(row.id, single(0, 0), "", QUIET, None)
        assert zero.chunks == ()


async def test_an_empty_memory_brings_nothing_to_mind(work: PostgresUnitOfWork) -> None:
    """Section 4.5."""
    async with work.begin() as tx:
        row = await memory(tx)
        got = await found(tx, row, replace(HERE, vectors=everywhere(1, 0)))
        assert got == Recollection((), (), 0, 0, 0)
        assert await tx.memories.nearest_below(row.id, HERE, QUIET, None) is None


async def test_retrieval_writes_nothing(work: PostgresUnitOfWork, engine: AsyncEngine) -> None:
    """Sections 3.1 and 3.2."""
    async with work.begin() as tx:
        row = await remembered(tx, gate_outcome("a", vectors=everywhere(1, 0)), "b")
    before = await everything(engine)
    async with work.begin() as tx:
        assert (await found(tx, row, replace(HERE, vectors=everywhere(1, 0)))).survivors == 2
        await tx.memories.retrieve_salience(row.id, single(1, 0), "", QUIET, None)
        await tx.memories.nearest_below(row.id, HERE, QUIET, None)
    assert await everything(engine) == before


async def test_chunks_come_without_their_vectors(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        row = await remembered(tx, gate_outcome("a", vectors=everywhere(1, 0)))
        (chunk,) = (await found(tx, row)).chunks
        assert list(chunk.chunk.vectors.present()) == []
        assert chunk.sources.user_ids == ("U1",)


# -- traps of section 10.3 -----------------------------------------------------------------------


async def test_a_zero_vector_in_the_query_or_in_a_row_adds_nothing(
    work: PostgresUnitOfWork, engine: AsyncEngine
) -> None:
    """Section 10.3: NaN would sort above every number."""
    async with work.begin() as tx:
        row = await remembered(
            tx,
            gate_outcome("zero", vectors=everywhere(1, 1)),
            gate_outcome("alike", vectors=everywhere(1, 0)),
        )
    async with engine.begin() as connection:
        await connection.execute(
            text("update chunk set embedding_artifact = '[0,0]' where chunk_key = 'zero'")
        )
    policy = replace(QUIET, activation_weight=0.0)
    asked = Vectors(artifact=single(1, 0), stimulus=single(0, 0))
    async with work.begin() as tx:
        got = await found(tx, row, replace(HERE, vectors=asked), policy)
        assert names(got) == ["alike", "zero"]
        assert [each.score for each in got.parts] == [0.125, 0.0]


async def test_a_chunk_without_traces_never_comes_to_mind(
    work: PostgresUnitOfWork, engine: AsyncEngine
) -> None:
    """Sections 3.3 and 4.5."""
    async with work.begin() as tx:
        row = await remembered(tx, "a", "b")
    async with engine.begin() as connection:
        await connection.execute(
            text(
                "update chunk set traces = '{}', n_traces = 0, last_trace = 0 where chunk_key = 'a'"
            )
        )
    async with work.begin() as tx:
        got = await found(tx, row, policy=replace(QUIET, retrieval_threshold=-99.0))
        assert (names(got), got.candidates) == (["b"], 2)


async def test_a_trace_from_the_future_counts_as_new(
    work: PostgresUnitOfWork, engine: AsyncEngine
) -> None:
    """Section 3.3."""
    async with work.begin() as tx:
        row = await remembered(tx, "a", "b")
    async with engine.begin() as connection:
        await connection.execute(
            text("update chunk set traces = '{99}', last_trace = 99 where chunk_key = 'a'")
        )
    async with work.begin() as tx:
        got = await found(tx, row)
        assert {each.activation for each in got.parts} == {0.0}


async def test_an_absurd_decay_empties_the_memory_instead_of_failing(
    work: PostgresUnitOfWork,
) -> None:
    """Section 10.3: a power raises on underflow."""
    async with work.begin() as tx:
        row = await remembered(tx, "a", "b", "c", "d")
        got = await found(tx, row, policy=replace(QUIET, decay=1e6))
        assert names(got) == ["c", "d"]


async def test_a_double_precision_query_is_compared_in_single_precision(
    work: PostgresUnitOfWork,
) -> None:
    async with work.begin() as tx:
        row = await remembered(tx, gate_outcome("a", vectors=everywhere(0.1, 0.7)))
        query = replace(HERE, vectors=Vectors(artifact=vector([0.1, 0.7])))
        (parts,) = (await found(tx, row, query)).parts
        assert parts.similarity == pytest.approx(0.25, abs=1e-6)


async def test_a_blended_vector_is_neither_stored_nor_compared(work: PostgresUnitOfWork) -> None:
    blended = Vectors(blended=single(1, 0))
    async with work.begin() as tx:
        row = await remembered(tx, gate_outcome("a", vectors=blended))
        policy = replace(QUIET, dimensions=(Dimension.BLENDED,))
        (parts,) = (await found(tx, row, replace(HERE, vectors=blended), policy)).parts
        assert parts.similarity == 0.0


async def test_a_compacted_chunk_is_found_as_the_pure_memory_finds_it(
    work: PostgresUnitOfWork,
) -> None:
    """Section 10.2."""
    async with work.begin() as tx:
        row = await remembered(tx, "a", "b")
        for _ in range(12):
            await tx.memories.rehearse(row.id, "a")
        assert await tx.memories.compact(row.id, keep=2, above=4) == ("a",)
        clock = 14
        whole = ChunkMatrix.of([each.chunk for each in await tx.memories.chunks(row.id)])
        expected = retrieve(whole, HERE, clock, QUIET)
        got = await found(tx, row)
        assert tuple(names(got)) == expected.ids == ("a", "b")
        assert [each.activation for each in got.parts] == pytest.approx(
            [float(each) for each in expected.activations]
        )


# -- who may read --------------------------------------------------------------------------------


async def test_only_what_may_be_read_at_every_place_comes_to_mind(
    work: PostgresUnitOfWork,
) -> None:
    """rights.md 3."""
    async with work.begin() as tx:
        row = await memory(tx)
        for name, sources in (
            ("open", [PUBLIC]),
            ("closed", [PRIVATE, PUBLIC]),
            ("strange", [SHARED]),
            ("nobody", [SHARED, PRIVATE]),
        ):
            chunk = gate_outcome(name, vectors=everywhere(1, 0))
            await tx.memories.record(row.id, new(chunk, places=sources))

        async def read(*places: Place) -> set[str]:
            got = await found(tx, row, places=places)
            salient = await tx.memories.retrieve_salience(row.id, single(1, 0), "", QUIET, places)
            assert set(names(salient)) == set(names(got))
            assert got.candidates == got.survivors == salient.candidates == len(got.chunks)
            return set(names(got))

        assert await read(PUBLIC) == {"open"}
        assert await read(PRIVATE) == {"open", "closed"}
        assert await read(PRIVATE, PUBLIC) == {"open"}
        assert await read(SHARED) == {"strange"}
        assert await read(SHARED, PUBLIC) == set()
        assert await read() == set()
        everyone = await found(tx, row)
        assert set(names(everyone)) == {"open", "closed", "strange", "nobody"}
        strict = replace(QUIET, retrieval_threshold=9.0)
        nearest = await tx.memories.nearest_below(row.id, HERE, strict, [SHARED])
        assert nearest is not None
        assert nearest.chunk.id == "strange"


# -- the nearest below, and what is kept ---------------------------------------------------------


async def test_the_strongest_memory_below_the_threshold_is_shown(work: PostgresUnitOfWork) -> None:
    """product.md 7."""
    async with work.begin() as tx:
        row = await remembered(tx, "a", "b", "c", "d")
        await tx.memories.reinforce(row.id, ["a"])
        strict = replace(QUIET, retrieval_threshold=-0.3)
        assert set(names(await found(tx, row, policy=strict))) == {"a", "c", "d"}
        nearest = await tx.memories.nearest_below(row.id, HERE, strict, None)
        assert nearest is not None
        assert nearest.chunk.id == "b"
        elsewhere = Query(state="referral_review")
        assert await tx.memories.nearest_below(row.id, elsewhere, strict, None) is None


async def test_kept_retrievals_are_read_back_newest_first(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        row = await remembered(tx, gate_outcome("a", vectors=everywhere(1, 0)), "b")
        policy = RetrievalPolicy()
        got = await found(tx, row, replace(HERE, vectors=everywhere(1, 0)), policy)
        first = NewRecall(
            RecallPurpose.POSTERIOR, got.clock, got.candidates, got.survivors, policy, got.parts, 7
        )
        second = replace(first, purpose=RecallPurpose.TURN, hits=got.parts[:1], gate_id=None)
        await tx.memories.keep_recall(row.id, first)
        await tx.memories.keep_recall(row.id, second)
        kept = await tx.memories.recalls(row.id)
        assert [each.recall for each in kept] == [second, first]
        assert {(each.memory_id, each.at) for each in kept} == {(row.id, START)}
        other = got.parts[1].chunk_id
        assert [each.recall for each in await tx.memories.recalls(row.id, other)] == [first]
        assert len(await tx.memories.recalls(row.id, limit=1)) == 1


async def test_only_the_newest_retrievals_of_a_memory_are_kept(
    work: PostgresUnitOfWork,
) -> None:
    async with work.begin() as tx:
        row, other = await memory(tx), await memory(tx, "mobile")
        for clock in range(5):
            for each in (row, other):
                new_recall = NewRecall(RecallPurpose.PRIOR, clock, 0, 0, QUIET, ())
                await tx.memories.keep_recall(each.id, new_recall, keep=3)
        for each in (row, other):
            kept = await tx.memories.recalls(each.id)
            assert [one.recall.clock for one in kept] == [4, 3, 2]


async def test_chunks_are_paged_in_insertion_order(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        row = await remembered(
            tx, *(gate_outcome(f"c{n}", vectors=vectors(artifact=[1])) for n in range(5))
        )
        page = await tx.memories.chunks(row.id, limit=2)
        rest = await tx.memories.chunks(row.id, after=page[-1].chunk.sequence, vectors=False)
        assert [each.chunk.id for each in (*page, *rest)] == ["c0", "c1", "c2", "c3", "c4"]
        assert page[0].chunk.vectors == vectors(artifact=[1])
        assert list(rest[0].chunk.vectors.present()) == []
