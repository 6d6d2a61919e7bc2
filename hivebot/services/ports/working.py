"""What do the use cases need of turns, referrals and decisions?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from hivebot.services.records.asking import ReplyFailure, TurnReply
from hivebot.services.records.replies import Reply
from hivebot.services.records.rows import (
    DecisionRow,
    ReferralRow,
    ReferralState,
    TurnKind,
    TurnRow,
    TurnState,
)


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
