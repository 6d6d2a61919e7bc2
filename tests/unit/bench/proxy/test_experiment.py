"""The experiment from streams to tables (proxy-experiment.md)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.bench.proxy.arms import (
    COMPARISONS,
    COUNTING,
    SEED_ARM,
    TAUS,
    candidates,
    memory_arms,
    names,
)
from hivebot.bench.proxy.experiment import Report, act_supported, run
from hivebot.bench.proxy.resampling import Difference, Interval
from hivebot.bench.proxy.scores import NOT_ENOUGH_ACTS, scores
from hivebot.bench.proxy.tables import tables, verdict
from hivebot.proxy.metrics import Ratio
from hivebot.proxy.retrieval import SEED, Normalization
from tests.unit.bench.proxy.populations import embed, small_population


@pytest.fixture(scope="module")
def report() -> Report:
    return run(small_population(), embed)


def test_the_seed_comes_first_so_that_it_wins_ties() -> None:
    first = candidates()[0].recall.policy
    assert first == replace(SEED, noise_scale=0.0)
    assert len(candidates()) == 18


def test_every_arm_stands_in_the_table_whatever_was_chosen() -> None:
    found = {arm.name: arm.recall for arm in memory_arms(SEED)}
    assert {recall.policy.retrieval_threshold for recall in found.values()} >= set(TAUS)
    assert found[SEED_ARM].policy.retrieval_threshold == -0.5
    assert found["chosen, tanh"].policy.normalization is Normalization.TANH
    assert not found["chosen, no reinforcement"].reinforce
    assert len(found["chosen, five dimensions"].policy.dimensions) == 5
    assert len(names(SEED)) == len(set(names(SEED))) == len(COUNTING) + len(found)


def test_only_the_noise_arm_is_noisy_and_it_has_twenty_rolls() -> None:
    arms = memory_arms(SEED)
    noisy = [arm for arm in arms if arm.rolls]
    assert [(arm.rolls, arm.recall.policy.noise_scale) for arm in noisy] == [(20, 0.08)]


def test_the_four_comparisons_are_the_stated_ones() -> None:
    known = set(names(SEED))
    assert len(COMPARISONS) == 4
    assert all({each.left, each.right} <= known for each in COMPARISONS)


def test_every_predictor_is_reported_in_order(report: Report) -> None:
    assert [arm.name for arm in report.arms] == names(report.chosen)
    assert len(report.choices) == 18
    assert report.choices[report.chosen_name] == max(report.choices.values())


def test_every_predictor_meets_the_same_gates(report: Report) -> None:
    sizes = {arm.name: arm.scores.accuracy.total // arm.scores.runs for arm in report.arms}
    assert set(sizes.values()) == {2 * 4}
    assert {arm.warm_up.accuracy.total // arm.warm_up.runs for arm in report.arms} == {2 * 20}


def test_the_stated_comparisons_are_corrected_together(report: Report) -> None:
    assert [each.comparison for each in report.comparisons] == list(COMPARISONS)
    assert all(each.corrected_p >= each.difference.p for each in report.comparisons)


def test_the_figures_are_the_same_every_time() -> None:
    few = tuple(replace(each, decisions=each.decisions[:21]) for each in small_population()[:2])
    assert run(few, embed) == run(few, embed)


def test_nobody_knows_nothing() -> None:
    empty = run((), embed)
    assert {arm.balanced.value for arm in empty.arms} == {0.0}
    assert not empty.act_supported


def test_every_row_has_a_cell_for_each_column(report: Report) -> None:
    made = tables(report)
    assert [table.title for table in made] == [
        "Choosing half",
        "Test half",
        "At the act threshold 0.8",
        "Reliability",
        "Stated comparisons",
    ]
    assert all(len(row) == len(table.columns) for table in made for row in table.rows)


def test_too_few_acts_are_called_so(report: Report) -> None:
    acts = tables(report)[2]
    assert {row[4] for row in acts.rows} == {NOT_ENOUGH_ACTS}


def test_the_seed_is_always_in_the_table(report: Report) -> None:
    assert SEED_ARM in {row[0] for row in tables(report)[1].rows}


@pytest.mark.parametrize(
    ("wrong", "acts", "low", "supported"),
    [(0, 74, 0.01, True), (0, 73, 0.01, False), (9, 100, 0.01, False), (0, 74, 0.0, False)],
)
def test_acting_needs_few_false_approvals_and_a_clear_gain(
    wrong: int,
    acts: int,
    low: float,
    supported: bool,  # noqa: FBT001  a column
) -> None:
    """Pass, fail."""
    found = replace(scores([]), false_approvals=Ratio(wrong, acts))
    gain = Difference(Interval(0.1, low, 0.2), 0.01)
    assert act_supported(found, gain) is supported


def test_the_verdict_says_what_the_evidence_carries(report: Report) -> None:
    assert "not supported" in verdict(replace(report, act_supported=False))
    assert verdict(replace(report, act_supported=True)) == "`act` is supported at the chosen tau."
    shown = replace(
        report,
        arms=tuple(
            replace(arm, scores=replace(arm.scores, false_approvals=Ratio(3, 400)))
            for arm in report.arms
        ),
    )
    assert {row[4] for row in tables(shown)[2].rows if "noise" not in row[0]} == {"2.2%"}
