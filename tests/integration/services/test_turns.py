"""How does an authorised turn become a committed reply? Source: datapath.md 3, turns.md 5 and 6."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.services.lines import model_fault
from hivebot.services.ports import StoreConflictError
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.asking import ReplyFailureKind
from hivebot.services.records.policy import DeskMode
from hivebot.services.records.replies import NO_ASK, SPONSOR_ADDS_MAX, AnswerTurn, Ask, Known, Shape
from hivebot.services.records.rows import TurnRow, TurnState
from hivebot.services.turns import ATTEMPTS, Spoken, TurnAgainError, Turns
from tests.configurations import CONFIGURATION, with_agent, with_desk
from tests.fakes.clock import FakeClock
from tests.fakes.models import ScriptedModels, failing
from tests.integration.services.stories import (
    Flaky,
    answers,
    ask,
    begin,
    finish,
    reload,
    turns_of,
)
from tests.integration.services.world import PAYMENTS, PLATFORM, World, said

pytestmark = pytest.mark.integration

REFUND = "@hive how long does a refund take?"
QUESTION = "@#platform does the gateway retry on 503?"


def answer(
    text: str,
    known: Known = Known.KNOWN,
    *,
    cites: tuple[int, ...] = (0,),
    memories: tuple[str, ...] = (),
    asked: Ask = NO_ASK,
) -> AnswerTurn:
    return AnswerTurn(known, text, cites, memories, asked)


async def authorised(world: World, words: str = REFUND) -> TurnRow:
    """A turn that waits to be spoken, its job taken away."""
    await world.hear(said(words, addressed=True))
    await world.work_off("route")
    await world.rows("delete from procrastinate_jobs where task_name = 'speak' returning id")
    (turn,) = await world.all_turns()
    return turn


async def the_turn(world: World) -> TurnRow:
    (turn,) = await world.all_turns()
    return turn


# One turn, one row, one post.


async def test_a_turn_keeps_what_it_consisted_of_and_what_it_cost(
    scripted: World, models: ScriptedModels
) -> None:
    models.will("pia", "answer", answer("Five days."))
    await ask(scripted, REFUND)

    turn = await the_turn(scripted)
    assert (turn.state, turn.shape, turn.attempt) == (TurnState.COMMITTED, Shape.CLEAN, 1)
    assert turn.reply == answer("Five days.")
    assert (turn.tokens_in, turn.tokens_out, turn.cost_usd_micros) == (100, 20, 3)


async def test_two_workers_that_run_one_turn_write_it_once(world: World) -> None:
    turn = await authorised(world)

    spoken = await asyncio.gather(world.turns.run(turn.id), world.turns.run(turn.id))
    await finish(world)
    assert sorted(spoken) == [Spoken.COMMITTED, Spoken.LOST]
    assert (await the_turn(world)).attempt == 2
    rows = await world.rows("select count(*) from message where turn_id is not null")
    assert rows[0][0] == 1
    assert len(await world.outbox(PAYMENTS)) == 1


async def test_a_turn_that_was_cancelled_meanwhile_writes_nothing(
    scripted: World, models: ScriptedModels
) -> None:
    turn = await authorised(scripted)

    async def cancelled() -> None:
        async with scripted.work.begin() as tx:
            await tx.turns.close(turn.id, TurnState.CANCELLED, "withdrawn")

    models.meanwhile(cancelled)
    assert await scripted.turns.run(turn.id) is Spoken.LOST
    assert await scripted.outbox(PAYMENTS) == []
    async with scripted.work.begin() as tx:
        assert await tx.usage.spent("payments", "2023-11-14") == (0, 0, 0)


async def test_a_turn_that_is_over_is_not_run_again(world: World) -> None:
    await ask(world, REFUND)

    assert await world.turns.run((await the_turn(world)).id) is Spoken.GONE


async def test_a_conflict_while_writing_is_tried_again_on_fresh_rows(
    scripted: World, models: ScriptedModels
) -> None:
    turn = await authorised(scripted)
    # the first transaction claims, the second one writes
    work = Flaky(scripted.work, 2, well=1)
    turns = Turns(
        work, scripted.policies, models, scripted.directory, scripted.clock, scripted.embedder
    )

    assert await turns.run(turn.id) is Spoken.COMMITTED
    assert len(models.requests) == 1
    assert len(await scripted.outbox(PAYMENTS)) == 1


async def test_a_conflict_three_times_running_is_the_queues(
    scripted: World, models: ScriptedModels
) -> None:
    turn = await authorised(scripted)
    work = Flaky(scripted.work, 3, well=1)
    turns = Turns(
        work, scripted.policies, models, scripted.directory, scripted.clock, scripted.embedder
    )

    with pytest.raises(StoreConflictError):
        await turns.run(turn.id)
    assert (await the_turn(scripted)).state is TurnState.RUNNING


# Failures.


@pytest.mark.parametrize("kind", ["timed_out", "declined", "malformed", "empty", "misconfigured"])
async def test_a_model_that_fails_is_said_in_one_line(
    scripted: World, models: ScriptedModels, kind: ReplyFailureKind
) -> None:
    models.will("pia", "answer", failing(kind))
    asked = await ask(scripted, REFUND)

    (told,) = await answers(scripted, PAYMENTS, asked.ts)
    assert told.body.text == f"I could not answer: {model_fault(kind)}."
    turn = await the_turn(scripted)
    assert told.body.small.endswith(f"Reference T{turn.id}")
    assert (turn.state, turn.shape) == (TurnState.COMMITTED, Shape.FAILED)
    row = (await scripted.log(PAYMENTS, asked.ts))[-1]
    assert row.content == f"(no answer: {kind})"


async def test_a_model_that_may_answer_later_is_asked_three_times(
    scripted: World, models: ScriptedModels
) -> None:
    models.will("pia", "answer", failing("unavailable", again=True))
    asked = await ask(scripted, REFUND)

    assert len(models.requests) == ATTEMPTS
    (told,) = await answers(scripted, PAYMENTS, asked.ts)
    assert told.body.text == f"I could not answer: {model_fault('unavailable')}."
    assert (await the_turn(scripted)).attempt == ATTEMPTS
    async with scripted.work.begin() as tx:
        assert await tx.usage.spent("payments", "2023-11-14") == (1, 21, 0)


async def test_until_then_the_queue_is_told_to_try_again(
    scripted: World, models: ScriptedModels
) -> None:
    models.will("pia", "answer", failing("rate_limited", again=True), answer("Five days, at most."))
    turn = await authorised(scripted)

    with pytest.raises(TurnAgainError) as raised:
        await scripted.turns.run(turn.id)
    assert raised.value.kind == "rate_limited"
    assert await scripted.outbox(PAYMENTS) == []
    assert await scripted.turns.run(turn.id) is Spoken.COMMITTED


async def test_a_turn_claimed_too_often_is_failed_without_asking(
    scripted: World, models: ScriptedModels
) -> None:
    turn = await authorised(scripted)
    for _ in range(ATTEMPTS):
        async with scripted.work.begin() as tx:
            await tx.turns.claim(turn.id)

    assert await scripted.turns.run(turn.id) is Spoken.FAILED
    assert models.requests == []
    (told,) = await scripted.outbox(PAYMENTS)
    assert told.body.text == f"I could not answer: {model_fault('unavailable')}."


async def test_an_agent_that_is_not_set_up_is_said_in_one_line(world: World) -> None:
    turn = await authorised(world)
    await world.rows("update turn set agent_id = 'nobody' where id = :id returning id", id=turn.id)

    assert await world.turns.run(turn.id) is Spoken.FAILED
    (told,) = await world.outbox(PAYMENTS)
    assert told.body.text == f"I could not answer: {model_fault('misconfigured')}."
    assert told.body.persona is None


async def test_a_sponsor_whose_model_fails_still_passes_the_answer_on(
    scripted: World, models: ScriptedModels
) -> None:
    models.will("pia", "answer", failing())
    asked = await ask(scripted, QUESTION)

    (told,) = await answers(scripted, PAYMENTS, asked.ts)
    assert told.body.text == ""
    assert told.body.quotes[0].text.startswith("The gateway retries a 503 twice")


async def test_a_sponsor_whose_model_fails_still_says_that_nothing_came(
    scripted: World, models: ScriptedModels
) -> None:
    models.will("pia", "answer", failing())
    models.will("lasse", "answer", failing())
    asked = await ask(scripted, QUESTION)

    (told,) = await answers(scripted, PAYMENTS, asked.ts)
    assert told.body.text == "#platform could not answer: the model took too long."


# Select.


@pytest.fixture
async def selecting(engine: AsyncEngine, clock: FakeClock, models: ScriptedModels) -> World:
    configuration = with_desk("payments", mode=DeskMode.SELECT, selector_model="openai:gpt-5-nano")
    made = World(engine, clock, configuration, models=models)
    await made.install()
    return made


@pytest.mark.parametrize(
    ("output", "speaker", "reason"),
    [
        ("otto", "otto", "auto_selection:selected"),
        ('"Otto".', "otto", "auto_selection:selected"),
        ("somebody else", "pia", "desk_default:invalid_output"),
        (None, "pia", "desk_default:unavailable"),
    ],
)
async def test_a_selector_picks_who_answers(
    selecting: World, models: ScriptedModels, output: str | None, speaker: str, reason: str
) -> None:
    models.pick(output)
    asked = await ask(selecting, "@hive what about chargebacks?")

    ((model, words, candidates),) = models.selections
    assert (model, words) == ("openai:gpt-5-nano", "@hive what about chargebacks?")
    assert candidates == ("pia", "otto")
    turn = await the_turn(selecting)
    assert (turn.agent_id, turn.reason) == (speaker, reason)
    (told,) = await answers(selecting, PAYMENTS, asked.ts)
    assert told.body.persona is not None
    assert told.body.persona.name.lower() == speaker


async def test_the_choice_survives_a_second_try(selecting: World, models: ScriptedModels) -> None:
    models.pick("otto")
    models.will("otto", "answer", failing("unavailable", again=True), answer("Seven days."))
    await ask(selecting, "@hive what about chargebacks?")

    assert len(models.selections) == 1
    assert (await the_turn(selecting)).agent_id == "otto"


async def test_without_a_selector_the_lead_answers(engine: AsyncEngine, clock: FakeClock) -> None:
    world = World(engine, clock, with_desk("payments", mode=DeskMode.SELECT))
    await ask(world, "@hive what about refunds?")

    turn = await the_turn(world)
    assert (turn.agent_id, turn.reason) == ("pia", "desk_default:unavailable")


async def test_a_named_member_is_not_put_to_the_selector(
    selecting: World, models: ScriptedModels
) -> None:
    await ask(selecting, "@otto what about chargebacks?")

    assert models.selections == []
    assert (await the_turn(selecting)).reason == "explicit_mention"


# What people read.


async def test_what_an_answer_rests_on_is_said_in_one_small_line(
    scripted: World, models: ScriptedModels
) -> None:
    models.will("pia", "answer", answer("Five days.", cites=(0, 1)))
    asked = await ask(scripted, REFUND)

    (told,) = await answers(scripted, PAYMENTS, asked.ts)
    assert told.body.small == "From Pia's brief"
    (source,) = told.body.sources
    assert source.link == f"message:{PAYMENTS}/{asked.ts}"


async def test_an_answer_without_a_source_says_so(scripted: World, models: ScriptedModels) -> None:
    models.will("pia", "answer", answer("Five days.", cites=()))
    asked = await ask(scripted, REFUND)

    (told,) = await answers(scripted, PAYMENTS, asked.ts)
    assert told.body.small == "No source: the model's own knowledge"


async def test_a_memory_is_named_as_a_source(scripted: World, models: ScriptedModels) -> None:
    models.will("pia", "answer", answer("Five days.", cites=(7,), memories=("m7",)))
    asked = await ask(scripted, REFUND)

    (told,) = await answers(scripted, PAYMENTS, asked.ts)
    assert [source.label for source in told.body.sources] == ["memory m7"]


async def test_what_is_not_known_is_said_without_a_source(
    scripted: World, models: ScriptedModels
) -> None:
    models.will("pia", "answer", answer("", Known.UNKNOWN, cites=()))
    asked = await ask(scripted, REFUND)

    (told,) = await answers(scripted, PAYMENTS, asked.ts)
    assert (told.body.text, told.body.small) == ("I do not know.", "")


async def test_a_sponsor_adds_at_most_so_many_characters(
    scripted: World, models: ScriptedModels
) -> None:
    models.will("pia", "answer", answer("This is one sentence of many. " * 40))
    asked = await ask(scripted, QUESTION)

    (told,) = await answers(scripted, PAYMENTS, asked.ts)
    assert len(told.body.text) <= SPONSOR_ADDS_MAX
    assert told.body.text.endswith("many.…")


async def test_a_sponsor_without_sentences_is_cut_where_it_must(
    scripted: World, models: ScriptedModels
) -> None:
    models.will("pia", "answer", answer("x" * 900))
    asked = await ask(scripted, QUESTION)

    (told,) = await answers(scripted, PAYMENTS, asked.ts)
    assert told.body.text == "x" * (SPONSOR_ADDS_MAX - 1) + "…"


async def test_a_question_to_a_desk_that_may_not_be_asked_is_no_mention(
    scripted: World, models: ScriptedModels
) -> None:
    models.will("pia", "answer", answer("I ask.", asked=Ask("data", "How many?")))
    asked = await ask(scripted, REFUND)

    row = (await scripted.log(PAYMENTS, asked.ts))[-1]
    assert row.mentions == ()
    assert await scripted.all_referrals() == []


async def test_a_lead_is_offered_the_desks_it_may_ask(
    scripted: World, models: ScriptedModels
) -> None:
    await ask(scripted, REFUND)

    (request,) = models.asked("pia")
    assert [desk.id for desk in request.may_ask] == ["platform"]
    assert (request.prompt_tokens_max, request.output_tokens_max) == (6000, 1500)


async def test_no_desk_is_offered_without_hops(
    engine: AsyncEngine, clock: FakeClock, models: ScriptedModels
) -> None:
    world = World(engine, clock, with_desk("payments", referral__policy__max_hops=0), models=models)
    await ask(world, REFUND)

    (request,) = models.asked("pia")
    assert request.may_ask == ()


async def test_a_direct_message_is_answered_without_a_desk(
    scripted: World, models: ScriptedModels
) -> None:
    await ask(scripted, "how long does a refund take?", "D0ANA", audience=Audience.DM)

    (request,) = models.asked("pia")
    assert (request.colleagues, request.may_ask) == ((), ())
    assert request.desk_name == "dm:U0ANA"


async def test_a_turn_runs_to_its_end_under_the_configuration_it_began_with(world: World) -> None:
    await begin(world)
    turn = await authorised(world)
    await reload(world, with_agent("pia", CONFIGURATION, name="Somebody else"))
    await world.turns.run(turn.id)

    (told,) = await world.outbox(PAYMENTS)
    assert told.body.persona is not None
    assert told.body.persona.name == "Pia"


async def test_rows_of_a_far_channel_are_what_a_far_turn_sees(
    scripted: World, models: ScriptedModels
) -> None:
    await ask(scripted, "the gateway was slow today", PLATFORM)
    await ask(scripted, QUESTION)

    (request,) = models.asked("lasse")
    seen = [row.message.content for row in request.rows]
    assert seen == ["the gateway was slow today", "does the gateway retry on 503?"]
    assert request.question == 2
    assert [turn.trigger_id for turn in await turns_of(scripted, "referred")]
