"""What does each button of a deliberation do, and who may press it when? Source: turns.md 6."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.hive.crossing import Reach, ReachKind
from hivebot.services import lines
from hivebot.services.explaining import why_episode
from hivebot.services.records.episodes import EpisodeEnd, EpisodeRow
from hivebot.services.records.outgoing import Body
from hivebot.services.steering import Push, Steered, Steering
from tests.configurations import with_desk, without_desk
from tests.fakes.clock import FakeClock
from tests.fakes.models import ScriptedModels
from tests.integration.services.stories import (
    CANARY,
    ask,
    episode,
    episodes,
    finish,
    reload,
    until_spoken,
)
from tests.integration.services.world import (
    ANA,
    BEN,
    DATA,
    PAYMENTS,
    STEWARD,
    TEAM,
    World,
    deleted,
    said,
)

pytestmark = pytest.mark.integration

Press = Callable[[Steering, Push], Awaitable[Steered]]
EVERY: dict[str, Press] = {
    "stop": Steering.stop,
    "answer now": Steering.answer_now,
    "choose": Steering.choose,
    "two more": Steering.two_more,
    "ask another": Steering.ask_another,
    "again": Steering.again,
}


@pytest.fixture
def undecided(engine: AsyncEngine, clock: FakeClock, models: ScriptedModels) -> World:
    """A world whose desk has turns for an opening, and no more."""
    made = with_desk(
        "data",
        episode__policy__turn_budget=6,
        asks=Reach(ReachKind.DESKS, ("platform",)),
        referral__policy__enabled=True,
    )
    return World(engine, clock, made, models=models)


def pressed(found: EpisodeRow, by: str = ANA, topic: str = "", team: str = TEAM) -> Push:
    value = f"{found.id}:{topic}" if topic else str(found.id)
    return Push(team, DATA, "", by, value)


def steering(world: World) -> Steering:
    return Steering(world.work, world.policies, world.directory, world.clock)


async def privately(world: World, user_id: str) -> list[str]:
    await world.work_off("deliver")
    return world.poster.private_texts(DATA, user_id)


def said_in(body: Body) -> str:
    return body.text


async def test_two_more_rounds_reopen_it_with_a_turn_each(undecided: World) -> None:
    await ask(undecided, CANARY, DATA)
    before = await episode(undecided)
    assert before.end is EpisodeEnd.EXHAUSTED
    assert await steering(undecided).two_more(pressed(before)) is Steered.DONE
    await finish(undecided)

    after = await episode(undecided)
    assert after.id == before.id
    assert (before.extra_turns, after.extra_turns) == (0, 2 * 5)
    assert after.end is not None


async def test_a_decided_one_takes_no_more_rounds_and_no_choice(scripted: World) -> None:
    await ask(scripted, CANARY, DATA)
    found = await episode(scripted)
    assert found.end is EpisodeEnd.CONVERGED
    act = steering(scripted)
    assert await act.two_more(pressed(found)) is Steered.SPENT
    assert await act.choose(pressed(found, STEWARD, "ship")) is Steered.SPENT
    assert await act.stop(pressed(found)) is Steered.SPENT
    told = await privately(scripted, ANA)
    assert told == [said_in(lines.episode_decided()), said_in(lines.episode_over())]


async def test_the_desks_that_may_be_asked_are_named(undecided: World) -> None:
    await ask(undecided, CANARY, DATA)
    found = await episode(undecided)
    assert await steering(undecided).ask_another(pressed(found)) is Steered.DONE
    assert await privately(undecided, ANA) == [said_in(lines.how_to_ask(["platform"]))]


async def test_it_is_deliberated_again_once_with_what_came_late(undecided: World) -> None:
    asked = await ask(undecided, CANARY, DATA)
    first = await episode(undecided)
    act = steering(undecided)
    assert await act.again(pressed(first)) is Steered.DONE
    assert await act.again(pressed(first)) is Steered.SPENT
    await finish(undecided)
    second = (await episodes(undecided))[-1]
    assert second.id > first.id
    assert await act.again(pressed(first)) is Steered.SPENT
    assert (await privately(undecided, ANA))[-1] == said_in(lines.episode_again())
    await undecided.hear(deleted(asked))
    assert await act.again(pressed(second)) is Steered.GONE


async def test_one_that_still_runs_is_not_begun_again(scripted: World) -> None:
    await scripted.hear(said(CANARY, DATA, addressed=True))
    await until_spoken(scripted, 2)
    assert await steering(scripted).again(pressed(await episode(scripted))) is Steered.SPENT


async def test_anybody_in_the_channel_is_told_privately_why_the_turns_were_given(
    undecided: World,
) -> None:
    await ask(undecided, CANARY, DATA)
    found = await episode(undecided)
    assert await steering(undecided).why(pressed(found, BEN)) is Steered.DONE

    expected = await why_episode(undecided.work, undecided.policies, found.id)
    (told,) = await privately(undecided, BEN)
    assert expected.text.startswith("1. ")
    assert expected.text in told


async def test_it_is_told_also_when_the_desk_was_reloaded_away(undecided: World) -> None:
    await ask(undecided, CANARY, DATA)
    found = await episode(undecided)
    expected = await why_episode(undecided.work, undecided.policies, found.id)
    await reload(undecided, without_desk("data", undecided.configuration))

    assert await steering(undecided).why(pressed(found, BEN)) is Steered.DONE
    (told,) = await privately(undecided, BEN)
    assert expected.text in told


@pytest.mark.parametrize(
    "elsewhere", [{"channel_id": PAYMENTS}, {"team_id": "T0ELSE"}, {"value": "x"}]
)
async def test_nobody_elsewhere_is_told(undecided: World, elsewhere: dict[str, str]) -> None:
    await ask(undecided, CANARY, DATA)
    push = replace(pressed(await episode(undecided), BEN), **elsewhere)
    assert await steering(undecided).why(push) is Steered.GONE
    await undecided.work_off("deliver")
    assert undecided.poster.private_texts(push.channel_id, BEN) == [said_in(lines.press_gone())]


async def test_a_topic_that_is_no_option_is_not_chosen(undecided: World) -> None:
    await ask(undecided, CANARY, DATA)
    found = await episode(undecided)
    assert await steering(undecided).choose(pressed(found, STEWARD, "sink")) is Steered.GONE
    assert await privately(undecided, STEWARD) == [said_in(lines.press_gone())]


@pytest.mark.parametrize("name", list(EVERY))
async def test_somebody_else_is_refused_and_nothing_changes(undecided: World, name: str) -> None:
    await ask(undecided, CANARY, DATA)
    before = await episode(undecided)
    push = pressed(before, BEN, "ship" if name == "choose" else "")
    assert await EVERY[name](steering(undecided), push) is Steered.REFUSED
    said = lines.press_for_stewards() if name == "choose" else lines.press_refused()
    assert await privately(undecided, BEN) == [said_in(said)]
    assert await episode(undecided) == before


async def test_whoever_asked_may_not_choose(undecided: World) -> None:
    await ask(undecided, CANARY, DATA)
    push = pressed(await episode(undecided), ANA, "ship")
    assert await steering(undecided).choose(push) is Steered.REFUSED


async def test_a_member_of_a_listed_group_is_a_steward(
    engine: AsyncEngine, clock: FakeClock, models: ScriptedModels
) -> None:
    made = with_desk("data", episode__policy__turn_budget=6, stewards=("S0STEWARDS",))
    world = World(engine, clock, made, models=models)
    world.directory.groups["S0STEWARDS"] = frozenset({BEN})
    await ask(world, CANARY, DATA)
    found = await episode(world)
    assert await steering(world).choose(pressed(found, STEWARD, "ship")) is Steered.REFUSED
    assert await steering(world).choose(pressed(found, BEN, "ship")) is Steered.DONE


@pytest.mark.parametrize("value", ["", "x", "9" * 19, "-1", "1٠", "999999"])
async def test_a_made_up_value_is_said_to_be_gone(undecided: World, value: str) -> None:
    await undecided.install()
    push = Push(TEAM, DATA, "", ANA, value)
    assert await steering(undecided).stop(push) is Steered.GONE


async def test_a_press_from_another_workspace_or_on_a_desk_taken_away_is_gone(
    undecided: World,
) -> None:
    await ask(undecided, CANARY, DATA)
    found = await episode(undecided)
    assert await steering(undecided).stop(pressed(found, team="T0ELSE")) is Steered.GONE
    left = tuple(desk for desk in undecided.configuration.desks if desk.id != "data")
    world = World(undecided.engine, undecided.clock, replace(undecided.configuration, desks=left))
    assert await steering(world).stop(pressed(found)) is Steered.GONE
