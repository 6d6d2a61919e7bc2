"""Which vectors stand for a decision."""

from __future__ import annotations

from collections.abc import Sequence

from hivebot.bench.proxy.decisions import Decision, DecisionStream
from hivebot.bench.proxy.features import (
    Embeddings,
    features,
    salience_query,
    surprise_vectors,
)
from hivebot.proxy.percepts import Percepts
from tests.unit.bench.proxy.populations import embed, stream

TALKED = DecisionStream("p", (Decision("ship it", "c", "approve", "fine", "who asked?"),))


def test_each_text_is_embedded_once() -> None:
    calls: list[str] = []

    def counting(texts: Sequence[str]) -> list[list[float]]:
        calls.extend(texts)
        return embed(texts)

    embeddings = Embeddings(counting)
    features(stream("approve", "reject", "approve", "approve"), embeddings)
    features(stream("approve"), embeddings)
    assert len(calls) == len(set(calls)) == 5  # situation, words, three requests


def test_an_empty_text_has_no_vector_and_no_call() -> None:
    embeddings = Embeddings(embed)
    assert list(embeddings.of(Percepts(response="")).present()) == []


def test_a_text_the_embedder_gives_nothing_for_has_no_vector() -> None:
    """memory.md 2: an all-zero vector is absent."""
    embeddings = Embeddings(lambda texts: [[0.0, 0.0] for _ in texts])
    assert embeddings.of(Percepts(artifact="x")).artifact is None


def test_the_second_pass_sees_the_artifact_and_the_first_does_not() -> None:
    """memory.md 5.1 and 9.1."""
    found = features(TALKED, Embeddings(embed))
    assert found.blind[0].artifact is None
    assert found.asked[0].artifact is not None
    assert found.asked[0].response is None


def test_a_dialog_leaves_a_turn_before_the_outcome() -> None:
    """memory.md 9.2."""
    (stored,) = features(TALKED, Embeddings(embed)).stored
    assert [chunk.type for chunk in stored] == ["dialog_turn", "gate_outcome"]
    assert [chunk.outcome for chunk in stored] == ["discuss", "approve"]
    assert stored[0].vectors.response is not None
    assert stored[0].vectors != stored[1].vectors


def test_a_surprise_adds_its_sentence_to_the_vectors() -> None:
    embeddings = Embeddings(embed)
    ((_turn, outcome),) = features(TALKED, embeddings).stored
    assert outcome.vectors.salience is None
    assert surprise_vectors(outcome, "it changed", embeddings).salience is not None
    assert salience_query(TALKED.decisions[0], embeddings) is not None
