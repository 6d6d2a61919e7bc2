"""What starts a turn, and what never does? One turn for each question, however often it comes."""

from __future__ import annotations

import time

import pytest

from hivebot.sandbox.shapes import Json, as_map
from tests.e2e.play import ANA, BEN, OPS, PAYMENTS, PLATFORM, Play, said_by
from tests.e2e.signed import send

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

REFUND = "@hive how long does a refund take?"


async def answered_once(play: Play, asked: str) -> None:
    """One answer stands under a question of Ana's, and one turn was spoken for it."""
    rows = await play.thread(PAYMENTS, asked)
    assert len(said_by(rows, "Pia")) == len(rows) - 1 == 1
    assert await play.turns(asked) == 1


@pytest.mark.parametrize("effect", ["duplicate", "reissue"])
@pytest.mark.parametrize("event", ["message", "app_mention"])
async def test_an_event_that_comes_again_gives_one_turn(
    http: Play, event: str, effect: str
) -> None:
    await http.people.event_fault(event, effect, copies=4)
    await answered_once(http, await http.people.say(ANA, PAYMENTS, REFUND))


@pytest.mark.parametrize("order", ["message_first", "mention_first"])
async def test_twin_events_in_either_order_give_one_turn(http: Play, order: str) -> None:
    await http.people.settings(mention_order=order, in_order=True)
    await answered_once(http, await http.people.say(ANA, PAYMENTS, REFUND))
    await http.people.settings(mention_order="message_first", in_order=False)


@pytest.mark.parametrize("lost", ["message", "app_mention"])
async def test_one_of_the_twins_is_enough(http: Play, lost: str) -> None:
    await http.people.event_fault(lost, "lose")
    await answered_once(http, await http.people.say(ANA, PAYMENTS, REFUND))


async def test_the_same_message_hours_later_under_a_new_event_id_gives_no_second_turn(
    http: Play,
) -> None:
    asked = await http.people.say(ANA, PAYMENTS, REFUND)
    await answered_once(http, asked)
    first = (await http.people.events(contains="how long", own=False))[-1]
    for event_id in ("Ev0LATER01", "Ev0LATER02"):
        assert await deliver(http, as_map(first["event"]), event_id) == 200
    await answered_once(http, asked)


async def test_a_retry_whose_first_copy_never_came_is_run(http: Play) -> None:
    await http.people.event_fault("*", "lose", times=2)
    asked = await http.people.say(ANA, PAYMENTS, REFUND)
    lost = next(event for event in await http.people.events(state="lost") if event["ts"] == asked)
    headers = (("X-Slack-Retry-Num", "2"), ("X-Slack-Retry-Reason", "connection_failed"))
    assert await deliver(http, as_map(lost["event"]), "Ev0RETRY", headers) == 200
    await answered_once(http, asked)


async def test_an_edit_that_mentions_the_bot_again_gives_no_second_answer(http: Play) -> None:
    asked = await http.people.say(ANA, PAYMENTS, REFUND)
    await answered_once(http, asked)
    await http.people.edit(ANA, PAYMENTS, asked, "@hive how long does a big refund take?")
    await answered_once(http, asked)


async def test_people_who_talk_among_themselves_are_left_alone(http: Play) -> None:
    said = await http.people.say(ANA, PAYMENTS, "has anybody seen the refund report?")
    assert len(await http.thread(PAYMENTS, said)) == 1


async def test_a_post_of_another_bot_never_starts_a_turn(http: Play) -> None:
    turns = await http.count("turn")
    alert = await http.people.bot_say(PAYMENTS, "<@U0BOT> how long does a refund take?")
    assert len(await http.thread(PAYMENTS, alert)) == 1
    assert await http.count("turn") == turns


@pytest.mark.parametrize(("own_subtype", "own_user"), [(False, True), (True, False)])
async def test_a_post_of_the_app_itself_never_starts_a_turn(
    http: Play,
    own_subtype: bool,  # noqa: FBT001 - a case
    own_user: bool,  # noqa: FBT001 - a case
) -> None:
    await http.people.settings(own_subtype=own_subtype, own_user=own_user)
    asked = await http.people.say(ANA, PAYMENTS, REFUND)
    await answered_once(http, asked)
    echo = next(
        event
        for event in reversed(await http.people.events(own=True, channel=PAYMENTS))
        if event["type"] == "message"
    )
    named = {**as_map(echo["event"]), "text": "<@U0BOT> how long does a refund take?"}
    turns = await http.count("turn")
    assert await deliver(http, {**named, "ts": f"{time.time():.6f}"}, f"Ev0ECHO{own_user}") == 200
    await answered_once(http, asked)
    assert await http.count("turn") == turns
    await http.people.settings(own_subtype=False, own_user=True)


async def test_an_unknown_desk_is_one_private_line_with_the_nearest_name(http: Play) -> None:
    asked = await http.people.say(BEN, PAYMENTS, "@#platfrom does the gateway retry?")
    assert len(await http.thread(PAYMENTS, asked)) == 1
    lines = await http.people.ephemerals(BEN, channel=PAYMENTS, after=asked)
    assert [line["plain"] for line in lines] == [
        "There is no desk called #platfrom, so nobody was asked. Did you mean @#platform?"
    ]


async def test_a_channel_without_a_desk_is_one_private_line_on_how_to_bind_it(http: Play) -> None:
    asked = await http.people.say(BEN, OPS, "@hive how long does a refund take?")
    assert len(await http.thread(OPS, asked)) == 1
    lines = await http.people.ephemerals(BEN, channel=OPS, after=asked)
    assert len(lines) == 1
    assert OPS in str(lines[0]["plain"])


@pytest.mark.parametrize("heard", [True, False])
async def test_a_channel_the_bot_was_put_out_of_is_one_plain_line_where_it_was_asked(
    http: Play,
    heard: bool,  # noqa: FBT001 - a case
) -> None:
    if not heard:
        await http.people.event_fault("member_left_channel", "lose")
    await http.people.kick(PLATFORM)
    await http.settled()
    asked = await http.people.say(ANA, PAYMENTS, "@#platform does the gateway retry on 503?")
    rows = await http.thread(PAYMENTS, asked)
    lines = said_by(rows, "hive")
    assert len(lines) == 1
    assert "#platform could not answer: the bot is not in" in lines[0] or "not passed" in lines[0]
    assert len(said_by(rows, "Pia")) == (0 if heard else 1)  # the sponsor is woken once
    await http.people.invite(PLATFORM)
    await http.settled()
    again = await http.people.say(ANA, PAYMENTS, "@#platform does the gateway retry on 503?")
    assert "503 twice" in said_by(await http.thread(PAYMENTS, again), "Pia")[0]


@pytest.mark.parametrize(
    ("age_s", "signature"),
    [(0, "v0=" + "0" * 64), (301, ""), (-301, ""), (0, "v1=wrong")],
)
async def test_what_slack_did_not_sign_now_is_refused_and_writes_nothing(
    http: Play, age_s: int, signature: str
) -> None:
    await http.settled()
    before = [await http.count(table) for table in ("inbox_event", "message", "procrastinate_jobs")]
    url, secret = f"{http.stage.bot_url}/slack/events", http.stage.workspace.signing_secret
    status, said = await send(url, question(), secret, age_s=age_s, signature=signature)
    assert status == 401
    assert secret not in said
    after = [await http.count(table) for table in ("inbox_event", "message", "procrastinate_jobs")]
    assert after == before


ODD: dict[str, object] = {
    "no event": None,
    "an event that is a list": [1, 2],
    "an empty event": {},
    "an unknown type": {"type": "canvas_exploded", "channel": PAYMENTS},
    "a message without a place": {"type": "message", "user": ANA, "text": "<@U0BOT> refund?"},
    "a message without words": {"type": "message", "channel": PAYMENTS, "user": ANA, "ts": "1.9"},
    "a change of nothing": {"type": "message", "subtype": "message_changed", "channel": PAYMENTS},
    "numbers for words": {"type": "message", "channel": 7, "user": 7, "text": 7, "ts": 7},
    "an unknown channel": {
        "type": "message",
        "channel": "C0NEVER",
        "user": "U0NEVER",
        "text": "see <@U0BOT>",
        "ts": "1700000000.000900",
    },
}


@pytest.mark.parametrize("event", ODD.values(), ids=ODD.keys())
async def test_whatever_slack_signed_is_acknowledged_so_that_it_is_not_sent_for_ever(
    http: Play, event: object
) -> None:
    body = {**question(), "event": event, "event_id": f"Ev{abs(hash(str(event)))}"}
    url, secret = f"{http.stage.bot_url}/slack/events", http.stage.workspace.signing_secret
    assert (await send(url, body, secret))[0] == 200
    await http.settled()


async def test_being_told_that_events_are_limited_is_acknowledged(http: Play) -> None:
    body: Json = {"type": "app_rate_limited", "team_id": "T0HIVE", "minute_rate_limited": 1}
    url, secret = f"{http.stage.bot_url}/slack/events", http.stage.workspace.signing_secret
    assert (await send(url, body, secret))[0] == 200


async def test_the_request_url_answers_its_challenge(http: Play) -> None:
    assert await http.people.verify()


async def deliver(
    play: Play, event: Json, event_id: str, headers: tuple[tuple[str, str], ...] = ()
) -> int:
    """Send an event as Slack does and return the status of the answer."""
    body = {**question(), "event": event, "event_id": event_id}
    url, secret = f"{play.stage.bot_url}/slack/events", play.stage.workspace.signing_secret
    status, _ = await send(url, body, secret, headers=headers)
    return status


def question() -> Json:
    """A whole request: Ana asks in #payments."""
    return {
        "type": "event_callback",
        "team_id": "T0HIVE",
        "api_app_id": "A0HIVE",
        "event_id": "Ev0FORGED",
        "event_time": int(time.time()),
        "authorizations": [{"team_id": "T0HIVE", "user_id": "U0BOT", "is_bot": True}],
        "event": {
            "type": "message",
            "channel": PAYMENTS,
            "channel_type": "channel",
            "user": ANA,
            "team": "T0HIVE",
            "text": "<@U0BOT> how long does a refund take?",
            "ts": f"{time.time():.6f}",
        },
    }
