"""Does this message owe a mentioned agent one turn, in the same conversation?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from types import MappingProxyType
from typing import Final, TypeAlias

from hivebot.hive.conversation import DispatchConversation
from hivebot.hive.mention import AgentTarget, Mention
from hivebot.hive.roster import Roster
from hivebot.hive.scalars import U32_MAX

WITHHELD_SENTENCE: Final = "nobody is available to take this over"
"""What an agent reads whenever the reason turns on some other agent. Source: hive.md 9.1."""

SPENT_SENTENCE: Final = "this message has used up the hand-offs it is allowed"
INACTIVE_SOURCE_SENTENCE: Final = (
    "the author of this message is not active any more, so it stays where it is"
)
SELF_MENTION_SENTENCE: Final = "an agent may not hand a message to itself"


class NoDispatchReason(StrEnum):
    """Why a message owes nobody a turn; the operator's record, never an agent's reading."""

    DISABLED = "disabled"
    HOP_LIMIT_REACHED = "hop_limit_reached"
    HOP_OVERFLOW = "hop_overflow"
    SOURCE_INACTIVE = "source_inactive"
    NO_DIRECT_AGENT_MENTION = "no_direct_agent_mention"
    SELF_MENTION = "self_mention"
    TARGET_INACTIVE = "target_inactive"


_SENTENCES: Final[Mapping[NoDispatchReason, str]] = MappingProxyType(
    {
        NoDispatchReason.DISABLED: "handing a message to another agent is switched off here",
        NoDispatchReason.HOP_LIMIT_REACHED: SPENT_SENTENCE,
        NoDispatchReason.HOP_OVERFLOW: SPENT_SENTENCE,
        NoDispatchReason.SOURCE_INACTIVE: INACTIVE_SOURCE_SENTENCE,
        NoDispatchReason.NO_DIRECT_AGENT_MENTION: WITHHELD_SENTENCE,
        NoDispatchReason.SELF_MENTION: SELF_MENTION_SENTENCE,
        NoDispatchReason.TARGET_INACTIVE: WITHHELD_SENTENCE,
    }
)


@dataclass(frozen=True, slots=True)
class DispatchPolicy:
    """May a reply hand its message on?

    Attributes:
        enabled: The switch; off unless set.
        max_hops: u32; longest chain of hand-offs one message may start, 0 for none.
    """

    enabled: bool = False
    max_hops: int = 0


@dataclass(frozen=True, slots=True)
class DispatchKey:
    """What a hand-off is counted by: the sequence of the message that caused it."""

    trigger_sequence: int


@dataclass(frozen=True, slots=True)
class DispatchInput:
    """A committed message, as it is judged.

    Attributes:
        key: Which message.
        conversation: Where it stands.
        author_id: The agent that wrote it.
        content: Its text.
        mentions: Its mentions, in any order.
        hop: u32; how many hand-offs led to it.
    """

    key: DispatchKey
    conversation: DispatchConversation
    author_id: str
    content: str
    mentions: tuple[Mention, ...]
    hop: int


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """The one turn a message owes."""

    key: DispatchKey
    source_id: str
    target_id: str
    content: str
    conversation: DispatchConversation
    child_hop: int


@dataclass(frozen=True, slots=True)
class NoDispatch:
    """No turn is owed, and why."""

    reason: NoDispatchReason


@dataclass(frozen=True, slots=True)
class OneDispatch:
    """Exactly one turn is owed."""

    request: TurnRequest


DispatchDecision: TypeAlias = NoDispatch | OneDispatch


def mention_dispatch(
    policy: DispatchPolicy, message: DispatchInput, roster: Roster
) -> DispatchDecision:
    """Decide whether a message owes one turn to an agent it mentions.

    1. Not enabled: `disabled`.
    2. The hops are used up: `hop_limit_reached`. A broken roster is not noticed before this.
    3. The roster is validated.
    4. The author is not active: `source_inactive`.
    5. No agent is mentioned, other than quietly: `no_direct_agent_mention`. Else the one at the
       smallest offset is judged, the first in the list on ties, and no later one is tried.
    6. It is the author: `self_mention`.
    7. It is not active: `target_inactive`.
    8. The next hop does not fit u32: `hop_overflow`, which step 2 forestalls for every u32 limit.
    9. One turn, a hop further.

    Raises:
        HiveError: What `Roster.validate` raises.

    Source: hive.md section 8.
    """
    if not policy.enabled:
        return NoDispatch(NoDispatchReason.DISABLED)
    if message.hop >= policy.max_hops:
        return NoDispatch(NoDispatchReason.HOP_LIMIT_REACHED)
    roster.validate()
    if roster.active_member(message.author_id) is None:
        return NoDispatch(NoDispatchReason.SOURCE_INACTIVE)
    target_id = _first_agent(message.mentions)
    if target_id is None:
        return NoDispatch(NoDispatchReason.NO_DIRECT_AGENT_MENTION)
    return _judged(message, target_id, roster)


def _first_agent(mentions: tuple[Mention, ...]) -> str | None:
    for mention in sorted(mentions, key=attrgetter("offset")):
        if not mention.quiet and isinstance(mention.target, AgentTarget):
            return mention.target.id
    return None


def _judged(message: DispatchInput, target_id: str, roster: Roster) -> DispatchDecision:
    if target_id == message.author_id:
        return NoDispatch(NoDispatchReason.SELF_MENTION)
    if roster.active_member(target_id) is None:
        return NoDispatch(NoDispatchReason.TARGET_INACTIVE)
    if message.hop + 1 > U32_MAX:
        return NoDispatch(NoDispatchReason.HOP_OVERFLOW)
    return OneDispatch(
        TurnRequest(
            key=message.key,
            source_id=message.author_id,
            target_id=target_id,
            content=message.content,
            conversation=message.conversation,
            child_hop=message.hop + 1,
        )
    )


def dispatch_sentence(reason: NoDispatchReason) -> str:
    """Give the words an acting agent may read: lower case, no final stop.

    Whatever turns on some other agent is told in the one withheld sentence, so that asking name by
    name teaches nothing.

    Source: hive.md section 9.1.
    """
    return _SENTENCES[reason]
