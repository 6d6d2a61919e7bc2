"""Does a reply name only messages it can see, and does it cite where it has to?

Source: turns.md 3, the first two rows of the table.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final, TypeGuard

from hivebot.adapters.llm.validate.finding import Case, Finding, lost
from hivebot.services.records.replies import (
    AnswerTurn,
    CommitTurn,
    DeliberateTurn,
    Fact,
    OpeningTurn,
    PositionTurn,
    Reply,
    Stance,
)

_CITES_MAX: Final = 4
_ROW: Final = re.compile(r"\[(\d+)\]")
_CITING: Final = frozenset({Stance.SUPPORT, Stance.OBJECT, Stance.REFUTE})


def visible_numbers(case: Case, reply: Reply) -> Finding:
    """Drop numbers not visible or in the future, the own target again, and memories not shown."""
    reply = _once(reply)
    match reply:
        case DeliberateTurn():
            return _floor(case, reply)
        case CommitTurn():
            cites = _cites(case, reply.cites, own=bool(reply.facts))
            mended = replace(reply, cites=cites, facts=_facts(case, reply.facts))
            return _found(case, mended, reply)
        case AnswerTurn():
            shown = {memory.id for memory in case.request.memories}
            used = tuple(name for name in dict.fromkeys(reply.used_memories) if name in shown)
            cites = _cites(case, reply.cites, own=True)
            return _found(case, replace(reply, cites=cites, used_memories=used), reply)
        case OpeningTurn() | PositionTurn():
            return _found(case, replace(reply, facts=_facts(case, reply.facts)), reply)
        case _:
            return Finding(reply)


def citations(case: Case, reply: Reply) -> Finding:
    """Give a support, objection, refutation or commitment the citation it cannot do without."""
    if not _must_cite(reply) or reply.cites:
        return Finding(reply)
    kind = reply.stance.value if isinstance(reply, DeliberateTurn) else "commitment"
    fault = f"A {kind} cites at least one message in `cites`. You see: {case.numbers()}."
    if reply.facts:
        return Finding(replace(reply, cites=(0,)), fault)
    if isinstance(reply, CommitTurn) and reply.agree and case.request.floor is not None:
        proposal = case.sight.proposal(case.request.floor.topic)
        if proposal is not None:
            return Finding(replace(reply, cites=(proposal.sequence,)), fault)
    return lost(reply, fault)


def _must_cite(reply: Reply) -> TypeGuard[DeliberateTurn | CommitTurn]:
    match reply:
        case DeliberateTurn():
            return reply.stance in _CITING
        case CommitTurn():
            return True
        case _:
            return False


def _floor(case: Case, reply: DeliberateTurn) -> Finding:
    objects = reply.stance is Stance.OBJECT
    target = reply.target if objects and case.sight.sees(reply.target) else 0
    cites = tuple(
        cite
        for cite in _cites(case, reply.cites, own=bool(reply.facts))
        if not target or cite != target
    )
    mended = replace(reply, target=target, cites=cites, facts=_facts(case, reply.facts))
    return _found(case, mended, reply if objects else replace(reply, target=0))


def _once(reply: Reply) -> Reply:
    """Drop repeated citations; they say nothing more, so nobody is asked again for them."""
    match reply:
        case DeliberateTurn() | CommitTurn() | AnswerTurn():
            return replace(reply, cites=tuple(dict.fromkeys(reply.cites)))
        case _:
            return reply


def _cites(case: Case, cites: tuple[int, ...], *, own: bool) -> tuple[int, ...]:
    """Keep what may be cited, the first four. A 0 is this message, or the brief."""
    kept = (cite for cite in cites if case.sight.sees(cite) or (own and cite == 0))
    return tuple(kept)[:_CITES_MAX]


def _facts(case: Case, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    return tuple(
        replace(fact, rests_on="") if _rests_on_nothing(case, fact.rests_on) else fact
        for fact in facts
    )


def _rests_on_nothing(case: Case, rests_on: str) -> bool:
    found = _ROW.fullmatch(rests_on.strip())
    return found is not None and not case.sight.sees(int(found[1]))


def _found(case: Case, mended: Reply, reply: Reply) -> Finding:
    if mended == reply:
        return Finding(reply)
    fault = (
        f"Name only messages you see, at most {_CITES_MAX}, and never the one you "
        f"object to: {case.numbers()}. 0 needs a fact in this message."
    )
    return Finding(mended, fault)
