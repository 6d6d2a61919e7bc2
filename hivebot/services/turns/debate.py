"""How is a turn of an episode written? Its row in the episode's log, and the state it leads to.

Source: turns.md 1, 3 to 6, datapath.md 2.
"""

from __future__ import annotations

from hivebot.hive.conversation import AgentAuthor
from hivebot.services import lines
from hivebot.services.ports import Models, NewMessage, NewOutbox, Transaction
from hivebot.services.records.asking import RenderedTurn, ReplyFailure, TurnReply, TurnRequest
from hivebot.services.records.outgoing import Body, Destination, OutboxKind
from hivebot.services.records.policy import Shown
from hivebot.services.records.replies import NOTHING, ConsultTurn, FramingTurn, Reply
from hivebot.services.records.rows import ConversationRow, MessageRole, MessageRow
from hivebot.services.turns.answers import mentions_of
from hivebot.services.turns.floor_scene import Debating
from hivebot.services.turns.new_options import Settled, settle
from hivebot.services.turns.scene import Scene
from hivebot.services.turns.showing import persona_of


async def write_debate(
    tx: Transaction,
    models: Models,
    scene: Scene,
    debate: Debating,
    request: TurnRequest | None,
    reply: TurnReply | ReplyFailure,
) -> bool:
    """Commit a turn of an episode; False when another attempt has the turn.

    A failed turn is committed too, as the member's own line without a marker: the turn is spent,
    the floor moves on and the blind round can end.
    """
    turn = scene.turn
    (log,) = await tx.conversations.lock([turn.conversation_id])
    settled = await _settled(tx, debate, request, reply)
    why = lines.model_fault(reply.kind) if isinstance(reply, ReplyFailure) else ""
    if not await tx.turns.commit(turn.id, turn.attempt, settled.kept if settled else reply, why):
        return False
    if debate.next_state is not None:
        await tx.episodes.adopt(debate.episode.id, debate.next_state)
    if isinstance(reply, ReplyFailure):
        await tx.episodes.count_failure(debate.episode.id, turn.agent_id)
        if debate.next_state is not None:
            await _append(tx, scene, log, RenderedTurn(reply.line, reply.line, None, ()), None)
    elif request is not None and settled is not None:
        if settled.option is not None:
            await tx.episodes.add_option(debate.episode.id, settled.option)
        await _write_reply(tx, models, scene, debate, request, settled.said, log)
    await tx.jobs.route(log.id)
    return True


async def _settled(
    tx: Transaction, debate: Debating, request: TurnRequest | None, reply: TurnReply | ReplyFailure
) -> Settled | None:
    """The reply with what it makes of the options as they are now; None for a failure."""
    if request is None or isinstance(reply, ReplyFailure):
        return None
    episode = await tx.episodes.get(debate.episode.id)
    return settle(episode.options if episode is not None else (), request, reply)


async def _write_reply(
    tx: Transaction,
    models: Models,
    scene: Scene,
    debate: Debating,
    request: TurnRequest,
    reply: Reply,
    log: ConversationRow,
) -> None:
    match reply:
        case FramingTurn():
            return  # the options stand on the turn; the log holds speech
        case ConsultTurn():
            asks = reply.asks[: request.max_asks]
            for number, ask in enumerate(asks):
                one = ConsultTurn((ask,))
                rendered = models.render(request, one, log.last_seq + 1 + number)
                await _append(tx, scene, log, rendered, request)
            await tx.episodes.count_asks(debate.episode.id, len(asks))
        case _:
            rendered = models.render(request, reply, log.last_seq + 1)
            row = await _append(tx, scene, log, rendered, request)
            if rendered.ask is not None:
                await tx.episodes.count_asks(debate.episode.id, 1)
            if rendered.content == NOTHING and _said_last(debate, scene) == NOTHING:
                # a model that twice running gives nothing is no better than one that fails
                await tx.episodes.count_failure(debate.episode.id, scene.turn.agent_id)
            await _show(tx, scene, log, row, rendered)


def _said_last(debate: Debating, scene: Scene) -> str:
    """What the speaker said before, "" for nothing yet."""
    mine = (
        row.content
        for row in reversed(debate.log)
        if isinstance(row.author, AgentAuthor) and row.author.id == scene.turn.agent_id
    )
    return next(mine, "")


async def _append(
    tx: Transaction,
    scene: Scene,
    log: ConversationRow,
    rendered: RenderedTurn,
    request: TurnRequest | None,
) -> MessageRow:
    turn, agent = scene.turn, scene.agent
    return await tx.messages.append(
        NewMessage(
            conversation_id=log.id,
            role=MessageRole.SPEECH,
            author=AgentAuthor(turn.agent_id, agent.name if agent else turn.agent_id),
            content=rendered.content,
            shown=rendered.shown,
            mentions=mentions_of(rendered, request) if request is not None else (),
            turn_id=turn.id,
        )
    )


async def _show(
    tx: Transaction, scene: Scene, log: ConversationRow, row: MessageRow, rendered: RenderedTurn
) -> None:
    """Where deliberations are shown, each turn is a post in the thread: prose, never markers."""
    desk, agent = scene.desk, scene.agent
    if desk is None or agent is None or desk.episode.shown is not Shown.SHOWN:
        return
    await tx.outbox.add(
        NewOutbox(
            OutboxKind.POST,
            Destination(log.team_id, log.channel_id, log.thread_ts),
            Body(text=rendered.shown, persona=persona_of(agent), link_hosts=desk.links),
            message_id=row.id,
            turn_id=scene.turn.id,
        )
    )
    await tx.jobs.deliver(log.team_id, log.channel_id)
