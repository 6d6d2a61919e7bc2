"""Small configurations for tests, and what was found in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from hivebot.adapters.config_files import ConfigError, Finding, load
from hivebot.adapters.config_files.canonical import Channels
from hivebot.services.records.policy import Configuration

BASE = """\
agents:
  - id: pia
    model: briefed
  - id: lasse
    model: briefed
  - id: greta
    model: briefed
desks:
  - id: payments
    channel: C0PAY
    members: [pia]
  - id: platform
    channel: C0PLAT
    members: [lasse, greta]
"""

HERE = "# <-"
"""Marks the line on which a test expects a finding."""


def agent(*lines: str) -> str:
    """BASE with more lines for agent pia."""
    return _after("  - id: pia\n    model: briefed\n", lines)


def desk(*lines: str) -> str:
    """BASE with more lines for desk platform, which has two members."""
    return _after("    members: [lasse, greta]\n", lines)


def top(*lines: str) -> str:
    """BASE with more lines of its own."""
    return BASE + "".join(f"{line}\n" for line in lines)


def _after(place: str, lines: tuple[str, ...]) -> str:
    before, found, after = BASE.partition(place)
    assert found
    return before + found + "".join(f"    {line}\n" for line in lines) + after


def marked_line(text: str) -> int:
    """Number of the line marked with HERE; 0 when none is."""
    lines = [number for number, line in enumerate(text.split("\n"), start=1) if HERE in line]
    assert len(lines) <= 1
    return lines[0] if lines else 0


def write(directory: Path, text: str, name: str = "hivebot.yaml") -> Path:
    """Put a file into the directory."""
    path = directory / name
    path.write_text(text, encoding="utf-8")
    return path


def accepted(directory: Path, text: str, channels: Channels | None = None) -> Configuration:
    """What the text configures."""
    return load(write(directory, text), channels).configuration


def warned(directory: Path, text: str) -> tuple[Finding, ...]:
    """What is said about a text that is accepted."""
    return load(write(directory, text)).warnings


def refused(path: Path, channels: Channels | None = None) -> tuple[Finding, ...]:
    """Everything for which the files are refused."""
    with pytest.raises(ConfigError) as caught:
        load(path, channels)
    assert caught.value.exit_code == 78
    assert caught.value.problems
    return caught.value.problems


def only_problem(directory: Path, text: str, channels: Channels | None = None) -> Finding:
    """The one problem of a text; it must stand on the marked line."""
    (problem,) = refused(write(directory, text), channels)
    assert problem.file == str(directory / "hivebot.yaml")
    assert problem.line == marked_line(text)
    assert problem.remedy
    return problem
