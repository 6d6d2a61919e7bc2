"""What stands in the workspace's channels, and why? Read back over HTTP and from the decisions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from hivebot.adapters.slack.api import SlackApi
from hivebot.adapters.slack.text import decode
from hivebot.entrypoints.demo.stage import StageError
from hivebot.hive.transcript import author_name
from hivebot.services.ports import UnitOfWork
from hivebot.services.records.outgoing import SendFailure
from hivebot.services.records.rows import DecisionRow

_INSIDE = ("step", "outcome")
"""Folds whose decisions belong to a deliberation and are told with it."""

_USER = re.compile(r"<@[A-Z0-9]+>")
_CHANNEL = re.compile(r"<#[A-Z0-9]+\|([^>]+)>")
_LINK = re.compile(r"<(https?://[^|>]+)(?:\|([^>]*))?>")


@dataclass(frozen=True, slots=True)
class Said:
    """One message as a member of the channel reads it.

    Attributes:
        speaker: The name above it.
        agent: It stands under an agent's name.
        text: The fallback text, which notifications and screen readers use.
        why: Why it was said, from the recorded decisions; () for none.
    """

    channel: str
    ts: str
    thread_ts: str
    speaker: str
    agent: bool
    text: str
    why: tuple[str, ...] = ()


async def read_back(slack: SlackApi, channels: Sequence[str], since: str) -> dict[str, list[Said]]:
    """Every message after `since`, oldest first, each followed by its thread."""
    names: dict[str, str] = {}
    found: dict[str, list[Said]] = {}
    for channel in channels:
        history = await _asked(
            slack, "conversations.history", channel=channel, oldest=since, limit=100
        )
        rows: list[Said] = []
        for message in reversed(_rows(history.get("messages"))):
            rows.append(await _said(slack, names, channel, message, ""))
            if message.get("reply_count"):
                replies = await _asked(
                    slack, "conversations.replies", channel=channel, ts=message["ts"], limit=100
                )
                rows += [
                    await _said(slack, names, channel, reply, str(message["ts"]))
                    for reply in _rows(replies.get("messages"))[1:]
                ]
        found[channel] = rows
    return found


async def _said(
    slack: SlackApi,
    names: dict[str, str],
    channel: str,
    message: Mapping[str, object],
    thread_ts: str,
) -> Said:
    persona = str(message.get("username") or "")
    user_id = str(message.get("user") or "")
    if not persona and user_id not in names:
        profile = await _asked(slack, "users.info", user=user_id)
        user = cast("dict[str, object]", profile.get("user") or {})
        names[user_id] = str(user.get("real_name") or user.get("name") or user_id)
    return Said(
        channel=channel,
        ts=str(message["ts"]),
        thread_ts=thread_ts,
        speaker=persona or names[user_id],
        agent=bool(persona),
        text=readable(str(message.get("text") or "")),
    )


def readable(text: str) -> str:
    """Slack's text as a person sees it: tokens as names, entities decoded, stars gone."""
    named = _USER.sub("@hive", text)
    bare = _LINK.sub(lambda link: link[2] or link[1], _CHANNEL.sub(r"#\1", named))
    return decode(bare.replace("*", ""))


async def _asked(slack: SlackApi, method: str, **args: object) -> Mapping[str, object]:
    answer = await slack.call("", method, args)
    if isinstance(answer, SendFailure):
        raise StageError(f"{method} answered {answer.code}")
    return answer.data


def _rows(value: object) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", value) if isinstance(value, list) else []


async def reasons(work: UnitOfWork, team_id: str, said: Said) -> tuple[str, ...]:
    """Why this message led to what came next, from the decisions recorded about its rows."""
    async with work.begin() as tx:
        rows = await tx.messages.find(team_id, said.channel, said.ts)
        decided = [
            one
            for row in rows
            for one in await tx.decisions.for_message(row.id)
            if one.fold not in _INSIDE
        ]
    return tuple(dict.fromkeys(in_words(decision) for decision in decided))


@dataclass(frozen=True, slots=True)
class Debated:
    """One turn of a deliberation: who had the floor, why, and what they said."""

    speaker: str
    why: str
    text: str


async def debate(work: UnitOfWork, team_id: str, channel: str, ts: str) -> tuple[Debated, ...]:
    """The turns of the newest deliberation in a thread, in order; () for none."""
    async with work.begin() as tx:
        thread = await tx.conversations.find(team_id, channel, ts)
        episodes = await tx.episodes.in_thread(thread.id) if thread is not None else ()
        if not episodes:
            return ()
        rows = await tx.messages.since(episodes[-1].log_id, 0)
        turns = [await tx.turns.get(row.turn_id) for row in rows if row.turn_id is not None]
    why = {turn.id: turn.reason for turn in turns if turn is not None}
    return tuple(
        Debated(author_name(row.author), why.get(row.turn_id, ""), row.shown or row.content)
        for row in rows
        if row.turn_id is not None
    )


def in_words(decision: DecisionRow) -> str:
    """One decision in words a person understands, with its reference."""
    reference = f"D{decision.id}"
    match (decision.fold, decision.reason):
        case ("referral", "forward"):
            return f"it names another desk: the question crosses, asked once ({reference})"
        case ("referral", "return"):
            return f"it answers a far question: the answer goes home ({reference})"
        case ("responder", "deliberate"):
            return f"it is the desk's to decide: its members deliberate ({reference})"
        case ("responder", _):
            plan = cast("dict[str, object]", decision.result.get("decision") or {})
            who = plan.get("responder_id", "nobody")
            rung = str(plan.get("rung", decision.reason)).replace("_", " ")
            return f"{who} answers: {rung} ({reference})"
        case (fold, reason):
            return f"{fold}: {reason.replace('_', ' ')} ({reference})"
