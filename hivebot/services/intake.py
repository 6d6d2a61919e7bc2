"""What becomes of something that arrives? It is stored once, numbered, and handed to `route`.

Everything here happens in one transaction and makes no call outside; Slack is acknowledged only
after the commit. Source: datapath.md 1 and 2, product.md 3 and 10.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from functools import partial
from typing import assert_never

from hivebot.hive.conversation import GENERAL_DESK, PersonAuthor, SystemAuthor, TranscriptAuthor
from hivebot.hive.gate import GateKind, GateState
from hivebot.services.gathering import Gathering
from hivebot.services.inert import inert_label, inert_marks
from hivebot.services.ports import (
    Clock,
    NewArrival,
    NewMessage,
    Policies,
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
from hivebot.services.records.outgoing import Destination
from hivebot.services.records.policy import DeskConfig
from hivebot.services.records.rows import ConversationRow, MessageRole, MessageRow
from hivebot.services.retrying import transact
from hivebot.services.threads import copy_of_root, locked_showing


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
        self._gathering = Gathering(work)

    async def receive(
        self, arrival: Arrival, payload: dict[str, object], *, heard: bool = False
    ) -> Receipt:
        """Store one arrival, at most once by either key.

        Plain messages are stored together with others that come at the same time; whatever is
        unusual about one is found out by itself.

        Args:
            arrival: What came.
            payload: The event as it came.
            heard: It was said to a gate, which has taken it: it asks nobody else.

        Raises:
            StoreUnavailableError: nothing was written; do not acknowledge.
            StoreConflictError: three times running.
        """
        if not heard and isinstance(arrival, MessageArrived) and _plain(arrival):
            desk = self._policies.current().desk_of_channel(arrival.channel_id)
            if await self._gathering.take(_new(arrival, payload, desk)):
                return Receipt.STORED
        return await transact(
            self._work, partial(self._receive, arrival=arrival, payload=payload, heard=heard)
        )

    async def _receive(
        self, tx: Transaction, *, arrival: Arrival, payload: dict[str, object], heard: bool
    ) -> Receipt:
        if await tx.inbox.claim_event(arrival.key, _kept(arrival, payload)) is None:
            return Receipt.DUPLICATE_EVENT
        match arrival:
            case MessageArrived():
                return await self._message(tx, arrival, heard=heard)
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

    async def _message(self, tx: Transaction, arrival: MessageArrived, *, heard: bool) -> Receipt:
        if arrival.speaker.kind is SpeakerKind.SELF:
            return await self._own(tx, arrival)
        if await self._gone(tx, arrival):
            return Receipt.DELETED_BEFORE
        team_id, channel_id, ts = arrival.key.team_id, arrival.channel_id, arrival.ts
        if not await tx.inbox.claim_message(team_id, channel_id, ts):
            return Receipt.DUPLICATE_MESSAGE if heard else await self._again(tx, arrival)
        arrival = await self._as_edited(tx, arrival)
        desk = self._policies.current().desk_of_channel(channel_id)
        channel = await tx.conversations.ensure(
            team_id,
            channel_id,
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
        new = _row(conversation.id, arrival, desk)
        await self._store(tx, replace(new, judged=True) if heard else new)
        await tx.jobs.route(conversation.id)
        return Receipt.STORED

    async def _gone(self, tx: Transaction, arrival: MessageArrived | MessageChanged) -> bool:
        """Whether its author has removed it already; then nothing of it is kept."""
        team_id, channel_id, ts = arrival.key.team_id, arrival.channel_id, arrival.ts
        await tx.inbox.lock_message(team_id, channel_id, ts)
        if not await tx.inbox.is_tombstoned(team_id, channel_id, ts):
            return False
        await tx.inbox.erase_payloads(team_id, channel_id, ts)
        return True

    async def _as_edited(self, tx: Transaction, arrival: MessageArrived) -> MessageArrived:
        """The message as an edit that came before it left it."""
        pending = await tx.inbox.pending_revision(
            arrival.key.team_id, arrival.channel_id, arrival.ts
        )
        if pending is None:
            return arrival
        text, addressed = pending
        return replace(arrival, text=text, addressed=addressed)

    async def _store(self, tx: Transaction, new: NewMessage) -> None:
        """Append it; a root that comes after its replies takes the rows that stand for it.

        Where an edit of it came between, they keep the words of the edit.
        """
        place = await tx.conversations.get(new.conversation_id)
        standing: tuple[MessageRow, ...] = ()
        if place is not None and not place.thread_ts:
            standing = await locked_showing(tx, place.team_id, place.channel_id, new.ts)
        for row in standing:
            edited = replace(new, content=row.content, addressed=row.addressed)
            await tx.messages.adopt(row.id, new if row.revision == 1 else edited)
        if not standing:
            await tx.messages.append(new)

    async def _again(self, tx: Transaction, arrival: MessageArrived) -> Receipt:
        """The twin of a stored message: all it can add is that the bot was mentioned.

        Where that was not known and nothing has come of the message yet, it is judged anew.
        """
        if not arrival.addressed:
            return Receipt.DUPLICATE_MESSAGE
        team_id = arrival.key.team_id
        for row in await locked_showing(tx, team_id, arrival.channel_id, arrival.ts):
            if row.addressed:
                continue
            served = bool(await tx.turns.for_message(row.id) or await tx.messages.copies(row.id))
            await tx.messages.address(row.id, judged=row.judged and (served or not row.wakes))
            await tx.jobs.route(row.conversation_id)
        return Receipt.DUPLICATE_MESSAGE

    async def _own(self, tx: Transaction, arrival: MessageArrived) -> Receipt:
        """Our own post has come back: what a lost answer left behind is found by it."""
        await tx.inbox.claim_message(arrival.key.team_id, arrival.channel_id, arrival.ts)
        row = await tx.outbox.get(arrival.outbox_id) if arrival.outbox_id else None
        if row is not None and _same_place(row.destination, arrival):
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
        """The root as stored, or a row that stands for it; its own message may still come."""
        rows = await tx.messages.find(channel.team_id, channel.channel_id, thread_ts)
        stored = next((row for row in rows if row.conversation_id == channel.id), None)
        if stored is not None:
            return stored
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
        if await self._gone(tx, arrival):
            return Receipt.DELETED_BEFORE
        team_id, channel_id, ts = arrival.key.team_id, arrival.channel_id, arrival.ts
        desk = self._policies.current().desk_of_channel(channel_id)
        text = _marks_inert(arrival.text, arrival.speaker, desk)
        rows = await locked_showing(tx, team_id, channel_id, ts)
        if not rows:
            await tx.inbox.pend_revision(team_id, channel_id, ts, text, addressed=arrival.addressed)
            return Receipt.REVISION_PENDING
        for row in rows:
            content = _with_files(text, row.files)
            if row.content != content:
                await tx.messages.revise(
                    row.id, content, addressed=arrival.addressed, at=self._clock.now()
                )
                await self._ask_again(tx, row)
        return Receipt.REVISED

    async def _ask_again(self, tx: Transaction, row: MessageRow) -> None:
        """A question that waits for a steward has changed: its gate is void, and judged anew."""
        for gate in await tx.gates.for_message(row.id):
            if gate.kind is GateKind.REFERRAL_REVIEW and await tx.gates.end(
                gate.id, GateState.VOID, self._clock.now()
            ):
                await tx.jobs.settle_gate(gate.id, gate.desk_id)

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
                await tx.jobs.deliver(team_id, arrival.new)
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


def _plain(arrival: MessageArrived) -> bool:
    """Whether somebody else wrote it outside threads."""
    return not arrival.thread_ts and arrival.speaker.kind is not SpeakerKind.SELF


def _new(
    arrival: MessageArrived, payload: dict[str, object], desk: DeskConfig | None
) -> NewArrival:
    return NewArrival(
        key=arrival.key,
        payload=payload,
        team_id=arrival.key.team_id,
        channel_id=arrival.channel_id,
        desk_id=_desk_id(arrival, desk),
        audience=arrival.audience,
        message=_row(0, arrival, desk),
    )


def _row(conversation_id: int, arrival: MessageArrived, desk: DeskConfig | None) -> NewMessage:
    speaker = arrival.speaker
    wakes = _may_wake(speaker, desk)
    text = arrival.text if arrival.text.strip() else arrival.fallback
    return NewMessage(
        conversation_id=conversation_id,
        role=MessageRole.SPEECH,
        author=_author(speaker),
        content=_with_files(_marks_inert(text, speaker, desk), arrival.files),
        ts=arrival.ts,
        user_id=speaker.user_id or speaker.bot_id,
        user_team_id=speaker.team_id,
        addressed=arrival.addressed,
        wakes=wakes,
        judged=not wakes,
        files=arrival.files,
    )


def _with_files(text: str, files: tuple[str, ...]) -> str:
    """The words and, on a line of their own, the names of the files, which call nobody."""
    if not files:
        return text
    names = ", ".join(inert_label(name) for name in files)
    return f"{text}\n[files: {names}]".strip("\n")


def _marks_inert(text: str, speaker: Speaker, desk: DeskConfig | None) -> str:
    """Text whose lines deposit nothing, unless its writer is listed in `may_mark`. turns.md 4."""
    if desk is not None and speaker.user_id and speaker.user_id in desk.may_mark:
        return text
    return inert_marks(text)


def _same_place(wanted: Destination, arrival: MessageArrived) -> bool:
    """Whether the post came back from where it was sent; to a person is to their channel."""
    if wanted.team_id != arrival.key.team_id:
        return False
    if wanted.channel_id[:1] in {"U", "W"}:
        return arrival.channel_id.startswith("D")
    return wanted.channel_id == arrival.channel_id


def _kept(arrival: Arrival, payload: dict[str, object]) -> dict[str, object]:
    """What is stored of an event: nothing of our own posts, which the outbox holds.

    Nor of what is ignored: copies of a text that nobody would find when the text is erased.
    """
    match arrival:
        case Ignored(reason=reason):
            return {"ignored": reason}
        case MessageArrived(speaker=Speaker(kind=SpeakerKind.SELF)):
            return {"ignored": "own_message"}
        case _:
            return payload
