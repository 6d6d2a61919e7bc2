"""Does this message wake the desk? The rule for what people may say without calling anybody."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hivebot.hive.scalars import is_white_space

SHORTEST_WORD = 3

_COURTESIES = frozenset(
    {
        "bye",
        "cheers",
        "danke",
        "good",
        "great",
        "hallo",
        "hello",
        "hey",
        "lot",
        "lots",
        "merci",
        "morning",
        "much",
        "nice",
        "perfect",
        "thank",
        "thanks",
        "thx",
        "welcome",
        "you",
        "very",
        "okay",
        "evening",
    }
)


class Listen(StrEnum):
    """Which top-level messages wake the desk."""

    MENTION = "mention"
    ALL = "all"


class Threads(StrEnum):
    """Which messages in a thread wake the desk again."""

    ASKER = "asker"
    ALL = "all"
    MENTION = "mention"


class WakeReason(StrEnum):
    """Why a message is a question to the desk."""

    BOT_MENTIONED = "bot_mentioned"
    AGENT_MENTIONED = "agent_mentioned"
    DESK_MENTIONED = "desk_mentioned"
    DIRECT_MESSAGE = "direct_message"
    LISTENING = "listening"
    FOLLOW_UP = "follow_up"


class NoWakeReason(StrEnum):
    """Why a message stays talk among people."""

    NOT_A_QUESTION = "not_a_question"
    MUTED = "muted"
    EPISODE_OPEN = "episode_open"
    BOT_NOT_ADDRESSING = "bot_not_addressing"
    NOT_ADDRESSED = "not_addressed"
    NOT_THE_ASKER = "not_the_asker"


@dataclass(frozen=True, slots=True)
class WakeInput:
    """What the rule reads.

    Attributes:
        text: Canonical text.
        addressed: The bot itself is mentioned.
        agent_mentioned: An agent is mentioned in a way that calls it.
        desk_mentioned: A desk is mentioned in a way that calls it.
        by_bot: Another bot's post that the desk admits.
        direct: A direct message.
        in_thread: A reply; a thread's root is judged as top level.
        answered_user_id: The person last answered in the thread.
        user_id: The writer.
        alone_since: Nobody else has written since that answer.
        open_episode: The desk deliberates in this thread.
        muted: `/hive mute` holds until the bot is mentioned.
    """

    text: str
    addressed: bool
    agent_mentioned: bool
    desk_mentioned: bool
    by_bot: bool
    direct: bool
    in_thread: bool
    answered_user_id: str
    user_id: str
    alone_since: bool
    open_episode: bool
    muted: bool


def asks_something(text: str) -> bool:
    """Say whether a text could be a question: a word of three characters that is no courtesy.

    Mentions do not count as words.

    Source: product.md 3.
    """
    return any(
        len(word) >= SHORTEST_WORD and word not in _COURTESIES
        for piece in _pieces(text)
        if not piece.startswith("@")
        for word in _alphanumeric_runs(piece.lower())
    )


def wakes(message: WakeInput, listen: Listen, threads: Threads) -> WakeReason | NoWakeReason:
    """Decide whether a message starts a turn.

    1. A text that asks nothing wakes nobody.
    2. A mention of the bot, an agent or a desk wakes; it also ends a mute.
    3. Another bot's post wakes by mention only.
    4. A muted conversation, and one whose desk deliberates, stays as it is.
    5. A direct message wakes.
    6. At top level the desk's `listen` decides.
    7. In a thread the desk's `threads` decides.

    Source: product.md 3.
    """
    if not asks_something(message.text):
        return NoWakeReason.NOT_A_QUESTION
    mentioned = _mentioned(message)
    if mentioned is not None:
        return mentioned
    if message.by_bot:
        return NoWakeReason.BOT_NOT_ADDRESSING
    if message.muted:
        return NoWakeReason.MUTED
    if message.open_episode:
        return NoWakeReason.EPISODE_OPEN
    if message.direct:
        return WakeReason.DIRECT_MESSAGE
    if not message.in_thread:
        return WakeReason.LISTENING if listen is Listen.ALL else NoWakeReason.NOT_ADDRESSED
    return _in_thread(message, threads)


def _mentioned(message: WakeInput) -> WakeReason | None:
    if message.desk_mentioned:
        return WakeReason.DESK_MENTIONED
    if message.agent_mentioned:
        return WakeReason.AGENT_MENTIONED
    return WakeReason.BOT_MENTIONED if message.addressed else None


def _in_thread(message: WakeInput, threads: Threads) -> WakeReason | NoWakeReason:
    if threads is Threads.MENTION or not message.answered_user_id:
        return NoWakeReason.NOT_ADDRESSED
    if threads is Threads.ALL:
        return WakeReason.FOLLOW_UP
    if message.user_id == message.answered_user_id and message.alone_since:
        return WakeReason.FOLLOW_UP
    return NoWakeReason.NOT_THE_ASKER


def _pieces(text: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    for at, character in enumerate(text):
        if is_white_space(character):
            pieces.append(text[start:at])
            start = at + 1
    pieces.append(text[start:])
    return pieces


def _alphanumeric_runs(piece: str) -> list[str]:
    runs: list[str] = []
    run = ""
    for character in piece:
        if character.isalnum():
            run += character
            continue
        runs.append(run)
        run = ""
    runs.append(run)
    return runs
