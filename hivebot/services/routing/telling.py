"""What do people see of a deliberation, while it runs and at its end?

One message that is edited, and one system row of the thread. Source: turns.md 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from hivebot.hive.conversation import SystemAuthor
from hivebot.services import outcomes
from hivebot.services.answer_menu import answer_menu, decision_of
from hivebot.services.floor import agreed_on, standings_now
from hivebot.services.inert import inert_marks
from hivebot.services.ports import NewMessage
from hivebot.services.records.episodes import EpisodeEnd, EpisodeRow
from hivebot.services.records.outgoing import Body, OutboxState
from hivebot.services.records.policy import DeskConfig
from hivebot.services.records.rows import ConversationRow, MessageRole, MessageRow, TurnState
from hivebot.services.routing.accepting import (
    Accepted,
    Fallen,
    decided_gate,
    hold_decision,
    judgement,
)
from hivebot.services.routing.passes import Pass

PROGRESS_EVERY = timedelta(seconds=3)

DECIDED = frozenset({EpisodeEnd.CONVERGED, EpisodeEnd.CHOSEN})
"""Ends that are an answer, which readers can correct."""


async def show_progress(
    here: Pass,
    episode: EpisodeRow,
    thread: ConversationRow,
    rows: Sequence[MessageRow],
    speaker_id: str,
    *,
    blind: bool,
) -> None:
    """Edit the progress message, at most every three seconds; `rows` are the whole log."""
    if episode.progress_id is None:
        return
    desk = here.configuration.desk(episode.desk_id)
    if desk is None:  # pragma: no cover - nobody speaks for a desk that is gone
        return
    body = outcomes.progress(_debate(here, episode, desk, rows), speaker_id, blind=blind)
    # a text that waits already is replaced by this one, at the moment it was to be shown
    waiting = here.now < episode.progressed_at
    earliest = episode.progressed_at if waiting else episode.progressed_at + PROGRESS_EVERY
    line = await here.tx.outbox.get(episode.progress_id)
    unseen = line is not None and line.state is OutboxState.QUEUED and not line.ts
    # what was not posted yet need not wait: the first text is to be there at once
    wait = earliest if here.now < earliest and not unseen else None
    await here.tx.outbox.revise(episode.progress_id, body, not_before=wait)
    await here.tx.episodes.progressed(episode.id, wait or here.now)
    await here.tx.jobs.deliver(thread.team_id, thread.channel_id, wait)


async def show(here: Pass, episode: EpisodeRow, thread: ConversationRow, body: Body) -> None:
    """Let the progress message say this, at once."""
    if episode.progress_id is not None:
        await here.tx.outbox.revise(episode.progress_id, body)
        await here.tx.jobs.deliver(thread.team_id, thread.channel_id)


async def finish(
    here: Pass,
    episode: EpisodeRow,
    thread: ConversationRow,
    end: EpisodeEnd,
    *,
    topic: str = "",
    reason: str = "",
) -> None:
    """End it: the outcome is one system row of the thread, and the progress message shows it."""
    ended = await here.tx.episodes.end(episode.id, end, topic, reason, here.now)
    if ended is None:
        return
    for turn in await here.tx.turns.waiting(episode.log_id):
        await here.tx.turns.close(turn.id, TurnState.CANCELLED, "the deliberation has ended")
    outcome = await outcome_of(here, ended, thread)
    waits = await hold_decision(here, ended, thread, outcome)
    if waits is not None:
        await show(here, ended, thread, waits)
    else:
        await tell(here, ended, thread, outcome)


async def tell(here: Pass, episode: EpisodeRow, thread: ConversationRow, body: Body) -> None:
    """Tell how an ended one ended: in its log of decisions, in the thread, and to whoever asked."""
    end = episode.end.value if episode.end is not None else ""
    row = await here.tx.messages.append(
        NewMessage(
            conversation_id=thread.id,
            role=MessageRole.OUTCOME,
            author=SystemAuthor("outcome", "the desk's decision"),
            # members' words, whose marks have been counted where they were spoken
            content=inert_marks("\n".join(part for part in (body.heading, body.text) if part)),
            # the options are the question's own words: they go when it is removed
            copy_of=episode.question_id,
            judged=True,
        )
    )
    await here.decide(
        row, "outcome", {"episode": episode.id}, {"end": end, "topic": episode.topic}, end
    )
    if episode.end in DECIDED:
        body = replace(body, menu=answer_menu(decision_of(row.id)))
    await show(here, episode, thread, body)
    if episode.asker_user_id:
        await here.tx.conversations.set_answered(thread.id, episode.asker_user_id)
    await here.tx.jobs.route(thread.id)


async def tell_reviewed(here: Pass, episode: EpisodeRow, thread: ConversationRow) -> None:
    """Tell a decision that waited, as it is or as corrected; or that it did not stand."""
    gate = await decided_gate(here, episode)
    if gate is None:
        return
    outcome = await outcome_of(here, episode, thread)
    match await judgement(here, episode, thread, gate, outcome):
        case Accepted(outcome=accepted):
            await tell(here, episode, thread, accepted)
        case Fallen(why=why):
            fallen = await here.tx.episodes.overturn(episode.id, why)
            await tell(here, fallen, thread, await outcome_of(here, fallen, thread))
        case None:
            pass


async def outcome_of(here: Pass, episode: EpisodeRow, thread: ConversationRow) -> Body:
    """What is told at the end.

    1. Of a question that was removed, and of a desk nobody knows any more, only that it ended.
    2. Of a desk that is disconnected, how it stood; nothing is offered.
    3. Otherwise its outcome.
    """
    desk = here.configuration.desk(episode.desk_id)
    question = await here.tx.messages.get(episode.question_id)
    if desk is None or question is None or question.deleted_at is not None:
        return outcomes.closed(episode)
    body = outcomes.outcome(await debate_of(here, episode, desk))
    return replace(body, buttons=()) if disconnected(here, episode, thread) else body


def disconnected(here: Pass, episode: EpisodeRow, thread: ConversationRow) -> bool:
    """Whether the desk is not in force any more, or bound to another channel."""
    bound = here.in_force.desk(episode.desk_id)
    return bound is None or bound.channel != thread.channel_id


async def debate_of(here: Pass, episode: EpisodeRow, desk: DeskConfig) -> outcomes.Debate:
    """Everything an outcome is told from."""
    rows = await here.tx.messages.since(episode.log_id, 0)
    spoken = await here.tx.turns.replies(episode.log_id)
    said = tuple(
        outcomes.Spoken(row, spoken[row.turn_id])
        for row in rows
        if row.turn_id is not None and row.turn_id in spoken
    )
    return _debate(here, episode, desk, rows, said)


def _debate(
    here: Pass,
    episode: EpisodeRow,
    desk: DeskConfig,
    rows: Sequence[MessageRow],
    said: tuple[outcomes.Spoken, ...] = (),
) -> outcomes.Debate:
    standing = (
        standings_now(episode.state, rows, desk, here.configuration)
        if episode.state is not None
        else ()
    )
    return outcomes.Debate(
        episode=episode,
        desk=desk,
        configuration=here.configuration,
        spoken=said,
        standings=standing,
        agreed=agreed_on(standing, desk),
        channel_id=here.conversation.channel_id,
        elapsed_s=int((here.now - episode.created_at).total_seconds()),
    )
