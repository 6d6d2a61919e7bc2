"""Which answer is a choice about, and who is choosing? Read anew at the moment of the act.

Source: rights.md 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from hivebot.hive.crossing import AnswersTo, Asker, NoCrossingReason, may_ask
from hivebot.services.ports import PersonFacts, RightsDirectory, Transaction
from hivebot.services.records.policy import Configuration, DeskConfig
from hivebot.services.records.rows import ConversationRow, MessageRow, TurnRow
from hivebot.services.stewards import is_steward


@dataclass(frozen=True, slots=True)
class Pick:
    """A choice as it arrives; what it is about is never trusted."""

    team_id: str
    channel_id: str
    thread_ts: str
    user_id: str
    turn_id: int


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that stands.

    Attributes:
        desk: Whose stewards correct it; None for direct messages and General.
    """

    turn: TurnRow
    row: MessageRow
    place: ConversationRow
    desk: DeskConfig | None

    @property
    def text(self) -> str:
        """What people read."""
        return self.row.shown or self.row.content


@dataclass(frozen=True, slots=True)
class Chooser:
    """Who chooses, as far as rights go.

    Attributes:
        outside: Why the desk takes nothing from this person; None where it does.
    """

    person: PersonFacts
    steward: bool
    asker: bool
    outside: NoCrossingReason | None


async def find_answer(
    tx: Transaction, configuration: Configuration, team_id: str, turn_id: int
) -> Answer | None:
    """The answer of a turn; None when there is none, or it was removed."""
    turn = await tx.turns.get(turn_id)
    row = await tx.messages.by_turn(turn_id) if turn is not None else None
    if turn is None or row is None or row.deleted_at is not None:
        return None
    place = await tx.conversations.get(row.conversation_id)
    if place is None or place.team_id != team_id:
        return None
    return Answer(turn, row, place, configuration.desk(place.desk_id))


async def look_at(directory: RightsDirectory, answer: Answer, user_id: str) -> Chooser:
    """Ask for what the person may do with this answer, now."""
    team_id, desk = answer.place.team_id, answer.desk
    directory.forget_person(team_id, user_id)
    person = await directory.person(team_id, user_id)
    here = Asker(
        user_id,
        guest=person.guest or person.bot or not person.known,
        stranger=person.stranger,
        deactivated=person.deactivated,
    )
    answers_to = desk.answers_to if desk is not None else AnswersTo()
    return Chooser(
        person=person,
        steward=desk is not None and await is_steward(directory, team_id, desk, user_id),
        asker=bool(user_id) and answer.turn.asker_user_id == user_id,
        outside=may_ask(here, answers_to),
    )
