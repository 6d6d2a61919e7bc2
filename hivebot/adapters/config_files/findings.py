"""What is wrong with a configuration, where, and what mends it?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, TypeAlias

from hivebot.errors import HivebotError
from hivebot.telemetry import redact

Path: TypeAlias = tuple[str | int, ...]
"""Keys and list positions from the top of the configuration."""

_SHOWN_CHARACTERS: Final = 40


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One problem, or one warning.

    Attributes:
        file: File as it was named; "" when no file is concerned.
        line: Line, from 1; 0 when the whole file, or none, is concerned.
        key: Where in the configuration, as `desks[payments].referral.max_hops`.
        message: What is the case.
        remedy: What to do about it.
        nearest: The known key, id or value that was probably meant, or "".
    """

    file: str
    line: int
    key: str
    message: str
    remedy: str
    nearest: str = ""

    @property
    def where(self) -> str:
        """`file:line`, as far as known."""
        return f"{self.file}:{self.line}" if self.line else self.file

    def __str__(self) -> str:
        parts = [part for part in (self.where, self.key, self.message) if part]
        return ": ".join(parts) + (f" — {self.remedy}" if self.remedy else "")


class ConfigError(HivebotError):
    """A configuration cannot be used; whatever ran before goes on.

    Attributes:
        problems: All that were found, by file and line.
        exit_code: What a process ends with that cannot start for it.
    """

    code: ClassVar[str] = "config"
    exit_code: ClassVar[int] = 78

    def __init__(self, problems: Iterable[Finding]) -> None:
        self.problems = tuple(sorted(problems))
        super().__init__("\n".join(str(problem) for problem in self.problems))


@dataclass(frozen=True, slots=True)
class Remark:
    """A finding before it is known where it stands in the files.

    Attributes:
        path: What it is about.
    """

    path: Path
    message: str
    remedy: str
    nearest: str = ""


@dataclass(slots=True)
class Places:
    """Where each part of a configuration was written.

    Attributes:
        lines: File and line of each key and list entry.
        labels: Ids by which entries of a list are named in messages.
    """

    lines: dict[Path, tuple[str, int]] = field(default_factory=dict[Path, tuple[str, int]])
    labels: dict[Path, str] = field(default_factory=dict[Path, str])

    def of(self, path: Path) -> tuple[str, int]:
        """Give file and line of a part, or of what is nearest around it."""
        for length in range(len(path), -1, -1):
            if (place := self.lines.get(path[:length])) is not None:
                return place
        return "", 0

    def locate(self, remark: Remark) -> Finding:
        """Give a remark its place."""
        file, line = self.of(remark.path)
        return Finding(
            file, line, self.key(remark.path), remark.message, remark.remedy, remark.nearest
        )

    def key(self, path: Path) -> str:
        """Write a path as people read it."""
        written = ""
        for depth, part in enumerate(path):
            if isinstance(part, int):
                written += f"[{self.labels.get(path[: depth + 1], part)}]"
            else:
                written += f".{part}" if written else part
        return written


def nearest(name: str, known: Iterable[str]) -> str:
    """Give the known name with the fewest edits to the one given, the first on ties; "" of none.

    An edit inserts, drops or replaces a character, or swaps two neighbours; case is no edit.
    """
    return min(known, key=lambda candidate: _edits(name.lower(), candidate.lower()), default="")


def did_you_mean(name: str, known: Sequence[str], otherwise: str) -> tuple[str, str]:
    """Give a remedy and the nearest name; what to do otherwise, when none is near.

    Near is at most a third of the longer name, and at least two edits.
    """
    close = nearest(name, known)
    allowed = max(2, max(len(name), len(close)) // 3)
    if close and _edits(name.lower(), close.lower()) <= allowed:
        return f"did you mean `{close}`?", close
    return otherwise, close


def shown(value: object) -> str:
    """Give a value as messages quote it: short, and without anything like a secret."""
    if isinstance(value, str):
        clean = redact(value)
        cut = clean if len(clean) <= _SHOWN_CHARACTERS else clean[: _SHOWN_CHARACTERS - 1] + "…"
        return repr(cut)
    if isinstance(value, Mapping):
        return "a mapping"
    return "nothing" if value is None else "a list"


def listed(names: Iterable[object], last: str = "or") -> str:
    """Join names as in a sentence."""
    *most, final = [str(name) for name in names]
    return f"{', '.join(most)} {last} {final}" if most else final


def _edits(one: str, other: str) -> int:
    """Count edits by the optimal string alignment distance."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, start=1):
        before, row, above = row, [i], before
        for j, right in enumerate(other, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                cost = min(cost, above[j - 2] + 1)
            row.append(cost)
    return row[-1]
