from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from hivebot.errors import HivebotError
from hivebot.hive.conversation import (
    AgentAuthor,
    Conversation,
    OperatorAuthor,
    PersonAuthor,
    SystemAuthor,
    TranscriptAuthor,
)
from hivebot.hive.errors import (
    CursorAfterOldestError,
    CursorDidNotAdvanceError,
    DuplicateSequenceError,
    EmptyPageCursorError,
    HiveError,
    PageNotDescendingError,
    PageOutOfRangeError,
    PageTooLargeError,
    SessionReadError,
)
from hivebot.hive.transcript import (
    PAGE_SIZE,
    SCAN_LIMIT,
    LogPage,
    LogRow,
    PageRequest,
    Role,
    SessionMessage,
    SessionQuery,
    ViewedMessage,
    project_session,
    session_walk,
    turns,
)
from tests.unit.hive.routing_builders import OPERATOR, by_agent

ENG = Conversation("eng", "Engineering")
THREAD = Conversation("eng", "Engineering", 5)


def row(
    sequence: int, content: str = "x", *, chat: str | None = "eng", parent: int | None = None
) -> LogRow:
    return LogRow(sequence, chat, parent, OPERATOR, content)


def page(*rows: LogRow, then: int | None = None) -> LogPage:
    return LogPage(rows, then)


def scripted(pages: Sequence[LogPage]) -> Callable[[int | None, int], LogPage]:
    script = iter(pages)

    def read(before: int | None, limit: int) -> LogPage:
        return next(script)

    return read


def taken(
    *pages: LogPage,
    conversation: Conversation = ENG,
    window: int = 30,
    before: int | None = None,
) -> list[int]:
    query = SessionQuery(conversation, before, window)
    return [message.sequence for message in project_session(scripted(pages), query)]


def refused(*pages: LogPage, before: int | None = None) -> dict[str, object]:
    with pytest.raises(HiveError) as caught:
        taken(*pages, before=before)
    return caught.value.wire()


# --- which rows belong --------------------------------------------------------------------------


def test_a_window_of_zero_reads_nothing() -> None:
    assert taken(window=0) == []


def test_a_channel_holds_the_rows_of_its_id_or_name_outside_threads() -> None:
    rows = (row(9, chat="Engineering"), row(8, chat="other"), row(7, parent=5), row(6), row(5, " "))
    assert taken(page(*rows)) == [6, 9]


def test_general_rows_belong_to_a_general_conversation() -> None:
    rows = (row(3, chat=None), row(2, chat="MAIN"), row(1, chat="eng"))
    assert taken(page(*rows), conversation=Conversation("General", "General")) == [2, 3]


def test_a_thread_holds_its_root_and_replies_and_ends_at_the_root() -> None:
    rows = (row(9, parent=5), row(8, parent=4), row(7), row(6, parent=5), row(5), row(4, parent=5))
    assert taken(page(*rows, then=4), conversation=THREAD) == [5, 6, 9]


def test_a_blank_root_ends_the_walk_without_being_taken() -> None:
    assert taken(page(row(6, parent=5), row(5, "\n"), then=5), conversation=THREAD) == [6]


def test_another_conversations_row_of_the_roots_number_does_not_end_the_walk() -> None:
    rows = (row(5, chat="other"), row(4, parent=5))
    assert taken(page(*rows), conversation=THREAD) == [4]


def test_a_full_window_ends_the_walk() -> None:
    assert taken(page(row(9), row(8, " "), row(7), row(6), then=6), window=2) == [7, 9]


def test_messages_keep_author_and_content_as_they_are() -> None:
    stored = LogRow(3, "eng", None, by_agent("ann"), " two\nlines ")
    query = SessionQuery(ENG, None, 30)
    assert project_session(scripted([page(stored)]), query) == (
        SessionMessage(3, by_agent("ann"), " two\nlines "),
    )


# --- reads --------------------------------------------------------------------------------------


def test_the_walk_goes_on_at_the_cursor_until_there_is_none() -> None:
    assert taken(page(row(9), then=5), page(row(4)), before=10) == [4, 9]


def test_a_caller_that_waits_for_its_reads_can_drive_the_walk_itself() -> None:
    walk = session_walk(SessionQuery(ENG, 10, 30))
    assert next(walk) == PageRequest(10, PAGE_SIZE)
    assert walk.send(page(row(9), then=9)) == PageRequest(9, PAGE_SIZE)
    with pytest.raises(StopIteration) as stop:
        walk.send(page())
    assert stop.value.value == (SessionMessage(9, OPERATOR, "x"),)


def test_the_walk_stops_short_after_the_scan_limit() -> None:
    asked: list[tuple[int | None, int]] = []

    def read(before: int | None, limit: int) -> LogPage:
        asked.append((before, limit))
        top = 10_000 if before is None else before - 1
        count = min(limit, 500)
        rows = tuple(row(top - at, chat="other") for at in range(count))
        return LogPage(rows, rows[-1].sequence)

    assert project_session(read, SessionQuery(ENG, None, 30)) == ()
    assert [limit for _, limit in asked] == [512, 512, 512, 512, SCAN_LIMIT - 2000]


def test_a_failed_read_keeps_its_cause() -> None:
    def read(before: int | None, limit: int) -> LogPage:
        raise HivebotError("the store is away")

    with pytest.raises(SessionReadError) as caught:
        project_session(read, SessionQuery(ENG, None, 30))
    assert isinstance(caught.value.__cause__, HivebotError)


# --- pages that break the contract --------------------------------------------------------------


def test_a_page_larger_than_asked_is_refused_before_anything_else() -> None:
    rows = tuple(row(1) for _ in range(PAGE_SIZE + 1))
    assert refused(page(*rows)) == PageTooLargeError(PAGE_SIZE, PAGE_SIZE + 1).wire()


def test_an_empty_page_has_no_cursor() -> None:
    assert refused(page(then=4)) == EmptyPageCursorError(4).wire()
    assert taken(page()) == []


def test_a_row_is_read_once_in_a_walk() -> None:
    assert refused(page(row(3), row(3))) == DuplicateSequenceError(3).wire()
    assert refused(page(row(3), then=3), page(row(3))) == DuplicateSequenceError(3).wire()


def test_a_row_is_below_what_was_asked_for_and_below_its_predecessor() -> None:
    assert refused(page(row(9)), before=9) == PageOutOfRangeError(9, 9).wire()
    assert refused(page(row(3), row(4))) == PageNotDescendingError(3, 4).wire()


def test_a_cursor_goes_down_and_does_not_pass_over_rows() -> None:
    assert refused(page(row(5), then=9), before=9) == CursorDidNotAdvanceError(9, 9).wire()
    assert refused(page(row(5), then=6)) == CursorAfterOldestError(6, 5).wire()
    assert taken(page(row(5), then=2), page(row(1))) == [1, 5]


# --- one participant's view ---------------------------------------------------------------------


def viewed(author: TranscriptAuthor, *, numbered: bool = False) -> ViewedMessage:
    (only,) = turns("ann", numbered, [SessionMessage(7, author, "one\ntwo")])
    return only


def test_only_the_viewers_own_words_are_its_own() -> None:
    own = viewed(by_agent("ann"), numbered=True)
    assert own == ViewedMessage(Role.ASSISTANT, "one\ntwo")
    assert viewed(by_agent("Ann")).role is Role.USER
    assert viewed(PersonAuthor("ann", "Ann")).role is Role.USER


@pytest.mark.parametrize(
    ("author", "name"),
    [
        (OperatorAuthor(), "operator"),
        (PersonAuthor("p1", "Eva "), "Eva "),
        (PersonAuthor("p1", "\u2003"), "p1"),
        (AgentAuthor("bob", ""), "bob"),
        (SystemAuthor("notice", " "), "notice"),
        (SystemAuthor("notice", "Host"), "Host"),
    ],
)
def test_other_words_stand_under_a_name_on_the_first_line(
    author: TranscriptAuthor, name: str
) -> None:
    assert viewed(author) == ViewedMessage(Role.USER, f"{name}: one\ntwo")
    assert viewed(author, numbered=True).content == f"[7] {name}: one\ntwo"


def test_no_message_is_merged_or_dropped() -> None:
    messages = [SessionMessage(at, by_agent("bob"), "") for at in (3, 1, 2)]
    assert [entry.content for entry in turns("ann", True, messages)] == [
        "[3] Bob: ",
        "[1] Bob: ",
        "[2] Bob: ",
    ]
