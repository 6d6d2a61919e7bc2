"""Which rows of the log make up a conversation, and how does one participant see them?"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from hivebot.errors import HivebotError
from hivebot.hive.conversation import (
    AgentAuthor,
    Conversation,
    OperatorAuthor,
    SystemAuthor,
    TranscriptAuthor,
    same_conversation,
)
from hivebot.hive.errors import (
    CursorAfterOldestError,
    CursorDidNotAdvanceError,
    DuplicateSequenceError,
    EmptyPageCursorError,
    PageNotDescendingError,
    PageOutOfRangeError,
    PageTooLargeError,
    SessionReadError,
)
from hivebot.hive.scalars import is_blank

SESSION_WINDOW: Final = 30
PAGE_SIZE: Final = 512
SCAN_LIMIT: Final = 2048


@dataclass(frozen=True, slots=True)
class LogRow:
    """One row of the log, of whatever conversation.

    Attributes:
        sequence: Rises strictly within a conversation.
        chat_id: Desk id or name; None is General.
        parent: Sequence of the thread's root; None for a row of the channel.
        author: Who wrote it.
        content: Its text, unchanged.
    """

    sequence: int
    chat_id: str | None
    parent: int | None
    author: TranscriptAuthor
    content: str


@dataclass(frozen=True, slots=True)
class LogPage:
    """What one read of the log gives.

    Attributes:
        messages: Rows, newest first.
        next_before: Where to read on; None is the end of the log.
    """

    messages: tuple[LogRow, ...]
    next_before: int | None


@dataclass(frozen=True, slots=True)
class SessionQuery:
    """Which session is asked for.

    Attributes:
        conversation: Channel or thread.
        before: Only rows strictly below this sequence; None is from the newest.
        window: Most messages to take; normally `SESSION_WINDOW`.
    """

    conversation: Conversation
    before: int | None
    window: int


@dataclass(frozen=True, slots=True)
class SessionMessage:
    """One message of a session.

    Attributes:
        sequence: That of its row.
        author: Who wrote it.
        content: Its text, unchanged.
    """

    sequence: int
    author: TranscriptAuthor
    content: str


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A read the walk needs next.

    Attributes:
        before: Rows strictly below this sequence; None is from the newest.
        limit: Most rows to give, 1 to `PAGE_SIZE`.
    """

    before: int | None
    limit: int


class Role(StrEnum):
    """Whose words a model takes a message for: its own, or anybody else's."""

    ASSISTANT = "assistant"
    USER = "user"


@dataclass(frozen=True, slots=True)
class ViewedMessage:
    """A message as one participant's prompt holds it."""

    role: Role
    content: str


SessionWalk: TypeAlias = Generator[PageRequest, LogPage, tuple[SessionMessage, ...]]


def project_session(
    read: Callable[[int | None, int], LogPage], query: SessionQuery
) -> tuple[SessionMessage, ...]:
    """Collect one conversation's messages from the log, oldest first.

    `read(before, limit)` gives one page, newest first, of at most `limit` rows strictly below
    `before`. It is called at most until `SCAN_LIMIT` rows were seen; a short result is a success.

    Raises:
        HiveError: A page breaks the contract, as `session_walk` says.
        SessionReadError: `read` raised a `HivebotError`, which is kept as the cause.

    Source: hive.md section 10.1.
    """
    walk = session_walk(query)
    try:
        request = next(walk)
        while True:
            try:
                page = read(request.before, request.limit)
            except HivebotError as exc:
                raise SessionReadError from exc
            request = walk.send(page)
    except StopIteration as stop:
        return stop.value


def session_walk(query: SessionQuery) -> SessionWalk:
    """Walk down the log: yield each read that is needed, be sent its page, return the messages.

    The same walk as `project_session`, for a caller that has to wait for its reads.

    1. A window of 0 needs no read.
    2. Ask for at most `PAGE_SIZE` rows, never more than `SCAN_LIMIT` in all, and check the page.
    3. Take every row that belongs and is not blank, until the thread's root or a full window.
    4. Go on from the page's cursor, unless the walk is over, all was scanned or there is none.

    Raises:
        PageTooLargeError: More rows than asked.
        EmptyPageCursorError: No row but a cursor.
        DuplicateSequenceError: A row seen before in this walk.
        PageOutOfRangeError: A row at or above what was asked for.
        PageNotDescendingError: A row not below the one before it.
        CursorDidNotAdvanceError: A cursor at or above the one before it.
        CursorAfterOldestError: A cursor above the page's oldest row.

    Source: hive.md section 10.1.
    """
    taken: list[SessionMessage] = []
    seen: set[int] = set()
    before = query.before
    over = query.window == 0
    while not over and len(seen) < SCAN_LIMIT:
        request = PageRequest(before, min(PAGE_SIZE, SCAN_LIMIT - len(seen)))
        page = yield request
        _check_page(page, request, seen)
        over = _take(page.messages, query, taken)
        over = over or page.next_before is None
        before = page.next_before
    return tuple(reversed(taken))


def _take(rows: Iterable[LogRow], query: SessionQuery, taken: list[SessionMessage]) -> bool:
    root = query.conversation.thread_root
    for row in rows:
        if not _belongs(row, query.conversation):
            continue
        if not is_blank(row.content):
            taken.append(SessionMessage(row.sequence, row.author, row.content))
        if row.sequence == root or len(taken) == query.window:
            return True
    return False


def _belongs(row: LogRow, conversation: Conversation) -> bool:
    if not (
        same_conversation(row.chat_id, conversation.desk_id)
        or same_conversation(row.chat_id, conversation.desk_name)
    ):
        return False
    root = conversation.thread_root
    if root is None:
        return row.parent is None
    return root in (row.sequence, row.parent)


def _check_page(page: LogPage, request: PageRequest, seen: set[int]) -> None:
    if len(page.messages) > request.limit:
        raise PageTooLargeError(request.limit, len(page.messages))
    previous: int | None = None
    for row in page.messages:
        _check_row(row.sequence, previous, request.before, seen)
        seen.add(row.sequence)
        previous = row.sequence
    if page.next_before is None:
        return
    if previous is None:
        raise EmptyPageCursorError(page.next_before)
    if request.before is not None and page.next_before >= request.before:
        raise CursorDidNotAdvanceError(request.before, page.next_before)
    if page.next_before > previous:
        raise CursorAfterOldestError(page.next_before, previous)


def _check_row(sequence: int, previous: int | None, before: int | None, seen: set[int]) -> None:
    if sequence in seen:
        raise DuplicateSequenceError(sequence)
    if before is not None and sequence >= before:
        raise PageOutOfRangeError(sequence, before)
    if previous is not None and sequence >= previous:
        raise PageNotDescendingError(previous, sequence)


def turns(
    viewer_id: str,
    numbered: bool,  # noqa: FBT001 - the contract gives the argument this place
    messages: Sequence[SessionMessage],
) -> tuple[ViewedMessage, ...]:
    """Show messages to one agent: its own words as its own, everybody else's under their name.

    One to one and in order; nothing is merged or dropped. With `numbered`, the words of others
    begin with `[SEQUENCE] `, which is what a deliberating member cites by.

    Source: hive.md section 10.2.
    """
    return tuple(_viewed(viewer_id, message, numbered=numbered) for message in messages)


def _viewed(viewer_id: str, message: SessionMessage, *, numbered: bool) -> ViewedMessage:
    author = message.author
    if isinstance(author, AgentAuthor) and author.id == viewer_id:
        return ViewedMessage(Role.ASSISTANT, message.content)
    number = f"[{message.sequence}] " if numbered else ""
    return ViewedMessage(Role.USER, f"{number}{author_name(author)}: {message.content}")


def author_name(author: TranscriptAuthor) -> str:
    """Give the name an author is shown under.

    1. The operator is `operator`.
    2. The label, unless it is blank.
    3. The kind of a system notice, the id of anybody else.

    Source: hive.md section 10.2.
    """
    if isinstance(author, OperatorAuthor):
        return "operator"
    if not is_blank(author.label):
        return author.label
    return author.kind if isinstance(author, SystemAuthor) else author.id
