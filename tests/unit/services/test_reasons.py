"""Is it said in plain words why an agent spoke? Source: product.md 7, hive.md 7 and 15."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.hive.attention import AgentThreshold, BidReason
from hivebot.hive.conversation import Conversation
from hivebot.hive.episode import (
    EpisodePhase,
    EpisodeState,
    HiveTurn,
    Idle,
    Speak,
    Step,
    Visibility,
)
from hivebot.hive.wire import encode_step
from hivebot.services.reasons import Case, why
from hivebot.services.records.rows import DecisionRow, TurnKind, TurnRow, TurnState
from tests.configurations import CONFIGURATION, desk_of
from tests.fakes.clock import START

STATE = EpisodeState(Conversation("data", "Data", 1), watermark=1, spent=3)


def turn(kind: TurnKind, agent_id: str = "anna", reason: str = "") -> TurnRow:
    return TurnRow(
        id=1,
        conversation_id=1,
        decision_id=1,
        kind=kind,
        agent_id=agent_id,
        state=TurnState.COMMITTED,
        trigger_id=1,
        question_id=1,
        asker_user_id="U0ANA",
        referral_id=None,
        episode_id=None,
        hop=0,
        revision="r1",
        attempt=1,
        notes=(),
        progress_id=None,
        created_at=START,
        reason=reason,
    )


def assessment(agent_id: str, pull: int, reason: BidReason, **changes: object) -> dict[str, object]:
    penalty = int(str(changes.get("penalty", 0)))
    made: dict[str, object] = {
        "agent_id": agent_id,
        "pull": pull,
        "reason": reason.value,
        "bonus": reason.bonus,
        "penalty": penalty,
        "urge": pull + reason.bonus - penalty,
        "threshold": 0,
        "share": 0,
        "total_share": 0,
        "bids": True,
    }
    return {**made, **changes}


def decision(step: Step, *assessments: dict[str, object], fold: str = "step") -> DecisionRow:
    result: dict[str, object] = {
        "step": dict(encode_step(step)),
        "at": 5,
        "standings": [],
        "assessments": list(assessments),
    }
    return DecisionRow(
        id=9,
        conversation_id=1,
        message_id=1,
        fold=fold,
        input={},
        result=result,
        reason="",
        revision="r1",
        next_state=None,
        created_at=START,
    )


def speaks(agent_id: str = "anna") -> Speak:
    return Speak(
        HiveTurn(
            agent_id=agent_id,
            phase=EpisodePhase.DELIBERATE,
            visibility=Visibility.FULL,
            reason=BidReason.SALIENCE,
            next_state=replace(STATE, thresholds=(AgentThreshold(agent_id),)),
        )
    )


def case(of: TurnRow, decided: DecisionRow | None = None, *, desk: str = "data") -> Case:
    return Case(
        turn=of,
        configuration=CONFIGURATION,
        desk=desk_of(CONFIGURATION, desk) if desk else None,
        decision=decided,
        referral=None,
        episode=None,
    )


EPISODE = turn(TurnKind.EPISODE)


@pytest.mark.parametrize(
    ("reason", "because"),
    [
        (BidReason.ADDRESSED, "somebody else had answered or cited what Anna said"),
        (BidReason.DISSENT, "Anna backed none of the options that were level"),
        (BidReason.KNOWS, "Anna knew most about the option in question and had taken no side"),
        (BidReason.QUIET, "Anna had said least while somebody else said much"),
        (BidReason.SALIENCE, "what was on the floor concerned Anna"),
    ],
)
def test_each_reason_of_the_market_has_its_words(reason: BidReason, because: str) -> None:
    said = why(case(EPISODE, decision(speaks(), assessment("anna", 100, reason))))

    assert said.startswith(f"Anna had the floor because {because}")
    assert "Nobody else wanted the floor. It was turn 3. (D9)" in said


def test_whoever_did_not_bid_is_no_runner_up() -> None:
    said = why(
        case(
            EPISODE,
            decision(
                speaks(),
                assessment("anna", 500, BidReason.SALIENCE),
                assessment("bert", 900, BidReason.SALIENCE, bids=False),
                assessment("carl", 400, BidReason.QUIET, penalty=3000, threshold=-3000),
            ),
        )
    )

    assert "Next was Carl with 1,400 (quiet)." in said


def test_what_talking_most_costs_is_said() -> None:
    loud = assessment("anna", 9000, BidReason.SALIENCE, penalty=3000)

    assert "(pull 9,000, less 3,000 for talking most)" in why(
        case(EPISODE, decision(speaks(), loud))
    )


@pytest.mark.parametrize("decided", [None, decision(speaks(), fold="responder")])
def test_a_record_that_is_gone_is_said_to_be_gone(decided: DecisionRow | None) -> None:
    assert why(case(EPISODE, decided)) == (
        "Anna had the floor; the record of why is not kept any more."
    )


@pytest.mark.parametrize(
    "decided",
    [
        replace(decision(speaks()), result={}),
        decision(Idle()),
        decision(speaks(), assessment("bert", 1, BidReason.SALIENCE)),
    ],
)
def test_a_record_that_says_nothing_of_the_speaker_cannot_be_read(decided: DecisionRow) -> None:
    assert why(case(EPISODE, decided)) == "Anna had the floor; the record of why cannot be read."


def test_a_referral_that_is_gone_leaves_a_short_sentence() -> None:
    far, told = turn(TurnKind.REFERRED), turn(TurnKind.SPONSOR)

    assert why(case(far)) == "Anna answered a question of another desk."
    assert why(case(told)) == "Anna told what came back from another desk."


def test_an_agent_nobody_knows_any_more_goes_by_its_id() -> None:
    assert why(case(turn(TurnKind.REFERRED, "ghost"))).startswith("ghost answered")


@pytest.mark.parametrize(
    ("reason", "because"),
    [
        ("orchestrator", "Anna answers where no desk does"),
        ("direct_agent", "the message was sent to Anna"),
        ("somehow", "Anna was chosen"),
    ],
)
def test_where_no_desk_answers_there_is_nobody_next(reason: str, because: str) -> None:
    said = why(case(turn(TurnKind.ANSWER, reason=reason), desk=""))

    assert said == f"Anna answered because {because}."


def test_a_desk_of_one_has_nobody_next() -> None:
    alone = replace(desk_of(CONFIGURATION, "data"), members=("anna",))
    of = replace(case(turn(TurnKind.ANSWER, reason="desk_default")), desk=alone)

    assert why(of) == "Anna answered because Anna leads the desk."
