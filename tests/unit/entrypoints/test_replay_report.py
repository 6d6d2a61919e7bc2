"""Is each step of a replay told so that a person can follow it?"""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from hivebot.entrypoints.replay_command import report
from hivebot.hive.attention import BidReason
from hivebot.hive.conversation import Conversation
from hivebot.hive.episode import (
    Converged,
    Deadlocked,
    EpisodePhase,
    EpisodeState,
    Exhausted,
    HiveTurn,
    Idle,
    Speak,
    Step,
    Visibility,
)
from hivebot.hive.quorum import Standing
from hivebot.services.audit import Compared, Replay, Replayed
from hivebot.services.records.episodes import EpisodeEnd
from hivebot.services.replaying import Bidder, Recorded
from tests.configurations import CONFIGURATION
from tests.unit.services.episode_rows import episode

STATE = EpisodeState(Conversation("data", "Data", 1), watermark=1, spent=1)
ANNA = Bidder("anna", 900, BidReason.QUIET, 1000, 3000, -1100, -1500, 1, 4, bids=True)
BERT = Bidder("bert", 900, BidReason.SALIENCE, 0, 0, 900, 1000, 3, 4, bids=False)
TURN = HiveTurn("anna", EpisodePhase.DELIBERATE, Visibility.FULL, BidReason.QUIET, STATE)
STANDING = Standing("canary", ("anna", "ghost"), ("bert",), ("carl",), 900)


def step(
    taken: Step,
    verdict: Compared = Compared.EQUAL,
    *parts: str,
    standings: tuple[Standing, ...] = (),
    bidders: tuple[Bidder, ...] = (),
) -> Replayed:
    return Replayed(1, 5, Recorded(taken, 7, standings, bidders), verdict, parts)


def printed(*steps: Replayed, end: EpisodeEnd | None = EpisodeEnd.DEADLOCKED) -> list[str]:
    out = io.StringIO()
    report(
        Console(file=out, width=120, color_system=None),
        Replay(episode(end), CONFIGURATION, steps),
    )
    return [line.rstrip() for line in out.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("taken", "words"),
    [
        (Converged("canary", STANDING), "converged on canary"),
        (Deadlocked(("canary", "ship")), "deadlocked between canary, ship"),
        (Exhausted(15), "exhausted after 15 turns"),
        (Idle(), "idle: nobody bids"),
        (Speak(TURN), "Anna speaks: quiet, sees all, deliberate"),
        (
            Speak(replace(TURN, visibility=Visibility.BLIND)),
            "Anna speaks: quiet, blind, deliberate",
        ),
    ],
)
def test_each_step_has_its_words(taken: Step, words: str) -> None:
    assert f"  1. {words}  equal  (D5)" in printed(step(taken))


def test_standings_name_who_backs_who_is_silenced_and_who_refuted() -> None:
    lines = printed(step(Idle(), standings=(STANDING, replace(STANDING, supporters=()))))

    assert "     #canary: 900 from Anna, ghost, silenced Bert, refuted by Carl" in lines
    assert "     #canary: 900 from nobody, silenced Bert, refuted by Carl" in lines


def test_bids_are_a_table_with_a_mark_at_whoever_spoke() -> None:
    lines = printed(step(Speak(TURN), bidders=(ANNA, BERT)))

    assert [line.split() for line in lines[4:6]] == [
        ["→", "Anna", "900", "1,000", "-3,000", "-1,100", "-1,500", "400", "1/4", "quiet"],
        ["Bert", "900", "900", "1,000", "–", "3/4", "salience"],
    ]


def test_what_differs_is_named_and_the_verdict_stands_last() -> None:
    lines = printed(step(Idle(), Compared.DIFFERENT, "at", "standings"))

    assert lines[3:5] == ["     differs: at", "     differs: standings"]
    assert lines[-1] == "different: some step comes out otherwise than it is recorded"


def test_what_was_erased_is_no_difference() -> None:
    lines = printed(step(Idle(), Compared.ERASED), step(Idle()))

    assert lines[-1] == "erased: what was not erased comes out as it is recorded"


def test_one_that_runs_and_has_no_step_yet_says_so() -> None:
    assert printed(end=None) == [
        "Episode 7 of #data (still running): 0 steps, configuration r1",
        "",
        "equal: it never came to a step",
    ]
