"""How is a single answer written? One row, one post, and the next decision, in one transaction.

Source: datapath.md 3, product.md 3.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from hivebot.hive.gate import GateKind
from hivebot.hive.mention import DeskTarget, Mention
from hivebot.services import lines
from hivebot.services.gating import raise_gate, waiting_times
from hivebot.services.ports import Models, Transaction
from hivebot.services.publishing import publish
from hivebot.services.recording import digest
from hivebot.services.records.asking import RenderedTurn, ReplyFailure, TurnReply, TurnRequest
from hivebot.services.records.gates import Draft, NewGate
from hivebot.services.records.outgoing import Quote
from hivebot.services.records.rows import ConversationRow, MessageRole, TurnKind
from hivebot.services.turns.memories import about_this, used_memories
from hivebot.services.turns.scene import Scene
from hivebot.services.turns.showing import (
    answer_body,
    failure_body,
    quote_of,
    thread_of,
)


async def write_answer(
    tx: Transaction,
    models: Models,
    scene: Scene,
    request: TurnRequest | None,
    reply: TurnReply | ReplyFailure,
    now: datetime,
) -> bool:
    """Commit a single answer, or hold it for a steward; False: another attempt has the turn."""
    turn = scene.turn
    (place,) = await tx.conversations.lock([turn.conversation_id])
    if isinstance(reply, TurnReply) and _is_held(scene):
        return await _hold(tx, models, scene, request, reply, place, now)
    why = lines.model_fault(reply.kind) if isinstance(reply, ReplyFailure) else ""
    if not await tx.turns.commit(turn.id, turn.attempt, reply, why):
        return False
    draft = await _draft(tx, models, scene, request, reply, place)
    await publish(tx, place, turn, scene.agent.name if scene.agent else turn.agent_id, draft)
    return True


async def _draft(
    tx: Transaction,
    models: Models,
    scene: Scene,
    request: TurnRequest | None,
    reply: TurnReply | ReplyFailure,
    place: ConversationRow,
) -> Draft:
    """The reply as it would be written and shown."""
    quotes, needs = await _quotes(tx, scene)
    written = _written(models, scene, request, reply, place.last_seq + 1, quotes)
    return replace(written, thread_of=thread_of(scene), needs=needs)


def _is_held(scene: Scene) -> bool:
    """Whether this reply waits for a steward: whatever a desk's agent says, here and far away."""
    return scene.desk is not None and scene.desk.gates.answers


async def _hold(
    tx: Transaction,
    models: Models,
    scene: Scene,
    request: TurnRequest | None,
    reply: TurnReply,
    place: ConversationRow,
    now: datetime,
) -> bool:
    """Keep the reply as a draft: no row, no post, and the turn stays open until it is decided."""
    turn, desk = scene.turn, scene.desk
    if desk is None or not await tx.turns.hold(turn.id, turn.attempt, reply):
        return False
    draft = await _draft(tx, models, scene, request, reply, place)
    artifact = _artifact(draft)
    remind_at, expires_at = waiting_times(desk, now)
    await raise_gate(
        tx,
        NewGate(
            kind=GateKind.ANSWER_REVIEW,
            desk_id=desk.id,
            team_id=place.team_id,
            conversation_id=place.id,
            message_id=turn.trigger_id,
            question_id=turn.question_id,
            turn_id=turn.id,
            task_type=desk.id,
            question=scene.trigger.content if scene.trigger is not None else "",
            artifact=artifact,
            digest=digest(artifact),
            draft=draft,
            asker_user_id=turn.asker_user_id,
            revision=turn.revision,
            created_at=now,
            remind_at=remind_at,
            expires_at=expires_at,
        ),
    )
    return True


def _artifact(draft: Draft) -> str:
    """All that would go out: what is quoted, the words, and what they ask another desk."""
    quoted = [f"{quote.author}, {quote.place}: {quote.text}" for quote in draft.body.quotes]
    asked = [draft.content.encode()[mention.offset :].decode() for mention in draft.mentions]
    return "\n\n".join(part for part in (*quoted, draft.body.text, *asked) if part)


async def _quotes(tx: Transaction, scene: Scene) -> tuple[tuple[Quote, ...], tuple[int, ...]]:
    """The far answer a sponsor passes on, and the posts its link waits for."""
    trigger, referral = scene.trigger, scene.referral
    if scene.turn.kind is not TurnKind.SPONSOR or trigger is None or referral is None:
        return (), ()
    if trigger.role is not MessageRole.RETURN:
        return (), ()
    answer = await tx.messages.get(trigger.id)
    far = await tx.conversations.get(referral.to_conversation_id)
    if answer is None or answer.copy_of is None or far is None:  # pragma: no cover
        return (), ()
    posts = await tx.outbox.for_message(answer.copy_of)
    post = posts[0].id if posts else None
    quote = quote_of(scene, answer, post, far.audience)
    return (quote,), (post,) if quote.link and post is not None else ()


def _written(
    models: Models,
    scene: Scene,
    request: TurnRequest | None,
    reply: TurnReply | ReplyFailure,
    sequence: int,
    quotes: tuple[Quote, ...],
) -> Draft:
    agent = scene.agent
    if isinstance(reply, ReplyFailure) or request is None or agent is None:
        kind = reply.kind if isinstance(reply, ReplyFailure) else "unavailable"
        line = reply.line if isinstance(reply, ReplyFailure) else ""
        body = failure_body(scene, agent, lines.model_fault(kind), quotes)
        return Draft(line, body.text, (), body, None, ())
    rendered = models.render(request, reply.reply, sequence)
    told = about_this(request.memories, used_memories(reply.reply))
    body = answer_body(scene, agent, reply.reply, rendered, quotes, told)
    mentions = mentions_of(rendered, request)
    return Draft(rendered.content, rendered.shown, mentions, body, None, ())


def mentions_of(rendered: RenderedTurn, request: TurnRequest) -> tuple[Mention, ...]:
    """The one mention the host supplies: the question the structure asked to put."""
    if rendered.ask is None:
        return ()
    text, offset = rendered.ask
    name = text.removeprefix("@#")
    desk = next((far for far in request.may_ask if name in (far.id, far.name)), None)
    return (Mention(DeskTarget(desk.id), text, offset),) if desk is not None else ()
