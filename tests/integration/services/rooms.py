"""Which room decides in a test? A made-up decision on a desk of its own, with the tuned policy."""

from __future__ import annotations

from dataclasses import replace

from hivebot.adapters.config_files.canonical import canonical, with_revision
from hivebot.adapters.llm.briefed.rehearsal import tuned_policy
from hivebot.adapters.llm.briefed.scenarios import Scenario
from hivebot.hive.directory import DirectoryPolicy
from hivebot.hive.referral import ReferralPolicy
from hivebot.services.records.episodes import EpisodeRow
from hivebot.services.records.outgoing import Body
from hivebot.services.records.policy import (
    Configuration,
    Deliberate,
    DeskConfig,
    DeskMode,
    EpisodeSettings,
    Opening,
    ReferralSettings,
)
from hivebot.services.records.rows import MessageRow
from tests.integration.services.world import ANA, PAYMENTS, STEWARD, World, said
from tests.scenarios import ROLLOUT


def room(
    scenario: Scenario = ROLLOUT,
    *,
    opening: Opening = Opening.EVIDENCE_FIRST,
    options_open: bool = False,
    directory: DirectoryPolicy | None = None,
) -> Configuration:
    """One desk in #payments whose members are the scenario's."""
    policy = replace(tuned_policy(len(scenario.members), scenario.turn_budget), directory=directory)
    desk = DeskConfig(
        id="room",
        name="Room",
        description="",
        channel=PAYMENTS,
        members=tuple(member.id for member in scenario.members),
        referral=ReferralSettings(ReferralPolicy()),
        episode=EpisodeSettings(policy, opening=opening, options_open=options_open),
        mode=DeskMode.HIVE,
        deliberate=Deliberate.ALWAYS,
        stewards=(STEWARD,),
    )
    made = Configuration(revision="", agents=scenario.members, desks=(desk,), admins=(ANA,))
    return with_revision(made)


async def enter(world: World, configuration: Configuration) -> None:
    """Put the room in force."""
    await world.policies.adopt(configuration, canonical(configuration))


async def decide(world: World, words: str = f"@hive {ROLLOUT.question}") -> EpisodeRow:
    """Ask the room, and carry out everything until nothing is due."""
    await world.hear(said(words, addressed=True))
    await world.work_off()
    return await latest(world)


async def latest(world: World) -> EpisodeRow:
    """The newest deliberation."""
    ((newest,),) = await world.rows("select max(id) from episode")
    async with world.work.begin() as tx:
        found = await tx.episodes.get(newest)
    assert found is not None
    return found


async def spoken(world: World, episode: EpisodeRow) -> list[MessageRow]:
    """What was said in it, after the question."""
    async with world.work.begin() as tx:
        return list(await tx.messages.since(episode.log_id, 1))


async def shown(world: World, episode: EpisodeRow) -> Body:
    """What its one message is to say now."""
    assert episode.progress_id is not None
    async with world.work.begin() as tx:
        found = await tx.outbox.get(episode.progress_id)
    assert found is not None
    return found.body
