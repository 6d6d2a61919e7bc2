"""Does the dashboard ask for figures that there are, by labels they have?"""

from __future__ import annotations

import json
import re
from pathlib import Path

from sqlalchemy.ext.asyncio import create_async_engine

from hivebot.entrypoints.metering import StoredFigures
from hivebot.telemetry import Metrics

DASHBOARD = Path("docs") / "grafana" / "hivebot.json"

NAMED = re.compile(r"\bhivebot_\w+")
SUFFIX = re.compile(r"_(total|bucket|count|sum)$")
BY = re.compile(r"by \(([a-z, ]+)\)")


def expressions() -> list[str]:
    shown = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    return [str(target["expr"]) for panel in shown["panels"] for target in panel["targets"]]


def known() -> tuple[set[str], set[str]]:
    """Names of figures without their suffixes, and every label there is."""
    metrics = Metrics()
    StoredFigures(create_async_engine("postgresql+psycopg://nobody@127.0.0.1:9/none"), metrics)
    names = {metric.name for metric in metrics.registry.collect()}
    labels = {
        str(label)
        for collector in vars(metrics).values()
        for label in getattr(collector, "_labelnames", ())
    }
    return names, labels | {"le", "desk", "end", "state", "by"}


def test_every_figure_of_the_dashboard_is_one_that_is_kept() -> None:
    names, labels = known()
    for expression in expressions():
        for name in NAMED.findall(expression):
            assert SUFFIX.sub("", name) in names, expression
        for group in BY.findall(expression):
            assert {one.strip() for one in group.split(",")} <= labels, expression


def test_every_figure_but_the_time_of_jobs_has_its_panel() -> None:
    names, _ = known()
    asked = {SUFFIX.sub("", name) for text in expressions() for name in NAMED.findall(text)}
    assert names - asked == {"hivebot_job_seconds"}
