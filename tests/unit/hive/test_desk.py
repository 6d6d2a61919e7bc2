from __future__ import annotations

import pytest

from hivebot.hive.desk import DeskSet
from hivebot.hive.errors import (
    AmbiguousDeskError,
    DuplicateDeskIdError,
    DuplicateDeskOrderError,
    DuplicateOrderMemberError,
    EmptyDeskIdError,
    EmptyDeskNameError,
    HiveError,
    IncompleteOrderError,
    ReservedDeskIdentityError,
    UnknownDeskError,
    UnknownMemberDeskError,
    UnknownOrderDeskError,
    UnknownOrderMemberError,
)
from tests.unit.hive.routing_builders import a_desk, desk_set

ENG = a_desk("eng", "ann", "bob")


def refused(desks: DeskSet) -> dict[str, object]:
    with pytest.raises(HiveError) as caught:
        desks.validate()
    return caught.value.wire()


def test_a_desk_needs_an_id_and_a_name_but_blank_ones_will_do() -> None:
    assert refused(desk_set(a_desk(""))) == EmptyDeskIdError().wire()
    assert refused(desk_set(a_desk("eng", name=""))) == EmptyDeskNameError("eng").wire()
    desk_set(a_desk(" ", name=" ")).validate()


def test_an_id_is_unique_across_declared_and_added_desks() -> None:
    assert refused(desk_set(ENG, added=(ENG,))) == DuplicateDeskIdError("eng").wire()


def test_a_general_desk_is_spelt_exactly_or_not_at_all() -> None:
    desk_set(a_desk("General", name="General")).validate()
    for desk_id, name, offending in [
        ("general", "General", "general"),
        ("General", "x", "General"),
        ("eng", "MAIN", "MAIN"),
    ]:
        desks = desk_set(a_desk(desk_id, name=name))
        assert refused(desks) == ReservedDeskIdentityError(offending).wire()


def test_a_repeated_reserved_desk_is_told_as_a_repeat() -> None:
    general = a_desk("General", name="General")
    again = a_desk("General", name="x")
    assert refused(desk_set(general, again)) == DuplicateDeskIdError("General").wire()


def test_a_member_is_added_by_desk_id_never_by_name() -> None:
    desks = desk_set(ENG, additions=(("Eng", "carl"),))
    assert refused(desks) == UnknownMemberDeskError("Eng").wire()


def test_an_order_belongs_to_one_known_desk() -> None:
    assert refused(desk_set(ENG, orders=(("ops", ()),))) == UnknownOrderDeskError("ops").wire()
    twice = (("eng", ("ann", "bob")), ("eng", ("bob", "ann")))
    assert refused(desk_set(ENG, orders=twice)) == DuplicateDeskOrderError("eng").wire()


def test_an_order_is_a_permutation_of_the_members_that_are_not_retired() -> None:
    def order(*ids: str, retired: tuple[str, ...] = ()) -> DeskSet:
        return desk_set(ENG, orders=(("eng", ids),), retired=retired)

    order("bob", "ann").validate()
    order("bob", retired=("ann",)).validate()
    repeat = DuplicateOrderMemberError("eng", "ann")
    assert refused(order("ann", "ann")) == repeat.wire()
    assert refused(order("ann", "zoe")) == UnknownOrderMemberError("eng", "zoe").wire()
    assert refused(order()) == IncompleteOrderError("eng", "ann").wire()
    stale = UnknownOrderMemberError("eng", "ann")
    assert refused(order("bob", "ann", retired=("ann",))) == stale.wire()


def test_a_desk_is_picked_out_by_id_before_name() -> None:
    desks = desk_set(a_desk("ops", name="eng"), a_desk("eng", name="Build"))
    assert desks.resolve_id("eng") == "eng"
    assert desks.resolve_id("Build") == "eng"


def test_a_name_picks_out_one_desk_exactly() -> None:
    desks = desk_set(a_desk("a", name="Twin"), a_desk("b", name="Twin"))
    with pytest.raises(AmbiguousDeskError):
        desks.resolve_id("Twin")
    for identity in ("twin", "General", ""):
        with pytest.raises(UnknownDeskError):
            desks.resolve_id(identity)


def test_members_are_seated_once_with_additions_behind_and_the_retired_gone() -> None:
    eng = a_desk("eng", "ann", "bob", "ann")
    additions = (("eng", "carl"), ("ops", "dora"), ("eng", "bob"))
    desks = desk_set(eng, a_desk("ops"), additions=additions, retired=("ann",))
    assert desks.members("Eng") == ("bob", "carl")
    assert desks.members("ops") == ("dora",)


def test_an_order_takes_the_place_of_the_members() -> None:
    desks = desk_set(a_desk("ops", "zoe"), ENG, orders=(("eng", ("bob", "ann")),))
    assert desks.members("eng") == ("bob", "ann")
    assert desks.members("ops") == ("zoe",)
    assert desks.lead("eng") == "bob"


def test_a_desk_without_members_has_no_lead() -> None:
    assert desk_set(a_desk("eng")).lead("eng") is None


def test_every_desk_is_walked_with_its_members_in_input_order() -> None:
    desks = desk_set(a_desk("b", "x"), added=(a_desk("a", "y"),))
    assert [(desk.id, members) for desk, members in desks.seatings()] == [
        ("b", ("x",)),
        ("a", ("y",)),
    ]


def test_a_malformed_set_answers_nothing() -> None:
    broken = desk_set(a_desk("eng"), a_desk("eng"))
    for ask in (broken.resolve_id, broken.members, broken.lead):
        with pytest.raises(DuplicateDeskIdError):
            ask("eng")
    with pytest.raises(DuplicateDeskIdError):
        broken.seatings()
