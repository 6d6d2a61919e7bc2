"""Which desks are there, who sits on each, and in which order?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from hivebot.hive.conversation import GENERAL_DESK, is_general
from hivebot.hive.errors import (
    AmbiguousDeskError,
    DuplicateDeskIdError,
    DuplicateDeskOrderError,
    DuplicateOrderMemberError,
    EmptyDeskIdError,
    EmptyDeskNameError,
    IncompleteOrderError,
    ReservedDeskIdentityError,
    UnknownDeskError,
    UnknownMemberDeskError,
    UnknownOrderDeskError,
    UnknownOrderMemberError,
)


class ResponderMode(StrEnum):
    """Who answers on a desk when nobody is mentioned: its first member, or one chosen each time."""

    LEAD = "lead"
    AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Desk:
    """A standing group of agents around one topic.

    Attributes:
        id: Compared exactly.
        name: Picks the desk as well, as long as only one desk has it.
        description: What the desk is for.
        members: Agent ids in order, repeats harmless.
        responder_mode: Who answers when nobody is mentioned.
    """

    id: str
    name: str
    description: str | None
    members: tuple[str, ...]
    responder_mode: ResponderMode = ResponderMode.LEAD


@dataclass(frozen=True, slots=True)
class DeskAddition:
    """An agent put on a desk later."""

    desk_id: str
    agent_id: str


@dataclass(frozen=True, slots=True)
class DeskOrder:
    """The order of a desk's members: a permutation of all that are not retired."""

    desk_id: str
    ordered: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeskSet:
    """Five snapshots that are read together; they know nothing of the roster.

    Attributes:
        declared: Desks of the configuration.
        added: Desks made later.
        member_additions: Agents put on desks later.
        orders: At most one order per desk.
        retired: Ids of agents that sit on no desk any more.

    Source: hive.md section 4.
    """

    declared: tuple[Desk, ...]
    added: tuple[Desk, ...]
    member_additions: tuple[DeskAddition, ...]
    orders: tuple[DeskOrder, ...]
    retired: tuple[str, ...]

    def all_desks(self) -> tuple[Desk, ...]:
        """Give the declared desks, then the added ones."""
        return self.declared + self.added

    def validate(self) -> None:
        """Check desks, then additions, then orders; the first failure wins.

        Raises:
            EmptyDeskIdError: A desk's id has no characters; blank ones are allowed.
            EmptyDeskNameError: A desk's name has no characters.
            DuplicateDeskIdError: A desk's id was seen before.
            ReservedDeskIdentityError: A desk other than exactly `General` is spelt like it.
            UnknownMemberDeskError: An addition is for no desk's id.
            UnknownOrderDeskError: An order is for no desk's id.
            DuplicateDeskOrderError: A desk has a second order.
            DuplicateOrderMemberError: An order lists an agent twice.
            UnknownOrderMemberError: An order lists an agent that is no base member.
            IncompleteOrderError: An order leaves out a base member.

        Source: hive.md section 4.
        """
        desks: dict[str, Desk] = {}
        for desk in self.all_desks():
            _check_desk(desk)
            if desk.id in desks:
                raise DuplicateDeskIdError(desk.id)
            _check_not_reserved(desk)
            desks[desk.id] = desk
        for addition in self.member_additions:
            if addition.desk_id not in desks:
                raise UnknownMemberDeskError(addition.desk_id)
        ordered: set[str] = set()
        for order in self.orders:
            if order.desk_id not in desks:
                raise UnknownOrderDeskError(order.desk_id)
            if order.desk_id in ordered:
                raise DuplicateDeskOrderError(order.desk_id)
            ordered.add(order.desk_id)
            _check_order(order, self._base_members(desks[order.desk_id]))

    def resolve_id(self, identity: str) -> str:
        """Give the id of the one desk that `identity` picks out.

        1. The set is validated.
        2. A desk with exactly this id.
        3. The only desk with exactly this name.

        Raises:
            HiveError: What `validate` raises.
            UnknownDeskError: No desk has this id or name.
            AmbiguousDeskError: Several desks have this name.

        Source: hive.md section 4.
        """
        self.validate()
        return self._resolve(identity).id

    def members(self, identity: str) -> tuple[str, ...]:
        """Give the agent ids of the desk that `identity` picks out, in the desk's order.

        They are not checked against a roster.

        Raises:
            HiveError: What `resolve_id` raises.

        Source: hive.md section 4.
        """
        self.validate()
        return self._members_of(self._resolve(identity))

    def lead(self, identity: str) -> str | None:
        """Give the first member of the desk, or None when it has none.

        Raises:
            HiveError: What `resolve_id` raises.

        Source: hive.md section 4.
        """
        return next(iter(self.members(identity)), None)

    def seatings(self) -> Iterator[tuple[Desk, tuple[str, ...]]]:
        """Walk all desks with their members, in input order.

        Raises:
            HiveError: What `validate` raises.
        """
        self.validate()
        return ((desk, self._members_of(desk)) for desk in self.all_desks())

    def _resolve(self, identity: str) -> Desk:
        for desk in self.all_desks():
            if desk.id == identity:
                return desk
        named = [desk for desk in self.all_desks() if desk.name == identity]
        if not named:
            raise UnknownDeskError(identity)
        if len(named) > 1:
            raise AmbiguousDeskError(identity)
        return named[0]

    def _members_of(self, desk: Desk) -> tuple[str, ...]:
        for order in self.orders:
            if order.desk_id == desk.id:
                return order.ordered
        return self._base_members(desk)

    def _base_members(self, desk: Desk) -> tuple[str, ...]:
        retired = frozenset(self.retired)
        added = [entry.agent_id for entry in self.member_additions if entry.desk_id == desk.id]
        seated = dict.fromkeys([*desk.members, *added])
        return tuple(agent_id for agent_id in seated if agent_id not in retired)


def _check_desk(desk: Desk) -> None:
    if not desk.id:
        raise EmptyDeskIdError
    if not desk.name:
        raise EmptyDeskNameError(desk.id)


def _check_not_reserved(desk: Desk) -> None:
    if desk.id == desk.name == GENERAL_DESK:
        return
    for identity in (desk.id, desk.name):
        if is_general(identity):
            raise ReservedDeskIdentityError(identity)


def _check_order(order: DeskOrder, base: tuple[str, ...]) -> None:
    listed: set[str] = set()
    for agent_id in order.ordered:
        if agent_id in listed:
            raise DuplicateOrderMemberError(order.desk_id, agent_id)
        if agent_id not in base:
            raise UnknownOrderMemberError(order.desk_id, agent_id)
        listed.add(agent_id)
    for agent_id in base:
        if agent_id not in listed:
            raise IncompleteOrderError(order.desk_id, agent_id)
