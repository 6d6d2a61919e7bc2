"""What is a mention: which target, written how, where, and by whom?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class AgentTarget:
    """One agent, by id."""

    id: str


@dataclass(frozen=True, slots=True)
class PersonTarget:
    """One person, by id."""

    id: str


@dataclass(frozen=True, slots=True)
class DeskTarget:
    """One desk, by id."""

    id: str


@dataclass(frozen=True, slots=True)
class EveryoneTarget:
    """Everybody here, however the word was spelt."""


MentionTarget: TypeAlias = AgentTarget | PersonTarget | DeskTarget | EveryoneTarget


@dataclass(frozen=True, slots=True)
class Mention:
    """One place of a text that names a target.

    Attributes:
        target: Who is named.
        text: As written, `@` or `@#` included.
        offset: UTF-8 byte offset of the `@`.
        quiet: It names without pinging: nobody is woken by it.
    """

    target: MentionTarget
    text: str
    offset: int
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class MentionedByAgent:
    """The author of the text is this agent."""

    id: str


@dataclass(frozen=True, slots=True)
class MentionedByPerson:
    """The author of the text is this person."""

    id: str


@dataclass(frozen=True, slots=True)
class MentionedByOther:
    """The author of the text is nobody who could be mentioned."""


MentionAuthor: TypeAlias = MentionedByAgent | MentionedByPerson | MentionedByOther
