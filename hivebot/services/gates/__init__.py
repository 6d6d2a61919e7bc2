"""What happens at a gate? It is shown, decided by a person entitled to it, and carried out, once.

A decision is recorded under the gate's own row lock where it arrives; what it leads to is a job.
Every act has one visible outcome, and a second one changes nothing. Source: product.md 7,
datapath.md 1 and 3, rights.md 1.
"""

from __future__ import annotations

from enum import StrEnum
from functools import partial

from hivebot.hive.gate import (
    GateAct,
    GateInput,
    GateState,
    GateWay,
    NoGateReason,
    decide,
)
from hivebot.services.gates.moves import (
    GONE,
    SEVERAL_WAIT,
    GateMove,
    act_of_sign,
    refusal,
    tell,
)
from hivebot.services.gates.predicting import Proxy
from hivebot.services.gates.settling import settle
from hivebot.services.gates.showing import remind, show
from hivebot.services.gating import order_of, shown_whole
from hivebot.services.ports import (
    Clock,
    Policies,
    RightsDirectory,
    Transaction,
    UnitOfWork,
)
from hivebot.services.records.arrivals import EventKey, MessageArrived, ReactionChanged, SpeakerKind
from hivebot.services.records.gates import GateRow
from hivebot.services.retrying import transact
from hivebot.services.snapshots import question_text
from hivebot.services.stewards import is_steward


class GateStep(StrEnum):
    """What a call came to; for the log line."""

    SHOWN = "shown"
    RECORDED = "recorded"
    REFUSED = "refused"
    REPEATED = "repeated"
    SETTLED = "settled"
    NOTHING = "nothing"


class Gates:
    """Shows gates, takes decisions, carries them out."""

    def __init__(
        self,
        work: UnitOfWork,
        policies: Policies,
        directory: RightsDirectory,
        clock: Clock,
        proxy: Proxy | None = None,
    ) -> None:
        """Remember whom to ask.

        Args:
            work: Opens transactions.
            policies: The configuration in force.
            directory: People, asked anew at each act.
            clock: The only source of now.
            proxy: Predicts at gates; only where gates are opened.
        """
        self._work = work
        self._policies = policies
        self._directory = directory
        self._clock = clock
        self._proxy = proxy

    async def open(self, gate_id: int) -> GateStep:
        """Show a gate to its stewards, and say in the asking thread that it waits.

        The proxy predicts first, outside any transaction. It is kept, so that a gate that is opened
        again is not predicted again.
        """
        async with self._work.begin() as tx:
            gate = await tx.gates.get(gate_id)
        configuration = self._policies.current()
        desk = configuration.desk(gate.desk_id) if gate is not None else None
        if gate is None or desk is None or not _to_be_shown(gate):
            return GateStep.NOTHING
        if self._proxy is not None and gate.prediction is None:
            prediction = await self._proxy.predict(gate, desk, configuration)
            if prediction is not None:
                await transact(self._work, lambda tx: tx.gates.predicted(gate_id, prediction))
        return await transact(self._work, partial(self._open, gate_id=gate_id))

    async def _open(self, tx: Transaction, *, gate_id: int) -> GateStep:
        gate = await tx.gates.lock(gate_id)
        desk = self._policies.current().desk(gate.desk_id) if gate is not None else None
        if gate is None or desk is None or not _to_be_shown(gate):
            return GateStep.NOTHING
        await show(tx, gate, desk)
        return GateStep.SHOWN

    async def move(self, move: GateMove) -> NoGateReason | GateState | None:
        """Take an act; None for a gate that does not exist. The actor is told why not.

        Raises:
            StoreUnavailableError: nothing was written.
            StoreConflictError: three times running.
        """
        gate = await self._named(move)
        if gate is None:
            return None
        steward = await self._is_steward(gate, move.user_id)
        return await transact(self._work, partial(self._move, move=move, steward=steward))

    async def correctable(self, move: GateMove) -> GateRow | NoGateReason:
        """The gate, for whoever may correct it now; else why not, of which they are told."""
        gate = await self._named(move)
        if gate is None:
            return NoGateReason.VOID
        steward = await self._is_steward(gate, move.user_id)
        outcome = decide(self._input(gate, move, steward=steward))
        if isinstance(outcome, GateState):
            return gate
        async with self._work.begin() as tx:
            await tell(tx, move, refusal(outcome))
        return outcome

    async def _named(self, move: GateMove) -> GateRow | None:
        """The gate an act names; the actor is told when there is none."""
        async with self._work.begin() as tx:
            gate = await tx.gates.get(move.gate_id)
            if gate is not None and gate.team_id == move.team_id:
                return gate
            await tell(tx, move, GONE)
        return None

    async def _move(
        self, tx: Transaction, *, move: GateMove, steward: bool
    ) -> NoGateReason | GateState | None:
        gate = await tx.gates.lock(move.gate_id)
        if gate is None:  # pragma: no cover - gates are never deleted
            return None
        outcome = decide(self._input(gate, move, steward=steward))
        if isinstance(outcome, NoGateReason):
            await tell(tx, move, refusal(outcome))
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
        # whatever the clock has not seen yet: nothing is decided after the end
        over = gate.state is GateState.OPEN and gate.expires_at <= self._clock.now()
        return GateInput(
            state=GateState.EXPIRED if over else gate.state,
            act=move.act,
            way=move.way,
            steward=steward,
            asker=gate.asker_user_id == move.user_id,
            self_approve=desk is not None and desk.gates.self_approve,
            shown_digest=move.shown_digest if move.way is GateWay.BUTTON else gate.digest,
            current_digest=gate.digest,
            shown_whole=shown_whole(gate),
            words=move.words,
        )

    async def _is_steward(self, gate: GateRow, user_id: str) -> bool:
        desk = self._policies.current().desk(gate.desk_id)
        return desk is not None and await is_steward(self._directory, gate.team_id, desk, user_id)

    async def react(self, arrival: ReactionChanged) -> GateStep:
        """A reaction on a gate's message: an agreed sign decides, its removal undoes nothing."""
        act = act_of_sign(arrival.name) if arrival.added else None
        if act is None:
            return GateStep.NOTHING
        team_id = arrival.key.team_id
        async with self._work.begin() as tx:
            post = await tx.outbox.by_ts(team_id, arrival.channel_id, arrival.ts)
            gate = await tx.gates.by_post(post.id) if post is not None else None
        if post is None or gate is None:
            return GateStep.NOTHING
        thread_ts = post.destination.thread_ts
        move = GateMove(
            team_id,
            arrival.user_id,
            gate.id,
            act,
            GateWay.REACTION,
            channel_id=arrival.channel_id,
            thread_ts=thread_ts,
        )
        return await self._once(arrival.key, gate, move)

    async def reply(self, arrival: MessageArrived) -> GateStep:
        """A written reply where a gate waits: it may correct or reject, all else is talk.

        Whatever is not `NOTHING` was said to the gate and asks nobody else.
        """
        order = order_of(question_text(arrival.text))
        if order is None or not arrival.thread_ts or arrival.speaker.kind is not SpeakerKind.PERSON:
            return GateStep.NOTHING
        act, words = order
        team_id, channel_id, thread_ts = arrival.key.team_id, arrival.channel_id, arrival.thread_ts
        # one message can come as several events; each says the same to the gate, once
        key = EventKey(team_id, f"gate:{channel_id}:{arrival.ts}", arrival.key.event_time)
        async with self._work.begin() as tx:
            if await tx.inbox.has_event(key):
                return GateStep.REPEATED
            gates = await tx.gates.open_at(team_id, channel_id, thread_ts)
            if not gates:
                root = await tx.outbox.by_ts(team_id, channel_id, thread_ts)
                ended = await tx.gates.by_post(root.id) if root is not None else None
                gates = (ended,) if ended is not None else ()
        if not gates:
            return GateStep.NOTHING
        move = GateMove(
            team_id,
            arrival.speaker.user_id,
            gates[-1].id,
            act,
            GateWay.REPLY,
            words=words,
            channel_id=channel_id,
            thread_ts=thread_ts,
        )
        return await self._once(key, gates[0] if len(gates) == 1 else None, move)

    async def _once(self, key: EventKey, gate: GateRow | None, move: GateMove) -> GateStep:
        """Take an act that Slack may send again; without a gate nobody can say which is meant."""
        steward = gate is not None and await self._is_steward(gate, move.user_id)

        async def take(tx: Transaction) -> GateStep:
            if await tx.inbox.claim_event(key, {}) is None:
                return GateStep.REPEATED
            if gate is None:
                await tell(tx, move, SEVERAL_WAIT)
                return GateStep.REFUSED
            outcome = await self._move(tx, move=move, steward=steward)
            return GateStep.RECORDED if isinstance(outcome, GateState) else GateStep.REFUSED

        return await transact(self._work, take)

    async def look(self) -> tuple[int, int]:
        """Remind and expire what is due; (reminded, expired).

        Raises:
            StoreUnavailableError: the next look finds the same rows.
        """
        now = self._clock.now()
        async with self._work.begin() as tx:
            due = await tx.gates.due(now)
        reminded = expired = 0
        for gate in due:
            if gate.expires_at <= now:
                expired += await transact(self._work, partial(self._expire, gate=gate))
            else:
                reminded += await transact(self._work, partial(self._remind, gate=gate))
        return reminded, expired

    async def _expire(self, tx: Transaction, *, gate: GateRow) -> bool:
        if not await tx.gates.end(gate.id, GateState.EXPIRED, self._clock.now()):
            return False
        await tx.jobs.settle_gate(gate.id, gate.desk_id)
        return True

    async def _remind(self, tx: Transaction, *, gate: GateRow) -> bool:
        if not await tx.gates.remind(gate.id):
            return False
        desk = self._policies.current().desk(gate.desk_id)
        if desk is not None:
            await remind(tx, gate, desk)
        return True

    async def settle(self, gate_id: int) -> GateStep:
        """Carry out what was decided: once, whatever is delivered again."""
        async with self._work.begin() as tx:
            gate = await tx.gates.get(gate_id)
        if gate is None or gate.state is GateState.OPEN:
            return GateStep.NOTHING
        name = ""
        if gate.actor_user_id:
            person = await self._directory.person(gate.team_id, gate.actor_user_id)
            name = person.name or gate.actor_user_id
        done = await transact(
            self._work,
            partial(
                settle,
                gate_id=gate_id,
                actor=name,
                configuration=self._policies.current(),
                now=self._clock.now(),
            ),
        )
        return GateStep.SETTLED if done else GateStep.NOTHING


def _to_be_shown(gate: GateRow) -> bool:
    return gate.state is GateState.OPEN and gate.post_id is None


__all__ = ["GateAct", "GateMove", "GateStep", "Gates", "Proxy", "refusal"]
