"""What are the options, members and desks of a benchmark called?"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

_OPTIONS: Final = ("stage", "ship", "revert", "shadow", "canary", "freeze", "split", "pilot")
_MEMBERS: Final = (
    "planner",
    "critic",
    "archivist",
    "scout",
    "auditor",
    "historian",
    "builder",
    "reviewer",
)
_DESKS: Final = (
    ("payments", "Payments"),
    ("platform", "Platform"),
    ("mobile", "Mobile"),
    ("data", "Data"),
)


class Role(StrEnum):
    """What a member is on its desk; only critics behave differently."""

    PROPOSER = "proposer"
    CRITIC = "critic"
    ARCHIVIST = "archivist"


_ROLES: Final = (Role.PROPOSER, Role.CRITIC, Role.ARCHIVIST)


def option_names(count: int) -> tuple[str, ...]:
    """Name the first `count` options. Source: bench.md section 1."""
    return tuple(_OPTIONS[i] if i < len(_OPTIONS) else f"topic{i}" for i in range(count))


def member_name(index: int) -> str:
    """Name the member at a place. Source: bench.md section 1."""
    return _MEMBERS[index] if index < len(_MEMBERS) else f"seat{index}"


def role_of(index: int) -> Role:
    """Give the role of the member at a place. Source: bench.md section 1."""
    return _ROLES[index % len(_MEMBERS) % len(_ROLES)]


def desk_name(index: int) -> tuple[str, str]:
    """Give id and display name of a desk; no name has a blank. Source: bench.md section 1."""
    return _DESKS[index] if index < len(_DESKS) else (f"desk{index}", f"Desk-{index}")
