"""What happens at a gate? It is shown, decided by a person entitled to it, and carried out, once.

A decision is recorded under the gate's own row lock where it arrives; what it leads to is a job.
Every act has one visible outcome, and a second one changes nothing. Source: product.md 7,
datapath.md 1 and 3, rights.md 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from hivebot.hive.conversation import AgentAuthor
from hivebot.hive.gate import (
    GateAct,
    GateInput,
    GateKind,
    GateState,
    GateWay,
    NoGateReason,
    decide,
)
from hivebot.services import lines
from hivebot.services.endings import end_unanswered
from hivebot.services.gating import (
    ended_body,
    ended_line,
    gate_body,
    not_released,
    order_of,
    released,
    shown_whole,
    waits_line,
)
from hivebot.services.inert import inert_marks
from hivebot.services.ports import (
    Clock,
    Directory,
    NewMessage,
    NewOutbox,
    Policies,
    Transaction,
    UnitOfWork,
)
from hivebot.services.recording import digest
from hivebot.services.records.arrivals import MessageArrived, ReactionChanged
from hivebot.services.records.gates import Draft, GateRow
from hivebot.services.records.outgoing import Body, Destination, OutboxKind
from hivebot.services.records.policy import DeskConfig
from hivebot.services.records.rows import (
    ConversationRow,
    MessageRole,
    ReferralState,
    TurnKind,
    TurnRow,
    TurnState,
)

APPROVING = frozenset({"white_check_mark", "heavy_check_mark", "+1", "thumbsup"})
REJECTING = frozenset({"x", "no_entry", "no_entry_sign", "-1", "thumbsdown"})


class GateStep(StrEnum):
    """What a call came to; for the log line."""

    SHOWN = "shown"
    RECORDED = "recorded"
    REFUSED = "refused"
    SETTLED = "settled"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class GateMove:
    """An act at a gate, as it arrives.

    Attributes:
        shown_digest: Digest in the button's value; "" takes what the message shows now.
        channel_id, thread_ts: Where the person is told what came of it.
    """

    team_id: str
    user_id: str
    gate_id: int
    act: GateAct
    way: GateWay
    words: str = ""
    shown_digest: str = ""
    channel_id: str = ""
    thread_ts: str = ""


_REFUSALS = {
    NoGateReason.DECIDED: "This has been decided already. Nothing has changed.",
    NoGateReason.EXPIRED: "This gate has expired. Nothing has changed.",
    NoGateReason.VOID: "What was to be approved has changed since; look for the new gate.",
    NoGateReason.NOT_A_STEWARD: "Only a steward of this desk can decide this.",
    NoGateReason.SELF_APPROVAL: "You asked this yourself, so another steward has to approve it.",
    NoGateReason.NOT_BY_REPLY: "A written reply cannot approve: press Approve.",
    NoGateReason.NO_WORDS: "A correction needs words.",
    NoGateReason.CHANGED: "What was to be approved has changed since you saw it.",
    NoGateReason.NOT_SHOWN_WHOLE: "It is too long to be shown whole: correct it or reject it.",
}


def refusal(reason: NoGateReason) -> str:
    """Why an act changed nothing, in words for the person who made it."""
    return _REFUSALS[reason]


class Gates:
    """Shows gates, takes decisions, carries them out."""

    def __init__(
        self, work: UnitOfWork, policies: Policies, directory: Directory, clock: Clock
    ) -> None:
        self._work = work
        self._policies = policies
        self._directory = directory
        self._clock = clock

    async def open(self, gate_id: int) -> GateStep:
        """Show a gate to its stewards, and say in the asking thread that it waits."""
        async with self._work.begin() as tx:
            gate = await tx.gates.lock(gate_id)
            desk = self._policies.current().desk(gate.desk_id) if gate is not None else None
            if gate is None or desk is None or gate.post_id is not None:
                return GateStep.NOTHING
            if gate.state is not GateState.OPEN:
                return GateStep.NOTHING
            thread = await tx.conversations.get(gate.conversation_id)
            if thread is None:  # pragma: no cover - a foreign key forbids it
                return GateStep.NOTHING
            place = _place(gate, desk, thread)
            post = await tx.outbox.add(NewOutbox(OutboxKind.LINE, place, gate_body(gate, desk)))
            await tx.gates.link(gate.id, post_id=post.id)
            await tx.jobs.deliver(place.team_id, place.channel_id)
            here = Destination(thread.team_id, thread.channel_id, thread.thread_ts)
            if place != here and gate.kind is not GateKind.DECISION_REVIEW:
                body = waits_line(desk.id, gate.expires_at)
                status = await tx.outbox.add(NewOutbox(OutboxKind.LINE, here, body))
                await tx.gates.link(gate.id, status_id=status.id)
                await tx.jobs.deliver(here.team_id, here.channel_id)
            return GateStep.SHOWN

    async def move(self, move: GateMove) -> NoGateReason | GateState | None:
        """Take an act; None for a gate that does not exist. The actor is told why not."""
        async with self._work.begin() as tx:
            found = await tx.gates.get(move.gate_id)
        if found is None or found.team_id != move.team_id:
            return None
        steward = await self._is_steward(found, move.user_id)
        async with self._work.begin() as tx:
            gate = await tx.gates.lock(move.gate_id)
            if gate is None:  # pragma: no cover - gates are never deleted
                return None
            outcome = decide(self._input(gate, move, steward=steward))
            if isinstance(outcome, NoGateReason):
                await _tell(tx, move, _REFUSALS[outcome])
                return outcome
            await tx.gates.end(
                gate.id,
                outcome,
                self._clock.now(),
                act=move.act,
                actor_user_id=move.user_id,
                words=move.words.strip(),
            )
            await tx.jobs.settle_gate(gate.id, gate.desk_id)
            return outcome

    def _input(self, gate: GateRow, move: GateMove, *, steward: bool) -> GateInput:
        desk = self._policies.current().desk(gate.desk_id)
        return GateInput(
            state=gate.state,
            act=move.act,
            way=move.way,
            steward=steward,
            asker=gate.asker_user_id == move.user_id,
            self_approve=desk is not None and desk.gates.self_approve,
            shown_digest=move.shown_digest or gate.digest,
            current_digest=digest(gate.artifact) if gate.artifact else "",
            shown_whole=shown_whole(gate),
            words=move.words,
        )

    async def _is_steward(self, gate: GateRow, user_id: str) -> bool:
        """By the person's own id, or as a member of a listed user group; never a gone person."""
        desk = self._policies.current().desk(gate.desk_id)
        if desk is None:
            return False
        person = await self._directory.person(gate.team_id, user_id)
        if person.deactivated or person.bot or person.stranger:
            return False
        if user_id in desk.stewards:
            return True
        groups = [steward for steward in desk.stewards if steward.startswith("S")]
        return any(
            [
                user_id in await self._directory.members_of_group(gate.team_id, group)
                for group in groups
            ]
        )

    async def react(self, arrival: ReactionChanged) -> GateStep:
        """A reaction on a gate's message: an agreed sign decides, its removal undoes nothing."""
        act = _signed(arrival.name) if arrival.added else None
        if act is None:
            return GateStep.NOTHING
        async with self._work.begin() as tx:
            if await tx.inbox.claim_event(arrival.key, {}) is None:
                return GateStep.NOTHING
            post = await tx.outbox.by_ts(arrival.key.team_id, arrival.channel_id, arrival.ts)
            gate = await tx.gates.by_post(post.id) if post is not None else None
        if gate is None:
            return GateStep.NOTHING
        outcome = await self.move(
            GateMove(
                arrival.key.team_id,
                arrival.user_id,
                gate.id,
                act,
                GateWay.REACTION,
                channel_id=arrival.channel_id,
                thread_ts=arrival.ts,
            )
        )
        return GateStep.RECORDED if isinstance(outcome, GateState) else GateStep.REFUSED

    async def reply(self, arrival: MessageArrived) -> GateStep:
        """A written reply under a gate's message: it may correct or reject, all else is talk."""
        order = order_of(arrival.text)
        if order is None or not arrival.thread_ts:
            return GateStep.NOTHING
        team_id = arrival.key.team_id
        async with self._work.begin() as tx:
            root = await tx.outbox.by_ts(team_id, arrival.channel_id, arrival.thread_ts)
            gate = await tx.gates.by_post(root.id) if root is not None else None
        if gate is None:
            return GateStep.NOTHING
        act = GateAct.CORRECT if order[0] == "correct" else GateAct.REJECT
        outcome = await self.move(
            GateMove(
                team_id,
                arrival.speaker.user_id,
                gate.id,
                act,
                GateWay.REPLY,
                words=order[1],
                channel_id=arrival.channel_id,
                thread_ts=arrival.thread_ts,
            )
        )
        return GateStep.RECORDED if isinstance(outcome, GateState) else GateStep.REFUSED

    async def look(self) -> tuple[int, int]:
        """Remind and expire what is due; (reminded, expired)."""
        now = self._clock.now()
        async with self._work.begin() as tx:
            due = await tx.gates.due(now)
        reminded = expired = 0
        for gate in due:
            async with self._work.begin() as tx:
                if gate.expires_at <= now:
                    if await tx.gates.end(gate.id, GateState.EXPIRED, now):
                        await tx.jobs.settle_gate(gate.id, gate.desk_id)
                        expired += 1
                else:
                    await self._remind(tx, gate)
                    reminded += 1
        return reminded, expired

    async def _remind(self, tx: Transaction, gate: GateRow) -> None:
        await tx.gates.remind(gate.id)
        desk = self._policies.current().desk(gate.desk_id)
        thread = await tx.conversations.get(gate.conversation_id)
        if desk is None or thread is None:
            return
        place = _place(gate, desk, thread)
        body = gate_body(gate, desk, reminding=True)
        # an edit pings nobody, so the reminder is a message of its own, without buttons
        await tx.outbox.add(NewOutbox(OutboxKind.LINE, place, replace(body, buttons=())))
        await tx.jobs.deliver(place.team_id, place.channel_id)

    async def settle(self, gate_id: int) -> GateStep:
        """Carry out what was decided: once, whatever is delivered again."""
        async with self._work.begin() as tx:
            found = await tx.gates.get(gate_id)
            if found is None or found.state is GateState.OPEN:
                return GateStep.NOTHING
            places = {found.conversation_id}
            turn = await tx.turns.get(found.turn_id) if found.turn_id is not None else None
            owed = (
                await tx.referrals.get(turn.referral_id)
                if turn is not None and turn.referral_id is not None
                else None
            )
            if owed is not None:
                places.add(owed.from_conversation_id)
            locked = {row.id: row for row in await tx.conversations.lock(sorted(places))}
            gate = await tx.gates.lock(gate_id)
            if gate is None or gate.settled_at is not None:
                return GateStep.NOTHING
            await self._retell(tx, gate)
            if gate.kind is GateKind.DECISION_REVIEW:
                episode = await tx.episodes.get(gate.episode_id or 0)
                if episode is not None:
                    await tx.jobs.route(episode.log_id)
                return GateStep.SETTLED
            if not await tx.gates.settled(gate.id, self._clock.now()):
                return GateStep.NOTHING  # pragma: no cover - the row is locked
            here = locked[gate.conversation_id]
            if gate.kind is GateKind.REFERRAL_REVIEW:
                await self._settle_referral(tx, gate, here)
            elif turn is not None and gate.draft is not None:
                await self._settle_answer(tx, gate, gate.draft, turn, here)
            return GateStep.SETTLED

    async def _retell(self, tx: Transaction, gate: GateRow) -> None:
        """The gate's message and the line that said it waits say how it ended."""
        name = ""
        if gate.actor_user_id:
            person = await self._directory.person(gate.team_id, gate.actor_user_id)
            name = person.name or gate.actor_user_id
        for row_id, body in (
            (gate.post_id, ended_body(gate, name)),
            (gate.status_id, ended_line(gate.desk_id, gate.state)),
        ):
            if row_id is not None:
                row = await tx.outbox.revise(row_id, body)
                await tx.jobs.deliver(row.destination.team_id, row.destination.channel_id)

    async def _settle_referral(self, tx: Transaction, gate: GateRow, here: ConversationRow) -> None:
        if released(gate, self._policies.current()):
            await tx.messages.mark_judged(gate.message_id, judged=False)
            await tx.jobs.route(here.id)
            return
        why = not_released(gate.state, gate.words)
        place = Destination(here.team_id, here.channel_id, here.thread_ts)
        body = lines.not_asked(why, f"G{gate.id}")
        await tx.outbox.add(NewOutbox(OutboxKind.LINE, place, body))
        await tx.jobs.deliver(here.team_id, here.channel_id)

    async def _settle_answer(
        self, tx: Transaction, gate: GateRow, draft: Draft, turn: TurnRow, here: ConversationRow
    ) -> None:
        if gate.state is GateState.CORRECTED:
            draft = _corrected(draft, gate.words)
        elif not released(gate, self._policies.current()):
            await self._drop(tx, gate, turn, here)
            return
        if not await tx.turns.release(turn.id):
            return
        await _publish(tx, draft, turn, here, self._policies.current().agent(turn.agent_id))

    async def _drop(
        self, tx: Transaction, gate: GateRow, turn: TurnRow, here: ConversationRow
    ) -> None:
        why = not_released(gate.state, gate.words)
        if not await tx.turns.close(turn.id, TurnState.FAILED, why):
            return
        owed = await tx.referrals.get(turn.referral_id) if turn.referral_id is not None else None
        if owed is not None:
            (asking,) = await tx.conversations.lock([owed.from_conversation_id])
            await end_unanswered(
                tx, asking=asking, referral=owed, state=ReferralState.REFUSED, why=why
            )
        else:
            place = Destination(here.team_id, here.channel_id, here.thread_ts)
            body = lines.could_not_answer(why, f"G{gate.id}")
            await tx.outbox.add(NewOutbox(OutboxKind.LINE, place, body))
            await tx.jobs.deliver(here.team_id, here.channel_id)
        await tx.jobs.route(here.id)


def _signed(name: str) -> GateAct | None:
    plain = name.partition("::")[0]
    if plain in APPROVING:
        return GateAct.APPROVE
    return GateAct.REJECT if plain in REJECTING else None


def _place(gate: GateRow, desk: DeskConfig, thread: ConversationRow) -> Destination:
    """The desk's gate channel; else the thread concerned, or the desk's own channel."""
    if desk.gates.channel:
        return Destination(gate.team_id, desk.gates.channel)
    if thread.desk_id == desk.id:
        return Destination(thread.team_id, thread.channel_id, thread.thread_ts)
    return Destination(gate.team_id, desk.channel)


def _corrected(draft: Draft, words: str) -> Draft:
    """The steward's text in place of the answer; what it asked of others is not asked."""
    body = replace(draft.body, text=words, sources=(), small="Corrected by a steward")
    return replace(draft, content=inert_marks(words), shown=words, mentions=(), body=body)


async def _publish(
    tx: Transaction, draft: Draft, turn: TurnRow, here: ConversationRow, agent: object
) -> None:
    name = getattr(agent, "name", turn.agent_id)
    row = await tx.messages.append(
        NewMessage(
            conversation_id=here.id,
            role=MessageRole.SPEECH,
            author=AgentAuthor(turn.agent_id, str(name)),
            content=draft.content,
            shown=draft.shown,
            mentions=draft.mentions,
            turn_id=turn.id,
            referral_id=turn.referral_id,
        )
    )
    await tx.outbox.add(
        NewOutbox(
            OutboxKind.POST,
            Destination(here.team_id, here.channel_id, here.thread_ts),
            draft.body,
            message_id=row.id,
            turn_id=turn.id,
            thread_of=draft.thread_of,
            needs=draft.needs,
        )
    )
    if turn.asker_user_id and turn.kind is TurnKind.ANSWER:
        await tx.conversations.set_answered(here.id, turn.asker_user_id)
    await tx.jobs.deliver(here.team_id, here.channel_id)
    await tx.jobs.route(here.id)


async def _tell(tx: Transaction, move: GateMove, text: str) -> None:
    if not move.channel_id:
        return
    place = Destination(move.team_id, move.channel_id, move.thread_ts, move.user_id)
    await tx.outbox.add(NewOutbox(OutboxKind.EPHEMERAL, place, Body(text=text)))
    await tx.jobs.deliver(move.team_id, move.channel_id)
