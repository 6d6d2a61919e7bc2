"""What is left after web, worker and database were killed while people asked? All of it, once.

A small run; `hivebot bench chaos` is the long one. Source: product.md 1, datapath.md 3.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hivebot.entrypoints.benches.killing.checking import checks
from hivebot.entrypoints.benches.killing.plan import Victim, planned
from hivebot.entrypoints.benches.killing.run import Pace, run

pytestmark = pytest.mark.e2e


async def test_whatever_is_killed_every_question_has_one_answer(
    new_folder: Callable[[], Path],
) -> None:
    plan = planned(20, 4, seed=11, losses=2)
    asked: list[int] = []
    found = await run(plan, pace=Pace(0.3, hurry=True), logs=new_folder(), progress=asked.append)
    assert [place for check in checks(found.found) for place in check.broken] == []
    assert found.killed == dict.fromkeys(Victim, 1)
    assert len(asked) == 20
