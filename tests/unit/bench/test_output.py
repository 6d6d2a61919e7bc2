"""Are results shown, drawn and written as they are?"""

from __future__ import annotations

import csv
import io
import json
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console, RenderableType

from hivebot.bench import remarks
from hivebot.bench.arms import ARMS, COST_ARMS, RoomRun, play_rooms
from hivebot.bench.export import as_csv, as_json
from hivebot.bench.federation.arms import play_federations
from hivebot.bench.federation.world import ARMS as FEDERATED
from hivebot.bench.federation.world import OFF_FLOOR, FederationRun
from hivebot.bench.fold_speed import measure, transcript
from hivebot.bench.plot import accuracy_against_turns
from hivebot.bench.rooms import HiddenProfile, Layout, Specialists
from hivebot.bench.self_test import self_test
from hivebot.bench.tables import (
    DASH,
    federation_tables,
    room_tables,
    show,
    size_table,
    speed_table,
)
from hivebot.bench.tally import ArmResult, Results, Tally
from hivebot.bench.transcript import of_federation, of_room

PRICED = RoomRun(
    8,
    layout=Layout(shape=Specialists(2, priced=True)),
    arms=(*ARMS, *COST_ARMS),
    evidence_first=True,
)
DESKS = FederationRun(4, arms=(*FEDERATED, OFF_FLOOR))


def printed(*parts: RenderableType) -> str:
    console = Console(file=io.StringIO(), width=80, record=True)
    show(console, parts)
    return console.export_text()


def rows(text: str) -> dict[str, list[str]]:
    return {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.split()}


def tallied(**arms: Tally) -> Results:
    return {arm.replace("plus", "+").replace("_", "-"): ArmResult(t) for arm, t in arms.items()}


def test_tables_of_rooms_hold_every_arm_and_dash_what_it_cannot_have() -> None:
    results = play_rooms(PRICED, range(8))
    outcomes, inside, *differences, endings, costs = room_tables(PRICED, results)
    assert list(rows(printed(outcomes)))[-len(ARMS) :] == list(ARMS)
    assert "…" not in printed(inside)
    assert rows(printed(inside))["vote"][2:] == [DASH] * 5 + ["69.00", DASH]
    assert rows(printed(inside))["ladder"][6] != DASH
    assert len(differences) == len(ARMS) - 1
    assert "ladder" not in rows(printed(endings))
    assert list(rows(printed(costs)))[-6:] == [
        "vote",
        "ladder",
        "ladder+dir",
        "hive+",
        "hive+cost",
        "all-reasoning",
    ]


def test_a_run_without_prices_has_no_cost_table() -> None:
    run = RoomRun(2, arms=("vote", "hive+"))
    results = play_rooms(run, range(2))
    assert len(list(room_tables(run, results))) == 4


def test_tables_of_federations_fit_eighty_columns() -> None:
    tables = list(federation_tables(DESKS, play_federations(DESKS, range(4))))
    text = printed(*tables)
    assert "…" not in text
    assert rows(printed(tables[0]))["referral"][4] == "12.0"
    assert rows(printed(tables[1]))["siloed"] == ["12", "0", "0", "0"]


def test_sizes_stand_side_by_side() -> None:
    right = tallied(vote=Tally(episodes=4, correct=3))
    wrong = tallied(vote=Tally(episodes=4, correct=0))
    assert rows(printed(size_table([3, 5], [right, wrong])))["vote"] == ["75.0", "0.0"]


def test_json_holds_counts_as_integers_and_shares_under_other_names() -> None:
    run = RoomRun(10, arms=("vote", "hive+"))
    document = json.loads(as_json(run, play_rooms(run, range(10)), ["a remark"]))
    vote, plus = document["arms"]
    assert (document["seed"], document["episodes"], document["remarks"]) == (1, 10, ["a remark"])
    assert (vote["arm"], vote["episodes"], vote["turns"]) == ("vote", 10, 150)
    assert all(isinstance(plus[name], int) for name in ("correct", "decided", "turns", "rho_milli"))
    assert plus["correct_pct"] == plus["correct"] * 10
    assert "vote_difference_pct" in plus
    assert "vote_difference_pct" not in vote


def test_csv_holds_one_line_for_each_arm() -> None:
    results = play_federations(DESKS, range(2))
    read = list(csv.DictReader(io.StringIO(as_csv(DESKS, results))))
    assert [row["arm"] for row in read] == list(DESKS.arms)
    assert read[1]["crossings"] == "24"
    assert "cost" not in read[0]


def test_the_picture_is_valid_and_shows_every_arm_with_its_interval() -> None:
    run = RoomRun(10, arms=("ladder", "vote", "hive+"))
    results = play_rooms(run, range(10))
    root = ET.fromstring(accuracy_against_turns("a < b", results))  # noqa: S314 - our own text
    space = "{http://www.w3.org/2000/svg}"
    texts = [element.text or "" for element in root.iter(f"{space}text")]
    assert "a < b" in texts
    assert len(list(root.iter(f"{space}circle"))) == 3
    for arm in run.arms:
        assert any(text.startswith(f"{arm} ") for text in texts)


def test_a_picture_of_nothing_still_has_its_axes() -> None:
    assert "turns an episode" in accuracy_against_turns("nothing", {})


@pytest.mark.parametrize(
    ("correct", "words"),
    [
        (40, "the directory LOST 10.0 points"),
        (50, "the directory changed nothing"),
        (60, "the directory gained 10.0 points"),
    ],
)
def test_a_mechanism_that_lost_is_said_to_have_lost(correct: int, words: str) -> None:
    said = list(
        remarks.on_rooms(
            tallied(
                hiveplus=Tally(episodes=100, correct=50),
                hiveplusdir=Tally(episodes=100, correct=correct, knows=9),
            )
        )
    )
    assert said[0].endswith(f"for hive+; {words}.")


def test_a_directory_that_follows_talk_is_called_out() -> None:
    talk = {"hive+dir": ArmResult(Tally(episodes=10, rho_milli=7200, knows=1))}
    apart = {"hive+dir": ArmResult(Tally(episodes=10, rho_milli=3000))}
    beside = "hive+dir: rank correlation of directory weight and speech share"
    assert list(remarks.on_rooms(talk)) == [f"{beside} 0.72; the directory tracks who talked."]
    assert list(remarks.on_rooms(apart)) == [
        f"{beside} 0.30.",
        "hive+dir: no turn was won for knowing; the directory changed nothing here.",
    ]


def test_a_router_that_is_told_the_answer_is_called_a_leak() -> None:
    said = list(remarks.on_rooms({"ladder+dir": ArmResult(Tally(episodes=1))}))
    assert "measures a leak" in said[0]


def test_crossing_is_compared_with_staying_apart_and_stranded_letters_are_told() -> None:
    said = list(
        remarks.on_federations(
            tallied(
                siloed=Tally(episodes=10, correct=1, turns=100),
                referral=Tally(episodes=10, correct=8, turns=250, stranded=4),
            )
        )
    )
    compared = "referral: 80.0% against 10.0% for siloed; that gained 70.0 points."
    assert said == [
        f"{compared} Turns: +15.0 a federation.",
        "referral: 4 letters reached desks that had finished.",
    ]


def test_a_room_is_shown_line_by_line_with_what_its_directory_knows() -> None:
    run = RoomRun(layout=Layout(noise=50, shape=HiddenProfile()), evidence_first=True)
    lines = list(of_room(run, with_directory=True))
    assert lines[0] == "best option: revert"
    assert lines[1].split()[0] == "2"
    assert any(line.startswith("converged: ") for line in lines)
    assert lines[-1].startswith("#shadow: ")
    assert not any(line.startswith("#") for line in of_room(run))


def test_a_federation_is_shown_desk_by_desk() -> None:
    lines = list(of_federation(FederationRun()))
    assert [line for line in lines if "blind to" in line] == [
        "Payments, blind to stage",
        "Platform, blind to ship",
        "Mobile, blind to shadow",
    ]
    assert any("@#platform what do you make of this?" in line for line in lines)


def test_the_statistics_pass_their_own_test() -> None:
    assert [name for name, holds in self_test() if not holds] == []


def test_every_fold_is_timed_at_every_length() -> None:
    speeds = measure((3, 12), least_s=0.0)
    assert [speed.fold for speed in speeds] == [
        "step",
        "step, traces kept",
        "standings",
        "bids",
        "directory",
        "referral",
        "mention",
    ]
    assert all(micros > 0 for speed in speeds for micros in speed.micros)
    assert "traces kept" in printed(speed_table((3, 12), speeds))


def test_a_timed_transcript_has_as_many_messages_as_it_says() -> None:
    assert [message.sequence for message in transcript(3)] == [1, 2, 3]
