"""Does this message wake the desk?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.hive.waking import (
    Listen,
    NoWakeReason,
    Threads,
    WakeInput,
    WakeReason,
    asks_something,
    wakes,
)

TALK = WakeInput(
    text="does the gateway retry?",
    addressed=False,
    agent_mentioned=False,
    desk_mentioned=False,
    by_bot=False,
    direct=False,
    in_thread=False,
    answered_user_id="",
    user_id="U0ANA",
    alone_since=True,
    open_episode=False,
    muted=False,
)
REPLY = replace(TALK, in_thread=True, answered_user_id="U0ANA")


def judged(
    message: WakeInput, listen: Listen = Listen.MENTION, threads: Threads = Threads.ASKER
) -> WakeReason | NoWakeReason:
    return wakes(message, listen, threads)


@pytest.mark.parametrize(
    "text",
    [
        "thanks",
        "Thanks a lot!",
        "ok",
        "hey",
        "Good morning",
        "thank you very much",
        ":+1:",
        "",
        "?!",
        "@hive",
        "@#platform @hive",
        "@hive thx",
    ],
)
def test_thanks_greetings_and_texts_without_a_word_wake_nobody(text: str) -> None:
    assert not asks_something(text)
    addressed = replace(TALK, text=text, addressed=True)
    assert judged(addressed, Listen.ALL) is NoWakeReason.NOT_A_QUESTION


@pytest.mark.parametrize("text", ["why", "@hive look", "503?", "thanks, and the 504s?", "été"])
def test_a_word_of_three_characters_asks_something(text: str) -> None:
    assert asks_something(text)


def test_a_mention_of_bot_agent_or_desk_wakes() -> None:
    assert judged(replace(TALK, addressed=True)) is WakeReason.BOT_MENTIONED
    assert judged(replace(TALK, agent_mentioned=True)) is WakeReason.AGENT_MENTIONED
    assert judged(replace(TALK, desk_mentioned=True, addressed=True)) is WakeReason.DESK_MENTIONED


def test_at_top_level_listening_decides() -> None:
    assert judged(TALK) is NoWakeReason.NOT_ADDRESSED
    assert judged(TALK, Listen.ALL) is WakeReason.LISTENING


def test_a_direct_message_wakes() -> None:
    assert judged(replace(TALK, direct=True)) is WakeReason.DIRECT_MESSAGE


def test_in_a_thread_the_person_last_answered_goes_on() -> None:
    assert judged(REPLY) is WakeReason.FOLLOW_UP
    assert judged(replace(REPLY, alone_since=False)) is NoWakeReason.NOT_THE_ASKER
    assert judged(replace(REPLY, user_id="U0BEN")) is NoWakeReason.NOT_THE_ASKER


def test_in_a_thread_nobody_was_answered_in_only_a_mention_wakes() -> None:
    assert judged(replace(REPLY, answered_user_id="")) is NoWakeReason.NOT_ADDRESSED
    assert judged(REPLY, Listen.ALL, Threads.MENTION) is NoWakeReason.NOT_ADDRESSED


def test_where_all_may_go_on_anybody_does() -> None:
    assert judged(replace(REPLY, user_id="U0BEN"), threads=Threads.ALL) is WakeReason.FOLLOW_UP


def test_another_bot_wakes_by_mention_only() -> None:
    bot = replace(TALK, by_bot=True)
    assert judged(bot, Listen.ALL) is NoWakeReason.BOT_NOT_ADDRESSING
    assert judged(replace(bot, addressed=True)) is WakeReason.BOT_MENTIONED


def test_a_mute_holds_until_the_bot_is_mentioned() -> None:
    muted = replace(REPLY, muted=True)
    assert judged(muted) is NoWakeReason.MUTED
    assert judged(replace(muted, addressed=True)) is WakeReason.BOT_MENTIONED


def test_talk_beside_a_deliberation_stays_talk() -> None:
    assert judged(replace(REPLY, open_episode=True)) is NoWakeReason.EPISODE_OPEN
