"""How is a fact written, and read again? On a peer's line, and in another desk's answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hivebot.adapters.llm.text import inert, plain, sentence
from hivebot.hive.conversation import AgentAuthor
from hivebot.hive.options import slug
from hivebot.hive.trace import Trace, TraceKind
from hivebot.hive.transcript import SessionMessage
from hivebot.services.records.replies import Bearing, Fact

_LINE: Final = re.compile(
    r"!evidence(?: #(?P<option>\S+))? (?P<bearing>for|against|neutral)\((?P<strength>[1-5])\):"
    r" (?P<text>.+)"
)
_SENTENCE: Final = re.compile(
    r"(?P<text>[^\n]+?) \((?P<bearing>for|against|neutral) (?P<option>[a-z0-9-]{1,24}),"
    r" (?P<strength>[1-5]) of 5\)"
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


def evidence_sentence(fact: Fact) -> str:
    """Write a fact for another desk, which reads prose: a sentence, and what it bears on."""
    said = sentence(fact.text)
    return f"{said} ({fact.bearing} {fact.option}, {fact.strength} of 5)" if fact.option else said


def read_sentences(message: SessionMessage) -> tuple[Stated, ...]:
    """Read the facts off another desk's answer; none of an answer written in any other way."""
    author = message.author.id if isinstance(message.author, AgentAuthor) else ""
    return tuple(
        Stated(
            sequence=message.sequence,
            author_id=author,
            option=found["option"],
            bearing=Bearing(found["bearing"]),
            strength=int(found["strength"]),
            text=inert(plain(found["text"])),
        )
        for found in _SENTENCE.finditer(message.content)
    )
