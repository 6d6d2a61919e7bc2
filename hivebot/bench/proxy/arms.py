"""Which predictors are compared, and which comparisons were stated before?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from hivebot.bench.proxy.minds import (
    EVERYTHING,
    NEAREST,
    Recall,
    Rule,
    context_majority,
    last_in_context,
    majority,
    older_gate,
)
from hivebot.proxy.retrieval import SEED, Normalization, RetrievalPolicy
from hivebot.proxy.vectors import EXPERIENCE, Dimension

TAUS: Final = (-0.5, -1.0, -1.5, -2.0, -2.3, -2.65)
WEIGHTS: Final = ((0.5, 0.5), (1.0, 0.0), (0.0, 1.0))
NOISE_ROLLS: Final = 20
NOISE_SCALE: Final = 0.08

SEED_ARM: Final = "tau -0.5 (seed)"
CHOSEN_ARM: Final = "chosen"
TANH_ARM: Final = "chosen, tanh"
CONTEXT_MAJORITY: Final = "majority in context"
SIMILARITY_ONLY: Final = "nearest 10 by similarity"


@dataclass(frozen=True, slots=True)
class Arm:
    """One predictor with a memory.

    Attributes:
        name: Row of the tables.
        recall: How the memory is asked.
        rolls: Runs with different noise; 0 for one run without.
        shuffled: Outcomes are stored in another order, so that nothing can be learnt of them.
        foreign: The memories are those of another person.
    """

    name: str
    recall: Recall
    rolls: int = 0
    shuffled: bool = False
    foreign: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """One of the comparisons stated before the test half was opened.

    Attributes:
        name: Row of the tables.
        left: Arm expected to be better.
        right: The other.
    """

    name: str
    left: str
    right: str


COUNTING: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        "majority so far": majority,
        CONTEXT_MAJORITY: context_majority,
        "last in context": last_in_context,
        "Laplace and EMA": older_gate,
    }
)
"""Baselines that read no text."""

COMPARISONS: Final = (
    Comparison("seed against context majority", SEED_ARM, CONTEXT_MAJORITY),
    Comparison("chosen tau against seed", CHOSEN_ARM, SEED_ARM),
    Comparison("chosen tau against similarity only", CHOSEN_ARM, SIMILARITY_ONLY),
    Comparison("minmax against tanh", CHOSEN_ARM, TANH_ARM),
)
"""The four comparisons Holm's correction ranges over."""

BEATS_CONTEXT: Final = Comparison(
    "chosen tau against context majority", CHOSEN_ARM, CONTEXT_MAJORITY
)
"""What `act` needs besides few false approvals; not one of the four."""


def candidates() -> tuple[Arm, ...]:
    """List what the choosing half chooses from: every tau with every weighting, seed first.

    Source: proxy-experiment.md (arms; deciders split in two).
    """
    return tuple(
        Arm(
            f"tau {tau:g}, weights {activation:g}/{semantic:g}",
            Recall(
                replace(
                    _quiet(SEED),
                    retrieval_threshold=tau,
                    activation_weight=activation,
                    semantic_weight=semantic,
                )
            ),
        )
        for tau in TAUS
        for activation, semantic in WEIGHTS
    )


def memory_arms(chosen: RetrievalPolicy) -> tuple[Arm, ...]:
    """List what the test half is asked: every tau at the seed's weights, then one change at a time.

    The changes are made to the chosen policy; the seed's tau is always there.

    Source: proxy-experiment.md (arms and baselines).
    """
    seed, best = _quiet(SEED), _quiet(chosen)
    taus = [
        Arm(
            SEED_ARM if tau == SEED.retrieval_threshold else f"tau {tau:g}",
            Recall(replace(seed, retrieval_threshold=tau)),
        )
        for tau in TAUS
    ]
    weights = [
        Arm(
            f"chosen, weights {activation:g}/{semantic:g}",
            Recall(replace(best, activation_weight=activation, semantic_weight=semantic)),
        )
        for activation, semantic in WEIGHTS
    ]
    five = (*EXPERIENCE, Dimension.SALIENCE)
    return (
        *taus,
        Arm("seed, no reinforcement", Recall(seed, reinforce=False)),
        Arm(CHOSEN_ARM, Recall(best)),
        Arm(TANH_ARM, Recall(replace(best, normalization=Normalization.TANH))),
        *weights,
        Arm("chosen, no reinforcement", Recall(best, reinforce=False)),
        Arm("chosen, noise", Recall(replace(best, noise_scale=NOISE_SCALE)), rolls=NOISE_ROLLS),
        Arm("chosen, five dimensions", Recall(replace(best, dimensions=five))),
        Arm("most recent N by similarity", Recall(best, recent=True)),
        Arm(SIMILARITY_ONLY, Recall(NEAREST, reinforce=False)),
        Arm("all memories", Recall(replace(EVERYTHING, top_k=1_000_000), reinforce=False)),
        Arm("chosen, outcomes shuffled", Recall(best), shuffled=True),
        Arm("chosen, memories of another", Recall(best), foreign=True),
    )


def names(chosen: RetrievalPolicy) -> Sequence[str]:
    """List the rows of the tables in order: baselines that count, then memories."""
    return [*COUNTING, *(arm.name for arm in memory_arms(chosen))]


def _quiet(policy: RetrievalPolicy) -> RetrievalPolicy:
    return replace(policy, noise_scale=0.0)
