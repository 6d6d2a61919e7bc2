"""What may a deliberation cost at most? Source: turns.md 1, step 4."""

from __future__ import annotations

import pytest

from hivebot.services.records.policy import Price
from hivebot.services.reserving import Reservation, reservation
from tests.configurations import CONFIGURATION, desk_of, with_agent, with_desk

MEMBERS = ("anna", "bert", "carl", "dora", "eva")
CALLS = 15 * 2 + 1 + 2 * 2
"""The data desk's: each turn twice, the lead's framing, and two questions with a relay each."""


def test_rule_based_members_cost_nothing() -> None:
    assert reservation(desk_of(CONFIGURATION, "data"), CONFIGURATION) == Reservation(0, 0)


def test_every_turn_is_paid_for_twice_at_full_length_with_the_leads_calls() -> None:
    configuration = with_agent("anna", model="openai:gpt-5-mini", price=Price(1_000_000, 2_000_000))

    held = reservation(desk_of(configuration, "data"), configuration)
    assert held == Reservation(CALLS * 7500, CALLS * (6000 + 2 * 1500))


def test_a_model_without_a_price_runs_on_tokens_alone() -> None:
    configuration = with_agent("anna", model="ollama:small")

    assert reservation(desk_of(configuration, "data"), configuration) == Reservation(
        CALLS * 7500, 0
    )


def test_where_prices_differ_the_dearest_counts() -> None:
    configuration = with_agent("anna", model="openai:a", price=Price(1_000_000, 0))
    configuration = with_agent("bert", configuration, model="openai:b", price=Price(3_000_000, 0))

    held = reservation(desk_of(configuration, "data"), configuration)
    assert held.usd_micros == CALLS * 3 * 6000


def test_a_retired_member_is_not_paid_for() -> None:
    configuration = with_agent("anna", model="openai:a", retired=True)

    assert reservation(desk_of(configuration, "data"), configuration) == Reservation(0, 0)


def test_a_longer_budget_holds_back_more() -> None:
    configuration = with_agent("anna", model="openai:a")
    longer = with_desk("data", configuration, episode__policy__turn_budget=16)

    held = reservation(desk_of(longer, "data"), longer)
    assert held.tokens == (CALLS + 2) * 7500


@pytest.mark.parametrize(
    ("held", "words"),
    [
        (Reservation(262_500, 0), "262,500 tokens"),
        (Reservation(262_500, 315_000), "262,500 tokens ($0.32)"),
        (Reservation(0, 0), "0 tokens"),
    ],
)
def test_amounts_are_said_for_people(held: Reservation, words: str) -> None:
    assert held.in_words() == words
