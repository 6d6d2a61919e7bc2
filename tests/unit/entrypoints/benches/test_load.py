"""What is a load, and when has it kept up?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hivebot.adapters.config_files import load
from hivebot.entrypoints.benches.loading.plan import Plan, burst, configuration, steady
from hivebot.entrypoints.benches.loading.report import aims, as_json, sheet
from hivebot.entrypoints.benches.loading.run import Grown, Report
from hivebot.entrypoints.benches.timing import times_of

STEADY = steady(300, 20)
BURST = burst(300)


def report(plan: Plan, *waits_s: float) -> Report:
    waits = waits_s or (1.0,)
    memory = {"worker": Grown(100.0, 105.0), "serve": Grown(80.0, 80.0)}
    return Report(plan, plan.seconds, plan.questions, times_of(waits), 5.0, 0, 3, memory)


def missed(found: Report) -> list[str]:
    return [aim.claim for aim in aims(found) if not aim.met]


def test_the_loads_are_those_that_were_promised() -> None:
    assert (STEADY.channels, STEADY.questions, STEADY.gap_s) == (100, 6000, 0.05)
    assert (BURST.channels, BURST.questions, BURST.seconds) == (10, 300, 15.0)
    assert steady(1, 1, 3).processes == ("serve", "worker", "worker", "worker", "clock")


def test_their_desks_are_a_sound_configuration(tmp_path: Path) -> None:
    path = tmp_path / "hivebot.yaml"
    path.write_text(configuration(BURST, "http://127.0.0.1:1/v1"), encoding="utf-8")
    desks = load(path).configuration.desks
    assert [desk.channel for desk in desks[1:]] == list(BURST.places)


def test_a_load_that_is_kept_up_with_misses_nothing() -> None:
    assert missed(report(STEADY)) == missed(report(BURST)) == []


def test_each_thing_that_goes_wrong_is_named() -> None:
    good = report(STEADY)
    assert missed(replace(good, answered=5999)) == ["every question has exactly one answer"]
    assert missed(replace(good, disorder=1)) == ["every channel's posts stand in order"]
    assert missed(report(STEADY, 30.5)) == ["nobody waits longer than 30 s"]
    grown = {"worker": Grown(100.0, 111.0)}
    assert missed(replace(good, memory=grown)) == ["no process grows by more than 10 %"]
    slow = replace(report(BURST), drained_s=120.0)
    assert missed(slow) == ["it is drained at the rate Slack permits, or twice as slowly at worst"]


def test_a_process_nobody_looked_at_early_has_not_grown() -> None:
    assert Grown(0.0, 50.0).percent == 0.0


def test_people_and_programs_are_told_the_same() -> None:
    found = report(STEADY, 1.0, 2.0)
    cells = {row[0]: row[1] for row in sheet(found).rows}
    assert cells["waited, s: median, p95, worst"] == "1.0, 2.0, 2.0"
    assert cells["memory of worker, MB"] == "100, then 105"
    assert as_json(found)["memory_mb"] == {"worker": [100.0, 105.0], "serve": [80.0, 80.0]}
