"""Is what goes wrong after a kill noticed, and said? The plan, the checks, the report."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.entrypoints.benches.killing import report
from hivebot.entrypoints.benches.killing.checking import checks, failure_lines
from hivebot.entrypoints.benches.killing.looking import Found, Thread, doubled, given_up, unheard
from hivebot.entrypoints.benches.killing.plan import IN_THREAD, POSTS, Kind, Plan, Victim, planned
from hivebot.entrypoints.benches.killing.run import Report
from hivebot.services.audit import Compared

PLAN = planned(20, 6, seed=7)


def whole(plan: Plan = PLAN) -> Found:
    """What a run leaves in which nothing went wrong."""
    threads = [
        Thread(one, f"1.{one.number}", ("said",) * IN_THREAD[one.kind]) for one in plan.questions
    ]
    states = {
        ("turn", "committed"): 40,
        ("post", "sent"): 60,
        ("referral", "answered"): 4,
        ("decision", "ended"): 2,
        ("job", "succeeded"): 300,
    }
    return Found(
        threads, [], states, [], [], {Compared.EQUAL: 1, Compared.ERASED: 1}, frozenset(), []
    )


def broken(found: Found) -> list[str]:
    return [place for check in checks(found) for place in check.broken]


# --- the plan -------------------------------------------------------------------------------------


def test_one_seed_is_one_plan() -> None:
    assert planned(20, 6, seed=7) == PLAN
    assert planned(20, 6, seed=8) != PLAN


def test_every_kind_of_question_is_asked_and_each_is_different() -> None:
    kinds = [one.kind for one in PLAN.questions]
    assert {kind: kinds.count(kind) for kind in Kind} == {
        Kind.PLAIN: 14,
        Kind.CROSSING: 4,
        Kind.DECISION: 2,
    }
    assert len({one.words for one in PLAN.questions}) == 20
    assert PLAN.posts == 14 + 4 * POSTS[Kind.CROSSING] + 2


def test_each_victim_comes_up_and_the_last_kill_leaves_time_to_settle() -> None:
    assert [one.victim for one in PLAN.kills[:3]] != [one.victim for one in PLAN.kills[:1]] * 3
    assert {one.victim for one in PLAN.kills} == set(Victim)
    moments = [one.after_posts for one in PLAN.kills]
    assert moments == sorted(moments)
    assert moments[0] >= 1
    assert moments[-1] < PLAN.posts


def test_answers_of_slack_are_lost_with_and_without_their_posts() -> None:
    losses = planned(20, 6, seed=7, losses=9).losses
    assert len(losses) == 9
    assert {one.applied for one in losses} == {True, False}
    assert planned(20, 6, seed=7, losses=9).kills == PLAN.kills


def test_nothing_need_be_killed() -> None:
    assert planned(1, 0, seed=1).kills == ()


# --- the checks -----------------------------------------------------------------------------------


def test_a_run_in_which_nothing_went_wrong_holds() -> None:
    assert broken(whole()) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"doubled": ["outbox 3, part 0"]}, "outbox 3, part 0"),
        ({"gaps": [9]}, "conversation 9"),
        ({"spoken_twice": [4]}, "turn 4"),
        ({"replays": {Compared.DIFFERENT: 2}}, "2 came out differently"),
        ({"unheard": ["Ev3"]}, "event Ev3"),
        ({"states": {("post", "sending"): 1}}, "1 post sending"),
        ({"states": {("post", "unknown"): 2}}, "2 posts unknown"),
        ({"states": {("turn", "running"): 1}}, "1 turn running"),
        ({"states": {("referral", "asked"): 1}}, "1 referral asked"),
        ({"states": {("decision", "running"): 1}}, "1 decision running"),
        ({"states": {("job", "todo"): 5}}, "5 jobs todo"),
        ({"states": {("job", "failed"): 1}}, "1 job failed"),
    ],
)
def test_what_went_wrong_is_named(change: dict[str, object], said: str) -> None:
    assert broken(replace(whole(), **change)) == [said]  # pyright: ignore[reportArgumentType] - by name


@pytest.mark.parametrize("posts", [0, 2])
def test_a_question_without_an_answer_or_with_two_is_named(posts: int) -> None:
    found = whole()
    wrong = replace(found.threads[0], said=("said",) * posts)
    found = replace(found, threads=[wrong, *found.threads[1:]])
    assert broken(found) == [f"number 1 (plain, 1.1) has {posts} of 1"]


def test_a_question_that_slack_gave_up_on_has_no_answer_and_is_no_fault() -> None:
    found = whole()
    alone = replace(found.threads[0], said=())
    found = replace(found, threads=[alone, *found.threads[1:]], given_up=frozenset({"1.1"}))
    assert broken(found) == []
    assert dict(report.as_json(done(found)))["given_up"] == 1


def event(ts: str, state: str, *statuses: int, reason: str = "") -> dict[str, object]:
    attempts = [{"status": one, "reason": reason} for one in statuses]
    return {"event_id": f"Ev{ts}", "ts": ts, "state": state, "attempts": attempts}


def test_only_what_met_nothing_but_what_was_down_is_given_up() -> None:
    events = [
        event("1", "acknowledged", 503, 200),
        event("2", "failed", 0, 503, 503, 0),
        event("2", "failed", 0, 0, 0, 0),
        event("3", "failed", 0, 0, 0, 0),
        event("3", "acknowledged", 200),
        event("4", "failed", 0, 500, 0, 0),
        event("5", "failed", 0, reason="http_timeout"),
    ]
    assert given_up(events) == {"2", "4", "5"}
    assert unheard(events) == ["Ev4", "Ev5"]


def test_a_line_that_says_why_not_is_an_answer_and_is_counted() -> None:
    found = whole()
    wrong = replace(found.threads[0], said=("(no answer: the model timed out)",))
    found = replace(found, threads=[wrong, *found.threads[1:]])
    assert (broken(found), failure_lines(found.threads)) == ([], 1)


def test_a_part_that_stands_under_two_stamps_is_doubled() -> None:
    def post(ts: str, number: int) -> dict[str, object]:
        return {"ts": ts, "metadata": {"event_payload": {"outbox_id": number, "part": 0}}}

    assert doubled([post("1.1", 1), post("1.1", 1), post("1.2", 2)]) == []
    assert doubled([post("1.1", 1), post("1.3", 1), {"ts": "1.4"}]) == ["outbox_id 1, part 0"]


# --- the report -----------------------------------------------------------------------------------


def done(found: Found) -> Report:
    killed = {Victim.WORKER: 2, Victim.WEB: 2, Victim.DATABASE: 2, Victim.SILENCE: 1}
    return Report(PLAN, found, killed, {"clock": 1}, asked_s=10.0, settled_s=4.0)


def test_the_report_says_what_was_asked_killed_and_found() -> None:
    sheet = report.sheet(done(whole()))
    cells = {row[0]: row[1] for row in sheet.rows}
    assert cells["questions"] == "20: 14 plain, 4 crossing, 2 decision"
    assert cells["SIGKILL"] == "worker 2 times, web 2 times, database 2 times"
    assert cells["worker silent for a while"] == "1 times"
    assert cells["ended by itself"] == "clock 1 times"
    assert all(aim.met for aim in report.aims(done(whole())))
    assert report.as_json(done(whole()))["replays"] == {"equal": 1, "erased": 1}


def test_of_many_faults_the_first_are_named_and_the_rest_counted() -> None:
    found = replace(whole(), gaps=list(range(1, 9)))
    (aim,) = [one for one in report.aims(done(found)) if not one.met]
    assert aim.found.startswith("conversation 1; conversation 2")
    assert aim.found.endswith("and 3 more")
