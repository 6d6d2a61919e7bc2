"""What happens when somebody removes what they said? It goes everywhere it was copied to.

Source: datapath.md 3 and 7, product.md 10.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from enum import StrEnum

from hivebot.hive.gate import GateState
from hivebot.services import lines
from hivebot.services.ports import Clock, Transaction, UnitOfWork
from hivebot.services.records.arrivals import MessageDeleted
from hivebot.services.records.episodes import EpisodeEnd, EpisodeRow
from hivebot.services.records.gates import GateRow
from hivebot.services.records.outgoing import Body, OutboxState
from hivebot.services.records.rows import (
    MessageRole,
    MessageRow,
    OutboxRow,
    ReferralRow,
    ReferralState,
    TurnKind,
    TurnRow,
    TurnState,
)
from hivebot.services.records.suggestions import SuggestionRow, SuggestionState
from hivebot.services.retrying import transact

WITHDRAWN = "withdrawn"
"""Reason of a referral whose question its author has removed; `routing` brings nothing home."""


class Erased(StrEnum):
    """What a deletion came to; for the log line."""

    ERASED = "erased"
    TOMBSTONED = "tombstoned"
    DUPLICATE = "duplicate"


class Erasure:
    """Removes what its author has removed."""

    def __init__(self, work: UnitOfWork, clock: Clock) -> None:
        self._work = work
        self._clock = clock

    async def receive(self, arrival: MessageDeleted) -> Erased:
        """Erase one message, or remember that it was deleted before it arrived.

        The event itself quotes what was removed, so only its key is kept.

        Raises:
            StoreUnavailableError: nothing was written; do not acknowledge.
            StoreConflictError: three times running.
        """
        return await transact(self._work, lambda tx: self._receive(tx, arrival))

    async def remove(self, message_id: int, posts: Sequence[int], said: Body) -> Erased:
        """Erase an answer of ours as if its author had removed it.

        The outbox rows that show it, `posts`, say `said` then.

        Raises:
            StoreUnavailableError: nothing was written.
            StoreConflictError: three times running.
        """
        return await transact(self._work, lambda tx: self._remove(tx, message_id, posts, said))

    async def _remove(
        self, tx: Transaction, message_id: int, posts: Sequence[int], said: Body
    ) -> Erased:
        family = await _locked_family(tx, lambda: _this(tx, message_id))
        if not family:
            return Erased.DUPLICATE
        await self._erase_family(tx, family)
        for post_id in posts:
            post = await tx.outbox.get(post_id)
            if post is not None and post.ts:
                await _show(tx, post, said)
        return Erased.ERASED

    async def _erase_family(self, tx: Transaction, family: tuple[MessageRow, ...]) -> None:
        for row in family:
            await self._stop_work(tx, row)
        for row in family:
            await self._erase(tx, row)
        await tx.memories.withdraw([row.id for row in family])

    async def _receive(self, tx: Transaction, arrival: MessageDeleted) -> Erased:
        """Erase the rows that show the message, and whatever was made from them.

        1. Its key, its stored events and an edit that waits for it: gone, and it stays deleted.
        2. Turns, referrals and deliberations that serve it end.
        3. Every copy loses its text, and what we posted of it says so.
        4. What was remembered of any of it is gone for good.
        """
        team_id, channel_id, ts = arrival.key.team_id, arrival.channel_id, arrival.ts
        if await tx.inbox.claim_event(arrival.key, {}) is None:
            return Erased.DUPLICATE
        await tx.inbox.lock_message(team_id, channel_id, ts)
        await tx.inbox.tombstone(team_id, channel_id, ts, self._clock.now())
        await tx.inbox.erase_payloads(team_id, channel_id, ts)
        family = await _locked_family(tx, lambda: tx.messages.find(team_id, channel_id, ts))
        if not family:
            return Erased.TOMBSTONED
        await self._erase_family(tx, family)
        return Erased.ERASED

    async def _stop_work(self, tx: Transaction, row: MessageRow) -> None:
        """End what serves a removed question, or would pass a removed answer on."""
        for referral in await tx.referrals.for_question(row.id):
            await _withdraw(tx, referral)
        for episode in await tx.episodes.for_question(row.id):
            await self._end_episode(tx, episode)
        for turn in await tx.turns.for_message(row.id):
            if await tx.turns.close(turn.id, TurnState.CANCELLED, WITHDRAWN):
                await tx.jobs.route(turn.conversation_id)
                await _say_answer_removed(tx, row, turn)
            if turn.kind is TurnKind.SPONSOR and turn.trigger_id == row.id:
                await _take_back_quote(tx, turn)

    async def _end_episode(self, tx: Transaction, episode: EpisodeRow) -> None:
        """Its options are the question's own words, and so is the line that shows them."""
        await tx.episodes.end(
            episode.id, EpisodeEnd.STOPPED, "", "the question was removed", self._clock.now()
        )
        await tx.episodes.blank(episode.id)
        for held in await tx.gates.for_episode(episode.id):
            await self._void(tx, held)
        if episode.progress_id is not None:
            await _show(tx, await tx.outbox.get(episode.progress_id), lines.removed())

    async def _erase(self, tx: Transaction, row: MessageRow) -> None:
        if row.deleted_at is None:
            await tx.messages.erase(row.id, self._clock.now())
        for post in await tx.outbox.for_message(row.id):
            await _take_back(tx, post)
        for line in await tx.outbox.private_about(row.id):
            await _silence(tx, line)
        for gate in await tx.gates.serving(row.id):
            await self._void(tx, gate)
        for suggestion in await tx.suggestions.of_answer(row.id):
            await self._take_back_suggestion(tx, suggestion)

    async def suggestions_of(self, user_id: str) -> None:
        """Erase what a person has suggested in the place of answers.

        Raises:
            StoreUnavailableError: nothing was written.
            StoreConflictError: three times running.
        """

        async def use(tx: Transaction) -> None:
            for suggestion in await tx.suggestions.by_user(user_id):
                await self._take_back_suggestion(tx, suggestion)

        await transact(self._work, use)

    async def _take_back_suggestion(self, tx: Transaction, suggestion: SuggestionRow) -> None:
        await tx.suggestions.end(suggestion.id, SuggestionState.VOID, self._clock.now())
        await tx.suggestions.blank(suggestion.id)
        if suggestion.post_id is not None:
            await _show(tx, await tx.outbox.get(suggestion.post_id), lines.removed())

    async def _void(self, tx: Transaction, gate: GateRow) -> None:
        """A gate about it ends without a decision, leads to nothing and shows nothing any more."""
        await tx.gates.end(gate.id, GateState.VOID, self._clock.now())
        await tx.gates.settled(gate.id, self._clock.now())
        await tx.gates.blank(gate.id)
        for row_id in (gate.post_id, gate.status_id):
            if row_id is not None:
                await _show(tx, await tx.outbox.get(row_id), lines.removed())


async def _withdraw(tx: Transaction, referral: ReferralRow) -> None:
    ended = await tx.referrals.end(referral.id, ReferralState.REFUSED, WITHDRAWN)
    if ended and referral.status_id is not None:
        line = await tx.outbox.get(referral.status_id)
        await _show(tx, line, lines.question_removed(referral.reference))


async def _say_answer_removed(tx: Transaction, row: MessageRow, turn: TurnRow) -> None:
    """Whoever asked learns that the far answer was removed before it could be passed on."""
    if row.role is not MessageRole.RETURN or row.referral_id is None or turn.trigger_id != row.id:
        return
    referral = await tx.referrals.get(row.referral_id)
    if referral is not None and referral.status_id is not None and referral.reason != WITHDRAWN:
        line = await tx.outbox.get(referral.status_id)
        await _show(tx, line, lines.answer_removed(referral.to_desk_id, referral.reference))


async def _take_back_quote(tx: Transaction, turn: TurnRow) -> None:
    """A sponsor's message keeps the sponsor's words and loses what it quoted."""
    for post in await tx.outbox.for_turn(turn.id):
        gone = tuple(replace(quote, text=lines.REMOVED) for quote in post.body.quotes)
        await _show(tx, post, replace(post.body, quotes=gone))


async def _take_back(tx: Transaction, post: OutboxRow) -> None:
    """What we posted of it says that it was removed; what was not posted yet never is."""
    if post.state is OutboxState.QUEUED and not post.ts:
        await tx.outbox.settle(post.id, post.attempt, OutboxState.CANCELLED, WITHDRAWN)
        await tx.outbox.blank(post.id)
        for team_id, channel_id in await tx.outbox.waiters(post.id):
            await tx.jobs.deliver(team_id, channel_id)
        return
    await _show(tx, post, lines.removed())


async def _silence(tx: Transaction, line: OutboxRow) -> None:
    """A private line about it is not said any more; one that was said cannot be changed."""
    if line.state is OutboxState.QUEUED:
        await tx.outbox.settle(line.id, line.attempt, OutboxState.CANCELLED, WITHDRAWN)
    await tx.outbox.blank(line.id)


async def _show(tx: Transaction, post: OutboxRow | None, body: Body) -> None:
    """Bring a message to another text; one that never came to stand there is only blanked."""
    if post is None:
        return
    if not post.ts and post.state not in (OutboxState.QUEUED, OutboxState.SENDING):
        await tx.outbox.blank(post.id)
        return
    await tx.outbox.revise(post.id, body)
    await tx.jobs.deliver(post.destination.team_id, post.destination.channel_id)


Rows = Callable[[], Awaitable[tuple[MessageRow, ...]]]


async def _this(tx: Transaction, message_id: int) -> tuple[MessageRow, ...]:
    """A row that still stands."""
    row = await tx.messages.get(message_id)
    return (row,) if row is not None and row.deleted_at is None else ()


async def _locked_family(tx: Transaction, shown: Rows) -> tuple[MessageRow, ...]:
    """The rows that show a message and all that was made from them, their conversations locked.

    Whoever is about to make another copy holds the conversation it is made from, so it is found.
    """
    locked: set[int] = set()
    while True:
        family = await _family(tx, await shown())
        wanted = {row.conversation_id for row in family} - locked
        if not wanted:
            return family
        await tx.conversations.lock(sorted(wanted))
        locked |= wanted


async def _family(tx: Transaction, rows: tuple[MessageRow, ...]) -> tuple[MessageRow, ...]:
    """Rows with their copies, and of questions that crossed what was posted and came home."""
    family: dict[int, MessageRow] = {}
    waiting = list(rows)
    while waiting:
        row = waiting.pop()
        if row.id in family:
            continue
        family[row.id] = row
        waiting += await tx.messages.copies(row.id)
        for referral in await tx.referrals.for_question(row.id):
            waiting += await _crossed(tx, referral)
    return tuple(family[row_id] for row_id in sorted(family))


async def _crossed(tx: Transaction, referral: ReferralRow) -> list[MessageRow]:
    """The question as it stands on the far desk, and the answer as it came home.

    The answer itself is its speaker's, and stays where it was given.
    """
    found: list[MessageRow] = []
    post = await tx.outbox.get(referral.post_id) if referral.post_id is not None else None
    asked = await tx.messages.get(post.message_id) if post and post.message_id else None
    if asked is not None:
        found.append(asked)
    if referral.answer_id is not None:
        found += [
            copy
            for copy in await tx.messages.copies(referral.answer_id)
            if copy.referral_id == referral.id
        ]
    return found
