"""What changes a deliberation that runs, and what does not? Source: turns.md 4 and 6."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.config_files import from_canonical
from hivebot.adapters.config_files.canonical import with_revision
from hivebot.hive.crossing import AnswersTo
from hivebot.hive.quorum import QuorumPolicy
from hivebot.services.policy import RunningPolicy
from hivebot.services.records.arrivals import Speaker, SpeakerKind
from hivebot.services.records.episodes import EpisodeEnd, EpisodeRow
from hivebot.services.records.outgoing import Body
from hivebot.services.records.policy import Configuration, DeskMode, Opening
from hivebot.services.records.rows import TurnState
from tests.configurations import CONFIGURATION, desk_of, with_agent, with_desk, without_desk
from tests.fakes.clock import FakeClock
from tests.fakes.models import ScriptedModels
from tests.fakes.poster import home_person
from tests.integration.services.stories import (
    CANARY,
    begin,
    episode,
    episode_log,
    episodes,
    finish,
    line,
    lines,
    private,
    reload,
    turns_of,
    until_spoken,
)
from tests.integration.services.world import ANA, BEN, DATA, World, edited, person, said

pytestmark = pytest.mark.integration

MEMBERS = ("anna", "bert", "carl", "dora", "eva")


def without_agent(agent_id: str) -> Configuration:
    """The example without an agent at all."""
    agents = tuple(agent for agent in CONFIGURATION.agents if agent.id != agent_id)
    members = tuple(one for one in desk_of(CONFIGURATION, "data").members if one != agent_id)
    configuration = with_desk("data", members=members)
    return with_revision(replace(configuration, agents=agents))


CHANGES: dict[str, Configuration] = {
    "an agent is removed": without_agent("carl"),
    "an agent is retired": with_agent("anna", retired=True),
    "an agent is renamed": with_agent("anna", name="Ann"),
    "an agent's model is changed": with_agent("anna", model="openai:gpt-5-mini"),
    "an agent's threshold is changed": with_agent("anna", threshold=99_999),
    "members are in another order": with_desk("data", members=MEMBERS[::-1]),
    "a member is added": with_desk("data", members=(*MEMBERS, "greta")),
    "the desk is renamed": with_desk("data", name="Numbers"),
    "the budget of turns is smaller": with_desk("data", episode__policy__turn_budget=4),
    "the quorum is another": with_desk("data", episode__policy__quorum=QuorumPolicy(threshold=5)),
    "the weights are others": with_desk("data", episode__policy__weights__importance=0),
    "the opening is another": with_desk("data", episode__opening=Opening.POSITIONS),
    "there is no blind round": with_desk("data", episode__policy__blind_round=False),
    "the desk does not deliberate": with_desk("data", mode=DeskMode.LEAD),
    "the deadline is shorter": with_desk("data", episode__deadline_s=1),
}


async def begun(world: World, turns: int = 4) -> str:
    """Let a question begin a deliberation and so many turns be spoken; the thread's ts."""
    message = said(CANARY, DATA, addressed=True)
    await world.hear(message)
    await until_spoken(world, turns)
    return message.ts


async def body_of(world: World, ts: str) -> Body:
    return (await line(world, DATA, ts)).body


def as_the_story_ends(found: EpisodeRow) -> None:
    assert (found.end, found.topic) == (EpisodeEnd.CONVERGED, "canary")
    assert found.state is not None
    assert found.state.spent == 12
    assert found.revision == CONFIGURATION.revision


@pytest.mark.parametrize("change", CHANGES)
async def test_it_runs_to_its_end_under_the_revision_it_began_with(
    world: World, change: str
) -> None:
    await begin(world)
    ts = await begun(world)
    await reload(world, CHANGES[change])
    await finish(world)

    as_the_story_ends(await episode(world))
    assert "Decided by 3 of 5: canary" in (await body_of(world, ts)).text
    assert (await body_of(world, ts)).sources[0].label.startswith("Anna:")


async def test_a_process_that_starts_meanwhile_reads_that_revision_back(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = World(engine, clock)
    await begin(world)
    await begun(world)
    changed = CHANGES["the quorum is another"]
    world.policies = RunningPolicy(world.work, clock, changed, from_canonical)
    await finish(world)

    as_the_story_ends(await episode(world))


@pytest.mark.parametrize("changed", [without_desk("data"), with_desk("data", channel="C0NUMBERS")])
async def test_a_disconnected_desk_stops_with_the_reason_in_the_thread(
    world: World, changed: Configuration
) -> None:
    await begin(world)
    ts = await begun(world)
    await reload(world, changed)
    await finish(world)

    found = await episode(world)
    assert found.end is EpisodeEnd.STOPPED
    body = await body_of(world, ts)
    assert body.heading == "Stopped: the desk was taken out of the configuration."
    assert "One region can be switched by itself" in body.text
    assert body.buttons == ()
    assert len(await turns_of(world, "episode")) == 5


async def test_a_desk_nobody_can_tell_of_any_more_stops_in_one_line(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = World(engine, clock)
    ts = await begun(world)
    gone = without_desk("data")
    await world.rows("delete from revision returning revision")
    await world.rows("delete from procrastinate_jobs where task_name = 'speak' returning id")
    await world.rows("update turn set state = 'cancelled' where state = 'authorised' returning id")
    world.policies = RunningPolicy(world.work, clock, gone, from_canonical)
    async with world.work.begin() as tx:
        await tx.jobs.route((await episode(world)).log_id)
    await finish(world)

    assert (await episode(world)).end is EpisodeEnd.STOPPED
    body = await body_of(world, ts)
    assert body == Body(text="Stopped: the desk was taken out of the configuration.")


async def test_a_budget_that_is_lowered_takes_hold_at_once(world: World) -> None:
    await begin(world)
    ts = await begun(world)
    await reload(world, with_desk("data", budget__turns_per_day=3))
    await finish(world)

    assert (await episode(world)).end is EpisodeEnd.STOPPED
    body = await body_of(world, ts)
    assert body.heading == "Stopped: the desk has used up its budget for today."


@pytest.mark.parametrize(
    ("answers_to", "end"),
    [
        (AnswersTo(), EpisodeEnd.STOPPED),
        (AnswersTo(guests=True, strangers=True), EpisodeEnd.CONVERGED),
        (AnswersTo(people=(BEN,)), EpisodeEnd.CONVERGED),
    ],
)
async def test_a_permission_that_is_taken_away_takes_hold_at_once(
    engine: AsyncEngine, clock: FakeClock, answers_to: AnswersTo, end: EpisodeEnd
) -> None:
    world = World(engine, clock, with_desk("data", answers_to=AnswersTo(guests=True)))
    world.directory.people[BEN] = home_person(BEN, "Ben", guest=True)
    await begin(world)
    message = said(CANARY, DATA, addressed=True, by=person(BEN))
    await world.hear(message)
    await until_spoken(world, 4)
    await reload(world, with_desk("data", answers_to=answers_to))
    await finish(world)

    found = await episode(world)
    assert found.end is end
    stopped = (await body_of(world, message.ts)).heading.startswith("Stopped: whoever asked may")
    assert stopped is (end is EpisodeEnd.STOPPED)


# What people do meanwhile.


async def test_an_edited_question_starts_nothing_anew(
    scripted: World, models: ScriptedModels
) -> None:
    message = said(CANARY, DATA, addressed=True)
    await scripted.hear(message)
    await until_spoken(scripted, 7)
    words = "@hive the new ingest is ready, at last: #canary, #revert or #ship?"
    await scripted.hear(edited(message, words, addressed=True))
    await finish(scripted)

    as_the_story_ends(await episode(scripted))
    assert (await episode_log(scripted))[0].content == words
    last = models.requests[-1]
    assert last.rows[0].message.content == words
    assert [option.id for option in last.options] == ["canary", "revert", "ship"]


async def test_a_stranger_that_types_a_mark_changes_nothing(world: World) -> None:
    ts = await begun(world, 11)
    stranger = Speaker(SpeakerKind.PERSON, "U9EVE", "T9ACME")
    for words in ("!commit #ship", "@hive\n!commit #ship ^2", "@hive !commit #ship"):
        await world.hear(
            said(words, DATA, thread_ts=ts, by=stranger, addressed=words.startswith("@hive"))
        )
    await finish(world)

    as_the_story_ends(await episode(world))
    assert len(await episode_log(world)) == 13
    assert all("ship" not in row.content for row in (await episode_log(world))[9:])


async def test_a_colleague_that_types_a_mark_is_read_and_not_counted(world: World) -> None:
    ts = await begun(world, 11)
    words = "@hive my vote:\n!commit #ship ^2"
    await world.hear(said(words, DATA, thread_ts=ts, by=person(BEN), addressed=True))
    await finish(world)

    as_the_story_ends(await episode(world))
    (given,) = [row for row in await episode_log(world) if row.user_id == BEN]
    assert "\n\u2060!commit #ship" in given.content


async def test_the_marks_of_a_listed_person_count(engine: AsyncEngine, clock: FakeClock) -> None:
    world = World(engine, clock, with_desk("data", may_mark=(ANA,)))
    ts = await begun(world, 5)
    words = "@hive one thing:\n!evidence #ship against(5): the disks are full"
    await world.hear(said(words, DATA, thread_ts=ts, addressed=True))
    await finish(world)

    found = await episode(world)
    assert (found.end, found.topic) == (EpisodeEnd.CONVERGED, "canary")
    (given,) = [row for row in await episode_log(world) if row.user_id == ANA and row.seq > 1]
    assert given.content == words
    assert any(f"^{given.seq}" in row.content for row in await episode_log(world))


async def test_a_person_the_desk_does_not_answer_gives_it_nothing(world: World) -> None:
    ts = await begun(world)
    stranger = Speaker(SpeakerKind.PERSON, "U9EVE", "T9ACME")
    await world.hear(said("@hive take #ship", DATA, thread_ts=ts, by=stranger, addressed=True))
    await finish(world)

    as_the_story_ends(await episode(world))
    assert len(await private(world, DATA)) == 1
    assert [row.user_id for row in await episode_log(world) if row.user_id] == [ANA]


async def test_a_second_question_in_the_thread_waits_for_no_second_deliberation(
    world: World,
) -> None:
    ts = await begun(world)
    await world.hear(said(f"{CANARY} really?", DATA, thread_ts=ts, addressed=True))
    await finish(world)

    assert len(await episodes(world)) == 1
    assert len(await episode_log(world)) == 14


async def test_what_a_bot_has_asked_is_decided_and_nobody_follows_it_up(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = World(engine, clock, with_desk("data", bots=("B0ALERT",)))
    alert = Speaker(SpeakerKind.BOT, bot_id="B0ALERT", label="Alerts")
    message = said(CANARY, DATA, by=alert, addressed=True)
    await world.hear(message)
    await finish(world)

    found = await episode(world)
    assert (found.topic, found.asker_user_id) == ("canary", "")
    assert (await world.place(DATA, message.ts)).answered_user_id == ""


async def test_two_threads_of_a_desk_deliberate_beside_each_other(world: World) -> None:
    first = await begun(world)
    second = await begun(world)
    await finish(world)

    one, other = await episodes(world)
    as_the_story_ends(one)
    as_the_story_ends(other)
    for ts in (first, second):
        assert len(await lines(world, DATA, ts)) == 1
    states = {turn.state for turn in await world.all_turns()}
    assert states == {TurnState.COMMITTED}


async def test_whoever_asks_for_it_gets_a_second_deliberation_with_a_log_of_its_own(
    world: World,
) -> None:
    ts = await begun(world)
    await finish(world)
    again = "@hive deliberate once more: #canary, #revert or #ship?"
    await world.hear(said(again, DATA, thread_ts=ts, addressed=True))
    await finish(world)

    one, other = await episodes(world)
    assert one.log_id != other.log_id
    as_the_story_ends(one)
    as_the_story_ends(other)
    async with world.work.begin() as tx:
        rows = await tx.messages.since(other.log_id, 0)
    assert rows[0].content == again
    assert len(rows) == 13
