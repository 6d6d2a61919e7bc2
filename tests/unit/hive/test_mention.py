from __future__ import annotations

import time

import pytest

from hivebot.hive.mention import (
    PING_CAP,
    AgentTarget,
    DeskTarget,
    EveryoneTarget,
    Mention,
    MentionAuthor,
    MentionedByAgent,
    MentionedByOther,
    MentionedByPerson,
    MentionTarget,
    PersonTarget,
    resolve,
)
from hivebot.hive.mention.code import code_ranges
from hivebot.hive.roster import Member, Person, Roster
from tests.unit.hive.routing_builders import a_desk, a_roster, desk_set

NOBODY = MentionedByOther()
ROSTER = a_roster(
    Member("ann", "Ann"),
    Member("bob", None),
    people=(Person("p1", "Eva Lindholm"),),
    retired=(),
)
DESKS = desk_set(a_desk("eng", "ann", name="Engineering"))
ANN, BOB, ENG = AgentTarget("ann"), AgentTarget("bob"), DeskTarget("eng")


def found(
    body: str,
    supplied: tuple[Mention, ...] | None = None,
    *,
    author: MentionAuthor = NOBODY,
    roster: Roster = ROSTER,
) -> list[tuple[MentionTarget, str, int, bool]]:
    mentions = resolve(body, supplied, author, roster, DESKS)
    return [(entry.target, entry.text, entry.offset, entry.quiet) for entry in mentions]


def texts(body: str) -> list[str]:
    return [text for _, text, _, _ in found(body)]


def targets(body: str, roster: Roster = ROSTER) -> list[MentionTarget]:
    return [target for target, _, _, _ in found(body, roster=roster)]


# --- where a mention may stand ------------------------------------------------------------------


@pytest.mark.parametrize("before", ["", " ", "\t", "\n", "\f", "\r", "(", "[", "{", "x ", "ü("])
def test_an_at_sign_opens_behind_a_space_or_a_bracket(before: str) -> None:
    assert found(f"{before}@ann") == [(ANN, "@ann", len(before.encode()), False)]


@pytest.mark.parametrize(
    "before", ["x", "/", ",", "\v", "\u00a0", "\u2003", "'", '"', "<", "@", "é"]
)
def test_an_at_sign_does_not_open_behind_anything_else(before: str) -> None:
    assert found(f"{before}@ann") == []


CLOSERS = " \t\n\v\f\r\u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000,;.?!:)]}'\""


@pytest.mark.parametrize("after", [*CLOSERS, ""])
def test_white_space_and_some_punctuation_close_a_token(after: str) -> None:
    assert texts(f"@ann{after}x" if after else "@ann") == ["@ann"]


@pytest.mark.parametrize(
    "after", ["-", "/", "(", "`", "*", "\x1c", "\x1f", "\u200b", "»", "ð", "耀"]
)
def test_nothing_else_closes_a_token(after: str) -> None:
    assert texts(f"@ann{after}") == []


def test_a_token_with_an_at_sign_in_it_is_none() -> None:
    assert texts("@ann@bob") == []
    assert texts("@ann(@bob") == ["@bob"]


def test_a_desk_is_named_with_a_hash_too() -> None:
    assert found("@#Engineering, @eng") == [
        (ENG, "@#Engineering", 0, False),
        (ENG, "@eng", 15, True),
    ]
    assert texts("@#ann @##eng @# eng @#") == []


@pytest.mark.parametrize("body", ["@", "@ ann", "@-ann", "@.", "@\u0301ann", "@\ud800", ""])
def test_a_name_begins_with_a_letter_a_digit_or_an_underscore(body: str) -> None:
    assert texts(body) == []


# --- whom a name names --------------------------------------------------------------------------


def test_names_are_compared_in_full_lower_case() -> None:
    roster = a_roster(Member("a", "ΟΔΟΣ"), Member("b", "İnci"), Member("c", "straße"))
    assert targets("@οδος @i\u0307nci @STRASSE", roster) == [AgentTarget("a"), AgentTarget("b")]


def test_a_blank_name_or_label_is_no_alias() -> None:
    roster = a_roster(Member("a", " "), people=(Person("p", "\u3000"), Person("q", "!!")))
    assert targets("@a @p @q", roster) == [AgentTarget("a")]


def test_a_name_with_a_closer_in_it_or_a_wrong_start_cannot_be_written() -> None:
    roster = a_roster(Member("a", "Dr.No"), Member("b", "-dash"), Member("c", "x@y"))
    assert targets("@Dr.No @-dash @x@y", roster) == []


def test_a_name_of_two_targets_names_nobody_however_often_it_is_taken() -> None:
    roster = a_roster(Member("a", "Sam"), Member("b", "sam"), Member("c", "SAM"))
    assert targets("@sam", roster) == []


def test_a_desk_called_like_a_group_word_leaves_the_word_ambiguous() -> None:
    desks = desk_set(a_desk("here"))
    assert resolve("@here", None, NOBODY, ROSTER, desks) == ()
    assert [m.target for m in resolve("@#here", None, NOBODY, ROSTER, desks)] == [
        DeskTarget("here")
    ]


def test_a_person_is_named_by_label_or_slug() -> None:
    roster = a_roster(people=(Person("p", "Eva"), Person("q", " Jo-Ann  O'Neil! ")))
    assert targets("@EVA @jo_ann_o_neil", roster) == [PersonTarget("p"), PersonTarget("q")]


def test_slugs_are_numbered_past_those_reached_by_numbering() -> None:
    labels = ["a b", "a-b", "a b 2", "a.b", "a b 2!"]
    roster = a_roster(people=tuple(Person(f"p{at}", label) for at, label in enumerate(labels)))
    assert targets("@a_b @a_b_2 @a_b_2_2 @a_b_3 @a_b_2_3", roster) == [
        PersonTarget(f"p{at}") for at in range(5)
    ]


def test_a_malformed_roster_or_desk_set_names_nobody() -> None:
    assert resolve("@ann", None, NOBODY, a_roster("ann", "ann"), DESKS) == ()
    assert resolve("@ann", None, NOBODY, ROSTER, desk_set(a_desk(""))) == ()


# --- code ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        "`@ann`",
        "``a ` @ann ``",
        "`a\n@ann`",
        "```\n@ann\n```",
        "   ~~~ @ann\nx\n~~~",
        "```\n@ann",
        "```\n``\n@ann\n```",
        "````\n```\n@ann\n````",
        "```\n~~~\n@ann\n```",
        "```\n```x\n@ann\n```",
        "~~~ `\n@ann\n~~~",
        "`a\n```\n```\n@ann`",
        "~~~\n    ~~~\n@ann\n~~~",
    ],
)
def test_a_mention_in_code_does_not_exist(body: str) -> None:
    assert texts(body) == []


@pytest.mark.parametrize(
    "body",
    [
        "` @ann",
        "`` @ann `",
        "``` ` ``` @ann",
        "    ```\n@ann",
        "\t```\n@ann",
        "``\n@ann\n",
        "```\nx\n```\n@ann",
        "```\nx\n```` \u2003\r\n@ann",
        "~~\n@ann",
        "```\n`\n```\n`@x @ann",
        "`a` @ann `b`",
        "```x\ry```\n@ann",
    ],
)
def test_a_mention_outside_code_counts(body: str) -> None:
    assert "@ann" in texts(body)


def test_code_ranges_are_bytes_in_order_and_swallow_what_lies_within() -> None:
    assert code_ranges("ü`a`\n```\nx\n```\n".encode()).starts == (2, 6)
    ranges = code_ranges(b"`a\n```\n`\n```\nb` c\n~~~\n")
    assert (ranges.starts, ranges.ends) == ((0, 18), (15, 22))
    assert [ranges.holds(offset) for offset in (0, 14, 15, 17, 18, 21, 22)] == [
        True,
        True,
        False,
        False,
        True,
        True,
        False,
    ]


# --- supplied lists -----------------------------------------------------------------------------


def test_a_supplied_mention_keeps_its_target_and_its_quiet_flag() -> None:
    quiet = Mention(BOB, "@bob", 5, quiet=True)
    assert found("@ann @bob", (quiet,)) == [(BOB, "@bob", 5, True)]


@pytest.mark.parametrize(
    "entry",
    [
        Mention(ANN, "@ann", 2**64 - 1),
        Mention(ANN, "@ann", 8),
        Mention(ANN, "@ann x", 3),
        Mention(ANN, "@an", 3),
        Mention(ANN, "", 0),
        Mention(ANN, "", 99),
        Mention(ANN, "ann", 4),
        Mention(ANN, "@bob", 3),
        Mention(ANN, "@ann", 11),
        Mention(ANN, "@ann", 1),
    ],
)
def test_a_supplied_mention_that_is_not_written_there_is_dropped(entry: Mention) -> None:
    assert found("ü @ann x `@ann`", (entry,)) == []


def test_a_supplied_mention_that_names_another_target_today_is_quiet() -> None:
    assert found("@ann", (Mention(BOB, "@ann", 0),)) == [(BOB, "@ann", 0, True)]
    assert found("@gone", (Mention(ANN, "@gone", 0),)) == [(ANN, "@gone", 0, True)]
    by_name = DeskTarget("Engineering")
    assert found("@eng", (Mention(by_name, "@eng", 0),)) == [(by_name, "@eng", 0, True)]


def test_a_supplied_mention_of_a_retired_agent_is_quiet() -> None:
    roster = a_roster("ann", retired=("ann",))
    assert found("@ann", (Mention(ANN, "@ann", 0),), roster=roster) == [(ANN, "@ann", 0, True)]


def test_a_supplied_list_is_sorted_and_each_place_counts_once() -> None:
    supplied = (
        Mention(BOB, "@bob", 5),
        Mention(ANN, "@ann", 0),
        Mention(BOB, "@ann", 0),
    )
    assert found("@ann @bob", supplied) == [(ANN, "@ann", 0, False), (BOB, "@bob", 5, False)]


def test_a_dropped_self_mention_leaves_its_place_free() -> None:
    supplied = (Mention(ANN, "@ann", 0), Mention(BOB, "@ann", 0))
    assert found("@ann", supplied, author=MentionedByAgent("ann")) == [(BOB, "@ann", 0, True)]


# --- pings --------------------------------------------------------------------------------------


def test_nobody_mentions_itself_but_others_of_the_same_id() -> None:
    roster = a_roster("ann", people=(Person("ann", "Annie"),))
    both = "@ann @annie"
    by_agent = found(both, author=MentionedByAgent("ann"), roster=roster)
    by_person = found(both, author=MentionedByPerson("ann"), roster=roster)
    assert [target for target, *_ in by_agent] == [PersonTarget("ann")]
    assert [target for target, *_ in by_person] == [ANN]


def test_a_quiet_first_mention_silences_the_later_ones() -> None:
    supplied = (Mention(ANN, "@ann", 0, quiet=True), Mention(ANN, "@ann", 5))
    assert found("@ann @ann", supplied) == [(ANN, "@ann", 0, True), (ANN, "@ann", 5, True)]


def test_everyone_channel_and_here_are_one_target() -> None:
    quiet = [(target, hushed) for target, _, _, hushed in found("@channel @here @everyone")]
    assert quiet == [
        (EveryoneTarget(), False),
        (EveryoneTarget(), True),
        (EveryoneTarget(), True),
    ]


def test_only_the_first_fifty_mentions_ping_and_repeats_take_no_place() -> None:
    names = [f"m{at}" for at in range(PING_CAP + 2)]
    body = " ".join(f"@{name}" for name in ["m0", *names])
    pings = [text for _, text, _, quiet in found(body, roster=a_roster(*names)) if not quiet]
    assert pings == [f"@{name}" for name in names[:PING_CAP]]


# --- cost ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("@" * 100_000, id="at signs"),
        pytest.param(" @ann" * 20_000, id="one name over and over"),
        pytest.param("@" + "x" * 100_000, id="one long token"),
        pytest.param("(@x" * 33_000, id="tokens that run into the next"),
        pytest.param(" ".join("`" * n for n in range(1, 447)), id="runs of every length"),
        pytest.param("`a` @ann " * 11_000, id="a span before every mention"),
        pytest.param("```\n" * 25_000, id="fences"),
        pytest.param("@é" * 33_000, id="two-byte letters"),
    ],
)
def test_a_hundred_kilobytes_are_read_in_linear_time(body: str) -> None:
    half = _seconds(body[: len(body) // 2])
    # A quadratic reader takes seconds here; the bounds leave room for a busy machine.
    assert _seconds(body) < max(0.5, 8 * half)


def _seconds(body: str) -> float:
    begun = time.process_time()
    resolve(body, None, NOBODY, ROSTER, DESKS)
    return time.process_time() - begun
