"""Which text is committed for a reply: marker lines, prose, and the one question to a desk?"""

from __future__ import annotations

from collections.abc import Iterable

from hivebot.adapters.llm.reply.moves import evidence_lines, stance_line
from hivebot.adapters.llm.reply.shown import UNKNOWN, shown
from hivebot.adapters.llm.text import inert, prose, uncoded
from hivebot.hive.mention.code import code_ranges
from hivebot.hive.scalars import byte_length, utf8
from hivebot.services.records.asking import RenderedTurn, TurnRequest
from hivebot.services.records.replies import (
    NO_ASK,
    NOTHING,
    AnswerTurn,
    Ask,
    CommitTurn,
    ConsultTurn,
    DeliberateTurn,
    FramingTurn,
    Known,
    OpeningTurn,
    PositionTurn,
    Reply,
)


def render(request: TurnRequest, reply: Reply, sequence: int) -> RenderedTurn:
    """Make the committed row of a reply that was checked before.

    The text is: one line for each fact, the stance, a blank line, prose, and last the question to
    another desk, whose mention is the only one of the row. Of a ConsultTurn only the first
    question is mentioned; render one turn for each question where each needs a row of its own.

    Args:
        request: What the turn was asked.
        reply: Its answer; options are listed, numbers visible.
        sequence: Number of the row to be, above 0.

    Source: turns.md 3 and 4.
    """
    facts, stance = evidence_lines(reply), stance_line(request, reply, sequence)
    moves = "\n".join(line for line in (*facts, stance) if line)
    unsaid = "" if stance else _reason(reply)
    spoken = [prose(part) for part in (unsaid, *_prose(reply))]
    body = "\n\n".join(part for part in (moves, *spoken) if part)
    content, ask = _with_ask(body, _ask_of(reply))
    return RenderedTurn(
        content=content or NOTHING,
        shown=shown(request, reply) or NOTHING,
        ask=ask,
        sources=_sources(reply),
        open_points=reply.open_points if isinstance(reply, CommitTurn) else "",
    )


def _reason(reply: Reply) -> str:
    """Give what stands behind the stance; without one it is prose like any other."""
    match reply:
        case PositionTurn() | DeliberateTurn() | CommitTurn():
            return reply.reason
        case _:
            return ""


def _prose(reply: Reply) -> tuple[str, ...]:
    match reply:
        case OpeningTurn() | DeliberateTurn():
            return (reply.remark,)
        case PositionTurn():
            return ()
        case CommitTurn():
            return (reply.answer, reply.open_points)
        case AnswerTurn():
            silent = reply.known is Known.UNKNOWN and not reply.answer.strip()
            return (UNKNOWN if silent else reply.answer,)
        case ConsultTurn():
            return tuple(_asking(ask) for ask in reply.asks[1:])
        case FramingTurn():
            return ("\n".join(f"{option.id}: {inert(option.text)}" for option in reply.options),)


def _ask_of(reply: Reply) -> Ask:
    match reply:
        case DeliberateTurn() | AnswerTurn():
            return reply.ask
        case ConsultTurn():
            return reply.asks[0] if reply.asks else NO_ASK
        case _:
            return NO_ASK


def _with_ask(body: str, ask: Ask) -> tuple[str, tuple[str, int] | None]:
    """Put the question last, where its mention is read as one: outside of code."""
    if not ask.desk:
        return body, None
    mention = f"@#{ask.desk}"
    question = prose(ask.question)
    for before, after in ((body, question), (body, uncoded(question))):
        content, offset = _joined(before, f"{mention} {after}")
        if not code_ranges(utf8(content)).holds(offset):
            return content, (mention, offset)
    content, offset = _joined(uncoded(body), f"{mention} {uncoded(question)}")
    return content, (mention, offset)


def _joined(body: str, question: str) -> tuple[str, int]:
    start = f"{body}\n\n" if body else ""
    return start + question, byte_length(start)


def _asking(ask: Ask) -> str:
    return f"{ask.desk}: {inert(ask.question)}"


def _sources(reply: Reply) -> tuple[str, ...]:
    """Name what the reply rests on, each once, in order; a citation of 0 is the brief."""
    match reply:
        case OpeningTurn() | PositionTurn():
            return _distinct(fact.rests_on for fact in reply.facts)
        case DeliberateTurn() | CommitTurn():
            cited = [f"[{cite}]" for cite in reply.cites if cite]
            return _distinct([*(fact.rests_on for fact in reply.facts), *cited])
        case AnswerTurn():
            cited = [f"[{cite}]" if cite else "brief" for cite in reply.cites]
            return _distinct([*cited, *(f"memory {name}" for name in reply.used_memories)])
        case _:
            return ()


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(inert(name) for name in names if inert(name)))
