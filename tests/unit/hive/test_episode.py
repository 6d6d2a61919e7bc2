"""Does a deliberation go on, and end, as the contract says?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.hive.attention import AgentThreshold, BidReason, bids_of, floor_holder
from hivebot.hive.conversation import Conversation
from hivebot.hive.desk import Desk, DeskSet
from hivebot.hive.directory import Directory, DirectoryPolicy, directory
from hivebot.hive.episode import (
    Converged,
    Deadlocked,
    EpisodePhase,
    EpisodePolicy,
    EpisodeState,
    Examination,
    Exhausted,
    HiveTurn,
    Idle,
    Speak,
    Visibility,
    examine,
    examine_live,
    live_messages,
    project_for,
    step,
)
from hivebot.hive.errors import (
    DuplicateAgentThresholdError,
    DuplicateDeskIdError,
    DuplicateRosterMemberIdError,
    HiveError,
    UnknownDeskError,
    UnknownThresholdMemberError,
    ZeroDeferCapError,
    ZeroDirectoryHalfLifeError,
    ZeroHalfLifeError,
    ZeroQuorumThresholdError,
)
from hivebot.hive.quorum import Deliberating, Quorum, QuorumPolicy, Standing
from hivebot.hive.roster import Member, Roster
from hivebot.hive.salience import SalienceWeights
from hivebot.hive.scalars import I64_MAX, I64_MIN, U32_MAX
from hivebot.hive.trace import read
from hivebot.hive.transcript import SessionMessage
from tests.unit.hive.room import NIGHTLY, OPERATOR, PAT, room, row

MEMBERS = ("anna", "carl", "sven")
ROSTER = Roster(
    members=tuple(Member(member, member) for member in (*MEMBERS, "gone", "guest")),
    people=(),
    retired=("gone",),
)
DESK = Desk("ops", "Operations", None, ("anna", "gone", "carl", "unheard", "sven"))
DESKS = DeskSet((DESK,), (), (), (), ())
HERE = Conversation("ops", "Operations")
FRESH = EpisodeState(conversation=HERE, watermark=10)
POLICY = EpisodePolicy()
COMMITTING = replace(FRESH, phase=EpisodePhase.COMMIT, commit_boundary=12)
TASK = (OPERATOR, "How do we release it?")


def examined(
    *lines: tuple[object, str],
    state: EpisodeState = FRESH,
    policy: EpisodePolicy = POLICY,
    roster: Roster = ROSTER,
    desks: DeskSet = DESKS,
) -> Examination:
    """The working on a room that begins after the watermark."""
    transcript = room(*lines, first=11)  # pyright: ignore[reportArgumentType]
    return examine(state, transcript, roster, desks, policy)


def turn_of(working: Examination) -> HiveTurn:
    """The turn of a step that lets somebody speak."""
    assert isinstance(working.step, Speak)
    return working.step.turn


# --- checks -------------------------------------------------------------------------------------

BROKEN_ROSTER = replace(ROSTER, members=(*ROSTER.members, Member("anna", None)))
BROKEN_DESKS = replace(DESKS, added=(DESK,))
STRANGER = replace(FRESH, thresholds=(AgentThreshold("anna"), AgentThreshold("guest")))
TWICE = replace(FRESH, thresholds=(AgentThreshold("anna"), AgentThreshold("anna")))
NOWHERE = replace(STRANGER, conversation=Conversation("General", "General"))
NO_DEFERRALS = EpisodePolicy(defer_cap=0, directory=DirectoryPolicy(half_life=0))
NO_HALF_LIFE = EpisodePolicy(directory=DirectoryPolicy(half_life=0))


@pytest.mark.parametrize(
    ("state", "roster", "desks", "policy", "error"),
    [
        (NOWHERE, BROKEN_ROSTER, BROKEN_DESKS, NO_DEFERRALS, DuplicateRosterMemberIdError),
        (NOWHERE, ROSTER, BROKEN_DESKS, NO_DEFERRALS, DuplicateDeskIdError),
        (NOWHERE, ROSTER, DESKS, NO_DEFERRALS, ZeroDeferCapError),
        (NOWHERE, ROSTER, DESKS, NO_HALF_LIFE, ZeroDirectoryHalfLifeError),
        (NOWHERE, ROSTER, DESKS, POLICY, UnknownDeskError),
        (STRANGER, ROSTER, DESKS, POLICY, UnknownThresholdMemberError),
    ],
)
def test_malformed_input_is_refused_in_order_even_when_the_budget_is_spent(
    state: EpisodeState,
    roster: Roster,
    desks: DeskSet,
    policy: EpisodePolicy,
    error: type[HiveError],
) -> None:
    with pytest.raises(error):
        examined(state=replace(state, spent=99), policy=policy, roster=roster, desks=desks)


@pytest.mark.parametrize(
    ("state", "policy", "error"),
    [
        (FRESH, EpisodePolicy(quorum=QuorumPolicy(threshold=0)), ZeroQuorumThresholdError),
        (FRESH, EpisodePolicy(weights=SalienceWeights(half_life=0)), ZeroHalfLifeError),
        (TWICE, POLICY, DuplicateAgentThresholdError),
    ],
)
def test_what_a_market_refuses_is_not_met_when_the_budget_is_spent(
    state: EpisodeState, policy: EpisodePolicy, error: type[HiveError]
) -> None:
    assert examined(state=replace(state, spent=12), policy=policy).step == Exhausted(12)
    with pytest.raises(error):
        examined(("anna", "!propose #a"), state=state, policy=policy)


def test_a_stranger_is_told_with_the_id_of_the_desk() -> None:
    by_name = replace(STRANGER, conversation=Conversation("Operations", "Operations"))
    with pytest.raises(UnknownThresholdMemberError) as raised:
        examined(state=by_name)
    assert raised.value.details() == {"agent_id": "guest", "desk_id": "ops"}


# --- the floor ----------------------------------------------------------------------------------


def test_an_opening_room_gives_the_floor_to_the_first_member_blindly() -> None:
    turn = turn_of(examined(TASK))
    assert turn == HiveTurn(
        agent_id="anna",
        phase=EpisodePhase.DELIBERATE,
        visibility=Visibility.BLIND,
        reason=BidReason.SALIENCE,
        next_state=EpisodeState(
            conversation=HERE,
            watermark=10,
            spent=1,
            phase=EpisodePhase.DELIBERATE,
            thresholds=(
                AgentThreshold("anna", 500),
                AgentThreshold("carl", -250),
                AgentThreshold("sven", -250),
            ),
            commit_boundary=None,
        ),
    )


def test_affinities_are_kept_and_thresholds_saturate() -> None:
    state = replace(
        FRESH,
        spent=U32_MAX - 1,
        thresholds=(
            AgentThreshold("sven", I64_MIN, (("a", 9), ("a", 8))),
            AgentThreshold("anna", I64_MAX),
        ),
    )
    policy = EpisodePolicy(turn_budget=U32_MAX)
    assert turn_of(examined(TASK, state=state, policy=policy)).next_state == replace(
        state,
        spent=U32_MAX,
        thresholds=(
            AgentThreshold("anna", I64_MAX - 250),
            AgentThreshold("carl", -250),
            AgentThreshold("sven", I64_MIN + 500, (("a", 9), ("a", 8))),
        ),
    )


def test_nobody_above_a_threshold_is_idle() -> None:
    state = replace(FRESH, thresholds=tuple(AgentThreshold(member, 1) for member in MEMBERS))
    idle = examined(TASK, state=state)
    assert idle.step == Idle()
    assert [one.bid for one in idle.assessments] == [None, None, None]


def test_a_room_without_members_is_idle() -> None:
    empty = replace(DESKS, retired=("anna", "gone", "carl", "unheard", "sven"))
    assert examined(("anna", "!propose #a"), desks=empty).step == Idle()


def test_turns_are_blind_until_every_member_has_written_something() -> None:
    two = (TASK, ("anna", "hm"), ("guest", "hi"), ("carl", "hm"))
    assert turn_of(examined(*two)).visibility is Visibility.BLIND
    assert turn_of(examined(*two, ("sven", "hm"))).visibility is Visibility.FULL
    seeing = EpisodePolicy(blind_round=False)
    assert turn_of(examined(TASK, policy=seeing)).visibility is Visibility.FULL


def test_only_rows_above_the_watermark_by_members_and_people_are_live() -> None:
    transcript = (
        row(10, "anna", "before"),
        row(11, "guest", "stranger"),
        row(12, "gone", "retired"),
        row(13, PAT, "person"),
        row(14, NIGHTLY, "system"),
        row(15, OPERATOR, "operator"),
        row(13, "anna", "member"),
    )
    live = live_messages(FRESH, transcript, MEMBERS)
    assert [message.content for message in live] == ["person", "system", "operator", "member"]


def test_the_present_is_the_last_live_row_given_or_the_watermark() -> None:
    assert examined().at == 10
    assert examined(("guest", "!propose #a")).at == 10
    assert examined(TASK, ("anna", "hm"), ("guest", "hm")).at == 12


# --- endings ------------------------------------------------------------------------------------

AGREED = (TASK, ("anna", "!propose #a"), ("carl", "!support #a ^12"))


def test_a_carried_option_opens_the_commit_phase_at_the_present() -> None:
    turn = turn_of(examined(*AGREED))
    assert turn.phase is EpisodePhase.COMMIT
    assert (turn.next_state.phase, turn.next_state.commit_boundary) == (EpisodePhase.COMMIT, 13)


def test_the_commit_phase_and_its_boundary_stay() -> None:
    turn = turn_of(examined(TASK, state=COMMITTING))
    assert turn.phase is EpisodePhase.COMMIT
    assert turn.next_state.commit_boundary == 12
    lost = turn_of(examined(TASK, state=replace(COMMITTING, commit_boundary=None)))
    assert lost.next_state.commit_boundary == 11


def test_a_boundary_does_not_outlive_the_phase() -> None:
    state = replace(COMMITTING, phase=EpisodePhase.DELIBERATE)
    assert turn_of(examined(TASK, state=state)).next_state.commit_boundary is None


def test_a_commitment_after_the_boundary_converges() -> None:
    working = examined(*AGREED, (OPERATOR, "!commit #a"), state=COMMITTING)
    backing = Standing("a", ("anna", "carl"), (), (), 1400)
    assert working.step == Converged("a", backing)
    assert (working.standings, working.consensus) == ((backing,), Quorum("a"))
    assert (working.assessments, working.directory) == ((), None)


@pytest.mark.parametrize(
    ("commitment", "state"),
    [
        (("sven", "!commit #b"), COMMITTING),
        (("sven", "!commit"), COMMITTING),
        (("guest", "!commit #a"), COMMITTING),
        (("sven", "!commit #a"), replace(COMMITTING, commit_boundary=14)),
        (("sven", "!commit #a"), replace(COMMITTING, commit_boundary=None)),
        (("sven", "!commit #a"), replace(COMMITTING, phase=EpisodePhase.DELIBERATE)),
    ],
)
def test_any_other_commitment_leaves_the_room_open(
    commitment: tuple[str, str], state: EpisodeState
) -> None:
    assert isinstance(examined(*AGREED, commitment, state=state).step, Speak)


def test_a_commitment_needs_no_window() -> None:
    lines = [
        TASK,
        ("sven", "!commit #a"),
        *[TASK] * 9,
        ("anna", "!propose #a"),
        ("carl", "!propose #a"),
    ]
    narrow = EpisodePolicy(quorum=QuorumPolicy(window=2))
    state = replace(COMMITTING, commit_boundary=11)
    assert isinstance(examined(*lines, state=state, policy=narrow).step, Converged)


SPLIT = (
    ("anna", "!propose #a\n!propose #b"),
    ("carl", "!propose #a"),
    ("sven", "!propose #b"),
)


def test_a_room_in_which_everybody_backs_a_carried_option_is_deadlocked() -> None:
    assert examined(*SPLIT).step == Deadlocked(("a", "b"))


def test_a_free_dissenter_keeps_a_split_room_open() -> None:
    four = replace(DESKS, declared=(replace(DESK, members=(*MEMBERS, "guest")),))
    turn = turn_of(examined(*SPLIT, desks=four))
    assert (turn.agent_id, turn.reason) == ("guest", BidReason.DISSENT)


def test_a_silenced_advocate_is_free_again() -> None:
    four = replace(DESKS, declared=(replace(DESK, members=(*MEMBERS, "guest")),))
    lines = (*SPLIT, ("guest", "!propose #b"), (OPERATOR, "!object >14 ^10"))
    assert turn_of(examined(*lines, desks=four)).agent_id == "guest"


# --- the working --------------------------------------------------------------------------------


def test_the_working_shows_everything_the_step_came_from() -> None:
    knowing = EpisodePolicy(directory=DirectoryPolicy())
    state = replace(FRESH, thresholds=(AgentThreshold("sven", 0, (("a", 80),)),))
    lines = (TASK, ("anna", "!propose #a"), ("carl", "!evidence #a ^12"))
    working = examined(*lines, state=state, policy=knowing)
    traces = read(room(*lines, first=11))
    assert working.at == 13
    assert working.consensus == Deliberating()
    assert [one.topic for one in working.standings] == ["a"]
    assert working.directory == directory(traces, 13, DirectoryPolicy(), state.thresholds)
    assert [one.agent_id for one in working.assessments] == list(MEMBERS)
    winner = floor_holder(bids_of(working.assessments))
    assert winner is not None
    assert winner.agent_id == turn_of(working).agent_id


def test_the_directory_of_the_policy_lets_those_who_know_speak() -> None:
    lines = (TASK, ("anna", "!propose #a"), ("sven", "!evidence #a"))
    knowing = EpisodePolicy(directory=DirectoryPolicy())
    assert turn_of(examined(*lines, policy=knowing)).reason is BidReason.KNOWS
    assert turn_of(examined(*lines)).reason is BidReason.SALIENCE


def test_without_a_policy_for_it_there_is_no_directory() -> None:
    assert examined(TASK).directory is None
    assert examined(TASK, policy=EpisodePolicy(directory=DirectoryPolicy())).directory == Directory(
        ()
    )


def test_a_step_is_the_outcome_of_its_examination() -> None:
    transcript = room(*AGREED, first=11)
    working = examine(FRESH, transcript, ROSTER, DESKS, POLICY)
    assert step(FRESH, transcript, ROSTER, DESKS, POLICY) == working.step
    live = live_messages(FRESH, transcript, MEMBERS)
    assert examine_live(FRESH, live, read(live), MEMBERS, POLICY) == working


# --- what a turn may see ------------------------------------------------------------------------


def seen_by_anna(visibility: Visibility) -> list[SessionMessage]:
    """What anna's turn sees of a mixed room."""
    turn = HiveTurn("anna", EpisodePhase.DELIBERATE, visibility, BidReason.SALIENCE, FRESH)
    return list(project_for(turn, MIXED))


MIXED = (
    row(10, "carl", "before"),
    row(11, OPERATOR, "task"),
    row(12, "carl", "peer"),
    row(13, "gone", "retired"),
    row(14, PAT, "person"),
    row(15, NIGHTLY, "system"),
    row(12, "anna", "own"),
)


def test_a_full_turn_sees_everything() -> None:
    assert seen_by_anna(Visibility.FULL) == list(MIXED)


def test_a_blind_turn_sees_no_peer_of_the_episode() -> None:
    seen = [message.content for message in seen_by_anna(Visibility.BLIND)]
    assert seen == ["before", "task", "person", "system", "own"]
