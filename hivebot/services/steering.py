"""What may people do to a deliberation by pressing its buttons? Wishes, checked against rows.

A press is judged by ids at the moment it is made, recorded without waiting for any conversation's
lock, and answered visibly; a second one changes nothing. Source: turns.md 6, rights.md 1.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from hivebot.hive.crossing import ReachKind
from hivebot.services import lines
from hivebot.services.pointing import spoken, told
from hivebot.services.ports import (
    Clock,
    NewMessage,
    NewOutbox,
    Policies,
    RightsDirectory,
    Transaction,
    UnitOfWork,
)
from hivebot.services.records.episodes import EpisodeRow, Wish
from hivebot.services.records.outgoing import Body, Destination, OutboxKind
from hivebot.services.records.policy import DeskConfig
from hivebot.services.records.rows import ConversationRow, MessageRole
from hivebot.services.snapshots import active_members, question_text
from hivebot.services.stewards import is_steward

ROUNDS = 2
"""Rounds that "Two more rounds" adds: one turn per member each."""


class Steered(StrEnum):
    """What a press came to; for the log line."""

    DONE = "done"
    REFUSED = "refused"
    SPENT = "spent"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Push:
    """A press of an episode's button. `value` is what the button carried, never trusted."""

    team_id: str
    channel_id: str
    thread_ts: str
    user_id: str
    value: str

    @property
    def episode_id(self) -> int | None:
        """The episode it is about."""
        number = self.value.partition(":")[0]
        return int(number) if number.isascii() and number.isdigit() and len(number) < 19 else None

    @property
    def topic(self) -> str:
        """The option it names, "" for none."""
        return self.value.partition(":")[2]


@dataclass(frozen=True, slots=True)
class _Case:
    """A press with the episode it is about."""

    push: Push
    episode: EpisodeRow
    thread: ConversationRow
    desk: DeskConfig


Act = Callable[[Transaction, _Case], Awaitable[Steered]]


class Steering:
    """Carries out presses on deliberations."""

    def __init__(
        self, work: UnitOfWork, policies: Policies, directory: RightsDirectory, clock: Clock
    ) -> None:
        self._work = work
        self._policies = policies
        self._directory = directory
        self._clock = clock

    async def stop(self, push: Push) -> Steered:
        """End it where it stands: whoever asked, or a steward."""
        return await self._steer(push, self._stop, asker=True)

    async def answer_now(self, push: Push) -> Steered:
        """Let the lead answer at once: whoever asked, or a steward."""
        return await self._steer(push, self._answer_now, asker=True)

    async def choose(self, push: Push) -> Steered:
        """Decide an undecided one: a steward."""
        return await self._steer(push, self._choose, asker=False)

    async def two_more(self, push: Push) -> Steered:
        """Let an undecided one go on: whoever asked, or a steward."""
        return await self._steer(push, self._two_more, asker=True)

    async def ask_another(self, push: Push) -> Steered:
        """Say which desks may be asked and how: whoever asked, or a steward."""
        return await self._steer(push, self._ask_another, asker=True)

    async def again(self, push: Push) -> Steered:
        """Deliberate the question again with what came late: whoever asked, or a steward."""
        return await self._steer(push, self._again, asker=True)

    async def why(self, push: Push) -> Steered:
        """Say how the turns were given: whoever reads the channel it was decided in.

        As `@hive why` does, and also of a desk that is not configured any more.

        Raises:
            StoreUnavailableError: nothing was written.
        """
        async with self._work.begin() as tx:
            episode = await tx.episodes.get(push.episode_id or 0)
            thread = await tx.conversations.get(episode.conversation_id) if episode else None
            place = (push.team_id, push.channel_id)
            if episode is None or thread is None or (thread.team_id, thread.channel_id) != place:
                return await _say(tx, push, lines.press_gone(), Steered.GONE)
            turn_ids, earlier = await spoken(tx, episode)
            body = await told(tx, self._policies, turn_ids, earlier)
            return await _say(tx, push, body, Steered.DONE)

    async def _steer(self, push: Push, act: Act, *, asker: bool) -> Steered:
        """Check the press, then act.

        1. The episode exists, in this workspace, and its desk is configured.
        2. The presser asked the question, where that is enough, or is a steward of the desk.

        Raises:
            StoreUnavailableError: nothing was written.
        """
        case = await self._case(push)
        if case is None:
            return await self._said(push, lines.press_gone(), Steered.GONE)
        theirs = asker and case.episode.asker_user_id == push.user_id
        if not theirs and not await is_steward(
            self._directory, push.team_id, case.desk, push.user_id
        ):
            refused = lines.press_refused() if asker else lines.press_for_stewards()
            return await self._said(push, refused, Steered.REFUSED)
        async with self._work.begin() as tx:
            return await act(tx, case)

    async def _case(self, push: Push) -> _Case | None:
        if push.episode_id is None:
            return None
        async with self._work.begin() as tx:
            episode = await tx.episodes.get(push.episode_id)
            if episode is None:
                return None
            thread = await tx.conversations.get(episode.conversation_id)
        desk = self._policies.current().desk(episode.desk_id)
        if thread is None or thread.team_id != push.team_id or desk is None:
            return None
        return _Case(push, episode, thread, desk)

    async def _stop(self, tx: Transaction, case: _Case) -> Steered:
        return await self._wish(tx, case, Wish.STOP, "somebody pressed Stop")

    async def _answer_now(self, tx: Transaction, case: _Case) -> Steered:
        return await self._wish(tx, case, Wish.ANSWER_NOW, "")

    async def _wish(self, tx: Transaction, case: _Case, wish: Wish, reason: str) -> Steered:
        if not await tx.episodes.wish(case.episode.id, wish, reason):
            return await _say(tx, case.push, lines.episode_over(), Steered.SPENT)
        await tx.jobs.route(case.episode.log_id)
        return Steered.DONE

    async def _choose(self, tx: Transaction, case: _Case) -> Steered:
        options = [option.id for option in case.episode.options]
        if case.push.topic not in options:
            return await _say(tx, case.push, lines.press_gone(), Steered.GONE)
        reason = f"Chosen by a steward of #{case.desk.id}"
        if not await tx.episodes.wish_choice(case.episode.id, case.push.topic, reason):
            return await _say(tx, case.push, lines.episode_decided(), Steered.SPENT)
        await tx.jobs.route(case.episode.log_id)
        return Steered.DONE

    async def _two_more(self, tx: Transaction, case: _Case) -> Steered:
        members = active_members(case.desk, self._policies.current())
        deadline = self._clock.now() + timedelta(seconds=case.desk.episode.deadline_s)
        reopened = await tx.episodes.reopen(case.episode.id, ROUNDS * len(members), deadline)
        if reopened is None:
            return await _say(tx, case.push, lines.episode_decided(), Steered.SPENT)
        await tx.jobs.route(case.episode.log_id)
        return Steered.DONE

    async def _ask_another(self, tx: Transaction, case: _Case) -> Steered:
        asks = case.desk.asks
        names = [
            desk.id
            for desk in self._policies.current().desks
            if desk.id != case.desk.id
            and (asks.kind in (ReachKind.ANY, ReachKind.GATE) or desk.id in asks.desks)
            and case.desk.referral.policy.enabled
        ]
        return await _say(tx, case.push, lines.how_to_ask(names), Steered.DONE)

    async def _again(self, tx: Transaction, case: _Case) -> Steered:
        await tx.conversations.lock([case.thread.id])
        episodes = await tx.episodes.in_thread(case.thread.id)
        question = await tx.messages.get(case.episode.question_id)
        if question is None or question.deleted_at is not None:
            return await _say(tx, case.push, lines.press_gone(), Steered.GONE)
        waiting = await tx.messages.unjudged(case.thread.id)
        begun = episodes[-1].id != case.episode.id or case.episode.end is None
        if begun or any(row.copy_of == question.id for row in waiting):
            return await _say(tx, case.push, lines.episode_again(), Steered.SPENT)
        await tx.messages.append(
            NewMessage(
                conversation_id=case.thread.id,
                role=MessageRole.SPEECH,
                author=question.author,
                content=f"deliberate {question_text(question.content)}",
                user_id=question.user_id,
                user_team_id=question.user_team_id,
                addressed=True,
                wakes=True,
                copy_of=question.id,
            )
        )
        await tx.jobs.route(case.thread.id)
        return Steered.DONE

    async def _said(self, push: Push, body: Body, steered: Steered) -> Steered:
        async with self._work.begin() as tx:
            return await _say(tx, push, body, steered)


async def _say(tx: Transaction, push: Push, body: Body, steered: Steered) -> Steered:
    place = Destination(push.team_id, push.channel_id, push.thread_ts, push.user_id)
    await tx.outbox.add(NewOutbox(OutboxKind.EPHEMERAL, place, body))
    await tx.jobs.deliver(push.team_id, push.channel_id)
    return steered
