"""Is a result shown to people and to programs, with the machine it was measured on?"""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from pathlib import Path

from hivebot.entrypoints.benches.machine import describe
from hivebot.entrypoints.benches.reporting import Aim, Sheet, bar, milliseconds, show
from hivebot.entrypoints.benches.timing import times_of

SHEET = Sheet("Speed", ("what", "ms"), [("a [hop]", "1.0")], ["one note"])
MET, MISSED = Aim("fast", met=True, found="1 ms"), Aim("faster", met=False, found="2 ms")


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def shown(*, as_json: bool, aims: tuple[Aim, ...] = (), out: io.StringIO | None = None) -> str:
    target = out or io.StringIO()
    show([SHEET], {"figure": 1}, as_json=as_json, aims=aims, out=target)
    return target.getvalue()


def test_people_get_a_table_with_notes_and_what_was_met() -> None:
    said = shown(as_json=False, aims=(MET, MISSED))
    assert [line.split() for line in said.splitlines()][:3] == [
        ["Speed"],
        ["what", "ms"],
        ["a", "[hop]", "1.0"],
    ]
    assert said.splitlines()[3:] == ["one note", "met: fast (1 ms)", "NOT MET: faster (2 ms)"]


def test_a_pipe_gets_no_colours_and_long_lines() -> None:
    assert "\x1b[" not in shown(as_json=False, aims=(MET,))
    wide = Sheet("t", ("words",), [("x" * 150,)])
    out = io.StringIO()
    show([wide], {}, as_json=False, out=out)
    assert "x" * 150 in out.getvalue()


def test_programs_get_one_object_with_the_aims_beside() -> None:
    assert json.loads(shown(as_json=True)) == {"figure": 1}
    assert json.loads(shown(as_json=True, aims=(MISSED,)))["aims"] == [
        {"claim": "faster", "met": False, "found": "2 ms"}
    ]


def test_a_bar_moves_on_a_terminal_only() -> None:
    piped, terminal = io.StringIO(), Terminal()
    for err in (piped, terminal):
        with bar("counting", 2, err) as step:
            step(1)
            step(1)
    assert not piped.getvalue().strip()
    assert "counting" in terminal.getvalue()


def test_cells_are_median_p95_p99_and_worst() -> None:
    assert milliseconds(times_of([0.0015])) == ("1.5", "1.5", "1.5", "1.5")


def test_a_machine_is_described_without_its_name(tmp_path: Path) -> None:
    cpus = tmp_path / "cpuinfo"
    cpus.write_text("processor : 0\nmodel name\t: Fast One\nmodel name\t: Fast One\n")
    machine = describe(datetime(2026, 1, 2, 3, 4, tzinfo=UTC), cpus)
    assert (machine.at, machine.cpu) == ("2026-01-02 03:04", "Fast One")
    assert machine.as_json()["cores"] == machine.cores >= 1
    assert "Fast One" in str(machine)


def test_a_machine_that_tells_no_processor_has_one_all_the_same(tmp_path: Path) -> None:
    assert describe(datetime(2026, 1, 2, tzinfo=UTC), tmp_path / "none").cpu
