"""Is a load answered, in order, and measured? In small; `hivebot bench load` is the long one."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from hivebot.entrypoints import benches
from hivebot.entrypoints.benches.loading.plan import burst
from hivebot.entrypoints.benches.loading.run import run

pytestmark = pytest.mark.integration


def test_a_steady_load_is_answered_and_measured() -> None:
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(benches.load)
    arguments = ["--seconds", "2", "--rate", "3", "--burst", "0", "--json"]
    result = CliRunner().invoke(app, arguments)
    found = json.loads(result.stdout)
    steady = found["steady"]
    assert (steady["questions"], steady["answered"], steady["disorder"]) == (6, 6, 0)
    assert set(steady["memory_mb"]) == {"serve", "worker", "clock"}
    assert min(early for early, _ in steady["memory_mb"].values()) > 10
    assert 0 < steady["waits"]["median_ms"] <= steady["waits"]["worst_ms"]
    met = all(aim["met"] for aim in found["aims"])
    assert result.exit_code == (0 if met else 1)


async def test_a_burst_is_drained_in_order() -> None:
    asked: list[int] = []
    found = await run(burst(30), asked.append)
    assert (found.answered, found.disorder, len(asked)) == (30, 0, 30)
