"""What do `/hive`, the shortcut and `@hive why` say, to whom, and over the wire?"""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest

from hivebot.sandbox.shapes import Json, as_text
from tests.e2e.play import ANA, BEN, DATA, PAYMENTS, STEW, Play
from tests.e2e.signed import send

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]


async def hive(play: Play, words: str, user: str = ANA, channel: str = PAYMENTS) -> str:
    """Type it; what only whoever typed it sees."""
    answer = json.loads(await play.people.command(user, channel, "/hive", words))
    assert answer["response_type"] == "ephemeral"
    return as_text(answer["text"])


async def test_each_word_is_answered_privately(http: Play) -> None:
    assert "/hive desks" in await hive(http, "")
    assert "@#data" in await hive(http, "desks")
    assert "Did you mean" in await hive(http, "dekss")
    assert "Only an admin" in await hive(http, "reload")
    assert "Only an admin" in await hive(http, "policy")
    assert "Nothing has changed" in await hive(http, "reload", STEW)
    assert "deliberation:" in await hive(http, "policy", STEW)
    assert "has deliberated #walrus" in await hive(http, "who-knows #walrus")
    assert "remembers nothing" in await hive(http, "memory")
    assert "Write the question behind it" in await hive(http, "ask")
    assert "`@hive why`" in await hive(http, "why")
    assert "`@hive stop`" in await hive(http, "stop")


async def test_the_answer_stands_before_whoever_typed_and_nobody_else(http: Play) -> None:
    before = await http.people.say(BEN, PAYMENTS, "good morning")
    await hive(http, "help")
    shown = await http.people.ephemerals(ANA, channel=PAYMENTS, after=before)
    assert "/hive ask" in as_text(shown[-1]["plain"])
    assert await http.people.ephemerals(BEN, channel=PAYMENTS, after=before) == []


async def test_a_question_after_the_command_is_deliberated_in_its_thread(http: Play) -> None:
    before = await http.people.say(ANA, DATA, "good morning")
    assert "answers in its thread" in await hive(
        http, "ask the new ingest is ready: #canary, #revert or #ship?", channel=DATA
    )
    (question, *_) = await http.after(DATA, before)
    assert "asks: the new ingest is ready" in as_text(question["plain"])
    (_, outcome) = await http.thread(DATA, as_text(question["ts"]))
    assert "canary" in as_text(outcome["plain"])


async def test_over_the_socket_it_is_the_same(socket: Play) -> None:
    assert "/hive desks" in await hive(socket, "help")


async def test_a_command_nobody_signed_is_refused(http: Play) -> None:
    url = f"{http.stage.bot_url}/slack/commands"
    fields = {"team_id": "T0HIVE", "channel_id": PAYMENTS, "user_id": STEW, "command": "/hive"}
    status, _ = await send(url, urlencode({**fields, "text": "reload"}), "not the secret")
    assert status == 401


async def answered(play: Play) -> tuple[str, Json]:
    asked = await play.people.say(ANA, PAYMENTS, "@hive how are refunds doing?")
    rows = await play.thread(PAYMENTS, asked)
    return asked, next(row for row in rows if "Pia" in as_text(row["author"]))


async def test_the_shortcut_says_why_an_agent_spoke(http: Play) -> None:
    asked, answer = await answered(http)
    await http.people.shortcut(BEN, "why_this_speaker", PAYMENTS, as_text(answer["ts"]))
    await http.people.shortcut(BEN, "why_this_speaker", PAYMENTS, asked)
    await http.settled()
    told = await http.people.ephemerals(BEN, channel=PAYMENTS, after=asked)
    assert "Pia answered because Pia leads the desk" in as_text(told[0]["plain"])
    assert "there is no reason to tell" in as_text(told[1]["plain"])
    assert await http.people.ephemerals(ANA, channel=PAYMENTS, after=asked) == []


async def test_a_shortcut_nobody_knows_or_without_a_message_does_nothing(http: Play) -> None:
    asked, answer = await answered(http)
    await http.people.shortcut(BEN, "another", PAYMENTS, as_text(answer["ts"]))
    await http.people.shortcut(BEN, "why_this_speaker")
    await http.settled()
    assert await http.people.ephemerals(BEN, channel=PAYMENTS, after=asked) == []


async def test_why_is_a_word_for_threads(http: Play) -> None:
    asked, _ = await answered(http)
    turns = await http.count("turn")
    await http.people.say(BEN, PAYMENTS, "@hive why?", thread_ts=asked)
    await http.settled()
    told = await http.people.ephemerals(BEN, channel=PAYMENTS, after=asked)
    assert "Pia answered because Pia leads the desk" in as_text(told[-1]["plain"])
    assert await http.count("turn") == turns


@pytest.mark.parametrize(
    ("word", "told"),
    [("help", "@#platform"), ("stop", "nothing"), ("mute", "mention")],
)
async def test_the_other_words_for_threads_are_answered_privately(
    http: Play, word: str, told: str
) -> None:
    asked, _ = await answered(http)
    turns = await http.count("turn")
    await http.people.say(ANA, PAYMENTS, f"@hive {word}", thread_ts=asked)
    await http.settled()
    private = await http.people.ephemerals(ANA, channel=PAYMENTS, after=asked)
    assert told in as_text(private[-1]["plain"]).lower()
    assert await http.people.ephemerals(BEN, channel=PAYMENTS, after=asked) == []
    assert await http.count("turn") == turns


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("desks", "@#data"),
        ("who-knows #walrus", "has deliberated #walrus"),
        ("memory", "remembers nothing"),
        ("policy", "Only an admin"),
        ("reload", "Only an admin"),
    ],
)
async def test_words_of_the_command_are_answered_privately_in_a_thread_too(
    http: Play, words: str, told: str
) -> None:
    asked, _ = await answered(http)
    turns = await http.count("turn")
    await http.people.say(BEN, PAYMENTS, f"@hive {words}", thread_ts=asked)
    await http.settled()
    (private,) = await http.people.ephemerals(BEN, channel=PAYMENTS, after=asked)
    assert told in as_text(private["plain"])
    assert await http.people.ephemerals(ANA, channel=PAYMENTS, after=asked) == []
    assert await http.count("turn") == turns


async def test_a_sentence_that_begins_with_such_a_word_is_a_question(http: Play) -> None:
    asked, _ = await answered(http)
    await http.people.say(BEN, PAYMENTS, "@hive policy for refunds?", thread_ts=asked)
    await http.settled()
    assert await http.turns(asked) == 2


async def test_a_muted_thread_is_silent_until_the_bot_is_mentioned(http: Play) -> None:
    asked, _ = await answered(http)
    await http.people.say(ANA, PAYMENTS, "and what about partial refunds?", thread_ts=asked)
    await http.settled()
    assert await http.turns(asked) == 2
    await http.people.say(ANA, PAYMENTS, "@hive mute", thread_ts=asked)
    await http.settled()
    await http.people.say(ANA, PAYMENTS, "and what about settlements?", thread_ts=asked)
    await http.settled()
    assert await http.turns(asked) == 2
    await http.people.say(ANA, PAYMENTS, "@hive what about settlements?", thread_ts=asked)
    await http.settled()
    assert await http.turns(asked) == 3


async def test_the_home_is_published_when_it_is_opened(http: Play) -> None:
    await http.people.open_home(BEN)
    (home,) = await http.people.wait_for("views", user=BEN, timeout_s=20)
    assert "Recent decisions" in str(home)
    assert f"<#{PAYMENTS}>" in str(home)
