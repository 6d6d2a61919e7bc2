"""Do the dashboard and the alert rules ask for figures that there are, by labels they have?"""

from __future__ import annotations

import json
import re
from pathlib import Path

import yaml
from sqlalchemy.ext.asyncio import create_async_engine

from hivebot.entrypoints.metering import StoredFigures
from hivebot.telemetry import Metrics

DASHBOARD = Path("docs") / "grafana" / "hivebot.json"
RULES = Path("docs") / "prometheus" / "hivebot.rules.yml"
OPERATIONS = Path("docs") / "operations.md"

NAMED = re.compile(r"\bhivebot_\w+")
SUFFIX = re.compile(r"_(total|bucket|count|sum)$")
BY = re.compile(r"by \(([a-z, ]+)\)")


def expressions() -> list[str]:
    shown = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    return [str(target["expr"]) for panel in shown["panels"] for target in panel["targets"]]


def rules() -> dict[str, str]:
    """Name of each alert to its expression."""
    groups = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    return {str(rule["alert"]): str(rule["expr"]) for one in groups for rule in one["rules"]}


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
    return names, labels | {"le", "desk", "end", "state", "by", "what"}


def test_every_figure_of_the_dashboard_and_the_rules_is_one_that_is_kept() -> None:
    names, labels = known()
    for expression in (*expressions(), *rules().values()):
        assert NAMED.search(expression), expression
        for name in NAMED.findall(expression):
            assert SUFFIX.sub("", name) in names, expression
        for group in BY.findall(expression):
            assert {one.strip() for one in group.split(",")} <= labels, expression


def test_every_figure_but_the_time_of_jobs_has_its_panel() -> None:
    names, _ = known()
    asked = {SUFFIX.sub("", name) for text in expressions() for name in NAMED.findall(text)}
    assert names - asked == {"hivebot_job_seconds"}


def test_each_matter_an_operator_must_be_woken_for_has_its_rule_and_its_words() -> None:
    asked = " ".join(rules().values())
    for matter in (
        'hivebot_oldest_seconds{queue="turns"}',
        'hivebot_oldest_seconds{queue="posts"}',
        'hivebot_unposted{state="failed"}',
        'hivebot_unposted{state="unknown"}',
        'hivebot_events_total{outcome="not_stored"}',
        'hivebot_spent{what="tokens"}',
        'hivebot_spent{what="usd_micros"}',
    ):
        assert matter in asked
    words = OPERATIONS.read_text(encoding="utf-8")
    assert [name for name in rules() if f"`{name}`" not in words] == []
