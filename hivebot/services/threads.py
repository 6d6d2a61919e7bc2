"""Where does a message stand? In its channel's log, and as a copy in threads and episodes.

A thread begins with a copy of its root as row 1. Source: product.md 3.
"""

from __future__ import annotations

from hivebot.services.ports import NewMessage, Transaction
from hivebot.services.records.rows import MessageRole, MessageRow


def copy_of_root(thread_id: int, root: MessageRow) -> NewMessage:
    """Row 1 of a thread: its root as it stands in the channel's log."""
    backfilled = root.role is MessageRole.BACKFILLED
    return NewMessage(
        conversation_id=thread_id,
        role=MessageRole.SPEECH if backfilled else root.role,
        author=root.author,
        content=root.content,
        ts=root.ts,
        user_id=root.user_id,
        user_team_id=root.user_team_id,
        shown=root.shown,
        addressed=root.addressed,
        wakes=root.wakes,
        mentions=root.mentions,
        traces=root.traces,
        turn_id=root.turn_id,
        referral_id=root.referral_id,
        copy_of=root.id,
        judged=root.judged or not root.wakes,
        files=root.files,
    )


def copy_into(log_id: int, row: MessageRow) -> NewMessage:
    """A row of a thread as a row of an episode's own log; it is judged there, not again here."""
    return NewMessage(
        conversation_id=log_id,
        role=row.role if row.role is MessageRole.RETURN else MessageRole.SPEECH,
        author=row.author,
        content=row.content,
        ts=row.ts,
        user_id=row.user_id,
        user_team_id=row.user_team_id,
        shown=row.shown,
        referral_id=row.referral_id,
        copy_of=row.id,
        judged=True,
        files=row.files,
    )


async def locked_showing(
    tx: Transaction, team_id: str, channel_id: str, ts: str
) -> tuple[MessageRow, ...]:
    """Every row that shows this Slack message, as it stands once their conversations are locked.

    Whoever is about to copy one of them holds its conversation, so the copy is seen here too.
    """
    locked: set[int] = set()
    while True:
        rows = await tx.messages.find(team_id, channel_id, ts)
        wanted = {row.conversation_id for row in rows} - locked
        if not wanted:
            return rows
        await tx.conversations.lock(sorted(wanted))
        locked |= wanted
