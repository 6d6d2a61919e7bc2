"""Published figures are compared cell by cell, and the example says that it is made up."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from hivebot.bench.proxy.decisions import read_streams
from hivebot.bench.proxy.generator import SETTINGS, GeneratorPolicy, generate
from hivebot.bench.proxy.published import (
    EXAMPLE,
    FILE,
    Difference,
    differences,
    examine_made_up,
    people_of,
    published,
)
from tests.unit.bench.proxy.populations import embed

FEW = GeneratorPolicy(contexts=2, subcases=2, deciders=2, decisions=22)


@pytest.fixture(scope="module")
def finding() -> dict[str, Any]:
    return examine_made_up(FEW, embed)


def test_a_finding_says_of_whom_it_is_and_survives_json(finding: dict[str, Any]) -> None:
    assert people_of(finding) == FEW
    assert json.loads(json.dumps(finding)) == finding
    assert [table["title"] for table in finding["tables"]] == [
        "Choosing half",
        "Test half",
        "At the act threshold 0.8",
        "Reliability",
        "Stated comparisons",
        "Two passes, guards and the decision",
        "Held-out chunks foretold by the majority of what is retrieved",
        "Activation against the most recent N by similarity",
    ]


def test_what_comes_out_again_does_not_differ(finding: dict[str, Any]) -> None:
    assert differences(finding, examine_made_up(FEW, embed)) == ()


def test_other_people_make_other_figures(finding: dict[str, Any]) -> None:
    other = examine_made_up(replace(FEW, contexts=1), embed)
    assert len(differences(finding, other)) > 10


def test_a_cell_a_verdict_and_a_row_that_differ_are_named(finding: dict[str, Any]) -> None:
    now = deepcopy(finding)
    table = now["tables"][0]
    table["rows"][0][1] = "99.9%"
    gone = table["rows"].pop()
    now["verdict"] = "it is perfect"
    row = len(table["rows"]) + 1
    place = f"Choosing half, row {row} ({gone[0]})"
    assert differences(finding, now) == (
        Difference("verdict", finding["verdict"], "it is perfect"),
        Difference(
            f"Choosing half, row 1 ({table['rows'][0][0]}), balanced accuracy",
            finding["tables"][0]["rows"][0][1],
            "99.9%",
        ),
        Difference(f"{place}, candidate", gone[0], "(nothing)"),
        Difference(f"{place}, balanced accuracy", gone[1], "(nothing)"),
        Difference(f"{place}, last", gone[2], "(nothing)"),
    )
    added = differences(now, finding)[-1]
    assert (added.published, added.found) == ("(nothing)", gone[2])


def test_the_registered_populations_are_published() -> None:
    assert [people_of(each) for each in published()] == list(SETTINGS)
    assert FILE.name == "published.json"


def test_the_example_is_the_generators_and_says_so_in_every_line() -> None:
    lines = EXAMPLE.read_text("utf-8").splitlines()
    assert all(json.loads(line)["synthetic"] is True for line in lines)
    policy = GeneratorPolicy(contexts=3, subcases=2, deciders=4, decisions=40, dialog_per_mille=300)
    assert read_streams(lines) == generate(policy, 20260505)
