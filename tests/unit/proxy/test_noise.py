"""Noise and where its chance comes from (memory.md 3.5)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.proxy.errors import InvalidBoundError
from hivebot.proxy.noise import draw, draws, id_hashes, logistic_noise, logistic_noises, roll


@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
def test_a_scale_of_zero_gives_no_noise(p: float) -> None:
    assert logistic_noise(p, 0.0) == 0.0


@pytest.mark.parametrize(("p", "expected"), [(0.0, -1.842), (1.0, 1.842), (-3.0, -1.842)])
def test_draws_are_clamped_so_that_noise_is_finite(p: float, expected: float) -> None:
    """Section 3.5: largest magnitude at s = 0.08 is 1.842."""
    assert logistic_noise(p, 0.08) == pytest.approx(expected, abs=1e-3)


@given(st.floats(1e-6, 1 - 1e-6), st.floats(0.001, 2))
def test_noise_is_the_logit_times_the_scale(p: float, scale: float) -> None:
    assert logistic_noise(p, scale) == pytest.approx(scale * math.log(p / (1 - p)), abs=1e-9)


@pytest.mark.parametrize("scale", [-0.1, math.nan, math.inf])
def test_a_scale_outside_its_range_is_refused(scale: float) -> None:
    with pytest.raises(InvalidBoundError, match="noise scale"):
        logistic_noise(0.5, scale)


def test_a_draw_that_is_no_number_is_refused() -> None:
    with pytest.raises(InvalidBoundError, match="noise draw"):
        logistic_noises(np.array([0.5, math.nan]), 0.08)


@given(st.integers(-5, 2**65), st.integers(0, 2**63), st.text(max_size=12))
def test_a_derived_draw_is_a_number_from_zero_to_one(seed: int, clock: int, name: str) -> None:
    """Section 3.5: p MUST come from an injected source."""
    value = draw(seed, clock, name)
    assert 0 <= value < 1
    assert value * 2**53 == int(value * 2**53)


@given(st.lists(st.text(max_size=9), max_size=9), st.integers(0, 99))
def test_derived_draws_do_not_depend_on_row_order(names: list[str], clock: int) -> None:
    """Section 3.5 (determinism)."""
    forward = draws(7, clock, id_hashes(names)).tolist()
    backward = draws(7, clock, id_hashes(names[::-1])).tolist()
    assert forward == backward[::-1]
    assert forward == [draw(7, clock, name) for name in names]


def by_hand(seed: int, clock: int, name: str) -> float:
    mask = 2**64 - 1

    def mixed(value: int) -> int:
        z = (value + 0x9E3779B97F4A7C15) & mask
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return z ^ (z >> 31)

    digest = 0xCBF29CE484222325
    for byte in name.encode():
        digest = ((digest ^ byte) * 0x100000001B3) & mask
    return (mixed(mixed(digest ^ seed) ^ clock) >> 11) / 2**53


@pytest.mark.parametrize("name", ["", "a", "chunk-1", "Grüße", "a\x00"])
def test_a_derived_draw_is_the_hash_written_out(name: str) -> None:
    """Section 3.5: (memory seed, clock, chunk id) by a hash mapped to 53 bits."""
    assert draw(1, 2, name) == by_hand(1, 2, name)


def test_seed_clock_and_id_each_move_the_draw() -> None:
    values = {draw(1, 2, "a"), draw(2, 2, "a"), draw(1, 3, "a"), draw(1, 2, "b")}
    assert len(values) == 4


def test_derived_draws_spread_evenly() -> None:
    values = draws(3, 9, id_hashes([f"chunk-{number}" for number in range(4000)]))
    counts = np.histogram(values, bins=10, range=(0, 1))[0]
    assert counts.min() > 330
    assert counts.max() < 470


def test_the_roll_of_a_gate_differs_from_the_draw_of_a_chunk() -> None:
    """Section 6.1: the roll is drawn once per gate from an injected source."""
    assert roll(5, "g1") == roll(5, "g1")
    assert roll(5, "g1") != draw(5, 0, "g1")
