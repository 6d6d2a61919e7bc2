"""Which lines must the story leave behind, in which order? Nothing missing, nothing twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hivebot.entrypoints.demo.reading import Said

QUESTION = "@#platform does the gateway retry on 503?"
DILEMMA = (
    "@hive what do we do with the rollout?\n"
    "#canary: one region first\n"
    "#revert: back to the old schema\n"
    "#ship: to everybody now"
)
PAYMENTS = "C0PAY"
DATA = "C0DATA"
PLATFORM = "C0PLAT"
ANA = "U0ANA"


@dataclass(frozen=True, slots=True)
class Line:
    """One expected line.

    Attributes:
        what: What it is, for the report.
        reply: It stands in the thread under the line before it that is no reply.
    """

    what: str
    fits: Callable[[Said], bool]
    reply: bool = False


EXPECTED: Mapping[str, Sequence[Line]] = {
    PAYMENTS: (
        Line("Ana's question", lambda said: not said.agent and "503" in said.text),
        Line(
            "the status line",
            lambda said: not said.agent and "platform" in said.text and "answered" in said.text,
            reply=True,
        ),
        Line(
            "the sponsor's message with the answer quoted",
            lambda said: said.agent and "Pia" in said.speaker and "503 twice" in said.text,
            reply=True,
        ),
    ),
    PLATFORM: (
        Line(
            "the question, posted for the platform desk",
            lambda said: said.agent and "Pia" in said.speaker and "503?" in said.text,
        ),
        Line(
            "the platform desk's answer",
            lambda said: said.agent and "Lasse" in said.speaker and "503 twice" in said.text,
        ),
    ),
    DATA: (
        Line("Ana's dilemma", lambda said: not said.agent and "#revert" in said.text),
        Line(
            "the outcome the progress message has become",
            lambda said: not said.agent and "Decided by 3 of 5: one region first" in said.text,
            reply=True,
        ),
    ),
}


def faults(found: Mapping[str, Sequence[Said]]) -> list[str]:
    """What is missing, doubled, out of order or not expected; [] when the story is whole."""
    problems: list[str] = []
    for channel, lines in EXPECTED.items():
        said = found.get(channel, ())
        for line in lines:
            fitting = sum(line.fits(one) for one in said)
            if fitting != 1:
                problems.append(f"{line.what}: found {fitting} times in {channel}, wanted once")
        if not problems and len(said) != len(lines):
            problems.append(f"{channel} holds {len(said)} messages, wanted {len(lines)}")
        if not problems:
            problems += _order(channel, lines, said)
    return problems


def _order(channel: str, lines: Sequence[Line], said: Sequence[Said]) -> list[str]:
    return [
        f"{line.what}: out of order in {channel}"
        for line, one in zip(lines, said, strict=True)
        if not line.fits(one) or line.reply != bool(one.thread_ts)
    ]
