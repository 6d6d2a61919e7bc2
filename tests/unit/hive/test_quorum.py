"""Is the backing of an option counted as the contract says?"""

from __future__ import annotations

import time

import pytest

from hivebot.hive.errors import (
    HiveError,
    ZeroQuorumThresholdError,
    ZeroQuorumWindowError,
    ZeroRefutationCapError,
)
from hivebot.hive.quorum import (
    Consensus,
    Deadlock,
    Deliberating,
    Quorum,
    QuorumPolicy,
    Standing,
    carried,
    consensus,
    standings,
)
from hivebot.hive.trace import Trace, TraceKind
from tests.unit.hive.room import NIGHTLY, OPERATOR, heard, trace

POLICY = QuorumPolicy()
EVIDENTIAL = QuorumPolicy(require_grounded=False, require_evidential=True)
LENIENT = QuorumPolicy(require_grounded=False)


def only(traces: tuple[Trace, ...], policy: QuorumPolicy = POLICY, at: int = 20) -> Standing:
    """The one standing."""
    (one,) = standings(traces, at, policy)
    return one


@pytest.mark.parametrize(
    ("policy", "error"),
    [
        (QuorumPolicy(threshold=0, window=0, refutation_cap=0), ZeroQuorumThresholdError),
        (QuorumPolicy(window=0, refutation_cap=0), ZeroQuorumWindowError),
        (QuorumPolicy(refutation_cap=0), ZeroRefutationCapError),
    ],
)
def test_a_policy_that_cannot_work_is_refused(policy: QuorumPolicy, error: type[HiveError]) -> None:
    with pytest.raises(error):
        standings((), 0, policy)


def test_a_proposal_and_a_grounded_support_back_an_option() -> None:
    traces = heard(("anna", "!propose #a"), ("carl", "!support #a ^1"), ("carl", "!support #a ^2"))
    assert only(traces) == Standing("a", ("anna", "carl"), (), (), 900 + 500 + 500)


def test_options_stand_in_the_order_they_were_first_advocated() -> None:
    traces = heard(("anna", "!propose #b"), ("carl", "!propose #a"), ("anna", "!propose #a"))
    assert [one.topic for one in standings(traces, 3, POLICY)] == ["b", "a"]


def test_a_support_without_citation_counts_only_where_none_is_needed() -> None:
    traces = heard(("anna", "!support #a"))
    assert standings(traces, 1, POLICY) == ()
    assert only(traces, LENIENT).supporters == ("anna",)


def test_nobody_but_agents_backs_anything_and_nothing_without_a_topic_is_backed() -> None:
    traces = heard((OPERATOR, "!propose #a"), ("anna", "!propose"), ("anna", "!support ^1"))
    assert standings(traces, 3, POLICY) == ()


def test_other_kinds_move_nothing() -> None:
    traces = heard(
        ("anna", "!evidence #a ^1\n!question #a ^1\n!commit #a ^1\n!defer #a ^1\n!object #a ^1")
    )
    assert standings(traces, 1, POLICY) == ()


def test_only_the_window_counts() -> None:
    traces = heard(("anna", "!propose #a"), ("carl", "!propose #a"), ("sven", "!propose #a"))
    assert only(traces, QuorumPolicy(window=1), at=2).supporters == ("anna", "carl")
    assert only(traces, QuorumPolicy(window=1), at=3).supporters == ("carl", "sven")


def test_an_objection_silences_whoever_advocated_at_its_target() -> None:
    traces = heard(
        ("anna", "!propose #a\n!propose #b"),
        ("carl", "!support #a ^1"),
        ("sven", "!object #c >1 ^2"),
        ("carl", "!object >1 ^2"),
    )
    a, b = standings(traces, 4, POLICY)
    assert a == Standing("a", ("carl",), ("anna",), (), 500)
    assert b == Standing("b", (), ("anna",), (), 0)


def test_an_objection_may_come_before_what_it_targets() -> None:
    traces = heard(("carl", "!object >2 ^0"), ("anna", "!propose #a"))
    assert only(traces).silenced == ("anna",)


def test_nobody_silences_itself_but_the_operator_silences_anybody() -> None:
    assert only(heard(("anna", "!propose #a"), ("anna", "!object >1 ^1"))).silenced == ()
    assert only(heard(("anna", "!propose #a"), (OPERATOR, "!object >1 ^1"))).silenced == ("anna",)


@pytest.mark.parametrize("objection", ["!object >1", "!object ^1", "!object >9 ^1"])
def test_an_objection_needs_a_ground_and_a_target_that_advocated(objection: str) -> None:
    assert only(heard(("anna", "!propose #a"), ("carl", objection))).silenced == ()


def test_an_objection_needs_no_ground_where_none_is_asked_for() -> None:
    traces = heard(("anna", "!propose #a"), ("carl", "!object >1"))
    assert only(traces, LENIENT).silenced == ("anna",)


def test_a_refuter_is_no_supporter_even_of_its_own_proposal() -> None:
    traces = heard(
        ("anna", "!propose #a"),
        ("carl", "!propose #a"),
        ("anna", "!refute #a ^1"),
        ("sven", "!refute #a ^1\n!refute #a ^2\n!refute #z ^1"),
        (NIGHTLY, "!refute #a ^1"),
    )
    assert only(traces) == Standing("a", ("carl",), (), ("anna", "sven"), 900)


def test_a_refutation_that_is_not_grounded_or_names_no_topic_moves_nothing() -> None:
    backed = trace(TraceKind.PROPOSE, 1, "anna", topic="a")
    ungrounded = trace(TraceKind.REFUTE, 2, "carl", topic="a")
    vague = trace(TraceKind.REFUTE, 3, "carl", cites=(1,))
    assert only((backed, ungrounded, vague)).refuted_by == ()


def test_a_refuter_stays_one_when_it_is_silenced() -> None:
    traces = heard(
        ("anna", "!propose #a"),
        ("carl", "!refute #a ^1"),
        (OPERATOR, "!object >2 ^1\n!object >1 ^1"),
    )
    assert only(traces) == Standing("a", (), ("anna",), ("carl",), 0)


def test_evidential_support_needs_a_chain_to_a_fact() -> None:
    traces = heard(
        (OPERATOR, "!evidence it rains"),
        ("anna", "!propose #a"),
        ("carl", "!support #a ^1"),
        ("sven", "!support #a ^3"),
        ("mona", "!support #a ^2"),
        ("otto", "!support #a ^6"),
        ("petra", "!support #a"),
    )
    assert only(traces, EVIDENTIAL).supporters == ("anna", "carl", "sven")


def test_a_message_that_cites_itself_and_states_a_fact_reaches_it() -> None:
    assert only(heard(("anna", "!support #a ^1\n!evidence dry")), EVIDENTIAL).support == 500


def test_a_chain_through_a_sequence_outside_the_window_is_dead() -> None:
    traces = heard(("anna", "!evidence dry"), ("carl", "!support #a ^1"))
    assert standings(traces, 2, QuorumPolicy(window=1, require_evidential=True))
    assert not standings(heard(first=1), 2, EVIDENTIAL)
    later = heard(("anna", "!evidence dry"), (OPERATOR, "and?"), ("carl", "!support #a ^1"))
    assert not standings(later, 3, QuorumPolicy(window=1, require_evidential=True))


def test_a_ring_of_citations_reaches_nothing() -> None:
    traces = heard(("anna", "!support #a ^2"), ("carl", "!support #a ^1"))
    assert standings(traces, 2, EVIDENTIAL) == ()


def test_evidential_objectors_must_have_stated_a_fact() -> None:
    traces = heard(
        ("anna", "!propose #a"),
        ("carl", "!propose #a"),
        (OPERATOR, "!evidence dry\n!object >1 ^3"),
        ("sven", "!object >1 ^3"),
        ("mona", "!evidence wet\n!object >2 ^3"),
    )
    assert only(traces, EVIDENTIAL).silenced == ("carl",)


def test_long_chains_are_searched_once() -> None:
    size = 4000
    traces = tuple(
        trace(TraceKind.SUPPORT, n, "anna", topic="a", cites=(n - 1, max(0, n - 50)))
        for n in range(1, size)
    )
    start = time.perf_counter()
    standings(traces, size, QuorumPolicy(window=size, require_evidential=True))
    # generous: one search per support takes minutes
    assert time.perf_counter() - start < 2


def standing(topic: str, supporters: int, refuters: int = 0) -> Standing:
    """A standing with so many supporters and refuters."""
    return Standing(
        topic,
        tuple(f"s{n}" for n in range(supporters)),
        (),
        tuple(f"r{n}" for n in range(refuters)),
        0,
    )


def test_an_option_is_carried_by_supporters_unless_capped() -> None:
    capped = QuorumPolicy(refutation_cap=2)
    assert carried(standing("a", 2), POLICY)
    assert not carried(standing("a", 1), POLICY)
    assert carried(standing("a", 2, 9), POLICY)
    assert carried(standing("a", 2, 1), capped)
    assert not carried(standing("a", 2, 2), capped)


@pytest.mark.parametrize(
    ("counts", "outcome"),
    [
        ((), Deliberating()),
        ((1, 1), Deliberating()),
        ((1, 2), Quorum("t1")),
        ((3, 1, 2), Deadlock(("t0", "t2"))),
    ],
)
def test_consensus_is_exactly_one_carried_option(
    counts: tuple[int, ...], outcome: Consensus
) -> None:
    assert (
        consensus([standing(f"t{n}", count) for n, count in enumerate(counts)], POLICY) == outcome
    )
