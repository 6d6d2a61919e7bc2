"""What does a proxy say at a gate, and what comes of it? Source: memory.md 3 to 6."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.hive.crossing import Audience
from hivebot.hive.gate import GateAct
from hivebot.proxy.accuracy import AccuracyRecord
from hivebot.proxy.calibration import Guard
from hivebot.proxy.chunks import Chunk
from hivebot.proxy.prediction import Part, PassReply
from hivebot.proxy.retrieval import SEED
from hivebot.services.records.memories import NewChunk, PerceptTexts, RecallPurpose, Scope
from hivebot.services.records.policy import ProxyMode, ProxySettings
from tests.fakes.clock import FakeClock
from tests.fakes.embedders import BagEmbedder
from tests.fakes.models import ScriptedModels
from tests.integration.services.stewards import gate, holding, post_of, press, world_of
from tests.integration.services.stories import ask, finish
from tests.integration.services.world import PAYMENTS, TEAM, World, deleted, said

pytestmark = pytest.mark.integration

QUESTION = "@hive how do refunds work?"
LONG = replace(SEED, retrieval_threshold=-3.0, noise_scale=0.0)


@pytest.fixture
async def world(engine: AsyncEngine, clock: FakeClock) -> World:
    """A world whose payments desk holds its answers and forgets slowly; the memories vote."""
    return await world_of(engine, clock, holding("payments", memory=LONG))


@pytest.fixture
async def told(engine: AsyncEngine, clock: FakeClock, models: ScriptedModels) -> World:
    """The same, but a test says what each pass says."""
    return await world_of(engine, clock, holding("payments", memory=LONG), models)


async def asked(world: World, act: GateAct | None = None, words: str = "") -> None:
    """Ask, and let a steward decide the answer's gate."""
    await ask(world, QUESTION, PAYMENTS)
    if act is not None:
        await press(world, act, words)
        await finish(world)


async def seeded(world: World, *contexts: str) -> None:
    """Outcomes of other kinds, so that the memory knows enough of them."""
    async with world.work.begin() as tx:
        memory = await tx.memories.ensure(TEAM, "payments")
        for at, state in enumerate(contexts):
            chunk = Chunk(id=f"seed{at}", state=state, task_type="payments", outcome="approve")
            texts = PerceptTexts(question="seeded")
            await tx.memories.record(
                memory.id, NewChunk(chunk, Scope(Audience.PUBLIC), texts=texts)
            )


async def shown(world: World) -> str:
    return (await post_of(world)).body.text


async def traces(world: World) -> dict[str, tuple[int, ...]]:
    async with world.work.begin() as tx:
        memory = await tx.memories.find(TEAM, "payments")
        assert memory is not None
        return {one.chunk.id: one.chunk.traces for one in await tx.memories.chunks(memory.id)}


async def accuracy(world: World) -> AccuracyRecord | None:
    async with world.work.begin() as tx:
        memory = await tx.memories.ensure(TEAM, "payments")
        return await tx.memories.accuracy(memory.id, "answer_review", "payments")


async def test_a_proxy_that_remembers_nothing_says_so_and_a_steward_decides(world: World) -> None:
    await asked(world)
    said_of = (await gate(world)).prediction
    assert said_of is not None
    assert (said_of.prior, said_of.posterior, said_of.used, said_of.candidates) == ("", "", (), 0)
    assert said_of.guard is Guard.COLD_START
    assert await shown(world) == (
        "The proxy cannot say how this would be decided. It remembers none of this kind."
    )
    await press(world, GateAct.APPROVE)
    await finish(world)
    assert await accuracy(world) is None


async def test_what_was_decided_before_is_what_the_memories_vote_for(world: World) -> None:
    for _ in range(2):
        await asked(world, GateAct.REJECT, "not ours")
    await asked(world)
    held = await gate(world)
    said_of = held.prediction
    assert said_of is not None
    assert (said_of.prior, said_of.posterior) == ("reject", "reject")
    assert set(said_of.used) == {"gate:1", "gate:2"}
    assert (said_of.candidates, said_of.survivors, said_of.grounded) == (2, 2, True)
    # two of two votes, 2 / (2 + 2), and too few contexts to be surer (memory.md 6.1)
    assert (said_of.posterior_confidence, said_of.confidence) == (0.5, 0.5)
    assert said_of.guard is Guard.COLD_START
    assert await shown(world) == (
        "The proxy would reject this (50% sure, from 2 memories). It has seen too few kinds of "
        "decisions to be surer. 2 of 2 memories of this kind came to mind."
    )


async def test_an_outcome_reinforces_what_was_cited_and_counts_both_passes(world: World) -> None:
    for _ in range(2):
        await asked(world, GateAct.APPROVE)
    # the second gate had cited the first (memory.md 3.4): a trace of the clock then, no step
    assert await traces(world) == {"gate:1": (1, 2), "gate:2": (2,)}
    found = await accuracy(world)
    assert found is not None
    assert (found.prior_correct, found.prior_total) == (1, 1)
    assert (found.posterior_correct, found.posterior_total) == (1, 1)
    await asked(world, GateAct.REJECT, "no")
    found = await accuracy(world)
    assert found is not None
    assert (found.posterior_correct, found.posterior_total) == (1, 2)


async def test_asking_a_memory_adds_no_trace_and_moves_no_clock(world: World) -> None:
    await asked(world, GateAct.APPROVE)
    before = await traces(world)
    await asked(world)
    async with world.work.begin() as tx:
        memory = await tx.memories.find(TEAM, "payments")
        assert memory is not None
        kept = await tx.memories.recalls(memory.id)
    assert (await traces(world), memory.clock) == (before, 1)
    held = await gate(world)
    purposes = [one.recall.purpose for one in kept if one.recall.gate_id == held.id]
    assert purposes == [RecallPurpose.POSTERIOR, RecallPurpose.PRIOR]


async def test_a_gate_that_is_opened_twice_is_predicted_once(
    told: World, models: ScriptedModels
) -> None:
    models.predicts = lambda _asked: PassReply("Fine.", 0.9, "approve")
    await asked(told)
    held = await gate(told)
    await told.gates.open(held.id)
    assert len(models.predictions) == 2


async def test_the_first_pass_is_blind_to_the_artifact_and_the_second_is_not(
    told: World, models: ScriptedModels
) -> None:
    models.predicts = lambda _asked: PassReply("Fine.", 0.9, "approve")
    await asked(told)
    held = await gate(told)
    first, second = models.predictions
    assert all(held.artifact not in text for _, text in first.parts)
    assert dict(second.parts)[Part.ARTIFACT] == held.artifact
    assert dict(second.parts)[Part.PRIOR] == "Fine."


async def test_a_surprise_is_put_into_words_and_kept_with_the_outcome(
    told: World, models: ScriptedModels
) -> None:
    sure = iter([0.2, 0.9])
    models.predicts = lambda _asked: PassReply("Hm.", next(sure), "approve")
    models.moves = "It names the day.\n- five days\n- no fee"
    await asked(told)
    held = await gate(told)
    assert held.prediction is not None
    assert held.prediction.delta == "It names the day."
    assert held.prediction.percepts == ("five days", "no fee")
    await press(told, GateAct.APPROVE)
    await finish(told)
    async with told.work.begin() as tx:
        (kept,) = await tx.memories.of_gate(held.id)
    assert kept.chunk.prediction_delta == "It names the day."
    assert (kept.chunk.prior_confidence, kept.chunk.posterior_confidence) == (0.2, 0.9)


async def test_without_a_surprise_nothing_is_asked_of_it(
    told: World, models: ScriptedModels
) -> None:
    models.predicts = lambda _asked: PassReply("Hm.", 0.9, "approve")
    models.moves = "never asked"
    await asked(told)
    held = await gate(told)
    assert held.prediction is not None
    assert held.prediction.delta == ""


async def test_a_model_that_fails_predicts_nothing_and_the_gate_is_shown(
    told: World, models: ScriptedModels
) -> None:
    models.predicts = lambda _asked: None
    await asked(told)
    assert len(models.predictions) == 1
    assert "cannot say" in await shown(told)


async def test_ids_that_were_not_shown_are_not_believed(
    told: World, models: ScriptedModels
) -> None:
    models.predicts = lambda _asked: PassReply("Fine.", 0.9, "approve", ("gate:77", "seed9"))
    await asked(told)
    held = await gate(told)
    assert held.prediction is not None
    assert (held.prediction.used, held.prediction.grounded) == ((), False)


@pytest.mark.parametrize(
    ("roll", "guard", "confidence"),
    [(0.5, Guard.NONE, 0.9), (0.14, Guard.EXPLORATION, 0.5), (0.15, Guard.NONE, 0.9)],
)
async def test_the_guards_cap_what_the_model_says_and_are_kept_with_the_roll(
    told: World, models: ScriptedModels, roll: float, guard: Guard, confidence: float
) -> None:
    await seeded(told, "answer_review", "referral_review", "decision_review")
    told.roll = roll
    models.predicts = lambda _asked: PassReply("Fine.", 0.9, "approve")
    await asked(told)
    said_of = (await gate(told)).prediction
    assert said_of is not None
    assert (said_of.guard, said_of.confidence, said_of.roll) == (guard, confidence, roll)
    assert said_of.posterior_confidence == 0.9


async def test_a_proxy_that_is_off_is_not_asked(
    engine: AsyncEngine, clock: FakeClock, models: ScriptedModels
) -> None:
    off = holding("payments", proxy=ProxySettings(ProxyMode.OFF))
    world = await world_of(engine, clock, off, models)
    await asked(world, GateAct.APPROVE)
    assert models.predictions == []
    held = await gate(world)
    assert (held.prediction, (await post_of(world)).body.text) == (None, "")


async def test_an_agents_model_predicts_where_one_is_named_and_the_desk_pays(
    engine: AsyncEngine, clock: FakeClock, models: ScriptedModels
) -> None:
    named = holding("payments", proxy=ProxySettings(agent="otto"))
    world = await world_of(engine, clock, named, models)
    models.predicts = lambda _asked: PassReply("Fine.", 0.9, "approve")
    day = clock.now().strftime("%Y-%m-%d")
    await asked(world)
    assert [one.agent.id for one in models.predictions if one.agent is not None] == ["otto"] * 2
    async with world.work.begin() as tx:
        _, tokens, _ = await tx.usage.spent("payments", day)
    assert tokens >= 2 * 60


async def test_an_embedder_that_fails_keeps_no_gate_waiting_and_loses_no_outcome(
    world: World,
) -> None:
    broken = BagEmbedder()
    broken.broken = True
    world.embedder = broken
    for _ in range(2):
        await asked(world, GateAct.APPROVE)
    said_of = (await gate(world)).prediction
    assert said_of is not None
    assert said_of.posterior == "approve"
    assert set(await traces(world)) == {"gate:1", "gate:2"}


async def test_a_private_memory_is_not_asked_where_others_read_along(world: World) -> None:
    async with world.work.begin() as tx:
        memory = await tx.memories.ensure(TEAM, "payments")
        chunk = Chunk(id="secret", state="answer_review", task_type="payments", outcome="reject")
        private = NewChunk(chunk, Scope(Audience.PRIVATE, "C0SECRET"))
        await tx.memories.record(memory.id, private)
    await asked(world)
    said_of = (await gate(world)).prediction
    assert said_of is not None
    assert (said_of.candidates, said_of.posterior) == (0, "")


async def test_what_was_said_of_a_removed_question_goes_with_it(
    told: World, models: ScriptedModels
) -> None:
    sure = iter([0.1, 0.9, 0.1, 0.9])
    models.predicts = lambda _asked: PassReply("Hm.", next(sure), "approve")
    models.moves = "It says plankton."
    question = said(QUESTION, PAYMENTS, addressed=True)
    await told.hear(question)
    await finish(told)
    assert "plankton" in str(await told.rows("select prediction::text from gate"))
    await told.hear(deleted(question))
    await finish(told)
    assert await told.rows("select 1 from gate where prediction is not null") == []
