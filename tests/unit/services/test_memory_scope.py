"""Who may read a memory (rights.md 3): the narrowest of what went in, at every place it goes to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.hive.crossing import Audience
from hivebot.services.records.memories import Place, Readable, Scope

PUBLIC, OTHER_PUBLIC = Place(Audience.PUBLIC, "C1"), Place(Audience.PUBLIC, "C2")
PRIVATE, OTHER_PRIVATE = Place(Audience.PRIVATE, "G1"), Place(Audience.PRIVATE, "G2")
DM, OTHER_DM = Place(Audience.DM, "D1"), Place(Audience.DM, "D2")
SHARED, OTHER_SHARED = Place(Audience.SHARED, "S1"), Place(Audience.SHARED, "S2")
EVERYWHERE = (PUBLIC, OTHER_PUBLIC, PRIVATE, OTHER_PRIVATE, DM, OTHER_DM, SHARED, OTHER_SHARED)

places = st.lists(st.sampled_from(EVERYWHERE), max_size=4)


def readers(*sources: Place) -> list[Place]:
    return [each for each in EVERYWHERE if Scope.of(sources).readable_in([each])]


def test_what_was_public_is_read_anywhere_but_in_a_shared_channel() -> None:
    assert readers(PUBLIC, OTHER_PUBLIC) == [
        PUBLIC,
        OTHER_PUBLIC,
        PRIVATE,
        OTHER_PRIVATE,
        DM,
        OTHER_DM,
    ]


@pytest.mark.parametrize("closed", [PRIVATE, DM, SHARED])
def test_what_was_closed_is_read_there_alone(closed: Place) -> None:
    assert readers(closed) == [closed]


@pytest.mark.parametrize("closed", [PRIVATE, DM])
def test_what_was_partly_closed_is_read_there_alone(closed: Place) -> None:
    assert readers(PUBLIC, closed, OTHER_PUBLIC) == [closed]


def test_what_was_partly_public_is_not_shown_to_another_organisation() -> None:
    assert readers(PUBLIC, SHARED) == []


@pytest.mark.parametrize(
    "sources", [(PRIVATE, OTHER_PRIVATE), (PRIVATE, DM), (DM, OTHER_DM), (SHARED, PRIVATE)]
)
def test_what_was_made_of_two_closed_conversations_is_read_nowhere(
    sources: tuple[Place, Place],
) -> None:
    assert readers(*sources) == []
    assert Scope.of(sources).channel_id == ""


def test_what_came_from_nowhere_is_read_nowhere() -> None:
    assert readers() == []


def test_every_place_has_to_be_narrow_enough() -> None:
    assert Scope.of([PRIVATE]).readable_in([PRIVATE, PRIVATE])
    assert not Scope.of([PRIVATE]).readable_in([PRIVATE, PUBLIC])
    assert not Scope.of([PUBLIC]).readable_in([PUBLIC, SHARED])


def test_a_text_that_goes_nowhere_rests_on_nothing() -> None:
    assert not Scope.of([PUBLIC]).readable_in([])


def test_a_channel_that_was_opened_is_wider_than_what_was_remembered_in_it() -> None:
    opened, closed = Place(Audience.PUBLIC, "G1"), Place(Audience.PRIVATE, "S1")
    assert not Scope.of([PRIVATE]).readable_in([opened])
    assert Scope.of([SHARED]).readable_in([closed])


def test_the_narrowest_audience_is_kept() -> None:
    assert Scope.of([SHARED, PRIVATE]) == Scope(Audience.PRIVATE)
    assert Scope.of([PUBLIC, PRIVATE]) == Scope(Audience.PRIVATE, "G1")


@given(places, places)
def test_more_places_to_post_in_never_make_more_readable(
    some: list[Place], more: list[Place]
) -> None:
    for source in EVERYWHERE:
        scope = Scope.of([source])
        assert not (some and scope.readable_in(some + more) and not scope.readable_in(some))


@given(places, st.sampled_from(EVERYWHERE))
def test_more_sources_never_make_a_chunk_more_readable(
    sources: list[Place], another: Place
) -> None:
    for place in EVERYWHERE:
        wider = Scope.of([*sources, another]).readable_in([place])
        assert not (sources and wider and not Scope.of(sources).readable_in([place]))


def test_a_public_chunk_with_a_channel_is_still_public() -> None:
    assert Readable.in_all([OTHER_PUBLIC]).admits(Scope(Audience.PUBLIC, "C1"))
