"""Who knew what in one deliberation, and what has to be said plainly of the directory?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.hive.directory import DirectoryPolicy
from hivebot.services.correlation import Mean
from hivebot.services.expertise import (
    CHANGED_NOTHING,
    TRACKS_TALK,
    Deliberated,
    Holding,
    Record,
    knowledge_of,
)
from hivebot.services.records.policy import Configuration
from tests.unit.services.deliberations import deliberated

FACT, CITING = ("anna", "!evidence #ship for(2): dry"), ("bert", "!support #ship ^2 so")


def holdings(one: Deliberated) -> dict[tuple[str, str], Holding]:
    """By (topic, agent)."""
    return {
        (topic.topic, holding.agent_id): holding
        for topic in knowledge_of(one, []).topics
        for holding in topic.holdings
    }


def record(*recent: Deliberated) -> Record:
    return knowledge_of(deliberated(), recent).record


def test_a_weight_is_taken_apart_and_what_is_configured_stands_alone() -> None:
    found = holdings(deliberated(FACT, CITING, affinity=(("ship", 70),)))

    assert found == {
        ("ship", "anna"): Holding("anna", 3000, 2000, 0, 5000, deferred=False, knows=True),
        ("ship", "bert"): Holding("bert", 1800, 0, 0, 1800, deferred=False, knows=True),
        ("ship", "carl"): Holding("carl", 0, 0, 700, 700, deferred=False, knows=False),
    }


def test_the_parts_add_up_whatever_the_division_leaves_over() -> None:
    policy = DirectoryPolicy(half_life=7, specialisation=33, credibility=17, prior=3)
    found = holdings(
        deliberated(
            FACT,
            CITING,
            ("carl", "!question #ship ^2"),
            policy=policy,
            affinity=(("ship", 33), ("wait", 101)),
        )
    )

    assert found
    assert all(
        one.deposited + one.credited + one.configured == one.weight for one in found.values()
    )


def test_who_deferred_is_said_to_have_and_weighs_nothing() -> None:
    found = holdings(deliberated(FACT, CITING, ("anna", "!defer #ship")))

    assert found["ship", "anna"] == Holding("anna", 3000, 2000, 0, 0, deferred=True, knows=False)
    assert not found["ship", "bert"].deferred


def test_holders_stand_by_falling_weight() -> None:
    told = deliberated(("carl", "!evidence #ship"), ("bert", "!evidence #ship"), CITING)
    (topic,) = knowledge_of(told, []).topics

    assert [one.agent_id for one in topic.holdings] == ["carl", "bert"]


def test_speech_is_shared_among_the_members_and_the_rule_based_are_told_apart() -> None:
    found = knowledge_of(deliberated(FACT, CITING, ("anna", "hm"), ("stranger", "hello")), [])

    assert [(one.name, one.rule_based, one.turns) for one in found.speakers] == [
        ("Anna", True, 2),
        ("Bert", False, 1),
        ("Carl", False, 0),
    ]
    assert [one.share for one in found.speakers] == pytest.approx([2 / 3, 1 / 3, 0])
    assert found.at == 4


def test_before_anybody_has_spoken_nothing_is_known() -> None:
    found = knowledge_of(deliberated(), [])

    assert (found.at, found.topics) == (1, ())
    assert [one.share for one in found.speakers] == [0, 0, 0]
    assert found.record == Record(0, 0, None, 0, 0, 0, 0, idle=False)
    assert found.record.verdicts == ()


def test_a_desk_without_a_directory_is_folded_under_the_default_policy() -> None:
    found = knowledge_of(deliberated(FACT, policy=None), [])

    assert (found.directory_on, found.policy) == (False, DirectoryPolicy())
    assert knowledge_of(deliberated(FACT), []).directory_on


def test_a_desk_that_is_gone_still_has_the_members_it_began_with() -> None:
    gone = replace(deliberated(FACT), configuration=Configuration("r2", (), ()))

    found = knowledge_of(gone, [])

    assert not found.directory_on
    assert [(one.agent_id, one.name) for one in found.speakers] == [
        ("anna", "anna"),
        ("bert", "bert"),
        ("carl", "carl"),
    ]
    assert [topic.topic for topic in found.topics] == ["ship"]


def test_credit_is_mutual_where_it_came_back_in_the_same_episode() -> None:
    back = ("anna", "!support #wait ^3 yes")
    mutual = deliberated(FACT, ("bert", "!evidence #wait\n!support #ship ^2 so"), back)
    one_way = deliberated(FACT, ("carl", "!question #ship ^2"), ("bert", "!question #ship ^2"))

    assert (record(mutual).credit, record(mutual).mutual) == (2000, 2000)
    assert (record(one_way).credit, record(one_way).mutual) == (2000, 0)
    assert (record(mutual, one_way).credit, record(mutual, one_way).mutual) == (4000, 2000)


def test_turns_are_counted_by_what_the_market_decided() -> None:
    found = record(
        deliberated(reasons={"knows": 2, "salience": 3, "converged": 1}),
        deliberated(reasons={"quiet": 1}, policy=None),
    )

    assert (found.episodes, found.directory_on) == (2, 1)
    assert (found.turns, found.knows_turns) == (6, 2)


TALKED = deliberated(("anna", "!evidence #ship"), ("anna", "!evidence #wait"), FACT, CITING)
"""Who talked most weighs most: anna three times, bert once, carl never."""

HEARD = deliberated(("anna", "hm"), ("anna", "hm"), ("bert", "!evidence #ship"), policy=None)
"""Who talked most weighs nothing."""


def test_correlation_is_between_members_and_its_mean_over_episodes() -> None:
    assert record(TALKED).rho == Mean(1, -1, 1, 1)
    both = record(TALKED, HEARD).rho
    assert both is not None
    assert both.value == pytest.approx((1 + 0) / 2)
    assert both.n == 2


def test_what_is_configured_is_no_part_of_the_correlation() -> None:
    silent = deliberated(("anna", "hm"), affinity=(("ship", 100),))

    assert record(silent).rho == Mean(0, -1, 1, 1)


def test_a_directory_that_tracks_who_talked_is_said_to_from_twenty_episodes_on() -> None:
    assert TRACKS_TALK in record(*[TALKED] * 20).verdicts
    assert TRACKS_TALK not in record(*[TALKED] * 19).verdicts
    # 0.667 on average
    assert TRACKS_TALK not in record(*[TALKED] * 20, *[HEARD] * 10).verdicts


def test_twenty_episodes_with_a_directory_in_which_knowing_won_no_turn_are_said_to() -> None:
    silent = deliberated(reasons={"salience": 4})
    telling = deliberated(reasons={"knows": 1})
    off = deliberated(policy=None)

    assert record(*[silent] * 20).verdicts == (CHANGED_NOTHING,)
    assert record(*[silent] * 19, *[off] * 20).verdicts == ()
    assert record(*[silent] * 20, telling).verdicts == (CHANGED_NOTHING,)
    assert record(telling, *[silent] * 20).verdicts == ()
    assert record(*[off] * 50).verdicts == ()
    assert record(*[replace(TALKED, reasons={"salience": 4})] * 20).verdicts == (
        TRACKS_TALK,
        CHANGED_NOTHING,
    )
