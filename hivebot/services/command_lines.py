"""Which sentences do people read who command hivebot, or keep it running?

Beside `lines`, which holds what is said about questions. Source: product.md 8 and 9, rights.md 1.
"""

from __future__ import annotations

from collections.abc import Sequence

from hivebot.services.records.outgoing import Body

CHANGES_TOLD = 15


def config_refused(problems: Sequence[str], revision: str, most: int) -> Body:
    """To admins: the files cannot be used, what is in force still, and what to mend."""
    told = [f"• {problem}" for problem in problems[:most]]
    if len(problems) > most:
        told.append(f"• and {len(problems) - most} more; the log has all of them")
    return Body(
        heading="The configuration files cannot be used",
        text="\n".join(told),
        small=f"Revision {revision} stays in force, whole. Mend the files; they are read again",
    )


def config_taken(revision: str, changes: Sequence[str], warnings: Sequence[str]) -> Body:
    """To an admin: what is in force now, and what has changed by it."""
    if not changes:
        return Body(text=f"Nothing has changed: revision {revision} is in force.")
    told = [f"• {change}" for change in changes[:CHANGES_TOLD]]
    if len(changes) > CHANGES_TOLD:
        told.append(f"• and {len(changes) - CHANGES_TOLD} more; see `hivebot config history`")
    told += [f"• warning: {warning}" for warning in warnings[:CHANGES_TOLD]]
    return Body(
        heading=f"Revision {revision} is in force",
        text="\n".join(told),
        small="What has begun runs to its end under the revision it began with",
    )
