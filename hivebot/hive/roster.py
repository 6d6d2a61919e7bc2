"""Who is there to be named, and who of them is still active?"""

from __future__ import annotations

from dataclasses import dataclass

from hivebot.hive.errors import (
    DuplicatePersonIdError,
    DuplicateRosterMemberIdError,
    EmptyPersonIdError,
    EmptyRosterMemberIdError,
)
from hivebot.hive.scalars import is_blank


@dataclass(frozen=True, slots=True)
class Member:
    """An agent on the roster.

    Attributes:
        id: Compared exactly.
        name: What people call it; several members may share one.
    """

    id: str
    name: str | None


@dataclass(frozen=True, slots=True)
class Person:
    """A person on the roster; never retired.

    Attributes:
        id: Compared exactly, in a namespace apart from the agents'.
        label: What people are called; several may share one.
    """

    id: str
    label: str


@dataclass(frozen=True, slots=True)
class Roster:
    """Three snapshots that are read together.

    Attributes:
        members: Agents in roster order.
        people: People in roster order.
        retired: Ids of members that are not active; an id no member has is harmless.

    Source: hive.md section 3.
    """

    members: tuple[Member, ...]
    people: tuple[Person, ...]
    retired: tuple[str, ...]

    def validate(self) -> None:
        """Check that every id is there once; members first, then people, in order.

        Raises:
            EmptyRosterMemberIdError: A member's id is blank.
            DuplicateRosterMemberIdError: A member's id was seen before.
            EmptyPersonIdError: A person's id is blank.
            DuplicatePersonIdError: A person's id was seen before.

        Source: hive.md section 3.
        """
        agents: set[str] = set()
        for member in self.members:
            if is_blank(member.id):
                raise EmptyRosterMemberIdError
            if member.id in agents:
                raise DuplicateRosterMemberIdError(member.id)
            agents.add(member.id)
        people: set[str] = set()
        for person in self.people:
            if is_blank(person.id):
                raise EmptyPersonIdError
            if person.id in people:
                raise DuplicatePersonIdError(person.id)
            people.add(person.id)

    def active_members(self) -> tuple[Member, ...]:
        """Give the members that are not retired, in roster order."""
        retired = frozenset(self.retired)
        return tuple(member for member in self.members if member.id not in retired)

    def active_ids(self) -> frozenset[str]:
        """Give the ids of the active members, for asking about many."""
        return frozenset(member.id for member in self.active_members())

    def active_member(self, agent_id: str) -> Member | None:
        """Look up one active member; None when it is retired or not there."""
        if agent_id in self.retired:
            return None
        return next((member for member in self.members if member.id == agent_id), None)

    def person(self, person_id: str) -> Person | None:
        """Look up one person; None when there is none."""
        return next((person for person in self.people if person.id == person_id), None)
