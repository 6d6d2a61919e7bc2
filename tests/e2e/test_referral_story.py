"""Does a question cross to another desk, get one answer there, and come home? Over both wires."""

from __future__ import annotations

import pytest

from hivebot.adapters.slack.api import SlackApi
from hivebot.entrypoints.demo.reading import read_back
from hivebot.entrypoints.demo.story import QUESTION
from tests.e2e.play import ANA, PAYMENTS, PLATFORM, Play, said_by

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]


async def story(play: Play) -> None:
    """Each line stands once and in order, as read over HTTP with the bot's own client."""
    mark = await play.people.say("U0STEW", PLATFORM, "good morning")
    asked = await play.people.say(ANA, PAYMENTS, QUESTION)
    await play.settled()

    async def token(_team_id: str) -> str:
        return play.stage.workspace.bot_token

    slack = SlackApi(token, play.stage.workspace.api_url)
    try:
        found = await read_back(slack, (PAYMENTS, PLATFORM), mark)
    finally:
        await slack.aclose()
    home, far = found[PAYMENTS], found[PLATFORM]
    assert [said.speaker for said in home] == ["Ana", "Hive", "Pia (rule-based)"]
    assert [said.thread_ts for said in home] == ["", asked, asked]
    assert "has answered" in home[1].text
    assert "503 twice" in home[2].text
    assert [said.speaker for said in far] == ["Pia (rule-based)", "Lasse (rule-based)"]
    assert [said.thread_ts for said in far] == ["", ""]
    assert "503?" in far[0].text
    assert "503 twice" in far[1].text


async def follow_up(play: Play) -> None:
    """In her thread a person need not name anybody a second time."""
    asked = await play.people.say(ANA, PAYMENTS, "@hive how long does a refund take?")
    rows = await play.thread(PAYMENTS, asked)
    assert len(rows) == 2
    assert "five working days" in said_by(rows, "Pia")[0]
    await play.people.say(ANA, PAYMENTS, "and when do we settle?", thread_ts=asked)
    rows = await play.thread(PAYMENTS, asked)
    assert len(rows) == 4
    assert "every night at 02:00" in said_by(rows, "Pia")[1]


async def test_each_line_of_the_story_stands_once_and_in_order_over_http(http: Play) -> None:
    await story(http)


async def test_each_line_of_the_story_stands_once_and_in_order_over_a_socket(socket: Play) -> None:
    await story(socket)


async def test_the_person_answered_may_go_on_without_a_mention_over_http(http: Play) -> None:
    await follow_up(http)


async def test_the_person_answered_may_go_on_without_a_mention_over_a_socket(
    socket: Play,
) -> None:
    await follow_up(socket)


async def test_a_closed_socket_is_opened_anew_and_nothing_is_lost(socket: Play) -> None:
    await socket.people.disconnect("refresh_requested", close=True)
    asked = await socket.people.say(ANA, PAYMENTS, "@hive how long does a refund take?")
    await socket.people.wait_for("messages", channel=PAYMENTS, thread_ts=asked, count=2)
    assert len(await socket.thread(PAYMENTS, asked)) == 2
    # the SDK may open two sockets and answer on the one it gives up: then Slack sends them again
    events = await socket.people.events(contains="how long", own=False)
    assert {event["state"] for event in events} == {"acknowledged"}


async def test_nothing_the_bot_says_can_ping_anybody(http: Play) -> None:
    asked = await http.people.say(
        ANA, PAYMENTS, "<@U0BOT> <!channel> how long does a refund take, <@U0BEN>?", raw=True
    )
    rows = await http.thread(PAYMENTS, asked)
    assert len(said_by(rows, "Pia")) == 1
    assert [row["pings"] for row in rows if row["own"]] == [[]]


async def test_what_nobody_knows_is_one_answer_that_says_so(http: Play) -> None:
    asked = await http.people.say(ANA, PAYMENTS, "@hive where do penguins sleep?")
    rows = await http.thread(PAYMENTS, asked)
    answers = said_by(rows, "Pia")
    assert len(answers) == len(rows) - 1 == 1
    assert "do not know" in answers[0] or "hold nothing on that" in answers[0]
