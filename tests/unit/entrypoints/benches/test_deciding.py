"""Does deliberation find what nobody knows alone, whatever the order, and only where it can?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest

from hivebot.adapters.config_files import load
from hivebot.adapters.llm.briefed.proof import check
from hivebot.adapters.llm.briefed.rehearsal import Room, tuned_policy
from hivebot.adapters.llm.briefed.scenarios import Scenario
from hivebot.adapters.llm.models import AgentModels
from hivebot.entrypoints.benches.deciding.arms import (
    FAILED,
    Outcome,
    deliberation,
    poll,
    sole_winner,
)
from hivebot.entrypoints.benches.deciding.seating import orders
from hivebot.hive.directory import DirectoryPolicy
from hivebot.services.records.asking import ReplyFailure, Spent, TurnReply, TurnRequest
from hivebot.services.records.policy import Opening
from tests.fakes.models import FakeModels, by_rule
from tests.scenarios import OBJECTION, REBUTTAL, ROLLOUT, SCENARIOS

# runs by the thousand over what other tests cover: to count each line would cost thrice the time
pytestmark = pytest.mark.no_cover

MODELS = AgentModels({})
NEEDED = {"rollout": ("anna", "carl", "dora"), "objection": ("anna", "dora"), "rebuttal": ("dora",)}


@cache
def tuned_room(scenario: Scenario, opening: Opening = Opening.EVIDENCE_FIRST) -> Room:
    policy = tuned_policy(len(scenario.members), scenario.turn_budget)
    return Room(scenario.members, scenario.options, policy, opening)


def every_order(scenario: Scenario) -> Iterator[Scenario]:
    return (replace(scenario, members=members) for members in orders(scenario.members))


async def decided(
    scenarios: Iterator[Scenario], opening: Opening = Opening.EVIDENCE_FIRST
) -> Counter[str]:
    found: Counter[str] = Counter()
    for one in scenarios:
        outcome = await deliberation(MODELS, tuned_room(one, opening), one.question)
        found[outcome.decided] += 1
    return found


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
async def test_a_desk_is_right_in_every_order_of_its_members(scenario: Scenario) -> None:
    assert await decided(every_order(scenario)) == {scenario.right: 120}


@pytest.mark.parametrize("scenario", [ROLLOUT, OBJECTION], ids=lambda one: one.name)
async def test_a_desk_that_takes_sides_first_never_finds_what_is_hidden(scenario: Scenario) -> None:
    assert await decided(every_order(scenario), Opening.POSITIONS) == {"ship": 108, "": 12}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
async def test_a_poll_gives_what_most_members_think_alone(scenario: Scenario) -> None:
    outcome = await poll(MODELS, tuned_room(scenario), scenario.question)
    assert (outcome.decided, outcome.ending) == (scenario.alone, "polled")
    assert outcome.turns == scenario.turn_budget


@pytest.mark.parametrize(
    ("scenario", "away"),
    [(scenario, away) for scenario in SCENARIOS for away in NEEDED[scenario.name]],
    ids=lambda one: one if isinstance(one, str) else one.name,
)
async def test_a_desk_is_not_right_without_a_member_it_needs(scenario: Scenario, away: str) -> None:
    found = await decided(every_order(scenario.without(away)))
    assert found.total() == 24
    assert scenario.right not in found


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
async def test_the_order_in_which_options_are_listed_changes_nothing(scenario: Scenario) -> None:
    listings = (replace(scenario, options=options) for options in permutations(scenario.options))
    outcomes = [await deliberation(MODELS, tuned_room(one), one.question) for one in listings]
    assert {(one.decided, one.turns) for one in outcomes} == {(scenario.right, outcomes[0].turns)}


def test_the_claims_of_the_specification_hold() -> None:
    assert all(checked.holds for checked in check(REBUTTAL))


async def test_the_settings_of_the_example_desk_are_those_the_claims_are_about() -> None:
    desk = load(Path("config") / "hivebot.yaml").configuration.desks[2]
    assert desk.episode.policy == tuned_policy(5)
    assert desk.episode.opening is Opening.EVIDENCE_FIRST


async def outcome_with(models: FakeModels, room: Room | None = None) -> Outcome:
    return await deliberation(models, room or tuned_room(ROLLOUT), ROLLOUT.question)


async def test_every_turn_of_a_deliberation_is_paid_for() -> None:
    outcome = await outcome_with(FakeModels())
    assert (outcome.decided, outcome.ending, outcome.turns) == ("canary", "converged", 9)
    assert (outcome.meter.replies, outcome.meter.requests, outcome.meter.tokens_in) == (9, 9, 90)


async def test_a_desk_of_which_one_member_answers_has_failed() -> None:
    def answer(request: TurnRequest) -> TurnReply | ReplyFailure:
        if request.agent.id == "anna":
            return by_rule(request)
        return ReplyFailure("misconfigured", "(no answer)", again=False, spent=Spent())

    outcome = await outcome_with(FakeModels(answer))
    assert (outcome.decided, outcome.ending) == ("", FAILED)
    assert outcome.meter.failed == 8


async def test_a_poll_leaves_out_whoever_cannot_answer_and_is_undecided_at_a_tie() -> None:
    def answer(request: TurnRequest) -> TurnReply | ReplyFailure:
        return ReplyFailure("misconfigured", "(no answer)", again=False, spent=Spent())

    outcome = await poll(FakeModels(answer), tuned_room(ROLLOUT), ROLLOUT.question)
    assert (outcome.decided, outcome.turns) == ("", 10)
    assert [sole_winner(votes) for votes in (["a", "b"], ["a", "b", "a"], [])] == ["", "a", ""]


async def test_nobody_who_is_polled_hears_the_others() -> None:
    models = FakeModels()
    await poll(models, tuned_room(ROLLOUT), ROLLOUT.question)
    assert {request.situation for request in models.asked} == {"position"}
    assert {tuple(row.message.sequence for row in request.rows) for request in models.asked} == {
        (1,)
    }


async def test_members_are_told_who_knows_what_where_the_desk_keeps_a_directory() -> None:
    room = tuned_room(ROLLOUT)
    policy = replace(room.policy, directory=DirectoryPolicy())
    models = FakeModels()
    await outcome_with(models, replace(room, policy=policy))
    seen = [request.floor.directory for request in models.asked if request.floor is not None]
    assert any("anna" in line for lines in seen for line in lines)
    assert {one.id for one in models.asked[0].colleagues} == {"bert", "carl", "dora", "eva"}
