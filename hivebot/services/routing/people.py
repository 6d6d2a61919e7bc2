"""What is done about a person's message, once it is judged?"""

from __future__ import annotations

from typing import assert_never

from hivebot.hive.mention import AgentTarget, DeskTarget, MentionTarget
from hivebot.hive.responder import DecidedPlan
from hivebot.hive.wire import encode_responder_plan
from hivebot.services import lines
from hivebot.services.ports import NewTurn
from hivebot.services.recording import mention_references, reference, without_text
from hivebot.services.records.rows import MessageRow, TurnKind, TurnState
from hivebot.services.routing.asking import Asking, ask
from hivebot.services.routing.deliberation import open_episode
from hivebot.services.routing.judging import (
    Answer,
    Deliberated,
    Given,
    Private,
    Question,
    Silent,
    Sponsored,
    Stuck,
    Told,
    Verdict,
    judge,
)
from hivebot.services.routing.orders import obey
from hivebot.services.routing.passes import Pass, person_of
from hivebot.services.snapshots import asked_mentions, question_text
from hivebot.services.threads import copy_into, copy_of_root

_CALLING = Answer | Deliberated | Sponsored | Stuck

RECENT = 30
"""Rows looked back at to see who was answered last."""

SELECT = "select"
"""Reason of a turn whose speaker a selector still has to pick."""


async def judge_person(here: Pass, row: MessageRow) -> bool:
    """Judge one message; True when a turn was opened in this conversation."""
    question = await _question(here, row)
    verdict = judge(question)
    await here.tx.messages.mark_judged(row.id)
    if isinstance(verdict, _CALLING) and _opens_thread(here):
        await _open_thread(here, row)
        return False
    return await _apply(here, row, question, verdict)


async def _question(here: Pass, row: MessageRow) -> Question:
    place = here.conversation
    episodes = await here.tx.episodes.in_thread(place.id) if place.thread_ts else ()
    return Question(
        configuration=here.configuration,
        conversation=place,
        desk=here.desk,
        message=row,
        recent=await here.tx.messages.window(place.id, RECENT, before=row.seq),
        roster=here.roster(row.user_id),
        desks=here.desks(),
        asker=here.asker(row.user_id, row.user_team_id) if person_of(row) else None,
        paused=await here.tx.workspaces.paused(place.team_id, place.channel_id),
        deliberated=bool(episodes),
        deliberating=any(episode.end is None for episode in episodes),
    )


def _opens_thread(here: Pass) -> bool:
    """At a channel's top level a question opens the thread under it; a DM has no threads."""
    return not here.conversation.thread_ts and not here.conversation.desk_id.startswith("dm:")


async def _open_thread(here: Pass, row: MessageRow) -> None:
    place = here.conversation
    found = await here.tx.conversations.find(place.team_id, place.channel_id, row.ts)
    if found is None:
        found = await here.tx.conversations.ensure(
            place.team_id,
            place.channel_id,
            row.ts,
            desk_id=place.desk_id,
            audience=place.audience,
            root_seq=row.seq,
        )
        await here.tx.conversations.lock([found.id])
        copy = copy_of_root(found.id, row)
        await here.tx.messages.append(copy)
    await here.tx.jobs.route(found.id)


async def _apply(here: Pass, row: MessageRow, question: Question, verdict: Verdict) -> bool:
    match verdict:
        case Silent():
            return False
        case Private():
            await here.decide(row, "waking", {"message": reference(row)}, {}, verdict.reason)
            if person_of(row):
                await here.private_line(row, verdict.body)
            return False
        case Told():
            await obey(here, row, verdict.word)
            return False
        case Stuck():
            decided = await here.decide(
                row, "responder", {"message": reference(row)}, {}, verdict.reason
            )
            await here.line(lines.could_not_answer(verdict.why, lines.reference_of(decided.id)))
            return False
        case Sponsored():
            await _sponsor(here, row, verdict)
            return False
        case Deliberated():
            return await _deliberate(here, row, question, verdict)
        case Given():
            await _give(here, row)
            return False
        case Answer():
            return await _answer(here, row, question, verdict)
        case _:  # pragma: no cover - exhaustive
            assert_never(verdict)


async def _sponsor(here: Pass, row: MessageRow, verdict: Sponsored) -> None:
    await _wake(here)
    await ask(
        here,
        Asking(
            row=row,
            author_id=verdict.sponsor_id,
            mentions=verdict.mentions,
            question=question_text(row.content),
            question_row_id=row.id,
            person_user_id=person_of(row),
            hop=0,
            visited=(here.conversation.desk_id,),
            unasked=_unasked(here, row, verdict),
        ),
    )


def _unasked(here: Pass, row: MessageRow, verdict: Sponsored) -> tuple[tuple[str, str], ...]:
    """(name, button value) of the desks that are named too; one of whose agents counts as it."""
    asked, *others = dict.fromkeys(_desk_of(here, target) for target in verdict.targets)
    return tuple((name, f"{row.id}:{name}") for name in others if name and name != asked)


def _desk_of(here: Pass, target: MentionTarget) -> str:
    match target:
        case DeskTarget(id=desk_id):
            return desk_id
        case AgentTarget(id=agent_id):
            return next(
                (desk.id for desk in here.configuration.desks if agent_id in desk.members), ""
            )
        case _:
            return ""


async def _deliberate(
    here: Pass, row: MessageRow, question: Question, verdict: Deliberated
) -> bool:
    desk = question.desk
    if desk is None:  # pragma: no cover - only a desk deliberates
        return False
    await _wake(here)
    decided = await here.decide(
        row,
        "responder",
        {"message": reference(row)},
        without_text(encode_responder_plan(verdict.plan)),
        "deliberate",
    )
    await open_episode(here, row, desk, decided.id)
    return False


async def _give(here: Pass, row: MessageRow) -> None:
    """Copy a line into the log of the deliberation that runs here."""
    for episode in await here.tx.episodes.in_thread(here.conversation.id):
        if episode.end is None:
            here.lockable(episode.log_id)
            await here.tx.messages.append(copy_into(episode.log_id, row))
            await here.tx.jobs.route(episode.log_id)


async def _answer(here: Pass, row: MessageRow, question: Question, verdict: Answer) -> bool:
    await _wake(here)
    mentions = asked_mentions(row, question.roster, question.desks)
    plan = verdict.plan
    decided = await here.decide(
        row,
        "responder",
        {"message": reference(row), "mentions": mention_references(mentions)},
        without_text(encode_responder_plan(plan)),
        verdict.reason.value,
    )
    if await _over_budget(here):
        await here.line(
            lines.budget_spent(here.conversation.desk_id, lines.reference_of(decided.id))
        )
        return False
    chosen = plan.decision if isinstance(plan, DecidedPlan) else plan.fallback
    turn = await here.tx.turns.add(
        NewTurn(
            conversation_id=here.conversation.id,
            kind=TurnKind.ANSWER,
            agent_id=chosen.responder_id,
            state=TurnState.AUTHORISED,
            trigger_id=row.id,
            question_id=row.id,
            asker_user_id=person_of(row),
            hop=0,
            revision=here.configuration.revision,
            decision_id=decided.id,
            reason=chosen.rung.value if isinstance(plan, DecidedPlan) else SELECT,
        )
    )
    await here.tx.jobs.speak(turn.id, here.conversation.id)
    return True


async def _wake(here: Pass) -> None:
    if here.conversation.muted:
        await here.tx.conversations.set_muted(here.conversation.id, muted=False)


async def _over_budget(here: Pass) -> bool:
    return here.desk is not None and await here.over_budget(here.desk)
