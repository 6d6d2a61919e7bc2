"""Does the command line say what is wrong with configuration files, and with which status?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from hivebot.entrypoints.config_command import app
from tests.unit.adapters.config_files.files import BASE, agent, write

EXAMPLE = Path(__file__).parents[3] / "config" / "hivebot.yaml"


def run(*arguments: str | Path, **variables: str) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env=variables)


def test_the_example_can_be_used() -> None:
    result = run("check", EXAMPLE)

    assert result.exit_code == 0
    assert result.stdout.startswith(f"{EXAMPLE}: 3 desks, 9 agents, revision ")
    assert result.stderr == ""


def test_files_that_cannot_be_used_end_with_78_and_every_problem(tmp_path: Path) -> None:
    path = write(tmp_path, agent("modle: x").replace("[pia]", "[pai]"))

    result = run("check", path)

    assert result.exit_code == 78
    assert result.stdout == ""
    assert result.stderr.split("\n") == [
        f"{path}:4: error: agents[pia].modle: unknown key — did you mean `model`?",
        (
            f"{path}:12: error: desks[payments].members[0]: there is no agent 'pai' — did you mean "
            "`pia`?"
        ),
        "",
    ]


def test_warnings_are_said_and_the_files_can_be_used(tmp_path: Path) -> None:
    path = write(tmp_path, BASE.replace("briefed", "openai:gpt-5-mini", 1))

    result = run("check", path)

    assert result.exit_code == 0
    assert result.stderr == (
        f"{path}:3: warning: agents[pia].model: openai:gpt-5-mini needs `price:` or runs on a "
        "token budget only — write its price, 0 where it is free\n"
    )
    assert result.stdout.startswith(f"{path}: 2 desks, 3 agents, 1 warning, revision ")


def test_without_a_path_the_configured_files_are_checked(tmp_path: Path) -> None:
    path = write(tmp_path, BASE)

    assert run("check", HIVEBOT_CONFIG=str(path)).stdout.startswith(f"{path}: 2 desks")


def test_an_environment_that_cannot_be_used_ends_with_78_and_without_values() -> None:
    result = run("check", HIVEBOT_SLACK_BOT_TOKEN="secret-without-prefix")

    assert result.exit_code == 78
    assert result.stderr == "error: HIVEBOT_SLACK_BOT_TOKEN must begin with xoxb-\n"


def test_square_brackets_and_long_lines_are_printed_as_they_are(tmp_path: Path) -> None:
    long = tmp_path / ("d" * 120)
    long.mkdir()
    path = write(long, agent("icon: '[red]'"))

    result = run("check", path)

    assert result.stderr.startswith(f"{path}:4: error: agents[pia].icon: '[red]' does not fit")


def test_colours_are_off_when_piped_and_on_where_they_are_forced(tmp_path: Path) -> None:
    path = write(tmp_path, "")

    assert "\x1b[" not in run("check", path).stderr
    assert "\x1b[" in run("check", path, FORCE_COLOR="1", TERM="xterm").stderr
    assert "\x1b[3" not in run("check", path, FORCE_COLOR="1", TERM="xterm", NO_COLOR="1").stderr


def test_the_schema_is_printed_as_json() -> None:
    result = run("schema")

    assert result.exit_code == 0
    assert json.loads(result.stdout)["title"] == "hivebot configuration"


def test_a_comparison_is_printed_line_by_line(tmp_path: Path) -> None:
    old, new = write(tmp_path, BASE, "old.yaml"), write(tmp_path, agent("role: lead"), "new.yaml")

    result = run("diff", old, new)

    assert (result.exit_code, result.stdout) == (0, '~ agent pia: role: "" -> lead\n')


def test_a_comparison_of_equals_says_so(tmp_path: Path) -> None:
    path = write(tmp_path, BASE)

    assert run("diff", path, path).stdout.startswith("no change, revision ")


@pytest.mark.parametrize("broken", [0, 1])
def test_a_comparison_with_files_that_cannot_be_used_ends_with_78(
    tmp_path: Path, broken: int
) -> None:
    paths = [write(tmp_path, BASE, "a.yaml"), write(tmp_path, BASE, "b.yaml")]
    paths[broken].write_text("")

    result = run("diff", *paths)

    assert result.exit_code == 78
    assert result.stdout == ""
    assert f"{paths[broken]}:1: error: is empty" in result.stderr
