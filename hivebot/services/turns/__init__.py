"""How does an authorised turn become a committed reply? Ask the model, then write once.

The model is called outside any transaction; the turn's row is claimed before and written only if
the claim still holds. Source: datapath.md 3, turns.md 2 to 6.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar

from hivebot.hive.responder import (
    Disposition,
    ResponderDecision,
    Rung,
    SelectionRequest,
    SelectorCandidate,
    SelectPlan,
    complete,
)
from hivebot.services.ports import (
    Clock,
    Directory,
    Models,
    Policies,
    PortError,
    StoreConflictError,
    Transaction,
    UnitOfWork,
)
from hivebot.services.ports.embedding import Embedder
from hivebot.services.records.asking import (
    Memory,
    ReplyFailure,
    Spent,
    TurnReply,
    TurnRequest,
)
from hivebot.services.records.policy import AgentConfig, DeskConfig
from hivebot.services.records.rows import ConversationRow, MessageRow, TurnRow
from hivebot.services.snapshots import active_members
from hivebot.services.turns.answers import write_answer
from hivebot.services.turns.debate import write_debate
from hivebot.services.turns.floor_scene import (
    Debating,
    as_peer,
    blind_peers,
    debating,
    digest_of,
    episode_request,
    members_of,
    without_unseen,
)
from hivebot.services.turns.memories import TurnMemories
from hivebot.services.turns.scene import Scene, named, places_of, read_scene, request_of

ATTEMPTS = 3
"""Claims of one turn, rescues included, before it is failed. Source: datapath.md 3."""

FAILURES_MAX = 2
"""Failed turns after which a member's model is not called again in an episode. turns.md 5."""

CONFLICTS = 3
SELECT = "select"


class Spoken(StrEnum):
    """How a run ended; for the log line."""

    COMMITTED = "committed"
    FAILED = "failed"
    LOST = "lost"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a speaker was asked, and what came of it.

    Attributes:
        request: None when nobody was asked.
        paid: It was kept from an earlier call, and counted then.
    """

    request: TurnRequest | None
    reply: TurnReply | ReplyFailure
    paid: bool = False


class TurnAgainError(PortError):
    """The model could not answer now and may later; the queue tries the turn again."""

    code: ClassVar[str] = "turn_again"

    def __init__(self, kind: str) -> None:
        super().__init__(f"the model could not answer now: {kind}")
        self.kind = kind


class Turns:
    """Runs one turn."""

    def __init__(
        self,
        work: UnitOfWork,
        policies: Policies,
        models: Models,
        directory: Directory,
        clock: Clock,
        embedder: Embedder,
    ) -> None:
        self._work = work
        self._policies = policies
        self._models = models
        self._directory = directory
        self._clock = clock
        self._memories = TurnMemories(work, embedder, directory)

    async def run(self, turn_id: int) -> Spoken:
        """Claim the turn, ask its speaker, commit the reply or the line that says why not.

        A shutdown is no attempt: whoever is interrupted gives the turn back.

        Raises:
            TurnAgainError: the model may answer later and attempts are left.
            StoreConflictError: three times running.
            StoreUnavailableError: nothing was written.
        """
        claimed = await self._claim(turn_id)
        if claimed is None:
            return Spoken.GONE
        try:
            return await self._speak(*claimed)
        except asyncio.CancelledError:
            await self._give_back(claimed[0].turn)
            raise

    async def _give_back(self, turn: TurnRow) -> None:
        with suppress(PortError):  # then the turn is rescued, and an attempt is spent
            async with self._work.begin() as tx:
                await tx.turns.give_back(turn.id, turn.attempt)

    async def _speak(self, scene: Scene, debate: Debating | None) -> Spoken:
        hopeless = _hopeless(scene, debate)
        if hopeless is not None:
            return await self._commit(scene, debate, Asked(None, hopeless))
        scene = await self._prepared(scene)
        if scene.agent is None:  # pragma: no cover - a selector picks among configured agents
            return await self._commit(scene, debate, Asked(None, _not_set_up()))
        asked = await self._asked(scene, debate, scene.agent)
        reply = asked.reply
        if isinstance(reply, ReplyFailure) and reply.again and scene.turn.attempt < ATTEMPTS:
            await self._pay(scene, reply.spent)
            raise TurnAgainError(reply.kind)
        return await self._commit(scene, debate, asked)

    async def _claim(self, turn_id: int) -> tuple[Scene, Debating | None] | None:
        async with self._work.begin() as tx:
            turn = await tx.turns.claim(turn_id)
            if turn is None:
                return None
            configuration = await self._policies.revision(turn.revision)
            conversation = await tx.conversations.get(turn.conversation_id)
            if conversation is None:  # pragma: no cover - a foreign key forbids it
                return None
            scene = await read_scene(tx, turn, conversation, configuration)
            debate = await _read_debate(tx, turn, conversation)
            if debate is not None:
                places = await places_of(tx, debate.log)
                scene = replace(scene, rows=debate.log, places=places)
            return scene, debate

    async def _asked(self, scene: Scene, debate: Debating | None, agent: AgentConfig) -> Asked:
        names = await named(scene.rows, scene.conversation.team_id, self._directory)
        if debate is None:
            request = await self._memories.with_memories(scene, request_of(scene, agent, names))
            return Asked(request, await self._models.reply(request))
        request = await self._memories.with_memories(
            scene, episode_request(scene, debate, agent, names)
        )
        kept = await self._kept(debate, request) if debate.blind else None
        if kept is not None:
            return Asked(request, kept, paid=True)
        return Asked(request, await self._side_by_side(scene, debate, request, names))

    async def _kept(self, debate: Debating, request: TurnRequest) -> TurnReply | None:
        """A blind reply computed beside another's, while its request is still the same."""
        async with self._work.begin() as tx:
            kept = await tx.episodes.prefetched(debate.episode.id, request.agent.id)
        return kept[1] if kept is not None and kept[0] == digest_of(request) else None

    async def _side_by_side(
        self, scene: Scene, debate: Debating, request: TurnRequest, names: dict[str, str]
    ) -> TurnReply | ReplyFailure:
        """Ask the speaker; in a blind round ask everybody who has not opened at the same time."""
        peers = [
            asked
            for asked in _to_peers(scene, debate, names, request.memories)
            if await self._kept(debate, asked) is None
        ]
        replies = await asyncio.gather(
            self._models.reply(request), *(self._models.reply(peer) for peer in peers)
        )
        async with self._work.begin() as tx:
            for asked, reply in zip(peers, replies[1:], strict=True):
                await self._charge(tx, scene, 0, reply.spent)
                if isinstance(reply, TurnReply):
                    await tx.episodes.prefetch(
                        debate.episode.id, asked.agent.id, digest_of(asked), reply
                    )
        return replies[0]

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
        self,
        scene: Scene,
        debate: Debating | None,
        asked: Asked,
    ) -> Spoken:
        for attempt in range(1, CONFLICTS + 1):
            try:
                async with self._work.begin() as tx:
                    return await self._write(tx, scene, debate, asked)
            except StoreConflictError:
                if attempt == CONFLICTS:
                    raise
        raise AssertionError  # pragma: no cover - the loop returns or raises

    async def _write(
        self,
        tx: Transaction,
        scene: Scene,
        debate: Debating | None,
        asked: Asked,
    ) -> Spoken:
        request, reply = asked.request, asked.reply
        if debate is None:
            written = await write_answer(tx, self._models, scene, request, reply, self._clock.now())
        else:
            written = await write_debate(tx, self._models, scene, debate, request, reply)
        if not written:
            return Spoken.LOST
        await self._charge(tx, scene, 1, Spent() if asked.paid else reply.spent)
        return Spoken.FAILED if isinstance(reply, ReplyFailure) else Spoken.COMMITTED

    async def _pay(self, scene: Scene, spent: Spent) -> None:
        """Count what was spent in vain."""
        async with self._work.begin() as tx:
            await self._charge(tx, scene, 0, spent)

    async def _charge(self, tx: Transaction, scene: Scene, turns: int, spent: Spent) -> None:
        await tx.usage.add(
            scene.conversation.desk_id,
            self._clock.now().strftime("%Y-%m-%d"),
            turns,
            spent.tokens_in + spent.tokens_out,
            spent.cost_usd_micros,
        )


async def _read_debate(
    tx: Transaction, turn: TurnRow, conversation: ConversationRow
) -> Debating | None:
    if turn.episode_id is None:
        return None
    episode = await tx.episodes.get(turn.episode_id)
    if episode is None:  # pragma: no cover - a foreign key forbids it
        return None
    decision = await tx.decisions.get(turn.decision_id) if turn.decision_id is not None else None
    debate = debating(episode, await tx.messages.since(conversation.id, 0), decision)
    if not debate.blind:
        return debate
    return without_unseen(debate, (await tx.turns.replies(conversation.id)).values())


def _to_peers(
    scene: Scene, debate: Debating, names: dict[str, str], memories: tuple[Memory, ...]
) -> list[TurnRequest]:
    """What is asked of the others who have not opened, in a blind round; nothing otherwise.

    All are asked the same about the same desk, so they remember the same.
    """
    return [
        replace(episode_request(scene, as_peer(debate, peer), agent, names), memories=memories)
        for peer in blind_peers(debate, members_of(scene), scene.turn.agent_id)
        if (agent := scene.configuration.agent(peer)) is not None
        and debate.episode.failed(peer) < FAILURES_MAX
    ]


def _hopeless(scene: Scene, debate: Debating | None) -> ReplyFailure | None:
    """Why the model need not be asked at all, or None."""
    if scene.agent is None:
        return _not_set_up()
    if scene.turn.attempt > ATTEMPTS:
        line = "(no answer: the model could not be reached)"
        return ReplyFailure("unavailable", line, again=False)
    if debate is not None and debate.episode.failed(scene.turn.agent_id) >= FAILURES_MAX:
        line = "(no answer: its model has failed twice here)"
        return ReplyFailure("unavailable", line, again=False)
    return None


def _not_set_up() -> ReplyFailure:
    return ReplyFailure("misconfigured", "(no answer: the agent is not set up)", again=False)


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
