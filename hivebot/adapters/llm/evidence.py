"""How is a fact written on its line, and read again off a peer's?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hivebot.adapters.llm.text import inert
from hivebot.hive.options import slug
from hivebot.hive.trace import Trace, TraceKind
from hivebot.services.records.replies import Bearing, Fact

_LINE: Final = re.compile(
    r"!evidence(?: #(?P<option>\S+))? (?P<bearing>for|against|neutral)\((?P<strength>[1-5])\):"
    r" (?P<text>.+)"
)


@dataclass(frozen=True, slots=True)
class Stated:
    """A fact as a row states it.

    Attributes:
        sequence: Number of the row.
        author_id: The agent that stated it, "" for anybody else.
        text: As it stands on the line, that is, inert.
    """

    sequence: int
    author_id: str
    option: str
    bearing: Bearing
    strength: int
    text: str

    @property
    def identity(self) -> tuple[str, Bearing, int, str]:
        """What makes two statements one fact, whoever said it and however often."""
        return self.option, self.bearing, self.strength, self.text


def evidence_line(fact: Fact) -> str:
    """Write a fact as a marker line. Its option is a slug, the text of a new option, or "".

    Source: turns.md 3, rendering, step 1.
    """
    # an option that is new on an open floor is still its text; ids are their own slugs
    slot = f"#{slug(fact.option)} " if fact.option else ""
    return f"!evidence {slot}{fact.bearing}({fact.strength}): {inert(fact.text)}"


def read_evidence(trace: Trace) -> Stated | None:
    """Read a fact off its line; None for any other trace, or a line nobody rendered."""
    if trace.kind is not TraceKind.EVIDENCE or (found := _LINE.fullmatch(trace.text)) is None:
        return None
    return Stated(
        sequence=trace.sequence,
        author_id=trace.agent_id or "",
        option=found["option"] or "",
        bearing=Bearing(found["bearing"]),
        strength=int(found["strength"]),
        text=found["text"],
    )
