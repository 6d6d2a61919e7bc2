from __future__ import annotations

import pytest

from hivebot.hive.errors import (
    DuplicatePersonIdError,
    DuplicateRosterMemberIdError,
    EmptyPersonIdError,
    EmptyRosterMemberIdError,
)
from hivebot.hive.roster import Member, Person, Roster
from tests.unit.hive.routing_builders import a_roster


def test_a_sound_roster_may_share_names_and_ids_across_namespaces() -> None:
    people = (Person("ann", "Ann"), Person("bob", "Ann"))
    a_roster(Member("ann", "X"), Member("bob", "X"), people=people, retired=("nobody",)).validate()


@pytest.mark.parametrize(
    ("roster", "kind"),
    [
        (a_roster("\u2003"), EmptyRosterMemberIdError),
        (a_roster("a", "b", "a", " "), DuplicateRosterMemberIdError),
        (a_roster(people=(Person(" ", "P"),)), EmptyPersonIdError),
        (a_roster(people=(Person("p", "P"), Person("p", "Q"))), DuplicatePersonIdError),
        (a_roster("", people=(Person("", ""),)), EmptyRosterMemberIdError),
    ],
)
def test_the_first_malformed_entry_is_reported(roster: Roster, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        roster.validate()


def test_active_members_keep_their_order_and_leave_out_the_retired() -> None:
    roster = a_roster("c", "a", "b", retired=("a", "A", "ghost"))
    assert [member.id for member in roster.active_members()] == ["c", "b"]
    assert roster.active_ids() == {"b", "c"}


def test_an_active_member_is_looked_up_exactly() -> None:
    roster = a_roster("a", "b", retired=("b",))
    assert roster.active_member("a") == Member("a", None)
    assert roster.active_member("A") is None
    assert roster.active_member("b") is None


def test_a_person_is_looked_up_exactly_and_never_retired() -> None:
    roster = a_roster(people=(Person("p", "Pat"),), retired=("p",))
    assert roster.person("p") == Person("p", "Pat")
    assert roster.person("P") is None
