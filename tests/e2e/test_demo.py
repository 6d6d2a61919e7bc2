"""Does the demo play the story on real parts, and fail when a line is missing, doubled or late?"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import replace
from io import StringIO

import psutil
import pytest
from rich.console import Console

from hivebot.entrypoints.demo import STOPPED, verdict
from hivebot.entrypoints.demo.reading import Said
from hivebot.entrypoints.demo.story import DATA, DILEMMA, PAYMENTS, PLATFORM, QUESTION, faults

pytestmark = pytest.mark.e2e

Found = dict[str, list[Said]]


def said(channel: str, speaker: str, text: str, *, thread_ts: str = "") -> Said:
    agent = "rule-based" in speaker
    return Said(channel, ts="1.1", thread_ts=thread_ts, speaker=speaker, agent=agent, text=text)


def whole() -> Found:
    """What a played story leaves behind."""
    answer = "The gateway retries a 503 twice."
    decided = "Canary.\n\nDecided by 3 of 5: one region first"
    return {
        PAYMENTS: [
            said(PAYMENTS, "Ana", QUESTION),
            said(PAYMENTS, "Hive", "#platform has answered", thread_ts="1.1"),
            said(PAYMENTS, "Pia (rule-based)", f"> {answer}", thread_ts="1.1"),
        ],
        PLATFORM: [
            said(PLATFORM, "Pia (rule-based)", "does the gateway retry on 503?"),
            said(PLATFORM, "Lasse (rule-based)", answer),
        ],
        DATA: [said(DATA, "Ana", DILEMMA), said(DATA, "Hive", decided, thread_ts="1.1")],
    }


def test_a_whole_story_has_no_fault() -> None:
    out = StringIO()
    assert faults(whole()) == []
    assert verdict(Console(file=out), faults(whole())) == 0
    assert "Every line stands once" in out.getvalue()


def missing(found: Found, channel: str, number: int) -> None:
    del found[channel][number]


def doubled(found: Found, channel: str, number: int) -> None:
    found[channel].append(found[channel][number])


def first(found: Found, channel: str, number: int) -> None:
    found[channel].insert(0, found[channel].pop(number))


def elsewhere(found: Found, channel: str, number: int) -> None:
    line = found[channel][number]
    found[channel][number] = replace(line, thread_ts="" if line.thread_ts else "9.9")


def reworded(found: Found, channel: str, number: int) -> None:
    found[channel][number] = replace(found[channel][number], text="something else")


def joined(found: Found, channel: str, number: int) -> None:
    found[channel].insert(number, said(channel, "Otto (rule-based)", "me too"))


PLACES = [(PAYMENTS, 1), (PAYMENTS, 2), (PLATFORM, 1), (DATA, 1)]


@pytest.mark.parametrize(("channel", "number"), PLACES)
@pytest.mark.parametrize("doctor", [missing, doubled, first, elsewhere, reworded, joined])
def test_a_story_with_a_wrong_line_fails(
    doctor: Callable[[Found, str, int], None], channel: str, number: int
) -> None:
    found = whole()
    doctor(found, channel, number)
    problems = faults(found)
    assert problems
    out = StringIO()
    assert verdict(Console(file=out, width=200), problems) == 1
    assert out.getvalue().count("WRONG") == len(problems)


def test_a_story_nobody_played_fails_for_every_line() -> None:
    assert len(faults({})) == sum(len(lines) for lines in whole().values())


async def hivebot(*arguments: str) -> tuple[int, str]:
    running = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "hivebot", *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await asyncio.wait_for(running.communicate(), 240)
    return running.returncode or 0, out.decode()


async def test_the_demo_plays_the_story_and_answers_another_question_too() -> None:
    (played, story), (asked, answer) = await asyncio.gather(
        hivebot("demo"), hivebot("demo", "--ask", "@hive where do penguins sleep?")
    )
    assert (played, asked) == (0, 0), story + answer
    assert "Every line stands once, in its place and in order." in story
    assert "WRONG" not in story
    assert "why: it names another desk" in story
    assert answer.count("Pia (rule-based)") == 1
    assert answer.count("I do not know. I hold nothing on that.") == 1
    assert "\x1b[" not in story + answer


async def test_a_demo_told_to_stop_leaves_nothing_running() -> None:
    running = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "hivebot", "demo"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
    )
    assert running.stdout is not None
    async with asyncio.timeout(120):
        while b"Ready" not in await running.stdout.readline():
            assert running.returncode is None
        family = psutil.Process(running.pid).children(recursive=True)
        running.terminate()
        assert await running.wait() == STOPPED
    assert len(family) >= 4  # the workspace, web, worker and clock, beside the database
    assert [one for one in family if one.is_running()] == []
