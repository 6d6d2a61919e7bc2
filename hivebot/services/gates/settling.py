"""What does a decision at a gate lead to? What was held goes out, or its asker learns why not.

Source: product.md 7, datapath.md 3 and 5.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from hivebot.hive.gate import GateKind, GateState
from hivebot.services import lines
from hivebot.services.endings import end_unanswered
from hivebot.services.gates.showing import origin_of
from hivebot.services.gating import CORRECTED, ended_body, ended_line, not_released, released
from hivebot.services.inert import inert_marks
from hivebot.services.ports import NewOutbox, Transaction
from hivebot.services.publishing import publish
from hivebot.services.records.gates import Draft, GateRow
from hivebot.services.records.outgoing import Body, Destination, OutboxKind
from hivebot.services.records.policy import Configuration
from hivebot.services.records.rows import (
    ConversationRow,
    ReferralRow,
    ReferralState,
    TurnKind,
    TurnRow,
    TurnState,
)
from hivebot.services.remembering import remember_gate


@dataclass(frozen=True, slots=True)
class _Case:
    """A gate that has ended, with what it is about; its conversations are locked.

    Attributes:
        owed: The question of another desk that the held answer answers.
        asking: Where that was asked.
    """

    gate: GateRow
    here: ConversationRow
    turn: TurnRow | None
    owed: ReferralRow | None
    asking: ConversationRow | None
    configuration: Configuration

    @property
    def place(self) -> Destination:
        """The thread concerned."""
        return Destination(self.here.team_id, self.here.channel_id, self.here.thread_ts)

    @property
    def why(self) -> str:
        """Why it was not let through."""
        return not_released(self.gate.state, self.gate.words)


async def settle(
    tx: Transaction, *, gate_id: int, actor: str, configuration: Configuration, now: datetime
) -> bool:
    """Carry out an ended gate; False when that was done before.

    A decision of a deliberation is told by whoever holds its log: `routing`.
    """
    case = await _case(tx, gate_id, configuration)
    if case is None or case.gate.settled_at is not None:
        return False
    await _retell(tx, case, actor)
    gate = case.gate
    await remember_gate(tx, gate)
    if gate.kind is GateKind.DECISION_REVIEW:
        episode = await tx.episodes.get(gate.episode_id) if gate.episode_id is not None else None
        if episode is not None:
            await tx.jobs.route(episode.log_id)
        return True
    await tx.gates.settled(gate.id, now)
    if gate.kind is GateKind.REFERRAL_REVIEW:
        await _settle_referral(tx, case)
    elif case.turn is not None and gate.draft is not None:
        await _settle_answer(tx, case, case.turn, gate.draft)
    return True


async def _case(tx: Transaction, gate_id: int, configuration: Configuration) -> _Case | None:
    """Everything about the gate, read anew once its conversations are locked."""
    found = await tx.gates.get(gate_id)
    if found is None:  # pragma: no cover - gates are never deleted
        return None
    turn = await tx.turns.get(found.turn_id) if found.turn_id is not None else None
    owed = None
    if turn is not None and turn.kind is TurnKind.REFERRED and turn.referral_id is not None:
        owed = await tx.referrals.get(turn.referral_id)
    places = {found.conversation_id, *([owed.from_conversation_id] if owed is not None else [])}
    locked = {row.id: row for row in await tx.conversations.lock(sorted(places))}
    gate = await tx.gates.lock(gate_id)
    if gate is None:  # pragma: no cover - gates are never deleted
        return None
    asking = locked[owed.from_conversation_id] if owed is not None else None
    return _Case(gate, locked[gate.conversation_id], turn, owed, asking, configuration)


async def _retell(tx: Transaction, case: _Case, actor: str) -> None:
    """The gate's message and the line that said it waits say how it ended."""
    gate = case.gate
    for row_id, body in (
        (gate.post_id, ended_body(gate, actor, origin_of(gate, case.here))),
        (gate.status_id, ended_line(gate.desk_id, gate.state)),
    ):
        if row_id is not None:
            row = await tx.outbox.revise(row_id, body)
            await tx.jobs.deliver(row.destination.team_id, row.destination.channel_id)


async def _settle_referral(tx: Transaction, case: _Case) -> None:
    """A question that may leave, or has changed, is judged again: as it is now, once."""
    gate = case.gate
    if gate.state is GateState.VOID or released(gate, case.configuration):
        await tx.messages.mark_judged(gate.message_id, judged=False)
        await tx.jobs.route(case.here.id)
        return
    await _say(tx, case, lines.not_asked(case.why, f"G{gate.id}"))
    # a deliberation that waits for its answer waits no longer
    await tx.jobs.route(case.here.id)


async def _settle_answer(tx: Transaction, case: _Case, turn: TurnRow, draft: Draft) -> None:
    if case.gate.state is GateState.CORRECTED:
        draft = _corrected(draft, case.gate.words)
    elif not released(case.gate, case.configuration):
        await _drop(tx, case, turn)
        return
    if await tx.turns.release(turn.id):
        agent = case.configuration.agent(turn.agent_id)
        await publish(tx, case.here, turn, agent.name if agent else turn.agent_id, draft)


def _corrected(draft: Draft, words: str) -> Draft:
    """The steward's words in place of the agent's; what those asked of others is not asked."""
    body = replace(draft.body, text=words, sources=(), small=CORRECTED)
    return replace(draft, content=inert_marks(words), shown=words, mentions=(), body=body)


async def _drop(tx: Transaction, case: _Case, turn: TurnRow) -> None:
    if not await tx.turns.close(turn.id, TurnState.FAILED, case.why):
        return
    if case.owed is not None and case.asking is not None:
        await end_unanswered(
            tx,
            asking=case.asking,
            referral=case.owed,
            state=ReferralState.REFUSED,
            why=case.why,
        )
    else:
        await _say(tx, case, lines.could_not_answer(case.why, f"G{case.gate.id}"))
    await tx.jobs.route(case.here.id)


async def _say(tx: Transaction, case: _Case, body: Body) -> None:
    await tx.outbox.add(NewOutbox(OutboxKind.LINE, case.place, body))
    await tx.jobs.deliver(case.place.team_id, case.place.channel_id)
