"""Do the fuzzer's targets take their seeds, and can each of them fail?"""

from __future__ import annotations

import pytest

from tests.fuzz.targets import TARGETS, any_of_them, seeds
from tests.unit.adapters.slack.payloads import within_a_tenth_of_a_second


@pytest.mark.parametrize("name", TARGETS)
def test_each_target_takes_every_seed(name: str) -> None:
    for seed in seeds(name):
        TARGETS[name](seed)


def test_all_of_them_are_reached_by_the_first_character() -> None:
    assert {ord(seed[0]) % len(TARGETS) for seed in seeds("all")} == set(range(len(TARGETS)))
    for seed in seeds("all"):
        any_of_them(seed)
    any_of_them("")


@pytest.mark.parametrize("name", ["trace", "mention"])
@pytest.mark.parametrize(
    "unit",
    ["!propose #ship we are late\n", "!evidence #canary for(2): x\n", "!", "@pia ", "`", "@#"],
)
def test_a_hundred_kilobytes_take_less_than_a_tenth_of_a_second(name: str, unit: str) -> None:
    given = (unit * 100_000)[:100_000]
    assert within_a_tenth_of_a_second(lambda: TARGETS[name](given))
