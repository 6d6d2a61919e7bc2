"""Do a desk's own agents play, under its own settings?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hivebot.adapters.config_files import load
from hivebot.entrypoints.benches.deciding.seating import (
    Bounds,
    NoDeskError,
    desk_named,
    orders,
    room_of,
    seated,
)
from hivebot.services.records.policy import AgentConfig, Configuration, Opening
from tests.scenarios import ROLLOUT, SALE

CONFIGURATION: Configuration = load(Path("config") / "hivebot.yaml").configuration
DATA = CONFIGURATION.desks[2]
REAL = AgentConfig(
    id="rita", name="Rita", role="real", brief=" You are terse. ", model="openai:m", threshold=7
)


def with_agents(*agents: AgentConfig) -> Configuration:
    desk = replace(DATA, members=tuple(agent.id for agent in agents))
    return replace(CONFIGURATION, agents=agents, desks=(desk,))


def test_the_desk_that_deliberates_plays_unless_another_is_named() -> None:
    assert desk_named(CONFIGURATION, "").id == "data"
    assert desk_named(CONFIGURATION, "platform").id == "platform"
    assert desk_named(replace(CONFIGURATION, desks=CONFIGURATION.desks[:1]), "").id == "payments"
    with pytest.raises(NoDeskError, match="the desks are payments, platform, data"):
        desk_named(CONFIGURATION, "legal")


def test_a_rule_based_agent_lends_its_place_in_the_market_only() -> None:
    anna = replace(ROLLOUT.members[0], threshold=3, affinity=(("canary", 9),), brief="own")
    seats = seated(ROLLOUT.members, DATA, with_agents(anna))
    assert seats[0] == replace(ROLLOUT.members[0], threshold=3, affinity=(("canary", 9),))
    assert [seat.id for seat in seats] == [member.id for member in ROLLOUT.members]


def test_a_model_is_told_its_part_and_the_facts_in_words() -> None:
    configuration = with_agents(REAL)
    anna, *_, eva = seated(ROLLOUT.members, configuration.desks[0], configuration)
    assert (anna.id, anna.model, anna.role, anna.threshold) == ("anna", "openai:m", "planner", 7)
    assert anna.brief == (
        "You are terse.\n\nYou plan the week.\n\n"
        "Everybody on the desk was told:\n"
        "- the customers have been promised today (for ship, strength 3 of 5)\n"
        "- all tests pass (for ship, strength 1 of 5)\n"
        "- the last release ran for a month without a page (for revert, strength 1 of 5)\n\n"
        "Only you know:\n"
        "- a tenth of the users fits on the spare pool (for canary, strength 2 of 5)"
    )
    assert eva.brief.endswith("You know nothing beyond that.")


def test_agents_play_their_namesakes_and_otherwise_go_round() -> None:
    other = replace(REAL, id="eva", model="openai:other")
    configuration = with_agents(other, REAL)
    seats = seated(ROLLOUT.members, configuration.desks[0], configuration)
    assert [seat.model for seat in seats] == [
        "openai:other", "openai:m", "openai:other", "openai:m", "openai:other",
    ]  # fmt: skip


def test_a_desk_without_agents_cannot_play() -> None:
    gone = with_agents(replace(REAL, retired=True))
    with pytest.raises(NoDeskError, match="no agent that may speak"):
        seated(ROLLOUT.members, gone.desks[0], gone)


def test_a_room_has_the_settings_of_the_desk_and_the_budget_of_the_scenario() -> None:
    room = room_of(ROLLOUT.members, ROLLOUT.options, DATA, Bounds(), 11)
    assert room.policy == replace(DATA.episode.policy, turn_budget=11)
    assert (room.desk_id, room.opening) == ("data", Opening.EVIDENCE_FIRST)
    assert room_of(ROLLOUT.members, (), DATA, Bounds(), None).policy.turn_budget == 15


def test_the_command_line_has_the_last_word() -> None:
    room = room_of(ROLLOUT.members, (), DATA, Bounds(Opening.POSITIONS, 4), 11)
    assert (room.policy.turn_budget, room.opening) == (4, Opening.POSITIONS)


def test_another_number_of_members_gets_a_majority_and_three_turns_each() -> None:
    policy = room_of(SALE.members, (), DATA, Bounds(), None).policy
    assert (policy.turn_budget, policy.quorum.threshold) == (27, 5)
    assert policy.dominance_cap == DATA.episode.policy.dominance_cap


def test_every_order_up_to_six_and_two_hundred_above() -> None:
    assert len(set(orders("abc"))) == 6
    assert len(list(orders("abcdef"))) == 720
    many = list(orders("abcdefg"))
    assert len(many) == 200
    assert {"".join(sorted(order)) for order in many} == {"abcdefg"}
    assert many == list(orders("abcdefg"))
