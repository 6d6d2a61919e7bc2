"""What does a press at a gate lead to in Slack? At once a decision, or first a modal.

Source: datapath.md 1, slack.md 4.
"""

from __future__ import annotations

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.slack.api import SlackApi
from hivebot.adapters.slack.shapes import Json, as_map
from hivebot.entrypoints.gate_presses import GatePresses
from hivebot.hive.gate import GateState
from hivebot.services.gating import APPROVE, CORRECT, REJECT
from hivebot.services.presses import Press
from hivebot.services.records.outgoing import SendFailure
from tests.fakes.clock import FakeClock
from tests.integration.services.stewards import gate, holding, told_privately, world_of
from tests.integration.services.stories import answers, ask, finish
from tests.integration.services.world import ANA, PAYMENTS, STEWARD, TEAM, World
from tests.unit.adapters.slack.stub import StubSlack, no, slack

pytestmark = pytest.mark.integration

REFUND = "@hive how long does a refund take?"


@pytest.fixture
async def held(engine: AsyncEngine, clock: FakeClock) -> World:
    """A world in which an answer of #payments waits."""
    world = await world_of(engine, clock, holding("payments"))
    await ask(world, REFUND)
    return world


async def thread(world: World) -> str:
    """The thread in which it was asked."""
    return str((await world.rows("select max(thread_ts) from outbox"))[0][0])


async def value_of(world: World) -> str:
    row = await gate(world)
    return f"{row.id}:{row.digest}"


def pressed(value: str, by: str = STEWARD) -> Press:
    return Press(TEAM, PAYMENTS, "1700000050.000001", by, value)


def submitted(value: str, words: str, by: str = STEWARD) -> Json:
    return {
        "type": "view_submission",
        "team": {"id": TEAM},
        "user": {"id": by},
        "view": {
            "private_metadata": value,
            "state": {"values": {"correction": {"words": {"value": words}}}},
        },
    }


def presses(world: World, api: SlackApi) -> GatePresses:
    return GatePresses(world.gates, api)


async def opened(world: World, stub: StubSlack, api: SlackApi, by: str = STEWARD) -> str:
    """Press Correct."""
    press = pressed(await value_of(world), by)
    return await presses(world, api).press(CORRECT, press, {"trigger_id": "1.2.3"})


@pytest.mark.parametrize(
    ("action", "state"), [(APPROVE, GateState.APPROVED), (REJECT, GateState.REJECTED)]
)
async def test_approve_and_reject_decide_at_once(
    held: World, action: str, state: GateState
) -> None:
    async with slack() as (stub, api):
        press = pressed(await value_of(held))
        assert await presses(held, api).press(action, press, {}) == state.value
        assert stub.calls == []
    assert (await gate(held)).state is state


async def test_correct_opens_a_modal_that_starts_from_what_stands(held: World) -> None:
    async with slack() as (stub, api):
        assert await opened(held, stub, api) == "modal"
        (call,) = stub.made("views.open")
    row = await gate(held)
    assert row.draft is not None
    assert call["trigger_id"] == "1.2.3"
    assert as_map(call["view"])["private_metadata"] == f"{row.id}:{row.digest}"
    assert row.draft.body.text in str(call["view"])


async def test_a_wrong_finger_sees_no_modal_and_is_told_at_once(held: World) -> None:
    async with slack() as (stub, api):
        assert await opened(held, stub, api, by=ANA) == "not_a_steward"
        assert stub.calls == []
    assert [user for user, _, _ in await told_privately(held)] == [ANA]


async def test_a_modal_that_slack_does_not_open_is_named_in_the_log(held: World) -> None:
    async with slack() as (stub, api):
        stub.will_say("views.open", no("expired_trigger_id"))
        assert await opened(held, stub, api) == SendFailure("refused", "expired_trigger_id").code


@pytest.mark.parametrize("action", [APPROVE, CORRECT])
@pytest.mark.parametrize("value", ["", "x", "0:d"])
async def test_a_forged_value_decides_nothing(held: World, action: str, value: str) -> None:
    async with slack() as (_, api):
        outcome = await presses(held, api).press(action, pressed(value), {})
    assert outcome in {"gone", "void"}
    assert (await gate(held)).state is GateState.OPEN


async def test_a_submitted_correction_stands(held: World) -> None:
    async with slack() as (_, api):
        said = await presses(held, api).submit(submitted(await value_of(held), "Three days."))
    await finish(held)

    assert said is None
    (post,) = await answers(held, PAYMENTS, await thread(held))
    assert post.body.text == "Three days."


@pytest.mark.parametrize(
    ("words", "by", "problem"),
    [
        (" ", STEWARD, "A correction needs words."),
        ("x", ANA, "Only a steward of this desk can decide this."),
    ],
)
async def test_what_cannot_be_taken_is_said_beside_the_input(
    held: World, words: str, by: str, problem: str
) -> None:
    async with slack() as (_, api):
        said = await presses(held, api).submit(submitted(await value_of(held), words, by))

    assert said == {"response_action": "errors", "errors": {"correction": problem}}
    assert await told_privately(held) == []


@pytest.mark.parametrize("value", ["", "77:d"])
async def test_a_submission_about_nothing_is_refused(held: World, value: str) -> None:
    async with slack() as (_, api):
        said = await presses(held, api).submit(submitted(value, "x"))

    assert said is not None
    assert said["response_action"] == "errors"


async def test_a_modal_open_while_another_decides_is_refused_and_changes_nothing(
    held: World,
) -> None:
    value = await value_of(held)
    async with slack() as (stub, api):
        assert await opened(held, stub, api) == "modal"
        await presses(held, api).press(APPROVE, pressed(value), {})
        said = await presses(held, api).submit(submitted(value, "Three days."))
    await finish(held)

    assert said is not None
    assert "decided already" in str(said["errors"])
    assert (await gate(held)).state is GateState.APPROVED
    assert len(await answers(held, PAYMENTS, await thread(held))) == 1
