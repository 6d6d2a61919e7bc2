"""What becomes of something that arrives? It is stored once, numbered, and handed to `route`.

Everything here happens in one transaction and makes no call outside; Slack is acknowledged only
after the commit. Source: datapath.md 1 and 2, product.md 3 and 10.
"""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

from hivebot.hive.conversation import GENERAL_DESK, PersonAuthor, SystemAuthor, TranscriptAuthor
from hivebot.hive.scalars import is_white_space
from hivebot.services.ports import (
    Clock,
    NewMessage,
    Policies,
    StoreConflictError,
    Transaction,
    UnitOfWork,
)
from hivebot.services.records.arrivals import (
    Arrival,
    ChannelChanged,
    HomeOpened,
    Ignored,
    MembershipChanged,
    MessageArrived,
    MessageChanged,
    MessageDeleted,
    ReactionChanged,
    Speaker,
    SpeakerKind,
    WorkspaceGone,
)
from hivebot.services.records.policy import DeskConfig
from hivebot.services.records.rows import ConversationRow, MessageRole, MessageRow
from hivebot.services.threads import copy_of_root

ATTEMPTS = 3
"""Times a use case runs again on fresh rows after a conflict. Source: datapath.md 2."""

WORD_JOINER = "\u2060"
"""Put where a character would otherwise mark or name something; invisible to people."""


class Receipt(StrEnum):
    """What was done with an arrival; for the log line."""

    STORED = "stored"
    DUPLICATE_EVENT = "duplicate_event"
    DUPLICATE_MESSAGE = "duplicate_message"
    OWN_MESSAGE = "own_message"
    DELETED_BEFORE = "deleted_before"
    REVISED = "revised"
    REVISION_PENDING = "revision_pending"
    NOTED = "noted"
    IGNORED = "ignored"


class Intake:
    """Stores arrivals; deletions belong to erasure."""

    def __init__(self, work: UnitOfWork, policies: Policies, clock: Clock) -> None:
        self._work = work
        self._policies = policies
        self._clock = clock

    async def receive(self, arrival: Arrival, payload: dict[str, object]) -> Receipt:
        """Store one arrival, at most once by either key.

        Raises:
            StoreUnavailableError: nothing was written; do not acknowledge.
            StoreConflictError: three times running.
        """
        for attempt in range(1, ATTEMPTS + 1):
            try:
                async with self._work.begin() as tx:
                    return await self._receive(tx, arrival, payload)
            except StoreConflictError:
                if attempt == ATTEMPTS:
                    raise
        raise AssertionError  # pragma: no cover - the loop returns or raises

    async def _receive(
        self, tx: Transaction, arrival: Arrival, payload: dict[str, object]
    ) -> Receipt:
        if await tx.inbox.claim_event(arrival.key, payload) is None:
            return Receipt.DUPLICATE_EVENT
        match arrival:
            case MessageArrived():
                return await self._message(tx, arrival)
            case MessageChanged():
                return await self._changed(tx, arrival)
            case ChannelChanged():
                return await self._channel(tx, arrival)
            case MembershipChanged():
                return await self._membership(tx, arrival)
            case WorkspaceGone():
                await tx.workspaces.stop(arrival.key.team_id, arrival.reason)
                return Receipt.NOTED
            case MessageDeleted() | ReactionChanged() | HomeOpened() | Ignored():
                return Receipt.IGNORED
            case _:  # pragma: no cover - exhaustive
                assert_never(arrival)

    async def _message(self, tx: Transaction, arrival: MessageArrived) -> Receipt:
        team_id = arrival.key.team_id
        if arrival.speaker.kind is SpeakerKind.SELF:
            return await self._own(tx, arrival)
        if not await tx.inbox.claim_message(team_id, arrival.channel_id, arrival.ts):
            return Receipt.DUPLICATE_MESSAGE
        if await tx.inbox.is_tombstoned(team_id, arrival.channel_id, arrival.ts):
            return Receipt.DELETED_BEFORE
        text, addressed = arrival.text, arrival.addressed
        pending = await tx.inbox.pending_revision(team_id, arrival.channel_id, arrival.ts)
        if pending is not None:
            text, addressed = pending
        configuration = self._policies.current()
        desk = configuration.desk_of_channel(arrival.channel_id)
        channel = await tx.conversations.ensure(
            team_id,
            arrival.channel_id,
            "",
            desk_id=_desk_id(arrival, desk),
            audience=arrival.audience,
            root_seq=None,
        )
        conversation = channel
        if arrival.thread_ts:
            conversation = await self._thread(tx, channel, arrival)
        else:
            await tx.conversations.lock([channel.id])
        await tx.messages.append(
            NewMessage(
                conversation_id=conversation.id,
                role=MessageRole.SPEECH,
                author=_author(arrival.speaker),
                content=_content(arrival, text, desk),
                ts=arrival.ts,
                user_id=arrival.speaker.user_id or arrival.speaker.bot_id,
                user_team_id=arrival.speaker.team_id,
                addressed=addressed,
                wakes=_may_wake(arrival.speaker, desk),
                judged=not _may_wake(arrival.speaker, desk),
                files=arrival.files,
            )
        )
        await tx.jobs.route(conversation.id)
        return Receipt.STORED

    async def _own(self, tx: Transaction, arrival: MessageArrived) -> Receipt:
        """Our own post has come back: what a lost answer left behind is found by it."""
        await tx.inbox.claim_message(arrival.key.team_id, arrival.channel_id, arrival.ts)
        row = await tx.outbox.get(arrival.outbox_id) if arrival.outbox_id else None
        if row is not None and row.destination.channel_id == arrival.channel_id:
            await tx.outbox.seen(row.id, arrival.outbox_part, arrival.ts)
        return Receipt.OWN_MESSAGE

    async def _thread(
        self, tx: Transaction, channel: ConversationRow, arrival: MessageArrived
    ) -> ConversationRow:
        """The thread a reply belongs to, opened with a copy of its root as row 1."""
        team_id, thread_ts = channel.team_id, arrival.thread_ts
        await tx.conversations.lock([channel.id])
        found = await tx.conversations.find(team_id, channel.channel_id, thread_ts)
        if found is None:
            root = await self._root(tx, channel, thread_ts)
            found = await tx.conversations.ensure(
                team_id,
                channel.channel_id,
                thread_ts,
                desk_id=channel.desk_id,
                audience=arrival.audience,
                root_seq=root.seq,
            )
            await tx.conversations.lock([found.id])
            await tx.messages.append(copy_of_root(found.id, root))
        else:
            await tx.conversations.lock([found.id])
        return found

    async def _root(self, tx: Transaction, channel: ConversationRow, thread_ts: str) -> MessageRow:
        rows = await tx.messages.find(channel.team_id, channel.channel_id, thread_ts)
        stored = next((row for row in rows if row.conversation_id == channel.id), None)
        if stored is not None:
            return stored
        await tx.inbox.claim_message(channel.team_id, channel.channel_id, thread_ts)
        return await tx.messages.append(
            NewMessage(
                conversation_id=channel.id,
                role=MessageRole.BACKFILLED,
                author=SystemAuthor("message", "an earlier message"),
                content="",
                ts=thread_ts,
                judged=True,
            )
        )

    async def _changed(self, tx: Transaction, arrival: MessageChanged) -> Receipt:
        team_id = arrival.key.team_id
        rows = await tx.messages.find(team_id, arrival.channel_id, arrival.ts)
        desk = self._policies.current().desk_of_channel(arrival.channel_id)
        text = _marks_inert(arrival.text, arrival.speaker, desk)
        if not rows:
            await tx.inbox.pend_revision(
                team_id, arrival.channel_id, arrival.ts, text, addressed=arrival.addressed
            )
            return Receipt.REVISION_PENDING
        await tx.conversations.lock([row.conversation_id for row in rows])
        for row in rows:
            if row.deleted_at is None and row.content != text:
                await tx.messages.revise(
                    row.id, text, addressed=arrival.addressed, at=self._clock.now()
                )
        return Receipt.REVISED

    async def _channel(self, tx: Transaction, arrival: ChannelChanged) -> Receipt:
        team_id, channel_id = arrival.key.team_id, arrival.channel_id
        match arrival.change:
            case "archived" | "deleted" | "shared":
                await tx.workspaces.pause_channel(
                    team_id, channel_id, f"the channel was {arrival.change}"
                )
            case "unarchived" | "unshared":
                await tx.workspaces.pause_channel(team_id, channel_id, "")
                await tx.jobs.deliver(team_id, channel_id)
            case "id_changed":
                await tx.workspaces.move_channel(team_id, channel_id, arrival.new)
            case "renamed":
                pass  # the binding is by id
        return Receipt.NOTED

    async def _membership(self, tx: Transaction, arrival: MembershipChanged) -> Receipt:
        workspace = await tx.workspaces.get(arrival.key.team_id)
        if workspace is None or workspace.bot_user_id != arrival.user_id:
            return Receipt.IGNORED
        reason = "" if arrival.joined else "the bot was removed from the channel"
        await tx.workspaces.pause_channel(arrival.key.team_id, arrival.channel_id, reason)
        if arrival.joined:
            await tx.jobs.deliver(arrival.key.team_id, arrival.channel_id)
        return Receipt.NOTED


def _desk_id(arrival: MessageArrived, desk: DeskConfig | None) -> str:
    if desk is not None:
        return desk.id
    if arrival.channel_id.startswith("D"):
        return f"dm:{arrival.speaker.user_id}"
    return GENERAL_DESK


def _author(speaker: Speaker) -> TranscriptAuthor:
    if speaker.kind is SpeakerKind.PERSON:
        return PersonAuthor(speaker.user_id, "")
    return SystemAuthor(speaker.kind.value, speaker.label)


def _may_wake(speaker: Speaker, desk: DeskConfig | None) -> bool:
    if speaker.kind is SpeakerKind.PERSON:
        return True
    return speaker.kind is SpeakerKind.BOT and desk is not None and speaker.bot_id in desk.bots


def _content(arrival: MessageArrived, text: str, desk: DeskConfig | None) -> str:
    body = _marks_inert(text or arrival.fallback, arrival.speaker, desk)
    if not arrival.files:
        return body
    names = ", ".join(name.replace("@", f"@{WORD_JOINER}") for name in arrival.files)
    return f"{body}\n[files: {names}]".strip("\n")


def _marks_inert(text: str, speaker: Speaker, desk: DeskConfig | None) -> str:
    """Text whose lines deposit nothing, unless its writer is listed in `may_mark`."""
    if desk is not None and speaker.user_id and speaker.user_id in desk.may_mark:
        return text
    return inert_marks(text)


def inert_marks(text: str) -> str:
    """The same words, none of whose lines is read as a trace. Source: turns.md 4."""
    return "\n".join(_inert_line(line) for line in text.split("\n"))


def _inert_line(line: str) -> str:
    at = next((n for n, character in enumerate(line) if not is_white_space(character)), len(line))
    return f"{line[:at]}{WORD_JOINER}{line[at:]}" if line[at : at + 1] == "!" else line
