"""What is left after web, worker and database were killed while people asked? All of it, once.

A small run; `hivebot bench chaos` is the long one. Source: product.md 1, datapath.md 3.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hivebot.entrypoints.cli import app

pytestmark = pytest.mark.e2e


def test_whatever_is_killed_every_question_has_one_answer(new_folder: Callable[[], Path]) -> None:
    size = ["--questions", "20", "--kills", "4", "--losses", "2", "--seed", "11"]
    pace = ["--gap", "0.3", "--hurry", "--logs", str(new_folder()), "--json"]
    run = CliRunner().invoke(app, ["bench", "chaos", *size, *pace])
    said = json.loads(run.stdout)
    assert [aim for aim in said["aims"] if not aim["met"]] == []
    assert run.exit_code == 0
    assert (said["questions"], said["answers_lost"]) == (20, 2)
    assert said["kills"] == {"web": 1, "worker": 1, "database": 1, "silence": 1}
    assert said["replays"].get("different", 0) == 0
    assert said["replays"]["equal"] > 0
