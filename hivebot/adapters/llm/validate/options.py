"""Does a reply move something that is listed, or that stands on the floor?

Source: turns.md 3, rows three to five of the table; turns.md 1, step 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from hivebot.adapters.llm.reply.moves import objected
from hivebot.adapters.llm.text import shortened
from hivebot.adapters.llm.validate.finding import Case, Finding, lost
from hivebot.hive.options import OPTIONS_MAX, OPTIONS_MIN, Option, distinct, slug
from hivebot.services.records.replies import (
    CommitTurn,
    DeliberateTurn,
    Fact,
    FramingTurn,
    OpeningTurn,
    PositionTurn,
    Reply,
    Stance,
)

_NEEDS_OPTION: Final = frozenset({Stance.PROPOSE, Stance.SUPPORT})


def listed(options: Iterable[Option], named: str) -> str:
    """Give the id of the option that is meant, "" for none.

    An id, or an id or a text that is equal after slugging.
    """
    wanted = slug(named)
    for option in options:
        if option.id == named or (wanted and wanted in {option.id, slug(option.text)}):
            return option.id
    return ""


def listed_options(case: Case, reply: Reply) -> Finding:
    """Replace options by the ids they mean; a move on none that is listed is lost."""
    match reply:
        case OpeningTurn():
            return _found(case, replace(reply, facts=_facts(case, reply.facts)), reply)
        case CommitTurn():
            return _found(case, replace(reply, facts=_facts(case, reply.facts)), reply)
        case PositionTurn():
            facts = _facts(case, reply.facts, _new_position(case, reply))
            return _position(case, replace(reply, facts=facts), reply)
        case DeliberateTurn():
            new = slug(reply.option) if _is_new(case, reply) else ""
            return _floor(case, replace(reply, facts=_facts(case, reply.facts, new)), reply)
        case FramingTurn():
            return _framed(case, reply)
        case _:
            return Finding(reply)


def movable(case: Case, reply: Reply) -> Finding:
    """Lose a proposal or support of nothing, and an objection to what nobody else advocated."""
    match reply:
        case DeliberateTurn() if reply.stance in _NEEDS_OPTION and not reply.option:
            return lost(
                reply, f"A {reply.stance} needs one of these as `option`: {case.options()}."
            )
        case DeliberateTurn() if reply.stance is Stance.OBJECT:
            others = case.sight.advocacies(but=case.request.agent.id)
            numbers = dict.fromkeys(trace.sequence for trace in others)
            if reply.target in numbers:
                return Finding(reply)
            named = ", ".join(map(str, numbers)) or "none, so choose another stance"
            return lost(reply, f"`target` is another's proposal or support: {named}.")
        case CommitTurn() if not reply.agree and reply.cites:
            # the target is the host's to find, so the model has nothing to do better
            missing = objected(case.sight, case.request) is None
            return lost(reply, "") if missing else Finding(reply)
        case _:
            return Finding(reply)


def yielding(case: Case, reply: Reply) -> Finding:
    """Lose a deferral or refutation that is not offered, of nothing, or of oneself."""
    if not isinstance(reply, DeliberateTurn):
        return Finding(reply)
    if reply.stance is Stance.DEFER and not (reply.option and case.request.defer):
        return lost(reply, _unoffered(case, reply))
    if reply.stance is not Stance.REFUTE:
        return Finding(reply)
    if not (reply.option and case.request.refute):
        return lost(reply, _unoffered(case, reply))
    if case.sight.backs(case.request.agent.id, reply.option) and not reply.facts:
        return lost(reply, "To refute the option you backed yourself, state the fact in `facts`.")
    return Finding(reply)


def _unoffered(case: Case, reply: DeliberateTurn) -> str:
    offered = case.request.defer if reply.stance is Stance.DEFER else case.request.refute
    if not offered:
        return f"`{reply.stance}` is not offered here; choose another stance."
    return f"A {reply.stance} needs one of these as `option`: {case.options()}."


def _facts(case: Case, facts: tuple[Fact, ...], new: str = "") -> tuple[Fact, ...]:
    """Put facts on the options they mean; `new` is the slug of the one this turn adds."""
    return tuple(
        replace(fact, option=_meant(case, fact.option, new)) if fact.option else fact
        for fact in facts
    )


def _meant(case: Case, named: str, new: str) -> str:
    found = listed(case.request.options, named)
    # as in the stance, an option that is new is still its text
    return named if new and not found and slug(named) == new else found


def _new_position(case: Case, reply: PositionTurn) -> str:
    return slug(reply.new_option) if case.request.options_open and not reply.option else ""


def _position(case: Case, mended: PositionTurn, reply: PositionTurn) -> Finding:
    if reply.option:
        option = listed(case.request.options, reply.option)
        if not option:
            return lost(mended, _fault(case))
        return _found(case, replace(mended, option=option, new_option=""), reply)
    if not reply.new_option:
        return _found(case, mended, reply)
    existing = listed(case.request.options, reply.new_option)
    if existing:
        return _found(case, replace(mended, option=existing, new_option=""), reply)
    if not case.request.options_open or not slug(reply.new_option):
        return lost(mended, _fault(case))
    return _found(case, mended, reply)


def _floor(case: Case, mended: DeliberateTurn, reply: DeliberateTurn) -> Finding:
    if not reply.option:
        return _found(case, mended, reply)
    option = listed(case.request.options, reply.option)
    if not option and _is_new(case, reply):
        return _found(case, mended, reply)
    mended = replace(mended, option=option)
    if option or reply.stance in {Stance.NONE, Stance.OBJECT, Stance.QUESTION}:
        # these count without an option
        return _found(case, mended, reply)
    return lost(mended, _fault(case))


def _is_new(case: Case, reply: DeliberateTurn) -> bool:
    """Say whether a member that sees the floor adds an option, as its text; the host mints the id.

    Source: turns.md 1, step 3.
    """
    opened = case.request.options_open and reply.stance is Stance.PROPOSE
    return opened and bool(slug(reply.option)) and len(reply.option) <= case.limits.option


def _framed(case: Case, reply: FramingTurn) -> Finding:
    named = (
        Option(option.id if slug(option.id) else option.text, _short(case, option.text))
        for option in reply.options
    )
    kept = distinct(named)[:OPTIONS_MAX]
    mended = FramingTurn(kept if len(kept) >= OPTIONS_MIN else ())
    if mended == reply:
        return Finding(reply)
    fault = (
        f"Give {OPTIONS_MIN} to {OPTIONS_MAX} options, or none: each an `id` of its own of 1 to 24 "
        "of a-z 0-9 - and one line of text."
    )
    return Finding(mended, fault)


def _short(case: Case, text: str) -> str:
    return shortened(text, case.limits.option)


def _found(case: Case, mended: Reply, reply: Reply) -> Finding:
    return Finding(mended, _fault(case) if mended != reply else "")


def _fault(case: Case) -> str:
    return f"`option` is one of these, by its id: {case.options()}."
