"""Who knew what in one deliberation, and what is said of it plainly? Source: product.md 5."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.hive.directory import DirectoryPolicy
from hivebot.services.expertise import Knowledge
from hivebot.services.knowing import Knowing
from hivebot.services.records.episodes import EpisodeEnd
from hivebot.services.records.policy import Configuration
from tests.integration.services.rooms import decide, enter, latest, room
from tests.integration.services.stories import until_spoken
from tests.integration.services.world import World, said
from tests.scenarios import ROLLOUT

pytestmark = pytest.mark.integration


async def known(world: World, episode_id: int) -> Knowledge:
    found = await Knowing(world.work, world.policies).who_knows(episode_id)
    assert found is not None
    return found


async def test_an_episode_is_folded_under_the_default_policy_where_the_desk_has_none(
    world: World,
) -> None:
    await enter(world, room())
    episode = await decide(world)

    found = await known(world, episode.id)

    assert (found.directory_on, found.policy, found.at) == (False, DirectoryPolicy(), 10)
    assert [topic.topic for topic in found.topics] == ["canary", "revert", "ship"]
    canary = found.topics[0].holdings
    assert {holding.agent_id for holding in canary} >= {"anna", "dora"}
    assert all(one.weight == one.deposited + one.credited + one.configured for one in canary)
    assert all(one.deposited > 0 and one.configured == 0 for one in canary if one.knows)
    assert [one.weight for one in canary] == sorted((one.weight for one in canary), reverse=True)
    assert [(one.agent_id, one.name, one.rule_based) for one in found.speakers][:2] == [
        ("anna", "Anna", True),
        ("bert", "Bert", True),
    ]
    assert sum(one.turns for one in found.speakers) == 9
    assert sum(one.share for one in found.speakers) == pytest.approx(1)
    record = found.record
    assert (record.episodes, record.directory_on, record.turns, record.knows_turns) == (1, 0, 9, 0)
    assert record.rho is not None
    assert (record.rho.low, record.rho.high, record.rho.n) == (-1, 1, 1)
    assert 0 <= record.mutual <= record.credit
    assert record.credit > 0
    assert (record.idle, record.verdicts) == (False, ())


async def test_what_is_configured_stands_apart_and_the_desks_own_policy_is_used(
    world: World,
) -> None:
    policy = DirectoryPolicy(window=100, floor=500)
    affine = replace(ROLLOUT.members[4], affinity=(("canary", 80),))
    scenario = replace(ROLLOUT, members=(*ROLLOUT.members[:4], affine))
    await enter(world, room(scenario, directory=policy))
    episode = await decide(world)

    found = await known(world, episode.id)

    assert (found.directory_on, found.policy) == (True, policy)
    eva = next(one for one in found.topics[0].holdings if one.agent_id == "eva")
    assert (eva.configured, eva.knows) == (800, True)
    assert found.record.directory_on == 1


async def test_each_episode_is_read_by_the_configuration_it_began_with(world: World) -> None:
    await enter(world, room(directory=DirectoryPolicy()))
    first = await decide(world)
    await enter(world, without_eva(room()))
    second = await decide(world)

    assert (await known(world, first.id)).directory_on
    later = await known(world, second.id)
    assert not later.directory_on
    assert len(later.speakers) == 4
    assert (later.record.episodes, later.record.directory_on) == (2, 1)


async def test_the_record_counts_what_was_decided_in_episodes_that_have_ended(
    world: World,
) -> None:
    await enter(world, room(directory=DirectoryPolicy(window=100)))
    await decide(world)
    await world.hear(said("@hive #canary, #revert or #ship?", addressed=True))
    await until_spoken(world, 6)
    running = await latest(world)
    reasons = await world.rows(
        "select d.reason from decision d join episode e on e.log_id = d.conversation_id"
        " where d.fold = 'step' and d.next_state is not null and e.stage = 'ended'"
    )

    found = await known(world, running.id)

    assert (running.end, found.record.episodes) == (None, 1)
    assert found.topics
    assert found.record.turns == len(reasons) == 9
    assert found.record.knows_turns == [reason for (reason,) in reasons].count("knows")


async def test_nothing_is_known_of_what_is_not_there_or_was_never_deliberated(
    world: World,
) -> None:
    await enter(world, room())
    knowing = Knowing(world.work, world.policies)
    assert await knowing.who_knows(7) is None

    episode = await decide(world, "@hive what is the plan for today?")
    assert episode.end is EpisodeEnd.LEAD_ANSWERS
    assert await knowing.who_knows(episode.id) is None


def without_eva(configuration: Configuration) -> Configuration:
    (desk,) = configuration.desks
    return replace(
        configuration, revision="smaller", desks=(replace(desk, members=desk.members[:4]),)
    )
