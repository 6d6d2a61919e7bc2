"""Which broken snapshots and policies can a fold be given, and what does each say about itself?

HiveError
├── DecodeError                                   wire
├── EmptyRosterMemberIdError … DuplicatePersonIdError       roster
├── EmptyDeskIdError … AmbiguousDeskError         desks
├── DuplicateSelectorCandidateError, NoActiveResponderError responder plan
├── PageTooLargeError … SessionReadError          session projection
└── ZeroHalfLifeError … UnknownThresholdMemberError         traces, market, episode
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

from hivebot.errors import HivebotError


@dataclass(eq=False)
class HiveError(HivebotError):
    """A fold was given something it cannot be asked about.

    Attributes:
        code: Kind as written on the wire.
        message: Template of the sentence, filled with the fields.

    Source: hive.md section 17.
    """

    code: ClassVar[str] = "hive"
    message: ClassVar[str] = "malformed input to a fold"

    def details(self) -> dict[str, object]:
        """Give the typed fields by name, in the order of section 17."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def wire(self) -> dict[str, object]:
        """Give the error as it is written on the wire: `{"kind": code, **fields}`."""
        return {"kind": self.code, **self.details()}

    def __str__(self) -> str:
        return self.message.format(**self.details())

    def __reduce__(self) -> tuple[type[HiveError], tuple[object, ...]]:
        return type(self), tuple(getattr(self, field.name) for field in fields(self))


@dataclass(eq=False)
class DecodeError(HiveError):
    """A record is not in its wire form.

    Attributes:
        path: Where, as keys and indices joined by dots; empty for the value itself.
        problem: What was met, never the value met.

    The wire form carries neither: which key was wrong is no part of the contract.

    Source: hive.md sections 1 and 17.
    """

    code: ClassVar[str] = "decode"

    path: str
    problem: str

    def wire(self) -> dict[str, object]:
        """Give the bare kind."""
        return {"kind": self.code}

    def __str__(self) -> str:
        return f"cannot decode {self.path or 'the value'}: {self.problem}"


# --- roster -------------------------------------------------------------------------------------


@dataclass(eq=False)
class EmptyRosterMemberIdError(HiveError):
    """A member's id is blank. Source: hive.md section 3."""

    code: ClassVar[str] = "empty_roster_member_id"
    message: ClassVar[str] = "a roster member has a blank id"


@dataclass(eq=False)
class DuplicateRosterMemberIdError(HiveError):
    """Two members have one id. Source: hive.md section 3."""

    code: ClassVar[str] = "duplicate_roster_member_id"
    message: ClassVar[str] = "two roster members have the id {member_id!r}"

    member_id: str


@dataclass(eq=False)
class EmptyPersonIdError(HiveError):
    """A person's id is blank. Source: hive.md section 3."""

    code: ClassVar[str] = "empty_person_id"
    message: ClassVar[str] = "a person has a blank id"


@dataclass(eq=False)
class DuplicatePersonIdError(HiveError):
    """Two people have one id. Source: hive.md section 3."""

    code: ClassVar[str] = "duplicate_person_id"
    message: ClassVar[str] = "two people have the id {person_id!r}"

    person_id: str


# --- desks --------------------------------------------------------------------------------------


@dataclass(eq=False)
class EmptyDeskIdError(HiveError):
    """A desk's id has no characters. Source: hive.md section 4."""

    code: ClassVar[str] = "empty_desk_id"
    message: ClassVar[str] = "a desk has an empty id"


@dataclass(eq=False)
class EmptyDeskNameError(HiveError):
    """A desk's name has no characters. Source: hive.md section 4."""

    code: ClassVar[str] = "empty_desk_name"
    message: ClassVar[str] = "desk {desk_id!r} has an empty name"

    desk_id: str


@dataclass(eq=False)
class DuplicateDeskIdError(HiveError):
    """Two desks have one id. Source: hive.md section 4."""

    code: ClassVar[str] = "duplicate_desk_id"
    message: ClassVar[str] = "two desks have the id {desk_id!r}"

    desk_id: str


@dataclass(eq=False)
class ReservedDeskIdentityError(HiveError):
    """A desk spells its id or name like the General desk. Source: hive.md section 4."""

    code: ClassVar[str] = "reserved_desk_identity"
    message: ClassVar[str] = "the desk identity {identity!r} is reserved"

    identity: str


@dataclass(eq=False)
class UnknownMemberDeskError(HiveError):
    """A member is added to a desk that is not there. Source: hive.md section 4."""

    code: ClassVar[str] = "unknown_member_desk"
    message: ClassVar[str] = "a member is added to the unknown desk {desk_id!r}"

    desk_id: str


@dataclass(eq=False)
class UnknownOrderDeskError(HiveError):
    """An order is for a desk that is not there. Source: hive.md section 4."""

    code: ClassVar[str] = "unknown_order_desk"
    message: ClassVar[str] = "an order is given for the unknown desk {desk_id!r}"

    desk_id: str


@dataclass(eq=False)
class DuplicateDeskOrderError(HiveError):
    """One desk has two orders. Source: hive.md section 4."""

    code: ClassVar[str] = "duplicate_desk_order"
    message: ClassVar[str] = "two orders are given for desk {desk_id!r}"

    desk_id: str


@dataclass(eq=False)
class DuplicateOrderMemberError(HiveError):
    """An order lists one member twice. Source: hive.md section 4."""

    code: ClassVar[str] = "duplicate_order_member"
    message: ClassVar[str] = "the order of desk {desk_id!r} lists {agent_id!r} twice"

    desk_id: str
    agent_id: str


@dataclass(eq=False)
class UnknownOrderMemberError(HiveError):
    """An order lists somebody who is no base member. Source: hive.md section 4."""

    code: ClassVar[str] = "unknown_order_member"
    message: ClassVar[str] = (
        "the order of desk {desk_id!r} lists {agent_id!r}, who is no member of it"
    )

    desk_id: str
    agent_id: str


@dataclass(eq=False)
class IncompleteOrderError(HiveError):
    """An order leaves a base member out. Source: hive.md section 4."""

    code: ClassVar[str] = "incomplete_order"
    message: ClassVar[str] = "the order of desk {desk_id!r} leaves out {missing_agent_id!r}"

    desk_id: str
    missing_agent_id: str


@dataclass(eq=False)
class UnknownDeskError(HiveError):
    """No desk has this id or name. Source: hive.md section 4."""

    code: ClassVar[str] = "unknown_desk"
    message: ClassVar[str] = "no desk has the id or name {identity!r}"

    identity: str


@dataclass(eq=False)
class AmbiguousDeskError(HiveError):
    """Several desks have this name. Source: hive.md section 4."""

    code: ClassVar[str] = "ambiguous_desk"
    message: ClassVar[str] = "several desks have the name {identity!r}"

    identity: str


# --- responder ----------------------------------------------------------------------------------


@dataclass(eq=False)
class DuplicateSelectorCandidateError(HiveError):
    """Two details describe one effective desk member. Source: hive.md section 7."""

    code: ClassVar[str] = "duplicate_selector_candidate"
    message: ClassVar[str] = "two selector candidates describe {agent_id!r}"

    agent_id: str


@dataclass(eq=False)
class NoActiveResponderError(HiveError):
    """Not even the orchestrator is active. Source: hive.md section 7."""

    code: ClassVar[str] = "no_active_responder"
    message: ClassVar[str] = "the orchestrator {agent_id!r} is not active"

    agent_id: str


# --- session projection -------------------------------------------------------------------------


@dataclass(eq=False)
class PageTooLargeError(HiveError):
    """A read gave more rows than asked. Source: hive.md section 10.1."""

    code: ClassVar[str] = "page_too_large"
    message: ClassVar[str] = "asked for {requested} rows and got {actual}"

    requested: int
    actual: int


@dataclass(eq=False)
class EmptyPageCursorError(HiveError):
    """A page without rows points further down. Source: hive.md section 10.1."""

    code: ClassVar[str] = "empty_page_cursor"
    message: ClassVar[str] = "an empty page has the cursor {next_before}"

    next_before: int


@dataclass(eq=False)
class DuplicateSequenceError(HiveError):
    """A row was met before in this walk. Source: hive.md section 10.1."""

    code: ClassVar[str] = "duplicate_sequence"
    message: ClassVar[str] = "the sequence {sequence} was read twice"

    sequence: int


@dataclass(eq=False)
class PageOutOfRangeError(HiveError):
    """A row is not below what was asked for. Source: hive.md section 10.1."""

    code: ClassVar[str] = "page_out_of_range"
    message: ClassVar[str] = "the sequence {sequence} is not below {before}"

    sequence: int
    before: int


@dataclass(eq=False)
class PageNotDescendingError(HiveError):
    """A page is not newest first. Source: hive.md section 10.1."""

    code: ClassVar[str] = "page_not_descending"
    message: ClassVar[str] = "the sequence {previous} is followed by {next}"

    previous: int
    next: int


@dataclass(eq=False)
class CursorDidNotAdvanceError(HiveError):
    """A cursor is not below the one before it. Source: hive.md section 10.1."""

    code: ClassVar[str] = "cursor_did_not_advance"
    message: ClassVar[str] = "the cursor {next_before} is not below {before}"

    before: int
    next_before: int


@dataclass(eq=False)
class CursorAfterOldestError(HiveError):
    """A cursor would skip back over rows already read. Source: hive.md section 10.1."""

    code: ClassVar[str] = "cursor_after_oldest"
    message: ClassVar[str] = "the cursor {next_before} is above the oldest row {oldest}"

    next_before: int
    oldest: int


@dataclass(eq=False)
class SessionReadError(HiveError):
    """Reading a page failed; the cause is kept as `__cause__`. Source: hive.md section 10.1."""

    code: ClassVar[str] = "read"
    message: ClassVar[str] = "a page of the log could not be read"


# --- traces, standings, directory, market, episode ----------------------------------------------


@dataclass(eq=False)
class ZeroHalfLifeError(HiveError):
    """Salience weights have a half-life of zero. Source: hive.md section 12."""

    code: ClassVar[str] = "zero_half_life"
    message: ClassVar[str] = "the salience half-life is zero"


@dataclass(eq=False)
class ZeroQuorumThresholdError(HiveError):
    """A quorum of nobody. Source: hive.md section 13.1."""

    code: ClassVar[str] = "zero_quorum_threshold"
    message: ClassVar[str] = "the quorum threshold is zero"


@dataclass(eq=False)
class ZeroQuorumWindowError(HiveError):
    """A quorum without a window. Source: hive.md section 13.1."""

    code: ClassVar[str] = "zero_quorum_window"
    message: ClassVar[str] = "the quorum window is zero"


@dataclass(eq=False)
class ZeroRefutationCapError(HiveError):
    """A refutation cap that nothing could pass. Source: hive.md section 13.1."""

    code: ClassVar[str] = "zero_refutation_cap"
    message: ClassVar[str] = "the refutation cap is zero"


@dataclass(eq=False)
class ZeroDirectoryHalfLifeError(HiveError):
    """A directory with a half-life of zero. Source: hive.md section 14."""

    code: ClassVar[str] = "zero_directory_half_life"
    message: ClassVar[str] = "the directory half-life is zero"


@dataclass(eq=False)
class ZeroDirectoryWindowError(HiveError):
    """A directory without a window. Source: hive.md section 14."""

    code: ClassVar[str] = "zero_directory_window"
    message: ClassVar[str] = "the directory window is zero"


@dataclass(eq=False)
class DuplicateAgentThresholdError(HiveError):
    """One agent has two threshold records. Source: hive.md sections 14 and 15."""

    code: ClassVar[str] = "duplicate_agent_threshold"
    message: ClassVar[str] = "two threshold records are for {agent_id!r}"

    agent_id: str


@dataclass(eq=False)
class ZeroDeferCapError(HiveError):
    """A defer cap that no deferral could stay below. Source: hive.md section 16.1."""

    code: ClassVar[str] = "zero_defer_cap"
    message: ClassVar[str] = "the defer cap is zero"


@dataclass(eq=False)
class UnknownThresholdMemberError(HiveError):
    """A carried threshold is for somebody off the desk. Source: hive.md section 16.1."""

    code: ClassVar[str] = "unknown_threshold_member"
    message: ClassVar[str] = "a threshold is for {agent_id!r}, who is no member of desk {desk_id!r}"

    agent_id: str
    desk_id: str
