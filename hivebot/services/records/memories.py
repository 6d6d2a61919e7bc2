"""What is stored of a memory, and where may it be read?

Source: memory.md 2 and 3.1, rights.md 3, datapath.md 7.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from hivebot.hive.crossing import Audience
from hivebot.proxy.chunks import Chunk
from hivebot.proxy.parts import ScoreParts
from hivebot.proxy.percepts import Percepts, stored_percepts
from hivebot.proxy.retrieval import RetrievalPolicy

RECALLS_KEPT = 500
"""Retrievals kept per memory: at two a gate, those of its last 250."""

_BREADTH = (Audience.DM, Audience.PRIVATE, Audience.PUBLIC, Audience.SHARED)
_CLOSED = (Audience.DM, Audience.PRIVATE, Audience.SHARED)


@dataclass(frozen=True, slots=True)
class Place:
    """A conversation something came from, or is going to be posted in.

    Attributes:
        audience: Who can read it now.
        channel_id: Its channel.
    """

    audience: Audience
    channel_id: str


@dataclass(frozen=True, slots=True)
class Scope:
    """Who may read a chunk.

    Attributes:
        audience: The narrowest of everything that went into it.
        channel_id: The one channel it may be read in; "" for a public chunk, which is read in all,
            and for one made of several closed conversations, which is read in none.

    Source: rights.md 3.
    """

    audience: Audience
    channel_id: str = ""

    @classmethod
    def of(cls, places: Sequence[Place]) -> Scope:
        """Say who may read what was made of these conversations.

        1. Nothing is known of where it came from: nobody.
        2. All were public: everyone inside.
        3. One private channel or direct message, whatever was public beside it: whoever is in it.
        4. One shared channel and nothing else: whoever is in it, strangers too.
        5. Any other mixture: nobody, since no one place is as narrow as each of them.

        Source: rights.md 3 (gate, artifact, question, origin).
        """
        if not places:
            return cls(Audience.DM)
        closed = [each for each in places if each.audience is not Audience.PUBLIC]
        if not closed:
            return cls(Audience.PUBLIC)
        narrowest = min((each.audience for each in closed), key=_BREADTH.index)
        strange = narrowest is Audience.SHARED and len(closed) < len(places)
        channels = {each.channel_id for each in closed}
        return cls(narrowest, channels.pop() if len(channels) == 1 and not strange else "")

    def readable_in(self, places: Sequence[Place]) -> bool:
        """Say whether a text that goes to all these places may rest on the chunk."""
        return Readable.in_all(places).admits(self)


@dataclass(frozen=True, slots=True)
class Readable:
    """Which scopes may be read where a text is going to be posted.

    Attributes:
        public: Public chunks may.
        channel_id: Chunks of this closed channel may, "" for none.
        audiences: With these audiences.

    Source: rights.md 3.
    """

    public: bool
    channel_id: str = ""
    audiences: tuple[Audience, ...] = ()

    @classmethod
    def in_all(cls, places: Sequence[Place]) -> Readable:
        """Ask for every place at once; without any nothing may be read.

        A place is at least as narrow as a chunk when its audience is. A channel that was opened
        since is wider than what was remembered in it. A shared channel is wider than the workspace.
        """
        if not places:
            return cls(public=False)
        widest = max(_BREADTH.index(each.audience) for each in places)
        channels = {each.channel_id for each in places}
        return cls(
            public=Audience.SHARED not in {each.audience for each in places},
            channel_id=channels.pop() if len(channels) == 1 else "",
            audiences=tuple(each for each in _CLOSED if _BREADTH.index(each) >= widest),
        )

    def admits(self, scope: Scope) -> bool:
        """Say whether a chunk of that scope may be read."""
        if scope.audience is Audience.PUBLIC:
            return self.public
        same = bool(scope.channel_id) and scope.channel_id == self.channel_id
        return same and scope.audience in self.audiences


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """One proxy's memory.

    Attributes:
        proxy: Whose it is: the desk's id.
        clock: Interactions so far; nothing else moves it.
        seed: Of the noise.
        consolidated_clock: Where the clock stood when it was last consolidated.

    Source: memory.md 3.1 (one clock per proxy, never per workspace).
    """

    id: int
    team_id: str
    proxy: str
    clock: int
    seed: int
    consolidated_clock: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Sources:
    """What a chunk was made of, by id, so that erasing any of it erases the chunk.

    Attributes:
        gate_id: The gate, if one was settled.
        message_ids: Transcript rows whose text is in the chunk.
        user_ids: People whose words or decision are.

    Source: datapath.md 7.
    """

    gate_id: int | None = None
    message_ids: tuple[int, ...] = ()
    user_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PerceptTexts:
    """The texts of a chunk's vectors that stand in none of its other fields.

    Attributes:
        question: What the gate asked; 500 characters of it are embedded.
        artifact: What was reviewed; 4000 characters of it are embedded.
        situation: Instead of `state task_type`, where given.

    Source: memory.md 2.
    """

    question: str = ""
    artifact: str = ""
    situation: str = ""


@dataclass(frozen=True, slots=True)
class NewChunk:
    """An interaction to remember.

    Attributes:
        chunk: Without traces and sequence, which the memory gives; with vectors if there are any.
        by_human: The outcome came from a person; only such outcomes count as accuracy.

    Source: memory.md 5.4 and 5.5.
    """

    chunk: Chunk
    scope: Scope
    sources: Sources = field(default_factory=Sources)
    texts: PerceptTexts = field(default_factory=PerceptTexts)
    by_human: bool = True


@dataclass(frozen=True, slots=True)
class RememberedChunk:
    """A chunk with everything that is stored beside it; `chunk.sequence` is the row's number."""

    memory_id: int
    chunk: Chunk
    scope: Scope
    sources: Sources
    texts: PerceptTexts
    by_human: bool
    created_at: datetime

    @property
    def percepts(self) -> Percepts:
        """The texts to embed; the joined text of the one-vector ablation is not among them."""
        texts = self.texts
        made = stored_percepts(
            self.chunk,
            question=texts.question,
            artifact=texts.artifact,
            situation=texts.situation,
        )
        return Percepts(
            situation=made.situation,
            artifact=made.artifact,
            stimulus=made.stimulus,
            response=made.response,
            salience=made.salience,
        )


@dataclass(frozen=True, slots=True)
class Recorded:
    """What came of remembering an interaction.

    Attributes:
        chunk: As it is stored now.
        clock: Where the clock stands.
        new: False when this id was remembered before; then nothing was changed.
    """

    chunk: Chunk
    clock: int
    new: bool


@dataclass(frozen=True, slots=True)
class Recollection:
    """What came to mind.

    Attributes:
        chunks: In rank order, without their vectors.
        parts: How each came by its score; empty for a salience retrieval, which has one part.
        clock: Where the clock stood.
        candidates: Live chunks that passed the structural filter and may be read here.
        survivors: Those above the threshold.
        other_length: Vectors that were skipped because their length differs, to be logged.

    Source: memory.md 3.6 and 4.
    """

    chunks: tuple[RememberedChunk, ...]
    parts: tuple[ScoreParts, ...]
    clock: int
    candidates: int
    survivors: int
    other_length: int = 0


class RecallPurpose(StrEnum):
    """What a retrieval was made for."""

    PRIOR = "prior"
    POSTERIOR = "posterior"
    TURN = "turn"


@dataclass(frozen=True, slots=True)
class NewRecall:
    """A retrieval to keep for people who ask why: numbers and ids, no text.

    Attributes:
        gate_id: The gate it was made for, if any.
        policy: Its bounds; the kind of scaling is logged with every retrieval.

    Source: memory.md 3.6 and 4.3.
    """

    purpose: RecallPurpose
    clock: int
    candidates: int
    survivors: int
    policy: RetrievalPolicy
    hits: tuple[ScoreParts, ...]
    gate_id: int | None = None


@dataclass(frozen=True, slots=True)
class RecallRow:
    """A retrieval that was kept."""

    id: int
    memory_id: int
    recall: NewRecall
    at: datetime


def text_digest(text: str) -> str:
    """The key a text's vector is kept under: SHA-256 in hexadecimal.

    Source: memory.md 2 (a cache of embeddings keyed by text hash, provider, model).
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
