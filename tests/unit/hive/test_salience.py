"""Does a trace pull as strongly as the contract says?"""

from __future__ import annotations

import pytest

from hivebot.hive.errors import ZeroHalfLifeError
from hivebot.hive.salience import SalienceWeights, base, salience, score
from hivebot.hive.trace import TraceKind
from tests.unit.hive.room import trace

WEIGHTS = SalienceWeights()


@pytest.mark.parametrize(
    ("kind", "importance"),
    [
        (TraceKind.COMMIT, 1000),
        (TraceKind.PROPOSE, 900),
        (TraceKind.REFUTE, 850),
        (TraceKind.OBJECT, 800),
        (TraceKind.EVIDENCE, 600),
        (TraceKind.SUPPORT, 500),
        (TraceKind.QUESTION, 300),
        (TraceKind.DEFER, 200),
    ],
)
def test_importance_turns_on_the_kind_alone(kind: TraceKind, importance: int) -> None:
    alone = SalienceWeights(recency=0, importance=10, relevance=0, half_life=1)
    assert salience(trace(kind, 1), 10**6, alone, 100) == importance


def test_recency_fades_and_importance_stays() -> None:
    one = trace(TraceKind.PROPOSE, 10)
    assert base(one, 10, WEIGHTS) == 5 * 1000 + 30 * 900
    assert base(one, 30, WEIGHTS) == 5 * 500 + 30 * 900
    assert base(one, 10 + 200, WEIGHTS) == 30 * 900


def test_a_trace_newer_than_the_present_is_fresh() -> None:
    assert base(trace(TraceKind.DEFER, 10), 3, WEIGHTS) == 5 * 1000 + 30 * 200


@pytest.mark.parametrize(("relevance", "scored"), [(0, 3200), (50, 4200), (100, 5200), (255, 5200)])
def test_relevance_counts_up_to_a_hundred(relevance: int, scored: int) -> None:
    assert score(32_000, WEIGHTS, relevance) == scored


def test_a_score_drops_its_fraction() -> None:
    assert score(19, SalienceWeights(relevance=0), 50) == 1


def test_no_half_life_is_refused() -> None:
    with pytest.raises(ZeroHalfLifeError):
        salience(trace(TraceKind.PROPOSE), 1, SalienceWeights(half_life=0), 50)
