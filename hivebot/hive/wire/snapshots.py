"""How are members, people and desks written as JSON?

Source: hive.md section 1.
"""

from __future__ import annotations

from typing import Final

from hivebot.hive.desk import Desk, DeskAddition, DeskOrder, ResponderMode
from hivebot.hive.roster import Member, Person
from hivebot.hive.wire.codec import (
    Decoder,
    JsonObject,
    enum_of,
    list_of,
    nullable,
    optional,
    record,
    required,
    text,
)

_texts: Final = list_of(text)
_responder_mode: Final[Decoder[ResponderMode]] = enum_of(ResponderMode)


def decode_member(value: object, path: str = "") -> Member:
    """Read a roster member."""
    keys = record(value, path)
    return Member(id=required(keys, "id", text, path), name=nullable(keys, "name", text, path))


def encode_member(member: Member) -> JsonObject:
    """Write a roster member."""
    return {"id": member.id, "name": member.name}


def decode_person(value: object, path: str = "") -> Person:
    """Read a person of the roster."""
    keys = record(value, path)
    return Person(id=required(keys, "id", text, path), label=required(keys, "label", text, path))


def encode_person(person: Person) -> JsonObject:
    """Write a person of the roster."""
    return {"id": person.id, "label": person.label}


def decode_desk(value: object, path: str = "") -> Desk:
    """Read a desk; without `responder_mode` its lead answers."""
    keys = record(value, path)
    return Desk(
        id=required(keys, "id", text, path),
        name=required(keys, "name", text, path),
        description=nullable(keys, "description", text, path),
        members=required(keys, "members", _texts, path),
        responder_mode=optional(keys, "responder_mode", _responder_mode, path, ResponderMode.LEAD),
    )


def encode_desk(desk: Desk) -> JsonObject:
    """Write a desk, `responder_mode` only when it is `auto`."""
    written: JsonObject = {
        "id": desk.id,
        "name": desk.name,
        "description": desk.description,
        "members": list(desk.members),
    }
    if desk.responder_mode is ResponderMode.AUTO:
        written["responder_mode"] = desk.responder_mode.value
    return written


def decode_desk_addition(value: object, path: str = "") -> DeskAddition:
    """Read a desk addition."""
    keys = record(value, path)
    return DeskAddition(
        desk_id=required(keys, "desk_id", text, path),
        agent_id=required(keys, "agent_id", text, path),
    )


def encode_desk_addition(addition: DeskAddition) -> JsonObject:
    """Write a desk addition."""
    return {"desk_id": addition.desk_id, "agent_id": addition.agent_id}


def decode_desk_order(value: object, path: str = "") -> DeskOrder:
    """Read a desk order."""
    keys = record(value, path)
    return DeskOrder(
        desk_id=required(keys, "desk_id", text, path),
        ordered=required(keys, "ordered", _texts, path),
    )


def encode_desk_order(order: DeskOrder) -> JsonObject:
    """Write a desk order."""
    return {"desk_id": order.desk_id, "ordered": list(order.ordered)}
