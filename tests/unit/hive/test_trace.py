"""Are traces read off a message as the contract says?"""

from __future__ import annotations

import time

import pytest

from hivebot.hive.scalars import U64_MAX
from hivebot.hive.trace import (
    TRACE_CAP,
    Trace,
    TraceKind,
    decay,
    deduplicate,
    read,
    resolve,
    windowed,
)
from tests.unit.hive.room import NIGHTLY, OPERATOR, PAT, agent, room, row, trace

ANNA = agent("anna")


def found(body: str) -> tuple[Trace, ...]:
    """Everything the body holds."""
    return resolve(body, None, ANNA, 7)


def only(body: str) -> Trace:
    """The one trace the body holds."""
    (one,) = found(body)
    return one


@pytest.mark.parametrize("kind", list(TraceKind))
def test_every_kind_is_a_marker(kind: TraceKind) -> None:
    assert only(f"!{kind} #pool ^1").kind is kind


@pytest.mark.parametrize(
    "body",
    [
        "",
        "no marker here",
        "wow! propose",
        "!",
        "!!propose #a",
        "!Propose #a",
        "!propose: #a",
        "!proposes #a",
        "> !propose #a",
        "`!propose #a`",
        "\x1c!propose #a",
        "!propose\x1f#a",
    ],
)
def test_anything_else_is_ordinary_text(body: str) -> None:
    assert found(body) == ()


def test_a_trace_keeps_where_and_by_whom_it_was_said() -> None:
    one = only("  \u3000!support #pool >3 ^4 ^9 because  \r")
    assert one == Trace(
        sequence=7,
        author=ANNA,
        kind=TraceKind.SUPPORT,
        topic="pool",
        target=3,
        cites=(4, 9),
        text="!support #pool >3 ^4 ^9 because  ",
        offset=5,
    )


def test_the_bang_may_stand_apart_from_its_kind() -> None:
    assert only("! \t propose #a").topic == "a"


def test_offsets_count_bytes_and_only_newlines_end_lines() -> None:
    body = "é\u2028!question\n\x0b!question #ü\r\r\n!evidence"
    assert [(one.offset, one.text) for one in found(body)] == [
        (16, "!question #ü"),
        (32, "!evidence"),
    ]


def test_the_first_topic_with_a_name_counts() -> None:
    assert only("!propose # ##a,b #c").topic == "#a,b"


def test_the_first_target_that_is_a_number_counts() -> None:
    assert only("!object >x >5 >6").target == 5


def test_citations_keep_their_order_and_come_once() -> None:
    assert only("!evidence ^9 ^x ^3 ^09 ^").cites == (9, 3)


@pytest.mark.parametrize(
    ("digits", "number"),
    [
        ("0", 0),
        ("007", 7),
        ("+7", 7),
        ("+0", 0),
        (str(U64_MAX), U64_MAX),
        ("0" * 9000 + "12", 12),
    ],
)
def test_a_number_is_an_unsigned_decimal(digits: str, number: int) -> None:
    assert only(f"!object >{digits}").target == number


@pytest.mark.parametrize(
    "digits",
    ["", "+", "++7", "-7", "1_0", "1,0", "٣", "²", str(U64_MAX + 1), "9" * 9000, "7+"],
)
def test_nothing_else_is_a_number(digits: str) -> None:
    assert only(f"!object >{digits}").target is None


@pytest.mark.parametrize(
    "body", ["!refute ^1", "!refute #a", "!refute #a ^x", "!defer", "!defer ^1"]
)
def test_a_refutation_needs_topic_and_citation_and_a_deferral_a_topic(body: str) -> None:
    assert found(body) == ()


def test_a_line_in_a_fence_holds_no_trace() -> None:
    body = "```py\n!propose #a\n~~~\n!propose #b\n \v```\n!propose #c\n~~~\n!propose #d"
    assert [one.topic for one in found(body)] == ["c"]


def test_a_fence_needs_three_of_the_same() -> None:
    assert only("``~\n!propose #a").topic == "a"


def test_a_message_holds_sixteen_traces() -> None:
    found_here = found("!question\n" * (TRACE_CAP + 4))
    assert len(found_here) == TRACE_CAP
    assert found_here[-1].offset == (TRACE_CAP - 1) * len("!question\n")


def test_a_supplied_list_only_selects() -> None:
    body = "!propose #a\n!evidence #b ^1\n!question"
    liar = trace(TraceKind.EVIDENCE, 99, "carl", topic="lie", cites=(5,), offset=12)
    wrong_kind = trace(TraceKind.SUPPORT, offset=0)
    nowhere = trace(TraceKind.PROPOSE, offset=1)
    first_again = trace(TraceKind.PROPOSE, offset=0)
    chosen = resolve(body, [liar, liar, wrong_kind, nowhere, first_again], ANNA, 7)
    assert chosen == (found(body)[1],)


def test_the_supplied_order_is_kept() -> None:
    body = "!propose #a\n!question"
    everything = found(body)
    assert resolve(body, everything[::-1], ANNA, 7) == everything[::-1]


def test_an_empty_supplied_list_selects_nothing() -> None:
    assert resolve("!propose #a", [], ANNA, 7) == ()


def test_a_supplied_list_reaches_beyond_the_cap_and_is_capped_itself() -> None:
    body = "!question\n" * (TRACE_CAP + 4)
    supplied = [trace(TraceKind.QUESTION, offset=10 * at) for at in range(TRACE_CAP + 4)]
    assert len(resolve(body, supplied, ANNA, 7)) == TRACE_CAP
    assert [one.offset for one in resolve(body, supplied[-2:], ANNA, 7)] == [180, 190]


def test_reading_sorts_by_address_and_keeps_repeats() -> None:
    messages = [row(3, "carl", "!question"), *room(("anna", "!question\n!question"))]
    assert [(one.sequence, one.offset) for one in read([*messages, messages[0]])] == [
        (1, 0),
        (1, 10),
        (3, 0),
        (3, 0),
    ]


def test_deduplication_keeps_the_first_at_each_address() -> None:
    late, early = trace(TraceKind.COMMIT, 2), trace(TraceKind.PROPOSE, 1)
    usurper, beside = trace(TraceKind.DEFER, 2), trace(TraceKind.OBJECT, 2, offset=4)
    assert deduplicate([late, beside, early, usurper]) == (early, late, beside)


def test_a_window_has_both_edges_in() -> None:
    spoken = [trace(TraceKind.QUESTION, sequence) for sequence in range(10)]
    assert [one.sequence for one in windowed(spoken, 6, 3)] == [3, 4, 5, 6]
    assert [one.sequence for one in windowed(spoken, 1, 3)] == [0, 1]


def test_only_agents_give_a_trace_an_agent_id() -> None:
    authors = [trace(TraceKind.QUESTION, author=one) for one in ("anna", OPERATOR, PAT, NIGHTLY)]
    assert [one.agent_id for one in authors] == ["anna", None, None, None]


def test_a_trace_with_a_citation_is_grounded() -> None:
    assert trace(TraceKind.PROPOSE, cites=(0,)).grounded
    assert not trace(TraceKind.PROPOSE, target=1).grounded


@pytest.mark.parametrize(
    ("distance", "left"),
    [(0, 1000), (1, 975), (10, 750), (20, 500), (30, 375), (40, 250), (180, 1), (190, 1), (200, 0)],
)
def test_freshness_halves_with_every_half_life(distance: int, left: int) -> None:
    assert decay(distance, 20) == left


def test_freshness_is_gone_however_far_away() -> None:
    assert decay(U64_MAX, 1) == 0


@pytest.mark.parametrize(
    "body",
    [
        "!propose #a\n" * 8000,
        "!propose " + "^1 " * 33_000,
        "!" + " " * 100_000,
        "!object >" + "9" * 100_000,
        "!" + "\n" * 100_000,
        "```\n~~~\n" * 12_000 + "!",
        "é!\n " * 20_000,
        "!evidence " + " ".join(f"^{n}" for n in range(16_000)),
    ],
    ids=["markers", "repeats", "blanks", "digits", "lines", "fences", "bytes", "citations"],
)
def test_the_longest_message_is_read_in_linear_time(body: str) -> None:
    start = time.perf_counter()
    read([row(1, "anna", body)])
    resolve(body, [trace(TraceKind.PROPOSE)], ANNA, 1)
    # generous: a quadratic scan of 100 kB takes minutes
    assert time.perf_counter() - start < 2
