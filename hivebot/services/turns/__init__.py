"""How does an authorised turn become a committed reply? Ask the model, then write once.

The model is called outside any transaction; the turn's row is claimed before and written only if
the claim still holds. Source: datapath.md 3, turns.md 2 to 6.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar

from hivebot.hive.conversation import AgentAuthor
from hivebot.hive.mention import DeskTarget, Mention
from hivebot.hive.responder import (
    Disposition,
    ResponderDecision,
    Rung,
    SelectionRequest,
    SelectorCandidate,
    SelectPlan,
    complete,
)
from hivebot.services import lines
from hivebot.services.ports import (
    Clock,
    Directory,
    Models,
    NewMessage,
    NewOutbox,
    Policies,
    PortError,
    StoreConflictError,
    Transaction,
    UnitOfWork,
)
from hivebot.services.records.asking import (
    RenderedTurn,
    ReplyFailure,
    TurnReply,
    TurnRequest,
)
from hivebot.services.records.outgoing import Body, OutboxKind, Quote
from hivebot.services.records.policy import DeskConfig
from hivebot.services.records.rows import MessageRole, MessageRow, TurnKind
from hivebot.services.snapshots import active_members
from hivebot.services.turns.scene import Scene, named, read_scene, request_of
from hivebot.services.turns.showing import (
    answer_body,
    destination_of,
    failure_body,
    quote_of,
    thread_of,
)

ATTEMPTS = 3
"""Claims of one turn, rescues included, before it is failed. Source: datapath.md 3."""

CONFLICTS = 3
SELECT = "select"


class Spoken(StrEnum):
    """How a run ended; for the log line."""

    COMMITTED = "committed"
    FAILED = "failed"
    LOST = "lost"
    GONE = "gone"


class TurnAgainError(PortError):
    """The model could not answer now and may later; the queue tries the turn again."""

    code: ClassVar[str] = "turn_again"

    def __init__(self, kind: str) -> None:
        super().__init__(f"the model could not answer now: {kind}")
        self.kind = kind


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What is written for a turn: its row and the message that shows it."""

    content: str
    shown: str
    mentions: tuple[Mention, ...]
    body: Body


class Turns:
    """Runs one turn."""

    def __init__(
        self,
        work: UnitOfWork,
        policies: Policies,
        models: Models,
        directory: Directory,
        clock: Clock,
    ) -> None:
        self._work = work
        self._policies = policies
        self._models = models
        self._directory = directory
        self._clock = clock

    async def run(self, turn_id: int) -> Spoken:
        """Claim the turn, ask its speaker, commit the reply or the line that says why not.

        Raises:
            TurnAgainError: the model may answer later and attempts are left.
            StoreConflictError: three times running.
            StoreUnavailableError: nothing was written.
        """
        scene = await self._claim(turn_id)
        if scene is None:
            return Spoken.GONE
        if scene.agent is None:
            return await self._commit(scene, None, _failure("misconfigured"))
        if scene.turn.attempt > ATTEMPTS:
            return await self._commit(scene, None, _failure("unavailable"))
        scene = await self._prepared(scene)
        agent = scene.agent
        if agent is None:  # pragma: no cover - a selector picks among configured agents
            return await self._commit(scene, None, _failure("misconfigured"))
        names = await named(scene.rows, scene.conversation.team_id, self._directory)
        request = request_of(scene, agent, names)
        reply = await self._models.reply(request)
        if isinstance(reply, ReplyFailure) and reply.again and scene.turn.attempt < ATTEMPTS:
            raise TurnAgainError(reply.kind)
        return await self._commit(scene, request, reply)

    async def _claim(self, turn_id: int) -> Scene | None:
        async with self._work.begin() as tx:
            turn = await tx.turns.claim(turn_id)
            if turn is None:
                return None
            configuration = await self._policies.revision(turn.revision)
            conversation = await tx.conversations.get(turn.conversation_id)
            if conversation is None:  # pragma: no cover - a foreign key forbids it
                return None
            return await read_scene(tx, turn, conversation, configuration)

    async def _prepared(self, scene: Scene) -> Scene:
        """Fetch what has to be asked outside: the root's text, and who is to speak."""
        if scene.root is not None:
            scene = await self._with_root(scene, scene.root)
        if scene.turn.reason == SELECT and scene.desk is not None:
            scene = await self._with_speaker(scene, scene.desk)
        return scene

    async def _with_root(self, scene: Scene, root: MessageRow) -> Scene:
        place = scene.conversation
        text = await self._directory.root_text(place.team_id, place.channel_id, place.thread_ts)
        if not text:
            return scene
        async with self._work.begin() as tx:
            await tx.messages.fill(root.id, text)
            return await read_scene(tx, scene.turn, place, scene.configuration)

    async def _with_speaker(self, scene: Scene, desk: DeskConfig) -> Scene:
        plan = _selection(scene, desk)
        output = None
        if desk.selector_model:
            output = await self._models.select(
                desk.selector_model,
                plan.request.message,
                [
                    (one.id, one.label, one.role, one.description or "")
                    for one in plan.request.candidates
                ],
            )
        chosen = complete(plan, output)
        reason = f"{chosen.rung.value}:{chosen.disposition.value}"
        async with self._work.begin() as tx:
            await tx.turns.choose(scene.turn.id, scene.turn.attempt, chosen.responder_id, reason)
        turn = replace(scene.turn, agent_id=chosen.responder_id, reason=reason)
        return replace(scene, turn=turn, agent=scene.configuration.agent(chosen.responder_id))

    async def _commit(
        self, scene: Scene, request: TurnRequest | None, reply: TurnReply | ReplyFailure
    ) -> Spoken:
        for attempt in range(1, CONFLICTS + 1):
            try:
                async with self._work.begin() as tx:
                    return await self._write(tx, scene, request, reply)
            except StoreConflictError:
                if attempt == CONFLICTS:
                    raise
        raise AssertionError  # pragma: no cover - the loop returns or raises

    async def _write(
        self,
        tx: Transaction,
        scene: Scene,
        request: TurnRequest | None,
        reply: TurnReply | ReplyFailure,
    ) -> Spoken:
        turn = scene.turn
        (place,) = await tx.conversations.lock([turn.conversation_id])
        failed = isinstance(reply, ReplyFailure)
        why = lines.model_fault(reply.kind) if failed else ""
        if not await tx.turns.commit(turn.id, turn.attempt, reply, why):
            return Spoken.LOST
        quotes, needs = await self._quotes(tx, scene)
        outcome = self._outcome(scene, request, reply, place.last_seq + 1, quotes)
        agent = scene.agent
        row = await tx.messages.append(
            NewMessage(
                conversation_id=place.id,
                role=MessageRole.SPEECH,
                author=AgentAuthor(turn.agent_id, agent.name if agent else turn.agent_id),
                content=outcome.content,
                shown=outcome.shown,
                mentions=outcome.mentions,
                turn_id=turn.id,
                referral_id=turn.referral_id,
            )
        )
        await tx.outbox.add(
            NewOutbox(
                OutboxKind.POST,
                destination_of(scene),
                outcome.body,
                message_id=row.id,
                turn_id=turn.id,
                thread_of=thread_of(scene),
                needs=needs,
            )
        )
        if turn.asker_user_id and turn.kind in (TurnKind.ANSWER, TurnKind.SPONSOR):
            await tx.conversations.set_answered(place.id, turn.asker_user_id)
        spent = reply.spent
        await tx.usage.add(
            place.desk_id,
            self._clock.now().strftime("%Y-%m-%d"),
            1,
            spent.tokens_in + spent.tokens_out,
            spent.cost_usd_micros,
        )
        await tx.jobs.deliver(place.team_id, place.channel_id)
        await tx.jobs.route(place.id)
        return Spoken.FAILED if failed else Spoken.COMMITTED

    async def _quotes(
        self, tx: Transaction, scene: Scene
    ) -> tuple[tuple[Quote, ...], tuple[int, ...]]:
        """The far answer a sponsor passes on, and the posts its link waits for."""
        trigger = scene.trigger
        referral = scene.referral
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

    def _outcome(
        self,
        scene: Scene,
        request: TurnRequest | None,
        reply: TurnReply | ReplyFailure,
        sequence: int,
        quotes: tuple[Quote, ...],
    ) -> _Outcome:
        agent = scene.agent
        if isinstance(reply, ReplyFailure) or request is None or agent is None:
            kind = reply.kind if isinstance(reply, ReplyFailure) else "unavailable"
            line = reply.line if isinstance(reply, ReplyFailure) else ""
            body = failure_body(scene, agent, lines.model_fault(kind), quotes)
            return _Outcome(line, body.text, (), body)
        rendered = self._models.render(request, reply.reply, sequence)
        body = answer_body(scene, agent, reply.reply, rendered, quotes)
        return _Outcome(rendered.content, rendered.shown, _mentions(rendered, request), body)


def _mentions(rendered: RenderedTurn, request: TurnRequest) -> tuple[Mention, ...]:
    """The one mention the host supplies: the question the structure asked to put."""
    if rendered.ask is None:
        return ()
    text, offset = rendered.ask
    named_desk = text.removeprefix("@#")
    desk = next((far for far in request.may_ask if named_desk in (far.id, far.name)), None)
    return (Mention(DeskTarget(desk.id), text, offset),) if desk is not None else ()


def _failure(kind: str) -> ReplyFailure:
    if kind == "misconfigured":
        return ReplyFailure("misconfigured", "(no answer: the agent is not set up)", again=False)
    return ReplyFailure("unavailable", "(no answer: the model could not be reached)", again=False)


def _selection(scene: Scene, desk: DeskConfig) -> SelectPlan:
    members = active_members(desk, scene.configuration)
    found = [scene.configuration.agent(member) for member in members]
    candidates = tuple(
        SelectorCandidate(one.id, one.name, one.role or "Teammate", one.role or None)
        for one in found
        if one is not None
    )
    message = scene.trigger.content if scene.trigger is not None else ""
    return SelectPlan(
        SelectionRequest(message, desk.id, candidates),
        ResponderDecision(scene.turn.agent_id, Rung.DESK_DEFAULT, Disposition.UNAVAILABLE),
    )


__all__ = ["Spoken", "TurnAgainError", "Turns"]
