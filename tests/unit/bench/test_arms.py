"""Do the arms of one room score what was published of them?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.bench.arms import ARMS, CEILING_ARMS, COST_ARMS, RoomRun, play_rooms, plurality
from hivebot.bench.ceilings import check_one_fact, pool
from hivebot.bench.ladder import Router, remember
from hivebot.bench.names import Role
from hivebot.bench.participant import Hearsay, Manner, Participant, last_best
from hivebot.bench.policies import LIBRARY, Overrides, budget_of, policy_of, threshold_of, tuned
from hivebot.bench.rooms import HiddenProfile, Layout, Seat, Specialists
from hivebot.bench.tally import Tally

OPTIONS = ("stage", "ship", "revert")
HIDDEN = Layout(noise=50, shape=HiddenProfile())


def play(run: RoomRun, episodes: int) -> dict[str, Tally]:
    return {arm: one.tally for arm, one in play_rooms(run, range(episodes)).items()}


def member(
    *evaluations: int,
    refutes: str | None = None,
    name: str = "planner",
    heard: Hearsay | None = None,
) -> Participant:
    seat = Seat(name, Role.PROPOSER, 1, evaluations, refutes=refutes)
    return Participant(seat, OPTIONS, Manner(), hearsay=heard)


def test_the_first_hundred_rooms_score_what_they_did_when_all_figures_came_out() -> None:
    run = RoomRun(arms=("ladder", "vote", "hive", "hive+", "hive+ref", "hive+ev"))
    right = {arm: one.correct for arm, one in play(run, 100).items()}
    assert right == {
        "ladder": 57,
        "vote": 76,
        "hive": 68,
        "hive+": 79,
        "hive+ref": 70,
        "hive+ev": 53,
    }


def test_nothing_is_known_or_deferred_where_nobody_is_an_expert() -> None:
    tallies = play(RoomRun(), 40)
    for arm in ("hive+dir", "hive+defer", "hive+dir+defer"):
        assert tallies[arm] == tallies["hive+"]
    assert tallies["hive+"].knows == tallies["hive+"].defers == 0


def test_no_arm_changes_what_another_one_scores() -> None:
    run = RoomRun(layout=HIDDEN, evidence_first=True)
    together = play(run, 15)
    for arm in ARMS:
        assert play(replace(run, arms=(arm,)), 15)[arm] == together[arm]


def test_the_directory_wins_turns_in_a_hidden_profile_that_opens_with_evidence() -> None:
    tallies = play(RoomRun(layout=HIDDEN, evidence_first=True), 40)
    assert tallies["hive+"].knows == 0
    assert tallies["hive+dir"].knows > 20
    assert tallies["hive+defer"].defers > 0
    assert tallies["hive+"].facts > 30


def test_all_reasoning_is_the_same_room_at_ten_times_the_price() -> None:
    run = RoomRun(layout=Layout(shape=Specialists(2, priced=True)), arms=(*ARMS, *COST_ARMS))
    tallies = play(run, 20)
    assert run.priced
    assert tallies["all-reasoning"].cost == 10 * tallies["all-reasoning"].turns
    assert tallies["all-reasoning"].correct == tallies["hive+"].correct
    assert tallies["hive+cost"] == tallies["hive+dir+defer"]


def test_a_vote_costs_every_turn_of_the_budget() -> None:
    votes = play(RoomRun(layout=Layout(shape=Specialists(2, priced=True)), arms=("vote",)), 10)
    assert votes["vote"].turns == 150
    assert votes["vote"].cost == 690


def test_without_history_chance_routes_as_the_ladder_does() -> None:
    run = RoomRun(history=0, arms=("ladder", "ladder+dir"))
    tallies = play(run, 30)
    assert tallies["ladder+dir"] == tallies["ladder"]


def test_history_is_folded_end_to_end() -> None:
    run = RoomRun(layout=HIDDEN, evidence_first=True)
    room = run.room(0)
    known = remember(room, run.manner(), run.plus(), 3)
    assert {entry.agent_id for entry in known.entries} <= {seat.id for seat in room.seats}
    assert known.weight(room.seats[1].id, "shadow") > 0


def test_a_fixed_router_names_the_same_seat_in_every_room() -> None:
    run = RoomRun(layout=Layout(members=3, noise=50, shape=HiddenProfile()), arms=("ladder",))
    free, fixed = play(run, 60), play(replace(run, fixed_router=True), 60)
    seat = Router(["a", "b", "c"]).draw(1)
    assert fixed["ladder"].routed_right == sum(run.room(i).expert == seat for i in range(60))
    assert fixed != free


def test_members_that_pool_all_they_know_do_better_than_any_deliberation() -> None:
    run = RoomRun(layout=HIDDEN, arms=("hive+", *CEILING_ARMS))
    tallies = play(run, 60)
    assert tallies["hive+"].correct < tallies["hive+fact"].correct < tallies["hive+pooled"].correct


def test_pooling_brings_every_member_what_the_others_think_and_know() -> None:
    room = [member(10, 20, 30), member(40, 20, 0, refutes="revert", name="critic")]
    pool(room)
    assert room[0].scores == {"stage": 25, "ship": 20, "revert": 15 - 45}
    assert room[1].scores == {"stage": 25, "ship": 20, "revert": 15}


def test_a_sure_member_asks_nobody() -> None:
    room = [member(0, 0, 100), member(90, 0, 0, name="critic")]
    check_one_fact(room)
    assert [one.hearsay.revision for one in room] == [0, 0]


def test_an_unsure_member_asks_who_holds_a_fact_or_else_its_neighbour() -> None:
    room = [
        member(0, 70, 80),
        member(90, 80, 0, name="critic"),
        member(0, 0, 100, refutes="revert", name="archivist"),
    ]
    check_one_fact(room)
    assert room[0].scores["revert"] == 80 - 45
    assert room[1].scores["stage"] == 45
    assert room[2].hearsay.revision == 0


def test_a_member_that_holds_the_fact_itself_asks_its_neighbour() -> None:
    room = [member(0, 95, 100, refutes="revert"), member(0, 0, 300, name="critic")]
    check_one_fact(room)
    assert room[0].scores["revert"] == 200


def test_a_mean_of_readings_is_cut_toward_zero() -> None:
    heard = Hearsay()
    heard.import_readings({"stage": -4})
    assert member(-3, 0, 0, heard=heard).scores["stage"] == -3


def test_the_last_of_equals_is_the_favourite_and_the_winner() -> None:
    assert last_best({"a": 2, "b": 3, "c": 3}) == "c"
    assert plurality(["b", "a", "c", "a", "c"]) == "c"
    assert member(5, 9, 9).favourite == "revert"


@pytest.mark.parametrize(
    ("members", "budget", "threshold"),
    [(2, 6, 2), (3, 9, 2), (4, 12, 3), (5, 15, 3), (6, 18, 4), (7, 21, 4), (8, 24, 5), (12, 36, 7)],
)
def test_budget_and_quorum_follow_the_size_of_the_desk(
    members: int, budget: int, threshold: int
) -> None:
    policy = tuned(members, Overrides())
    assert (budget_of(members), threshold_of(members)) == (budget, threshold)
    assert (policy.turn_budget, policy.quorum.threshold) == (budget, threshold)


def test_overrides_change_hive_plus_and_what_derives_from_it_but_never_hive() -> None:
    plus = tuned(
        5, Overrides(budget=7, quorum=2, window=30, dominance=60, repetition=3, blind=False)
    )
    assert (plus.turn_budget, plus.dominance_cap, plus.repetition_cap) == (7, 60, 3)
    assert (plus.quorum.threshold, plus.quorum.window, plus.blind_round) == (2, 30, False)
    assert policy_of("hive", plus, 1) is LIBRARY
    assert policy_of("hive+", plus, 1) == plus
    assert policy_of("hive+ref", plus, 1).quorum.refutation_cap == 2
    assert policy_of("hive+ev", plus, 1).quorum.require_evidential
    assert policy_of("hive+dir", plus, 1).directory is not None
    assert policy_of("hive+dir+defer", plus, 4).defer_cap == 4
