"""What is a model asked, and what came of it? Everything a prompt is made from, as values.

A request holds only what this turn may see; the adapter adds nothing. Source: turns.md 2 to 5.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from hivebot.hive.transcript import SessionMessage
from hivebot.services.records.policy import AgentConfig, Opening
from hivebot.services.records.replies import Option, Reply, Shape

Situation = Literal[
    "opening",  # blind, evidence_first -> OpeningTurn
    "position",  # blind, positions -> PositionTurn
    "deliberate",  # full, no quorum -> DeliberateTurn
    "commit",  # full, quorum on `topic` -> CommitTurn
    "answer",  # one responder -> AnswerTurn
    "relay",  # a late return inside an episode -> OpeningTurn
    "consult",  # before an episode -> ConsultTurn
    "framing",  # before an episode -> FramingTurn
]


@dataclass(frozen=True, slots=True)
class Colleague:
    """A member of the desk as others know it: never its brief."""

    id: str
    name: str
    role: str


@dataclass(frozen=True, slots=True)
class FarDesk:
    """A desk that may be asked."""

    id: str
    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Memory:
    """A remembered interaction shown to this turn: its id and one readable text.

    Attributes:
        corrected: By whom and when an answer was corrected, for readers; "" for any other memory.
        words: What they said.
        near: It is about the same matter.
    """

    id: str
    text: str
    corrected: str = ""
    words: str = ""
    near: bool = False


@dataclass(frozen=True, slots=True)
class FloorLine:
    """Standing of one option, as a visible turn may know it."""

    option: str
    supporters: tuple[str, ...]
    silenced: tuple[str, ...]
    refuted_by: tuple[str, ...]
    support: int


@dataclass(frozen=True, slots=True)
class Floor:
    """What an episode turn knows of the floor; absent for blind turns.

    Attributes:
        topic: The option a quorum stands on, "" for none.
        directory: Lines of the directory, folded without priors unless announced.
    """

    phase: str
    topic: str
    standings: tuple[FloorLine, ...]
    directory: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SeenRow:
    """One row this turn may see.

    Attributes:
        message: Sequence, author and content as the folds know them.
        kind: `answer_from_desk` for a returned answer, else `message`.
        place: Desk name of a returned answer, else "".
        shown: What people read, where it differs from the content.
    """

    message: SessionMessage
    kind: Literal["message", "answer_from_desk"] = "message"
    place: str = ""
    shown: str = ""


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """Everything one model call may know.

    Attributes:
        situation: Decides the schema.
        rows: Oldest first; numbers may show gaps.
        left_out: Inclusive ranges of older rows cut to fit `prompt_tokens_max`.
        watermark: Rows above it belong to the running episode; 0 for single answers.
        may_ask: Desks the ask may name; () when `ask` is not offered.
        defer, refute: Whether the policy has a cap for them.
        question: Sequence of the question this turn serves.
        returned: Sequence of the returned answer a sponsor reports, 0 for none.
        returned_state: Set when a referral ended without an answer: the sentence to pass on.
        own_advocacy_targets: Sequences whose advocacy is another's and may be objected to.
    """

    agent: AgentConfig
    desk_id: str
    desk_name: str
    situation: Situation
    rows: tuple[SeenRow, ...]
    question: int
    colleagues: tuple[Colleague, ...] = ()
    may_ask: tuple[FarDesk, ...] = ()
    options: tuple[Option, ...] = ()
    options_open: bool = False
    floor: Floor | None = None
    memories: tuple[Memory, ...] = ()
    watermark: int = 0
    max_asks: int = 0
    defer: bool = False
    refute: bool = False
    opening: Opening = Opening.EVIDENCE_FIRST
    returned: int = 0
    returned_state: str = ""
    left_out: tuple[tuple[int, int], ...] = ()
    prompt_tokens_max: int = 6000
    output_tokens_max: int = 1500


ReplyFailureKind = Literal[
    "timed_out", "declined", "malformed", "empty", "rate_limited", "unavailable", "misconfigured"
]


@dataclass(frozen=True, slots=True)
class Spent:
    """What a reply cost. `requests` counts model calls of this turn."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd_micros: int = 0
    requests: int = 0


@dataclass(frozen=True, slots=True)
class TurnReply:
    """A usable reply: validated, retried or repaired, never raw model text."""

    reply: Reply
    shape: Shape
    spent: Spent
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplyFailure:
    """No usable reply. `line` is the marker-free line committed as the member's own turn.

    Attributes:
        again: Trying later may help (a rate limit, an outage); the queue decides.
    """

    kind: ReplyFailureKind
    line: str
    again: bool
    spent: Spent = field(default_factory=Spent)


@dataclass(frozen=True, slots=True)
class RenderedTurn:
    """A reply as a committed row.

    Attributes:
        content: Marker lines and inert prose: what the folds read.
        shown: What people read.
        ask: The one supplied mention's text (`@#desk`) with its byte offset in `content`, or None.
        sources: What the facts and the answer rest on, in order: "brief", "[12]", a tool, a link.
        open_points: Said beside an outcome, or "".
    """

    content: str
    shown: str
    ask: tuple[str, int] | None
    sources: tuple[str, ...]
    open_points: str = ""
