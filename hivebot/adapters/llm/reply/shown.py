"""What do people read of a reply? Prose and one line of context, made from the structure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from hivebot.adapters.llm.reply.moves import objected, position_option
from hivebot.adapters.llm.sight import Sight, name_of, sight_of
from hivebot.adapters.llm.text import plain
from hivebot.hive.scalars import trim
from hivebot.services.records.asking import TurnRequest
from hivebot.services.records.replies import (
    AnswerTurn,
    Bearing,
    CommitTurn,
    ConsultTurn,
    DeliberateTurn,
    Fact,
    FramingTurn,
    Known,
    OpeningTurn,
    PositionTurn,
    Reply,
    Stance,
)

UNKNOWN: Final = "I do not know."

_BEARINGS: Final = {Bearing.FOR: "For", Bearing.AGAINST: "Against", Bearing.NEUTRAL: "On"}
_VERBS: Final = {
    Stance.PROPOSE: "proposes",
    Stance.SUPPORT: "supports",
    Stance.REFUTE: "argues against",
    Stance.DEFER: "leaves to those who know more:",
    Stance.QUESTION: "asks about",
}


def shown(request: TurnRequest, reply: Reply) -> str:
    """Say what people read; "" when the reply holds nothing.

    Source: turns.md 3 (`text` for people) and 6.
    """
    match reply:
        case OpeningTurn():
            return _paragraphs(_facts(reply.facts), reply.remark)
        case PositionTurn():
            return _paragraphs(reply.reason, _facts(reply.facts), _position(request, reply))
        case DeliberateTurn():
            return _paragraphs(
                reply.reason, _facts(reply.facts), reply.remark, _floor(request, reply)
            )
        case CommitTurn():
            return _paragraphs(
                reply.reason,
                _facts(reply.facts),
                reply.answer,
                _labelled("Open", reply.open_points),
                _commitment(request, reply),
            )
        case AnswerTurn():
            return _answer(reply)
        case ConsultTurn():
            return _lines(f"{ask.desk}: {plain(ask.question)}" for ask in reply.asks)
        case FramingTurn():
            return _lines(f"{option.id}: {plain(option.text)}" for option in reply.options)


def _answer(reply: AnswerTurn) -> str:
    answer = trim(reply.answer)
    if reply.known is Known.UNKNOWN and not answer.startswith(UNKNOWN):
        return f"{UNKNOWN} {answer}".rstrip()
    return answer


def _position(request: TurnRequest, reply: PositionTurn) -> str:
    option = position_option(request, reply)
    return f"_proposes {option}_" if option else ""


def _floor(request: TurnRequest, reply: DeliberateTurn) -> str:
    sight = sight_of(request)
    grounds = _grounds(sight, reply.cites)
    if reply.stance is Stance.OBJECT:
        return _objection(sight, reply.target, grounds)
    verb = _VERBS.get(reply.stance)
    if verb is None or not reply.option:
        return ""
    return f"_{verb} {plain(reply.option)}{grounds}_"


def _commitment(request: TurnRequest, reply: CommitTurn) -> str:
    sight = sight_of(request)
    grounds = _grounds(sight, reply.cites)
    if reply.agree:
        topic = request.floor.topic if request.floor is not None else ""
        return f"_agrees on {topic}{grounds}_"
    target = objected(sight, request)
    if target is None or not reply.cites:
        return ""
    return _objection(sight, target.sequence, grounds)


def _objection(sight: Sight, target: int, grounds: str) -> str:
    row = sight.by_number.get(target)
    return f"_objects to {name_of(row.message.author)}{grounds}_" if row is not None else ""


def _grounds(sight: Sight, cites: Iterable[int]) -> str:
    """Say in names why: ", because of Anna's and Dora's facts"."""
    stating = {fact.sequence for fact in sight.stated}
    facts: dict[str, None] = {}
    words: dict[str, None] = {}
    for cite in cites:
        row = sight.by_number.get(cite)
        if cite == 0:
            facts["its own"] = None
        elif row is not None and cite in stating:
            facts[f"{name_of(row.message.author)}'s"] = None
        elif row is not None:
            words[name_of(row.message.author)] = None
    reasons = [f"{_listed(tuple(facts))} facts"] if facts else []
    if words:
        reasons.append(f"what {_listed(tuple(words))} said")
    return f", because of {_listed(reasons)}" if reasons else ""


def _facts(facts: Sequence[Fact]) -> str:
    said = [_fact(fact) for fact in facts]
    return said[0] if len(said) == 1 else _lines(said)


def _fact(fact: Fact) -> str:
    text = plain(fact.text)
    return f"{_BEARINGS[fact.bearing]} {plain(fact.option)}: {text}" if fact.option else text


def _labelled(label: str, text: str) -> str:
    return f"{label}: {trim(text)}" if trim(text) else ""


def _lines(texts: Iterable[str]) -> str:
    return "\n".join(f"- {text}" for text in texts)


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(trimmed for part in parts if (trimmed := trim(part)))
