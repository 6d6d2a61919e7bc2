"""What does `hivebot bench desk` print, and what does it refuse?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from hivebot.entrypoints import benches
from hivebot.entrypoints.benches.deciding.arms import Outcome
from hivebot.entrypoints.benches.deciding.runs import Tally, run_all, sheet_of
from hivebot.entrypoints.benches.deciding.voices import Meter

app = typer.Typer(pretty_exceptions_enable=False)
app.command("desk")(benches.desk)
app.command("hops")(benches.hops)

CONFIG = ["--config", "config/hivebot.yaml"]


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["desk", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_a_scenario_is_proved_before_anything_is_run() -> None:
    code, said, _ = run("--scenario", "rollout", "--check")
    assert code == 0
    assert "Is “rollout” what it claims to be? Yes." in said
    code, said, _ = run("--scenario", "rollout", "--check", "--json", "--without", "carl")
    assert code == 1
    assert json.loads(said)["proved"] is False


def test_a_desk_is_run_against_a_poll_of_the_same_agents() -> None:
    code, said, _ = run("--scenario", "rollout", "--repeat", "2", "--json", *CONFIG)
    found = json.loads(said)
    assert code == 0
    assert {arm["arm"]: (arm["correct"], arm["runs"]) for arm in found["arms"]} == {
        "deliberation": (2, 2),
        "poll": (0, 2),
    }
    assert (found["proved"], found["desk"], found["models"]) == (
        True,
        "data",
        ["rule-based agents"],
    )


def test_people_are_told_who_played_and_when_deliberating_lost() -> None:
    _, said, _ = run("--scenario", "rollout", "--orders", *CONFIG)
    assert "120/120" in said
    assert "played by rule-based agents under the settings of `data`" in said
    assert "LOST" not in said
    _, said, _ = run("--scenario", "rebuttal", "--budget", "6", *CONFIG)
    assert "deliberating LOST" in said
    _, said, _ = run(
        "--scenario", "rollout", "--opening", "positions", "--without", "carl", *CONFIG
    )
    assert "see --check" in said


def test_several_desks_are_run_apart_asking_and_as_one() -> None:
    code, said, _ = run("--scenario", "sale", "--federated", "--json", *CONFIG)
    assert code == 0
    assert [arm["arm"] for arm in json.loads(said)["arms"]] == [
        "siloed",
        "asked first",
        "asked late",
        "one merged desk",
        "poll",
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--scenario", "nowhere"], "nowhere: does not exist"),
        (["--scenario", "sale"], "add --federated"),
        (["--scenario", "rollout", "--federated"], "leave out --federated"),
        (["--scenario", "rollout", "--desk", "legal"], "no desk `legal`"),
        (["--scenario", "rollout", "--without", "zoe"], "no member `zoe`"),
        (["--scenario", "sale", "--federated", "--without", "pia"], "is for one desk"),
        (["--scenario", "rollout", "--config", "nowhere.yaml"], "nowhere.yaml: does not exist"),
        (
            [
                "--scenario",
                "rollout",
                *(f"--without={one}" for one in ("anna", "bert", "carl", "dora")),
            ],
            "at least 2 members",
        ),
    ],
)
def test_what_cannot_be_run_is_said_and_ends_with_78(arguments: list[str], said: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (78, "")
    assert said in err


def test_keys_are_looked_for_only_where_a_model_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HIVEBOT_PORT", "no port")
    assert run("--scenario", "rollout", *CONFIG)[0] == 0
    config = tmp_path / "hivebot.yaml"
    config.write_text(
        "agents: [{id: rita, model: 'openai:m'}]\ndesks: [{id: d, channel: C0D, members: [rita]}]\n"
    )
    code, _, err = run("--scenario", "rollout", "--config", str(config))
    assert code == 78
    assert "HIVEBOT_PORT" in err
    monkeypatch.delenv("HIVEBOT_PORT")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    _, said, _ = run("--scenario", "rollout", "--json", "--config", str(config))
    found = json.loads(said)
    assert (found["models"], found["arms"][0]["endings"]) == (["openai:m"], {"failed": 1})


async def test_decisions_are_counted_and_summed() -> None:
    async def right() -> Outcome:
        return Outcome("a", "converged", 4, Meter(4, 4, 400, 40, 2_000_000, 1), asks=2)

    async def none() -> Outcome:
        return Outcome("", "exhausted", 6, Meter())

    steps: list[int] = []
    tallies = await run_all({"one": [right, none]}, "a", jobs=1, progress=steps.append)
    found = tallies["one"].as_json("one")
    assert steps == [1, 1]
    assert (found["runs"], found["correct"], found["decided"], found["turns"]) == (2, 1, 1, 10)
    assert (found["asks"], found["cost_usd_micros"], found["failed"]) == (2, 2_000_000, 1)
    assert found["endings"] == {"converged": 1, "exhausted": 1}
    assert (found["decisions"], found["correct_pct"]) == ({"a": 1, "none": 1}, 50.0)
    sheet = sheet_of("t", tallies, ["n"])
    assert sheet.rows[0][-2:] == ("1.0000", "1")
    assert list(sheet.notes) == ["one: a 1, none 1 (converged 1, exhausted 1)", "n"]
    assert Tally().as_json("empty")["correct_pct"] == 0.0
