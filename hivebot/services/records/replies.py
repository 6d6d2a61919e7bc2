"""What may a model's answer consist of? The structures of a turn, before they become lines.

Every structure is filled completely: an absent string is "", an absent number 0, an absent list ().
Source: turns.md 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hivebot.hive.options import Option

FACT_TEXT_MAX = 400
ASK_QUESTION_MAX = 600
ANSWER_MAX = 1500
SPONSOR_ADDS_MAX = 600

NOTHING = "(nothing to add)"
"""Committed for a reply that holds nothing: spent, and without a marker."""


class Bearing(StrEnum):
    """How a fact bears on its option."""

    FOR = "for"
    AGAINST = "against"
    NEUTRAL = "neutral"


class Stance(StrEnum):
    """What a deliberating member does with the floor."""

    PROPOSE = "propose"
    SUPPORT = "support"
    OBJECT = "object"
    REFUTE = "refute"
    DEFER = "defer"
    QUESTION = "question"
    NONE = "none"


class Known(StrEnum):
    """How much of the question the answer covers."""

    KNOWN = "known"
    PARTLY = "partly"
    UNKNOWN = "unknown"


class Shape(StrEnum):
    """How a reply came to be usable; stored with its turn."""

    CLEAN = "clean"
    RETRIED = "retried"
    REPAIRED = "repaired"
    UNCOUNTED = "uncounted"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement others may cite.

    Attributes:
        option: Id of a listed option, or "".
        bearing: For, against or neutral.
        strength: 1 to 5.
        text: At most 400 characters.
        rests_on: "brief", "[12]", a tool's name or a link; kept on the row and shown as source.
    """

    option: str
    bearing: Bearing
    strength: int
    text: str
    rests_on: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to another desk; `desk` is "" for none. The far desk reads nothing else."""

    desk: str
    question: str


@dataclass(frozen=True, slots=True)
class OpeningTurn:
    """A blind turn under `evidence_first`, or the relay of a late return. At most three facts."""

    facts: tuple[Fact, ...]
    remark: str


@dataclass(frozen=True, slots=True)
class PositionTurn:
    """A blind turn under `positions`."""

    option: str
    new_option: str
    facts: tuple[Fact, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class DeliberateTurn:
    """A turn with full view of the floor and no quorum yet. A citation of 0 is this message."""

    stance: Stance
    option: str
    target: int
    cites: tuple[int, ...]
    reason: str
    facts: tuple[Fact, ...]
    remark: str
    ask: Ask


@dataclass(frozen=True, slots=True)
class CommitTurn:
    """A turn while a quorum stands on the host's topic."""

    agree: bool
    cites: tuple[int, ...]
    facts: tuple[Fact, ...]
    answer: str
    open_points: str
    reason: str


@dataclass(frozen=True, slots=True)
class AnswerTurn:
    """A lead's, a far responder's or a sponsor's answer."""

    known: Known
    answer: str
    cites: tuple[int, ...]
    used_memories: tuple[str, ...]
    ask: Ask


@dataclass(frozen=True, slots=True)
class ConsultTurn:
    """The questions a desk asks its peers before anybody has proposed."""

    asks: tuple[Ask, ...]


@dataclass(frozen=True, slots=True)
class FramingTurn:
    """The options a question offers; fewer than two and the desk does not deliberate."""

    options: tuple[Option, ...]


Reply = (
    OpeningTurn
    | PositionTurn
    | DeliberateTurn
    | CommitTurn
    | AnswerTurn
    | ConsultTurn
    | FramingTurn
)

NO_ASK = Ask(desk="", question="")
