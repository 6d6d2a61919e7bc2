"""What does the market make of an episode's log? Source: hive.md 13 to 16, turns.md 2."""

from __future__ import annotations

import json
from dataclasses import replace

from hivebot.hive.directory import DirectoryPolicy
from hivebot.hive.episode import Converged, EpisodePhase, EpisodeState, Speak
from hivebot.services.floor import (
    agreed_on,
    floor_of,
    fresh_state,
    live_traces,
    log_messages,
    look,
    policy_of,
    standings_now,
    working,
)
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.rows import ConversationRow, MessageRole
from tests.configurations import CONFIGURATION, desk_of, with_agent, with_desk
from tests.unit.services.episode_rows import episode, message

DESK = desk_of(CONFIGURATION, "data")
LOG = ConversationRow(
    id=2,
    team_id="T0HIVE",
    channel_id="C0DATA",
    thread_ts="1.1",
    desk_id="data",
    audience=Audience.PUBLIC,
    root_seq=1,
    last_seq=3,
    episode_no=1,
)
ROWS = (
    message(1, content="@hive #canary or #ship?"),
    message(2, "anna", "!evidence #canary for(2): it fits"),
    message(3, "bert", "nothing"),
    message(4, "carl", "nothing"),
    message(5, "dora", "nothing"),
    message(6, "eva", "nothing"),
    message(7, "anna", "!propose #canary ^2"),
    message(8, "bert", "!support #canary ^2"),
)
THIRD = message(9, "carl", "!support #canary ^2")


def state(spent: int = 7) -> EpisodeState:
    return replace(fresh_state(LOG, 1, DESK, CONFIGURATION), spent=spent)


def test_a_fresh_state_has_the_members_thresholds_as_configured() -> None:
    configuration = with_agent("bert", threshold=300, affinity=(("canary", 90),))
    configuration = with_agent("carl", configuration, retired=True)

    fresh = fresh_state(LOG, 3, desk_of(configuration, "data"), configuration)
    assert (fresh.watermark, fresh.spent, fresh.phase) == (3, 0, EpisodePhase.DELIBERATE)
    assert [one.agent_id for one in fresh.thresholds] == ["anna", "bert", "dora", "eva"]
    assert (fresh.thresholds[1].threshold, fresh.thresholds[1].affinity) == (300, (("canary", 90),))
    assert (fresh.conversation.desk_id, fresh.conversation.thread_root) == ("data", 1)


def test_turns_that_people_add_lengthen_the_budget() -> None:
    assert policy_of(episode(), DESK).turn_budget == 15
    assert policy_of(episode(extra_turns=10), DESK).turn_budget == 25


def test_backfilled_rows_are_read_by_no_fold() -> None:
    rows = (message(1, role=MessageRole.BACKFILLED), message(2, "anna", "hello"))

    assert [one.sequence for one in log_messages(rows)] == [2]


def test_the_market_names_who_speaks_next() -> None:
    found = look(episode(), state(), ROWS, DESK, CONFIGURATION)

    assert isinstance(found.step, Speak)
    assert len(found.assessments) == 5


def test_standings_are_told_also_when_the_budget_is_used_up() -> None:
    (standing,) = standings_now(state(99), ROWS, DESK, CONFIGURATION)

    assert (standing.topic, standing.supporters) == ("canary", ("anna", "bert"))


def test_nothing_said_is_no_standing() -> None:
    assert standings_now(state(), ROWS[:1], DESK, CONFIGURATION) == ()


def test_a_quorum_is_agreed_on_and_less_is_not() -> None:
    two = standings_now(state(), ROWS, DESK, CONFIGURATION)
    three = standings_now(state(), (*ROWS, THIRD), DESK, CONFIGURATION)

    assert (agreed_on(two, DESK), agreed_on(three, DESK)) == ("", "canary")


def test_what_people_type_below_the_watermark_is_no_trace() -> None:
    traces = live_traces(replace(state(), watermark=7), ROWS, DESK, CONFIGURATION)

    assert [trace.sequence for trace in traces] == [8]


def test_the_working_is_plain_json_and_holds_no_words() -> None:
    found = working(look(episode(), state(), ROWS, DESK, CONFIGURATION))

    assert json.loads(json.dumps(found)) == found
    assert "fits" not in json.dumps(found)
    assert found["consensus"] == {"state": "deliberating"}
    assert found["directory"] is None


def test_the_working_of_an_ending_holds_its_standing() -> None:
    committed = message(10, "dora", "!commit #canary ^7")
    committing = replace(state(), phase=EpisodePhase.COMMIT, commit_boundary=9)
    examined = look(episode(), committing, (*ROWS, THIRD, committed), DESK, CONFIGURATION)

    assert isinstance(examined.step, Converged)
    found = working(examined)
    assert found["assessments"] == []
    step = found["step"]
    assert isinstance(step, dict)
    assert step["topic"] == "canary"


def test_the_working_of_a_used_up_budget_has_no_consensus() -> None:
    found = working(look(episode(), state(99), ROWS, DESK, CONFIGURATION))

    assert (found["consensus"], found["standings"]) == (None, [])


def test_the_directory_stands_in_the_working() -> None:
    desk = desk_of(with_desk("data", episode__policy__directory=DirectoryPolicy()), "data")

    found = working(look(episode(), state(), ROWS, desk, CONFIGURATION))
    entries = found["directory"]
    assert isinstance(entries, list)
    assert entries


def test_the_floor_tells_standings_and_topic() -> None:
    rows = (*ROWS, THIRD)
    step = look(episode(), state(), rows, DESK, CONFIGURATION).step
    assert isinstance(step, Speak)

    floor = floor_of(step.turn, state(), rows, DESK, CONFIGURATION)
    assert (floor.phase, floor.topic, floor.directory) == ("commit", "canary", ())
    assert floor.standings[0].supporters == ("anna", "bert", "carl")


def test_the_directory_is_folded_without_priors_unless_they_are_announced() -> None:
    configuration = with_agent("eva", affinity=(("canary", 100),))
    configuration = with_desk("data", configuration, episode__policy__directory=DirectoryPolicy())
    told = with_desk("data", configuration, episode__announce_priors=True)
    for given, expected in ((configuration, False), (told, True)):
        desk = desk_of(given, "data")
        now = replace(fresh_state(LOG, 1, desk, given), spent=7)
        step = look(episode(), now, ROWS, desk, given).step
        assert isinstance(step, Speak)
        (line,) = floor_of(step.turn, now, ROWS, desk, given).directory
        assert ("eva" in line) is expected


def test_a_directory_of_nothing_is_no_line() -> None:
    configuration = with_desk("data", episode__policy__directory=DirectoryPolicy())
    desk = desk_of(configuration, "data")
    now = fresh_state(LOG, 1, desk, configuration)
    step = look(episode(), now, ROWS[:1], desk, configuration).step
    assert isinstance(step, Speak)

    assert floor_of(step.turn, now, ROWS[:1], desk, configuration).directory == ()
