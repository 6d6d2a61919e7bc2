"""What does the registered experiment find on some streams?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hivebot.bench.chance import Stream, mix
from hivebot.bench.proxy.arms import (
    BEATS_CONTEXT,
    CHOSEN_ARM,
    COMPARISONS,
    COUNTING,
    Arm,
    Comparison,
    candidates,
    memory_arms,
)
from hivebot.bench.proxy.decisions import OUTCOMES, DecisionStream, halves
from hivebot.bench.proxy.features import Embed, Embeddings, Features, features
from hivebot.bench.proxy.minds import CountingMind, MemoryMind
from hivebot.bench.proxy.resampling import (
    Difference,
    Interval,
    balanced_accuracy,
    difference,
    holm,
    interval,
)
from hivebot.bench.proxy.scores import (
    FALSE_APPROVALS_MAX,
    ScoredGate,
    Scores,
    answers,
    prequential,
    scored,
    scores,
    warm_up,
)
from hivebot.proxy.retrieval import RetrievalPolicy

SEED: Final = 20260401
_SHUFFLE: Final = 0x5AFF1E


@dataclass(frozen=True, slots=True)
class ArmResult:
    """What one predictor did on the test half.

    Attributes:
        name: Row of the tables.
        balanced: Balanced accuracy with its interval, warm-up left out.
        scores: What is always shown beside it.
        warm_up: The same of the first 20 gates of each person.
        deviation: Standard deviation of balanced accuracy over runs with different noise.
    """

    name: str
    balanced: Interval
    scores: Scores
    warm_up: Scores
    deviation: float


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """What a comparison stated before found.

    Attributes:
        comparison: What was stated.
        difference: Of balanced accuracy, paired.
        corrected_p: After Holm; the plain one where none applies.
    """

    comparison: Comparison
    difference: Difference
    corrected_p: float


@dataclass(frozen=True, slots=True)
class Report:
    """What the experiment found.

    Attributes:
        chosen: What the choosing half chose.
        chosen_name: Its name among the candidates.
        choices: Balanced accuracy of each candidate on the choosing half.
        arms: Every predictor on the test half, in the order of the tables.
        comparisons: The four stated ones.
        beats_context: The chosen tau against the majority in context.
        act_supported: Acting alone is supported by the evidence.

    Source: proxy-experiment.md.
    """

    chosen: RetrievalPolicy
    chosen_name: str
    choices: Mapping[str, float]
    arms: tuple[ArmResult, ...]
    comparisons: tuple[ComparisonResult, ...]
    beats_context: ComparisonResult
    act_supported: bool


def run(streams: Sequence[DecisionStream], embed: Embed, seed: int = SEED) -> Report:
    """Choose tau and weights on one half of the people, and test everything on the other.

    Figures of the same streams, vectors and seed are the same on every machine.

    Source: proxy-experiment.md.
    """
    embeddings = Embeddings(embed)
    choosing, testing = halves(streams, seed)
    choices = {
        arm.name: balanced_accuracy(
            answers(scored(_run_arm(arm, choosing, embeddings, seed))), len(OUTCOMES)
        )
        for arm in candidates()
    }
    best = max(candidates(), key=lambda arm: round(choices[arm.name], 9))
    gates = _test(best.recall.policy, testing, embeddings, seed)
    arms = tuple(_arm_result(name, found, seed) for name, found in gates.items())
    compared = [_compare(each, gates, seed) for each in COMPARISONS]
    corrected = holm([each.p for each in compared])
    beats = _compare(BEATS_CONTEXT, gates, seed)
    chosen = next(arm for arm in arms if arm.name == CHOSEN_ARM)
    return Report(
        chosen=best.recall.policy,
        chosen_name=best.name,
        choices=choices,
        arms=arms,
        comparisons=tuple(
            ComparisonResult(stated, found, p)
            for stated, found, p in zip(COMPARISONS, compared, corrected, strict=True)
        ),
        beats_context=ComparisonResult(BEATS_CONTEXT, beats, beats.p),
        act_supported=act_supported(chosen.scores, beats),
    )


def act_supported(chosen: Scores, beats_context: Difference) -> bool:
    """Say whether acting alone is supported.

    Both must hold: the upper bound of false approvals is below 5%, and balanced accuracy beats the
    majority in context with its interval above 0.

    Source: proxy-experiment.md (pass, fail).
    """
    few = chosen.enough_acts and chosen.false_approvals_upper < FALSE_APPROVALS_MAX
    return few and beats_context.interval.low > 0


def _test(
    chosen: RetrievalPolicy,
    streams: Sequence[DecisionStream],
    embeddings: Embeddings,
    seed: int,
) -> dict[str, tuple[ScoredGate, ...]]:
    gates = {
        name: tuple(
            gate for stream in streams for gate in prequential(stream, CountingMind(stream, rule))
        )
        for name, rule in COUNTING.items()
    }
    for arm in memory_arms(chosen):
        gates[arm.name] = _run_arm(arm, streams, embeddings, seed)
    return gates


def _run_arm(
    arm: Arm, streams: Sequence[DecisionStream], embeddings: Embeddings, seed: int
) -> tuple[ScoredGate, ...]:
    known = [features(stream, embeddings) for stream in streams]
    gates: list[ScoredGate] = []
    for number, stream in enumerate(streams):
        stored: Features | None = None
        if arm.foreign:
            stored = known[(number + 1) % len(known)]
        outcomes = _shuffled(stream, seed) if arm.shuffled else None
        noise = [mix(seed, roll) for roll in range(arm.rolls)] or [None]
        for roll, chance in enumerate(noise):
            mind = MemoryMind(
                stream,
                known[number],
                arm.recall,
                embeddings,
                stored=stored,
                outcomes=outcomes,
                seed=chance,
            )
            gates.extend(prequential(stream, mind, roll))
    return tuple(gates)


def _shuffled(stream: DecisionStream, seed: int) -> list[str]:
    """Give one person's outcomes in another order: Fisher and Yates, from a stream of its own."""
    outcomes = [decision.outcome for decision in stream.decisions]
    chance = Stream(mix(mix(seed, _SHUFFLE), len(outcomes)))
    for last in range(len(outcomes) - 1, 0, -1):
        other = chance.below(last + 1)
        outcomes[last], outcomes[other] = outcomes[other], outcomes[last]
    return outcomes


def _arm_result(name: str, gates: Sequence[ScoredGate], seed: int) -> ArmResult:
    counted = scored(gates)
    return ArmResult(
        name=name,
        balanced=interval(answers(counted), len(OUTCOMES), seed),
        scores=scores(counted),
        warm_up=scores(warm_up(gates)),
        deviation=_deviation(counted),
    )


def _deviation(gates: Sequence[ScoredGate]) -> float:
    runs: dict[int, list[ScoredGate]] = {}
    for gate in gates:
        runs.setdefault(gate.roll, []).append(gate)
    values = [balanced_accuracy(answers(each), len(OUTCOMES)) for each in runs.values()]
    return float(np.std(values)) if values else 0.0


def _compare(
    comparison: Comparison, gates: Mapping[str, Sequence[ScoredGate]], seed: int
) -> Difference:
    left, right = scored(gates[comparison.left]), scored(gates[comparison.right])
    return difference(answers(left, right), len(OUTCOMES), seed)
