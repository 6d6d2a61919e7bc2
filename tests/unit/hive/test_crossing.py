"""May this question cross from one desk to another?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.hive.crossing import (
    AnswersTo,
    Asker,
    Audience,
    CrossingInput,
    DeskEnd,
    NoCrossingReason,
    Reach,
    ReachKind,
    is_wider,
    may_ask,
    may_cross,
)

ANY = Reach(ReachKind.ANY)
NONE = Reach(ReachKind.NONE)
GATE = Reach(ReachKind.GATE)

ALLOWED = CrossingInput(
    origin=DeskEnd("payments", Audience.PUBLIC, ANY),
    target=DeskEnd("platform", Audience.PUBLIC, ANY),
    asker=Asker("U0ANA"),
    answers_to=AnswersTo(),
    wider_allowed=False,
    visited=("payments",),
    asked_within_hour=5,
    per_hour=6,
)


def refused(crossing: CrossingInput, reason: NoCrossingReason) -> None:
    assert may_cross(crossing) is reason


def accepted(crossing: CrossingInput) -> None:
    assert may_cross(crossing) is None


def origin(crossing: CrossingInput, **changes: object) -> CrossingInput:
    return replace(crossing, origin=replace(crossing.origin, **changes))  # type: ignore[arg-type]


def target(crossing: CrossingInput, **changes: object) -> CrossingInput:
    return replace(crossing, target=replace(crossing.target, **changes))  # type: ignore[arg-type]


def test_two_public_desks_that_exchange_with_any_may_cross() -> None:
    accepted(ALLOWED)


def test_permission_at_one_end_alone_is_no_permission() -> None:
    refused(origin(ALLOWED, reach=NONE), NoCrossingReason.ASKS_NOT_ALLOWED)
    refused(target(ALLOWED, reach=NONE), NoCrossingReason.ANSWERS_NOT_ALLOWED)


def test_a_list_allows_only_the_desks_it_names() -> None:
    accepted(origin(ALLOWED, reach=Reach(ReachKind.DESKS, ("platform",))))
    refused(
        origin(ALLOWED, reach=Reach(ReachKind.DESKS, ("data",))), NoCrossingReason.ASKS_NOT_ALLOWED
    )


def test_an_empty_list_is_nobody() -> None:
    refused(origin(ALLOWED, reach=Reach(ReachKind.DESKS)), NoCrossingReason.ASKS_NOT_ALLOWED)


def test_a_gate_at_either_end_is_refused_while_there_are_no_gates() -> None:
    refused(origin(ALLOWED, reach=GATE), NoCrossingReason.ASKS_NEEDS_GATE)
    refused(target(ALLOWED, reach=GATE), NoCrossingReason.ANSWERS_NEEDS_GATE)


@pytest.mark.parametrize("audience", [Audience.PRIVATE, Audience.SHARED, Audience.DM])
def test_a_desk_that_is_not_public_must_be_named_at_both_ends(audience: Audience) -> None:
    named = (Reach(ReachKind.DESKS, ("platform",)), Reach(ReachKind.DESKS, ("payments",)))
    closed = replace(target(ALLOWED, audience=audience), wider_allowed=True)
    refused(closed, NoCrossingReason.ASKS_NOT_ALLOWED)
    refused(origin(closed, reach=named[0]), NoCrossingReason.ANSWERS_NOT_ALLOWED)
    accepted(target(origin(closed, reach=named[0]), reach=named[1]))


def test_a_crossing_to_a_wider_audience_needs_leave() -> None:
    private = origin(
        ALLOWED, audience=Audience.PRIVATE, reach=Reach(ReachKind.DESKS, ("platform",))
    )
    private = target(private, reach=Reach(ReachKind.DESKS, ("payments",)))
    refused(private, NoCrossingReason.WIDER_NEEDS_GATE)
    accepted(replace(private, wider_allowed=True))


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        (Audience.DM, Audience.PRIVATE),
        (Audience.DM, Audience.PUBLIC),
        (Audience.PRIVATE, Audience.PUBLIC),
        (Audience.PUBLIC, Audience.SHARED),
        (Audience.SHARED, Audience.SHARED),
    ],
)
def test_wider_is_the_order_of_audiences_and_every_shared_channel(
    narrow: Audience, wide: Audience
) -> None:
    assert is_wider(narrow, wide)


def test_the_same_or_a_narrower_audience_is_not_wider() -> None:
    assert not is_wider(Audience.PUBLIC, Audience.PUBLIC)
    assert not is_wider(Audience.SHARED, Audience.PUBLIC)


def test_nobody_known_asks_nothing() -> None:
    refused(replace(ALLOWED, asker=None), NoCrossingReason.ASKER_UNKNOWN)


@pytest.mark.parametrize(
    ("asker", "reason", "allowing"),
    [
        (
            Asker("U1", guest=True),
            NoCrossingReason.ASKER_GUEST,
            AnswersTo(guests=True),
        ),
        (
            Asker("U1", stranger=True),
            NoCrossingReason.ASKER_STRANGER,
            AnswersTo(strangers=True),
        ),
        (
            Asker("U1", deactivated=True),
            NoCrossingReason.ASKER_DEACTIVATED,
            AnswersTo(deactivated=True),
        ),
        (Asker("U1", guest=True), NoCrossingReason.ASKER_GUEST, AnswersTo(people=("U1",))),
        (Asker("U1", stranger=True), NoCrossingReason.ASKER_STRANGER, AnswersTo(people=("U1",))),
    ],
)
def test_guests_strangers_and_deactivated_people_ask_only_where_the_desk_says_so(
    asker: Asker, reason: NoCrossingReason, allowing: AnswersTo
) -> None:
    assert may_ask(asker, AnswersTo()) is reason
    assert may_ask(asker, allowing) is None


def test_a_named_person_who_is_deactivated_stays_refused() -> None:
    gone = Asker("U1", deactivated=True)
    assert may_ask(gone, AnswersTo(people=("U1",))) is NoCrossingReason.ASKER_DEACTIVATED


def test_the_far_desk_judges_the_asking_person() -> None:
    refused(replace(ALLOWED, asker=Asker("U1", guest=True)), NoCrossingReason.ASKER_GUEST)


def test_a_ring_is_refused() -> None:
    refused(replace(ALLOWED, visited=("payments", "platform")), NoCrossingReason.RING)


def test_a_paused_end_takes_part_in_nothing() -> None:
    refused(origin(ALLOWED, paused=True), NoCrossingReason.ORIGIN_PAUSED)
    refused(target(ALLOWED, paused=True), NoCrossingReason.TARGET_PAUSED)


def test_the_hour_of_a_pair_is_bounded() -> None:
    refused(replace(ALLOWED, asked_within_hour=6), NoCrossingReason.TOO_MANY_PER_HOUR)


def test_a_need_of_a_gate_that_a_steward_has_met_lets_the_question_pass() -> None:
    asks = origin(ALLOWED, reach=GATE)
    accepted(replace(asks, granted=frozenset({NoCrossingReason.ASKS_NEEDS_GATE})))
    answers = target(ALLOWED, reach=GATE)
    accepted(replace(answers, granted=frozenset({NoCrossingReason.ANSWERS_NEEDS_GATE})))
    refused(
        replace(answers, granted=frozenset({NoCrossingReason.ASKS_NEEDS_GATE})),
        NoCrossingReason.ANSWERS_NEEDS_GATE,
    )


def test_a_steward_may_let_a_question_reach_a_wider_audience() -> None:
    named = Reach(ReachKind.DESKS, ("platform",))
    private = origin(ALLOWED, audience=Audience.PRIVATE, reach=named)
    private = target(private, reach=Reach(ReachKind.DESKS, ("payments",)))
    accepted(replace(private, granted=frozenset({NoCrossingReason.WIDER_NEEDS_GATE})))
