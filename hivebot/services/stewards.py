"""Who are the stewards of a desk: is this person one at this moment, and whom does a line call?

Source: rights.md 1.
"""

from __future__ import annotations

from typing import Final

from hivebot.services.ports import RightsDirectory
from hivebot.services.records.policy import DeskConfig

STEWARDS_MAX: Final = 20
"""Stewards one message mentions; all of them decide."""


def called(desk: DeskConfig) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The stewards that one message mentions: (users, user groups)."""
    every = desk.stewards[:STEWARDS_MAX]
    return (
        tuple(one for one in every if not _is_group(one)),
        tuple(one for one in every if _is_group(one)),
    )


async def is_steward(
    directory: RightsDirectory, team_id: str, desk: DeskConfig, user_id: str
) -> bool:
    """By the person's own id, or as a member of a listed user group; asked for anew each time.

    A guest, a stranger, a bot, a gone or an unknown person decides nothing.
    """
    directory.forget_person(team_id, user_id)
    person = await directory.person(team_id, user_id)
    if person.deactivated or person.bot or person.stranger or person.guest:
        return False
    if user_id in desk.stewards:
        return True
    for group in filter(_is_group, desk.stewards):
        if user_id in await directory.members_of_group(team_id, group):
            return True
    return False


def _is_group(steward: str) -> bool:
    return steward.startswith("S")
