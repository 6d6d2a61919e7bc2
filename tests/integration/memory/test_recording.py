"""What recording an interaction writes: memory.md 3.1, 3.2, 3.4, 5.5, 6.1 and 7."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from hivebot.hive.crossing import Audience
from hivebot.proxy import memory as core
from hivebot.proxy.accuracy import AccuracyRecord
from hivebot.proxy.chunks import Chunk, ChunkType
from hivebot.proxy.errors import InvalidVectorError
from hivebot.proxy.vectors import NO_VECTORS, Vectors
from hivebot.services.records.memories import PerceptTexts, RememberedChunk, Scope, Sources
from tests.fakes.clock import START, FakeClock
from tests.integration.memory.seeds import (
    DESK,
    GATE,
    PRIVATE,
    PUBLIC,
    everywhere,
    gate_outcome,
    memory,
    new,
    remembered,
    single,
    vectors,
)
from tests.integration.seeds import message

pytestmark = pytest.mark.integration


async def test_a_memory_is_begun_once_per_proxy_with_a_clock_of_its_own(
    work: PostgresUnitOfWork,
) -> None:
    """Section 3.1: per proxy, not per workspace."""
    async with work.begin() as tx:
        first = await memory(tx)
        assert (first.clock, first.team_id, first.proxy) == (0, "T1", DESK)
        other = await remembered(tx, "a", "b", proxy="mobile")
        assert await memory(tx) == first
        assert other.clock == 2
        assert other.seed != first.seed
        assert [row.id for row in await tx.memories.every()] == [first.id, other.id]
        assert await tx.memories.find("T1", "mobile") == other
        assert await tx.memories.find("T2", "mobile") is None
        assert await tx.memories.get(other.id + 1) is None


async def test_a_chunk_is_read_back_as_it_went_in(work: PostgresUnitOfWork) -> None:
    """Section 2."""
    given_chunk = Chunk(
        id="gate-1",
        type=ChunkType.GATE_OUTCOME,
        state=GATE,
        task_type="a>b",
        outcome="correct",
        lens="cost",
        prior_prediction="approve",
        prior_confidence=0.7,
        posterior_prediction="correct",
        posterior_confidence=0.1,
        prediction_delta="it names a price",
        salient_percepts=("a price", "no date"),
        human_response="add a date\u2028please \x00",
        delta="a date",
        content="the draft",
        vectors=vectors(situation=[1, 0], artifact=[0.1, -2.5, 3], salience=[1e-30, 1]),
        embedding_model="wordllama:x",
    )
    async with work.begin() as tx:
        row = await memory(tx)
        said = await message(tx)
        recorded = await tx.memories.record(
            row.id,
            new(
                given_chunk,
                places=[PUBLIC, PRIVATE],
                sources=Sources(7, (said.id, said.id), ("U2", "U1", "U2")),
                texts=PerceptTexts("why?", "an artifact", "somewhere"),
            ),
        )
    async with work.begin() as tx:
        found = await tx.memories.chunk(row.id, "gate-1")
        assert found is not None
        stored = replace(
            given_chunk,
            human_response="add a date\u2028please \ufffd",
            traces=(1,),
            sequence=found.chunk.sequence,
        )
        assert found == RememberedChunk(
            memory_id=row.id,
            chunk=stored,
            scope=Scope(Audience.PRIVATE, "G1"),
            sources=Sources(7, (said.id,), ("U1", "U2")),
            texts=PerceptTexts("why?", "an artifact", "somewhere"),
            by_human=True,
            created_at=START,
        )
        assert recorded.chunk == stored
        assert (recorded.clock, recorded.new) == (1, True)
        (of_gate,) = await tx.memories.of_gate(7)
        assert of_gate == replace(found, chunk=replace(stored, vectors=NO_VECTORS))
        assert await tx.memories.chunk(row.id, "gate-2") is None


async def test_each_kind_moves_the_clock_and_leaves_traces_as_it_should(
    work: PostgresUnitOfWork,
) -> None:
    """Sections 3.1 and 3.2: recording +1, correction +1 and five traces, steering 0."""
    kinds = [
        ChunkType.GATE_OUTCOME,
        ChunkType.REVIEW_CORRECTION,
        ChunkType.STEERING,
        ChunkType.WITHDRAWAL,
    ]
    async with work.begin() as tx:
        row = await remembered(tx, *(gate_outcome(each, type=each) for each in kinds))
        chunks = await tx.memories.chunks(row.id)
        assert [each.chunk.traces for each in chunks] == [(1,), (2,) * 5, (2,), (3,)]
        assert row.clock == 3


async def test_the_same_id_again_changes_nothing(work: PostgresUnitOfWork) -> None:
    """Section 7.4: at most one outcome, one clock step, one chunk."""
    async with work.begin() as tx:
        row = await remembered(tx, gate_outcome("a", posterior_prediction="approve"))
        again = await tx.memories.record(
            row.id, new(gate_outcome("a", "reject", posterior_prediction="approve"))
        )
        assert (again.new, again.clock, again.chunk.outcome) == (False, 1, "approve")
        await tx.memories.soft_delete(row.id, ["a"])
        assert not (await tx.memories.record(row.id, new("a"))).new
        assert await tx.memories.lock(row.id) == row
        accuracy = await tx.memories.accuracy(row.id, GATE, DESK)
        assert accuracy is not None
        assert accuracy.posterior_total == 1


async def test_two_sessions_that_record_at_once_get_two_numbers(work: PostgresUnitOfWork) -> None:
    """Section 7.2: the row lock serialises."""
    async with work.begin() as tx:
        row = await memory(tx)

    async def record(name: str) -> int:
        async with work.begin() as tx:
            return (await tx.memories.record(row.id, new(name))).clock

    clocks = await asyncio.gather(*(record(f"c{number}") for number in range(8)))
    assert sorted(clocks) == list(range(1, 9))
    async with work.begin() as tx:
        traces = [each.chunk.traces for each in await tx.memories.chunks(row.id)]
        assert sorted(traces) == [(number,) for number in range(1, 9)]


async def test_what_is_rolled_back_moves_no_clock(work: PostgresUnitOfWork) -> None:
    """Section 3.1: counter and chunk are one transaction."""

    async def fail() -> None:
        async with work.begin() as tx:
            await remembered(tx, "b")
            raise LookupError

    async with work.begin() as tx:
        await remembered(tx, "a")
    with pytest.raises(LookupError):
        await fail()
    async with work.begin() as tx:
        row = await memory(tx)
        assert row.clock == 1
        assert [each.chunk.id for each in await tx.memories.chunks(row.id)] == ["a"]


async def test_rehearsing_steps_the_clock_and_adds_that_trace(work: PostgresUnitOfWork) -> None:
    """Section 3.1: reinforcing a named existing chunk through the same call."""
    async with work.begin() as tx:
        row = await remembered(tx, "a", "b")
        assert await tx.memories.rehearse(row.id, "a") == 3
        assert await tx.memories.rehearse(row.id, "unknown") is None
        a, b = await tx.memories.chunks(row.id)
        assert (a.chunk.traces, b.chunk.traces) == ((1, 3), (2,))
        after = await tx.memories.get(row.id)
        assert after is not None
        assert after.clock == 3


async def test_reinforcing_adds_one_trace_each_and_leaves_the_clock(
    work: PostgresUnitOfWork,
) -> None:
    """Section 3.4: de-duplicated, unknown ids skipped."""
    async with work.begin() as tx:
        row = await remembered(tx, "a", "b", "c")
        assert await tx.memories.reinforce(row.id, ["c", "a", "c", "nobody"]) == ("c", "a")
        traces = [each.chunk.traces for each in await tx.memories.chunks(row.id)]
        assert traces == [(1, 3), (2,), (3, 3)]
        assert await tx.memories.get(row.id) == row
        assert await tx.memories.reinforce(row.id, []) == ()


async def test_no_reinforcement_is_lost_when_two_come_at_once(work: PostgresUnitOfWork) -> None:
    """Section 7.3: the append is atomic."""
    async with work.begin() as tx:
        row = await remembered(tx, "a")

    async def reinforce() -> None:
        async with work.begin() as tx:
            await tx.memories.reinforce(row.id, ["a"])

    await asyncio.gather(*(reinforce() for _ in range(8)))
    async with work.begin() as tx:
        found = await tx.memories.chunk(row.id, "a")
        assert found is not None
        assert found.chunk.traces == (1,) * 9


async def test_a_hidden_chunk_accepts_traces_and_stays_hidden(work: PostgresUnitOfWork) -> None:
    """Section 7.5."""
    async with work.begin() as tx:
        row = await remembered(tx, "a", "b")
        await tx.memories.soft_delete(row.id, ["a"])
        assert await tx.memories.reinforce(row.id, ["a"]) == ("a",)
        assert await tx.memories.rehearse(row.id, "a") == 3
        found = await tx.memories.chunk(row.id, "a")
        assert found is not None
        assert (found.chunk.deleted_at, found.chunk.traces) == (2, (1, 2, 3))


async def test_another_proxys_chunk_of_the_same_id_is_another(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        here, there = await remembered(tx, "a"), await remembered(tx, "a", proxy="mobile")
        await tx.memories.reinforce(here.id, ["a"])
        found = await tx.memories.chunk(there.id, "a")
        assert found is not None
        assert found.chunk.traces == (1,)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
async def test_a_vector_with_nan_or_infinity_is_refused(
    work: PostgresUnitOfWork, bad: float
) -> None:
    """Section 2."""
    broken = Vectors(artifact=np.array([1.0, bad]))
    async with work.begin() as tx:
        row = await memory(tx)
        with pytest.raises(InvalidVectorError):
            await tx.memories.record(row.id, new(gate_outcome("a", vectors=broken)))
        assert await tx.memories.chunks(row.id) == ()


async def test_a_zero_or_empty_vector_is_stored_as_absent(work: PostgresUnitOfWork) -> None:
    """Sections 2 and 10.3."""
    given_vectors = Vectors(artifact=single(0, 0), stimulus=single(), response=single(0, 1))
    async with work.begin() as tx:
        row = await remembered(tx, gate_outcome("a", vectors=given_vectors))
        found = await tx.memories.chunk(row.id, "a")
        assert found is not None
        assert [each for each, _ in found.chunk.vectors.present()] == ["response"]


async def test_an_unknown_outcome_and_kind_are_kept_as_written(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        row = await remembered(tx, gate_outcome("a", "postponed", type="rumour"))
        (found,) = await tx.memories.chunks(row.id)
        assert (found.chunk.outcome, found.chunk.type) == ("postponed", "rumour")


# -- accuracy and depth --------------------------------------------------------------------------


async def test_a_persons_outcome_counts_both_passes(
    work: PostgresUnitOfWork, clock: FakeClock
) -> None:
    """Section 5.5."""
    async with work.begin() as tx:
        row = await remembered(
            tx, gate_outcome("a", prior_prediction="correct", posterior_prediction="approve")
        )
        clock.advance(60)
        await tx.memories.record(row.id, new(gate_outcome("b", prior_prediction="approve")))
        counted = AccuracyRecord(1, 2, 1, 1, START + timedelta(seconds=60))
        assert await tx.memories.accuracy(row.id, GATE, DESK) == counted
        assert await tx.memories.accuracies(row.id) == {(GATE, DESK): counted}
        assert await tx.memories.accuracy(row.id, GATE, "mobile") is None


@pytest.mark.parametrize(
    ("chunk", "by_human"),
    [
        (gate_outcome("silent"), True),
        (gate_outcome("own", posterior_prediction="approve"), False),
        (
            gate_outcome(
                "asked", "discuss", type=ChunkType.DIALOG_TURN, posterior_prediction="approve"
            ),
            True,
        ),
    ],
    ids=["no prediction", "the proxy's own decision", "a question decides nothing"],
)
async def test_what_judges_no_prediction_touches_no_count(
    work: PostgresUnitOfWork, chunk: Chunk, *, by_human: bool
) -> None:
    """Section 5.5: not even the date."""
    async with work.begin() as tx:
        row = await memory(tx)
        await tx.memories.record(row.id, new(chunk, by_human=by_human))
        assert await tx.memories.accuracies(row.id) == {}


async def test_depth_counts_contexts_of_live_gate_outcomes(work: PostgresUnitOfWork) -> None:
    """Section 6.1: as a pair, which no joined text could confuse."""
    async with work.begin() as tx:
        row = await remembered(
            tx,
            gate_outcome("a"),
            gate_outcome("b"),
            gate_outcome("c", state="x:y", task_type="z"),
            gate_outcome("d", state="x", task_type="y:z"),
            gate_outcome("hidden", state="h"),
            gate_outcome("s", type=ChunkType.STEERING, state="", task_type="U1"),
        )
        await tx.memories.soft_delete(row.id, ["hidden"])
        assert await tx.memories.depth(row.id) == 3


# -- the same as the pure core -------------------------------------------------------------------

steps = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["record", "rehearse", "forget", "hide"]), st.integers(0, 4)),
        st.tuples(st.just("reinforce"), st.integers(0, 4)),
        st.tuples(st.just("correct"), st.integers(5, 7)),
        st.tuples(st.just("purge"), st.integers(0, 3)),
    ),
    max_size=12,
)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps)
async def test_any_history_leaves_what_the_pure_memory_says(
    work: PostgresUnitOfWork, history: list[tuple[str, int]]
) -> None:
    """Sections 3.1 to 3.4 and 8.3, against `hivebot.proxy.memory`."""
    expected = core.MemoryState()
    async with work.begin() as tx:
        row = await memory(tx, f"proxy {history}")
        for act, number in history:
            name = f"c{number}"
            if act in {"record", "correct"}:
                kind = ChunkType.REVIEW_CORRECTION if act == "correct" else ChunkType.GATE_OUTCOME
                chunk = gate_outcome(name, type=kind)
                if (await tx.memories.record(row.id, new(chunk))).new:
                    expected = core.record(expected, chunk)
            elif act == "rehearse":
                if await tx.memories.rehearse(row.id, name) is not None:
                    expected = core.record(expected, gate_outcome(name))
            elif act == "reinforce":
                done = core.reinforce(expected, [name, name])
                assert await tx.memories.reinforce(row.id, [name, name]) == done.reinforced
                expected = done.memory
            elif act == "hide":
                await tx.memories.soft_delete(row.id, [name])
                expected = core.soft_delete(expected, [name])
            elif act == "forget":
                await tx.memories.forget(row.id, [name])
                expected = core.forget(expected, [name])
            else:
                gone = core.purgeable(expected.chunks, expected.clock, number)
                assert await tx.memories.purge(row.id, number) == gone
                expected = core.forget(expected, gone)
        after = await tx.memories.get(row.id)
        assert after is not None
        assert after.clock == expected.clock
        found = [each.chunk for each in await tx.memories.chunks(row.id)]
        assert [(c.id, c.traces, c.deleted_at) for c in found] == [
            (c.id, c.traces, c.deleted_at) for c in expected.chunks
        ]


async def test_every_percept_has_its_own_column(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        row = await remembered(tx, gate_outcome("a", vectors=everywhere(0.25, -1)))
        found = await tx.memories.chunk(row.id, "a")
        assert found is not None
        assert found.chunk.vectors == everywhere(0.25, -1)
