"""Which answer is a choice about, and who is choosing? Read anew at the moment of the act.

Source: rights.md 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from hivebot.hive.crossing import AnswersTo, Asker, NoCrossingReason, may_ask
from hivebot.services.answer_menu import answer_of, decision_of, row_of, whole
from hivebot.services.ports import PersonFacts, RightsDirectory, Transaction
from hivebot.services.records.policy import Configuration, DeskConfig
from hivebot.services.records.rows import (
    ConversationRow,
    MessageRole,
    MessageRow,
    OutboxRow,
    TurnKind,
)
from hivebot.services.snapshots import active_members
from hivebot.services.stewards import is_steward


@dataclass(frozen=True, slots=True)
class Pick:
    """A choice as it arrives; `about` names what it is about and is never trusted."""

    team_id: str
    channel_id: str
    thread_ts: str
    user_id: str
    about: str


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, or a desk's decision, that stands.

    Attributes:
        about: What refers to it.
        desk: Whose stewards correct it; None for direct messages and General.
        agent_id: Who says more about it; "" where nobody is left.
        asked_id: The row it answers.
        question_id: The person's question that all of it serves.
        turn_id, episode_id: Whose it is: one of them.
        progress_id: The outbox row of a decision, which is no row's own post.
    """

    about: str
    row: MessageRow
    place: ConversationRow
    desk: DeskConfig | None
    agent_id: str
    asker_user_id: str
    asked_id: int
    question_id: int
    turn_id: int | None = None
    episode_id: int | None = None
    progress_id: int | None = None

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
    tx: Transaction, configuration: Configuration, team_id: str, about: str
) -> Answer | None:
    """The answer, or decision, that is referred to; None when there is none, or it was removed."""
    row_id = row_of(about)
    if row_id is not None:
        return await _decision(tx, configuration, team_id, row_id)
    turn = await tx.turns.get(whole(about) or 0)
    row = await tx.messages.by_turn(turn.id) if turn is not None else None
    place = await _place(tx, row, team_id)
    if turn is None or row is None or place is None:
        return None
    return Answer(
        about=answer_of(turn.id),
        row=row,
        place=place,
        desk=configuration.desk(place.desk_id),
        agent_id=turn.agent_id,
        asker_user_id=turn.asker_user_id,
        asked_id=turn.question_id if turn.kind is TurnKind.SPONSOR else turn.trigger_id,
        question_id=turn.question_id,
        turn_id=turn.id,
    )


async def find_by_row(
    tx: Transaction, configuration: Configuration, team_id: str, row_id: int
) -> Answer | None:
    """The same by its row."""
    row = await tx.messages.get(row_id)
    turn_id = row.turn_id if row is not None else None
    about = decision_of(row_id) if turn_id is None else answer_of(turn_id)
    return await find_answer(tx, configuration, team_id, about)


async def _decision(
    tx: Transaction, configuration: Configuration, team_id: str, row_id: int
) -> Answer | None:
    row = await tx.messages.get(row_id)
    place = await _place(tx, row, team_id)
    if row is None or place is None or row.role is not MessageRole.OUTCOME:
        return None
    ended = await tx.episodes.in_thread(place.id)
    episode = next((one for one in reversed(ended) if one.question_id == row.copy_of), None)
    if episode is None:
        return None
    desk = configuration.desk(place.desk_id)
    members = active_members(desk, configuration) if desk is not None else ()
    return Answer(
        about=decision_of(row.id),
        row=row,
        place=place,
        desk=desk,
        agent_id=members[0] if members else "",
        asker_user_id=episode.asker_user_id,
        asked_id=episode.question_id,
        question_id=episode.question_id,
        episode_id=episode.id,
        progress_id=episode.progress_id,
    )


async def _place(tx: Transaction, row: MessageRow | None, team_id: str) -> ConversationRow | None:
    """Where a row that was not removed stands, in this workspace."""
    if row is None or row.deleted_at is not None:
        return None
    place = await tx.conversations.get(row.conversation_id)
    return place if place is not None and place.team_id == team_id else None


async def posts_of(tx: Transaction, answer: Answer) -> tuple[OutboxRow, ...]:
    """The messages that show it."""
    if answer.episode_id is None:
        return await tx.outbox.for_message(answer.row.id)
    post = await tx.outbox.get(answer.progress_id) if answer.progress_id is not None else None
    return (post,) if post is not None else ()


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
        asker=bool(user_id) and answer.asker_user_id == user_id,
        outside=may_ask(here, answers_to),
    )
