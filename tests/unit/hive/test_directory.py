"""Does the directory know who knows what as the contract says?"""

from __future__ import annotations

import pytest

from hivebot.hive.directory import (
    WEIGHT_CEILING,
    Credit,
    Directory,
    DirectoryEntry,
    DirectoryPolicy,
    credits_given,
    directory,
    sorted_directory,
)
from hivebot.hive.errors import (
    DuplicateAgentThresholdError,
    HiveError,
    ZeroDirectoryHalfLifeError,
    ZeroDirectoryWindowError,
)
from hivebot.hive.threshold import AgentThreshold
from hivebot.hive.trace import Trace
from tests.unit.hive.room import OPERATOR, heard

POLICY = DirectoryPolicy(window=100)


def folded(
    traces: tuple[Trace, ...],
    *priors: AgentThreshold,
    policy: DirectoryPolicy = POLICY,
    at: int | None = None,
) -> dict[tuple[str, str], tuple[int, int, int]]:
    """(specialisation, credibility, weight) by (agent, topic), as of the last trace."""
    now = traces[-1].sequence if at is None else at
    return {
        (entry.agent_id, entry.topic): (entry.specialisation, entry.credibility, entry.weight)
        for entry in directory(traces, now, policy, priors).entries
    }


@pytest.mark.parametrize(
    ("policy", "error"),
    [
        (DirectoryPolicy(half_life=0, window=0), ZeroDirectoryHalfLifeError),
        (DirectoryPolicy(window=0), ZeroDirectoryWindowError),
        (DirectoryPolicy(), DuplicateAgentThresholdError),
    ],
)
def test_what_cannot_be_folded_is_refused_in_order(
    policy: DirectoryPolicy, error: type[HiveError]
) -> None:
    with pytest.raises(error):
        directory((), 0, policy, [AgentThreshold("anna"), AgentThreshold("anna")])


def test_facts_weigh_more_than_grounded_positions_and_nothing_else_weighs() -> None:
    traces = heard(
        ("anna", "!evidence #fact"),
        ("anna", "!propose #p ^0\n!support #s ^0\n!refute #r ^0"),
        ("anna", "!propose #no\n!support #no\n!object #no ^0\n!question #no ^0\n!commit #no ^0"),
        (OPERATOR, "!evidence #no"),
    )
    assert folded(traces, policy=DirectoryPolicy(half_life=10**6), at=4) == {
        ("anna", "fact"): (1000, 0, 3000),
        ("anna", "p"): (600, 0, 1800),
        ("anna", "r"): (600, 0, 1800),
        ("anna", "s"): (600, 0, 1800),
    }


def test_each_deposit_fades_and_is_rounded_on_its_own() -> None:
    traces = heard(("anna", "!propose #a ^0\n!support #a ^0"), (OPERATOR, "hm"))
    assert folded(traces, at=2)["anna", "a"] == (2 * (600 * 975 // 1000), 0, 3510)


def test_only_the_window_counts() -> None:
    traces = heard(("anna", "!evidence #a"), ("carl", "!evidence #b"), ("sven", "!evidence #c"))
    assert set(folded(traces, policy=DirectoryPolicy(window=1), at=2)) == {
        ("anna", "a"),
        ("carl", "b"),
    }


def test_a_citation_credits_the_holder_on_the_topic_of_the_citing_trace() -> None:
    traces = heard(("anna", "!evidence dry"), ("carl", "!question #pool ^1"))
    assert folded(traces) == {("anna", "pool"): (0, 1000, 2000)}


def test_a_citing_trace_credits_each_holder_once_and_never_its_author() -> None:
    traces = heard(
        ("anna", "!evidence #a\n!evidence #b"),
        ("anna", "!evidence #a"),
        ("carl", "!question #pool ^1 ^2"),
        ("anna", "!question #pool ^1"),
        (OPERATOR, "!question #pool ^1"),
        ("carl", "!question ^1"),
    )
    assert folded(traces, policy=DirectoryPolicy(half_life=10**6))["anna", "pool"] == (
        0,
        1000,
        2000,
    )


def test_an_objection_takes_from_every_topic_its_target_answers_for() -> None:
    traces = heard(
        ("anna", "!evidence #a\n!evidence spare"),
        ("carl", "!question #b ^1"),
        ("sven", "!object >1"),
    )
    eternal = DirectoryPolicy(half_life=10**6, discredit=4)
    credits_first = folded(traces, policy=eternal)
    assert credits_first["anna", "b"] == (0, 1000 - 400, 1200)
    # the debit on #a is clamped: nobody credited it
    assert credits_first["anna", "a"] == (1000, 0, 3000)


def test_credibility_is_clamped_only_after_everything_was_added() -> None:
    traces = heard(
        ("anna", "!evidence #a"),
        ("sven", "!object >1"),
        ("carl", "!question #a ^1"),
        ("otto", "!question #a ^1"),
        ("mona", "!question #a ^1"),
    )
    eternal = DirectoryPolicy(half_life=10**6, discredit=20)
    assert folded(traces, policy=eternal)["anna", "a"] == (1000, 3000 - 2000, 5000)


def test_objections_that_find_nobody_else_take_nothing() -> None:
    traces = heard(
        ("anna", "!evidence #a"),
        ("carl", "!question #a ^1"),
        ("anna", "!object >1"),
        (OPERATOR, "!object >1"),
        ("sven", "!object\n!object >2\n!object >9"),
    )
    assert folded(traces, policy=DirectoryPolicy(half_life=10**6))["anna", "a"] == (
        1000,
        1000,
        5000,
    )


def test_a_declared_affinity_counts_up_to_a_hundred_and_the_first_wins() -> None:
    priors = [
        AgentThreshold("carl", 0, (("b", 7), ("a", 255), ("b", 90))),
        AgentThreshold("anna", 0, (("a", 0),)),
    ]
    assert folded((), *priors, at=0) == {("carl", "a"): (0, 0, 1000), ("carl", "b"): (0, 0, 70)}


def test_a_deferral_zeroes_the_weight_and_makes_no_entry() -> None:
    traces = heard(("anna", "!evidence #a"), ("anna", "!defer #a\n!defer #b"))
    assert folded(traces, at=2) == {("anna", "a"): (975, 0, 0)}


def test_a_weight_stays_below_the_ceiling() -> None:
    greedy = DirectoryPolicy(specialisation=65_535)
    traces = heard(("anna", "!evidence #a\n!evidence #a"))
    assert folded(traces, policy=greedy)["anna", "a"] == (2000, 0, WEIGHT_CEILING)


ANNA = DirectoryEntry("anna", "pool", 900, 520, 1420)
CARL = DirectoryEntry("carl", "pool", 300, 0, 300)
BERT = DirectoryEntry("bert", "pool", 300, 0, 300)
ZERO = DirectoryEntry("zora", "cache", 10, 0, 0)
KNOWN = Directory((ZERO, ANNA, BERT, CARL))


def test_topics_come_once_and_in_order() -> None:
    assert KNOWN.topics() == ("cache", "pool")


def test_a_pair_without_an_entry_weighs_nothing() -> None:
    assert KNOWN.weight("anna", "pool") == 1420
    assert KNOWN.weight("anna", "cache") == 0
    assert KNOWN.weight("nobody", "pool") == 0


def test_knowing_is_reaching_the_floor() -> None:
    assert KNOWN.knows("anna", "pool", DirectoryPolicy(floor=1420))
    assert not KNOWN.knows("anna", "pool", DirectoryPolicy(floor=1421))
    assert KNOWN.knows("nobody", "nothing", DirectoryPolicy(floor=0))


def test_the_top_is_the_heaviest_and_the_smallest_id_on_ties() -> None:
    assert KNOWN.top("pool") == "anna"
    assert Directory((BERT, CARL)).top("pool") == "bert"
    assert KNOWN.top("cache") == "zora"
    assert KNOWN.top("nothing") is None


def test_among_members_the_earlier_wins_a_tie_and_only_holders_count() -> None:
    assert KNOWN.top_among("pool", ["zora", "carl", "bert"]) == "carl"
    assert KNOWN.top_among("cache", ["anna", "zora"]) == "zora"
    assert KNOWN.top_among("pool", ["zora"]) is None


def test_lines_name_the_holders_of_each_topic_heaviest_first() -> None:
    assert KNOWN.lines() == (
        "#cache: zora 0 (spec 10, cred 0)",
        (
            "#pool: anna 1420 (spec 900, cred 520) · bert 300 (spec 300, cred 0)"
            " · carl 300 (spec 300, cred 0)"
        ),
    )


def test_stored_entries_are_put_in_order() -> None:
    assert sorted_directory([CARL, ZERO, ANNA, BERT]) == KNOWN


@pytest.mark.parametrize(
    "entries",
    [
        [ANNA, CARL, DirectoryEntry("anna", "pool", 0, 0, 1)],
        [DirectoryEntry("anna", "pool", 0, 0, -1)],
        [DirectoryEntry("anna", "pool", 0, 0, WEIGHT_CEILING + 1)],
    ],
)
def test_stored_entries_that_cannot_be_are_refused(entries: list[DirectoryEntry]) -> None:
    assert sorted_directory(entries) is None


def test_credit_is_told_by_who_gives_it_to_whom() -> None:
    traces = heard(
        ("anna", "!evidence #a\n!evidence #b"),
        ("carl", "!evidence dry"),
        ("sven", "!question #pool ^2 ^1\n!question ^1"),
        ("anna", "!question #pool ^1 ^2"),
        (OPERATOR, "!question #pool ^1"),
    )
    policy = DirectoryPolicy(half_life=10**6)
    assert credits_given(traces, 5, policy) == (
        Credit("sven", "anna", "pool", 1000),
        Credit("sven", "carl", "pool", 1000),
        Credit("anna", "carl", "pool", 1000),
    )
    known = folded(traces, policy=policy, at=5)
    assert {pair: parts[1] for pair, parts in known.items() if parts[1]} == {
        ("anna", "pool"): 1000,
        ("carl", "pool"): 2000,
    }


def test_credit_fades_and_counts_in_the_window_only() -> None:
    traces = heard(
        ("anna", "!evidence #a"), ("carl", "!question #a ^1"), ("carl", "!question #a ^1")
    )
    assert credits_given(traces, 3, DirectoryPolicy(half_life=2)) == (
        Credit("carl", "anna", "a", 750),
        Credit("carl", "anna", "a", 1000),
    )
    assert credits_given(traces, 3, DirectoryPolicy(window=1)) == ()


@pytest.mark.parametrize(
    ("policy", "error"),
    [
        (DirectoryPolicy(half_life=0, window=0), ZeroDirectoryHalfLifeError),
        (DirectoryPolicy(window=0), ZeroDirectoryWindowError),
    ],
)
def test_credit_is_refused_under_a_policy_in_which_nothing_counts(
    policy: DirectoryPolicy, error: type[HiveError]
) -> None:
    with pytest.raises(error):
        credits_given((), 0, policy)
