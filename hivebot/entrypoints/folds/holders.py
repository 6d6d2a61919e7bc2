"""How does a vector write a whole roster and a whole desk set?

Both holders exist only in the vectors; the records in them are wire forms.
"""

from __future__ import annotations

from collections.abc import Mapping

from hivebot.hive.desk import DeskSet
from hivebot.hive.roster import Roster
from hivebot.hive.wire import (
    decode_desk,
    decode_desk_addition,
    decode_desk_order,
    decode_member,
    decode_person,
)
from hivebot.hive.wire.codec import list_of, record, required, text


def decode_roster(value: object, path: str = "") -> Roster:
    """Read `{"members", "people", "retired"}`."""
    keys = record(value, path)
    return Roster(
        members=required(keys, "members", list_of(decode_member), path),
        people=required(keys, "people", list_of(decode_person), path),
        retired=required(keys, "retired", list_of(text), path),
    )


def decode_desks(value: object, path: str = "") -> DeskSet:
    """Read `{"declared", "added", "member_additions", "orders", "retired"}`."""
    keys = record(value, path)
    return DeskSet(
        declared=required(keys, "declared", list_of(decode_desk), path),
        added=required(keys, "added", list_of(decode_desk), path),
        member_additions=required(keys, "member_additions", list_of(decode_desk_addition), path),
        orders=required(keys, "orders", list_of(decode_desk_order), path),
        retired=required(keys, "retired", list_of(text), path),
    )


def roster_of(keys: Mapping[str, object]) -> Roster:
    """Read the `roster` of an input."""
    return required(keys, "roster", decode_roster, "")


def desks_of(keys: Mapping[str, object]) -> DeskSet:
    """Read the `desks` of an input."""
    return required(keys, "desks", decode_desks, "")
