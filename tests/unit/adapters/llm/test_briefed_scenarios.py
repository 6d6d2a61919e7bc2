"""Do the made-up decisions end as they were measured?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

import pytest

from hivebot.adapters.llm.briefed.proof import CLAIMS, Claim, check
from hivebot.adapters.llm.briefed.rehearsal import Played, play, tuned_policy
from hivebot.adapters.llm.briefed.scenarios import Scenario
from hivebot.hive.episode import Converged, EpisodePolicy, Exhausted
from hivebot.hive.trace import resolve
from hivebot.services.records.policy import Opening
from tests.scenarios import OBJECTION, REBUTTAL, ROLLOUT, SCENARIOS

# runs by the thousand over what others here cover: to count each line would cost thrice the time
uncounted = pytest.mark.no_cover


def every_order(of: Scenario) -> Iterator[Scenario]:
    """The same decision in every order of its members."""
    return (replace(of, members=members) for members in permutations(of.members))


def ends(played: Iterator[Played]) -> dict[str, int]:
    """How often each option, or no option (""), was decided."""
    return dict(Counter(each.decided for each in played))


@pytest.mark.parametrize(
    "of",
    [pytest.param(each, marks=() if each is ROLLOUT else uncounted) for each in SCENARIOS],
    ids=[each.name for each in SCENARIOS],
)
def test_every_claim_about_a_scenario_holds_over_all_orders(of: Scenario) -> None:
    checked = check(of)
    assert len(checked) == len(CLAIMS[of.name]) >= 5
    assert [each.measured for each in checked] == [each.claim.ends for each in checked]
    assert all(each.holds for each in checked)


def test_a_claim_that_is_not_true_does_not_hold() -> None:
    present = ROLLOUT.without("bert", "eva")
    (checked,) = check(present, (Claim((("ship", 6),)),))
    assert not checked.holds
    assert check(replace(ROLLOUT, name="unheard-of")) == ()


def test_the_rollout_takes_nine_turns_with_the_evidence_first() -> None:
    assert {play(each).turns for each in every_order(ROLLOUT)} == {9}


@uncounted
def test_the_order_of_the_options_changes_nothing() -> None:
    endings = {
        (play(replace(each, options=options)).decided)
        for options in permutations(ROLLOUT.options)
        for each in every_order(ROLLOUT)
    }
    assert endings == {"canary"}


def test_the_default_policy_decides_the_rollout_alike() -> None:
    default = EpisodePolicy()
    first = [play(each, policy=default) for each in every_order(ROLLOUT)]
    assert {(each.decided, each.turns) for each in first} == {("canary", 8)}
    blind = (play(each, policy=default, opening=Opening.POSITIONS) for each in every_order(ROLLOUT))
    assert ends(blind) == {"ship": 114, "": 6}


def test_alone_everybody_would_ship() -> None:
    for member in ROLLOUT.members:
        others = [each.id for each in ROLLOUT.members if each.id != member.id]
        played = play(ROLLOUT.without(*others), opening=Opening.POSITIONS)
        assert played.rows[1].content.startswith("!propose #ship")


def test_in_desk_order_the_objection_runs_as_told() -> None:
    played = play(OBJECTION)
    moves = [
        (getattr(row.author, "id", ""), trace.kind.value, trace.topic)
        for row in played.rows
        for trace in resolve(row.content, None, row.author, row.sequence)
    ]
    assert [moves[at] for at in range(4)] == [
        ("anna", "evidence", "canary"),
        ("bert", "evidence", "revert"),
        ("carl", "evidence", "ship"),
        ("dora", "evidence", "canary"),
    ]
    assert played.rows[5].content == "I hold nothing beyond the shared brief."
    assert [(kind, topic) for _, kind, topic in moves[4:]] == [
        ("propose", "revert"),
        ("evidence", "revert"),
        ("object", "revert"),
        ("propose", "canary"),
        ("support", "canary"),
        ("support", "canary"),
        ("commit", "canary"),
    ]
    assert (moves[5][0], moves[6][0]) == ("bert", "carl")
    assert (played.turns, played.decided) == (12, "canary")


@uncounted
def test_a_budget_of_15_leaves_some_objections_open() -> None:
    tight = [play(replace(each, turn_budget=15)) for each in every_order(OBJECTION)]
    assert sum(isinstance(each.ending, Exhausted) for each in tight) == 46
    assert all(each.turns == 15 for each in tight if isinstance(each.ending, Exhausted))


def test_the_strong_wrong_fact_wins_only_where_nobody_can_refute_it() -> None:
    assert play(REBUTTAL).decided == "migrate"
    assert play(REBUTTAL.without("dora")).decided == "wait"
    said = [row.content for row in play(REBUTTAL).rows]
    assert any(line.startswith("!object #wait") for line in said)


def test_a_room_ends_with_its_last_step_and_its_whole_log() -> None:
    played = play(ROLLOUT)
    assert isinstance(played.ending, Converged)
    assert [row.sequence for row in played.rows] == list(range(1, 11))
    assert played.rows[0].content == ROLLOUT.question


def test_the_tuned_policy_grows_with_the_desk() -> None:
    assert (tuned_policy(5).turn_budget, tuned_policy(5).quorum.threshold) == (15, 3)
    assert (tuned_policy(2).turn_budget, tuned_policy(2).quorum.threshold) == (6, 2)
    assert (tuned_policy(8, 9).turn_budget, tuned_policy(8).quorum.threshold) == (9, 5)
