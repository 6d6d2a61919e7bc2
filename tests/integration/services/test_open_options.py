"""What becomes of an option a member thinks of? Source: turns.md 1, step 3."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.hive.options import OPTIONS_MAX, Option
from hivebot.services.records.episodes import EpisodeEnd
from hivebot.services.records.policy import Opening
from hivebot.services.records.replies import (
    NO_ASK,
    Bearing,
    DeliberateTurn,
    Fact,
    PositionTurn,
    Reply,
    Shape,
    Stance,
)
from tests.fakes.clock import FakeClock
from tests.fakes.models import ScriptedModels
from tests.integration.services.rooms import decide, enter, room, shown, spoken
from tests.integration.services.stories import until_spoken
from tests.integration.services.world import World, said

pytestmark = pytest.mark.integration

BOARD = "Ask the Board!"
FACT = Fact("Ask the board", Bearing.FOR, 2, "it meets today", "brief")
PROPOSAL = DeliberateTurn(Stance.PROPOSE, BOARD, 0, (), "it is theirs to say", (FACT,), "", NO_ASK)
OPENINGS = 5
NAMES = ("canary", "revert", "ship")


def position(words: str = "", option: str = "") -> PositionTurn:
    return PositionTurn(option, words, (), "because")


@pytest.fixture
async def world(engine: AsyncEngine, clock: FakeClock) -> World:
    """Use cases whose models are scripted."""
    made = World(engine, clock, models=ScriptedModels())
    await made.install()
    return made


def script(world: World) -> ScriptedModels:
    assert isinstance(world.models, ScriptedModels)
    return world.models


async def test_a_member_that_sees_the_floor_adds_an_option_and_the_desk_decides_for_it(
    world: World,
) -> None:
    await enter(world, room(options_open=True))
    models = script(world)
    for member in ("anna", "bert", "carl", "dora", "eva"):
        models.will(member, "deliberate", PROPOSAL)

    episode = await decide(world)

    assert episode.options[3:] == (Option("ask-the-board", BOARD),)
    assert (episode.end, episode.topic) == (EpisodeEnd.CONVERGED, "ask-the-board")
    rows = await spoken(world, episode)
    assert rows[5].content.startswith(
        "!evidence #ask-the-board for(2): it meets today\n"
        "!propose #ask-the-board it is theirs to say"
    )
    assert await reply_of(world, rows[5].turn_id) == replace(
        PROPOSAL, option="ask-the-board", facts=(replace(FACT, option="ask-the-board"),)
    )
    assert f": {BOARD} (ask-the-board)" in (await shown(world, episode)).text


async def test_the_progress_message_and_the_members_see_it_at_once(world: World) -> None:
    await enter(world, room(options_open=True))
    models = script(world)
    models.will("anna", "deliberate", PROPOSAL)
    await world.hear(said("@hive #canary, #revert or #ship?", addressed=True))

    await until_spoken(world, OPENINGS + 2)

    first, second = (one for one in models.requests if one.situation == "deliberate")
    assert [option.id for option in first.options] == [*NAMES]
    assert [option.id for option in second.options] == [*NAMES, "ask-the-board"]
    assert (first.options_open, second.options_open) == (True, True)
    (line,) = await world.outbox()
    assert line.body.heading == (
        f"Deciding between: canary · revert · ship · {BOARD} (ask-the-board)"
    )


async def test_what_blind_members_think_of_is_kept_from_one_another_until_all_have_opened(
    world: World,
) -> None:
    await enter(world, room(options_open=True, opening=Opening.POSITIONS))
    models = script(world)
    models.will("anna", "position", position(BOARD))
    models.will("bert", "position", position("ask the board"))
    models.will("carl", "position", position("Wait a week"))

    episode = await decide(world)

    assert [option.id for option in episode.options] == [*NAMES, "ask-the-board", "wait-a-week"]
    blind = [one for one in models.requests if one.situation == "position"]
    # each was asked once: what others added has not changed anybody's question
    assert sorted(one.agent.id for one in blind) == ["anna", "bert", "carl", "dora", "eva"]
    assert {tuple(option.id for option in one.options) for one in blind} == {NAMES}
    assert all(one.options_open for one in blind)
    seeing = next(one for one in models.requests if one.situation in {"deliberate", "commit"})
    assert seeing.options == episode.options
    contents = [row.content for row in (await spoken(world, episode))[:3]]
    assert contents == [
        "!propose #ask-the-board because",
        "!propose #ask-the-board because",
        "!propose #wait-a-week because",
    ]


async def test_a_ninth_option_is_refused_and_its_proposal_is_prose(world: World) -> None:
    await enter(world, room(options_open=True, opening=Opening.POSITIONS))
    models = script(world)
    models.will("anna", "position", position(BOARD))
    models.will("bert", "position", position("Wait a week"))

    episode = await decide(world, "@hive which way: #a, #b, #c, #d, #e, #f or #g?")

    assert len(episode.options) == OPTIONS_MAX
    assert episode.options[-1] == Option("ask-the-board", BOARD)
    first, second = (await spoken(world, episode))[:2]
    assert (first.content, second.content) == ("!propose #ask-the-board because", "because")
    turns = {turn.id: turn for turn in await world.all_turns()}
    assert second.turn_id is not None
    refused = turns[second.turn_id]
    assert (refused.shape, refused.reply) == (Shape.UNCOUNTED, position())
    seeing = [one for one in models.requests if one.situation == "deliberate"]
    assert seeing
    assert not any(one.options_open for one in seeing)


async def test_where_options_are_listed_none_is_offered_to_be_added(world: World) -> None:
    await enter(world, room(opening=Opening.POSITIONS))

    await decide(world)

    assert not any(one.options_open for one in script(world).requests)


async def reply_of(world: World, turn_id: int | None) -> Reply | None:
    return next(turn.reply for turn in await world.all_turns() if turn.id == turn_id)
