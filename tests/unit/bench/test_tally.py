"""Do counts add up?"""

from __future__ import annotations

from dataclasses import replace

from hivebot.bench.arms import RoomRun, play_rooms
from hivebot.bench.deliberation import Ending
from hivebot.bench.measures import SHARES, gain, mean, written_gain, written_interval
from hivebot.bench.rooms import HiddenProfile, Layout
from hivebot.bench.tally import ArmResult, Tally

RUN = RoomRun(layout=Layout(noise=50, shape=HiddenProfile()), evidence_first=True)


def test_parts_of_a_run_add_up_to_the_whole() -> None:
    whole, parts = play_rooms(RUN, range(8)), play_rooms(RUN, range(5))
    for arm, rest in play_rooms(RUN, range(5, 8)).items():
        parts[arm].add(rest)
        assert parts[arm].tally == whole[arm].tally
        assert parts[arm].outcomes == whole[arm].outcomes


def test_an_undecided_episode_is_wrong_but_counts() -> None:
    tally = Tally()
    tally.count_decision(None, "ship")
    tally.count_decision("ship", "ship")
    assert (tally.episodes, tally.decided, tally.correct) == (2, 1, 1)


def test_every_ending_is_counted_apart() -> None:
    tally = Tally()
    for ending in Ending:
        tally.count_ending(ending)
    assert (tally.converged, tally.deadlocked, tally.exhausted, tally.idle) == (1, 1, 1, 1)
    assert tally.deliberations == 4


def test_the_deciding_member_is_followed_from_its_first_turn_to_the_decision() -> None:
    tally = play_rooms(replace(RUN, arms=("hive+",)), range(40))["hive+"].tally
    assert tally.with_expert == 40
    assert tally.expert_spoke == 40
    assert 0 < tally.facts <= 40
    assert 0 < tally.expert_led < 40
    assert tally.fact_wait <= 4 * tally.facts


def test_the_gain_over_the_vote_is_written_with_its_interval() -> None:
    results = play_rooms(replace(RUN, arms=("vote", "hive+")), range(30))
    difference = gain(results, "hive+", 1)
    assert difference is not None
    value, interval = difference
    assert interval.low <= value <= interval.high
    assert written_gain(value, interval).startswith("+")
    assert written_interval(interval) == f"{interval.low:.1f}-{interval.high:.1f}"


def test_the_vote_gains_nothing_on_itself_nor_anything_without_it() -> None:
    results = {"hive+": ArmResult(Tally(episodes=1), [True])}
    assert gain(results, "hive+", 1) is None
    assert gain({"vote": results["hive+"]}, "vote", 1) is None


def test_means_and_shares_of_nothing_are_nothing() -> None:
    assert mean(Tally(), "turns") == 0.0
    assert SHARES["fact%"](Tally()).percent == 0.0
