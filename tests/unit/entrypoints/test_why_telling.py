"""Is each step of a deliberation told in the form the page draws?"""

from __future__ import annotations

from typing import cast

import pytest

from hivebot.entrypoints.why import telling
from hivebot.hive.episode import Converged, Deadlocked, Exhausted, Idle, Step
from hivebot.hive.quorum import Standing
from hivebot.services.audit import Compared, Replay, Replayed
from hivebot.services.records.episodes import EpisodeEnd
from hivebot.services.replaying import Recorded
from tests.configurations import CONFIGURATION
from tests.unit.services.episode_rows import episode


def told(one: Replayed) -> dict[str, object]:
    found = Replay(episode(EpisodeEnd.DEADLOCKED), CONFIGURATION, (one,))
    (step,) = cast("list[dict[str, object]]", telling.episode(found, (), {})["steps"])
    return step


@pytest.mark.parametrize(
    ("taken", "what", "topics"),
    [
        (Converged("canary", Standing("canary", (), (), (), 0)), "converged", ["canary"]),
        (Deadlocked(("canary", "ship")), "deadlocked", ["canary", "ship"]),
        (Exhausted(15), "exhausted", []),
        (Idle(), "idle", []),
    ],
)
def test_each_end_is_told_with_its_options(taken: Step, what: str, topics: list[str]) -> None:
    step = told(Replayed(1, 5, Recorded(taken, 7, (), ()), Compared.EQUAL))
    assert (step["what"], step["topics"], step["reference"]) == (what, topics, "D5")


def test_a_step_whose_record_cannot_be_read_says_so_and_draws_nothing() -> None:
    step = told(Replayed(1, 5, None, Compared.DIFFERENT, ("unreadable: x",)))
    assert (step["what"], step["bids"], step["standings"]) == ("unreadable", [], [])
    assert step["differs"] == ["unreadable: x"]
