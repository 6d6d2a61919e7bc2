from __future__ import annotations

import pickle
import re
from dataclasses import fields

import pytest

from hivebot.errors import HivebotError
from hivebot.hive import errors
from hivebot.hive.errors import DecodeError, HiveError, IncompleteOrderError

KINDS = {
    "empty_roster_member_id": (),
    "duplicate_roster_member_id": ("member_id",),
    "empty_person_id": (),
    "duplicate_person_id": ("person_id",),
    "empty_desk_id": (),
    "empty_desk_name": ("desk_id",),
    "duplicate_desk_id": ("desk_id",),
    "reserved_desk_identity": ("identity",),
    "unknown_member_desk": ("desk_id",),
    "unknown_order_desk": ("desk_id",),
    "duplicate_desk_order": ("desk_id",),
    "duplicate_order_member": ("desk_id", "agent_id"),
    "unknown_order_member": ("desk_id", "agent_id"),
    "incomplete_order": ("desk_id", "missing_agent_id"),
    "unknown_desk": ("identity",),
    "ambiguous_desk": ("identity",),
    "duplicate_selector_candidate": ("agent_id",),
    "no_active_responder": ("agent_id",),
    "page_too_large": ("requested", "actual"),
    "empty_page_cursor": ("next_before",),
    "duplicate_sequence": ("sequence",),
    "page_out_of_range": ("sequence", "before"),
    "page_not_descending": ("previous", "next"),
    "cursor_did_not_advance": ("before", "next_before"),
    "cursor_after_oldest": ("next_before", "oldest"),
    "read": (),
    "zero_half_life": (),
    "zero_quorum_threshold": (),
    "zero_quorum_window": (),
    "zero_refutation_cap": (),
    "zero_directory_half_life": (),
    "zero_directory_window": (),
    "duplicate_agent_threshold": ("agent_id",),
    "zero_defer_cap": (),
    "unknown_threshold_member": ("agent_id", "desk_id"),
}

CLASSES = {
    entry.code: entry
    for entry in vars(errors).values()
    if isinstance(entry, type) and issubclass(entry, HiveError) and entry is not HiveError
}


def example(kind: str) -> HiveError:
    return CLASSES[kind](*(f"the-{name}" for name in KINDS[kind]))


def test_the_tree_holds_the_kinds_of_the_contract_and_no_other() -> None:
    assert CLASSES.keys() == KINDS.keys() | {"decode"}
    assert issubclass(HiveError, HivebotError)


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_is_written_as_its_kind_and_its_fields(kind: str) -> None:
    written = {name: f"the-{name}" for name in KINDS[kind]}
    assert example(kind).wire() == {"kind": kind, **written}
    assert tuple(field.name for field in fields(example(kind))) == KINDS[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_is_lower_case_without_a_stop_and_names_its_fields(kind: str) -> None:
    message = str(example(kind))
    assert re.fullmatch(r"[a-z].*[^.]", message)
    assert message == message.lower()
    assert all(f"the-{name}" in message for name in KINDS[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_survives_being_sent_to_another_process(kind: str) -> None:
    error = example(kind)
    sent = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert type(sent) is type(error)
    assert sent.wire() == error.wire()
    assert str(sent) == str(error)


def test_a_decode_error_says_where_but_writes_only_its_kind() -> None:
    error = DecodeError("roster.members.0.id", "no string")
    assert error.wire() == {"kind": "decode"}
    assert str(error) == "cannot decode roster.members.0.id: no string"
    assert str(DecodeError("", "no object")) == "cannot decode the value: no object"


def test_the_root_of_the_tree_has_a_sentence_too() -> None:
    assert str(HiveError()) == "malformed input to a fold"
    assert HiveError().wire() == {"kind": "hive"}


def test_errors_are_told_apart_by_identity_not_by_their_fields() -> None:
    assert IncompleteOrderError("eng", "ben") != IncompleteOrderError("eng", "ben")


def test_a_fields_braces_do_not_confuse_a_message() -> None:
    assert str(errors.UnknownDeskError("{identity}")) == "no desk has the id or name '{identity}'"
