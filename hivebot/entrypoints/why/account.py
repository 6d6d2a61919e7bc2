"""What came of a question, and why? Turns, deliberations and questions to other desks, read back.

Only reads. A message is traced to the question it serves, so that both ends of a referral show the
same account. Source: datapath.md 6, product.md 9.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from hivebot.entrypoints.why import telling
from hivebot.entrypoints.why.telling import Json
from hivebot.hive.conversation import PersonAuthor
from hivebot.services.audit import Audit, Replay
from hivebot.services.ports import Policies, Transaction, UnitOfWork
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.rows import (
    ConversationRow,
    DecisionRow,
    MessageRow,
    OutboxRow,
    ReferralRow,
    TurnRow,
    TurnState,
)
from hivebot.services.replaying import FOLD

QUESTIONS_MAX = 5
"""So many of a place's latest questions are told."""

LOOK_BACK = 30
"""So many of a channel's latest rows are looked at for questions."""

KEPT_MAX = 500
"""So many finished sentences and deliberations are kept in memory."""

OUTCOME = "outcome"
"""Fold of the decision by which a deliberation's outcome was put on record."""

_ENDED = frozenset({TurnState.COMMITTED, TurnState.FAILED, TurnState.CANCELLED})


@dataclass(frozen=True, slots=True)
class Stored:
    """What is stored about one question.

    Attributes:
        places: Every conversation that the question, a turn or a referral names, by id.
        said: The committed row of a turn, by turn id.
        posts: The outbox rows of a turn, by turn id.
    """

    question: MessageRow
    decisions: tuple[DecisionRow, ...]
    turns: tuple[TurnRow, ...]
    referrals: tuple[ReferralRow, ...]
    episodes: tuple[int, ...]
    places: dict[int, ConversationRow]
    said: dict[int, MessageRow]
    posts: dict[int, tuple[OutboxRow, ...]] = field(
        default_factory=dict[int, tuple[OutboxRow, ...]]
    )


class Accounts:
    """Tells what came of the questions of one workspace."""

    def __init__(self, work: UnitOfWork, policies: Policies, team_id: str) -> None:
        self._work = work
        self._policies = policies
        self._audit = Audit(work, policies)
        self._team_id = team_id
        self._sentences: dict[int, str] = {}
        self._replays: dict[int, Replay] = {}

    def desks(self) -> list[Json]:
        """The desks of the configuration in force, with their agents."""
        return [
            telling.desk(one, self._policies.current()) for one in self._policies.current().desks
        ]

    async def of(self, channel_id: str, thread_ts: str, ts: str = "") -> list[Json]:
        """The latest questions of a thread, of a message, or else of the channel; oldest first.

        Raises:
            StoreUnavailableError: nothing was read.
        """
        async with self._work.begin() as tx:
            ids = await self._questions(tx, channel_id, thread_ts, ts)
            stored = [await _stored(tx, one) for one in ids[-QUESTIONS_MAX:]]
        return [await self._told(_seen_from(one, channel_id)) for one in stored if one is not None]

    async def _questions(
        self, tx: Transaction, channel_id: str, thread_ts: str, ts: str
    ) -> list[int]:
        """Ids of the questions, each once, oldest first."""
        if ts:
            rows = await self._around(tx, channel_id, ts)
        elif thread_ts:
            place = await tx.conversations.find(self._team_id, channel_id, thread_ts)
            under = await tx.messages.since(place.id, 0) if place is not None else ()
            rows = [*await self._around(tx, channel_id, thread_ts), *under]
        else:
            channel = await tx.conversations.find(self._team_id, channel_id, "")
            newest = await tx.messages.window(channel.id, LOOK_BACK) if channel is not None else ()
            rows = list(reversed(newest))
        found: dict[int, None] = {}
        for row in rows:
            found.update(dict.fromkeys(await _served(tx, row)))
        return list(found)

    async def _around(self, tx: Transaction, channel_id: str, ts: str) -> list[MessageRow]:
        """The rows a message in Slack shows, whoever posted it."""
        rows = list(await tx.messages.find(self._team_id, channel_id, ts))
        posted = await tx.outbox.by_ts(self._team_id, channel_id, ts)
        if posted is None:
            return rows
        turn = await tx.turns.get(posted.turn_id) if posted.turn_id is not None else None
        for row_id in (posted.message_id, turn.question_id if turn is not None else None):
            row = await tx.messages.get(row_id) if row_id is not None else None
            rows += [row] if row is not None else []
        return rows

    async def _told(self, stored: Stored) -> Json:
        configuration = await self._policies.revision(_revision(stored))
        sentences = {turn.id: await self._why(turn) for turn in stored.turns}
        replays = [await self._replay(one) for one in stored.episodes]
        posts = {
            turn_id: [ts for one in rows for ts in one.ts] for turn_id, rows in stored.posts.items()
        }
        return {
            **telling.question(stored.question, stored.places),
            "decisions": [telling.decision(one) for one in stored.decisions],
            "turns": [
                telling.turn(
                    one, sentences[one.id], stored.places, posts.get(one.id, []), configuration
                )
                for one in stored.turns
            ],
            "referrals": [
                telling.referral(one, stored.places, configuration) for one in stored.referrals
            ],
            "episodes": [
                telling.episode(one, stored.turns, stored.said)
                for one in replays
                if one is not None
            ],
        }

    async def _why(self, turn: TurnRow) -> str:
        if turn.id in self._sentences:
            return self._sentences[turn.id]
        sentence = await self._audit.why(turn.id) or ""
        if turn.state in _ENDED:
            _keep(self._sentences, turn.id, sentence)
        return sentence

    async def _replay(self, episode_id: int) -> Replay | None:
        """The deliberation step by step; taken again only when its row has changed."""
        async with self._work.begin() as tx:
            row = await tx.episodes.get(episode_id)
        kept = self._replays.get(episode_id)
        if kept is not None and kept.episode == row and kept.episode.end is not None:
            return kept
        found = await self._audit.replay(episode_id)
        if found is not None:
            _keep(self._replays, episode_id, found)
        return found


T = TypeVar("T")


def _keep(kept: dict[int, T], key: int, value: T) -> None:
    kept[key] = value
    while len(kept) > KEPT_MAX:
        del kept[next(iter(kept))]


async def _served(tx: Transaction, row: MessageRow) -> Sequence[int]:
    """The questions a row is about: a person's row is its own, or its copy in the thread."""
    if row.referral_id is not None:
        referral = await tx.referrals.get(row.referral_id)
        return [referral.question_id] if referral is not None else []
    if row.turn_id is not None:
        turn = await tx.turns.get(row.turn_id)
        return [turn.question_id] if turn is not None else []
    if not isinstance(row.author, PersonAuthor):
        return []
    copies = await tx.messages.copies(row.id)
    return [one for one in (row.id, *(copy.id for copy in copies)) if await _is_question(tx, one)]


async def _is_question(tx: Transaction, row_id: int) -> bool:
    if any(turn.question_id == row_id for turn in await tx.turns.for_message(row_id)):
        return True
    return bool(await tx.referrals.for_question(row_id) or await _decisions(tx, row_id))


async def _decisions(tx: Transaction, row_id: int) -> tuple[DecisionRow, ...]:
    """Decisions about a question itself; those inside a deliberation are told with its steps."""
    found = await tx.decisions.for_message(row_id)
    return tuple(one for one in found if one.fold not in (FOLD, OUTCOME))


async def _stored(tx: Transaction, question_id: int) -> Stored | None:
    question = await tx.messages.get(question_id)
    if question is None:
        return None
    serving = await tx.turns.for_message(question_id)
    turns = tuple(turn for turn in serving if turn.question_id == question_id)
    referrals = await tx.referrals.for_question(question_id)
    episodes = await tx.episodes.for_question(question_id)
    said = {turn.id: await tx.messages.by_turn(turn.id) for turn in turns}
    return Stored(
        question=question,
        decisions=await _decisions(tx, question_id),
        turns=turns,
        referrals=referrals,
        episodes=tuple(one.id for one in episodes),
        places=await _places(tx, _conversations(question, turns, referrals)),
        said={turn_id: row for turn_id, row in said.items() if row is not None},
        posts={turn.id: await tx.outbox.for_turn(turn.id) for turn in turns},
    )


def _seen_from(stored: Stored, channel_id: str) -> Stored:
    """What those in a channel may see of it: words said elsewhere stay there.

    Of a question that was not asked in a public channel, others see the turns of their own channel
    and nothing else. Source: rights.md 2.
    """
    place = stored.places.get(stored.question.conversation_id)
    if place is None or place.channel_id == channel_id:
        return stored
    unsaid = replace(stored.question, content="")
    if place.audience is Audience.PUBLIC:
        return replace(stored, question=unsaid, said={})
    here = {one: row for one, row in stored.places.items() if row.channel_id == channel_id}
    turns = tuple(turn for turn in stored.turns if turn.conversation_id in here)
    return Stored(
        question=replace(unsaid, user_id="", ts=""),
        decisions=(),
        turns=turns,
        referrals=(),
        episodes=(),
        places=here,
        said={},
        posts={turn.id: stored.posts[turn.id] for turn in turns},
    )


def _conversations(
    question: MessageRow, turns: Iterable[TurnRow], referrals: Iterable[ReferralRow]
) -> set[int]:
    found = {question.conversation_id, *(turn.conversation_id for turn in turns)}
    for one in referrals:
        found |= {one.from_conversation_id, one.to_conversation_id}
    return found


async def _places(tx: Transaction, ids: Iterable[int]) -> dict[int, ConversationRow]:
    rows = [await tx.conversations.get(one) for one in ids]
    return {row.id: row for row in rows if row is not None}


def _revision(stored: Stored) -> str:
    """Of the configuration whose names are used: the latest any of it ran under."""
    ran = [one.revision for one in (*stored.decisions, *stored.referrals, *stored.turns)]
    return ran[-1] if ran else ""
