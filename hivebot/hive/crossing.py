"""May this question cross from one desk to another? Audiences, lists and the asking person."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Audience(StrEnum):
    """Who can read a conversation, narrowest first; shared channels stand apart."""

    DM = "dm"
    PRIVATE = "private"
    PUBLIC = "public"
    SHARED = "shared"


_BREADTH = (Audience.DM, Audience.PRIVATE, Audience.PUBLIC, Audience.SHARED)


class ReachKind(StrEnum):
    """With whom a desk exchanges questions."""

    NONE = "none"
    ANY = "any"
    DESKS = "desks"
    GATE = "gate"


@dataclass(frozen=True, slots=True)
class Reach:
    """A desk's `asks` or `answers`: none, any public internal desk, a list of desks, or a gate."""

    kind: ReachKind
    desks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswersTo:
    """Whose questions a desk takes beside full members of the workspace.

    Attributes:
        people: User ids that may ask although they are guests or strangers.
    """

    guests: bool = False
    strangers: bool = False
    deactivated: bool = False
    people: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Asker:
    """The person whose question it is, as Slack describes them at the moment of the act."""

    user_id: str
    guest: bool = False
    stranger: bool = False
    deactivated: bool = False


@dataclass(frozen=True, slots=True)
class DeskEnd:
    """One end of a crossing.

    Attributes:
        reach: `asks` at the asking end, `answers` at the answering end.
        paused: The desk takes part in nothing at the moment.
    """

    desk_id: str
    audience: Audience
    reach: Reach
    paused: bool = False


@dataclass(frozen=True, slots=True)
class CrossingInput:
    """What the decision reads.

    Attributes:
        origin: The asking end.
        target: The answering end.
        asker: The asking person; None when nobody is known, which is refused.
        answers_to: Whose questions the answering desk takes.
        wider_allowed: The asking desk says `asks_wider: allow`.
        visited: Desk ids this question has been on, the asking one included.
        asked_within_hour: Questions of this pair of desks in the last hour.
        per_hour: Their bound.
        granted: Needs of a gate that a steward has met.
    """

    origin: DeskEnd
    target: DeskEnd
    asker: Asker | None
    answers_to: AnswersTo
    wider_allowed: bool
    visited: tuple[str, ...]
    asked_within_hour: int
    per_hour: int
    granted: frozenset[NoCrossingReason] = frozenset()


class NoCrossingReason(StrEnum):
    """Why a question stays where it was asked; the operator's record."""

    ORIGIN_PAUSED = "origin_paused"
    TARGET_PAUSED = "target_paused"
    ASKER_UNKNOWN = "asker_unknown"
    ASKER_DEACTIVATED = "asker_deactivated"
    ASKER_STRANGER = "asker_stranger"
    ASKER_GUEST = "asker_guest"
    RING = "ring"
    ASKS_NEEDS_GATE = "asks_needs_gate"
    ASKS_NOT_ALLOWED = "asks_not_allowed"
    ANSWERS_NEEDS_GATE = "answers_needs_gate"
    ANSWERS_NOT_ALLOWED = "answers_not_allowed"
    WIDER_NEEDS_GATE = "wider_needs_gate"
    TOO_MANY_PER_HOUR = "too_many_per_hour"


def may_ask(asker: Asker, answers_to: AnswersTo) -> NoCrossingReason | None:
    """Say why a desk does not take this person's questions, or None when it does.

    1. A deactivated person, unless the desk says otherwise.
    2. A named person may.
    3. A stranger, then a guest, unless the desk says otherwise.

    Source: rights.md 1 and 2.
    """
    if asker.deactivated and not answers_to.deactivated:
        return NoCrossingReason.ASKER_DEACTIVATED
    if asker.user_id in answers_to.people:
        return None
    if asker.stranger and not answers_to.strangers:
        return NoCrossingReason.ASKER_STRANGER
    if asker.guest and not answers_to.guests:
        return NoCrossingReason.ASKER_GUEST
    return None


def is_wider(origin: Audience, target: Audience) -> bool:
    """Say whether a crossing reaches people the question was not said to.

    Source: rights.md 2.
    """
    if target is Audience.SHARED:
        return True
    return _BREADTH.index(origin) < _BREADTH.index(target)


def may_cross(crossing: CrossingInput) -> NoCrossingReason | None:
    """Say why this question may not cross, or None when both ends allow it.

    1. Either desk is paused.
    2. The asking person is unknown, or the answering desk does not take their questions.
    3. The question has been on the target desk before.
    4. The asking desk's list does not allow the target.
    5. The answering desk's list does not allow the origin.
    6. The audience would widen and nobody has allowed that.
    7. The pair has used up its questions of this hour.

    A private or shared desk is allowed only by lists that name the other end, at both ends.

    Source: rights.md 2, product.md 5.
    """
    return (
        _paused(crossing)
        or _refused_person(crossing)
        or _ring(crossing)
        or may_exchange(crossing.origin, crossing.target, crossing.granted)
        or _bounds(crossing)
    )


NEEDS_GATE = frozenset(
    {
        NoCrossingReason.ASKS_NEEDS_GATE,
        NoCrossingReason.ANSWERS_NEEDS_GATE,
        NoCrossingReason.WIDER_NEEDS_GATE,
    }
)


def may_exchange(
    origin: DeskEnd, target: DeskEnd, granted: frozenset[NoCrossingReason] = frozenset()
) -> NoCrossingReason | None:
    """Say why these two desks do not exchange questions, or None when both lists allow it.

    `granted`: needs of a gate that a steward has met.

    Rungs 4 and 5 of `may_cross`; asked again when an answer comes home, since a permission that was
    taken away meanwhile takes hold at once.

    Source: rights.md 2, turns.md 6.
    """
    internal = origin.audience is Audience.PUBLIC and target.audience is Audience.PUBLIC
    if origin.reach.kind is ReachKind.GATE:
        if NoCrossingReason.ASKS_NEEDS_GATE not in granted:
            return NoCrossingReason.ASKS_NEEDS_GATE
    elif not _allows(origin.reach, target.desk_id, internal=internal):
        return NoCrossingReason.ASKS_NOT_ALLOWED
    if target.reach.kind is ReachKind.GATE:
        if NoCrossingReason.ANSWERS_NEEDS_GATE not in granted:
            return NoCrossingReason.ANSWERS_NEEDS_GATE
    elif not _allows(target.reach, origin.desk_id, internal=internal):
        return NoCrossingReason.ANSWERS_NOT_ALLOWED
    return None


def _paused(crossing: CrossingInput) -> NoCrossingReason | None:
    if crossing.origin.paused:
        return NoCrossingReason.ORIGIN_PAUSED
    return NoCrossingReason.TARGET_PAUSED if crossing.target.paused else None


def _refused_person(crossing: CrossingInput) -> NoCrossingReason | None:
    if crossing.asker is None:
        return NoCrossingReason.ASKER_UNKNOWN
    return may_ask(crossing.asker, crossing.answers_to)


def _ring(crossing: CrossingInput) -> NoCrossingReason | None:
    return NoCrossingReason.RING if crossing.target.desk_id in crossing.visited else None


def _allows(reach: Reach, desk_id: str, *, internal: bool) -> bool:
    if reach.kind is ReachKind.DESKS:
        return desk_id in reach.desks
    return reach.kind is ReachKind.ANY and internal


def _bounds(crossing: CrossingInput) -> NoCrossingReason | None:
    wider = is_wider(crossing.origin.audience, crossing.target.audience)
    allowed = crossing.wider_allowed or NoCrossingReason.WIDER_NEEDS_GATE in crossing.granted
    if wider and not allowed:
        return NoCrossingReason.WIDER_NEEDS_GATE
    if crossing.asked_within_hour >= crossing.per_hour:
        return NoCrossingReason.TOO_MANY_PER_HOUR
    return None
