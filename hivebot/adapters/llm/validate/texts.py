"""Are the texts of a reply short enough, its questions askable, and is there anything in it?

Source: turns.md 3, the last rows of the table.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from hivebot.adapters.llm.reply import NOTHING
from hivebot.adapters.llm.reply.shown import shown
from hivebot.adapters.llm.text import shortened
from hivebot.adapters.llm.validate.finding import Case, Finding
from hivebot.hive.scalars import is_blank
from hivebot.services.records.replies import (
    NO_ASK,
    AnswerTurn,
    Ask,
    CommitTurn,
    ConsultTurn,
    DeliberateTurn,
    Fact,
    FramingTurn,
    Known,
    OpeningTurn,
    PositionTurn,
    Reply,
)

_FACTS_MAX: Final = 3
_LAST_FACTS_MAX: Final = 2


def lengths(case: Case, reply: Reply) -> Finding:
    """Cut texts at a sentence, lists at their bound; strengths are brought into 1 to 5."""
    limits = case.limits
    mended: Reply
    match reply:
        case OpeningTurn():
            mended = OpeningTurn(_facts(case, reply.facts), shortened(reply.remark, limits.remark))
        case PositionTurn():
            mended = replace(
                reply,
                facts=_facts(case, reply.facts),
                reason=shortened(reply.reason, limits.reason),
                new_option=shortened(reply.new_option, limits.option),
            )
        case DeliberateTurn():
            mended = replace(
                reply,
                facts=_facts(case, reply.facts),
                reason=shortened(reply.reason, limits.reason),
                remark=shortened(reply.remark, limits.remark),
                ask=_ask(case, reply.ask),
            )
        case CommitTurn():
            mended = replace(
                reply,
                facts=_facts(case, reply.facts, _LAST_FACTS_MAX),
                answer=shortened(reply.answer, limits.answer),
                open_points=shortened(reply.open_points, limits.remark),
                reason=shortened(reply.reason, limits.reason),
            )
        case AnswerTurn():
            answer = shortened(reply.answer, limits.answer)
            mended = replace(reply, answer=answer, ask=_ask(case, reply.ask))
        case ConsultTurn():
            mended = ConsultTurn(tuple(_ask(case, ask) for ask in reply.asks))
        case FramingTurn():
            mended = reply
    return Finding(mended, _too_long(case) if mended != reply else "")


def askable(case: Case, reply: Reply) -> Finding:
    """Drop questions to a desk that is not listed, to the own desk, empty ones and second ones."""
    match reply:
        case DeliberateTurn() | AnswerTurn():
            ask = _listed(case, reply.ask)
            if ask == reply.ask:
                return Finding(reply)
            if not reply.ask.desk.strip():
                return Finding(replace(reply, ask=NO_ASK))
            dropped = () if ask.desk else (reply.ask,)
            return _unasked(case, replace(reply, ask=ask), dropped)
        case ConsultTurn():
            return _consulted(case, reply)
        case _:
            return Finding(reply)


def something(_case: Case, reply: Reply) -> Finding:
    """Ask again for a reply that holds nothing where something is called for.

    An opening may hold nothing, a question may need no other desk and offer no options, and not to
    know is an answer.
    """
    match reply:
        case OpeningTurn() | ConsultTurn() | FramingTurn():
            return Finding(reply)
        case AnswerTurn() if reply.known is Known.UNKNOWN or reply.ask.desk:
            return Finding(reply)
        case _:
            fault = "" if holds_something(_case, reply) else "Your reply is empty. Say something."
            return Finding(reply, fault)


def holds_something(case: Case, reply: Reply) -> bool:
    """Say whether anything of a reply would be shown or asked."""
    if isinstance(reply, AnswerTurn | DeliberateTurn) and reply.ask.desk:
        return True
    if isinstance(reply, CommitTurn) and reply.agree:
        return not is_blank(reply.answer)
    return not is_blank(shown(case.request, reply)) and shown(case.request, reply) != NOTHING


def _facts(case: Case, facts: tuple[Fact, ...], most: int = _FACTS_MAX) -> tuple[Fact, ...]:
    kept = [fact for fact in facts if not is_blank(fact.text)]
    return tuple(
        replace(
            fact,
            text=shortened(fact.text, case.limits.fact),
            strength=max(1, min(fact.strength, 5)),
        )
        for fact in kept[:most]
    )


def _ask(case: Case, ask: Ask) -> Ask:
    return replace(ask, question=shortened(ask.question, case.limits.question))


def _listed(case: Case, ask: Ask) -> Ask:
    """Give the question with the id of the desk meant, NO_ASK where it cannot be put."""
    named = ask.desk.strip().removeprefix("@").removeprefix("#").lower()
    if not named or is_blank(ask.question):
        return NO_ASK
    for desk in case.request.may_ask:
        if named in {desk.id.lower(), desk.name.lower()} and desk.id != case.request.desk_id:
            return replace(ask, desk=desk.id)
    return NO_ASK


def _consulted(case: Case, reply: ConsultTurn) -> Finding:
    asks: dict[str, Ask] = {}
    dropped: list[Ask] = []
    for ask in reply.asks:
        found = _listed(case, ask)
        if not found.desk or found.desk in asks or len(asks) >= case.request.max_asks:
            dropped.append(ask)
        else:
            asks[found.desk] = found
    mended = ConsultTurn(tuple(asks.values()))
    return Finding(reply) if mended == reply else _unasked(case, mended, tuple(dropped))


def _unasked(case: Case, mended: Reply, dropped: tuple[Ask, ...]) -> Finding:
    desks = ", ".join(desk.id for desk in case.request.may_ask) or "none"
    fault = f"`desk` is one of these, each at most once and with a question: {desks}."
    notes = (f"A question to {ask.desk.strip() or 'no desk'} was not asked." for ask in dropped)
    return Finding(mended, fault, notes=tuple(notes))


def _too_long(case: Case) -> str:
    limits = case.limits
    return (
        f"Something is too long. Characters at most: fact {limits.fact}, reason {limits.reason}, "
        f"remark {limits.remark}, answer {limits.answer}, question {limits.question}. Facts at "
        f"most: {_FACTS_MAX} ({_LAST_FACTS_MAX} with a commitment), none empty, strength 1 to 5."
    )
