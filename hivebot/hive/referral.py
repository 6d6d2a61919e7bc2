"""Does this reply owe exactly one turn, perhaps on another desk, and where does it run?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from types import MappingProxyType
from typing import Final, TypeAlias

from hivebot.hive.conversation import DispatchConversation, is_general, same_conversation
from hivebot.hive.desk import DeskSet
from hivebot.hive.dispatch import (
    INACTIVE_SOURCE_SENTENCE,
    SELF_MENTION_SENTENCE,
    SPENT_SENTENCE,
    WITHHELD_SENTENCE,
    DispatchKey,
)
from hivebot.hive.errors import AmbiguousDeskError, UnknownDeskError
from hivebot.hive.mention import AgentTarget, DeskTarget, Mention
from hivebot.hive.roster import Roster
from hivebot.hive.scalars import U32_MAX


class Reach(StrEnum):
    """How far a reply may go: nowhere, to agents on other desks, or to desks by name as well."""

    LOCAL = "local"
    CHANNELS = "channels"
    DESKS = "desks"

    @property
    def crosses(self) -> bool:
        """Whether a reply may leave its conversation at all."""
        return self is not Reach.LOCAL


class ReferralKind(StrEnum):
    """A question going out, or its answer going back."""

    FORWARD = "forward"
    RETURN = "return"


class NoReferralReason(StrEnum):
    """Why a reply owes nobody a turn; the operator's record, never an agent's reading."""

    DISABLED = "disabled"
    HOP_LIMIT_REACHED = "hop_limit_reached"
    HOP_OVERFLOW = "hop_overflow"
    SOURCE_INACTIVE = "source_inactive"
    SELF_MENTION = "self_mention"
    TARGET_INACTIVE = "target_inactive"
    TARGET_DESKLESS = "target_deskless"
    UNKNOWN_DESK = "unknown_desk"
    SELF_DESK = "self_desk"
    EMPTY_DESK = "empty_desk"
    NO_REFERRAL_TARGET = "no_referral_target"


_SENTENCES: Final[Mapping[NoReferralReason, str]] = MappingProxyType(
    {
        NoReferralReason.DISABLED: "sending a message to another desk is switched off here",
        NoReferralReason.HOP_LIMIT_REACHED: SPENT_SENTENCE,
        NoReferralReason.HOP_OVERFLOW: SPENT_SENTENCE,
        NoReferralReason.SOURCE_INACTIVE: INACTIVE_SOURCE_SENTENCE,
        NoReferralReason.SELF_MENTION: SELF_MENTION_SENTENCE,
        NoReferralReason.TARGET_INACTIVE: WITHHELD_SENTENCE,
        NoReferralReason.TARGET_DESKLESS: WITHHELD_SENTENCE,
        NoReferralReason.UNKNOWN_DESK: "that name does not pick out exactly one desk",
        NoReferralReason.SELF_DESK: "this message is already on the desk it names",
        NoReferralReason.EMPTY_DESK: WITHHELD_SENTENCE,
        NoReferralReason.NO_REFERRAL_TARGET: WITHHELD_SENTENCE,
    }
)


@dataclass(frozen=True, slots=True)
class ReferralPolicy:
    """May a reply hand its message on, how far, and does the answer come back?

    Attributes:
        enabled: The switch; off unless set.
        max_hops: u32; longest chain of hand-offs one message may start. A question and its answer
            take two.
        reach: How far.
        returns: Whether an answer goes back to who asked.

    Source: hive.md sections 9 and 20.
    """

    enabled: bool = False
    max_hops: int = 0
    reach: Reach = Reach.LOCAL
    returns: bool = False


@dataclass(frozen=True, slots=True)
class ReferralOrigin:
    """Where a question came from; the host stores it with the turn and brings it back."""

    conversation: DispatchConversation
    asker_id: str


@dataclass(frozen=True, slots=True)
class ReferralInput:
    """A committed reply, as it is judged.

    Attributes:
        key: Which message.
        conversation: Where it stands, with the canonical desk id.
        author_id: The agent that wrote it.
        content: Its text.
        mentions: Its mentions, in any order.
        hop: u32; how many hand-offs led to it.
        origin: The origin of the referral whose turn this reply is, if it had one.
    """

    key: DispatchKey
    conversation: DispatchConversation
    author_id: str
    content: str
    mentions: tuple[Mention, ...]
    hop: int
    origin: ReferralOrigin | None = None


@dataclass(frozen=True, slots=True)
class Referral:
    """The one turn a reply owes.

    Attributes:
        key: Which message.
        kind: Question or answer.
        source_id: Its author.
        target_id: Who gets the turn; never the author.
        content: Its text.
        from_conversation: Where it stands.
        to_conversation: Where the turn runs; a crossing forward goes to a channel, never a thread.
        child_hop: One more than the input's hop.
        origin: What the host has to bring back; only a crossing forward with returns has one.
    """

    key: DispatchKey
    kind: ReferralKind
    source_id: str
    target_id: str
    content: str
    from_conversation: DispatchConversation
    to_conversation: DispatchConversation
    child_hop: int
    origin: ReferralOrigin | None

    @property
    def crosses(self) -> bool:
        """Whether the turn runs in another conversation; another thread is another one."""
        return self.from_conversation != self.to_conversation


@dataclass(frozen=True, slots=True)
class NoReferral:
    """No turn is owed, and why."""

    reason: NoReferralReason


@dataclass(frozen=True, slots=True)
class OneReferral:
    """Exactly one turn is owed."""

    referral: Referral


ReferralDecision: TypeAlias = NoReferral | OneReferral


def referral(
    policy: ReferralPolicy, reply: ReferralInput, roster: Roster, desks: DeskSet
) -> ReferralDecision:
    """Decide whether a committed reply owes one turn, and where it runs.

    1. Not enabled: `disabled`.
    2. The hops are used up: `hop_limit_reached`. Broken snapshots are not noticed before this.
    3. The roster, then the desks are validated.
    4. The author is not active: `source_inactive`.
    5. The next hop does not fit u32: `hop_overflow`, which step 2 forestalls for every u32 limit.
    6. A candidate: the mention at the smallest offset, the first in the list on ties, that is not
       quiet and names an agent, or a desk under the reach `desks`. Only it is judged: when it is
       refused, no later mention and no return is tried.
    7. No candidate: the return to the origin.

    Raises:
        HiveError: What the two validations raise.

    Source: hive.md section 9.
    """
    if not policy.enabled:
        return NoReferral(NoReferralReason.DISABLED)
    if reply.hop >= policy.max_hops:
        return NoReferral(NoReferralReason.HOP_LIMIT_REACHED)
    roster.validate()
    desks.validate()
    return _Judge(policy, reply, desks, roster.active_ids()).decide()


@dataclass(frozen=True, slots=True)
class _Judge:
    """The steps of `referral` behind the switches, over snapshots known to be sound."""

    policy: ReferralPolicy
    reply: ReferralInput
    desks: DeskSet
    active: frozenset[str]

    def decide(self) -> ReferralDecision:
        """Take steps 4 to 7."""
        if self.reply.author_id not in self.active:
            return NoReferral(NoReferralReason.SOURCE_INACTIVE)
        if self.reply.hop + 1 > U32_MAX:
            return NoReferral(NoReferralReason.HOP_OVERFLOW)
        candidate = self.candidate()
        if isinstance(candidate, AgentTarget):
            return self.agent(candidate.id)
        if isinstance(candidate, DeskTarget):
            return self.desk(candidate.id)
        return self.answer()

    def candidate(self) -> AgentTarget | DeskTarget | None:
        """Take step 6: the one mention that is judged."""
        for mention in sorted(self.reply.mentions, key=attrgetter("offset")):
            target = mention.target
            if mention.quiet:
                continue
            if isinstance(target, AgentTarget):
                return target
            if isinstance(target, DeskTarget) and self.policy.reach is Reach.DESKS:
                return target
        return None

    def agent(self, target_id: str) -> ReferralDecision:
        """Judge an agent candidate, steps a to e."""
        if target_id == self.reply.author_id:
            return NoReferral(NoReferralReason.SELF_MENTION)
        if target_id not in self.active:
            return NoReferral(NoReferralReason.TARGET_INACTIVE)
        if not self.policy.reach.crosses or self.present(target_id):
            return self.forward(target_id, self.reply.conversation)
        home = next(
            (desk.id for desk, members in self.desks.seatings() if target_id in members), None
        )
        if home is None:
            return NoReferral(NoReferralReason.TARGET_DESKLESS)
        return self.forward(target_id, DispatchConversation(home, None))

    def present(self, target_id: str) -> bool:
        """Say whether an active agent is on the conversation's desk; everybody is on General."""
        here = self.reply.conversation.desk_id
        if is_general(here):
            return True
        try:
            return target_id in self.desks.members(here)
        except (UnknownDeskError, AmbiguousDeskError):
            return False

    def desk(self, identity: str) -> ReferralDecision:
        """Judge a desk candidate, steps a to d."""
        try:
            desk_id = self.desks.resolve_id(identity)
        except (UnknownDeskError, AmbiguousDeskError):
            return NoReferral(NoReferralReason.UNKNOWN_DESK)
        if same_conversation(desk_id, self.reply.conversation.desk_id):
            return NoReferral(NoReferralReason.SELF_DESK)
        for member_id in self.desks.members(desk_id):
            if member_id != self.reply.author_id and member_id in self.active:
                return self.forward(member_id, DispatchConversation(desk_id, None))
        return NoReferral(NoReferralReason.EMPTY_DESK)

    def answer(self) -> ReferralDecision:
        """Take step 7: bring the answer back, whatever the reach."""
        origin = self.reply.origin
        if (
            not self.policy.returns
            or origin is None
            or origin.conversation == self.reply.conversation
        ):
            return NoReferral(NoReferralReason.NO_REFERRAL_TARGET)
        if origin.asker_id == self.reply.author_id:
            return NoReferral(NoReferralReason.SELF_MENTION)
        if origin.asker_id not in self.active:
            return NoReferral(NoReferralReason.TARGET_INACTIVE)
        return self.one(ReferralKind.RETURN, origin.asker_id, origin.conversation, None)

    def forward(self, target_id: str, to: DispatchConversation) -> OneReferral:
        """Make a forward; it carries an origin when it crosses and answers are to come back."""
        here = self.reply.conversation
        crosses = to != here
        origin = (
            ReferralOrigin(here, self.reply.author_id) if crosses and self.policy.returns else None
        )
        return self.one(ReferralKind.FORWARD, target_id, to, origin)

    def one(
        self,
        kind: ReferralKind,
        target_id: str,
        to: DispatchConversation,
        origin: ReferralOrigin | None,
    ) -> OneReferral:
        """Make the referral of this reply, a hop further."""
        return OneReferral(
            Referral(
                key=self.reply.key,
                kind=kind,
                source_id=self.reply.author_id,
                target_id=target_id,
                content=self.reply.content,
                from_conversation=self.reply.conversation,
                to_conversation=to,
                child_hop=self.reply.hop + 1,
                origin=origin,
            )
        )


def referral_sentence(reason: NoReferralReason) -> str:
    """Give the words an acting agent may read: lower case, no final stop.

    Whatever turns on some other agent is told in the one withheld sentence, so that asking name by
    name teaches nothing.

    Source: hive.md section 9.1.
    """
    return _SENTENCES[reason]
