"""What do the use cases need from outside? Protocols only; adapters fulfil them.

One unit of work is one transaction. Every method that appends or numbers rows expects the
conversation locked (`lock_conversations`) in the same unit of work. Source: datapath.md 2 to 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Protocol

from hivebot.errors import HivebotError
from hivebot.hive.conversation import TranscriptAuthor
from hivebot.hive.episode import EpisodeState
from hivebot.hive.gate import GateAct, GateState
from hivebot.hive.mention import Mention
from hivebot.hive.options import Option
from hivebot.hive.trace import Trace
from hivebot.services.memory_ports import Memories
from hivebot.services.operating_ports import Operating
from hivebot.services.people_ports import People
from hivebot.services.records.arrivals import Audience, EventKey
from hivebot.services.records.asking import RenderedTurn, ReplyFailure, TurnReply, TurnRequest
from hivebot.services.records.episodes import EpisodeEnd, EpisodeRow, EpisodeStage, Wish
from hivebot.services.records.gates import GateRow, NewGate
from hivebot.services.records.outgoing import (
    Body,
    Destination,
    OutboxKind,
    OutboxState,
    SendFailure,
    SendResult,
)
from hivebot.services.records.policy import Configuration
from hivebot.services.records.replies import Reply
from hivebot.services.records.rows import (
    ConversationRow,
    DecisionRow,
    MessageRole,
    MessageRow,
    OutboxRow,
    ReferralRow,
    ReferralState,
    TurnKind,
    TurnRow,
    TurnState,
    WorkspaceRow,
)


class PortError(HivebotError):
    """An outside system failed in a way the caller cannot mend."""

    code: ClassVar[str] = "port"


class StoreUnavailableError(PortError):
    """The database cannot be reached; nothing was written and nothing may be acknowledged."""

    code: ClassVar[str] = "store_unavailable"


class StoreConflictError(PortError):
    """A serialisation failure or deadlock: run the whole use case again on fresh rows."""

    code: ClassVar[str] = "store_conflict"


class Clock(Protocol):
    """The only source of now."""

    def now(self) -> datetime:
        """The current moment, aware, in UTC."""
        ...


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A row to append; the repository draws its sequence."""

    conversation_id: int
    role: MessageRole
    author: TranscriptAuthor
    content: str
    ts: str = ""
    user_id: str = ""
    user_team_id: str = ""
    shown: str = ""
    addressed: bool = False
    wakes: bool = False
    mentions: tuple[Mention, ...] | None = None
    traces: tuple[Trace, ...] = ()
    turn_id: int | None = None
    referral_id: int | None = None
    copy_of: int | None = None
    judged: bool = False
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NewArrival:
    """A message at a channel's top level as it comes in, with the event that brought it.

    Attributes:
        payload: The event as it is kept.
        team_id: The installation's team.
        desk_id, audience: Of the channel, which follows the latest event.
        message: Its row; the conversation is the channel's, whatever it says.
    """

    key: EventKey
    payload: dict[str, object]
    team_id: str
    channel_id: str
    desk_id: str
    audience: Audience
    message: NewMessage


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A turn to authorise, or to let wait."""

    conversation_id: int
    kind: TurnKind
    agent_id: str
    state: TurnState
    trigger_id: int
    question_id: int
    asker_user_id: str
    hop: int
    revision: str
    decision_id: int | None = None
    referral_id: int | None = None
    episode_id: int | None = None
    notes: tuple[str, ...] = ()
    progress_id: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NewReferral:
    """A question that crosses. The key is (`from_conversation_id`, `trigger_seq`)."""

    from_conversation_id: int
    trigger_seq: int
    to_conversation_id: int
    from_desk_id: str
    to_desk_id: str
    asker_id: str
    target_id: str
    person_user_id: str
    question_id: int
    hop: int
    visited: tuple[str, ...]
    reference: str
    revision: str
    answer_due_at: datetime
    ends_at: datetime
    state: ReferralState = ReferralState.ASKED


@dataclass(frozen=True, slots=True)
class NewOutbox:
    """A wanted message."""

    kind: OutboxKind
    destination: Destination
    body: Body
    message_id: int | None = None
    turn_id: int | None = None
    thread_of: int | None = None
    target_id: int | None = None
    needs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class NewDecision:
    """A decision to record."""

    conversation_id: int
    message_id: int
    fold: str
    input: dict[str, object]
    result: dict[str, object]
    reason: str
    revision: str
    next_state: dict[str, object] | None = None


@dataclass(frozen=True, slots=True)
class NewEpisode:
    """A deliberation to begin, in stage `opened`."""

    conversation_id: int
    log_id: int
    desk_id: str
    question_id: int
    asker_user_id: str
    revision: str
    progress_id: int
    reserved_tokens: int
    reserved_usd_micros: int
    created_at: datetime
    consult_due_at: datetime
    deadline_at: datetime


class Inbox(Protocol):
    """The two de-duplication keys and the raw payloads."""

    async def claim_event(self, key: EventKey, payload: dict[str, object]) -> int | None:
        """Store the event; None when (team, event id) was seen before."""
        ...

    async def has_event(self, key: EventKey) -> bool:
        """Whether (team, event id) was seen before."""
        ...

    async def take(self, arrivals: Sequence[NewArrival]) -> tuple[int | None, ...]:
        """Store events and messages at once, where nothing else is known of the message.

        Every message is locked as by `lock_message` and every channel as by `lock`. Of an event
        that was seen before, and of a message that was taken, deleted or edited before or that a
        row stands for, nothing is written; nor of the second of two that are the same message.

        Returns:
            For each, the id of its channel's conversation; None where nothing of it was written.

        Raises:
            StoreConflictError: one of them is being taken elsewhere at this moment.
        """
        ...

    async def lock_message(self, team_id: str, channel_id: str, ts: str) -> None:
        """Keep all other news of this message waiting until the transaction ends.

        Comes before any look at its rows: its arrival, edits and deletion may come at once.
        """
        ...

    async def claim_message(self, team_id: str, channel_id: str, ts: str) -> bool:
        """Take the second key; False when this message was taken before."""
        ...

    async def tombstone(self, team_id: str, channel_id: str, ts: str, at: datetime) -> None:
        """Remember that a message was deleted, whether we saw it or not."""
        ...

    async def is_tombstoned(self, team_id: str, channel_id: str, ts: str) -> bool:
        """Whether the message was deleted."""
        ...

    async def pend_revision(
        self, team_id: str, channel_id: str, ts: str, text: str, *, addressed: bool
    ) -> None:
        """Remember an edit of a message we never saw."""
        ...

    async def pending_revision(
        self, team_id: str, channel_id: str, ts: str
    ) -> tuple[str, bool] | None:
        """Text and flag of an edit that came before the message."""
        ...

    async def erase_payloads(self, team_id: str, channel_id: str, ts: str) -> None:
        """Blank the stored payloads of every event about this message."""
        ...

    async def purge(self, before: datetime) -> int:
        """Blank payloads older than `before`; the keys stay. Returns the number of rows."""
        ...


class Conversations(Protocol):
    """Channels and threads."""

    async def get(self, conversation_id: int) -> ConversationRow | None:
        """One row by id."""
        ...

    async def find(self, team_id: str, channel_id: str, thread_ts: str) -> ConversationRow | None:
        """One row by its place; `thread_ts` "" is the channel itself."""
        ...

    async def ensure(
        self,
        team_id: str,
        channel_id: str,
        thread_ts: str,
        *,
        desk_id: str,
        audience: Audience,
        root_seq: int | None,
    ) -> ConversationRow:
        """The row for this place, made if absent; an existing row keeps its root and numbers."""
        ...

    async def open_log(self, thread_id: int) -> ConversationRow:
        """A new conversation beside a thread: the log of its next episode, locked.

        The thread must be locked.
        """
        ...

    async def lock(self, conversation_ids: Sequence[int]) -> tuple[ConversationRow, ...]:
        """Lock rows in id order, whatever order is given; returns them in id order."""
        ...

    async def set_answered(self, conversation_id: int, user_id: str) -> None:
        """Note who was answered last."""
        ...

    async def set_muted(self, conversation_id: int, *, muted: bool) -> None:
        """Mute or wake the conversation."""
        ...


class Messages(Protocol):
    """Transcript rows."""

    async def append(self, new: NewMessage) -> MessageRow:
        """Append under the conversation's lock; draws the next sequence."""
        ...

    async def get(self, message_id: int) -> MessageRow | None:
        """One row by id."""
        ...

    async def find(self, team_id: str, channel_id: str, ts: str) -> tuple[MessageRow, ...]:
        """Rows (channel row and thread copies) that show this Slack message."""
        ...

    async def by_turn(self, turn_id: int) -> MessageRow | None:
        """The committed row of a turn."""
        ...

    async def window(
        self, conversation_id: int, limit: int, before: int | None = None
    ) -> tuple[MessageRow, ...]:
        """The newest `limit` rows below `before`, newest first; deleted and backfilled included."""
        ...

    async def since(self, conversation_id: int, seq: int) -> tuple[MessageRow, ...]:
        """Rows above `seq`, oldest first."""
        ...

    async def unjudged(self, conversation_id: int) -> tuple[MessageRow, ...]:
        """Rows `route` has not decided about, oldest first."""
        ...

    async def mark_judged(self, message_id: int, *, judged: bool = True) -> None:
        """`route` has decided about this row, or has to decide again."""
        ...

    async def revise(
        self, message_id: int, content: str, *, addressed: bool, at: datetime
    ) -> MessageRow:
        """Keep the old text as a revision and set the new one."""
        ...

    async def erase(self, message_id: int, at: datetime) -> None:
        """Tombstone: blank the text, its revisions, mentions and traces; the number stays."""
        ...

    async def at_revision(self, message_id: int, revision: int) -> str | None:
        """The text a row had in one of its revisions; None when that is not kept."""
        ...

    async def copies(self, message_id: int) -> tuple[MessageRow, ...]:
        """Rows made from this one, transitively."""
        ...

    async def fill(self, message_id: int, content: str) -> None:
        """Give a backfilled root's copy the text Slack has for it; no new revision."""
        ...

    async def adopt(self, message_id: int, new: NewMessage) -> None:
        """Let a message that came late take the row that stood for it; the number stays."""
        ...

    async def address(self, message_id: int, *, judged: bool) -> None:
        """The bot was mentioned in it after all; not `judged`, `route` decides anew."""
        ...

    async def set_ts(self, message_id: int, ts: str) -> None:
        """Record the ts of the post that shows the row."""
        ...


class Turns(Protocol):
    """Authorised speeches."""

    async def add(self, new: NewTurn) -> TurnRow:
        """Store a turn; a second open one in a conversation raises StoreConflictError."""
        ...

    async def get(self, turn_id: int) -> TurnRow | None:
        """One row by id."""
        ...

    async def open_turn(self, conversation_id: int) -> TurnRow | None:
        """The one open turn of the conversation."""
        ...

    async def waiting(self, conversation_id: int) -> tuple[TurnRow, ...]:
        """Waiting turns in order of arrival."""
        ...

    async def authorise(self, turn_id: int, decision_id: int | None) -> TurnRow:
        """Open a waiting turn."""
        ...

    async def claim(self, turn_id: int) -> TurnRow | None:
        """Take an authorised or running turn: attempt + 1, state running; None otherwise."""
        ...

    async def give_back(self, turn_id: int, attempt: int) -> None:
        """Undo a claim that still holds: the turn is authorised again and has cost no attempt."""
        ...

    async def choose(self, turn_id: int, attempt: int, agent_id: str, reason: str) -> bool:
        """Set who speaks, once a selector has picked; False when another attempt runs."""
        ...

    async def hold(self, turn_id: int, attempt: int, reply: TurnReply) -> bool:
        """Keep a running turn open with its reply as a draft; False: another attempt runs."""
        ...

    async def release(self, turn_id: int) -> bool:
        """Close a held turn as committed; False when it is not held."""
        ...

    async def commit(
        self,
        turn_id: int,
        attempt: int,
        reply: TurnReply | ReplyFailure,
        reason: str = "",
    ) -> bool:
        """Close as committed if running under this attempt; False: the loser writes nothing.

        A failure is stored with the shape `failed` and, in words for people, its `reason`; an empty
        reason keeps the turn's own.
        """
        ...

    async def close(self, turn_id: int, state: TurnState, reason: str) -> bool:
        """End as failed or cancelled unless already closed; a draft that was held is gone."""
        ...

    async def latest(self, conversation_id: int, kind: TurnKind) -> TurnRow | None:
        """The newest turn of a kind in a conversation."""
        ...

    async def replies(self, conversation_id: int) -> dict[int, Reply | None]:
        """What each committed turn of a conversation consisted of, by turn id."""
        ...

    async def for_message(self, message_id: int) -> tuple[TurnRow, ...]:
        """Turns triggered by, or serving, this row."""
        ...

    async def stale(self, before: datetime) -> tuple[TurnRow, ...]:
        """Open turns nobody has touched since `before`."""
        ...

    async def touch(self, turn_id: int) -> None:
        """Somebody sees to it now; it is not stale for a while."""
        ...


class Referrals(Protocol):
    """Questions on their way."""

    async def add(self, new: NewReferral) -> ReferralRow | None:
        """Store; None when the key is taken ("already")."""
        ...

    async def get(self, referral_id: int) -> ReferralRow | None:
        """One row by id."""
        ...

    async def lock(self, referral_id: int) -> ReferralRow:
        """Lock and read one row."""
        ...

    async def link(
        self, referral_id: int, *, status_id: int | None = None, post_id: int | None = None
    ) -> None:
        """Record the outbox rows of the status line and of the question's post."""
        ...

    async def end(
        self,
        referral_id: int,
        state: ReferralState,
        reason: str,
        *,
        answer_id: int | None = None,
        late: bool = False,
    ) -> bool:
        """Move an open referral to its end; False when it has ended before."""
        ...

    async def late_answer(self, referral_id: int, answer_id: int) -> None:
        """Record an answer that came after the end."""
        ...

    async def nudge(self, referral_id: int) -> None:
        """The status line has said that no answer has come yet."""
        ...

    async def for_question(self, message_id: int) -> tuple[ReferralRow, ...]:
        """Referrals that serve this person's message."""
        ...

    async def open_from(self, conversation_id: int) -> tuple[ReferralRow, ...]:
        """Open referrals that a conversation has asked."""
        ...

    async def count_since(self, from_desk_id: str, to_desk_id: str, since: datetime) -> int:
        """Questions between two desks since a moment."""
        ...

    async def due(self, now: datetime) -> tuple[ReferralRow, ...]:
        """Open referrals past `ends_at`, or past `answer_due_at` and not nudged."""
        ...


class Episodes(Protocol):
    """Deliberations. Every change expects the episode's log locked."""

    async def add(self, new: NewEpisode) -> EpisodeRow:
        """Begin one."""
        ...

    async def get(self, episode_id: int) -> EpisodeRow | None:
        """One row by id."""
        ...

    async def by_log(self, conversation_id: int) -> EpisodeRow | None:
        """The episode whose log this conversation is."""
        ...

    async def in_thread(self, conversation_id: int) -> tuple[EpisodeRow, ...]:
        """The episodes of a thread, oldest first."""
        ...

    async def for_question(self, message_id: int) -> tuple[EpisodeRow, ...]:
        """The episodes about a message."""
        ...

    async def of_desk(self, desk_id: str, limit: int) -> tuple[EpisodeRow, ...]:
        """The newest `limit` of a desk that were deliberated and have ended, newest first."""
        ...

    async def advance(self, episode_id: int, stage: EpisodeStage) -> EpisodeRow:
        """Set how far it has come."""
        ...

    async def begin(
        self, episode_id: int, options: tuple[Option, ...], state: EpisodeState
    ) -> EpisodeRow:
        """Set options and first state; from now on it deliberates."""
        ...

    async def add_option(self, episode_id: int, option: Option) -> None:
        """Append an option a member has thought of; the caller has made sure that it is new."""
        ...

    async def adopt(self, episode_id: int, state: EpisodeState) -> None:
        """Set the state a committed turn leads to."""
        ...

    async def count_failure(self, episode_id: int, agent_id: str) -> None:
        """A member's model has failed once more."""
        ...

    async def count_asks(self, episode_id: int, asks: int) -> None:
        """It has put so many more questions to other desks."""
        ...

    async def progressed(self, episode_id: int, at: datetime) -> None:
        """Its progress message was given a new text, shown at that moment."""
        ...

    async def wish(self, episode_id: int, wish: Wish, reason: str) -> bool:
        """Note what a person wants of it; False when it has ended."""
        ...

    async def reopen(
        self, episode_id: int, extra_turns: int, deadline_at: datetime
    ) -> EpisodeRow | None:
        """Let an ended one go on with more turns; None while it runs or once it was decided."""
        ...

    async def end(
        self, episode_id: int, end: EpisodeEnd, topic: str, reason: str, at: datetime
    ) -> EpisodeRow | None:
        """End it and release what was held back; None when it has ended before."""
        ...

    async def overturn(self, episode_id: int, reason: str) -> EpisodeRow:
        """A converged one was not accepted: it counts as stopped, and may go on."""
        ...

    async def wish_choice(self, episode_id: int, topic: str, reason: str) -> bool:
        """Note a person's choice on one that ended undecided; False: it is decided or runs."""
        ...

    async def choose(self, episode_id: int) -> EpisodeRow | None:
        """Make the noted choice the end of it; None when none is noted."""
        ...

    async def reserved(self, desk_id: str) -> tuple[int, int]:
        """(tokens, usd_micros) held back by the desk's running ones."""
        ...

    async def due(self, now: datetime) -> tuple[EpisodeRow, ...]:
        """Running ones past their consulting time or their deadline."""
        ...

    async def blank(self, episode_id: int) -> None:
        """Erase what the removed question has left: its options and replies kept for later."""
        ...

    async def prefetch(self, episode_id: int, agent_id: str, digest: str, reply: TurnReply) -> None:
        """Keep a blind turn's reply until the market gives that member its turn."""
        ...

    async def prefetched(self, episode_id: int, agent_id: str) -> tuple[str, TurnReply] | None:
        """The kept reply with the digest of the request it answers."""
        ...


class Gates(Protocol):
    """Gates. A decision is recorded under the gate's own row lock."""

    async def add(self, new: NewGate) -> GateRow | None:
        """Open one; None when one of this kind and desk is open about this row already."""
        ...

    async def get(self, gate_id: int) -> GateRow | None:
        """One row by id."""
        ...

    async def lock(self, gate_id: int) -> GateRow | None:
        """Lock and read one row."""
        ...

    async def for_message(self, message_id: int) -> tuple[GateRow, ...]:
        """Every gate about a row, oldest first."""
        ...

    async def serving(self, message_id: int) -> tuple[GateRow, ...]:
        """Every gate about a row, or about what is done for the question in it, oldest first."""
        ...

    async def by_post(self, outbox_id: int) -> GateRow | None:
        """The gate a posted message belongs to."""
        ...

    async def for_episode(self, episode_id: int) -> tuple[GateRow, ...]:
        """Every gate that has held an episode's outcome, oldest first."""
        ...

    async def open_at(self, team_id: str, channel_id: str, thread_ts: str) -> tuple[GateRow, ...]:
        """Open gates whose message heads this thread or stands in it, oldest first."""
        ...

    async def link(
        self, gate_id: int, *, post_id: int | None = None, status_id: int | None = None
    ) -> None:
        """Record the outbox rows of its message and of the line that says it waits."""
        ...

    async def end(
        self,
        gate_id: int,
        state: GateState,
        at: datetime,
        *,
        act: GateAct | None = None,
        actor_user_id: str = "",
        words: str = "",
    ) -> bool:
        """Move an open gate to its end; False when it has ended before."""
        ...

    async def settled(self, gate_id: int, at: datetime) -> bool:
        """What it held has been dealt with; False when it was before."""
        ...

    async def remind(self, gate_id: int) -> bool:
        """Note that its stewards are reminded; False when they were, or it has ended."""
        ...

    async def due(self, now: datetime) -> tuple[GateRow, ...]:
        """Open gates past `expires_at`, or past `remind_at` and not reminded."""
        ...

    async def blank(self, gate_id: int) -> None:
        """Erase what it shows and holds: its source was removed."""
        ...


class Outbox(Protocol):
    """Wanted messages."""

    async def add(self, new: NewOutbox) -> OutboxRow:
        """Queue one."""
        ...

    async def get(self, outbox_id: int) -> OutboxRow | None:
        """One row by id."""
        ...

    async def revise(
        self, outbox_id: int, body: Body, *, not_before: datetime | None = None
    ) -> OutboxRow:
        """Set a line's newest wanted text (or a post's replaced text) and queue it again.

        With `not_before` the new text is shown then; texts before it are skipped.
        """
        ...

    async def next_due(self, team_id: str, channel_id: str, now: datetime) -> OutboxRow | None:
        """Head of the channel's queue that may go now; None: nothing to do.

        Rows go in order of id, edits that are wanted at a moment after all others. A row found in
        `sending` is a head too (it has to be looked up). A row whose `thread_of` or `needs` have
        neither a ts nor an end (failed, cancelled, unknown) waits without holding up the rows
        behind it; nothing goes while the channel, or the row's method in the workspace, is held,
        the workspace is stopped or the channel paused.
        """
        ...

    async def next_moment(self, team_id: str, channel_id: str) -> datetime | None:
        """When the channel's head may go, if only a moment keeps it (a hold or `not_before`)."""
        ...

    async def claim(self, outbox_id: int, now: datetime, look_at: datetime) -> OutboxRow | None:
        """Queued -> sending at `now` with `not_before` = `look_at`, attempt + 1; None: not queued.

        From `look_at` on the row is a head again, found in `sending`; until then it keeps its place
        and nothing behind it goes.
        """
        ...

    async def sent(self, outbox_id: int, attempt: int, revision: int, ts: tuple[str, ...]) -> bool:
        """Record the ts, on the row and on the message it shows; False: another attempt has it.

        A line whose wanted revision has grown meanwhile goes back to `queued`, keeping its ts.
        """
        ...

    async def waiters(self, outbox_id: int) -> tuple[tuple[str, str], ...]:
        """(team, channel) of queued rows that name this one in `thread_of` or `needs`."""
        ...

    async def settle(
        self,
        outbox_id: int,
        attempt: int,
        state: OutboxState,
        error: str,
        not_before: datetime | None = None,
    ) -> bool:
        """Record any other end of a try: queued again, failed, unknown, cancelled."""
        ...

    async def seen(self, outbox_id: int, part: int, ts: str) -> None:
        """Our own post came back as an event: remember its ts for the lookup."""
        ...

    async def looked(self, outbox_id: int, not_before: datetime) -> None:
        """A lookup missed; look again then."""
        ...

    async def forget_ts(self, outbox_id: int) -> None:
        """What was posted is gone: queue the row to be posted anew."""
        ...

    async def by_ts(self, team_id: str, channel_id: str, ts: str) -> OutboxRow | None:
        """The row one of whose parts has this ts."""
        ...

    async def for_message(self, message_id: int) -> tuple[OutboxRow, ...]:
        """Rows that show this transcript row."""
        ...

    async def for_turn(self, turn_id: int) -> tuple[OutboxRow, ...]:
        """Rows a turn has asked for."""
        ...

    async def hold(self, team_id: str, channel_id: str, method: str, until: datetime) -> None:
        """Hold a channel's queue (`method` ""), or a method in the workspace (`channel_id` "")."""
        ...

    async def channels_waiting(self, now: datetime) -> tuple[tuple[str, str], ...]:
        """(team, channel) of every queue with something that may go now."""
        ...

    async def blank(self, outbox_id: int) -> None:
        """Erase the body of a row whose source was erased."""
        ...

    async def purge(self, before: datetime) -> int:
        """Blank the bodies of rows made before then whose sending has ended; how many."""
        ...


class Decisions(Protocol):
    """Recorded decisions."""

    async def add(self, new: NewDecision) -> DecisionRow:
        """Store one."""
        ...

    async def get(self, decision_id: int) -> DecisionRow | None:
        """One row by id."""
        ...

    async def for_message(self, message_id: int) -> tuple[DecisionRow, ...]:
        """Decisions about a row, oldest first."""
        ...

    async def of(self, conversation_id: int, fold: str) -> tuple[DecisionRow, ...]:
        """Decisions of one fold in a conversation, oldest first."""
        ...

    async def reasons(self, conversation_id: int, fold: str) -> dict[str, int]:
        """How often a fold gave each of its reasons in a conversation."""
        ...


class Workspaces(Protocol):
    """Installations and channel facts."""

    async def get(self, team_id: str) -> WorkspaceRow | None:
        """One installation."""
        ...

    async def put(self, row: WorkspaceRow) -> None:
        """Store or replace an installation."""
        ...

    async def stop(self, team_id: str, reason: str) -> None:
        """Hold everything of this workspace, with the reason for the console."""
        ...

    async def pause_channel(self, team_id: str, channel_id: str, reason: str) -> None:
        """Pause the desk bound to a channel ("" resumes it)."""
        ...

    async def paused(self, team_id: str, channel_id: str) -> str:
        """Why the channel is paused, or ""."""
        ...

    async def move_channel(self, team_id: str, old_id: str, new_id: str) -> None:
        """A channel id has changed; bindings and queues follow."""
        ...


@dataclass(frozen=True, slots=True)
class StoredRevision:
    """A configuration as it is kept. `in_force_at` is when it was last put in force."""

    revision: str
    source: str
    in_force_at: datetime


class Revisions(Protocol):
    """Configuration revisions, so that running work ends under the one it began with."""

    async def put(self, revision: str, source: str, at: datetime) -> None:
        """Store a revision's canonical source once, and make it the newest, if it is not."""
        ...

    async def newest(self, limit: int) -> tuple[StoredRevision, ...]:
        """The revisions put in force last, the newest first; it holds for every process."""
        ...

    async def get(self, revision: str) -> str | None:
        """A revision's canonical source."""
        ...


class Usage(Protocol):
    """What desks have spent, per UTC day."""

    async def add(self, desk_id: str, day: str, turns: int, tokens: int, usd_micros: int) -> None:
        """Add to the day's sums. `day` is `YYYY-MM-DD`."""
        ...

    async def spent(self, desk_id: str, day: str) -> tuple[int, int, int]:
        """(turns, tokens, usd_micros) of the day."""
        ...


class Jobs(Protocol):
    """Jobs deferred in this unit of work; they exist when it commits."""

    async def route(self, conversation_id: int) -> None:
        """Decide in this conversation."""
        ...

    async def route_each(self, conversation_ids: Sequence[int]) -> None:
        """Decide in each of these conversations."""
        ...

    async def speak(self, turn_id: int, conversation_id: int) -> None:
        """Run a turn's model call."""
        ...

    async def deliver(self, team_id: str, channel_id: str, at: datetime | None = None) -> None:
        """Send the channel's queue, now or at a moment."""
        ...

    async def open_gate(self, gate_id: int, desk_id: str) -> None:
        """Show a gate to its stewards."""
        ...

    async def settle_gate(self, gate_id: int, desk_id: str) -> None:
        """Carry out what was decided at a gate."""
        ...


@dataclass(frozen=True, slots=True)
class Transaction:
    """One open transaction with everything in it."""

    inbox: Inbox
    conversations: Conversations
    messages: Messages
    turns: Turns
    referrals: Referrals
    episodes: Episodes
    gates: Gates
    outbox: Outbox
    decisions: Decisions
    workspaces: Workspaces
    revisions: Revisions
    usage: Usage
    memories: Memories
    jobs: Jobs
    people: People
    operating: Operating


class UnitOfWork(Protocol):
    """Opens transactions: commits on a clean exit, rolls back on any exception."""

    def begin(self) -> AbstractAsyncContextManager[Transaction]:
        """A new transaction.

        Raises:
            StoreUnavailableError: the database is away.
            StoreConflictError: on commit or on a statement; nothing was written.
        """
        ...


class Models(Protocol):
    """Whoever answers for an agent: a provider's model or the rule-based member."""

    async def reply(self, request: TurnRequest) -> TurnReply | ReplyFailure:
        """Ask once; retries, validation and repair are inside. Never raises for a model's fault."""
        ...

    def render(self, request: TurnRequest, reply: Reply, sequence: int) -> RenderedTurn:
        """Make the committed row. Pure. `sequence` is the row's own number (a citation of 0)."""
        ...

    async def select(
        self, agent: str, message: str, candidates: Sequence[tuple[str, str, str, str]]
    ) -> str | None:
        """Raw output of the selector model over (id, label, role, description); None on failure."""
        ...


class Poster(Protocol):
    """Slack's posting side. Never raises for what Slack says."""

    def parts(self, row: OutboxRow) -> int:
        """How many messages the row comes to."""
        ...

    async def post(self, row: OutboxRow, thread_ts: str, done: tuple[str, ...] = ()) -> SendResult:
        """Post a row (its parts after those `done`, or an ephemeral); gives the ts of all parts.

        Metadata carries the row's id and the part's number.
        """
        ...

    async def edit(self, row: OutboxRow, ts: tuple[str, ...]) -> SendResult:
        """Bring what was posted to the row's body."""
        ...

    async def delete(self, destination: Destination, ts: tuple[str, ...]) -> SendResult:
        """Remove posts; already gone counts as done."""
        ...

    async def lookup(
        self, row: OutboxRow, thread_ts: str, since: datetime
    ) -> tuple[str, ...] | SendFailure | None:
        """Find what a lost answer left behind, by metadata: ts of its parts, None for none."""
        ...


@dataclass(frozen=True, slots=True)
class PersonFacts:
    """What Slack says of a user. Unknown people count as guests."""

    user_id: str
    name: str
    team_id: str
    guest: bool
    stranger: bool
    deactivated: bool
    bot: bool
    known: bool = True


@dataclass(frozen=True, slots=True)
class ChannelFacts:
    """What Slack says of a channel."""

    channel_id: str
    name: str
    audience: Audience
    archived: bool
    member: bool


class Directory(Protocol):
    """People and channels as Slack knows them; cached, degrading when a method is missing."""

    async def person(self, team_id: str, user_id: str) -> PersonFacts:
        """Facts of a user; `known` False when Slack would not say."""
        ...

    async def channel(self, team_id: str, channel_id: str) -> ChannelFacts | None:
        """Facts of a channel; None when Slack would not say."""
        ...

    async def members_of_group(self, team_id: str, group_id: str) -> frozenset[str]:
        """User ids in a user group now; none when Slack would not say."""
        ...

    async def root_text(self, team_id: str, channel_id: str, ts: str) -> str:
        """Readable text of a message we never stored, "" when Slack refuses."""
        ...


class RightsDirectory(Directory, Protocol):
    """A directory that can be asked anew at the moment a right is used."""

    def forget_person(self, team_id: str, user_id: str) -> None:
        """Believe nothing of a user that was known before."""
        ...


class Policies(Protocol):
    """The configuration in force, and earlier revisions for work that began under them."""

    def current(self) -> Configuration:
        """The revision in force."""
        ...

    async def revision(self, revision: str) -> Configuration:
        """The revision some work began with; the current one when it is unknown."""
        ...
