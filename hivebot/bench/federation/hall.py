"""What does one desk of a federation hear, ask and answer?"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from hivebot.bench.deliberation import Desk, Episode
from hivebot.bench.federation.world import FederatedDesk
from hivebot.bench.participant import Hearsay, Manner, Participant
from hivebot.hive.conversation import Conversation, DispatchConversation
from hivebot.hive.desk import Desk as DeskRecord
from hivebot.hive.desk import DeskSet
from hivebot.hive.dispatch import DispatchKey
from hivebot.hive.episode import EpisodePolicy
from hivebot.hive.mention import MentionedByAgent, resolve
from hivebot.hive.referral import (
    OneReferral,
    Reach,
    Referral,
    ReferralInput,
    ReferralKind,
    ReferralPolicy,
    referral,
)
from hivebot.hive.roster import Member, Roster

CROSSING: Final = ReferralPolicy(enabled=True, max_hops=2, reach=Reach.DESKS, returns=True)
"""A question may cross to a desk by name, and its answer comes back; that uses up both hops."""

_BLANK: Final = " "


@dataclass(frozen=True, slots=True)
class Statement:
    """What one desk lets another know.

    Attributes:
        desk: Name of the desk that states it.
        readings: What its speaker thinks each option is worth.
        facts: Options it knows to be out.
    """

    desk: str
    readings: dict[str, int]
    facts: tuple[str, ...]

    @property
    def text(self) -> str:
        """The words it crosses in; no word of them is a marker."""
        clauses = ", ".join(f"#{option} at {value}" for option, value in self.readings.items())
        out = "".join(f" {self.desk} knows #{option} is out." for option in self.facts)
        return f"{self.desk} reads {clauses}.{out}"


@dataclass(frozen=True, slots=True)
class Letter:
    """A message on its way between two desks.

    Attributes:
        referral: What the fold decided about it.
        statements: What it says.
    """

    referral: Referral
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Posting:
    """A message about to be written on a desk.

    Attributes:
        author: Who writes it.
        text: What it says in words.
        statements: What it says.
        letter: What it answers; none for a question.
    """

    author: Participant
    text: str
    statements: tuple[Statement, ...]
    letter: Letter | None = None


class Switchboard:
    """The roster and the desks every reply is judged by."""

    def __init__(self, desks: Sequence[FederatedDesk]) -> None:
        members = tuple(Member(seat.id, None) for desk in desks for seat in desk.seats)
        self._roster = Roster(members, (), ())
        records = tuple(
            DeskRecord(desk.id, desk.name, None, tuple(seat.id for seat in desk.seats))
            for desk in desks
        )
        self._desks = DeskSet(records, (), (), (), ())

    def judge(self, desk_id: str, posting: Posting, sequence: int) -> Referral | None:
        """Say where a committed reply owes a turn, if anywhere."""
        author_id, text, letter = posting.author.id, posting.text, posting.letter
        reply = ReferralInput(
            key=DispatchKey(sequence),
            conversation=DispatchConversation(desk_id, None),
            author_id=author_id,
            content=text,
            mentions=resolve(text, None, MentionedByAgent(author_id), self._roster, self._desks),
            hop=0 if letter is None else letter.referral.child_hop,
            origin=None if letter is None else letter.referral.origin,
        )
        decision = referral(CROSSING, reply, self._roster, self._desks)
        return decision.referral if isinstance(decision, OneReferral) else None


class Hall:
    """One desk with its members, its post and what it has asked so far.

    Attributes:
        desk: Its deliberation.
        hearsay: What its members heard; all hear the same.
        post: Letters that wait to be delivered here, oldest first.
        asked: Questions it asked.
        published: Times it stated its readings to everybody.
        outcome: How its deliberation ended, once it has.
    """

    def __init__(
        self,
        generated: FederatedDesk,
        options: Sequence[str],
        policy: EpisodePolicy,
        manner: Manner,
        peers: Sequence[str],
    ) -> None:
        self.id = generated.id
        self.name = generated.name
        self.hearsay = Hearsay()
        if generated.facts:
            self.hearsay.learn(generated.facts)
        self.members = tuple(
            Participant(seat, options, manner, hearsay=self.hearsay) for seat in generated.seats
        )
        self.desk = Desk(self.members, policy, Conversation(self.id, self.name))
        self.post: deque[Letter] = deque()
        self.asked = 0
        self.published = 0
        self.outcome: Episode | None = None
        self._options = options
        self._peers = tuple(peers)

    def state(self, member: Participant) -> Statement:
        """Put what a member thinks and knows into a statement."""
        facts = tuple(option for option in self._options if option in self.hearsay.ruled_out)
        return Statement(self.name, dict(member.scores), facts)

    def absorb(self, statements: Iterable[Statement]) -> None:
        """Let every member take in a message that was appended here."""
        for statement in statements:
            if statement.facts:
                self.hearsay.learn(statement.facts)
            # a reader takes the one word before "reads" for the desk
            if statement.desk != self.name and _BLANK not in statement.desk:
                self.hearsay.import_readings(statement.readings)

    def question(self, member: Participant) -> Posting:
        """Write the next question, to the first desk this one has not asked yet."""
        statement = self.state(member)
        text = f"@#{self._peers[self.asked]} what do you make of this? {statement.text}"
        self.asked += 1
        return Posting(member, text, (statement,))

    def reply(self, letter: Letter) -> Posting:
        """Write down what a letter says, and what this desk thinks if it was asked.

        The first option is the topic of the line.
        """
        member = self.desk.participant(letter.referral.target_id)
        statements = letter.statements
        if letter.referral.kind is ReferralKind.FORWARD:
            statements = (*statements, self.state(member))
        lines = (f"!evidence #{self._options[0]}", *(one.text for one in statements))
        return Posting(member, "\n".join(lines), statements, letter)
