"""Are published figures read, played and compared digit for digit?"""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

from hivebot.bench.arms import RoomRun
from hivebot.bench.federation.world import FederationRun
from hivebot.bench.figures import FAST, FULL, Class, Figure, RunCase, SweepCase
from hivebot.bench.figures.cases import grid, table
from hivebot.bench.measures import COUNTS, MEANS, SHARES
from hivebot.bench.reproduce import Line, Verdict, episodes_of, failed, reproduce
from hivebot.bench.rooms import Layout
from hivebot.bench.runs import play, play_all
from hivebot.bench.sweep import describe, policies
from hivebot.bench.verdicts import as_markdown, by_run, summary, verdict_table

ROOMS = table(
    "rooms",
    RoomRun(20),
    """
    arm   correct% turns gain
    vote      80.0 15.00 -
    hive+     75.0  7.00 -5.0[-15.0,+0.0]
    """,
)


def line(published: str, ours: str, grade: Class = Class.EXACT, note: str = "") -> Line:
    return Line("rooms", Figure("hive+", "correct%", published, grade, note), ours, "")


def test_a_table_names_arms_and_measures_and_skips_what_was_not_published() -> None:
    assert ROOMS.run.arms == ("vote", "hive+")
    assert [(one.arm, one.measure, one.published) for one in ROOMS.figures] == [
        ("vote", "correct%", "80.0"),
        ("vote", "turns", "15.00"),
        ("hive+", "correct%", "75.0"),
        ("hive+", "turns", "7.00"),
        ("hive+", "gain", "-5.0 [-15.0, +0.0]"),
    ]


def test_a_gain_brings_the_vote_along() -> None:
    only = table("one", RoomRun(2), "arm gain\nhive+ +1.0[+0.0,+2.0]")
    assert only.run.arms == ("hive+", "vote")


def test_a_grid_makes_one_run_of_each_row() -> None:
    small, large = grid(
        "bias",
        lambda row: FederationRun(2, bias=row["bias"]),
        1,
        """
        bias siloed referral:turns
        0      99.7           31.2
        60     59.3              -
        """,
    )
    assert (small.title, large.title) == ("bias, bias 0", "bias, bias 60")
    assert small.run.arms == ("siloed", "referral")
    assert [one.measure for one in small.figures] == ["correct%", "turns"]
    assert large.run.arms == ("siloed",)


def test_every_published_measure_can_be_taken() -> None:
    known = {*SHARES, *MEANS, *COUNTS, "ci", "gain"}
    swept = {"policies", "policy", "with refutation or evidential"}
    for case in (*FAST, *FULL):
        measures = {figure.measure for figure in case.figures}
        assert measures <= (known | swept if isinstance(case, SweepCase) else known)


def test_a_figure_that_need_not_be_equal_says_why() -> None:
    for case in FULL:
        for figure in case.figures:
            assert (figure.grade is Class.EXACT) == (figure.note == "")


def test_the_fast_figures_are_all_exact() -> None:
    assert {figure.grade for case in FAST for figure in case.figures} == {Class.EXACT}
    assert episodes_of(FAST) < 50_000


def test_figures_are_written_with_as_many_decimals_as_were_published() -> None:
    lines = list(reproduce((ROOMS,)))
    rounder = RunCase("r", ROOMS.run, (replace(ROOMS.figures[0], published="80"),))
    assert [one.ours for one in lines][:2] == ["80.0", "15.00"]
    assert lines[0].interval == "58.4-91.9"
    assert [one.ours for one in reproduce((rounder,))] == ["80"]


def test_counts_intervals_and_gains_come_out_in_their_own_form() -> None:
    case = table(
        "rooms",
        RoomRun(20),
        """
        arm   ci        converged gain
        vote  58.4-91.9         0 -
        hive+ 53.1-88.8        20 -5.0[-15.0,+0.0]
        """,
    )
    lines = list(reproduce((case,)))
    assert [one.ours for one in lines][:3] == ["58.4-91.9", "0", "53.1-88.8"]
    assert lines[-1].ours.startswith("-5.0 [")
    none = RunCase("r", RoomRun(2, arms=("vote",)), (Figure("vote", "gain", ""),))
    assert [one.ours for one in reproduce((none,))] == [""]


def test_a_sweep_ranks_every_policy() -> None:
    case = SweepCase(
        "sweep",
        RoomRun(1, layout=Layout(members=2)),
        (
            Figure("best", "policies", "288"),
            Figure("best", "correct%", "100.0"),
            Figure("best", "policy", "budget 10, quorum 3, blind, dominance 40"),
            Figure("best twelve", "with refutation or evidential", "x"),
            Figure("vote", "correct%", "100.0"),
        ),
    )
    lines = list(reproduce((case,)))
    assert episodes_of((case,)) == 193
    assert [one.ours for one in lines][:2] == ["288", "100.0"]
    assert lines[2].ours.startswith("budget 6, quorum 2")
    assert lines[-1].verdict is Verdict.EQUAL


def test_policies_of_the_grid_are_written_on_one_line() -> None:
    first, *_, last = policies(5)
    assert describe(first) == (
        "budget 10, quorum 2, blind, repetition 2, dominance 40, window 30, "
        "refutation cap none, evidential no"
    )
    assert describe(last) == (
        "budget 20, quorum 5, open, repetition 3, dominance 60, window 100, "
        "refutation cap 3, evidential yes"
    )
    assert len(policies(5)) == 864


def test_only_an_exact_figure_has_to_be_equal() -> None:
    equal, wrong = line("82.1", "82.1"), line("82.1", "82.2")
    noted = line("50.7", "49.5", Class.AMBIGUOUS, "older table")
    assert [one.verdict for one in (equal, wrong, noted)] == [
        Verdict.EQUAL,
        Verdict.DIFFERS,
        Verdict.EXPLAINED,
    ]
    assert failed([equal, wrong, noted]) == [wrong]
    assert summary([equal, wrong, noted]) == (
        "3 figures: 1 equal digit for digit, 1 differ as noted, 1 differ and should not"
    )


def test_verdicts_are_shown_run_by_run_with_their_notes() -> None:
    lines = [line("82.1", "82.1"), line("50.7", "49.5", Class.AMBIGUOUS, "older table")]
    ((title, group),) = by_run(lines)
    console = Console(file=io.StringIO(), width=100, record=True)
    console.print(verdict_table(title, group))
    shown = console.export_text()
    assert "older table" in shown
    assert "differs, as noted" in shown


def test_verdicts_are_written_for_the_documentation() -> None:
    figure = Figure("hive+", "correct%", "50.7", Class.HISTORICAL, "older table")
    lines = [Line("3 rooms", figure, ours, "") for ours in ("49.5", "50.7")]
    text = as_markdown(lines)
    assert text.startswith("### Section 3\n")
    assert "| rooms | hive+ | correct% | H | 50.7 | 49.5 |  | differs, as noted |" in text
    assert "|  | hive+ | correct% | H | 50.7 | 50.7 |  | equal |" in text
    assert text.endswith("Note: older table.\n")


def test_the_number_of_jobs_changes_no_result() -> None:
    runs = (RoomRun(60, arms=("ladder", "vote", "hive+")), FederationRun(6))
    told: list[int] = []
    alone = list(play_all(runs, 1, told.append))
    together = list(play_all(runs, 2))
    assert sum(told) == 66
    for one, two in zip(alone, together, strict=True):
        assert {arm: result.tally for arm, result in one.items()} == {
            arm: result.tally for arm, result in two.items()
        }
        assert [r.outcomes for r in one.values()] == [r.outcomes for r in two.values()]


def test_another_seed_gives_other_rooms() -> None:
    one, two = (play(RoomRun(30, seed=seed, arms=("hive+",))) for seed in (1, 2))
    assert one["hive+"].outcomes != two["hive+"].outcomes


def test_a_run_that_is_asked_for_twice_is_played_once() -> None:
    again = table("again", RoomRun(20), "arm converged\nhive 20\nhive+ 20")
    assert episodes_of((ROOMS, again)) == 20
    assert [one.figure.arm for one in reproduce((ROOMS, again))][-2:] == ["hive", "hive+"]
