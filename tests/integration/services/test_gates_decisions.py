"""Does a desk's decision wait until a steward accepts it? Source: product.md 7, turns.md 6."""

from __future__ import annotations

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.hive.gate import GateAct, GateKind, GateState, NoGateReason
from hivebot.services.gates import GateStep
from hivebot.services.records.episodes import EpisodeEnd
from hivebot.services.records.outgoing import Body
from hivebot.services.records.policy import OnExpiry
from hivebot.services.records.rows import MessageRole
from hivebot.services.steering import Push, Steered, Steering
from tests.configurations import with_desk
from tests.fakes.clock import FakeClock
from tests.integration.services.stewards import gate, gates, post_of, press, world_of
from tests.integration.services.stories import CANARY, ask, episode, finish, lines
from tests.integration.services.world import (
    ADMINS,
    ANA,
    DATA,
    STEWARD,
    TEAM,
    World,
    deleted,
    person,
)

pytestmark = pytest.mark.integration


@pytest.fixture
async def decides(engine: AsyncEngine, clock: FakeClock) -> World:
    """A world in which the decisions of #data wait."""
    return await world_of(engine, clock, with_desk("data", gates__decisions=True))


async def told(world: World, thread_ts: str) -> Body:
    """What the deliberation's one message says."""
    return (await lines(world, DATA, thread_ts))[0].body


async def outcomes(world: World, thread_ts: str) -> list[str]:
    """The outcomes that stand in the thread's transcript."""
    rows = await world.log(DATA, thread_ts)
    return [row.content for row in rows if row.role is MessageRole.OUTCOME]


async def test_a_decision_waits_with_its_grounds_and_the_rows_of_its_making_stand(
    decides: World,
) -> None:
    asked = await ask(decides, CANARY, DATA)

    row, post = await gate(decides), await post_of(decides)
    assert (row.kind, row.task_type) == (GateKind.DECISION_REVIEW, "data")
    assert post.body.heading == "A decision waits to be told · #data"
    assert (post.destination.channel_id, post.destination.thread_ts) == (DATA, asked.ts)
    assert post.body.mention_users == (STEWARD,)
    question, decision = post.body.quotes
    assert question.text == CANARY
    assert "Decided by 3 of 5: canary" in decision.text
    assert "One region can be switched by itself" in decision.text
    assert (await told(decides, asked.ts)).text.startswith("Waits for a steward of #data until 20")
    assert await outcomes(decides, asked.ts) == []
    found = await episode(decides)
    assert (found.end, found.topic) == (EpisodeEnd.CONVERGED, "canary")
    assert (
        await decides.rows(
            "select count(*) from message where conversation_id = :id", id=found.log_id
        )
    )[0][0] == 13


async def test_an_accepted_decision_is_told_once_as_it_was_shown(
    decides: World, clock: FakeClock
) -> None:
    asked = await ask(decides, CANARY, DATA)
    shown = (await post_of(decides)).body.quotes[1].text
    clock.advance(60)
    assert await press(decides, GateAct.APPROVE) is GateState.APPROVED

    body = await told(decides, asked.ts)
    assert body.text in shown
    assert len(await outcomes(decides, asked.ts)) == 1
    assert (await decides.place(DATA, asked.ts)).answered_user_id == ANA
    assert len(await gates(decides)) == 1

    row = await gate(decides)
    assert await decides.gates.settle(row.id) is GateStep.NOTHING
    async with decides.work.begin() as tx:
        await tx.jobs.route((await episode(decides)).log_id)
    await finish(decides)
    assert len(await outcomes(decides, asked.ts)) == 1


async def test_settling_twice_before_it_is_told_tells_it_once(decides: World) -> None:
    asked = await ask(decides, CANARY, DATA)
    row = await gate(decides)
    async with decides.work.begin() as tx:
        await tx.gates.end(row.id, GateState.APPROVED, decides.clock.now())
    assert await decides.gates.settle(row.id) is GateStep.SETTLED
    assert await decides.gates.settle(row.id) is GateStep.SETTLED
    await finish(decides)

    assert len(await outcomes(decides, asked.ts)) == 1


async def test_a_corrected_decision_is_told_in_the_words_of_the_steward(decides: World) -> None:
    asked = await ask(decides, CANARY, DATA)
    await press(decides, GateAct.CORRECT, "Canary, in one region first.")

    body = await told(decides, asked.ts)
    assert body.text == "Canary, in one region first."
    assert (body.small, body.sources) == ("Corrected by a steward", ())
    assert await outcomes(decides, asked.ts) == ["Canary, in one region first."]


async def test_a_rejected_decision_is_no_decision_and_the_desk_may_go_on(decides: World) -> None:
    asked = await ask(decides, CANARY, DATA)
    await press(decides, GateAct.REJECT, "ask finance first")

    body = await told(decides, asked.ts)
    assert body.heading == "Stopped: a steward did not approve it (ask finance first)."
    found = await episode(decides)
    assert (found.end, found.topic) == (EpisodeEnd.STOPPED, "")
    assert [one.label for one in body.buttons][-3:] == [
        "Two more rounds",
        "Ask another desk",
        "Why",
    ]

    assert await two_more(decides, asked.ts) is Steered.DONE
    await finish(decides)
    assert [one.state for one in await gates(decides)] == [GateState.REJECTED, GateState.OPEN]
    assert await press(decides, GateAct.APPROVE) is GateState.APPROVED
    assert (await episode(decides)).end is EpisodeEnd.CONVERGED
    assert "canary" in (await outcomes(decides, asked.ts))[-1]


async def two_more(world: World, thread_ts: str) -> Steered:
    """Press "Two more rounds"."""
    steering = Steering(world.work, world.policies, world.directory, world.clock)
    found = await episode(world)
    return await steering.two_more(Push(TEAM, DATA, thread_ts, ANA, str(found.id)))


async def test_a_steward_may_choose_after_a_rejection_without_a_second_gate(
    decides: World,
) -> None:
    asked = await ask(decides, CANARY, DATA)
    await press(decides, GateAct.REJECT)
    steering = Steering(decides.work, decides.policies, decides.directory, decides.clock)
    found = await episode(decides)
    push = Push(TEAM, DATA, asked.ts, STEWARD, f"{found.id}:revert")
    assert await steering.choose(push) is Steered.DONE
    await finish(decides)

    assert (await episode(decides)).end is EpisodeEnd.CHOSEN
    assert len(await gates(decides)) == 1
    assert (await told(decides, asked.ts)).heading == "Chosen: revert"


async def test_who_asked_does_not_accept_the_decision(decides: World) -> None:
    await ask(decides, CANARY, DATA, by=person(STEWARD))

    assert await press(decides, GateAct.APPROVE) is NoGateReason.SELF_APPROVAL


@pytest.mark.parametrize("expiry", ["drop", "release"])
async def test_a_decision_nobody_looked_at_falls_or_is_told_as_configured(
    engine: AsyncEngine, clock: FakeClock, expiry: str
) -> None:
    settings = with_desk(
        "data", gates__decisions=True, gates__on_expiry=OnExpiry(expiry), gates__channel=ADMINS
    )
    world = await world_of(engine, clock, settings)
    asked = await ask(world, CANARY, DATA)
    assert (await post_of(world)).destination.channel_id == ADMINS
    clock.advance(86_400)
    await world.gates.look()
    await finish(world)

    assert ("Decided by" in (await told(world, asked.ts)).text) is (expiry == "release")
    assert len(await lines(world, DATA, asked.ts)) == 1


async def test_an_outcome_that_has_changed_since_is_asked_about_again(decides: World) -> None:
    asked = await ask(decides, CANARY, DATA)
    row = await gate(decides)
    async with decides.work.begin() as tx:
        await tx.gates.end(row.id, GateState.APPROVED, decides.clock.now())
    await decides.rows(
        "update turn set reply = jsonb_set(reply, '{answer}', '\"Revert it.\"')"
        " where reply ? 'agree' returning id"
    )
    async with decides.work.begin() as tx:
        await tx.jobs.settle_gate(row.id, row.desk_id)
    await finish(decides)

    assert await outcomes(decides, asked.ts) == []
    assert [one.state for one in await gates(decides)] == [GateState.APPROVED, GateState.OPEN]
    assert "Revert it." in (await gate(decides)).artifact
    await press(decides, GateAct.APPROVE)
    assert (await outcomes(decides, asked.ts))[0].startswith("Revert it.")


async def test_a_removed_question_takes_the_decision_with_it(decides: World) -> None:
    asked = await ask(decides, "@hive PLANTED: #canary, #revert or #ship?", DATA)
    await decides.hear(deleted(asked))
    await finish(decides)

    assert (await gate(decides)).state is GateState.VOID
    assert await press(decides, GateAct.APPROVE) is NoGateReason.VOID
    assert await outcomes(decides, asked.ts) == []
    for table in ("gate", "outbox", "message", "episode", "turn", "inbox_event"):
        assert await decides.rows(f"select 1 from {table} t where t::text like '%PLANTED%'") == []  # noqa: S608 - a test's own


async def test_a_deliberation_without_a_decision_needs_no_steward(
    decides: World, clock: FakeClock
) -> None:
    asked = await ask(decides, "@hive which pet: #cat or #dog?", DATA)

    assert await gates(decides) == []
    assert len(await outcomes(decides, asked.ts)) == 1
