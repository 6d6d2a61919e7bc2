"""What do several desks decide that are each misled in their own way?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hivebot.adapters.config_files import load
from hivebot.entrypoints.benches.deciding.arms import Outcome
from hivebot.entrypoints.benches.deciding.bench import Plan, federated_runs
from hivebot.entrypoints.benches.deciding.federation import (
    Hall,
    asked_first,
    asked_late,
    halls_of,
    siloed,
)
from hivebot.entrypoints.benches.deciding.seating import Bounds, room_of
from hivebot.services.ports import Models
from hivebot.services.records.asking import ReplyFailure, TurnReply, TurnRequest
from hivebot.services.records.replies import Ask, ConsultTurn
from tests.fakes.models import FakeModels, by_rule
from tests.scenarios import SALE

CONFIGURATION = load(Path("config") / "hivebot.yaml").configuration
DATA = CONFIGURATION.desks[2]


def halls(max_asks: int = 2, turn_budget: int | None = 12) -> tuple[Hall, ...]:
    rooms = [
        replace(
            room_of(desk.members, SALE.options, DATA, Bounds(), turn_budget),
            desk_id=desk.id,
            desk_name=desk.name,
        )
        for desk in SALE.desks
    ]
    return halls_of(rooms, SALE.question, [max_asks] * len(rooms))


async def outcomes(models: Models) -> dict[str, Outcome]:
    plan = Plan(CONFIGURATION, DATA, Bounds())
    runs = federated_runs(models, SALE, plan)
    return {arm: await run() for arm, (run,) in runs.items()}


async def test_desks_apart_are_each_wrong_and_asking_makes_them_right() -> None:
    found = await outcomes(FakeModels())
    assert {arm: one.decided for arm, one in found.items()} == {
        "siloed": "",
        "asked first": "limit",
        "asked late": "limit",
        "one merged desk": "limit",
        "poll": "",
    }
    assert found["siloed"].ending == "3 of 3 desks decided"
    assert [one.asks for one in found.values()] == [0, 6, 6, 0, 0]
    assert found["asked late"].turns > found["asked first"].turns


async def test_an_answer_after_the_quorum_comes_too_late_for_a_small_budget() -> None:
    tight = halls(turn_budget=9)
    assert (await asked_first(FakeModels(), tight, SALE.question)).decided == "limit"
    assert (await asked_late(FakeModels(), tight, SALE.question)).decided == ""


async def test_a_question_and_its_answer_are_model_calls_and_no_turns() -> None:
    models = FakeModels()
    found = await asked_first(models, halls(), SALE.question)
    kinds = [request.situation for request in models.asked]
    assert (kinds.count("consult"), kinds.count("answer")) == (3, 6)
    assert found.meter.replies == found.turns + 9


async def test_the_other_desk_reads_the_question_and_nothing_else() -> None:
    models = FakeModels()
    await asked_first(models, halls(), SALE.question)
    far = [request for request in models.asked if request.situation == "answer"]
    assert {len(request.rows) for request in far} == {1}
    assert {request.rows[0].message.content for request in far} == {SALE.question}
    assert {request.may_ask for request in far} == {()}


async def test_answers_lie_before_the_blind_round_and_everybody_reads_them() -> None:
    models = FakeModels()
    await asked_first(models, halls(), SALE.question)
    opening = next(request for request in models.asked if request.situation == "opening")
    home = [row for row in opening.rows if row.kind == "answer_from_desk"]
    assert [row.place for row in home] == ["Platform", "Data"]
    assert all(row.message.sequence <= opening.watermark for row in home)


async def test_a_late_answer_is_passed_on_by_whoever_asked() -> None:
    models = FakeModels()
    await asked_late(models, halls(), SALE.question)
    relays = [request for request in models.asked if request.situation == "relay"]
    assert len(relays) == 6
    assert all(request.rows[-1].kind == "answer_from_desk" for request in relays)


async def test_a_desk_that_may_ask_nothing_decides_alone() -> None:
    found = await asked_first(FakeModels(), halls(max_asks=0), SALE.question)
    alone = await siloed(FakeModels(), halls(), SALE.question)
    assert (found.asks, found.turns, found.decided) == (0, alone.turns, "")


@pytest.mark.parametrize("situation", ["consult", "answer", "relay"])
async def test_a_question_that_fails_on_its_way_leaves_the_desk_to_itself(situation: str) -> None:
    def answer(request: TurnRequest) -> TurnReply | ReplyFailure:
        if request.situation == situation:
            return ReplyFailure("malformed", "(no answer)", again=False)
        return by_rule(request)

    found = await asked_late(FakeModels(answer), halls(), SALE.question)
    assert found.ending.endswith("of 3 desks decided")
    assert found.meter.failed > 0


async def test_a_desk_whose_members_fail_is_over_also_while_it_might_still_ask() -> None:
    def answer(request: TurnRequest) -> TurnReply | ReplyFailure:
        return ReplyFailure("malformed", "(no answer)", again=False)

    found = await asked_late(FakeModels(answer), halls(), SALE.question)
    assert (found.decided, found.ending) == ("", "0 of 3 desks decided")


async def test_a_desk_nobody_knows_is_not_asked() -> None:
    def answer(request: TurnRequest) -> TurnReply | ReplyFailure:
        usual = by_rule(request)
        if request.situation != "consult" or isinstance(usual, ReplyFailure):
            return usual
        asks = (Ask("nowhere", "what?"), Ask(request.desk_id, "what?"), Ask("data", SALE.question))
        return replace(usual, reply=ConsultTurn(asks))

    models = FakeModels(answer)
    found = await asked_first(models, halls(max_asks=3), SALE.question)
    assert found.asks == 2
    assert {one.desk_id for one in models.asked if one.situation == "answer"} == {"data"}
