"""What does this turn's speaker get to see? The request a model is asked with, from rows.

Source: turns.md 2, product.md 3, hive.md 10.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hivebot.hive.conversation import PersonAuthor
from hivebot.hive.transcript import SESSION_WINDOW, SessionMessage
from hivebot.services.neighbours import far_desks
from hivebot.services.ports import Directory, Transaction
from hivebot.services.records.asking import Colleague, FarDesk, SeenRow, TurnRequest
from hivebot.services.records.policy import AgentConfig, Configuration, DeskConfig
from hivebot.services.records.rows import (
    ConversationRow,
    MessageRole,
    MessageRow,
    ReferralRow,
    TurnKind,
    TurnRow,
)
from hivebot.services.sessions import read_session
from hivebot.services.snapshots import active_members, session_message


@dataclass(frozen=True, slots=True)
class Scene:
    """A claimed turn with everything read for it.

    Attributes:
        agent: The speaker; None when the configuration no longer has it.
        desk: The desk, None for direct messages and General.
        rows: What it may see, oldest first.
        root: The thread's row 1 when its text still has to be fetched, else None.
        referral: The referral the turn answers or brings home.
        trigger: The row that made it necessary.
        places: Desk that gave an answer, by referral id.
        memory_id: The memory of the desk's proxy; None while it has none.
    """

    turn: TurnRow
    conversation: ConversationRow
    configuration: Configuration
    agent: AgentConfig | None
    desk: DeskConfig | None
    rows: tuple[MessageRow, ...]
    root: MessageRow | None
    referral: ReferralRow | None
    trigger: MessageRow | None
    places: Mapping[int, str]
    memory_id: int | None = None


async def read_scene(
    tx: Transaction, turn: TurnRow, conversation: ConversationRow, configuration: Configuration
) -> Scene:
    """Read everything one turn needs; the rows of a deliberation are read with the deliberation."""
    alone = turn.episode_id is None
    rows = await read_session(tx.messages, conversation, SESSION_WINDOW) if alone else ()
    desk = configuration.desk(conversation.desk_id)
    memory = await tx.memories.find(conversation.team_id, desk.id) if desk is not None else None
    return Scene(
        turn=turn,
        conversation=conversation,
        configuration=configuration,
        agent=configuration.agent(turn.agent_id),
        desk=desk,
        rows=rows,
        root=await _bare_root(tx, conversation) if alone else None,
        referral=await tx.referrals.get(turn.referral_id) if turn.referral_id else None,
        trigger=await tx.messages.get(turn.trigger_id),
        places=await places_of(tx, rows),
        memory_id=memory.id if memory is not None else None,
    )


async def places_of(tx: Transaction, rows: Iterable[MessageRow]) -> dict[int, str]:
    """Which desk each returned answer among these rows came from, by referral id."""
    ids = dict.fromkeys(row.referral_id for row in rows if row.role is MessageRole.RETURN)
    found = [await tx.referrals.get(one) for one in ids if one is not None]
    return {one.id: one.to_desk_id for one in found if one is not None}


async def _bare_root(tx: Transaction, conversation: ConversationRow) -> MessageRow | None:
    """The copy of a root that was never stored and has not been fetched yet."""
    if not conversation.thread_ts:
        return None
    first = await tx.messages.window(conversation.id, 1, before=2)
    if not first or first[0].content or first[0].copy_of is None or first[0].deleted_at:
        return None
    source = await tx.messages.get(first[0].copy_of)
    backfilled = source is not None and source.role is MessageRole.BACKFILLED
    return first[0] if backfilled else None


async def named(rows: Sequence[MessageRow], team_id: str, directory: Directory) -> dict[str, str]:
    """Names of the people in these rows, for prompts; ids where Slack says nothing."""
    ids = dict.fromkeys(row.author.id for row in rows if isinstance(row.author, PersonAuthor))
    return {user_id: (await directory.person(team_id, user_id)).name or user_id for user_id in ids}


def request_of(scene: Scene, agent: AgentConfig, names: dict[str, str]) -> TurnRequest:
    """The request of a single answer."""
    turn, desk, configuration = scene.turn, scene.desk, scene.configuration
    trigger_seq = scene.trigger.seq if scene.trigger is not None else 0
    returned = _returned(scene)
    budget = desk.budget if desk is not None else None
    request = TurnRequest(
        agent=agent,
        desk_id=scene.conversation.desk_id,
        desk_name=desk.name if desk is not None else scene.conversation.desk_id,
        situation="answer",
        rows=tuple(seen_row(row, names, scene) for row in scene.rows),
        question=_question_seq(scene) if turn.kind is TurnKind.SPONSOR else trigger_seq,
        colleagues=colleagues_of(desk, configuration, agent.id),
        may_ask=_may_ask(scene),
        returned=returned,
        returned_state="" if returned else "; ".join(turn.notes),
    )
    if budget is None:
        return request
    return replace(
        request,
        prompt_tokens_max=budget.prompt_tokens_max,
        output_tokens_max=budget.output_tokens_max,
    )


def _returned(scene: Scene) -> int:
    trigger = scene.trigger
    if trigger is None or trigger.role is not MessageRole.RETURN:
        return 0
    return trigger.seq


def _question_seq(scene: Scene) -> int:
    """The person's question; where a far question was asked on, that one."""
    mine = (row.seq for row in scene.rows if row.id == scene.turn.question_id)
    trigger = scene.trigger
    here = trigger is not None and trigger.conversation_id == scene.conversation.id
    asked = (
        row.seq
        for row in reversed(scene.rows)
        if row.role is MessageRole.QUESTION
        and (trigger is None or not here or row.seq < trigger.seq)
    )
    return next(mine, next(asked, 0))


def seen_row(row: MessageRow, names: dict[str, str], scene: Scene) -> SeenRow:
    """A row as a prompt shows it: people by name, a returned answer by its desk."""
    message = session_message(row)
    if isinstance(row.author, PersonAuthor):
        label = names.get(row.author.id, row.author.id)
        message = SessionMessage(row.seq, replace(row.author, label=label), row.content)
    if row.role is not MessageRole.RETURN:
        return SeenRow(message, shown=row.shown)
    place = scene.places.get(row.referral_id or 0, "")
    return SeenRow(message, kind="answer_from_desk", place=place, shown=row.shown)


def colleagues_of(
    desk: DeskConfig | None, configuration: Configuration, but: str
) -> tuple[Colleague, ...]:
    """The other active members as their colleagues know them."""
    if desk is None:
        return ()
    agents = [configuration.agent(member) for member in active_members(desk, configuration)]
    return tuple(
        Colleague(agent.id, agent.name, agent.role)
        for agent in agents
        if agent is not None and agent.id != but
    )


def _may_ask(scene: Scene) -> tuple[FarDesk, ...]:
    """Desks an answer may put one question to, as far as hops are left.

    Under an origin none, unless the desk asks on: then the question, its answer and the way home
    have to be left of the hops, and no desk is asked twice.
    """
    turn, desk = scene.turn, scene.desk
    if desk is None:
        return ()
    hops = desk.referral.policy.max_hops
    if turn.kind is TurnKind.ANSWER:
        return far_desks(desk, scene.configuration) if turn.hop < hops else ()
    if turn.kind is not TurnKind.REFERRED or not desk.referral.refer_on or turn.hop + 2 >= hops:
        return ()
    visited = scene.referral.visited if scene.referral is not None else ()
    return tuple(far for far in far_desks(desk, scene.configuration) if far.id not in visited)
