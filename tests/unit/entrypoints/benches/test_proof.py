"""Is a scenario proved from its facts, and found out where it is none?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.adapters.llm.briefed.scenarios import Scenario, Shape
from hivebot.entrypoints.benches.deciding.proof import first, prove
from hivebot.entrypoints.benches.deciding.scenario_files import Case, Federation
from hivebot.services.records.policy import BriefFact
from tests.scenarios import REBUTTAL, ROLLOUT, SALE, SCENARIOS


def holds(case: Case) -> list[bool]:
    return [step.holds for step in prove(case)]


def emptied(case: Scenario, *agent_ids: str) -> Scenario:
    """The same scenario where some members hold nothing."""
    return replace(
        case,
        members=tuple(
            replace(one, rules=replace(one.rules, holds=())) if one.id in agent_ids else one
            for one in case.members
        ),
    )


@pytest.mark.parametrize("case", [*SCENARIOS, SALE], ids=lambda case: case.name)
def test_every_shipped_scenario_is_what_it_claims_to_be(case: Case) -> None:
    assert all(holds(case))


def test_a_distinct_fact_counts_once_and_a_tie_is_no_favourite() -> None:
    fact = BriefFact("a", "for", 2, "said twice", ())
    other = BriefFact("b", "for", 3, "said once", ())
    assert first([fact, fact, other], ["a", "b"]) == "b"
    assert first([fact], ["a", "b"]) == "a"
    assert first([], ["a", "b"]) == ""
    assert first([BriefFact("", "neutral", 5, "about nothing", ()), fact], ["a", "b"]) == "a"
    assert first([BriefFact("a", "against", 1, "no", ())], ["a", "b"]) == "b"


def test_a_room_in_which_nobody_is_needed_is_found_out() -> None:
    everybody = replace(
        ROLLOUT,
        members=tuple(
            replace(one, rules=replace(one.rules, shared=(BriefFact("canary", "for", 5, "x", ()),)))
            for one in ROLLOUT.members
        ),
    )
    assert holds(everybody) == [False, True, False]
    assert prove(everybody)[2].because == "nobody is needed"


def test_a_room_that_is_wrong_together_is_found_out() -> None:
    steps = prove(emptied(ROLLOUT, "anna", "dora"))
    assert [step.holds for step in steps] == [True, False, True]
    assert steps[1].because == "a tie"


def test_a_rebuttal_without_its_refuter_is_found_out() -> None:
    assert holds(emptied(REBUTTAL, "dora")) == [True, True, False, False]
    assert holds(emptied(REBUTTAL, "bert")) == [True, False, True, False]
    assert prove(emptied(REBUTTAL, "bert"))[1].because == "nobody's"
    assert holds(replace(ROLLOUT, shape=Shape.REFUTED))[0] is False


def test_desks_misled_alike_are_found_out() -> None:
    same = tuple(replace(desk, members=SALE.desks[0].members) for desk in SALE.desks)
    alike: Federation = replace(SALE, desks=same)
    assert holds(alike)[1] is False
