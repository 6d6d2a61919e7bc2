"""Where do slash commands and shortcuts go, and how is their answer shown? Privately, in time.

Source: product.md 9, datapath.md 1, slack.md 4.
"""

from __future__ import annotations

import asyncio
from typing import Final, cast

from hivebot.adapters.slack.api import SlackApi
from hivebot.adapters.slack.blocks import render_into
from hivebot.adapters.slack.plain import plain
from hivebot.adapters.slack.text import canonical
from hivebot.errors import HivebotError
from hivebot.services.commanding import Commanding, Typed
from hivebot.services.explaining import Pointed, why
from hivebot.services.ports import NewOutbox, Policies, UnitOfWork
from hivebot.services.records.arrivals import MessageArrived, SpeakerKind, TextContext
from hivebot.services.records.commands import REPLIED
from hivebot.services.records.outgoing import Body, Destination, OutboxKind, SendFailure
from hivebot.telemetry import Event, get_logger

logger = get_logger(__name__)

ANSWER_WITHIN_S: Final = 2.0
"""Seconds an acknowledgement waits for the answer; Slack gives three."""

AWAY: Final = Body(
    text="Nothing was done: the database cannot be reached. Try it again in a minute."
)
LATER: Final = Body(text="This takes a moment; the answer comes here.")


class SlackVoice:
    """Posts a question somebody has typed after the command."""

    def __init__(self, api: SlackApi) -> None:
        self._api = api

    async def say(self, team_id: str, channel_id: str, text: str) -> str | SendFailure:
        """Post at the top level, with nothing in it that pings or unfurls."""
        args: dict[str, object] = {
            "channel": channel_id,
            "text": plain(text),
            "parse": "none",
            "link_names": False,
            "unfurl_links": False,
            "unfurl_media": False,
        }
        answer = await self._api.call(team_id, "chat.postMessage", args)
        if isinstance(answer, SendFailure):
            return answer
        return str(answer.data.get("ts") or "")


class Commands:
    """Reads what was typed or pointed at, and shows the answer to whoever did it."""

    def __init__(
        self,
        work: UnitOfWork,
        policies: Policies,
        commanding: Commanding,
        *,
        within_s: float = ANSWER_WITHIN_S,
    ) -> None:
        self._work = work
        self._policies = policies
        self._commanding = commanding
        self._within_s = within_s
        self._running: set[asyncio.Task[None]] = set()

    async def command(self, payload: dict[str, object], context: TextContext) -> dict[str, object]:
        """Carry out a slash command; what to acknowledge with.

        What takes longer than Slack waits goes on, and its answer comes as a message of its own.
        """
        typed = Typed(
            _text(payload, "team_id"),
            _text(payload, "channel_id"),
            _text(payload, "user_id"),
            canonical(_text(payload, "text"), context).text,
        )
        doing = asyncio.create_task(self._commanding.run(typed), name="command")
        done, _ = await asyncio.wait({doing}, timeout=self._within_s)
        if not done:
            later = asyncio.create_task(self._later(doing, typed), name="command later")
            self._running.add(later)
            later.add_done_callback(self._running.discard)
            return private(LATER)
        try:
            word, body = doing.result()
        except HivebotError as error:
            logger.warning(Event.REQUEST_FAILED, code=error.code)
            return private(AWAY)
        logger.info(Event.COMMANDED, command=word or "unknown")
        return private(body)

    async def reply(self, came: MessageArrived, typed: Typed) -> None:
        """Carry out a command that was said in a thread; its answer comes as a private message.

        The message is stored by then: what fails here is logged and not tried again.
        """
        place = Destination(typed.team_id, typed.channel_id, came.thread_ts, typed.user_id)
        try:
            word, body = await self._commanding.run(typed)
            await self._whisper(place, body)
        except HivebotError as error:
            logger.warning(Event.REQUEST_FAILED, code=error.code)
        else:
            logger.info(Event.COMMANDED, command=word)

    async def shortcut(self, payload: dict[str, object]) -> str:
        """Say why the agent whose message this is spoke; what was done.

        Raises:
            StoreUnavailableError: nothing was said.
        """
        team_id, user_id = _text(payload, "team", "id"), _text(payload, "user", "id")
        channel_id, message = _text(payload, "channel", "id"), payload.get("message")
        ts, thread_ts = _text(message, "ts"), _text(message, "thread_ts")
        if not (team_id and user_id and channel_id and ts):
            return "unknown"
        body = await why(self._work, self._policies, Pointed(team_id, channel_id, ts, thread_ts))
        place = Destination(team_id, channel_id, thread_ts, user_id)
        await self._whisper(place, body)
        return "told"

    async def _later(self, doing: asyncio.Task[tuple[str, Body]], typed: Typed) -> None:
        try:
            word, body = await doing
            place = Destination(typed.team_id, typed.channel_id, "", typed.user_id)
            await self._whisper(place, body)
        except HivebotError as error:
            logger.warning(Event.REQUEST_FAILED, code=error.code)
        else:
            logger.info(Event.COMMANDED, command=word or "unknown")

    async def _whisper(self, place: Destination, body: Body) -> None:
        async with self._work.begin() as tx:
            await tx.outbox.add(NewOutbox(OutboxKind.EPHEMERAL, place, body))
            await tx.jobs.deliver(place.team_id, place.channel_id)


def said_in_thread(came: MessageArrived) -> Typed | None:
    """The command that a person's reply is, said to the bot after its mention; else None.

    It is one only where nothing else is said: a longer sentence is a question to the desk, and
    `ask` is one in any case.
    """
    if not (came.thread_ts and came.addressed) or came.speaker.kind is not SpeakerKind.PERSON:
        return None
    said = came.text.split()
    words = [piece for piece in said if not piece.startswith("@")]
    takes = REPLIED.get(words[0].lower()) if words and len(said) - len(words) <= 1 else None
    if takes is None or len(words) != 1 + takes:
        return None
    return Typed(came.key.team_id, came.channel_id, came.speaker.user_id, " ".join(words))


def private(body: Body) -> dict[str, object]:
    """An answer that only whoever typed the command sees."""
    (part, *_) = render_into(body, 1, tag="command", named=False)
    return {"response_type": "ephemeral", "text": part.text, "blocks": list(part.blocks)}


def _text(value: object, *keys: str) -> str:
    for key in keys:
        if not isinstance(value, dict):
            return ""
        value = cast("dict[str, object]", value).get(key)
    return value if isinstance(value, str) else ""
