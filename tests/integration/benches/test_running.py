"""Do the benchmarks of the running system run, on real parts and in small?"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest
import typer
from typer.testing import CliRunner

from hivebot.adapters.config_files import load
from hivebot.adapters.db.engine import DatabaseUrl, libpq_url
from hivebot.entrypoints import benches
from hivebot.entrypoints.benches import asking, deliberating, relaying, transcripts
from hivebot.entrypoints.benches.intake import rival
from hivebot.entrypoints.benches.intake.driving import flat_out
from hivebot.entrypoints.benches.intake.traffic import requests

pytestmark = pytest.mark.integration

CONFIG = Path("config") / "hivebot.yaml"

app = typer.Typer(pretty_exceptions_enable=False)
for command in (
    benches.deliberation,
    benches.events,
    benches.hops,
    benches.roundtrip,
    benches.store,
):
    app.command(command.__name__)(command)


def run(*arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


async def test_hops_are_timed_one_by_one(database_url: str) -> None:
    steps: list[int] = []
    times = await relaying.measure(DatabaseUrl.of(database_url), 5, progress=steps.append)
    assert (times.count, len(steps)) == (5, 6)
    assert 0 < times.median <= times.worst


async def test_nothing_else_is_deferred_under_the_lock(database_url: str) -> None:
    relay = relaying.Relay(None, 1, lambda _: None)  # type: ignore[arg-type]  # never reached
    with pytest.raises(AssertionError):
        await relay.speak(1)
    with pytest.raises(AssertionError):
        await relay.deliver("T", "C")


async def test_a_decision_is_timed_in_transcripts_of_every_length(database_url: str) -> None:
    place = DatabaseUrl.of(database_url)
    costs = await transcripts.measure(place, CONFIG, (3, 120), rounds=2)
    assert [(cost.rows, cost.route.count, cost.speak.count) for cost in costs] == [
        (3, 2, 2),
        (120, 2, 2),
    ]
    assert transcripts.ratio(costs) == 1.0
    with psycopg.connect(libpq_url(database_url)) as connection:
        counts = connection.execute(
            "select count(*), max(seq) from message group by conversation_id order by 1"
        ).fetchall()
    # what was there, and three questions with their answers
    assert counts == [(3 + 6, 3 + 6), (120 + 6, 120 + 6)]


async def test_the_app_beside_commits_one_row_for_each_event(database_url: str) -> None:
    settings = rival.RivalSettings("storing", database_url, "planted")
    made = requests(6, secret="planted", now=time.time(), series="S", channels=["C1"], user="U1")
    async with rival.serving(settings) as url:
        driven = await flat_out(url, made, concurrency=2, limit_s=10)
    with psycopg.connect(libpq_url(database_url)) as connection:
        rows = connection.execute("select count(*) from bench_event").fetchone()
    assert (driven.acknowledged, rows) == (6, (6,))


def test_events_are_driven_at_all_three_apps() -> None:
    found = run("events", "--count", "20", "--rounds", "1", "--concurrency", "2")
    assert found["acknowledged"] == found["stored"] == 20 * 4
    assert set(found) >= {"machine", "full_speed", "half", "paced", "share_pct", "aims"}


def test_a_round_trip_is_timed_to_the_answer_and_to_the_progress_message() -> None:
    found = run("roundtrip", "--count", "1")
    assert (found["answer"]["count"], found["progress"]["count"]) == (1, 1)


def test_what_is_not_the_models_time_in_a_deliberation_is_timed() -> None:
    found = run("deliberation", "--count", "1", "--takes", "0.05")
    assert found["calls"] == 8
    kinds = ("sign", "opening", "gap")
    assert [found[kind]["count"] for kind in kinds] == [1, 1, 3]
    assert min(found[kind]["median_ms"] for kind in kinds) > 0
    assert found["opening"]["median_ms"] >= 50


def test_hops_and_transcripts_come_with_their_own_database() -> None:
    hops = run("hops", "--count", "3")
    assert hops["count"] == 3
    store = run("store", "--rows", "5", "--rows", "8", "--rounds", "1")
    assert [one["rows"] for one in store["transcripts"]] == [5, 8]


def test_what_cannot_be_measured_is_refused() -> None:
    for arguments in (
        ["store", "--rows", "0"],
        ["store", "--config", "nowhere.yaml", "--rows", "1"],
        ["events", "--config", "nowhere.yaml"],
    ):
        result = CliRunner().invoke(app, arguments)
        assert (result.exit_code, result.stdout) == (78, "")
        assert "hivebot bench:" in result.stderr


def test_the_desk_whose_models_are_slow_is_a_sound_configuration(tmp_path: Path) -> None:
    path = tmp_path / "hivebot.yaml"
    path.write_text(deliberating.configuration("http://127.0.0.1:1/v1"), encoding="utf-8")
    (desk,) = load(path).configuration.desks
    assert desk.members == deliberating.MEMBERS


def test_the_desks_of_the_round_trip_are_a_sound_configuration() -> None:
    with asking.configuration() as path:
        assert [desk.id for desk in load(path).configuration.desks] == [
            "payments",
            "platform",
            "data",
        ]
    assert not path.exists()
