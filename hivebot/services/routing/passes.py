"""What does one pass of routing hold in its hands? Its transaction, its rows and its world."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from hivebot.hive.conversation import (
    DispatchConversation,
    PersonAuthor,
    dispatch_conversation,
)
from hivebot.hive.crossing import Asker
from hivebot.hive.desk import DeskSet
from hivebot.hive.roster import Roster
from hivebot.services.ports import NewDecision, NewOutbox, Policies, Transaction
from hivebot.services.records.outgoing import Body, Destination, OutboxKind
from hivebot.services.records.policy import Configuration, DeskConfig
from hivebot.services.records.rows import ConversationRow, DecisionRow, MessageRow, OutboxRow
from hivebot.services.routing.facts import Facts, MissingError, asker_of
from hivebot.services.snapshots import conversation_of, desks_of, roster_of

HOUR = timedelta(hours=1)


def person_of(row: MessageRow) -> str:
    """The person who wrote a row, "" for a bot."""
    return row.user_id if isinstance(row.author, PersonAuthor) else ""


@dataclass(slots=True)
class Pass:
    """One transaction of routing, in one conversation that is locked.

    Attributes:
        configuration: What this conversation runs under: an episode's own, else the one in force.
        in_force: The configuration in force.
        locked: Every conversation this transaction has locked, by id.
    """

    tx: Transaction
    policies: Policies
    configuration: Configuration
    in_force: Configuration
    conversation: ConversationRow
    locked: dict[int, ConversationRow]
    facts: Facts
    now: datetime

    @property
    def desk(self) -> DeskConfig | None:
        """The desk of this conversation."""
        return self.configuration.desk(self.conversation.desk_id)

    def roster(self, *people: str) -> Roster:
        """The roster, with the people a text may name."""
        return roster_of(self.configuration, people)

    def desks(self) -> DeskSet:
        """The desks."""
        return desks_of(self.configuration)

    def dispatch_place(self, row: ConversationRow | None = None) -> DispatchConversation:
        """A conversation as the routing folds compare it."""
        place = row or self.conversation
        return dispatch_conversation(conversation_of(place, self.configuration))

    def lockable(self, conversation_id: int) -> ConversationRow:
        """A conversation this pass may append to.

        Raises:
            MissingError: it is not locked; the pass starts again with it.
        """
        if conversation_id not in self.locked:
            raise MissingError(conversation_id=conversation_id)
        return self.locked[conversation_id]

    def asker(self, user_id: str, seen_team_id: str = "") -> Asker:
        """The asking person as Slack describes them now."""
        team_id = self.conversation.team_id
        return asker_of(self.facts.person(team_id, user_id), team_id, seen_team_id)

    def asker_now(self, user_id: str, seen_team_id: str = "") -> Asker:
        """The asking person as Slack describes them in this moment: where something crosses."""
        team_id = self.conversation.team_id
        return asker_of(self.facts.person_now(team_id, user_id), team_id, seen_team_id)

    def person_name(self, user_id: str) -> str:
        """A person's name for people to read."""
        return self.facts.person(self.conversation.team_id, user_id).name or user_id

    def here(self, user_id: str = "") -> Destination:
        """This conversation as a destination."""
        place = self.conversation
        return Destination(place.team_id, place.channel_id, place.thread_ts, user_id)

    async def spent_out(self, desk: DeskConfig) -> bool:
        """Whether the desk has used up what it may spend today."""
        budget = desk.budget
        turns, tokens, usd_micros = await self._spent(desk)
        return (
            turns >= budget.turns_per_day
            or tokens >= budget.tokens_per_day
            or usd_micros >= budget.usd_micros_per_day
        )

    async def over_budget(self, desk: DeskConfig) -> bool:
        """Whether the desk may begin nothing more today: what is held back counts as spent."""
        left_tokens, left_usd_micros = await self.left(desk)
        return await self.spent_out(desk) or left_tokens <= 0 or left_usd_micros <= 0

    async def left(self, desk: DeskConfig) -> tuple[int, int]:
        """(tokens, usd_micros) that are neither spent today nor held back; perhaps below 0."""
        _, tokens, usd_micros = await self._spent(desk)
        reserved_tokens, reserved_usd_micros = await self.tx.episodes.reserved(desk.id)
        return (
            desk.budget.tokens_per_day - tokens - reserved_tokens,
            desk.budget.usd_micros_per_day - usd_micros - reserved_usd_micros,
        )

    async def _spent(self, desk: DeskConfig) -> tuple[int, int, int]:
        return await self.tx.usage.spent(desk.id, self.now.strftime("%Y-%m-%d"))

    async def decide(
        self,
        row: MessageRow,
        fold: str,
        given: dict[str, object],
        result: dict[str, object],
        reason: str,
        *,
        next_state: dict[str, object] | None = None,
    ) -> DecisionRow:
        """Record a decision about a row."""
        return await self.tx.decisions.add(
            NewDecision(
                conversation_id=self.conversation.id,
                message_id=row.id,
                fold=fold,
                input=given,
                result=result,
                reason=reason,
                revision=self.configuration.revision,
                next_state=next_state,
            )
        )

    async def line(self, body: Body) -> OutboxRow:
        """Say one line in this conversation."""
        row = await self.tx.outbox.add(NewOutbox(OutboxKind.LINE, self.here(), body))
        await self.tx.jobs.deliver(self.conversation.team_id, self.conversation.channel_id)
        return row

    async def private_line(self, row: MessageRow, body: Body) -> None:
        """Say one line that only the writer of this message sees; it goes when the message does."""
        place = self.here(row.user_id)
        new = NewOutbox(OutboxKind.EPHEMERAL, place, body, message_id=row.id)
        await self.tx.outbox.add(new)
        await self.tx.jobs.deliver(self.conversation.team_id, self.conversation.channel_id)
