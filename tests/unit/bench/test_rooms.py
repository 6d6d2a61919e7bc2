"""Do the members of a room believe what the contract says?"""

from __future__ import annotations

import pytest

from hivebot.bench.names import Role, desk_name, member_name, option_names, role_of
from hivebot.bench.rooms import HiddenProfile, Layout, Room, Shape, Specialists, Uniform, generate


def room_zero(shape: Shape, noise: int) -> Room:
    return generate(1, 0, Layout(noise=noise, shape=shape))


def evaluations(room: Room) -> list[tuple[int, ...]]:
    return [seat.evaluations for seat in room.seats]


def test_the_first_uniform_room_is_the_one_of_the_contract() -> None:
    room = room_zero(Uniform(), 90)
    assert room.best == "revert"
    assert room.expert is None
    assert evaluations(room) == [
        (-3, -19, 71, 81),
        (-11, 111, 171, 85),
        (-13, -10, 122, 94),
        (-13, -1, 159, 43),
        (2, -6, 71, 70),
    ]


def test_the_first_hidden_profile_is_the_one_of_the_contract() -> None:
    room = room_zero(HiddenProfile(), 50)
    assert room.expert == 0
    assert room.seats[0].refutes == room.seats[0].specialty == "shadow"
    assert all(seat.elsewhere == {"shadow"} for seat in room.seats[1:])
    assert evaluations(room) == [
        (42, 8, 94, 87),
        (8, 62, 57, 131),
        (31, 9, 81, 186),
        (-7, 13, 90, 111),
        (-10, -1, 109, 178),
    ]


def test_the_first_room_with_two_specialists_is_the_one_of_the_contract() -> None:
    room = room_zero(Specialists(2), 90)
    assert room.expert == 0
    assert [seat.specialty for seat in room.seats] == ["revert", "ship", None, None, None]
    assert room.seats[0].elsewhere == {"ship"}
    assert room.seats[2].elsewhere == {"ship", "revert"}
    assert evaluations(room) == [
        (-3, -45, 114, 81),
        (-11, 41, -29, 85),
        (-13, 153, 169, 94),
        (-13, 112, 88, 43),
        (2, -13, 65, 70),
    ]


def test_nobody_is_the_expert_of_a_best_option_without_a_specialist() -> None:
    experts = [generate(1, index, Layout(shape=Specialists(1))).expert for index in range(20)]
    assert None in experts
    assert any(expert is not None for expert in experts)


def test_there_are_never_more_specialists_than_members_or_options() -> None:
    crowd = generate(1, 0, Layout(members=3, options=2, shape=Specialists(9)))
    assert sum(seat.specialty is not None for seat in crowd.seats) == 2


@pytest.mark.parametrize(("priced", "costs"), [(False, {1}), (True, {1, 10})])
def test_turns_of_specialists_cost_ten_only_where_cost_tiers_are_on(
    priced: bool,  # noqa: FBT001 - a parametrised case
    costs: set[int],
) -> None:
    room = room_zero(Specialists(2, priced=priced), 90)
    assert {seat.cost for seat in room.seats} == costs
    assert [seat.cost for seat in room.seats if seat.specialty is None] == [1, 1, 1]


def test_the_lift_of_a_hidden_profile_can_be_the_older_one() -> None:
    older, newer = room_zero(HiddenProfile(lift=150), 50), room_zero(HiddenProfile(), 50)
    planted = older.options.index("shadow")
    assert older.seats[1].evaluations[planted] - newer.seats[1].evaluations[planted] == 50
    assert older.seats[0].evaluations == newer.seats[0].evaluations


def test_names_go_on_by_number_where_the_list_of_them_ends() -> None:
    assert option_names(9)[-2:] == ("pilot", "topic8")
    assert (member_name(7), member_name(8)) == ("reviewer", "seat8")
    assert (desk_name(3), desk_name(4)) == (("data", "Data"), ("desk4", "Desk-4"))


def test_roles_repeat_every_eight_seats() -> None:
    critics = [index for index in range(16) if role_of(index) is Role.CRITIC]
    assert critics == [1, 4, 7, 9, 12, 15]
    assert role_of(8) is Role.PROPOSER
    assert role_of(10) is Role.ARCHIVIST
