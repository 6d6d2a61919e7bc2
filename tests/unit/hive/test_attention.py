"""Does the attention market hear whom the contract says?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from hivebot.hive.attention import (
    Assessment,
    Bid,
    BidReason,
    bids,
    bids_of,
    explain,
    floor_holder,
)
from hivebot.hive.directory import Directory, DirectoryEntry, DirectoryPolicy
from hivebot.hive.errors import DuplicateAgentThresholdError, ZeroHalfLifeError
from hivebot.hive.quorum import QuorumPolicy, Standing
from hivebot.hive.salience import SalienceWeights
from hivebot.hive.scalars import I64_MAX, I64_MIN
from hivebot.hive.threshold import AgentThreshold
from hivebot.hive.trace import Trace, TraceKind
from tests.unit.hive.room import OPERATOR, heard, trace

MEMBERS = ("anna", "carl", "sven")
WEIGHTS = SalienceWeights()
FRESH_PROPOSAL = (5 * 1000 + 30 * 900 + 20 * 500) // 10


@dataclass(frozen=True)
class Market:
    """Everything the market reads, with quiet values for what a case does not name."""

    traces: Sequence[Trace] = ()
    standings: Sequence[Standing] = ()
    members: Sequence[str] = MEMBERS
    thresholds: Sequence[AgentThreshold] = ()
    at: int = 9
    weights: SalienceWeights = WEIGHTS
    dominance_cap: int = 50
    repetition_cap: int = 3
    quorum: QuorumPolicy = field(default_factory=QuorumPolicy)
    directory: Directory | None = None
    directory_policy: DirectoryPolicy | None = None
    defer_cap: int | None = None

    def assess(self) -> dict[str, Assessment]:
        """How each member stands."""
        assessments = explain(
            self.traces,
            self.standings,
            self.members,
            self.thresholds,
            at=self.at,
            weights=self.weights,
            dominance_cap=self.dominance_cap,
            repetition_cap=self.repetition_cap,
            quorum=self.quorum,
            directory=self.directory,
            directory_policy=self.directory_policy,
            defer_cap=self.defer_cap,
        )
        return {one.agent_id: one for one in assessments}

    def reasons(self) -> list[BidReason]:
        """The reasons, in member order."""
        return [one.reason for one in self.assess().values()]

    def pulls(self) -> list[int]:
        """The pulls, in member order."""
        return [one.pull for one in self.assess().values()]


def standing(topic: str, *supporters: str, support: int = 900) -> Standing:
    """A standing nobody objects to."""
    return Standing(topic, supporters, (), (), support)


# --- thresholds ---------------------------------------------------------------------------------


def test_an_empty_room_lets_everybody_bid_and_the_first_wins() -> None:
    everybody = bids_of(Market().assess().values())
    assert everybody == tuple(Bid(member, 0, BidReason.SALIENCE) for member in MEMBERS)
    assert floor_holder(everybody) == everybody[0]


def test_a_member_bids_what_it_has_above_its_threshold() -> None:
    market = Market(
        traces=[trace(TraceKind.PROPOSE, 9)],
        thresholds=[
            AgentThreshold("anna", FRESH_PROPOSAL + 1),
            AgentThreshold("carl", FRESH_PROPOSAL),
            AgentThreshold("sven", -5),
            AgentThreshold("stranger", 7),
        ],
    )
    assert bids_of(market.assess().values()) == (
        Bid("carl", 0, BidReason.SALIENCE),
        Bid("sven", FRESH_PROPOSAL + 5, BidReason.SALIENCE),
    )


def test_an_urge_saturates() -> None:
    market = Market(
        traces=[trace(TraceKind.PROPOSE, 9)], thresholds=[AgentThreshold("anna", I64_MIN)]
    )
    bid = market.assess()["anna"].bid
    assert bid is not None
    assert bid.urge == I64_MAX


def test_two_thresholds_of_one_agent_are_refused_before_anything_else() -> None:
    twice = [AgentThreshold("stranger"), AgentThreshold("stranger")]
    broken = Market(
        traces=[trace(TraceKind.PROPOSE)], thresholds=twice, weights=SalienceWeights(half_life=0)
    )
    with pytest.raises(DuplicateAgentThresholdError, match="stranger"):
        broken.assess()


def test_bids_are_the_assessments_that_reach_their_thresholds() -> None:
    market = Market(
        traces=heard(("anna", "!propose #a"), ("carl", "!object >1 ^1")),
        thresholds=[AgentThreshold("sven", 10**6)],
    )
    bid_for = bids(
        market.traces,
        market.standings,
        market.members,
        market.thresholds,
        at=market.at,
        weights=market.weights,
        dominance_cap=market.dominance_cap,
        repetition_cap=market.repetition_cap,
        quorum=market.quorum,
    )
    assert bid_for == bids_of(market.assess().values())
    assert [bid.agent_id for bid in bid_for] == ["anna", "carl"]


def test_the_floor_goes_to_the_highest_urge_and_the_earlier_on_ties() -> None:
    low, high, as_high = (
        Bid(m, u, BidReason.SALIENCE) for m, u in zip("abc", (1, 5, 5), strict=True)
    )
    assert floor_holder([low, high, as_high]) == high
    assert floor_holder([]) is None


# --- pull ---------------------------------------------------------------------------------------


def test_traces_pull_everybody_alike_unless_they_care() -> None:
    market = Market(
        traces=[
            trace(TraceKind.PROPOSE, 9, topic="a"),
            trace(TraceKind.PROPOSE, 9, topic="b", offset=1),
            trace(TraceKind.PROPOSE, 9, offset=2),
        ],
        thresholds=[
            AgentThreshold("carl", 0, (("a", 100), ("a", 0), ("z", 100))),
            AgentThreshold("sven", 0, (("a", 0), ("b", 255))),
        ],
    )
    assert market.pulls() == [
        3 * FRESH_PROPOSAL,
        3 * FRESH_PROPOSAL + 1000,
        3 * FRESH_PROPOSAL,
    ]


def test_each_score_is_divided_on_its_own() -> None:
    fading = SalienceWeights(recency=1, importance=0, relevance=0, half_life=1000)
    market = Market(traces=[trace(TraceKind.REFUTE, n) for n in range(4)], weights=fading, at=4)
    # 1000, 999, 999 and 998 tenths; together they would give 399
    assert market.pulls()[0] == 100 + 99 + 99 + 99


def test_repeated_traces_pull_once_and_old_ones_for_good() -> None:
    one = trace(TraceKind.PROPOSE, 1)
    assert Market(traces=[one, one], at=10**6).pulls()[0] == (30 * 900 + 20 * 500) // 10


@pytest.mark.parametrize(
    ("kind", "topic", "cap", "pulls"),
    [
        (TraceKind.SUPPORT, "a", 2, False),
        (TraceKind.SUPPORT, "a", 3, True),
        (TraceKind.SUPPORT, "a", 0, True),
        (TraceKind.SUPPORT, "b", 2, True),
        (TraceKind.SUPPORT, None, 2, True),
        (TraceKind.PROPOSE, "a", 2, True),
    ],
)
def test_supports_of_an_option_with_enough_supporters_pull_nobody(
    kind: TraceKind, topic: str | None, cap: int, *, pulls: bool
) -> None:
    market = Market(
        traces=[trace(kind, topic=topic)],
        standings=[standing("a", "anna", "carl")],
        repetition_cap=cap,
    )
    assert (market.pulls()[0] > 0) is pulls


def test_no_half_life_is_refused_only_when_something_must_be_weighed() -> None:
    still = Market(weights=SalienceWeights(half_life=0))
    assert still.pulls() == [0, 0, 0]
    assert replace(still, traces=[trace(TraceKind.PROPOSE)], members=()).assess() == {}
    with pytest.raises(ZeroHalfLifeError):
        replace(still, traces=[trace(TraceKind.PROPOSE)]).assess()


# --- reasons ------------------------------------------------------------------------------------


@pytest.mark.parametrize("naming", ["!question >1", "!question ^8 ^1", "!defer #a >1 ^1"])
def test_a_member_somebody_else_names_is_addressed(naming: str) -> None:
    market = Market(traces=heard(("carl", "!question"), (OPERATOR, naming)))
    assert market.reasons() == [BidReason.SALIENCE, BidReason.ADDRESSED, BidReason.SALIENCE]


def test_naming_oneself_or_plain_talk_addresses_nobody() -> None:
    assert Market(traces=heard(("carl", "!question ^1"))).reasons()[1] is BidReason.SALIENCE
    talk = heard(("carl", "hello"), (OPERATOR, "!question >1"))
    assert Market(traces=talk).reasons()[1] is BidReason.SALIENCE


def test_two_at_one_sequence_are_both_addressed_by_either() -> None:
    market = Market(
        traces=[
            trace(TraceKind.QUESTION, 1, "anna", cites=(1,)),
            trace(TraceKind.QUESTION, 1, "carl", offset=1),
        ]
    )
    assert market.reasons() == [BidReason.SALIENCE, BidReason.ADDRESSED, BidReason.SALIENCE]


def test_whoever_backs_none_of_the_tied_leaders_dissents() -> None:
    market = Market(standings=[standing("a", "anna"), standing("b", "carl"), standing("c")])
    assert market.reasons() == [BidReason.SALIENCE, BidReason.SALIENCE, BidReason.DISSENT]


@pytest.mark.parametrize(
    "standings",
    [
        [],
        [standing("a", "anna")],
        [standing("a"), standing("b")],
        [standing("a", "anna", "carl"), standing("b", "carl")],
    ],
)
def test_without_a_tie_at_the_top_nobody_dissents(standings: list[Standing]) -> None:
    assert BidReason.DISSENT not in Market(standings=standings).reasons()


LOPSIDED = heard(
    ("anna", "!propose #a"),
    ("carl", "!support #a ^1"),
    ("carl", "!support #a ^2\n!support #a ^2"),
    ("sven", "!question #a ^0"),
)


def test_the_quietest_is_heard_and_the_loudest_held_back_in_a_lopsided_room() -> None:
    market = Market(
        traces=LOPSIDED,
        standings=[standing("a", "carl", "sven")],
        members=("carl", "sven", "anna", "mona"),
        at=4,
    )
    carl, sven, anna, mona = market.assess().values()
    assert [one.share for one in (carl, sven, anna, mona)] == [3, 1, 0, 0]
    assert {one.total_share for one in (carl, sven, anna, mona)} == {4}
    assert (carl.reason, carl.penalty) == (BidReason.SALIENCE, 3000)
    assert (sven.reason, sven.penalty) == (BidReason.SALIENCE, 0)
    # anna was cited, and being addressed comes before being quiet; mona comes after anna
    assert (anna.reason, mona.reason) == (BidReason.ADDRESSED, BidReason.SALIENCE)
    assert carl.urge == carl.pull - 3000
    assert anna.urge == anna.pull + 2000


def test_the_quietest_is_the_first_with_the_smallest_share() -> None:
    market = Market(
        traces=LOPSIDED, standings=[standing("a", "carl")], members=("carl", "mona", "otto"), at=4
    )
    assert market.reasons()[1:] == [BidReason.QUIET, BidReason.SALIENCE]
    assert market.assess()["mona"].bonus == 1000


def test_a_share_must_exceed_the_cap() -> None:
    market = Market(traces=LOPSIDED, standings=[standing("a", "carl", "sven")], at=4)
    assert market.assess()["carl"].penalty == 3000
    assert replace(market, dominance_cap=75).assess()["carl"].penalty == 0


def test_a_share_counts_only_backers_and_only_what_is_inside_the_window() -> None:
    narrow = QuorumPolicy(window=1)
    market = Market(traces=LOPSIDED, standings=[standing("a", "carl", "sven")], at=3, quorum=narrow)
    assert [one.share for one in market.assess().values()] == [0, 3, 1]
    assert {
        one.total_share for one in replace(market, standings=[standing("a")]).assess().values()
    } == {0}


# --- knows --------------------------------------------------------------------------------------


def knowing(*pairs: tuple[str, str, int]) -> Directory:
    """A directory of (agent, topic, weight)."""
    return Directory(
        tuple(DirectoryEntry(agent, topic, 0, 0, weight) for agent, topic, weight in pairs)
    )


EXPERT = Market(
    standings=[standing("pool", "anna")],
    directory=knowing(("carl", "pool", 1000), ("sven", "pool", 400)),
    directory_policy=DirectoryPolicy(),
)


def knower(market: Market) -> str | None:
    """The member that knows, if any."""
    return next(
        (one.agent_id for one in market.assess().values() if one.reason is BidReason.KNOWS), None
    )


def test_the_best_informed_member_knows_the_contested_topic() -> None:
    assert knower(EXPERT) == "carl"
    assert EXPERT.assess()["carl"].urge == 1250


@pytest.mark.parametrize(
    "market",
    [
        replace(EXPERT, directory=None),
        replace(EXPERT, directory_policy=None),
        replace(EXPERT, standings=[]),
        replace(EXPERT, standings=[standing("pool", "anna", "sven")]),
        replace(EXPERT, directory_policy=DirectoryPolicy(floor=1001)),
        replace(EXPERT, members=("anna", "mona")),
    ],
    ids=["no directory", "no policy", "no topic", "carried", "below the floor", "no holder"],
)
def test_nobody_knows(market: Market) -> None:
    assert knower(market) is None


@pytest.mark.parametrize("kind", [k for k in TraceKind if k not in {"evidence", "question"}])
def test_whoever_took_a_position_does_not_know(kind: TraceKind) -> None:
    taken = trace(kind, 1, "carl", topic="pool", cites=(0,))
    assert knower(replace(EXPERT, traces=[taken])) is None
    elsewhere = trace(kind, 1, "carl", topic="cache", cites=(0,))
    # a deferral would make its own topic the contested one
    carried_elsewhere = replace(EXPERT, traces=[elsewhere], defer_cap=1)
    assert knower(carried_elsewhere) == "carl"
    by_another = trace(kind, 1, "anna", topic="pool", cites=(0,))
    assert knower(replace(EXPERT, traces=[by_another])) == "carl"


@pytest.mark.parametrize("kind", [TraceKind.EVIDENCE, TraceKind.QUESTION])
def test_a_fact_or_a_question_is_no_position(kind: TraceKind) -> None:
    assert knower(replace(EXPERT, traces=[trace(kind, 1, "carl", topic="pool")])) == "carl"


def test_the_strongest_option_that_is_not_carried_is_contested_the_earlier_on_ties() -> None:
    market = replace(
        EXPERT,
        standings=[
            standing("won", "anna", "sven", support=9000),
            standing("weak", "anna", support=100),
            standing("pool", "anna", support=900),
            standing("late", "anna", support=900),
        ],
        directory=knowing(
            ("anna", "late", 5000),
            ("anna", "won", 5000),
            ("anna", "weak", 5000),
            ("carl", "pool", 5000),
        ),
    )
    assert knower(market) == "carl"


def test_the_last_deferral_with_a_topic_names_the_contested_topic() -> None:
    deferrals = [
        trace(TraceKind.DEFER, 3, OPERATOR, topic="cache"),
        trace(TraceKind.DEFER, 3, OPERATOR, topic="disk", offset=9),
        trace(TraceKind.DEFER, 4, OPERATOR),
        trace(TraceKind.DEFER, 12, OPERATOR, topic="pool"),
    ]
    market = replace(
        EXPERT,
        traces=deferrals,
        directory=knowing(("carl", "pool", 5000), ("anna", "cache", 5000), ("sven", "disk", 5000)),
    )
    assert knower(market) == "sven"
    assert knower(replace(market, defer_cap=4)) == "sven"
    # those without a topic count towards the cap, those after the present do not
    assert knower(replace(market, defer_cap=3)) == "carl"
    assert knower(replace(market, defer_cap=0)) == "carl"


def test_a_deferral_before_the_window_promotes_nothing() -> None:
    market = replace(
        EXPERT,
        traces=[trace(TraceKind.DEFER, 3, OPERATOR, topic="cache")],
        directory=knowing(("carl", "pool", 5000), ("anna", "cache", 5000)),
        quorum=QuorumPolicy(window=6),
    )
    assert knower(market) == "anna"
    assert knower(replace(market, quorum=QuorumPolicy(window=5))) == "carl"


def test_dissent_comes_before_knowing() -> None:
    market = replace(EXPERT, standings=[standing("pool", "anna"), standing("cache", "sven")])
    assert market.assess()["carl"].reason is BidReason.DISSENT
