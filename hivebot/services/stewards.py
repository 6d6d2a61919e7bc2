"""Is this person a steward of the desk, at this moment? Asked for anew each time.

Source: rights.md 1.
"""

from __future__ import annotations

from hivebot.services.ports import RightsDirectory
from hivebot.services.records.policy import DeskConfig


async def is_steward(
    directory: RightsDirectory, team_id: str, desk: DeskConfig, user_id: str
) -> bool:
    """By the person's own id, or as a member of a listed user group.

    A guest, a stranger, a bot, a gone or an unknown person decides nothing.
    """
    directory.forget_person(team_id, user_id)
    person = await directory.person(team_id, user_id)
    if person.deactivated or person.bot or person.stranger or person.guest:
        return False
    if user_id in desk.stewards:
        return True
    for group in (steward for steward in desk.stewards if steward.startswith("S")):
        if user_id in await directory.members_of_group(team_id, group):
            return True
    return False
