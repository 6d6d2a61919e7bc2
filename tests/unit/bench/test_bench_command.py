"""Does `hivebot bench` play what it is asked for, and refuse the rest?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from hivebot.bench.arms import RoomRun
from hivebot.bench.figures.cases import table
from hivebot.entrypoints.bench_command import app, report

ONE = ("--episodes", "1", "--jobs", "1")


def bench(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def accepted(*arguments: str) -> str:
    result = bench(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments: str) -> str:
    result = bench(*arguments)
    assert result.exit_code == 2, result.output
    return result.output


def test_rooms_are_played_and_shown() -> None:
    shown = accepted("rooms", "--episodes", "3", "--arms", "vote,hive+", "--jobs", "1")
    assert "hive+ against vote" in shown


def test_json_is_printed_and_nothing_else() -> None:
    printed = accepted(
        "rooms", "--episodes", "4", "--arms", "hive+,ladder", "--json", "--jobs", "1"
    )
    assert [arm["arm"] for arm in json.loads(printed)["arms"]] == ["ladder", "hive+"]


def test_csv_is_printed_and_nothing_else() -> None:
    printed = accepted("federated", "--episodes", "1", "--arms", "vote", "--csv", "--jobs", "1")
    assert len(printed.splitlines()) == 2


def test_the_shape_of_a_room_can_be_chosen() -> None:
    flags = ("--arms", "hive+", "--json", "--episodes", "3", "--jobs", "1")
    for shape in (
        ("--hidden-profile", "--blind-evidence"),
        ("--specialists", "2"),
        ("--no-blind",),
    ):
        assert json.loads(accepted("rooms", *shape, *flags))["episodes"] == 3


def test_a_hidden_profile_is_played_with_its_own_noise_unless_one_is_given() -> None:
    flags = (
        "rooms",
        "--hidden-profile",
        "--arms",
        "vote",
        "--json",
        "--episodes",
        "40",
        "--jobs",
        "1",
    )
    assert accepted(*flags) == accepted(*flags, "--noise", "50")
    assert accepted(*flags) != accepted(*flags, "--noise", "90")


def test_cost_tiers_add_the_table_of_costs() -> None:
    shown = accepted(
        "rooms", "--specialists", "2", "--cost-tiers", "--episodes", "1", "--jobs", "1"
    )
    assert "all-reasoning" in shown


def test_federations_are_played_and_shown() -> None:
    shown = accepted("federated", "--episodes", "1", "--jobs", "1")
    assert "referral-off-floor" in shown


def test_a_plot_is_written(tmp_path: Path) -> None:
    target = tmp_path / "out.svg"
    accepted("rooms", "--episodes", "2", "--arms", "vote", "--plot", str(target), "--jobs", "1")
    assert target.read_text(encoding="utf-8").startswith("<svg ")


def test_episodes_are_traced() -> None:
    assert "converged: " in accepted("rooms", "--trace", "--directory")
    assert "Platform, blind to ship" in accepted("federated", "--trace")


def test_sizes_are_gone_through() -> None:
    shown = accepted("rooms", "--scale-sweep", "--sizes", "3,4", "--episodes", "2", "--jobs", "1")
    assert "hive+pooled" in shown


def test_policies_are_ranked() -> None:
    shown = accepted("rooms", "--sweep", "--agents", "2", "--episodes", "1", "--jobs", "1")
    assert len(shown.splitlines()) == 12
    assert "100.0%" in shown


def test_the_statistics_are_tested() -> None:
    assert "FAILED" not in accepted("rooms", "--stats-check")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("rooms", "--arms", "nope"), "no such arm: nope"),
        (("rooms", "--specialists", "2", "--hidden-profile"), "give one of them"),
        (("rooms", "--cost-tiers"), "needs --specialists"),
        (("rooms", "--scale-sweep", "--sizes", "3,x"), "whole numbers"),
        (("rooms", "--scale-sweep", "--sizes", "1"), "at least two members"),
        (("rooms", "--unheard-of"), "No such option"),
        (("rooms", "--episodes", "many"), "--episodes"),
        (("rooms", "--defer-cap", "0"), "--defer-cap"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: tuple[str, ...], problem: str) -> None:
    assert problem in refused(*arguments).replace("\n", " ")


@pytest.mark.parametrize(("published", "status"), [("80.0", 0), ("81.0", 1)])
def test_a_figure_that_differs_fails_the_whole_report(
    published: str, status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "figures.md"
    case = table("rooms", RoomRun(20), f"arm correct%\nvote {published}")
    assert report((case,), 1, target) == status
    assert f"{status} differ and should not" in capsys.readouterr().out
    assert f"| vote | correct% | E | {published} | 80.0 |" in target.read_text(encoding="utf-8")
