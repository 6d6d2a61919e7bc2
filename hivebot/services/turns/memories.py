"""What does a speaker remember of like matters? At most five of its desk's memories.

A turn only reads: it adds no trace and moves no clock. It is shown nothing that was remembered
where not everybody can read who is going to read its words. Source: turns.md 2, rights.md 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hivebot.hive.crossing import Audience, ReachKind, is_wider
from hivebot.hive.gate import GateKind
from hivebot.proxy.chunks import Chunk, ChunkType, Outcome
from hivebot.proxy.parts import ScoreParts
from hivebot.proxy.percepts import asked_percepts
from hivebot.proxy.prompt import told
from hivebot.proxy.retrieval import Query, RetrievalPolicy
from hivebot.proxy.vectors import Dimension
from hivebot.services.ports import Directory, Transaction, UnitOfWork
from hivebot.services.ports.embedding import Embedder
from hivebot.services.recall import MemoryEmbedding
from hivebot.services.records.asking import Memory, Situation, TurnRequest
from hivebot.services.records.memories import (
    NewRecall,
    Place,
    RecallPurpose,
    Recollection,
    RememberedChunk,
)
from hivebot.services.records.policy import DeskConfig
from hivebot.services.records.replies import AnswerTurn, Reply
from hivebot.services.records.rows import TurnKind
from hivebot.services.retrying import transact
from hivebot.services.turns.scene import Scene

TOP: Final = 5
"""Memories a turn is shown."""

SAME_MATTER: Final = 0.6
"""Cosine of two questions from which on they are about one matter. Source: memory.md 8.3."""

_STATE: Final = GateKind.ANSWER_REVIEW.value
_REMEMBERING: Final[frozenset[Situation]] = frozenset(
    {"answer", "opening", "position", "deliberate", "commit"}
)
_REVIEW: Final = "review:"


@dataclass(frozen=True, slots=True)
class _Found:
    """One memory as it was found.

    Attributes:
        by: Who corrected an answer by it, "" where nobody did.
        near: Its question and this one are about the same matter.
    """

    chunk: RememberedChunk
    by: str
    near: bool


class TurnMemories:
    """Finds what a turn may know of what its desk's people decided before."""

    def __init__(self, work: UnitOfWork, embedder: Embedder, directory: Directory) -> None:
        self._work = work
        self._embedding = MemoryEmbedding(work, embedder)
        self._directory = directory

    async def with_memories(self, scene: Scene, request: TurnRequest) -> TurnRequest:
        """The same request with what is remembered; a desk without a memory remembers nothing.

        Raises:
            StoreUnavailableError: the database is away.
        """
        desk, memory_id = scene.desk, scene.memory_id
        if desk is None or memory_id is None or request.situation not in _REMEMBERING:
            return request
        await self._embedding.embed_waiting(memory_id)
        percepts = asked_percepts(_STATE, desk.id, _question(request))
        embedded = await self._embedding.vectors(memory_id, percepts)
        query = Query(
            state=_STATE,
            task_type=desk.id,
            vectors=embedded.vectors,
            embedding_model=embedded.model,
        )
        places = await self._places(scene, desk, request)
        found = await self._retrieved(memory_id, query, desk.memory, places)
        team_id = scene.conversation.team_id
        return replace(request, memories=tuple([await self._memory(team_id, one) for one in found]))

    async def _retrieved(
        self, memory_id: int, query: Query, bounds: RetrievalPolicy, places: Sequence[Place]
    ) -> tuple[_Found, ...]:
        policy = replace(bounds, top_k=TOP)

        async def read(tx: Transaction) -> tuple[_Found, ...]:
            found = await tx.memories.retrieve(memory_id, query, policy, places)
            await tx.memories.keep_recall(
                memory_id,
                NewRecall(
                    RecallPurpose.TURN,
                    found.clock,
                    found.candidates,
                    found.survivors,
                    policy,
                    found.parts,
                ),
            )
            return tuple([await _found(tx, each, parts) for each, parts in _pairs(found)])

        return await transact(self._work, read)

    async def _memory(self, team_id: str, found: _Found) -> Memory:
        """One memory as a prompt shows it, and as a reader may be told of it."""
        lines = list(told(found.chunk.chunk))
        by = ""
        if found.by:
            person = await self._directory.person(team_id, found.by)
            by = f"{person.name or found.by} on {found.chunk.created_at:%Y-%m-%d}"
            lines.append(f"Corrected by {by}")
        return Memory(
            found.chunk.chunk.id,
            "\n".join(lines),
            corrected=by,
            words=found.chunk.chunk.human_response,
            near=found.near,
        )

    async def _places(
        self, scene: Scene, desk: DeskConfig, request: TurnRequest
    ) -> tuple[Place, ...]:
        """Every place where the words of this turn are going to be posted.

        1. The thread, and its channel as it is now.
        2. The channel of the desk's gates, where a reply that waits is shown.
        3. For a question of another desk: where it was asked, and every desk on the way.
        4. The channels of desks that it may ask without a steward seeing the question first.
        """
        here = scene.conversation
        channels = [here.channel_id]
        if desk.gates.answers or desk.gates.decisions:
            channels.append(desk.gates.channel or here.channel_id)
        referral = scene.referral if scene.turn.kind is TurnKind.REFERRED else None
        configured = scene.configuration.desk
        if referral is not None:
            passed = (configured(one) for one in referral.visited)
            channels += [one.channel for one in passed if one is not None]
        asked = [one for far in request.may_ask if (one := configured(far.id)) is not None]
        known = await self._audiences(
            here.team_id, (*channels, *(one.channel for one in asked), here.channel_id)
        )
        places = [Place(here.audience, here.channel_id)]
        places += [Place(known[channel], channel) for channel in channels]
        places += [
            Place(known[one.channel], one.channel)
            for one in asked
            if _unseen(desk, one, known[here.channel_id], known[one.channel])
        ]
        if referral is not None:
            async with self._work.begin() as tx:
                asking = await tx.conversations.get(referral.from_conversation_id)
            if asking is not None:
                places.append(Place(asking.audience, asking.channel_id))
        return tuple(dict.fromkeys(places))

    async def _audiences(self, team_id: str, channels: Iterable[str]) -> dict[str, Audience]:
        """Who can read these channels now; a channel that nobody knows is anybody's."""
        found: dict[str, Audience] = {}
        for channel_id in dict.fromkeys(channels):
            async with self._work.begin() as tx:
                row = await tx.conversations.find(team_id, channel_id, "")
            facts = None if row else await self._directory.channel(team_id, channel_id)
            known = row.audience if row is not None else facts.audience if facts else None
            found[channel_id] = known or Audience.SHARED
        return found


def about_this(memories: Sequence[Memory], used: Sequence[str]) -> str:
    """What a reader is told of corrections in this matter: by whom and when.

    The words are told too where the answer does not rest on them: it may not follow them.
    """
    said: list[str] = []
    for memory in memories:
        if not memory.corrected or not (memory.near or memory.id in used):
            continue
        words = " ".join(memory.words.split())
        cut = words if len(words) <= _WORDS_TOLD else f"{words[: _WORDS_TOLD - 1]}…"
        rest = f': "{cut}"' if cut and memory.id not in used else ""
        said.append(f"Corrected by {memory.corrected}{rest}")
    return " · ".join(dict.fromkeys(said))


_WORDS_TOLD: Final = 200


def used_memories(reply: Reply) -> tuple[str, ...]:
    """Ids of the memories that an answer says it rests on."""
    return reply.used_memories if isinstance(reply, AnswerTurn) else ()


def _question(request: TurnRequest) -> str:
    """The message that started the work, as gates remember it."""
    return next(
        (row.message.content for row in request.rows if row.message.sequence == request.question),
        "",
    )


def _pairs(found: Recollection) -> Iterable[tuple[RememberedChunk, ScoreParts]]:
    return zip(found.chunks, found.parts, strict=True)


async def _found(tx: Transaction, remembered: RememberedChunk, parts: ScoreParts) -> _Found:
    near = dict(parts.cosines).get(Dimension.STIMULUS, 0.0) >= SAME_MATTER
    return _Found(remembered, await _corrected_by(tx, remembered), near)


async def _corrected_by(tx: Transaction, remembered: RememberedChunk) -> str:
    """Who corrected an answer: a correction that was taught names them, a gate's is its actor's."""
    chunk: Chunk = remembered.chunk
    if chunk.type == ChunkType.REVIEW_CORRECTION:
        return chunk.task_type.removeprefix(_REVIEW)
    if chunk.outcome != Outcome.CORRECT or not remembered.by_human:
        return ""
    gate_id = remembered.sources.gate_id
    gate = await tx.gates.get(gate_id) if gate_id is not None else None
    return gate.actor_user_id if gate is not None else ""


def _unseen(desk: DeskConfig, far: DeskConfig, here: Audience, there: Audience) -> bool:
    """Whether a question of this desk would be posted there without a steward seeing it first."""
    if ReachKind.GATE in (desk.asks.kind, far.answers.kind):
        return False
    return not is_wider(here, there) or desk.asks_wider == "allow"
