"""What when Slack limits, drops an answer, or refuses? All are answered, in order, none twice."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from hivebot.sandbox.shapes import as_text
from tests.e2e.play import ANA, BEN, PAYMENTS, PLATFORM, STEW, Play, said_by

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

REFUND = "@hive how long does a refund take?"
FAR = "@#platform does the gateway retry on 503?"


@pytest_asyncio.fixture(loop_scope="session")
async def slack(http: Play) -> AsyncGenerator[Play]:
    """The shared stage, without the faults a test has ordered and did not use up."""
    yield http
    await http.people.mend()
    await http.people.settings(rate_limits=False, in_order=False, own_event="after")


async def last_call(play: Play) -> str:
    """The number of the newest call."""
    calls = await play.people.calls()
    return str(calls[-1]["seq"])


async def test_ten_questions_at_once_are_all_answered_in_order_within_slacks_limits(
    slack: Play,
) -> None:
    await slack.settled()
    await slack.people.settings(rate_limits=True, in_order=True)
    mark = await last_call(slack)
    asked = [await slack.people.say(who, PAYMENTS, REFUND) for who in (ANA, BEN, STEW) * 2]
    for question in ("settlement?", "chargebacks?", "idempotency?", "refunds?"):
        await slack.people.say(ANA, PAYMENTS, f"@hive {question}", thread_ts=asked[0])
    await slack.settled()
    for ts in asked[1:]:
        rows = await slack.people.messages(PAYMENTS, ts)
        assert len(rows) == 2
        assert "five working days" in said_by(rows, "Pia")[0]
    answers = said_by(await slack.people.messages(PAYMENTS, asked[0]), "Pia")
    words = ("five working days", "at 02:00", "", "idempotency key", "five working days")
    assert len(answers) == len(words)
    assert [word in answer for word, answer in zip(words, answers, strict=True)] == [True] * 5
    limited = await slack.people.calls("chat.postMessage", after=mark, error="ratelimited")
    assert 1 <= len(limited) <= 10  # it waits as long as Slack says, and does not knock


@pytest.mark.parametrize("answer", ["drop", "status", "error"])
@pytest.mark.parametrize("order", ["after", "before"])
async def test_a_post_whose_answer_is_lost_is_not_posted_twice(
    slack: Play, answer: str, order: str
) -> None:
    await slack.people.settings(own_event=order)
    await slack.people.fault("chat.postMessage", answer, applied=True, channel=PAYMENTS)
    asked = await slack.people.say(ANA, PAYMENTS, REFUND)
    rows = await slack.thread(PAYMENTS, asked)
    assert len(said_by(rows, "Pia")) == len(rows) - 1 == 1


async def test_a_post_whose_answer_and_event_are_lost_is_found_by_its_metadata(slack: Play) -> None:
    await slack.people.fault("chat.postMessage", "drop", applied=True, channel=PAYMENTS)
    asked = await slack.people.say(ANA, PAYMENTS, REFUND)
    await slack.people.event_fault("message", "lose")
    rows = await slack.thread(PAYMENTS, asked)
    assert len(said_by(rows, "Pia")) == len(rows) - 1 == 1


async def test_a_post_that_never_reached_slack_is_sent_again(slack: Play) -> None:
    await slack.people.fault("chat.postMessage", "drop", channel=PAYMENTS)
    asked = await slack.people.say(ANA, PAYMENTS, REFUND)
    rows = await slack.thread(PAYMENTS, asked)
    assert len(said_by(rows, "Pia")) == len(rows) - 1 == 1


async def test_a_question_that_crosses_survives_a_lost_answer_at_each_post(slack: Play) -> None:
    await slack.people.fault("chat.postMessage", "drop", applied=True, times=2, channel=PLATFORM)
    await slack.people.fault("chat.postMessage", "drop", applied=True, times=2, channel=PAYMENTS)
    asked = await slack.people.say(ANA, PAYMENTS, FAR)
    rows = await slack.thread(PAYMENTS, asked)
    assert [as_text(row["author"]) for row in rows[1:]] == ["hive", "Pia (rule-based)"]
    far = await slack.after(PLATFORM, asked)
    assert [as_text(row["author"]) for row in far] == ["Pia (rule-based)", "Lasse (rule-based)"]


async def test_slacks_own_trouble_for_a_while_loses_nothing(slack: Play) -> None:
    await slack.people.fault("chat.postMessage", "ratelimited", times=2, channel=PAYMENTS)
    await slack.people.fault("chat.update", "status", times=1, status=503)
    asked = await slack.people.say(ANA, PAYMENTS, FAR)
    rows = await slack.thread(PAYMENTS, asked)
    assert [as_text(row["author"]) for row in rows[1:]] == ["hive", "Pia (rule-based)"]
    assert "has answered" in said_by(rows, "hive")[0]


async def test_blocks_that_slack_refuses_are_sent_as_plain_text(slack: Play) -> None:
    await slack.people.fault("chat.postMessage", "error", error="invalid_blocks", channel=PAYMENTS)
    asked = await slack.people.say(ANA, PAYMENTS, REFUND)
    rows = await slack.thread(PAYMENTS, asked)
    assert len(rows) == 2
    assert rows[1]["blocks"] == []
    assert "five working days" in said_by(rows, "Pia")[0]
