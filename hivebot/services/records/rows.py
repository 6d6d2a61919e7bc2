"""What is kept? The stored rows as the use cases see them. Times are aware UTC datetimes.

Source: datapath.md 1 to 7, product.md 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from hivebot.hive.conversation import TranscriptAuthor
from hivebot.hive.mention import Mention
from hivebot.hive.trace import Trace
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.outgoing import Body, Destination, OutboxKind, OutboxState
from hivebot.services.records.replies import Reply, Shape


@dataclass(frozen=True, slots=True)
class WorkspaceRow:
    """An installation. `state` is `active` or `stopped`; `reason` says why it stopped.

    Attributes:
        team_id: The workspace; the organisation where the app was installed for all of it.
        url: Where people open it; "" where Slack has not said.
        bot_user_id: The bot as a user there.
        bot_id: The bot as an author of messages.
        app_id: The app.
        enterprise_id: The organisation it belongs to; "" where it has none, or none is known.
    """

    team_id: str
    url: str
    bot_user_id: str
    bot_id: str
    app_id: str
    state: str = "active"
    reason: str = ""
    enterprise_id: str = ""


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A desk channel, a direct message, or one thread in either.

    Attributes:
        desk_id: Canonical desk id, `General`, or `dm:<user>`.
        thread_ts: Root's ts, "" for the channel itself.
        root_seq: The root's sequence in the channel's log; None for the channel itself.
        last_seq: The newest sequence drawn; 0 for none.
        answered_user_id: The person last answered here, "" for nobody.
        muted: Nothing wakes the bot until it is mentioned.
        episode_no: 0 for channels and threads; the log of a thread's n-th episode has n.
    """

    id: int
    team_id: str
    channel_id: str
    thread_ts: str
    desk_id: str
    audience: Audience
    root_seq: int | None
    last_seq: int
    answered_user_id: str = ""
    muted: bool = False
    episode_no: int = 0


class MessageRole(StrEnum):
    """Why a row is in the log."""

    SPEECH = "speech"  # somebody said it here
    QUESTION = "question"  # a far desk's question, posted here
    RETURN = "return"  # a far desk's answer, brought back
    OUTCOME = "outcome"  # an episode's end
    BACKFILLED = "backfilled"  # a root that was never stored; no fold reads it


@dataclass(frozen=True, slots=True)
class MessageRow:
    """One row of a transcript.

    Attributes:
        seq: Dense from 1 in its conversation.
        ts: Slack's ts; "" until its post is delivered, and for rows without a post of their own.
        user_id: The person's or bot's Slack user id, "" for agents and system rows.
        user_team_id: The person's team, "" when unknown.
        content: Canonical text the folds read; "" once erased.
        shown: What people read where it differs from `content` (agents' turns), else "".
        revision: 1, and one more for each edit.
        addressed: The bot itself is mentioned.
        wakes: May start a turn (a person's or admitted bot's new message).
        mentions: Supplied mentions of an agent's row; None means extract from the text.
        traces: Traces of rows that may carry them, else ().
        copy_of: The row this one is a copy of (a thread's root, a returned answer), or None.
        judged: `route` has decided about it.
        deleted_at: When its author removed it.
    """

    id: int
    conversation_id: int
    seq: int
    role: MessageRole
    author: TranscriptAuthor
    ts: str
    user_id: str
    user_team_id: str
    content: str
    shown: str
    revision: int
    addressed: bool
    wakes: bool
    mentions: tuple[Mention, ...] | None
    traces: tuple[Trace, ...]
    turn_id: int | None
    referral_id: int | None
    copy_of: int | None
    judged: bool
    created_at: datetime
    deleted_at: datetime | None = None
    files: tuple[str, ...] = ()


class TurnState(StrEnum):
    """Open states are `authorised`, `running` and `held`; a conversation has at most one open."""

    WAITING = "waiting"
    AUTHORISED = "authorised"
    RUNNING = "running"
    HELD = "held"
    COMMITTED = "committed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class TurnKind(StrEnum):
    """What the speaker is asked for."""

    ANSWER = "answer"  # a person's question here
    REFERRED = "referred"  # a far question; the reply returns
    SPONSOR = "sponsor"  # tell the person what came back
    EPISODE = "episode"  # one turn of a deliberation
    CONSULT = "consult"
    FRAMING = "framing"
    RELAY = "relay"  # a late return inside an episode


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One authorised speech.

    Attributes:
        trigger_id: The message row that made it necessary.
        question_id: The person's message row that all of it serves.
        asker_user_id: The person whose question this is, "" when none is known.
        referral_id: The referral it answers or brings home.
        hop: The hop count its reply is judged with.
        attempt: Times a worker claimed it; three, and it is failed.
        notes: What the person is told beside the answer, one line each.
        progress_id: Outbox row of the line that shows its progress, or None.
    """

    id: int
    conversation_id: int
    decision_id: int | None
    kind: TurnKind
    agent_id: str
    state: TurnState
    trigger_id: int
    question_id: int
    asker_user_id: str
    referral_id: int | None
    episode_id: int | None
    hop: int
    revision: str
    attempt: int
    notes: tuple[str, ...]
    progress_id: int | None
    created_at: datetime
    reason: str = ""
    shape: Shape | None = None
    reply: Reply | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd_micros: int = 0


class ReferralState(StrEnum):
    """`ASKED` and `WAITING` are open; every referral ends in one of the other four."""

    WAITING = "waiting"
    ASKED = "asked"
    ANSWERED = "answered"
    REFUSED = "refused"
    FAILED = "failed"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class ReferralRow:
    """One question on its way to another desk and back.

    Attributes:
        trigger_seq: With `from_conversation_id` the key that makes it one.
        asker_id: The sponsor: the agent that asked, or on whose behalf a person asked.
        person_user_id: The person whose question it is; judged at the far end too.
        visited: Desk ids on the way, the asking one first; a repeat is a ring.
        reference: What finds it on the console.
        late: The answer came after `answer_within_s`.
        answer_id: The answering row in the far conversation.
    """

    id: int
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
    state: ReferralState
    reason: str
    reference: str
    revision: str
    status_id: int | None
    post_id: int | None
    answer_id: int | None
    late: bool
    nudged: bool
    created_at: datetime
    answer_due_at: datetime
    ends_at: datetime


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """One wanted message in Slack, or an edit or deletion of one.

    Attributes:
        revision: Grows with each new wanted text of a line.
        sent_revision: The revision Slack shows; 0 for none.
        message_id: The transcript row it shows, or None for notices.
        thread_of: Outbox row whose ts is the thread to post in, when it has none yet.
        target_id: The row a `DELETE` removes, or None.
        needs: Outbox rows whose links the body shows as `outbox:ID`.
        ts: One per part, in order.
        not_before: Earliest moment for the next look or try.
        seen: (part, ts) of our own posts that came back as events before their answer did.
    """

    id: int
    kind: OutboxKind
    state: OutboxState
    destination: Destination
    body: Body
    revision: int
    sent_revision: int
    message_id: int | None
    turn_id: int | None
    thread_of: int | None
    target_id: int | None
    needs: tuple[int, ...]
    attempt: int
    lookups: int
    sending_at: datetime | None
    not_before: datetime | None
    ts: tuple[str, ...]
    seen: tuple[tuple[int, str], ...]
    error: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """Why something happened: the fold's name, its input by reference, and its result.

    Attributes:
        fold: Name of the fold, or `waking`, `crossing`.
        input: Wire form with references (row id, revision) in place of text.
        result: The fold's own answer in wire form.
        next_state: An episode's state, pending until its turn is committed.
    """

    id: int
    conversation_id: int
    message_id: int
    fold: str
    input: dict[str, object]
    result: dict[str, object]
    reason: str
    revision: str
    next_state: dict[str, object] | None
    created_at: datetime
