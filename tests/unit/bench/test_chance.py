"""Does chance give the numbers of the contract?"""

from __future__ import annotations

import pytest

from hivebot.bench.chance import Stream, mix


def test_a_seeded_stream_begins_as_the_contract_says() -> None:
    stream = Stream(1)
    assert [stream.next() for _ in range(3)] == [
        13757245211066428519,
        17911839290282890590,
        8196980753821780235,
    ]


def test_one_stream_gives_centered_numbers_and_then_bounded_ones() -> None:
    stream = Stream(7)
    assert [stream.centered(90) for _ in range(5)] == [4, 32, -72, 90, 68]
    assert [stream.below(5) for _ in range(5)] == [3, 2, 0, 0, 3]


@pytest.mark.parametrize(
    ("a", "b", "seed"),
    [
        (1, 0, 13757245211066428519),
        (1, 1, 14502941707026977078),
        (2, 0, 13819372491320860226),
    ],
)
def test_two_numbers_mix_into_the_seed_of_the_contract(a: int, b: int, seed: int) -> None:
    assert mix(a, b) == seed


def test_a_bound_of_zero_draws_nothing() -> None:
    drawn, untouched = Stream(3), Stream(3)
    assert drawn.below(0) == 0
    assert drawn.next() == untouched.next()


def test_a_width_of_zero_draws_all_the_same() -> None:
    drawn, untouched = Stream(3), Stream(3)
    assert drawn.centered(0) == 0
    untouched.next()
    assert drawn.next() == untouched.next()


def test_something_certain_always_happens_and_something_impossible_never() -> None:
    stream = Stream(5)
    assert all(stream.chance(1000) for _ in range(50))
    assert not any(stream.chance(0) for _ in range(50))


def test_drawing_many_numbers_at_once_is_drawing_them_one_by_one() -> None:
    at_once, one_by_one = Stream(11), Stream(11)
    assert at_once.many_below(997, 500).tolist() == [one_by_one.below(997) for _ in range(500)]
    assert at_once.next() == one_by_one.next()
