"""Which option does a turn add, and what becomes of a turn whose option cannot be added?

Pure. Source: turns.md 1, step 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from hivebot.hive.options import NoOptionReason, Option, minted, slug
from hivebot.services.records.asking import TurnReply, TurnRequest
from hivebot.services.records.replies import (
    DeliberateTurn,
    Fact,
    PositionTurn,
    Reply,
    Shape,
    Stance,
)


@dataclass(frozen=True, slots=True)
class Settled:
    """A reply once it is clear what its option is.

    Attributes:
        kept: What the turn consists of; an added option stands there by its id.
        said: What its row is rendered from; a move on an option that was refused is prose.
        option: The option to add, or None.
    """

    kept: TurnReply
    said: Reply
    option: Option | None = None


def settle(options: Iterable[Option], request: TurnRequest, reply: TurnReply) -> Settled:
    """Mint the option a reply adds.

    Members that do not see one another may think of the same option, which is one then, or of more
    than there may be, which are refused.

    Args:
        options: The episode's, as they are when the turn is committed.
        request: What the turn was asked.
        reply: Its answer, validated.
    """
    words = _added(request, reply.reply)
    if not words:
        return Settled(reply, reply.reply)
    found = minted(options, words)
    if isinstance(found, Option) or found is NoOptionReason.SAME:
        kept = replace(reply, reply=_named(reply.reply, words, slug(words)))
        return Settled(kept, reply.reply, found if isinstance(found, Option) else None)
    prose = _named(reply.reply, words, "")
    return Settled(replace(reply, reply=prose, shape=Shape.UNCOUNTED), prose)


def _added(request: TurnRequest, reply: Reply) -> str:
    """Give the words of the option that a reply adds, "" for none."""
    if not request.options_open:
        return ""
    match reply:
        case PositionTurn(option="", new_option=words):
            return words
        case DeliberateTurn(stance=Stance.PROPOSE, option=words):
            return "" if any(words == option.id for option in request.options) else words
        case _:
            return ""


def _named(reply: Reply, words: str, option_id: str) -> Reply:
    """Put the id in place of the words; with "" the move becomes prose.

    A position keeps the words, so that it can be seen to have added the option.
    """
    match reply:
        case PositionTurn():
            return replace(
                reply,
                option=option_id,
                new_option=words if option_id else "",
                facts=_facts(reply.facts, words, option_id),
            )
        case DeliberateTurn():
            named = replace(reply, option=option_id, facts=_facts(reply.facts, words, option_id))
            return named if option_id else replace(named, stance=Stance.NONE, cites=())
        case _:  # pragma: no cover - only these two add options
            return reply


def _facts(facts: tuple[Fact, ...], words: str, option_id: str) -> tuple[Fact, ...]:
    return tuple(
        replace(fact, option=option_id) if slug(fact.option) == slug(words) else fact
        for fact in facts
    )
