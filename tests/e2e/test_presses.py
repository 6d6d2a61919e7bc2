"""What does a press of a button do? The asker's asks once; anybody else's changes nothing."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest

from hivebot.sandbox.shapes import Json, as_maps, as_text
from tests.e2e.play import ANA, BEN, PAYMENTS, Play, said_by
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


def press_of(asked: str, ts: str, value: str) -> Json:
    """What Slack sends when Ana presses the button under the status line."""
    return {
        "type": "block_actions",
        "team": {"id": "T0HIVE", "domain": "hive"},
        "user": {"id": ANA, "team_id": "T0HIVE"},
        "api_app_id": "A0HIVE",
        "channel": {"id": PAYMENTS, "name": "payments"},
        "container": {"type": "message", "message_ts": ts, "thread_ts": asked},
        "message": {"ts": ts, "thread_ts": asked},
        "actions": [{"type": "button", "action_id": "ask_too", "block_id": "b", "value": value}],
        "trigger_id": "1.1.1",
    }
