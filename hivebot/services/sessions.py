"""Which rows may a turn in this conversation see? The session projection, read page by page.

Source: hive.md 10.1, product.md 3.
"""

from __future__ import annotations

from hivebot.hive.conversation import Conversation
from hivebot.hive.transcript import LogPage, LogRow, PageRequest, SessionQuery, session_walk
from hivebot.services.ports import Messages
from hivebot.services.records.rows import ConversationRow, MessageRole, MessageRow


async def read_session(
    messages: Messages, conversation: ConversationRow, window: int
) -> tuple[MessageRow, ...]:
    """The newest `window` rows a turn may see, oldest first.

    A thread's log is asked for with root 1: its rows carry parent 1, its root none. Rows marked
    `backfilled` are read by no fold and count as blank.
    """
    in_thread = conversation.root_seq is not None
    place = Conversation(conversation.desk_id, conversation.desk_id, 1 if in_thread else None)
    walk = session_walk(SessionQuery(place, before=None, window=window))
    rows: dict[int, MessageRow] = {}
    page: LogPage | None = None
    while True:
        try:
            request = next(walk) if page is None else walk.send(page)
        except StopIteration as ended:
            return tuple(rows[message.sequence] for message in ended.value)
        limit = min(request.limit, 2 * window)
        page = await _page(messages, conversation, PageRequest(request.before, limit), rows)


async def _page(
    messages: Messages,
    conversation: ConversationRow,
    request: PageRequest,
    rows: dict[int, MessageRow],
) -> LogPage:
    found = await messages.window(conversation.id, request.limit, before=request.before)
    rows.update((row.seq, row) for row in found)
    more = len(found) == request.limit and found[-1].seq > 1
    return LogPage(
        tuple(_log_row(conversation, row) for row in found), found[-1].seq if more else None
    )


def _log_row(conversation: ConversationRow, row: MessageRow) -> LogRow:
    in_thread = conversation.root_seq is not None
    return LogRow(
        sequence=row.seq,
        chat_id=conversation.desk_id,
        parent=1 if in_thread and row.seq != 1 else None,
        author=row.author,
        content="" if row.role is MessageRole.BACKFILLED else row.content,
    )
