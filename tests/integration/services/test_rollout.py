"""Does a desk find what no member knows alone, through the use cases and a real database?

Source: briefed.md, scenario 1.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.adapters.llm.briefed.scenarios import Scenario
from hivebot.hive.conversation import AgentAuthor
from hivebot.services.records.episodes import EpisodeEnd, EpisodeStage
from hivebot.services.records.policy import Opening
from tests.integration.services.rooms import decide, enter, room, shown, spoken
from tests.integration.services.world import PAYMENTS, World
from tests.scenarios import ROLLOUT

pytestmark = pytest.mark.integration

REVERSED = replace(ROLLOUT, members=ROLLOUT.members[::-1])


async def test_with_evidence_first_the_room_finds_the_canary_in_nine_turns(world: World) -> None:
    await enter(world, room())

    episode = await decide(world)

    assert (episode.stage, episode.end, episode.topic) == (
        EpisodeStage.ENDED,
        EpisodeEnd.CONVERGED,
        "canary",
    )
    assert episode.state is not None
    assert episode.state.spent == 9
    said = await spoken(world, episode)
    assert [row.author.id for row in said if isinstance(row.author, AgentAuthor)][:5] == [
        "anna",
        "bert",
        "carl",
        "dora",
        "eva",
    ]
    assert len(said) == 9
    body = await shown(world, episode)
    assert "\n\nDecided by 3 of 5: canary" in body.text
    facts = [source.label for source in body.sources]
    assert "Anna: a tenth of the users fits on the spare pool" in facts
    assert [button.label for button in body.buttons] == ["Why"]
    assert await world.jobs() == []


async def test_the_order_of_the_desk_does_not_matter_to_what_it_finds(world: World) -> None:
    await enter(world, room(REVERSED))

    episode = await decide(world)

    assert (episode.end, episode.topic) == (EpisodeEnd.CONVERGED, "canary")
    assert episode.state is not None
    assert episode.state.spent == 9


@pytest.mark.parametrize("scenario", [ROLLOUT, REVERSED])
async def test_with_positions_first_the_room_never_finds_it(
    world: World, scenario: Scenario
) -> None:
    await enter(world, room(scenario, opening=Opening.POSITIONS))

    episode = await decide(world)

    assert (episode.end, episode.topic) == (EpisodeEnd.CONVERGED, "ship")


async def test_the_whole_episode_is_one_line_in_the_thread_and_one_row_of_its_transcript(
    world: World,
) -> None:
    await enter(world, room())

    episode = await decide(world)

    posts = await world.outbox(PAYMENTS)
    assert [row.id for row in posts] == [episode.progress_id]
    thread = posts[0].destination.thread_ts
    assert [row.role.value for row in await world.log(PAYMENTS, thread)] == ["speech", "outcome"]
