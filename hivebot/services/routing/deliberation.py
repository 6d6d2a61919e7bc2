"""What happens next in a deliberation? One step at a time, each committed before the next.

Source: turns.md 1, 5 and 6, hive.md 16.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import assert_never

from hivebot.hive.episode import (
    Converged,
    Deadlocked,
    EpisodeState,
    Examination,
    Exhausted,
    HiveTurn,
    Idle,
    Speak,
    Visibility,
)
from hivebot.hive.gate import GateState
from hivebot.hive.mention.code import code_ranges
from hivebot.hive.options import OPTIONS_MAX, OPTIONS_MIN, Option, distinct, written_options
from hivebot.hive.wire import encode_episode_state
from hivebot.services import lines, outcomes
from hivebot.services.floor import fresh_state, look, working
from hivebot.services.neighbours import far_desks
from hivebot.services.ports import NewEpisode, NewOutbox, NewTurn
from hivebot.services.recording import reference, without_text
from hivebot.services.records.episodes import EpisodeEnd, EpisodeRow, EpisodeStage, Wish
from hivebot.services.records.outgoing import Body, OutboxKind
from hivebot.services.records.policy import Configuration, Consult, Deliberate, DeskConfig
from hivebot.services.records.replies import FramingTurn
from hivebot.services.records.rows import (
    ConversationRow,
    DecisionRow,
    MessageRole,
    MessageRow,
    TurnKind,
    TurnState,
)
from hivebot.services.reserving import Reservation, reservation
from hivebot.services.routing.judging import is_asked_for
from hivebot.services.routing.passes import Pass, person_of
from hivebot.services.routing.stopping import why_stopped
from hivebot.services.routing.telling import (
    finish,
    outcome_of,
    show,
    show_progress,
    tell,
    tell_reviewed,
)
from hivebot.services.snapshots import active_members
from hivebot.services.threads import copy_into

FAILURES_MAX = 2
"""Failed turns after which a member's model is not called again in an episode. turns.md 5."""

MEMBERS_MIN = 2


async def open_episode(here: Pass, row: MessageRow, desk: DeskConfig, decision_id: int) -> bool:
    """Begin a deliberation about this question; False when the budget does not allow it."""
    held = reservation(desk, here.configuration)
    if not await _affordable(here, desk, held, decision_id):
        return False
    progress = await here.tx.outbox.add(
        NewOutbox(OutboxKind.LINE, here.here(), outcomes.began(desk, 0))
    )
    log = await here.tx.conversations.open_log(here.conversation.id)
    # nobody else can see it yet, and what waits in the thread behind the question goes there
    here.locked[log.id] = log
    await here.tx.messages.append(copy_into(log.id, row))
    for earlier in await here.tx.messages.since(here.conversation.id, 0):
        # what other desks have answered in this thread is known before anybody proposes
        if earlier.role is MessageRole.RETURN and earlier.deleted_at is None:
            await here.tx.messages.append(copy_into(log.id, earlier))
    settings = desk.episode
    episode = await here.tx.episodes.add(
        NewEpisode(
            conversation_id=here.conversation.id,
            log_id=log.id,
            desk_id=desk.id,
            question_id=row.id,
            asker_user_id=person_of(row),
            revision=here.configuration.revision,
            progress_id=progress.id,
            reserved_tokens=held.tokens,
            reserved_usd_micros=held.usd_micros,
            created_at=here.now,
            consult_due_at=here.now + timedelta(seconds=settings.consult_timeout_s),
            deadline_at=here.now + timedelta(seconds=settings.deadline_s),
        )
    )
    await here.tx.outbox.revise(progress.id, outcomes.began(desk, episode.id))
    await here.tx.jobs.deliver(here.conversation.team_id, here.conversation.channel_id)
    await here.tx.jobs.route(log.id)
    return True


async def _affordable(here: Pass, desk: DeskConfig, held: Reservation, decision_id: int) -> bool:
    """Whether it may begin; if not, one line says what it could cost and what is left."""
    reference = lines.reference_of(decision_id)
    if await here.over_budget(desk):
        await here.line(lines.budget_spent(desk.id, reference))
        return False
    left_tokens, left_usd = await here.left(desk)
    left_tokens = min(left_tokens, desk.budget.tokens_per_question)
    if held.tokens <= left_tokens and held.usd_micros <= left_usd:
        return True
    await here.line(
        lines.not_affordable(
            desk.name,
            needed=held.in_words(),
            left=Reservation(left_tokens, left_usd).in_words(),
            reference=reference,
        )
    )
    return False


async def step_episode(here: Pass, episode: EpisodeRow) -> bool:
    """Take the next step of a deliberation; True when a turn was opened in its log.

    1. An ended one stays as it is.
    2. A wish, a disconnected desk, a spent budget, then the deadline end it.
    3. Peers are consulted, then the options are framed, where that is still to be done.
    4. Relay turns that wait are spoken.
    5. With fewer than two members whose model answers it ends as failed.
    6. The market decides.
    """
    thread = here.lockable(episode.conversation_id)
    desk = here.configuration.desk(episode.desk_id)
    if episode.end is not None:
        await tell_reviewed(here, episode, thread)
        await _chosen(here, episode, thread)
        return False
    if await _ended_from_outside(here, episode, thread, desk) or desk is None:
        return False
    if episode.stage in (EpisodeStage.OPENED, EpisodeStage.CONSULTING):
        episode = await _consult(here, episode, desk)
    if episode.stage is EpisodeStage.CONSULTING:
        return await _open_waiting(here)
    if episode.stage is EpisodeStage.FRAMING:
        framed = await _frame(here, episode, thread, desk)
        if framed is None:
            return await _open_waiting(here)
        episode = framed
    if episode.end is not None:
        return False
    if await _open_waiting(here):
        return True
    return await _market(here, episode, thread, desk)


async def _ended_from_outside(
    here: Pass, episode: EpisodeRow, thread: ConversationRow, desk: DeskConfig | None
) -> bool:
    if episode.wish is Wish.ANSWER_NOW and desk is not None:
        await _lead_answers(here, episode, thread, desk, "asked to answer now")
        return True
    reason = await why_stopped(here, episode, thread, desk)
    if reason:
        await finish(here, episode, thread, EpisodeEnd.STOPPED, reason=reason)
        return True
    if here.now >= episode.deadline_at:
        await finish(here, episode, thread, EpisodeEnd.TIMED_OUT)
        return True
    return False


async def _chosen(here: Pass, episode: EpisodeRow, thread: ConversationRow) -> None:
    """A steward has decided what the desk did not."""
    chosen = await here.tx.episodes.choose(episode.id)
    if chosen is not None:
        await tell(here, chosen, thread, await outcome_of(here, chosen, thread))


async def _open_waiting(here: Pass) -> bool:
    waiting = await here.tx.turns.waiting(here.conversation.id)
    if not waiting:
        return False
    turn = await here.tx.turns.authorise(waiting[0].id, waiting[0].decision_id)
    await here.tx.jobs.speak(turn.id, here.conversation.id)
    return True


async def _consult(here: Pass, episode: EpisodeRow, desk: DeskConfig) -> EpisodeRow:
    """Ask peers before anybody has proposed, where the desk does; then wait a bounded time."""
    if desk.episode.consult is Consult.OFF or not _may_consult(desk, here.configuration):
        return await here.tx.episodes.advance(episode.id, EpisodeStage.FRAMING)
    if episode.stage is EpisodeStage.OPENED:
        await _lead_turn(here, episode, desk, TurnKind.CONSULT)
        return await here.tx.episodes.advance(episode.id, EpisodeStage.CONSULTING)
    asked = await here.tx.turns.latest(here.conversation.id, TurnKind.CONSULT)
    answered = asked is not None and asked.state in (TurnState.COMMITTED, TurnState.FAILED)
    if here.now >= episode.consult_due_at or (answered and not await _asking(here, episode)):
        return await here.tx.episodes.advance(episode.id, EpisodeStage.FRAMING)
    return episode


async def _asking(here: Pass, episode: EpisodeRow) -> bool:
    """Whether a question of this log is on its way, or waits for a steward to let it go."""
    if await here.tx.referrals.open_from(here.conversation.id):
        return True
    gates = await here.tx.gates.serving(episode.question_id)
    return any(
        gate.state is GateState.OPEN and gate.conversation_id == here.conversation.id
        for gate in gates
    )


def _may_consult(desk: DeskConfig, configuration: Configuration) -> bool:
    """Whether there is anybody to ask: a call that may ask nobody is not paid for."""
    hops = desk.referral.policy.max_hops
    return desk.episode.max_asks > 0 and hops > 0 and bool(far_desks(desk, configuration))


async def _frame(
    here: Pass, episode: EpisodeRow, thread: ConversationRow, desk: DeskConfig
) -> EpisodeRow | None:
    """Find the options; None while the lead is still framing them.

    1. More than eight written ones are answered by the lead.
    2. At least two written ones are taken, unless `deliberate: lead_decides` and the lead finds
       nothing to decide between.
    3. Else those the lead finds.
    4. Fewer than two are answered by the lead.
    """
    question = await here.tx.messages.get(episode.question_id)
    words = question.content if question is not None else ""
    written = written_options(words, code_ranges(words.encode()).holds)
    if len(written) > OPTIONS_MAX:
        reason = f"a desk decides between at most {OPTIONS_MAX} options, here are {len(written)}"
        await _lead_answers(here, episode, thread, desk, reason)
        return await here.tx.episodes.get(episode.id)
    options = written
    if len(written) < OPTIONS_MIN or _lead_decides(desk, words):
        found = await _framed(here, episode, desk)
        if found is None:
            return None
        few = min(len(written), len(found)) < OPTIONS_MIN
        options = found if few else written
    if len(options) < OPTIONS_MIN or len(active_members(desk, here.configuration)) < MEMBERS_MIN:
        reason = "there is nothing to decide between"
        await _lead_answers(here, episode, thread, desk, reason)
        return await here.tx.episodes.get(episode.id)
    return await _begin(here, episode, desk, options[:OPTIONS_MAX])


def _lead_decides(desk: DeskConfig, words: str) -> bool:
    """Whether the lead is to say if there is anything to decide, whatever the person wrote."""
    return desk.deliberate is Deliberate.LEAD_DECIDES and not is_asked_for(words)


async def _framed(here: Pass, episode: EpisodeRow, desk: DeskConfig) -> tuple[Option, ...] | None:
    """What the lead finds there is to decide between; None while it is still asked."""
    framing = await here.tx.turns.latest(here.conversation.id, TurnKind.FRAMING)
    if framing is None:
        await _lead_turn(here, episode, desk, TurnKind.FRAMING)
        return None
    if framing.state in (TurnState.WAITING, TurnState.AUTHORISED, TurnState.RUNNING):
        return None
    reply = framing.reply
    return distinct(reply.options) if isinstance(reply, FramingTurn) else ()


async def _begin(
    here: Pass, episode: EpisodeRow, desk: DeskConfig, options: tuple[Option, ...]
) -> EpisodeRow:
    """Set the watermark at the last row present; from here on the market decides."""
    (log,) = await here.tx.conversations.lock([here.conversation.id])
    state = fresh_state(log, log.last_seq, desk, here.configuration)
    return await here.tx.episodes.begin(episode.id, options, state)


async def _lead_turn(here: Pass, episode: EpisodeRow, desk: DeskConfig, kind: TurnKind) -> None:
    lead = active_members(desk, here.configuration)[0]
    first = await here.tx.messages.window(here.conversation.id, 1, before=2)
    await here.tx.turns.add(
        NewTurn(
            conversation_id=here.conversation.id,
            kind=kind,
            agent_id=lead,
            state=TurnState.WAITING,
            trigger_id=first[0].id,
            question_id=episode.question_id,
            asker_user_id=episode.asker_user_id,
            hop=0,
            revision=episode.revision,
            episode_id=episode.id,
        )
    )


async def _lead_answers(
    here: Pass, episode: EpisodeRow, thread: ConversationRow, desk: DeskConfig, why: str
) -> None:
    """No deliberation (any more): the lead gives one answer in the thread."""
    members = active_members(desk, here.configuration)
    await here.tx.episodes.end(episode.id, EpisodeEnd.LEAD_ANSWERS, "", why, here.now)
    if not members:
        await show(here, episode, thread, Body(text="Nobody on this desk can answer."))
        return
    agent = here.configuration.agent(members[0])
    name = agent.name if agent is not None else members[0]
    await show(here, episode, thread, lines.lead_answers(name, why))
    await here.tx.turns.add(
        NewTurn(
            conversation_id=thread.id,
            kind=TurnKind.ANSWER,
            agent_id=members[0],
            state=TurnState.WAITING,
            trigger_id=episode.question_id,
            question_id=episode.question_id,
            asker_user_id=episode.asker_user_id,
            hop=0,
            revision=episode.revision,
            reason="lead_answers",
        )
    )
    await here.tx.jobs.route(thread.id)


async def _market(
    here: Pass, episode: EpisodeRow, thread: ConversationRow, desk: DeskConfig
) -> bool:
    state = episode.state
    if state is None:  # pragma: no cover - set when the options were
        return False
    answering = [
        member
        for member in active_members(desk, here.configuration)
        if episode.failed(member) < FAILURES_MAX
    ]
    if len(answering) < MEMBERS_MIN:
        reason = "fewer than two members could answer"
        await finish(here, episode, thread, EpisodeEnd.FAILED, reason=reason)
        return False
    rows = await here.tx.messages.since(here.conversation.id, 0)
    examination = look(episode, state, rows, desk, here.configuration)
    decided = await _decide(here, episode, state, rows, examination)
    match examination.step:
        case Speak(turn=turn):
            await _give_floor(here, episode, thread, turn, rows, decided.id)
            return True
        case Converged(topic=topic):
            await finish(here, episode, thread, EpisodeEnd.CONVERGED, topic=topic)
        case Deadlocked():
            await finish(here, episode, thread, EpisodeEnd.DEADLOCKED)
        case Exhausted():
            await finish(here, episode, thread, EpisodeEnd.EXHAUSTED)
        case Idle():
            await finish(here, episode, thread, EpisodeEnd.IDLE)
        case _:  # pragma: no cover - exhaustive
            assert_never(examination.step)
    return False


async def _decide(
    here: Pass,
    episode: EpisodeRow,
    state: EpisodeState,
    rows: Sequence[MessageRow],
    examination: Examination,
) -> DecisionRow:
    """Record the step with all its working, the last one too, so that it can be replayed."""
    step = examination.step
    turn = step.turn if isinstance(step, Speak) else None
    return await here.decide(
        rows[-1],
        "step",
        {
            "episode": episode.id,
            "state": dict(encode_episode_state(state)),
            "rows": [reference(row) for row in rows],
            "extra_turns": episode.extra_turns,
        },
        without_text(working(examination)),
        turn.reason.value if turn is not None else type(step).__name__.lower(),
        next_state=dict(encode_episode_state(turn.next_state)) if turn is not None else None,
    )


async def _give_floor(
    here: Pass,
    episode: EpisodeRow,
    thread: ConversationRow,
    turn: HiveTurn,
    rows: tuple[MessageRow, ...],
    decision_id: int,
) -> None:
    added = await here.tx.turns.add(
        NewTurn(
            conversation_id=here.conversation.id,
            kind=TurnKind.EPISODE,
            agent_id=turn.agent_id,
            state=TurnState.AUTHORISED,
            trigger_id=rows[-1].id,
            question_id=episode.question_id,
            asker_user_id=episode.asker_user_id,
            hop=0,
            revision=episode.revision,
            decision_id=decision_id,
            episode_id=episode.id,
            reason=turn.reason.value,
        )
    )
    blind = turn.visibility is Visibility.BLIND
    await show_progress(here, episode, thread, rows, turn.agent_id, blind=blind)
    await here.tx.jobs.speak(added.id, here.conversation.id)


__all__ = ["open_episode", "step_episode"]
