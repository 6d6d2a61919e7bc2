"""What has one look found, and what mends it?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Checked:
    """One line of the doctor.

    Attributes:
        name: What was looked at.
        verdict: `fail` is what keeps hivebot from working, `warn` what makes it work less well.
        said: What is the case; never a secret, never what anybody wrote.
        remedy: What to do, "" where nothing is to be done.
    """

    name: str
    verdict: Verdict
    said: str
    remedy: str = ""


def ok(name: str, said: str) -> Checked:
    """It is as it should be."""
    return Checked(name, "ok", said)


def warn(name: str, said: str, remedy: str) -> Checked:
    """It works less well than it could."""
    return Checked(name, "warn", said, remedy)


def fail(name: str, said: str, remedy: str) -> Checked:
    """It does not work like this."""
    return Checked(name, "fail", said, remedy)
