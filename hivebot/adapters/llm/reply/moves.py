"""Which marker lines does a reply come to? Slots first, free text last and inert."""

from __future__ import annotations

from collections.abc import Iterable

from hivebot.adapters.llm.evidence import evidence_line
from hivebot.adapters.llm.sight import Sight, sight_of
from hivebot.adapters.llm.text import inert
from hivebot.hive.options import slug
from hivebot.hive.trace import Trace
from hivebot.services.records.asking import TurnRequest
from hivebot.services.records.replies import (
    CommitTurn,
    DeliberateTurn,
    OpeningTurn,
    PositionTurn,
    Reply,
    Stance,
)


def evidence_lines(reply: Reply) -> tuple[str, ...]:
    """Write a line for each fact of the reply."""
    match reply:
        case OpeningTurn() | PositionTurn() | DeliberateTurn() | CommitTurn():
            return tuple(evidence_line(fact) for fact in reply.facts)
        case _:
            return ()


def stance_line(request: TurnRequest, reply: Reply, sequence: int) -> str:
    """Write the line of the stance, "" for none.

    Args:
        request: What the turn was asked; names the option a quorum stands on.
        reply: Checked before: options are listed, numbers visible.
        sequence: Number of the row to be; a citation of 0 means it.
    """
    match reply:
        case PositionTurn():
            option = position_option(request, reply)
            return _line("propose", option, 0, (), reply.reason) if option else ""
        case DeliberateTurn():
            return _stance(reply, sequence)
        case CommitTurn():
            return _commitment(request, reply, sequence)
        case _:
            return ""


def position_option(request: TurnRequest, reply: PositionTurn) -> str:
    """Give the option a position is for: the one chosen, else the id of the new one, else "".

    Source: turns.md 1, step 3.
    """
    if reply.option or not request.options_open:
        return reply.option
    return slug(reply.new_option)


def objected(sight: Sight, request: TurnRequest) -> Trace | None:
    """Give the advocacy of the quorum's option that a disagreement is aimed at.

    The newest one by another that still counts: to object twice to one who is silenced already
    would move nothing.

    Source: turns.md 3, rendering, step 2.
    """
    if request.floor is None:
        return None
    topic = request.floor.topic
    found = sight.advocacies(topic, but=request.agent.id)
    heard = next((line.supporters for line in request.floor.standings if line.option == topic), ())
    standing = [trace for trace in found if trace.agent_id in heard]
    return standing[-1] if standing else None


def _stance(reply: DeliberateTurn, sequence: int) -> str:
    # an option that is new on an open floor is still its text; ids are their own slugs
    if reply.stance is Stance.NONE:
        return ""
    target = reply.target if reply.stance is Stance.OBJECT else 0
    cites = _numbers(reply.cites, sequence)
    return _line(reply.stance, slug(reply.option), target, cites, reply.reason)


def _commitment(request: TurnRequest, reply: CommitTurn, sequence: int) -> str:
    cites = _numbers(reply.cites, sequence)
    if reply.agree:
        topic = request.floor.topic if request.floor is not None else ""
        return _line("commit", topic, 0, cites, reply.reason)
    target = objected(sight_of(request), request)
    if target is None or not cites:
        return ""
    return _line("object", "", target.sequence, cites, reply.reason)


def _numbers(cites: Iterable[int], sequence: int) -> tuple[int, ...]:
    return tuple(dict.fromkeys(cite or sequence for cite in cites))


def _line(kind: str, option: str, target: int, cites: Iterable[int], reason: str) -> str:
    slots = [f"#{option}"] if option else []
    if target:
        slots.append(f">{target}")
    slots.extend(f"^{cite}" for cite in cites)
    return " ".join([f"!{kind}", *slots, *([inert(reason)] if inert(reason) else [])])
