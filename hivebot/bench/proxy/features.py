"""Which vectors stand for a decision, when it is asked about and when it is stored?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from hivebot.bench.proxy.decisions import Decision, DecisionStream
from hivebot.proxy.chunks import Chunk, ChunkType, Outcome
from hivebot.proxy.percepts import (
    Percepts,
    asked_percepts,
    salience_question,
    stored_percepts,
)
from hivebot.proxy.vectors import Dimension, Vector, Vectors, storable

STATE = "decision_review"
"""Every decision is one kind of gate; the context is the task type."""

Embed: TypeAlias = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""Gives one vector for each text; passed in, so that nothing is downloaded or chosen in here."""


class Embeddings:
    """The vectors of texts, each text embedded once."""

    __slots__ = ("_embed", "_known")

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._known: dict[str, Vector | None] = {}

    def learn(self, texts: Sequence[str]) -> None:
        """Embed many texts in one call; known and empty ones are left out."""
        fresh = [text for text in dict.fromkeys(texts) if text and text not in self._known]
        if fresh:
            found = self._embed(fresh)
            self._known.update((t, storable(v)) for t, v in zip(fresh, found, strict=True))

    def of(self, percepts: Percepts) -> Vectors:
        """Give the vectors of some percepts; absent where the text is empty."""
        texts = percepts.texts()
        self.learn([text for _, text in texts])
        return Vectors(**{dimension.value: self._known[text] for dimension, text in texts})


@dataclass(frozen=True, slots=True)
class Features:
    """One person's decisions, ready to be stored and asked about.

    Attributes:
        stored: What each leaves in the memory, without traces: a dialog turn where there was one,
            then the outcome.
        blind: Vectors of each as the first pass asks: without the artifact.
        asked: Vectors of each as the second pass asks.

    Source: proxy-experiment.md (predictor: pass 2 query).
    """

    stored: tuple[tuple[Chunk, ...], ...]
    blind: tuple[Vectors, ...]
    asked: tuple[Vectors, ...]


def features(stream: DecisionStream, embeddings: Embeddings) -> Features:
    """Embed a stream. The request is the artifact, its first line the question that was asked."""
    stored, asked = _percepts(stream)
    embeddings.learn([text for each in (*stored, *asked) for _, text in each.texts()])
    vectors = tuple(embeddings.of(each) for each in asked)
    return Features(
        stored=tuple(
            _chunks(place, decision, embeddings.of(percepts), embeddings)
            for place, (decision, percepts) in enumerate(zip(stream.decisions, stored, strict=True))
        ),
        blind=tuple(replace(each, artifact=None) for each in vectors),
        asked=vectors,
    )


def surprise_vectors(chunk: Chunk, sentence: str, embeddings: Embeddings) -> Vectors:
    """Give a chunk's vectors with the sentence of a surprise added."""
    salience = embeddings.of(Percepts(salience=sentence)).get(Dimension.SALIENCE)
    return replace(chunk.vectors, salience=salience)


def salience_query(decision: Decision, embeddings: Embeddings) -> Vector | None:
    """Give the vector that asks what surprised the proxy in something like this."""
    text = salience_question(STATE, decision.context, decision.request)
    return embeddings.of(Percepts(salience=text)).get(Dimension.SALIENCE)


def _percepts(stream: DecisionStream) -> tuple[list[Percepts], list[Percepts]]:
    stored = [
        replace(
            stored_percepts(_outcome(0, each), question=_title(each), artifact=each.request),
            blended="",
        )
        for each in stream.decisions
    ]
    asked = [
        asked_percepts(STATE, each.context, _title(each), each.request) for each in stream.decisions
    ]
    return stored, asked


def _title(decision: Decision) -> str:
    return decision.request.split("\n", 1)[0]


def _outcome(place: int, decision: Decision) -> Chunk:
    return Chunk(
        id=f"d{place}",
        type=ChunkType.GATE_OUTCOME,
        state=STATE,
        task_type=decision.context,
        outcome=decision.outcome,
        human_response=decision.words,
        content=decision.request,
    )


def _chunks(
    place: int, decision: Decision, vectors: Vectors, embeddings: Embeddings
) -> tuple[Chunk, ...]:
    outcome = replace(_outcome(place, decision), vectors=vectors)
    if not decision.dialog:
        return (outcome,)
    said = embeddings.of(Percepts(response=decision.dialog)).response
    turn = replace(
        outcome,
        id=f"t{place}",
        type=ChunkType.DIALOG_TURN,
        outcome=Outcome.DISCUSS,
        human_response=decision.dialog,
        vectors=replace(vectors, response=said),
    )
    return turn, outcome
