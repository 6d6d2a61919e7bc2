"""What does a person read of who knew what?"""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

from hivebot.entrypoints.knowing_command import report
from hivebot.services.correlation import Mean
from hivebot.services.expertise import CHANGED_NOTHING, TRACKS_TALK, Knowledge, knowledge_of
from hivebot.services.records.policy import Configuration
from tests.unit.services.deliberations import deliberated


def printed(found: Knowledge) -> list[str]:
    console = Console(file=io.StringIO(), width=120)
    report(console, found, found.topics)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().rstrip("\n").split("\n")


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("│")[1:-1]]


def test_where_nobody_has_said_anything_there_is_no_table() -> None:
    assert printed(knowledge_of(deliberated(), [])) == [
        "Episode 1 of #ops (idle): 0 turns, folded at row 1",
        "Nobody has shown to know anything.",
        "The desk's last 0 episodes, 0 with a directory:",
        "  weight against speech share: no episode yet",
        "  credit that is mutual: no credit was given",
        "  turns won by knows: 0 of 0",
        "  decision gates approved: no decision gates yet",
    ]


def test_verdicts_stand_last_and_alone() -> None:
    found = knowledge_of(deliberated(), [])
    rho = Mean(0.81, 0.7, 0.92, 20)
    record = replace(found.record, episodes=20, directory_on=20, rho=rho, idle=True, turns=181)

    lines = printed(replace(found, record=record))

    assert lines[-2:] == [TRACKS_TALK, CHANGED_NOTHING]
    assert "  weight against speech share: rho 0.81 (0.70 to 0.92, n = 20)" in lines
    assert "  turns won by knows: 0 of 181" in lines


def test_deferring_and_not_knowing_enough_are_told_apart() -> None:
    told = deliberated(
        ("anna", "!evidence #ship"),
        ("anna", "!defer #ship"),
        ("bert", "!evidence #ship"),
        affinity=(("ship", 70),),
    )

    rows = [cells(line) for line in printed(knowledge_of(told, [])) if line.startswith("│")]

    assert rows == [
        ["#ship", "Bert", "3,000", "3,000", "0", "0", "yes", "33%"],
        ["", "Carl", "700", "0", "0", "700", "no", "0%"],
        ["", "Anna (rule-based)", "0", "3,000", "0", "0", "deferred", "67%"],
    ]


def test_an_agent_that_sits_here_no_more_is_named_by_its_id() -> None:
    told = deliberated(("anna", "!evidence #ship"), affinity=(("ship", 70),))
    (desk,) = told.configuration.desks
    fewer = replace(desk, members=("anna",))
    moved = replace(told, configuration=Configuration("r2", told.configuration.agents, (fewer,)))

    rows = [cells(line) for line in printed(knowledge_of(moved, [])) if line.startswith("│")]

    assert rows[-1] == ["", "carl", "700", "0", "0", "700", "no", "–"]


def test_names_and_topics_cannot_move_the_cursor_or_colour_anything() -> None:
    lines = printed(knowledge_of(deliberated(("anna", "!evidence #[red]x\x1b[2J")), []))

    assert cells(lines[4])[0] == "#[red]x�[2J"


def test_one_still_running_is_said_to() -> None:
    found = knowledge_of(deliberated(("anna", "hm")), [])
    running = replace(found, episode=replace(found.episode, end=None))

    assert printed(running)[0] == "Episode 1 of #ops (still running): 1 turn, folded at row 2"
