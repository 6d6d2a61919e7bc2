"""How good were a predictor's guesses?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hivebot.bench.proxy.decisions import OUTCOMES, DecisionStream
from hivebot.bench.proxy.minds import Guess, Mind
from hivebot.bench.proxy.resampling import Answers, wilson_upper
from hivebot.proxy.metrics import Ratio, ratio

WARM_UP: Final = 20
ACT_THRESHOLD: Final = 0.8
WRONG_ACT_COST: Final = 3
FALSE_APPROVALS_MAX: Final = 0.05
ACTS_MIN: Final = 74
"""Acts needed to say "false approvals below 5%" with none wrong."""

BINS: Final = 10
NOT_ENOUGH_ACTS: Final = "not enough acts"

_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class ScoredGate:
    """One guess beside what was decided.

    Attributes:
        decider: Pseudonym.
        place: Number of the decision, from 0; the first 20 are warm-up.
        truth: What was decided.
        guess: What was said before.
        same_context: A decision of the same context had been seen.
        roll: Which run it was, where the noise is drawn several times.
    """

    decider: str
    place: int
    truth: str
    guess: Guess
    same_context: bool
    roll: int = 0

    @property
    def right(self) -> bool:
        """Say whether the guess named the outcome; an abstention is wrong."""
        return self.guess.outcome == self.truth

    @property
    def acted(self) -> bool:
        """Say whether the confidence suffices to act alone."""
        return bool(self.guess.outcome) and round(self.guess.confidence, _DECIMALS) >= ACT_THRESHOLD


@dataclass(frozen=True, slots=True)
class Bin:
    """One bar of the reliability diagram.

    Attributes:
        count: Guesses with a confidence in this tenth.
        confidence: Their mean confidence, 0 of none.
        accuracy: How many were right, 0 of none.
    """

    count: int
    confidence: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Scores:
    """What is always shown beside the balanced accuracy.

    Attributes:
        accuracy: Right guesses, of all gates; an abstention is wrong.
        coverage: Gates with any memory above the threshold, of all.
        acted: Gates with a confidence at the act threshold, of all.
        false_approvals: Acts that were wrong, of all acts.
        known_context: Right guesses, of the gates whose context had been seen.
        brier: Mean squared distance of confidence and truth, of guesses made; 0 of none.
        reliability: Ten bars by confidence.
        survivors: Memories above the threshold, of all candidates.
        cost: Questions per gate, a wrong act counted as three; 0 of none.
        runs: How often each gate was run; counts are those of all runs together.

    Source: proxy-experiment.md (metrics).
    """

    accuracy: Ratio
    coverage: Ratio
    acted: Ratio
    false_approvals: Ratio
    known_context: Ratio
    brier: float
    reliability: tuple[Bin, ...]
    survivors: Ratio
    cost: float
    runs: int

    @property
    def acts(self) -> float:
        """Give the number of acts of one run, the mean where there were several."""
        return self.false_approvals.total / self.runs

    @property
    def false_approvals_upper(self) -> float:
        """Give the upper end of Wilson's interval of the wrong acts of one run.

        Runs of the same gates are no further evidence, so their mean counts.
        """
        return wilson_upper(self.false_approvals.hits / self.runs, self.acts)

    @property
    def enough_acts(self) -> bool:
        """Say whether that many acts can show few false approvals at all.

        Source: proxy-experiment.md (size).
        """
        return self.acts >= ACTS_MIN


def prequential(stream: DecisionStream, mind: Mind, roll: int = 0) -> tuple[ScoredGate, ...]:
    """Let a predictor meet a stream: predict, see, store.

    Source: proxy-experiment.md (predictor).
    """
    met: set[str] = set()
    gates: list[ScoredGate] = []
    for place, decision in enumerate(stream.decisions):
        guess = mind.predict(place)
        known = decision.context in met
        gates.append(ScoredGate(stream.decider, place, decision.outcome, guess, known, roll))
        mind.learn(place)
        met.add(decision.context)
    return tuple(gates)


def scored(gates: Sequence[ScoredGate]) -> tuple[ScoredGate, ...]:
    """Leave the warm-up out."""
    return tuple(gate for gate in gates if gate.place >= WARM_UP)


def warm_up(gates: Sequence[ScoredGate]) -> tuple[ScoredGate, ...]:
    """Give the warm-up alone; it is reported apart."""
    return tuple(gate for gate in gates if gate.place < WARM_UP)


def scores(gates: Sequence[ScoredGate]) -> Scores:
    """Count what is always shown. Source: proxy-experiment.md (metrics)."""
    made = [gate for gate in gates if gate.guess.outcome]
    acts = [gate for gate in gates if gate.acted]
    wrong = ratio(not gate.right for gate in acts)
    questions = len(gates) - len(acts) + WRONG_ACT_COST * wrong.hits
    misses = [(gate.guess.confidence - gate.right) ** 2 for gate in made]
    return Scores(
        accuracy=ratio(gate.right for gate in gates),
        coverage=ratio(gate.guess.survivors > 0 for gate in gates),
        acted=Ratio(len(acts), len(gates)),
        false_approvals=wrong,
        known_context=ratio(gate.right for gate in gates if gate.same_context),
        brier=sum(misses) / len(misses) if misses else 0.0,
        reliability=_reliability(made),
        survivors=Ratio(
            sum(gate.guess.survivors for gate in gates),
            sum(gate.guess.candidates for gate in gates),
        ),
        cost=questions / len(gates) if gates else 0.0,
        runs=max(len({gate.roll for gate in gates}), 1),
    )


def answers(
    left: Sequence[ScoredGate], right: Sequence[ScoredGate] | None = None
) -> tuple[Answers, ...]:
    """Arrange guesses for resampling, by person; several runs of one gate are averaged.

    Both sides must hold the same gates.
    """
    first, second = _shares(left), _shares(left if right is None else right)
    people: dict[str, list[tuple[int, float, float]]] = {}
    for key, (truth, share) in first.items():
        row = (OUTCOMES.index(truth), share, second[key][1])
        people.setdefault(key[0], []).append(row)
    return tuple(
        Answers(
            np.array([truth for truth, _, _ in rows], np.int64),
            np.array([share for _, share, _ in rows]),
            np.array([other for _, _, other in rows]),
        )
        for rows in people.values()
    )


def _shares(gates: Sequence[ScoredGate]) -> dict[tuple[str, int], tuple[str, float]]:
    runs: dict[tuple[str, int], list[ScoredGate]] = {}
    for gate in gates:
        runs.setdefault((gate.decider, gate.place), []).append(gate)
    return {
        key: (same[0].truth, sum(gate.right for gate in same) / len(same))
        for key, same in runs.items()
    }


def _reliability(made: Sequence[ScoredGate]) -> tuple[Bin, ...]:
    bars: list[list[ScoredGate]] = [[] for _ in range(BINS)]
    for gate in made:
        bars[min(int(gate.guess.confidence * BINS), BINS - 1)].append(gate)
    return tuple(
        Bin(
            len(bar),
            sum(gate.guess.confidence for gate in bar) / len(bar) if bar else 0.0,
            sum(gate.right for gate in bar) / len(bar) if bar else 0.0,
        )
        for bar in bars
    )
