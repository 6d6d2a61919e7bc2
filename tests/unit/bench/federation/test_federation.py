"""Do federations go as the contract says, and do their desks keep to its bounds?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.bench.federation.arms import play_federations, sole_winner
from hivebot.bench.federation.hall import Hall, Statement
from hivebot.bench.federation.world import ARMS, OFF_FLOOR, FederationRun, generate
from hivebot.bench.participant import Manner
from hivebot.bench.policies import Overrides, tuned
from hivebot.bench.tally import Tally

MANY = FederationRun(desks=12, per_desk=4, topics=8)


def tally(run: FederationRun, arm: str, episodes: int = 6) -> Tally:
    return play_federations(replace(run, arms=(arm,)), range(episodes))[arm].tally


def test_the_first_federation_is_the_one_of_the_contract() -> None:
    federation = generate(FederationRun(), 0)
    assert federation.best == "revert"
    assert [desk.decoy for desk in federation.desks] == ["stage", "ship", "shadow"]
    assert [[seat.evaluations for seat in desk.seats] for desk in federation.desks] == [
        [(152, 8, 61, 87), (118, 62, 57, 31), (141, 9, 81, 86), (103, 13, 90, 11)],
        [(45, 175, 118, -10), (77, 185, 134, 66), (64, 159, 85, 70), (47, 188, 128, 57)],
        [(36, 22, 89, 170), (47, 56, 76, 123), (68, 70, 98, 167), (35, 66, 120, 127)],
    ]


def test_crossing_overcomes_blind_spots_that_staying_apart_does_not() -> None:
    run = FederationRun(arms=(*ARMS, OFF_FLOOR))
    right = {arm: one.tally.correct for arm, one in play_federations(run, range(40)).items()}
    assert right == {
        "siloed": 0,
        "referral": 35,
        "pooled": 34,
        "merged": 2,
        "vote": 2,
        OFF_FLOOR: 35,
    }


def test_three_desks_put_twelve_questions_and_answers_on_their_way() -> None:
    crossing = tally(FederationRun(), "referral", 1)
    assert (crossing.crossings, crossing.stranded, crossing.asks) == (12, 0, 0)


def test_desks_that_stay_apart_write_nothing_but_turns() -> None:
    siloed = tally(FederationRun(), "siloed", 3)
    assert (siloed.crossings, siloed.asks, siloed.digests, siloed.deliberations) == (0, 0, 0, 9)


def test_asking_every_peer_on_the_floor_uses_up_the_turns_of_many_desks() -> None:
    crossing = tally(MANY, "referral", 1)
    assert crossing.exhausted == crossing.deliberations == 12
    assert crossing.decided == 0
    assert crossing.stranded > 0


@pytest.mark.parametrize(("cap", "asks"), [(0, 0), (1, 12), (2, 24), (99, 132)])
def test_off_the_floor_a_desk_asks_no_more_than_its_cap(cap: int, asks: int) -> None:
    assert tally(replace(MANY, ask_cap=cap), OFF_FLOOR, 1).asks == asks


def test_a_digest_reaches_every_other_desk() -> None:
    crossing = tally(replace(MANY, ask_cap=0, digest=1), OFF_FLOOR, 1)
    assert (crossing.digests, crossing.crossings, crossing.asks) == (12, 132, 0)


def test_each_wrong_option_is_known_to_the_next_desk_that_is_not_blind_to_it() -> None:
    desks = generate(FederationRun(evidence=True), 0).desks
    assert [set(desk.facts) for desk in desks] == [{"shadow"}, {"stage"}, {"ship"}]
    assert [desk.seats[-1].refutes for desk in desks] == ["shadow", "stage", "ship"]
    assert all(seat.refutes is None for desk in desks for seat in desk.seats[:-1])


def test_noise_turns_facts_against_the_best_option() -> None:
    federation = generate(FederationRun(evidence=True, fact_noise=1000), 0)
    assert {fact for desk in federation.desks for fact in desk.facts} == {"revert"}


def test_desks_that_share_one_blind_spot_hold_no_fact() -> None:
    federation = generate(FederationRun(evidence=True, topics=2), 0)
    assert all(desk.facts == frozenset() for desk in federation.desks)


@pytest.mark.parametrize("arm", [*ARMS, OFF_FLOOR])
def test_facts_never_leave_a_federation_worse_off(arm: str) -> None:
    without = tally(FederationRun(), arm, 15)
    informed = tally(FederationRun(evidence=True), arm, 15)
    assert informed.correct >= without.correct


def hall() -> Hall:
    federation = generate(FederationRun(), 0)
    peers = [desk.id for desk in federation.desks[1:]]
    options, policy = federation.options, tuned(4, Overrides())
    return Hall(federation.desks[0], options, policy, Manner(), peers)


@pytest.mark.parametrize(
    ("desk", "worth"), [("Platform", (152 + 1000) // 2), ("Payments", 152), ("Desk 4", 152)]
)
def test_a_desk_hears_others_but_not_itself_nor_names_with_a_blank(desk: str, worth: int) -> None:
    here = hall()
    here.absorb([Statement(desk, {"stage": 1000}, ())])
    assert here.members[0].scores["stage"] == worth


def test_facts_count_wherever_they_come_from_and_once() -> None:
    here = hall()
    for desk in ("Payments", "Platform"):
        here.absorb([Statement(desk, {}, ("stage",))])
    assert here.members[0].scores["stage"] == 152 - 45


def test_readings_cross_in_words_that_hold_no_marker() -> None:
    statement = Statement("Payments", {"stage": 152, "ship": -8}, ("ship",))
    assert (
        statement.text == "Payments reads #stage at 152, #ship at -8. Payments knows #ship is out."
    )


def test_the_votes_of_a_federation_decide_nothing_on_a_tie() -> None:
    assert sole_winner(["a", "b", "b", "a"]) is None
    assert sole_winner(["a", "b", "b"]) == "b"
    assert sole_winner(["a"]) == "a"
    assert sole_winner([]) is None
