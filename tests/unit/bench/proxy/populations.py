"""How does a test embed texts and make small populations without a model?"""

from __future__ import annotations

from collections.abc import Sequence

from hivebot.bench.proxy.decisions import Decision, DecisionStream
from hivebot.bench.proxy.generator import GeneratorPolicy, generate
from hivebot.proxy.noise import id_hashes

WIDTH = 24


def embed(texts: Sequence[str]) -> list[list[float]]:
    """Count words in hashed buckets: like texts have like vectors, and nothing is downloaded."""
    return [_bag(text.lower().split()) for text in texts]


def _bag(words: Sequence[str]) -> list[float]:
    bag = [0.0] * WIDTH
    for number in id_hashes(words).tolist():
        bag[number % WIDTH] += 1.0
    return bag


def stream(*outcomes: str, context: str = "payments", decider: str = "p") -> DecisionStream:
    return DecisionStream(
        decider,
        tuple(
            Decision(f"request {place % 3} please", context, outcome, "words")
            for place, outcome in enumerate(outcomes)
        ),
    )


SMALL = GeneratorPolicy(contexts=2, subcases=2, deciders=4, decisions=24, dialog_per_mille=300)


def small_population() -> tuple[DecisionStream, ...]:
    return generate(SMALL)
