"""What `hivebot bench proxy` and `bench memory` print, small; the figures are not judged."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from hivebot.bench.proxy.generator import GeneratorPolicy, generate
from hivebot.bench.proxy.published import EXAMPLE
from hivebot.bench.proxy.speed import Speed
from hivebot.entrypoints import memory_benches
from hivebot.settings import EXIT_CONFIG

pytestmark = pytest.mark.integration

app = typer.Typer()
app.command("proxy")(memory_benches.proxy)
app.command("memory")(memory_benches.memory)

FEW = GeneratorPolicy(contexts=1, subcases=2, deciders=2, decisions=22)
FEWER = GeneratorPolicy(contexts=2, subcases=1, deciders=2, decisions=21)


def said(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def written(path: Path, policy: GeneratorPolicy) -> Path:
    lines = [
        json.dumps({"decider": stream.decider, **asdict(decision)})
        for stream in generate(policy)
        for decision in stream.decisions
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


# -- the experiment ------------------------------------------------------------------------------


def test_real_decisions_are_examined_with_the_hash_of_their_file(tmp_path: Path) -> None:
    file = written(tmp_path / "real.jsonl", FEW)
    result = said("proxy", "--data", str(file))
    assert result.exit_code == 0
    for title in ("Choosing half", "Test half", "Stated comparisons", "Two passes, guards"):
        assert title in result.stdout
    assert "Class E: deterministic" in result.stdout
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    assert f"2 people, 44 decisions, SHA-256 {digest}" in result.stdout
    assert "Fewer than the 12 people with 120 decisions each" in result.stdout
    assert "Made-up people" not in result.stdout


def test_the_example_is_labelled_as_made_up() -> None:
    result = said("proxy", "--example", "--json")
    data = json.loads(result.stdout)
    assert data["grade"] == "E"
    assert data["notes"][1] == "A made-up example of the format: no figure of it means anything."
    assert data["verdict"].startswith("`act` is not supported")
    assert hashlib.sha256(EXAMPLE.read_bytes()).hexdigest() in data["notes"][0]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "cannot read"),
        (b"\xff", "it is not UTF-8"),
        (b'{"decider": "p"}', "line 1 has no text 'request'"),
        (b"", "there have to be two at least"),
    ],
)
def test_a_file_that_cannot_be_used_is_said(
    tmp_path: Path, content: bytes | None, problem: str
) -> None:
    file = tmp_path / "real.jsonl"
    if content is not None:
        file.write_bytes(content)
    result = said("proxy", "--data", str(file))
    assert result.exit_code == EXIT_CONFIG
    assert problem in result.stderr


def test_only_one_thing_can_be_asked_for() -> None:
    result = said("proxy", "--example", "--published")
    assert result.exit_code == EXIT_CONFIG
    assert "ask for one" in result.stderr


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Published figures of two populations, as small as they can be."""
    path = tmp_path_factory.mktemp("figures") / "published.json"
    findings = [memory_benches.examined(policy) for policy in (FEW, FEWER)]
    path.write_text(json.dumps({"populations": findings}), encoding="utf-8")
    return path


def test_published_figures_that_come_out_again_are_said_to(figures: Path) -> None:
    result = said("proxy", "--published", "--figures", str(figures), "--jobs", "2")
    assert result.exit_code == 0
    assert "1 contexts, dialog 0.0: Choosing half" in result.stdout
    assert "2 contexts, dialog 0.0: Choosing half" in result.stdout
    assert "never quoted as accuracy" in result.stdout
    assert result.stdout.endswith("Every published figure came out again.\n")


def test_a_published_figure_that_differs_fails(figures: Path, tmp_path: Path) -> None:
    data: dict[str, Any] = json.loads(figures.read_text("utf-8"))
    data["populations"][1]["tables"][1]["rows"][0][1] = "99.9%"
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(data), encoding="utf-8")
    arguments = ("proxy", "--published", "--figures", str(changed), "--jobs", "1")
    result = said(*arguments, "--population", "2")
    assert result.exit_code == 1
    assert "DIFFERS: Test half, row 1 (majority so far), balanced accuracy: published 99.9%" in (
        result.stdout
    )
    assert result.stdout.endswith("1 cells differ\n")
    assert said(*arguments, "--population", "1").exit_code == 0


# -- speed ---------------------------------------------------------------------------------------


def test_retrieval_is_timed_over_arrays_beside_json_and_from_a_database() -> None:
    result = said(
        "memory", "--sizes", "40,60", "--scan-up-to", "40", "--stored", "40", "--rounds", "2"
    )
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    arrays = [line for line in lines if line[:1] == ["arrays"]]
    assert [(line[1], line[-1] == "-") for line in arrays] == [("40", False), ("60", True)]
    stored = [line for line in lines if line[:1] == ["database,"]]
    most, few = (int(line[4]) for line in stored)
    assert most == 40 > few
    assert "in bursts" in result.stdout
    assert "MET" not in result.stdout


def test_the_figures_are_data_as_well() -> None:
    result = said("memory", "--sizes", "30", "--stored", "0", "--rounds", "1", "--json")
    data = json.loads(result.stdout)
    assert data["database"] == []
    assert data["arrays"][0]["chunks"] == 30
    assert data["arrays"][0]["gain"] > 0
    assert {each["keep"] for each in data["hybrid"]} == {1, 3, 10, 32}
    assert data["machine"]["cores"] >= 1


def test_what_is_aimed_at_is_said_with_what_was_found() -> None:
    middle, large = Speed(10_000, (0.01,), 1.5), Speed(100_000, (0.2,), None)
    met, missed = memory_benches.aims_of([Speed(1_000, (0.001,), 1.0), middle, large])
    assert str(met) == ("met: at 10,000 chunks at least 100 times faster than a scan of JSON (150)")
    assert str(missed) == ("NOT MET: at 100,000 chunks under 10 times the time at 10,000 (20.0)")
    assert memory_benches.aims_of([Speed(10_000, (0.01,), None)]) == []


@pytest.mark.parametrize("sizes", ["", "ten", "0", "5,-1"])
def test_sizes_are_numbers(sizes: str) -> None:
    result = said("memory", "--sizes", sizes)
    assert result.exit_code == EXIT_CONFIG
    assert "--sizes are numbers of chunks" in result.stderr
