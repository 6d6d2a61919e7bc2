"""What does a press of a button do? The asker's asks once; anybody else's changes nothing."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest
from sqlalchemy import text

from hivebot.sandbox.shapes import Json, as_maps, as_text
from hivebot.services import lines, outcomes
from tests.e2e.play import ANA, BEN, DATA, PAYMENTS, Play, said_by
from tests.e2e.signed import send

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

QUESTION = "@#platform @#data what is known about deploys and dashboards?"


async def asked_two(play: Play) -> tuple[str, Json]:
    """Ana names two desks; gives her question and the status line with its button."""
    asked = await play.people.say(ANA, PAYMENTS, QUESTION)
    rows = await play.thread(PAYMENTS, asked)
    status = next(row for row in rows if row["buttons"])
    return asked, status


async def press(play: Play, user: str, status: Json) -> None:
    button = as_maps(status["buttons"])[0]
    await play.people.press(user, PAYMENTS, as_text(status["ts"]), as_text(button["action_id"]))
    await play.settled()


async def private(play: Play, user: str, after: str) -> list[str]:
    rows = await play.people.ephemerals(user, channel=PAYMENTS, after=after)
    return [as_text(row["plain"]) for row in rows]


async def test_only_the_asker_asks_another_desk_and_only_once(http: Play) -> None:
    asked, status = await asked_two(http)
    assert "not asked: one question per message" in as_text(status["plain"])
    assert [button["text"] for button in as_maps(status["buttons"])] == ["Ask #data too"]
    rows = len(await http.thread(PAYMENTS, asked))
    referrals = await http.count("referral")

    await press(http, BEN, status)
    assert await private(http, BEN, asked) == [
        "Only the person who asked can press this. Nothing has changed."
    ]
    assert len(await http.thread(PAYMENTS, asked)) == rows
    assert await http.count("referral") == referrals

    await press(http, ANA, status)
    assert await private(http, ANA, asked) == []
    told = await http.thread(PAYMENTS, asked)
    assert len(told) == rows + 2
    assert "#data has answered" in said_by(told, "hive")[1]
    assert "refreshed at 06:00" in said_by(told, "Pia")[1]

    await press(http, ANA, status)
    assert await private(http, ANA, asked) == ["#data has been asked already. Nothing has changed."]
    assert len(await http.thread(PAYMENTS, asked)) == rows + 2
    assert await http.count("referral") == referrals + 1


async def test_a_press_over_the_socket_is_answered_too(socket: Play) -> None:
    asked, status = await asked_two(socket)
    await press(socket, BEN, status)
    assert len(await private(socket, BEN, asked)) == 1


async def test_a_button_whose_value_was_made_up_does_nothing(http: Play) -> None:
    asked, status = await asked_two(http)
    referrals = await http.count("referral")
    url, secret = f"{http.stage.bot_url}/slack/interactive", http.stage.workspace.signing_secret
    values = ("999999:data", "1:nobody", "x", "1" * 40 + ":data", "")
    for value in values:
        payload = json.dumps(press_of(asked, as_text(status["ts"]), value))
        assert (await send(url, urlencode({"payload": payload}), secret))[0] == 200
    await http.settled()
    assert len(await private(http, ANA, asked)) == len(values)
    assert await http.count("referral") == referrals


async def test_every_button_of_a_deliberation_has_one_private_or_visible_outcome(
    http: Play,
) -> None:
    asked = await http.people.say(ANA, DATA, "@hive what now: #canary, #revert or #ship?")
    await http.thread(DATA, asked)
    async with http.engine.connect() as connection:
        found = await connection.execute(text("select max(id) from episode"))
        episode = str(found.scalar_one())
    url, secret = f"{http.stage.bot_url}/slack/interactive", http.stage.workspace.signing_secret
    told: list[str] = []
    for action, value in (
        (outcomes.STOP, episode),
        (outcomes.ANSWER_NOW, episode),
        (outcomes.CHOOSE, f"{episode}:canary"),
        (outcomes.TWO_MORE, episode),
        (outcomes.ASK_ANOTHER, episode),
        (outcomes.WHY, episode),
    ):
        payload = json.dumps(press_of(asked, asked, value, action, DATA))
        assert (await send(url, urlencode({"payload": payload}), secret))[0] == 200
        await http.settled()
        rows = await http.people.ephemerals(ANA, channel=DATA, after=asked)
        told.append(as_text(rows[-1]["plain"]))
        assert len(rows) == len(told)
    stopped, answered, chosen, more, another, why = told
    assert stopped == answered == lines.episode_over().text
    assert chosen == lines.press_for_stewards().text
    assert more == lines.episode_decided().text
    assert another == lines.how_to_ask(()).text
    assert "had the floor because" in why

    episodes = await http.count("episode")
    payload = json.dumps(press_of(asked, asked, episode, outcomes.AGAIN, DATA))
    assert (await send(url, urlencode({"payload": payload}), secret))[0] == 200
    await http.settled()
    assert await http.count("episode") == episodes + 1


def press_of(
    asked: str, ts: str, value: str, action: str = "ask_too", channel: str = PAYMENTS
) -> Json:
    """What Slack sends when Ana presses a button, by default the one under the status line."""
    return {
        "type": "block_actions",
        "team": {"id": "T0HIVE", "domain": "hive"},
        "user": {"id": ANA, "team_id": "T0HIVE"},
        "api_app_id": "A0HIVE",
        "channel": {"id": channel},
        "container": {"type": "message", "message_ts": ts, "thread_ts": asked},
        "message": {"ts": ts, "thread_ts": asked},
        "actions": [{"type": "button", "action_id": action, "block_id": "b", "value": value}],
        "trigger_id": "1.1.1",
    }
