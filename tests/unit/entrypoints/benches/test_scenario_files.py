"""Are scenario files read as strictly as a configuration?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hivebot.adapters.config_files import ConfigError
from hivebot.adapters.llm.briefed.scenarios import Shape
from hivebot.entrypoints.benches.deciding.scenario_files import (
    federation,
    find,
    read,
    scenario,
    shipped,
)
from tests.scenarios import OBJECTION, REBUTTAL, ROLLOUT, SALE

ONE_DESK = """\
name: lunch
question: "#soup or #salad?"
right: soup
options: [{id: soup, text: Hot}, {id: salad, text: Cold}]
"""
MEMBERS = "members: [{id: a}, {id: b, name: Bea, holds: [{text: warm, option: soup}]}]\n"
DESKS = """\
desks:
  - {id: x, name: Ex, members: [{id: a}, {id: b}]}
  - {id: y, members: [{id: c}, {id: d}]}
"""


def written(tmp_path: Path, text: str) -> str:
    path = tmp_path / "case.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def refused(tmp_path: Path, text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        read(written(tmp_path, text))
    return str(caught.value)


def test_the_shipped_scenarios_are_found_by_name() -> None:
    assert shipped() == ("objection", "rebuttal", "rollout", "sale")
    assert find("rollout").is_file()
    assert find("other/place.yaml") == Path("other/place.yaml")


def test_a_shipped_scenario_says_what_its_specification_says() -> None:
    assert [member.id for member in ROLLOUT.members] == ["anna", "bert", "carl", "dora", "eva"]
    assert (ROLLOUT.right, ROLLOUT.alone, ROLLOUT.turn_budget) == ("canary", "ship", 15)
    held = {one.id: [(f.option, f.bearing, f.strength) for f in one.rules.holds]
            for one in ROLLOUT.members}  # fmt: skip
    assert held == {
        "anna": [("canary", "for", 2)],
        "bert": [("revert", "for", 1)],
        "carl": [("ship", "against", 2)],
        "dora": [("canary", "for", 2)],
        "eva": [],
    }
    assert {one.rules.opening_facts for one in ROLLOUT.members} == {3}
    assert {one.rules.opening_facts for one in OBJECTION.members} == {1}
    assert (OBJECTION.turn_budget, REBUTTAL.shape) == (18, Shape.REFUTED)


def test_a_member_has_the_shared_facts_and_its_own(tmp_path: Path) -> None:
    shared = "shared: [{text: cold outside, option: soup, bearing: for, strength: 2, about: [c]}]\n"
    found = scenario(written(tmp_path, ONE_DESK + MEMBERS + shared + "opening_facts: 2\n"))
    bea = found.members[1]
    assert (bea.name, bea.rule_based, bea.rules.opening_facts) == ("Bea", True, 2)
    assert [fact.text for fact in (*bea.rules.shared, *bea.rules.holds)] == ["cold outside", "warm"]
    assert (found.members[0].name, found.alone) == ("A", "")


def test_several_desks_are_a_federation(tmp_path: Path) -> None:
    found = federation(written(tmp_path, ONE_DESK + DESKS))
    assert [(desk.id, desk.name) for desk in found.desks] == [("x", "Ex"), ("y", "y")]
    assert [member.id for member in found.members] == ["a", "b", "c", "d"]
    assert len(SALE.desks) == 3


def test_a_file_for_one_desk_is_none_for_several_and_the_other_way_round(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is for several desks"):
        scenario("sale")
    with pytest.raises(ConfigError, match="is for one desk"):
        federation("rollout")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ONE_DESK, "needs either"),
        (ONE_DESK + MEMBERS + DESKS, "needs either"),
        (ONE_DESK + "members: [{id: a}]\n", "one member alone"),
        (ONE_DESK + "desks: [{id: x, members: [{id: a}, {id: b}]}]\n", "know different things"),
        (ONE_DESK + DESKS + "shared: [{text: t}]\n", "know different things"),
        (ONE_DESK + MEMBERS + "alone: stew\n", "`stew` is no option"),
        (ONE_DESK.replace("right: soup", "right: stew") + MEMBERS, "`stew` is no option"),
        (ONE_DESK + MEMBERS + "shared: [{text: t, option: stew}]\n", "`stew` is no option"),
        (ONE_DESK + "members: [{id: a}, {id: a}]\n", "stands twice"),
        (ONE_DESK + DESKS.replace("id: y", "id: x"), "stands twice"),
        (ONE_DESK + MEMBERS + "colour: red\n", "colour"),
        (ONE_DESK + MEMBERS + "turn_budget: many\n", "turn_budget"),
    ],
)
def test_what_does_not_hang_together_is_refused_by_name(
    tmp_path: Path, text: str, said: str
) -> None:
    assert said in refused(tmp_path, text)


def test_a_problem_is_told_with_its_line(tmp_path: Path) -> None:
    said = refused(tmp_path, ONE_DESK + "turn_budget: many\n" + MEMBERS)
    assert "case.yaml:5: turn_budget: input should be a valid integer" in said


def test_a_file_that_is_not_there_is_refused() -> None:
    with pytest.raises(ConfigError, match="does not exist"):
        read("nowhere.yaml")
