"""How are the figures of the experiment written down?"""

from __future__ import annotations

from dataclasses import dataclass

from hivebot.bench.proxy.experiment import ArmResult, ComparisonResult, Report
from hivebot.bench.proxy.resampling import Interval
from hivebot.bench.proxy.scores import NOT_ENOUGH_ACTS
from hivebot.proxy.metrics import Ratio


@dataclass(frozen=True, slots=True)
class Table:
    """A table as data; every row has a cell for each column."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables(report: Report) -> tuple[Table, ...]:
    """Write the report as tables, losses in the same ones.

    Source: proxy-experiment.md (question; pass, fail).
    """
    return (
        _choices(report),
        _accuracy(report),
        _acts(report),
        _reliability(report),
        _stated(report),
    )


def verdict(report: Report) -> str:
    """Say in one sentence what the evidence carries.

    Source: proxy-experiment.md (pass, fail).
    """
    if report.act_supported:
        return "`act` is supported at the chosen tau."
    return "`act` is not supported: `suggest` is all the evidence carries."


def _choices(report: Report) -> Table:
    rows = tuple(
        (name, _percent(value), "chosen" if name == report.chosen_name else "")
        for name, value in report.choices.items()
    )
    return Table("Choosing half", ("candidate", "balanced accuracy", ""), rows)


def _accuracy(report: Report) -> Table:
    columns = (
        "predictor",
        "balanced accuracy",
        "95% interval",
        "deviation over rolls",
        "accuracy",
        "coverage",
        "known context",
        "survivors",
        "warm-up accuracy",
    )
    return Table("Test half", columns, tuple(_accuracy_row(arm) for arm in report.arms))


def _accuracy_row(arm: ArmResult) -> tuple[str, ...]:
    return (
        arm.name,
        _percent(arm.balanced.value),
        _interval(arm.balanced),
        _percent(arm.deviation) if arm.scores.runs > 1 else "",
        _share(arm.scores.accuracy),
        _share(arm.scores.coverage),
        _share(arm.scores.known_context),
        _share(arm.scores.survivors),
        _share(arm.warm_up.accuracy),
    )


def _acts(report: Report) -> Table:
    columns = (
        "predictor",
        "acted",
        "acts",
        "false approvals",
        "upper bound",
        "Brier",
        "questions per gate",
    )
    rows = tuple(
        (
            arm.name,
            _share(arm.scores.acted),
            f"{arm.scores.acts:g}",
            _share(arm.scores.false_approvals),
            _percent(arm.scores.false_approvals_upper)
            if arm.scores.enough_acts
            else NOT_ENOUGH_ACTS,
            f"{arm.scores.brier:.3f}",
            f"{arm.scores.cost:.2f}",
        )
        for arm in report.arms
    )
    return Table("At the act threshold 0.8", columns, rows)


def _reliability(report: Report) -> Table:
    rows = tuple(
        (
            arm.name,
            f"{place / 10:.1f}",
            str(bar.count),
            f"{bar.confidence:.2f}",
            f"{bar.accuracy:.2f}",
        )
        for arm in report.arms
        for place, bar in enumerate(arm.scores.reliability)
        if bar.count
    )
    return Table("Reliability", ("predictor", "from", "guesses", "said", "was"), rows)


def _stated(report: Report) -> Table:
    columns = ("comparison", "difference", "95% interval", "p", "p after Holm")
    rows = tuple(_stated_row(each) for each in (*report.comparisons, report.beats_context))
    return Table("Stated comparisons", columns, rows)


def _stated_row(found: ComparisonResult) -> tuple[str, ...]:
    return (
        found.comparison.name,
        f"{100 * found.difference.interval.value:+.1f}",
        _interval(found.difference.interval),
        f"{found.difference.p:.4f}",
        f"{found.corrected_p:.4f}",
    )


def _interval(found: Interval) -> str:
    return f"{100 * found.low:.1f} to {100 * found.high:.1f}"


def _percent(value: float) -> str:
    return f"{100 * value:.1f}%"


def _share(found: Ratio) -> str:
    return "-" if found.share is None else _percent(found.share)
