"""Which fields is a model made to fill in? Static schemas, and their way into the records.

Every field is required and none is a union: "" / 0 / [] stand for nothing. Lengths and bounds are
told in words and checked by `validate`, because providers that compile schemas refuse them.
Source: turns.md 3.
"""

from __future__ import annotations

from dataclasses import asdict
from types import MappingProxyType
from typing import Annotated, Any, Final, Generic, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, Field

from hivebot.services.records import replies
from hivebot.services.records.asking import TurnRequest

Bearing: TypeAlias = Literal["for", "against", "neutral"]
Known: TypeAlias = Literal["known", "partly", "unknown"]
FullStance: TypeAlias = Literal[
    "propose", "support", "object", "refute", "defer", "question", "none"
]
NoDefer: TypeAlias = Literal["propose", "support", "object", "refute", "question", "none"]
NoRefute: TypeAlias = Literal["propose", "support", "object", "defer", "question", "none"]
Plain: TypeAlias = Literal["propose", "support", "object", "question", "none"]

Cites: TypeAlias = Annotated[
    list[int], Field(description="at most 4 message numbers; 0 is this message")
]


def _untitled(schema: dict[str, Any]) -> None:
    """Drop the titles of the fields: they repeat the names and every request pays for them."""
    for field in schema.get("properties", {}).values():
        field.pop("title", None)


class Strict(BaseModel, extra="forbid", json_schema_extra=_untitled):
    """A schema without optional fields, unions or unknown keys."""


class Fact(Strict):
    """One statement others may cite."""

    option: Annotated[str, Field(description='id of a listed option, or ""')]
    bearing: Bearing
    strength: Annotated[int, Field(description="1 (weak) to 5 (decisive)")]
    text: Annotated[str, Field(description="at most 400 characters")]
    rests_on: Annotated[str, Field(description='"brief", "[12]", a tool name or a link')]


class Ask(Strict):
    """A question to another desk."""

    desk: Annotated[str, Field(description='id of a listed desk, or ""')]
    question: Annotated[str, Field(description="at most 600 characters, all the other desk reads")]


class Option(Strict):
    """One thing that can be decided for."""

    id: Annotated[str, Field(description="1 to 24 of a-z 0-9 -")]
    text: Annotated[str, Field(description="one line")]


class OpeningTurn(Strict):
    """What you hold, before anybody else is heard."""

    facts: Annotated[list[Fact], Field(description="at most 3, what only you hold; [] for none")]
    remark: Annotated[str, Field(description='anything else in a sentence or two, or ""')]


class PositionTurn(Strict):
    """Your position, before anybody else is heard."""

    option: Annotated[str, Field(description='id of the listed option you propose, or ""')]
    new_option: Annotated[
        str, Field(description='one line, only where new options are open, or ""')
    ]
    facts: Annotated[list[Fact], Field(description="at most 3; [] for none")]
    reason: Annotated[str, Field(description="why, in a sentence or two")]


StanceT = TypeVar("StanceT", bound=str)


class DeliberateUnasked(Strict, Generic[StanceT], title="DeliberateTurn"):
    """One turn on the floor."""

    stance: StanceT
    option: Annotated[str, Field(description='id of a listed option, or ""')]
    target: Annotated[int, Field(description="message you object to, 0 for none")]
    cites: Cites
    reason: Annotated[str, Field(description="why, in a sentence or two")]
    facts: Annotated[list[Fact], Field(description="at most 3 others may cite; [] for none")]
    remark: Annotated[str, Field(description='anything else, or ""')]


class DeliberateTurn(DeliberateUnasked[StanceT], Generic[StanceT], title="DeliberateTurn"):
    """One turn on the floor."""

    ask: Ask


class CommitTurn(Strict):
    """Your word on the option the members agree on."""

    agree: bool
    cites: Cites
    facts: Annotated[list[Fact], Field(description="at most 2, the last chance; [] for none")]
    answer: Annotated[str, Field(description="to the person, at most 1500 characters")]
    open_points: Annotated[str, Field(description='what stays open, or ""')]
    reason: Annotated[str, Field(description="why, in a sentence or two")]


class AnswerUnasked(Strict, title="AnswerTurn"):
    """Your answer."""

    known: Known
    answer: Annotated[str, Field(description="to the reader, at most 1500 characters")]
    cites: Annotated[
        list[int],
        Field(description="at most 4 message numbers you rely on; 0 is your own brief"),
    ]
    used_memories: Annotated[list[str], Field(description="ids of the memories you used")]


class AnswerTurn(AnswerUnasked):
    """Your answer."""

    ask: Ask


class ConsultTurn(Strict):
    """Whom to ask before the desk decides."""

    asks: Annotated[
        list[Ask],
        Field(description="questions whose answers could change the decision; [] for none"),
    ]


class FramingTurn(Strict):
    """What the desk can decide between."""

    options: Annotated[
        list[Option],
        Field(description="2 to 8 that exclude one another; [] if there is nothing to decide"),
    ]


_DELIBERATE: Final = MappingProxyType(
    {  # defer offered, refute offered, ask offered
        (True, True, True): DeliberateTurn[FullStance],
        (False, True, True): DeliberateTurn[NoDefer],
        (True, False, True): DeliberateTurn[NoRefute],
        (False, False, True): DeliberateTurn[Plain],
        (True, True, False): DeliberateUnasked[FullStance],
        (False, True, False): DeliberateUnasked[NoDefer],
        (True, False, False): DeliberateUnasked[NoRefute],
        (False, False, False): DeliberateUnasked[Plain],
    }
)

SCHEMAS: Final[tuple[type[Strict], ...]] = (
    OpeningTurn,
    PositionTurn,
    *_DELIBERATE.values(),
    CommitTurn,
    AnswerTurn,
    AnswerUnasked,
    ConsultTurn,
    FramingTurn,
)


def schema_for(request: TurnRequest) -> type[Strict]:
    """Give the schema of a situation, without what is not offered.

    Source: turns.md 3.
    """
    asking = bool(request.may_ask)
    match request.situation:
        case "opening" | "relay":
            return OpeningTurn
        case "position":
            return PositionTurn
        case "deliberate":
            return _DELIBERATE[request.defer, request.refute, asking]
        case "commit":
            return CommitTurn
        case "answer":
            return AnswerTurn if asking else AnswerUnasked
        case "consult":
            return ConsultTurn
        case "framing":
            return FramingTurn


def to_reply(filled: Strict) -> replies.Reply:
    """Make the record of a filled schema; what was not offered becomes "none".

    Raises:
        TypeError: `filled` is no turn.
    """
    match filled:
        case OpeningTurn():
            return replies.OpeningTurn(_facts(filled.facts), filled.remark)
        case PositionTurn():
            return replies.PositionTurn(
                filled.option, filled.new_option, _facts(filled.facts), filled.reason
            )
        case DeliberateUnasked():
            return replies.DeliberateTurn(
                stance=replies.Stance(filled.stance),
                option=filled.option,
                target=filled.target,
                cites=tuple(filled.cites),
                reason=filled.reason,
                facts=_facts(filled.facts),
                remark=filled.remark,
                ask=_ask(filled.ask) if isinstance(filled, DeliberateTurn) else replies.NO_ASK,
            )
        case CommitTurn():
            return replies.CommitTurn(
                agree=filled.agree,
                cites=tuple(filled.cites),
                facts=_facts(filled.facts),
                answer=filled.answer,
                open_points=filled.open_points,
                reason=filled.reason,
            )
        case AnswerUnasked():
            return replies.AnswerTurn(
                known=replies.Known(filled.known),
                answer=filled.answer,
                cites=tuple(filled.cites),
                used_memories=tuple(filled.used_memories),
                ask=_ask(filled.ask) if isinstance(filled, AnswerTurn) else replies.NO_ASK,
            )
        case ConsultTurn():
            return replies.ConsultTurn(tuple(_ask(ask) for ask in filled.asks))
        case FramingTurn():
            return replies.FramingTurn(
                tuple(replies.Option(option.id, option.text) for option in filled.options)
            )
        case _:
            message = f"{type(filled).__name__} is no turn"
            raise TypeError(message)


def from_reply(reply: replies.Reply, schema: type[Strict]) -> Strict:
    """Fill a schema from a record of the same turn; what the schema lacks is left out.

    Raises:
        pydantic.ValidationError: The schema is another turn's, or does not offer the move.
    """
    values = asdict(reply)
    return schema.model_validate({name: values.get(name) for name in schema.model_fields})


def _facts(facts: list[Fact]) -> tuple[replies.Fact, ...]:
    return tuple(
        replies.Fact(
            option=fact.option,
            bearing=replies.Bearing(fact.bearing),
            strength=fact.strength,
            text=fact.text,
            rests_on=fact.rests_on,
        )
        for fact in facts
    )


def _ask(ask: Ask) -> replies.Ask:
    return replies.Ask(ask.desk, ask.question)
