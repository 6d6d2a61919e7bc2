"""How does a desk deliberate, turn by turn? Source: turns.md 1, 2 and 6, hive.md 16."""

from __future__ import annotations

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.llm.prompt import prompt_of
from hivebot.adapters.llm.validate import Limits
from hivebot.hive.directory import DirectoryPolicy
from hivebot.services.records.asking import TurnRequest
from hivebot.services.records.episodes import EpisodeEnd, EpisodeStage
from hivebot.services.records.policy import Opening, Shown
from hivebot.services.records.replies import Bearing, Stance
from hivebot.services.records.rows import MessageRole, TurnKind
from tests.configurations import CONFIGURATION, with_agent, with_desk
from tests.fakes.clock import FakeClock
from tests.fakes.models import ScriptedModels, failing
from tests.integration.services.moves import agrees, fact, holds, move, nothing, opens, refuses
from tests.integration.services.stories import (
    CANARY,
    answers,
    ask,
    decisions,
    episode,
    episode_log,
    finish,
    line,
    speak_next,
    turns_of,
    until_spoken,
)
from tests.integration.services.world import ANA, DATA, World, said

pytestmark = pytest.mark.integration

MEMBERS = ("anna", "bert", "carl", "dora", "eva")


async def begun(world: World, words: str = CANARY) -> str:
    """Let a question begin a deliberation, and stop before the first turn; the thread's ts."""
    message = said(words, DATA, addressed=True)
    await world.hear(message)
    await world.work_off("route")
    return message.ts


def prompted(request: TurnRequest) -> str:
    """Everything a model is shown."""
    prompt = prompt_of(request, Limits.of(request), lines=False)
    return f"{prompt.system}\n{prompt.user}"


# The story of the data desk.


async def test_the_data_desk_finds_the_canary_in_twelve_turns(world: World) -> None:
    await ask(world, CANARY, DATA)

    found = await episode(world)
    assert (found.stage, found.end, found.topic) == (
        EpisodeStage.ENDED,
        EpisodeEnd.CONVERGED,
        "canary",
    )
    assert found.state is not None
    assert found.state.spent == 12
    assert len(await turns_of(world, "episode")) == 12
    assert [row.content.split()[0] for row in await episode_log(world)][6:] == [
        "!propose",
        "!evidence",
        "!object",
        "!propose",
        "!support",
        "!support",
        "!commit",
    ]


async def test_the_thread_holds_the_question_and_the_outcome(world: World) -> None:
    asked = await ask(world, CANARY, DATA)

    question, outcome = await world.log(DATA, asked.ts)
    assert question.content == CANARY
    assert outcome.role is MessageRole.OUTCOME
    assert "Decided by 3 of 5: canary" in outcome.content
    assert (await world.place(DATA, asked.ts)).answered_user_id == ANA


async def test_the_outcome_says_the_answer_first_and_the_facts_last(world: World) -> None:
    asked = await ask(world, CANARY, DATA)

    body = (await line(world, DATA, asked.ts)).body
    answer, decided = body.text.split("\n\n")
    assert answer.startswith("Canary. One region can be switched by itself")
    assert decided == "Decided by 3 of 5: canary"
    assert (body.heading, body.small) == ("", "12 turns in 0 s")
    assert [button.label for button in body.buttons] == ["Why"]
    assert [source.label.partition(":")[0] for source in body.sources] == ["Anna", "Dora"]


async def test_what_is_said_before_it_has_begun_is_told_to_it(world: World) -> None:
    root = said("the ingest is ready", DATA)
    await world.hear(root)
    await world.hear(said(CANARY, DATA, thread_ts=root.ts, addressed=True))
    await world.hear(said("Mind: it is Friday.", DATA, thread_ts=root.ts, addressed=True))
    await finish(world)

    found = await episode(world)
    assert found.end is EpisodeEnd.CONVERGED
    heard = [row.content for row in await episode_log(world) if row.user_id == ANA]
    assert heard == [CANARY, "Mind: it is Friday."]


async def test_after_the_outcome_a_follow_up_gets_one_lead_turn(world: World) -> None:
    asked = await ask(world, CANARY, DATA)
    await ask(world, "and when are the dashboards refreshed?", DATA, thread_ts=asked.ts)

    (told,) = await answers(world, DATA, asked.ts)
    assert told.body.text.startswith("The dashboards are refreshed")
    assert len(await turns_of(world, "answer")) == 1


async def test_every_step_is_recorded_by_reference_with_all_its_working(world: World) -> None:
    await ask(world, CANARY, DATA)

    steps = await decisions(world, "step")
    assert len(steps) == 13
    assert [one.reason for one in steps][-2:] == ["addressed", "converged"]
    assert [one.next_state is None for one in steps] == [False] * 12 + [True]
    kept = "".join(f"{one.input}{one.result}" for one in steps)
    assert "region" not in kept
    for agent in MEMBERS:
        assert f"'agent_id': '{agent}'" in kept


async def test_a_turn_says_why_its_speaker_got_the_floor(world: World) -> None:
    await ask(world, CANARY, DATA)

    reasons = [turn.reason for turn in await turns_of(world, "episode")]
    assert set(reasons[:6]) == {"salience"}
    assert set(reasons[6:]) == {"addressed"}


# The message that shows it.


async def test_the_progress_message_is_there_before_anybody_speaks(world: World) -> None:
    ts = await begun(world)

    shown = await line(world, DATA, ts)
    assert shown.body.text == (
        "Turn 1 of at most 15 · 0 s · Anna is speaking · members do not see one another yet"
    )
    assert shown.body.heading == "Deciding between: canary · revert · ship"
    assert [button.label for button in shown.body.buttons] == ["Stop", "Answer now"]


async def test_it_is_edited_at_most_every_three_seconds(world: World, clock: FakeClock) -> None:
    ts = await begun(world)
    await world.work_off("deliver")
    assert (await line(world, DATA, ts)).ts
    before = (await line(world, DATA, ts)).sent_revision

    await until_spoken(world, 3)
    assert (await line(world, DATA, ts)).sent_revision == before
    clock.advance(2)
    await until_spoken(world, 1)
    assert (await line(world, DATA, ts)).sent_revision == before

    clock.advance(1)
    await world.work_off("deliver")
    shown = await line(world, DATA, ts)
    assert shown.sent_revision == shown.revision
    assert shown.body.text.startswith("Turn 5 of at most 15 · 2 s · Eva is speaking")


async def test_it_names_the_leading_option_once_it_can_be_seen(
    world: World, clock: FakeClock
) -> None:
    ts = await begun(world)
    await until_spoken(world, 10)
    clock.advance(3)

    body = (await line(world, DATA, ts)).body
    assert body.text == "Turn 11 of at most 15 · 0 s · Carl is speaking · leading: canary"


async def test_the_outcome_waits_for_nothing(world: World) -> None:
    ts = await begun(world)
    await until_spoken(world, 12)

    shown = await line(world, DATA, ts)
    assert "Decided by 3 of 5" in shown.body.text
    assert shown.sent_revision == shown.revision
    assert len(shown.ts) == 1


async def test_where_deliberations_are_shown_each_turn_is_prose_in_the_thread(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = World(engine, clock, with_desk("data", episode__shown=Shown.SHOWN))
    asked = await ask(world, CANARY, DATA)

    posts = await answers(world, DATA, asked.ts)
    assert len(posts) == 12
    assert all("!" not in post.body.text for post in posts)
    assert posts[9].body.text.endswith("_supports canary, because of Anna's and Carl's facts_")
    facts = (await line(world, DATA, asked.ts)).body.sources
    assert facts[0].link == f"message:{DATA}/{posts[0].ts[0]}"


# The blind round.


async def test_blind_members_are_asked_side_by_side(
    scripted: World, models: ScriptedModels
) -> None:
    await begun(scripted)
    await speak_next(scripted)

    assert models.most_at_once == 5
    assert [request.agent.id for request in models.requests] == list(MEMBERS)


async def test_each_blind_member_is_asked_once(scripted: World, models: ScriptedModels) -> None:
    await ask(scripted, CANARY, DATA)

    openings = [request for request in models.requests if request.situation == "opening"]
    assert [request.agent.id for request in openings] == list(MEMBERS)
    assert len(models.requests) == 12


async def test_a_kept_reply_is_used_only_while_its_request_is_unchanged(
    scripted: World, models: ScriptedModels
) -> None:
    ts = await begun(scripted)
    await speak_next(scripted)
    await ask(scripted, "@hive mind the holidays", DATA, thread_ts=ts)

    assert len(models.asked("anna", "opening")) == 1
    for member in MEMBERS[1:]:
        assert len(models.asked(member, "opening")) == 2
    seen = [row.message.content for row in models.asked("bert", "opening")[1].rows]
    assert seen == [CANARY, "@hive mind the holidays"]


async def test_what_blind_calls_cost_is_counted_once(
    engine: AsyncEngine, clock: FakeClock, models: ScriptedModels
) -> None:
    configuration = CONFIGURATION
    for member in MEMBERS:
        configuration = with_agent(member, configuration, model="openai:gpt-5-mini")
    world = World(engine, clock, configuration, models=models)
    await ask(world, CANARY, DATA)

    async with world.work.begin() as tx:
        assert await tx.usage.spent("data", "2023-11-14") == (12, 12 * 120, 12 * 3)


async def test_a_peer_that_failed_beside_another_is_asked_again_alone(
    scripted: World, models: ScriptedModels
) -> None:
    models.will("bert", "opening", failing(), opens(remark="Now I am here."))
    await ask(scripted, CANARY, DATA)

    assert len(models.asked("bert", "opening")) == 2
    assert len(models.asked("carl", "opening")) == 1
    assert (await episode_log(scripted))[2].content == "Now I am here."


@pytest.mark.parametrize("opening", list(Opening))
@pytest.mark.parametrize("directory", [None, DirectoryPolicy()])
async def test_no_blind_prompt_holds_a_word_of_a_peer(
    engine: AsyncEngine,
    clock: FakeClock,
    models: ScriptedModels,
    opening: Opening,
    directory: DirectoryPolicy | None,
) -> None:
    configuration = with_desk(
        "data", episode__opening=opening, episode__policy__directory=directory
    )
    world = World(engine, clock, configuration, models=models)
    for member in MEMBERS:
        models.will(member, "opening", opens(fact("canary", f"planted-{member} fits")))
        models.will(member, "position", holds("canary", f"planted-{member} says so"))
    await ask(world, CANARY, DATA)

    blind = [one for one in models.requests if one.situation in ("opening", "position")]
    assert len(blind) == 5
    for request in blind:
        prompt = prompted(request)
        assert "planted-" not in prompt
        assert "quorum" not in prompt.lower()
        assert (request.floor, request.may_ask) == (None, ())
    later = [one for one in models.requests if one not in blind]
    assert all("planted-" in prompted(one) for one in later)


async def test_a_blind_turn_in_the_commit_phase_learns_of_no_quorum(
    engine: AsyncEngine, clock: FakeClock, models: ScriptedModels
) -> None:
    configuration = with_desk(
        "data", episode__opening=Opening.POSITIONS, episode__policy__quorum__threshold=2
    )
    world = World(engine, clock, configuration, models=models)
    for member in MEMBERS:
        models.will(member, "position", holds("ship", f"planted-{member}"))
    await ask(world, CANARY, DATA)

    turns = [one.result["step"] for one in await decisions(world, "step")]
    phases = [str(step) for step in turns if "'visibility': 'blind'" in str(step)]
    assert any("'phase': 'commit'" in phase for phase in phases)
    blind = [one for one in models.requests if one.situation == "position"]
    assert {one.agent.id for one in blind} == set(MEMBERS)
    for request in blind:
        assert "planted-" not in prompted(request)


async def test_nobody_is_shown_anothers_brief(
    engine: AsyncEngine, clock: FakeClock, models: ScriptedModels
) -> None:
    configuration = CONFIGURATION
    for member in MEMBERS:
        configuration = with_agent(member, configuration, brief=f"secret-{member}")
    world = World(engine, clock, configuration, models=models)
    await ask(world, CANARY, DATA)

    for request in models.requests:
        others = [f"secret-{member}" for member in MEMBERS if member != request.agent.id]
        assert not [word for word in others if word in prompted(request)]


# The floor.


async def test_a_visible_turn_sees_the_floor_and_the_directory_without_priors(
    engine: AsyncEngine, clock: FakeClock, models: ScriptedModels
) -> None:
    configuration = with_agent("eva", affinity=(("ship", 100),))
    configuration = with_desk(
        "data",
        configuration,
        episode__policy__directory=DirectoryPolicy(),
        episode__policy__defer_cap=3,
    )
    world = World(engine, clock, configuration, models=models)
    await ask(world, CANARY, DATA)

    request = models.asked("anna", "deliberate")[0]
    assert request.floor is not None
    assert shipping(request) == "#ship: carl 2475 (spec 825, cred 0)"
    assert (request.defer, request.refute) == (True, False)


async def test_priors_are_shown_where_the_desk_says_so(
    engine: AsyncEngine, clock: FakeClock, models: ScriptedModels
) -> None:
    configuration = with_agent("eva", affinity=(("ship", 100),))
    configuration = with_desk(
        "data",
        configuration,
        episode__policy__directory=DirectoryPolicy(),
        episode__announce_priors=True,
    )
    world = World(engine, clock, configuration, models=models)
    await ask(world, CANARY, DATA)

    request = models.asked("anna", "deliberate")[0]
    assert shipping(request).endswith(" · eva 1000 (spec 0, cred 0)")


def shipping(request: TurnRequest) -> str:
    """What the directory says of one option."""
    assert request.floor is not None
    return next(line for line in request.floor.directory if line.startswith("#ship"))


async def test_an_edit_that_waits_for_its_moment_holds_up_nothing_behind_it(world: World) -> None:
    ts = await begun(world)
    await until_spoken(world, 2)
    shown = await line(world, DATA, ts)
    assert shown.sent_revision < shown.revision

    other = await ask_lead(world)
    (told,) = await answers(world, DATA, other)
    assert told.ts
    assert (await line(world, DATA, ts)).sent_revision == shown.sent_revision


async def ask_lead(world: World) -> str:
    """Let somebody else ask a member by name, in another thread of the same channel."""
    message = said("@eva when are the dashboards refreshed?", DATA)
    await world.hear(message)
    await world.work_off("route")
    (turn,) = await turns_of(world, "answer")
    await world.turns.run(turn.id)
    await world.work_off("deliver")
    return message.ts


async def test_what_speaks_against_a_decision_is_told_with_it(
    scripted: World, models: ScriptedModels
) -> None:
    models.will("eva", "opening", opens(fact("canary", "the pager is off", Bearing.AGAINST, 4)))
    models.will("anna", "deliberate", move(Stance.PROPOSE, "canary", 2))
    for member in ("bert", "carl", "dora"):
        models.will(member, "deliberate", move(Stance.SUPPORT, "canary", 2))
    models.will("eva", "deliberate", nothing())
    for member in MEMBERS:
        models.will(
            member,
            "commit",
            agrees("Take the canary.", 7, open_points="Who watches it?"),
        )
    models.will("bert", "commit", refuses("I was not heard.", 6), agrees("Take it.", 7))
    asked = await ask(scripted, CANARY, DATA)

    text = (await line(scripted, DATA, asked.ts)).body.text
    assert text.index("Decided by") < text.index("What speaks against it:")
    assert "• the pager is off (Eva)" in text
    assert text.startswith("Take")


async def test_lines_that_mention_the_bot_become_rows_of_the_log_and_others_do_not(
    world: World,
) -> None:
    ts = await begun(world)
    await speak_next(world)
    await ask(world, "is it lunch yet?", DATA, thread_ts=ts)

    contents = [row.content for row in await episode_log(world)]
    assert "is it lunch yet?" not in contents
    assert len(await world.log(DATA, ts)) == 3


async def test_a_line_given_to_the_desk_is_a_row_everybody_may_read(world: World) -> None:
    ts = await begun(world)
    await world.hear(said("@hive mind the holidays", DATA, thread_ts=ts, addressed=True))
    await finish(world)

    said_there = (await world.log(DATA, ts))[1]
    (given,) = [row for row in await episode_log(world) if row.copy_of == said_there.id]
    assert given.content == "@hive mind the holidays"
    assert (await episode(world)).topic == "canary"
    assert {turn.kind for turn in await world.all_turns()} == {TurnKind.EPISODE}
