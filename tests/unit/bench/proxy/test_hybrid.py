"""The hybrid's error is measured as memory.md 10.2 says, and stays within its own bound."""

from __future__ import annotations

import pytest

from hivebot.bench.proxy.hybrid import HybridError, hybrid_errors


@pytest.fixture(scope="module")
def measured() -> dict[tuple[str, int], HybridError]:
    return {(each.history, each.keep): each for each in hybrid_errors(histories=300)}


def test_the_bound_computed_from_what_is_kept_is_never_exceeded(
    measured: dict[tuple[str, int], HybridError],
) -> None:
    assert {each.beyond_bound for each in measured.values()} == {0}


def test_keeping_more_traces_costs_less(measured: dict[tuple[str, int], HybridError]) -> None:
    for history in ("evenly spaced", "at random", "in bursts"):
        means = [measured[history, keep].mean for keep in (1, 3, 10, 32)]
        assert means == sorted(means, reverse=True)
        assert means[-1] < 0.01


def test_uneven_use_costs_more(measured: dict[tuple[str, int], HybridError]) -> None:
    """The table of section 10.2: 0.02 evenly, 0.04 at random, 0.07 in bursts, at three traces."""
    even, random, bursts = (
        measured[history, 3] for history in ("evenly spaced", "at random", "in bursts")
    )
    assert even.mean < random.mean < bursts.mean
    assert even.worst < 0.1
    assert random.p95 == pytest.approx(0.09, abs=0.03)
    assert bursts.mean == pytest.approx(0.07, abs=0.04)


def test_the_figures_of_a_seed_are_always_the_same() -> None:
    assert hybrid_errors([3], histories=20, seed=1) == hybrid_errors([3], histories=20, seed=1)
    assert hybrid_errors([3], histories=20, seed=1) != hybrid_errors([3], histories=20, seed=2)
